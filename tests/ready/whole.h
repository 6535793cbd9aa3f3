/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Models of arrays, at a point of their latents: log p there, and what they show. Include support/close.h
 * first. */
#ifndef GREBE_TESTS_READY_WHOLE_H
#define GREBE_TESTS_READY_WHOLE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "fitting/density.h"
#include "ready/analysis.h"
#include "ready/models.h"

static const double TWO_PI = 6.283185307179586476925;

enum { MOST_FREE = 80, MOST_SHOWN = 200 };

typedef struct whole {
    gb_analysis *a;
    gb_density *density;
    gb_program *program; /* of what is shown */
    double value[MOST_SHOWN], z[MOST_FREE];
} whole;

/* The data of a model. */
typedef struct arrays {
    int rows, columns;
    const double *x, *y, *weight;
} arrays;

static inline gb_analysis *analysis_of_arrays(gb_tape *t, const char *text, const arrays *d)
{
    gb_model model;
    char error[256];
    if (!gb_model_parse(text, &model, error, sizeof error))
        fail_msg("%s", error);
    const size_t rows = (size_t)d->rows, columns = (size_t)d->columns;
    return gb_analysis_new(
        t, model, .rows = d->rows, .columns = d->columns, .y = gb_numbers_of(GB_NUMBER_DOUBLE, d->y, rows),
        .x = d->x ? gb_numbers_of(GB_NUMBER_DOUBLE, d->x, rows * columns) : (gb_numbers){0},
        .weight = d->weight ? gb_numbers_of(GB_NUMBER_DOUBLE, d->weight, rows) : (gb_numbers){0});
}

static inline whole whole_of(const char *text, const arrays *d)
{
    gb_tape *const own = test_tape();
    whole w = {.a = analysis_of_arrays(own, text, d)};
    w.density = gb_density_new(gb_analysis_elbo(w.a), .data = gb_analysis_data(w.a));
    assert_fine(own);
    assert_true(gb_density_count(w.density) <= MOST_FREE);
    w.program = gb_density_program(w.density, gb_analysis_nodes(w.a));
    assert_fine(own);
    return w;
}

/* Goes to point `number`, and returns log p there. */
static inline double whole_at(whole *w, int number)
{
    double log_p;
    size_t at = 0;
    for (size_t k = 0; k < MOST_FREE; k++)
        w->z[k] = 0.7 * sin(1.7 * (double)k + number);
    assert_int_equal(gb_density_evaluate(w->density, 1, w->z, &log_p, NULL, NULL), GB_OK);
    assert_int_equal(gb_density_run(w->density, w->program, 1, w->z), GB_OK);
    for (size_t i = 0; i < gb_analysis_nodes(w->a).count; at += gb_program_root_count(w->program, i), i++)
        gb_read_root(w->program, i, w->value + at);
    assert_true(isfinite(log_p));
    return log_p;
}

/* The numbers that are shown under this name; NULL if none are. */
static inline const double *seen(const whole *w, const char *name)
{
    const gb_node_list nodes = gb_analysis_nodes(w->a);
    size_t at = 0;
    for (size_t i = 0; i < nodes.count; at += gb_shape_count(gb_node_shape(nodes.node[i])), i++)
        if (strcmp(gb_node_name(nodes.node[i]), name) == 0)
            return w->value + at;
    return NULL;
}

static inline double seen_number(const whole *w, const char *name)
{
    const double *const is = seen(w, name);
    if (!is)
        fail_msg("nothing is shown as %s", name);
    return is ? *is : 0;
}

/* ---- densities by hand ---- */

static inline double log_normal(double x, double mean, double sd)
{
    return -0.5 * (x - mean) * (x - mean) / (sd * sd) - log(sd) - 0.5 * log(TWO_PI);
}

/* Of a half-normal number with the logarithm z. */
static inline double log_half_normal_free(double z, double scale)
{
    return log(2) + log_normal(exp(z), 0, scale) + z;
}

/* Of the free number z = log(1/s²) of an sd s that is half-normal, but avoids 0. */
static inline double log_sd_free(double z, double scale, double floor)
{
    const double s = exp(-0.5 * z), off = s / scale - floor / s;
    return 0.5 * log(4 / TWO_PI) - log(scale) - 0.5 * off * off + log(s / 2);
}

/* A number from 0 to 1 that looks random. */
static inline double any_number(int i, int k)
{
    const double x = 43758.5453 * sin(12.9898 * i + 78.233 * k);
    return x - floor(x);
}

/* ---- symmetric systems by hand ---- */

/* Replaces a (n, n) by its Cholesky factor, below and on the diagonal. */
static inline void factorise(int n, double *a)
{
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            double sum = a[i * n + j];
            for (int k = 0; k < j; k++)
                sum -= a[i * n + k] * a[j * n + k];
            a[i * n + j] = i == j ? sqrt(sum) : sum / a[j * n + j];
        }
}

/* Solves l x = b in place. */
static inline void solve_lower(int n, const double *l, double *b)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++)
            b[i] -= l[i * n + k] * b[k];
        b[i] /= l[i * n + i];
    }
}

/* log N(r | 0, covariance), which is destroyed, as is r. */
static inline double log_multivariate_normal(int n, double *covariance, double *r)
{
    double log_p = -0.5 * n * log(TWO_PI);
    factorise(n, covariance);
    solve_lower(n, covariance, r);
    for (int i = 0; i < n; i++)
        log_p -= log(covariance[i * n + i]) + 0.5 * r[i] * r[i];
    return log_p;
}

#endif
