/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/tape.h"
#include "distributions/list.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/reduce.h"
#include "ready/equations.h"
#include "ready/models.h"

enum { MOST_LAGS = 64 };

/* The K outcomes before each one, (rows, K); zeros before the first. */
static gb_node lagged(gb_node y, int64_t rows, int64_t lags)
{
    gb_node column[MOST_LAGS];
    for (int64_t k = 1; k <= lags; k++) {
        const gb_node parts[] = {gb_zeros(y.tape, gb_shape(k)), gb_slice(y, 0, 0, rows - k)};
        column[k - 1] = gb_concat(2, parts, 0);
    }
    return gb_stack((size_t)lags, column, 1);
}

/* 1 for each of the first `lags` rows (with `missing`: if its outcome is missing), else 0. */
static gb_node first_rows(const gb_model_site *s, int64_t lags, bool missing)
{
    double is_first[MOST_LAGS];
    size_t next = 0;
    for (int64_t i = 0; i < lags; i++) {
        const bool is_missing = next < s->missing && s->missing_row[next] == i;
        is_first[i] = !missing || is_missing;
        next += is_missing;
    }
    const gb_node parts[] = {gb_constant(s->tape, gb_shape(lags), gb_values_of(is_first, (size_t)lags)),
                             gb_zeros(s->tape, gb_shape(s->rows - lags))};
    return gb_concat(2, parts, 0);
}

/* The first outcomes are given, and have the weight 0. Those of them that are missing are as the whole series
 * is: without a prior their posterior would be improper. */
static bool observe(gb_series *is, int64_t lags, gb_node mean, gb_node sigma)
{
    gb_model_site *const s = is->site;
    const gb_node zero = gb_num(s->tape, 0), is_first = gb_greater(first_rows(s, lags, false), zero);
    s->weight = gb_where(is_first, first_rows(s, lags, true), gb_series_weight(is));
    return gb_model_observe(s, gb_normal(gb_where(is_first, gb_num(s->tape, s->outcome_mean), mean),
                                         gb_where(is_first, gb_num(s->tape, s->outcome_sd), sigma)));
}

static void show_lags(gb_model_site *s, gb_node lag, int64_t lags)
{
    char name[32];
    for (int64_t k = 0; k < lags; k++) {
        snprintf(name, sizeof name, "lag[%d]", (int)k + 1);
        gb_model_show(s, name, gb_at(lag, k));
    }
}

/* ---- whether the coefficients give all outcomes exactly ---- */

static bool is_there(const double *y, int64_t row, int64_t lags)
{
    for (int64_t k = 0; k <= lags; k++)
        if (isnan(y[row - k]))
            return false;
    return true;
}

static double weight_of(const gb_model_site *s, int64_t row)
{
    return s->weights ? s->weights[row] : 1;
}

/* First of the outcomes whose lags are all there; then of all, with what they say of the missing ones. Such a
 * latent and the row of its outcome take each other out: only the others have noise. Stores the sum of their
 * weights. The first outcomes must be there. */
static bool gives_all(const gb_model_site *s, gb_equations *e, double *y, int64_t lags, double *sum)
{
    for (int64_t i = lags; i < s->rows; i++)
        if (weight_of(s, i) > 0 && is_there(y, i, lags) && gb_equations_add(e, i) == GB_EQUATION_VIOLATED)
            return false;
    for (int64_t i = lags; i < s->rows; i++) {
        const bool is_missing = isnan(y[i]);
        y[i] = is_missing ? s->outcome_mean : y[i];
        y[i] = is_missing ? gb_equations_value(e, i) : y[i];
        *sum += is_missing ? 0 : weight_of(s, i);
        if ((is_missing || weight_of(s, i) > 0) && gb_equations_add(e, i) == GB_EQUATION_VIOLATED)
            return false;
    }
    return e;
}

/* Near coefficients that do and sigma = 0 the density goes as sigma^(how many they are − weights). If slopes
 * share a scale, they are 0 at once where it is. */
