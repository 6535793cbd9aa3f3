/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All domains, each with its condition on whole events and the transform that reaches it. */
#include <math.h>

#include "distributions/domains/domain_impl.h"
#include "distributions/transforms.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/linear.h"
#include "ops/matrix.h"
#include "ops/reduce.h"

/* ---- conditions on whole events ---- */

static gb_node tolerance(gb_node x, double of_double)
{
    return gb_num(x.tape, gb_tape_real(x.tape) == GB_FLOAT ? 1e-5 : of_double);
}

/* 1 within the rounding error of a computed sum. */
static gb_node not_one(gb_node sum)
{
    return gb_greater(gb_abs(gb_shift(sum, -1)), tolerance(sum, 1e-6));
}

static gb_node sum_is_not_one(gb_node x)
{
    return not_one(gb_sum_event(x, 1));
}

static gb_node logits_outside(gb_node x)
{
    return gb_less_equal(gb_maximum_along(x, gb_axis(-1)), gb_num(x.tape, -INFINITY));
}

static gb_node ordered_outside(gb_node x)
{
    const gb_shape shape = gb_node_shape(x);
    const int64_t n = shape.rank > 0 ? shape.size[shape.rank - 1] : 0;
    if (n < 2)
        return (gb_node){0};
    const gb_node falls = gb_less_equal(gb_slice(x, -1, 1, n), gb_slice(x, -1, 0, n - 1));
    return gb_domain_any(falls, 1);
}

/* ---- matrices ---- */

static gb_node upper_is_not_zero(gb_node x)
{
    return gb_domain_any(gb_greater(gb_abs(gb_triu(x, 1)), gb_num(x.tape, 0)), 2);
}

static gb_node covariance_cholesky_outside(gb_node x)
{
    return gb_or(upper_is_not_zero(x), gb_domain_any(gb_less_equal(gb_diagonal(x), gb_num(x.tape, 0)), 1));
}

static gb_node correlation_cholesky_outside(gb_node x)
{
    return gb_or(covariance_cholesky_outside(x), gb_domain_any(not_one(gb_sum_event(gb_square(x), 1)), 1));
}

/* A diagonal of ones, within the rounding error of sums of squares. */
static gb_node diagonal_is_not_one(gb_node x)
{
    return gb_domain_any(not_one(gb_diagonal(x)), 1);
}

static gb_node is_a_number(gb_node x)
{
    return gb_equal(x, x);
}

/* Not symmetric, or without a Cholesky factor: that is NaN where the matrix is not. */
static gb_node positive_definite_outside(gb_node x)
{
    const gb_node skew = gb_abs(gb_sub(x, gb_matrix_transpose(x)));
    const gb_node allowed =
        gb_mul(tolerance(x, 1e-8), gb_add_axes(gb_maximum_along(gb_abs(x), gb_axis(-1, -2)), 2));
    const gb_node no_factor = gb_not(is_a_number(gb_sum_event(gb_cholesky(x), 2)));
    return gb_or(gb_domain_any(gb_greater(skew, allowed), 2),
                 gb_and(no_factor, is_a_number(gb_sum_event(x, 2))));
}

static gb_node correlation_outside(gb_node x)
{
    return gb_or(positive_definite_outside(x), diagonal_is_not_one(x));
}

/* ---- the transforms that reach them ---- */

static gb_transform identity_reach(gb_tape *tape)
{
    return gb_affine_transform(gb_num(tape, 0), gb_num(tape, 1));
}

static gb_transform circle_reach(gb_tape *tape)
{
    return gb_interval_transform(gb_num(tape, -GB_PI), gb_num(tape, GB_PI));
}

/* ---- the domains ---- */

/* name, must be, event rank, low, high, above, below, whole, outside, reach */
#define ANY_DOMAIN(square, id, must_be, rank, low, high, above, below, whole, ...)                           \
    const gb_domain gb_##id##_domain = {                                                                     \
        sizeof(gb_domain), #id, must_be, rank, low, high, above, below, whole, false, square, __VA_ARGS__,   \
        .reserved = {NULL}}
