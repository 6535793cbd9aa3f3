/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The distributions that a list of numbers cannot make: of vectors, of matrices, and those made of others. */
#include <math.h>
#include <string.h>

#include "distributions/transforms.h"
#include "docs/generate/pictures_impl.h"
#include "ops/elementwise.h"

static gb_node number(gb_tape *tape, double value)
{
    return gb_num(tape, value);
}

static gb_node vector(gb_tape *tape, int64_t count, const double *values)
{
    return gb_constant(tape, gb_shape(count), gb_values_of(values, (size_t)count));
}

static gb_node matrix(gb_tape *tape, int64_t rows, int64_t columns, const double *values)
{
    return gb_constant(tape, gb_shape(rows, columns), gb_values_of(values, (size_t)(rows * columns)));
}

/* ---- of numbers ---- */

static gb_dist categorical(gb_tape *t, size_t setting)
{
    static const double probs[2][5] = {{0.1, 0.2, 0.4, 0.2, 0.1}, {0.45, 0.25, 0.15, 0.1, 0.05}};
    return gb_categorical(vector(t, 5, probs[setting]));
}

static gb_dist ordered_logistic(gb_tape *t, size_t setting)
{
    static const double cutpoints[] = {-1.5, 0, 0.5, 2};
    return gb_ordered_logistic(number(t, setting == 0 ? 0.4 : -1), vector(t, 4, cutpoints));
}

static gb_dist zero_inflated(gb_tape *t, size_t setting)
{
    if (setting == 0)
        return gb_zero_inflated(number(t, 0.3), gb_poisson(number(t, 4)));
    return gb_zero_inflated(number(t, 0.2), gb_negative_binomial(number(t, 3), number(t, 0.7)));
}

/* Two skewed examples: exp of a normal, and a logistic bounded to (-2, 2). */
static gb_dist transformed(gb_tape *t, size_t setting)
{
    if (setting == 0)
        return gb_transformed(gb_normal(number(t, -0.3), number(t, 0.4)), gb_exponential_transform(t));
    return gb_transformed(gb_normal(number(t, 0.8), number(t, 1)),
                          gb_interval_transform(number(t, -2), number(t, 2)));
}

static gb_dist mixture(gb_tape *t, size_t setting)
{
    static const double weights[2][3] = {{0.5, 0.3, 0.2}, {0.2, 0.6, 0.2}},
                        locs[2][3] = {{-2, 0.5, 3}, {-3, -1, 1}},
                        scales[2][3] = {{0.6, 0.4, 1}, {0.3, 1.2, 0.3}};
    return gb_mixture(gb_log(vector(t, 3, weights[setting])),
                      gb_normal(vector(t, 3, locs[setting]), vector(t, 3, scales[setting])));
}

static gb_dist lkj(gb_tape *t, size_t setting)
{
    return gb_lkj_cholesky(2, number(t, setting == 0 ? 1.5 : 6));
}

static void correlation(const double *event, double *point)
{
    *point = event[2];
}

static bool factor_of(const double *point, double *event)
{
    const double r = *point;
    event[0] = 1;
    event[1] = 0;
    event[2] = r;
    event[3] = sqrt(1 - r * r);
    return fabs(r) < 1;
}

/* ---- of pairs ---- */

static const double middle[] = {1, -0.5};

static gb_dist by_cholesky(gb_tape *t, size_t setting)
{
    (void)setting;
    return gb_multivariate_normal(vector(t, 2, middle), matrix(t, 2, 2, (const double[]){1, 0, 0.8, 0.6}));
}

static gb_dist by_precision(gb_tape *t, size_t setting)
{
    (void)setting;
    return gb_multivariate_normal_precision(vector(t, 2, middle),
                                            matrix(t, 2, 2, (const double[]){2, 1.2, 1.2, 1.5}));
}

static gb_dist low_rank(gb_tape *t, size_t setting)
{
    (void)setting;
    return gb_low_rank_normal(vector(t, 2, middle), matrix(t, 2, 1, (const double[]){1.2, -0.6}),
                              vector(t, 2, (const double[]){0.1, 0.3}));
}

static gb_dist independent(gb_tape *t, size_t setting)
{
    (void)setting;
    return gb_independent(gb_laplace(vector(t, 2, middle), vector(t, 2, (const double[]){1, 0.7})), 1);
}

