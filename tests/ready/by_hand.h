/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Densities by hand, and numbers that look random, for tests of ready models. Include support/close.h first.
 * */
#ifndef GREBE_TESTS_READY_BY_HAND_H
#define GREBE_TESTS_READY_BY_HAND_H

#include "data/sets.h"
#include "estimators/list.h"
#include "fitting/density.h"
#include "fitting/fit.h"
#include "prediction/predict.h"
#include "ready/analysis.h"
#include "ready/models.h"

/* A number from −1 to 1. */
static inline double pseudo(size_t i)
{
    return sin(12.9898 * (double)(i + 1)) * cos(78.233 * (double)(i * i + 3));
}

/* A draw of the standard normal, by Box and Muller from a generator of one line. */
static inline double normal_draw(uint64_t *state)
{
    double u[2];
    for (int i = 0; i < 2; i++) {
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        u[i] = ((double)(*state >> 11) + 0.5) * 0x1p-53;
    }
    return sqrt(-2 * log(u[0])) * cos(6.283185307179586476925 * u[1]);
}

static inline double log_normal(double x, double mean, double sd)
{
    const double z = (x - mean) / sd;
    return -0.5 * z * z - log(sd) - 0.5 * log(6.283185307179586476925);
}

static inline double log_half_normal(double x, double scale)
{
    return log(2) + log_normal(x, 0, scale);
}

/* Of the free number z = log(1/s²) of an sd s that is half-normal, but avoids 0. */
static inline double log_sd_free(double z, double scale, double floor)
{
    const double s = exp(-0.5 * z), off = s / scale - floor / s;
    return 0.5 * log(2 / 3.14159265358979323846) - log(scale) - 0.5 * off * off + log(s / 2);
}

/* Means and standard deviations of columns over the rows, each as often as it counts; a NaN is not there. */
static inline void column_scales(size_t rows, size_t columns, const double *x, const double *weight,
                                 double *mean, double *sd)
{
    for (size_t c = 0; c < columns; c++) {
        double sum = 0, squares = 0, count = 0;
        for (size_t i = 0; i < rows; i++)
            if (!isnan(x[i * columns + c])) {
                sum += (weight ? weight[i] : 1) * x[i * columns + c];
                count += weight ? weight[i] : 1;
            }
        mean[c] = sum / count;
        for (size_t i = 0; i < rows; i++)
            if (!isnan(x[i * columns + c]))
                squares += (weight ? weight[i] : 1) * pow(x[i * columns + c] - mean[c], 2);
        sd[c] = sqrt(squares / (count - 1));
    }
}

/* log p of an analysis at z. */
static inline double density_at(const gb_analysis *a, size_t numbers, const double *z)
{
    double log_p = 0;
    gb_density *const d = gb_density_new(gb_analysis_elbo(a), .data = gb_analysis_data(a));
    assert_int_equal(gb_density_count(d), numbers);
    assert_int_equal(gb_density_evaluate(d, 1, z, &log_p, NULL, NULL), GB_OK);
    assert_true(isfinite(log_p));
    return log_p;
}

static inline double elbo_of(const gb_analysis *a)
{
    gb_next_batch(gb_analysis_data(a));
    return gb_value(gb_elbo_term_named(gb_analysis_elbo(a), "ELBO").value);
}

/* Runs nodes of rows, with what was fed, and stores the value of one of them. */
static inline void read_node(const gb_analysis *a, const char *name, double *value, size_t count)
{
    const gb_node node = gb_analysis_node_named(a, name);
    gb_next_batch(gb_analysis_data(a));
    if (gb_read(node, value, count) != GB_OK)
        fail_msg("%s: %s", name, gb_error_text(node.tape));
}

/* Moves variables away from their start, where components or factors may be alike. */
static inline void move_variables(gb_tape *t)
{
    gb_node variable[16];
    double value[64];
    const size_t count = gb_tape_variables(t, variable, 16);
    for (size_t i = 0; i < count && i < 16; i++) {
        const size_t numbers = gb_shape_count(gb_node_shape(variable[i]));
        assert_true(numbers <= 64 && gb_read(variable[i], value, numbers) == GB_OK);
        for (size_t k = 0; k < numbers; k++)
            value[k] += 0.2 * sin(1.3 * (double)k + (double)i + 1);
        gb_set(variable[i], gb_values_of(value, numbers));
    }
}

#endif