static bool has_noise(const gb_model_site *s, int64_t lags, bool no_slopes)
{
    static const double by_rounding = 1e-6;
    double *const y = gb_tape_keep(s->tape, (size_t)s->rows * sizeof *y), sum = 0;
    if (!y)
        return false;
    memcpy(y, s->outcomes, (size_t)s->rows * sizeof *y);
    for (size_t i = 0; i < s->missing; i++) {
        if (s->missing_row[i] < lags)
            return true; /* not looked at */
        y[s->missing_row[i]] = (double)NAN;
    }
    gb_equations *const e =
        gb_equations_new(s, .level = true, .lags = lags, .outcomes = y, .no_slopes = no_slopes);
    const bool is_exact = gives_all(s, e, y, lags, &sum);
    const int64_t numbers = gb_equations_rank(e);
    gb_equations_free(e);
    if (is_exact && sum - (double)(numbers + no_slopes) > 1 - by_rounding)
        gb_fail(s->tape, GB_EARGUMENT,
                "autoregressive: %lld numbers give %s exactly from its %lld lags%s, in rows whose weights "
                "have the sum %g, so sigma has no posterior: its density is infinite at 0; take a smaller "
                ".order, or divide the weights by their mean",
                (long long)numbers, s->outcome, (long long)lags, no_slopes ? "" : " and columns", sum);
    return gb_error(s->tape) == GB_OK;
}

static bool fits(const gb_model_site *s, const gb_series *is, int64_t lags)
{
    return gb_error(s->tape) == GB_OK && gb_coefficients_are_held(is->columns, lags) &&
           has_noise(s, lags, false) &&
           (!gb_coefficients_share_scale(is->columns) || has_noise(s, lags, true));
}

static bool build(gb_model_site *s, const void *options)
{
    const gb_autoregressive_model_options *const o = options;
    if (o->order > MOST_LAGS)
        return gb_fail(s->tape, GB_EARGUMENT, "autoregressive: .order is %lld, and must be at most %d",
                       (long long)o->order, MOST_LAGS) == GB_OK;
    gb_series is = gb_series_of(s, o->prior, o->raw, (size_t)o->order + 1);
    const size_t level = gb_series_number(&is, "intercept", gb_shape(), o->intercept_scale),
                 lags = gb_series_number(&is, "lags", gb_shape(o->order), o->lag_scale),
                 spread = gb_series_spread(&is, "sigma", gb_shape(), o->sigma_scale);
    gb_model_impute(s);
    if (!fits(s, &is, o->order) || !gb_model_draw(s))
        return false;
    const gb_node lag = gb_model_value(s, lags), sigma = gb_series_scaled(&is, gb_model_value(s, spread)),
                  place = gb_series_place(&is, gb_model_value(s, level)),
                  before = lagged(gb_shift(gb_model_outcome(s), -is.centre), s->rows, o->order);
    gb_series_show(&is, gb_sub(place, gb_scale(gb_sum(lag), is.centre)));
    show_lags(s, lag, o->order);
    gb_model_show(s, "sigma", sigma);
    return observe(&is, o->order, gb_add(gb_add(place, gb_matmul(before, lag)), gb_series_effect(&is)),
                   sigma);
}

static const gb_option table[] = {
    GB_OPTION_WHOLE(gb_autoregressive_model_options, order, 1, GB_COUNT, "number of lags, K"),
    GB_SERIES_ROWS(gb_autoregressive_model_options),
    GB_OPTION_NUMBER(gb_autoregressive_model_options, sigma_scale, 2.5, GB_POSITIVE, "of sigma, in sds of y"),
    GB_OPTION_NUMBER(gb_autoregressive_model_options, lag_scale, 1, GB_POSITIVE,
                     "of the normal prior of phi"),
    {0}};

const gb_model_type gb_autoregressive_model_type = {
    .size = sizeof(gb_model_type),
    .name = "autoregressive",
    .cite = "Yule 1927",
    .formula = "y[t] ~ N(alpha + x[t] beta + sum_k phi_k y[t - k], sigma^2)",
    .options = table,
    .option_bytes = sizeof(gb_autoregressive_model_options),
    .outcome = GB_REAL,
    .is_whole = true,
    .no_intercept = true,
    .draws_missing = true,
    .build = build,
};

gb_model gb_autoregressive_model_with(const gb_autoregressive_model_options *options)
{
    return gb_model_of(&gb_autoregressive_model_type, options);
}
