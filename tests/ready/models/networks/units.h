/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layers by hand, of variables of a tape, and data of 0 and 1. Include support/close.h first. */
#ifndef GREBE_TESTS_READY_NETWORKS_UNITS_H
#define GREBE_TESTS_READY_NETWORKS_UNITS_H

#include <stdio.h>

#include "ready/by_hand.h"

enum { MOST_UNITS = 16 };

static inline double log_bit(double bit, double logit)
{
    return bit * logit - log1p(exp(logit));
}

/* f = x·w + b, of the variables NAME.weight and NAME.bias. Returns the log prior of both, N(0, 4 / inputs)
 * and N(0, 4). */
static inline double layer(gb_tape *t, const char *name, size_t inputs, size_t units, const double *x,
                           double *f)
{
    double w[MOST_UNITS * MOST_UNITS], prior = 0;
    char text[64];
    snprintf(text, sizeof text, "%s.weight", name);
    assert_int_equal(gb_read(gb_variable_named(t, text), w, inputs * units), GB_OK);
    snprintf(text, sizeof text, "%s.bias", name);
    assert_int_equal(gb_read(gb_variable_named(t, text), f, units), GB_OK);
    for (size_t k = 0; k < units; k++) {
        prior += log_normal(f[k], 0, 2);
        for (size_t i = 0; i < inputs; i++) {
            f[k] += x[i] * w[i * units + k];
            prior += log_normal(w[i * units + k], 0, 2 / sqrt((double)inputs));
        }
    }
    return prior;
}

/* Moves all variables of a tape from where they start: biases start at 0. */
static inline void shake(gb_tape *t)
{
    enum { MOST = 64 };
    gb_node variable[MOST];
    const size_t count = gb_tape_variables(t, variable, MOST);
    for (size_t i = 0; i < count && i < MOST; i++) {
        double value[MOST_UNITS * MOST_UNITS];
        const size_t numbers = gb_value_count(variable[i]);
        for (size_t k = 0; k < numbers; k++)
            value[k] = 0.9 * pseudo(17 * i + k);
        assert_int_equal(gb_set(variable[i], gb_values_of(value, numbers)), GB_OK);
    }
}

/* Rows of two patterns, each bit of which is wrong with probability 0.1. Returns the mean log density of a
 * row under what they are drawn from. */
static inline double two_patterns(size_t rows, size_t columns, double *x)
{
    uint64_t state = 5;
    double sum = 0;
    for (size_t i = 0; i < rows; i++) {
        double each[2] = {0.5, 0.5};
        const bool is_first = normal_draw(&state) < 0;
        for (size_t c = 0; c < columns; c++) {
            const bool pattern[2] = {c % 2 == 0, c < columns / 2};
            const bool is_wrong = normal_draw(&state) < -1.2815515655446004;
            x[i * columns + c] = pattern[is_first] != is_wrong;
            for (int k = 0; k < 2; k++)
                each[k] *= pattern[k] == (x[i * columns + c] > 0) ? 0.9 : 0.1;
        }
        sum += log(each[0] + each[1]);
    }
    return sum / (double)rows;
}

#endif