static gb_dist dirichlet(gb_tape *t, size_t setting)
{
    (void)setting;
    return gb_dirichlet(vector(t, 3, (const double[]){2, 3, 5}));
}

static gb_dist relaxed(gb_tape *t, size_t setting)
{
    (void)setting;
    return gb_relaxed_categorical(number(t, 2), vector(t, 3, (const double[]){0.2, 0.3, 0.5}));
}

/* Maps the simplex to an equilateral triangle, whose corners are the three certainties. */
static void in_triangle(const double *p, double *point)
{
    point[0] = p[1] + p[2] / 2;
    point[1] = p[2] * sqrt(0.75);
}

/* Maps the unit square, slightly shrunk, to the triangle without its edges. */
static bool from_square(const double *point, double *p)
{
    const double across = 0.001 + 0.998 * point[0];
    p[2] = 0.001 + 0.998 * point[1];
    p[1] = (1 - p[2]) * across;
    p[0] = (1 - p[2]) * (1 - across);
    return true;
}

/* ---- of states ---- */

static gb_dist one_hot(gb_tape *t, size_t setting)
{
    (void)setting;
    return gb_one_hot_categorical(vector(t, 4, (const double[]){0.1, 0.2, 0.3, 0.4}));
}

static gb_dist multinomial(gb_tape *t, size_t setting)
{
    (void)setting;
    return gb_multinomial(number(t, 3), vector(t, 3, (const double[]){0.2, 0.3, 0.5}));
}

static gb_dist unit_dropout(gb_tape *t, size_t setting)
{
    (void)setting;
    return gb_unit_dropout(vector(t, 2, (const double[]){1.5, -1}), number(t, 0.7));
}

static const picture made[] = {
    {"categorical", NUMBERS, {"probs .1 .2 .4 .2 .1", "probs .45 .25 .15 .1 .05"}, categorical, NULL, NULL},
    {"ordered_logistic",
     NUMBERS,
     {"eta 0.4, cutpoints -1.5 0 0.5 2", "eta -1, the same cutpoints"},
     ordered_logistic,
     NULL,
     NULL},
    {"zero_inflated",
     NUMBERS,
     {"prob 0.3, poisson(4)", "prob 0.2, negative_binomial(3, 0.7)"},
     zero_inflated,
     NULL,
     NULL},
    {"transformed",
     NUMBERS,
     {"exp of normal(-0.3, 0.4)", "normal(0.8, 1) held between -2 and 2"},
     transformed,
     NULL,
     NULL},
    {"mixture", NUMBERS, {"three normals at -2, 0.5, 3", "three at -3, -1, 1"}, mixture, NULL, NULL},
    {"lkj_cholesky",
     NUMBERS,
     {"correlation, concentration 1.5", "correlation, concentration 6"},
     lkj,
     correlation,
     factor_of},
    {"multivariate_normal",
     PAIRS,
     {"loc (1, -0.5), scale_tril ((1, 0), (0.8, 0.6))"},
     by_cholesky,
     NULL,
     NULL},
    {"multivariate_normal_precision",
     PAIRS,
     {"loc (1, -0.5), precision ((2, 1.2), (1.2, 1.5))"},
     by_precision,
     NULL,
     NULL},
    {"low_rank_normal",
     PAIRS,
     {"loc (1, -0.5), factor (1.2, -0.6), diagonal (0.1, 0.3)"},
     low_rank,
     NULL,
     NULL},
    {"independent", PAIRS, {"two of laplace, loc (1, -0.5), scale (1, 0.7)"}, independent, NULL, NULL},
    {"dirichlet", PAIRS, {"concentration (2, 3, 5)"}, dirichlet, in_triangle, from_square},
    {"relaxed_categorical",
     PAIRS,
     {"temperature 2, probs (0.2, 0.3, 0.5)"},
     relaxed,
     in_triangle,
     from_square},
    {"unit_dropout", STATES, {"weight (1.5, -1), keep 0.7"}, unit_dropout, NULL, NULL},
    {"one_hot_categorical", STATES, {"probs (0.1, 0.2, 0.3, 0.4)"}, one_hot, NULL, NULL},
    {"multinomial", STATES, {"total 3, probs (0.2, 0.3, 0.5)"}, multinomial, NULL, NULL},
};

const picture *picture_of(const char *name)
{
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        if (strcmp(made[i].name, name) == 0)
            return &made[i];
    return NULL;
}