#define DOMAIN(...) ANY_DOMAIN(false, __VA_ARGS__)
#define SQUARE(...) ANY_DOMAIN(true, __VA_ARGS__)
#define INF INFINITY
#define T true
#define F false
#define NO NULL

/* clang-format off */
DOMAIN(real,            "finite",                        0, -INF, INF, T, T, F, NO, identity_reach);
DOMAIN(extended,        "a number, or infinite",         0, -INF, INF, F, F, F, NO, NO);
DOMAIN(positive,        "positive and finite",           0, 0, INF,    T, T, F, NO, gb_exponential_transform);
DOMAIN(non_negative,    "finite and not negative",       0, 0, INF,    F, T, F, NO, gb_exponential_transform);
DOMAIN(unit,            "between 0 and 1",               0, 0, 1,      F, F, F, NO, gb_sigmoid_transform);
DOMAIN(open_unit,       "between 0 and 1, and neither",  0, 0, 1,      T, T, F, NO, gb_sigmoid_transform);
DOMAIN(signed_unit,     "between -1 and 1, and neither", 0, -1, 1,     T, T, F, NO, gb_tanh_transform);
DOMAIN(count,           "a whole number, not negative",  0, 0, INF,    F, T, T, NO, NO);
DOMAIN(binary,          "0 or 1",                        0, 0, 1,      F, F, T, NO, NO);
DOMAIN(circle,          "between -pi and pi",            0, -GB_PI, GB_PI, F, F, F, NO, circle_reach);
DOMAIN(real_vector,     "finite",                     1, -INF, INF, T, T, F, NO, identity_reach);
DOMAIN(positive_vector, "positive and finite",           1, 0, INF,    T, T, F, NO, gb_exponential_transform);
DOMAIN(logits,          "below infinity, and not all of them -infinity",
                     1, -INF, INF, F, T, F, logits_outside, identity_reach);
DOMAIN(ordered,         "finite, each element greater than the one before",
                     1, -INF, INF, T, T, F, ordered_outside, gb_ordered_transform);
DOMAIN(positive_ordered, "positive and finite, each element greater than the one before",
                     1, 0, INF,    T, T, F, ordered_outside, gb_positive_ordered_transform);
DOMAIN(simplex,         "non-negative with a sum of 1",
                     1, 0, 1,      F, F, F, sum_is_not_one, gb_stick_breaking_transform);
DOMAIN(one_hot,         "a 1 among zeros",               1, 0, 1,      F, F, T, sum_is_not_one, NO);
DOMAIN(count_vector,    "whole numbers, not negative",   1, 0, INF,    F, T, T, NO, NO);
DOMAIN(real_matrix,     "finite",                     2, -INF, INF, T, T, F, NO, identity_reach);
SQUARE(covariance_cholesky, "lower triangular, with a positive diagonal",
                     2, -INF, INF, T, T, F, covariance_cholesky_outside, gb_covariance_cholesky_transform);
SQUARE(correlation_cholesky, "lower triangular, with a positive diagonal and rows of length 1",
                     2, -1, 1,     F, F, F, correlation_cholesky_outside, gb_correlation_cholesky_transform);
SQUARE(positive_definite, "symmetric and positive definite",
                     2, -INF, INF, T, T, F, positive_definite_outside, gb_covariance_transform);
SQUARE(correlation, "symmetric and positive definite, with a diagonal of ones",
                     2, -INF, INF, T, T, F, correlation_outside, gb_correlation_transform);
/* clang-format on */

const gb_domain gb_non_zero_domain = {.size = sizeof(gb_domain),
                                      .name = "non_zero",
                                      .must_be = "finite and not 0",
                                      .low = -INFINITY,
                                      .high = INFINITY,
                                      .above = true,
                                      .below = true,
                                      .no_zero = true};
