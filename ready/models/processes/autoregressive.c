/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "core/memory.h"
#include "distributions/list.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/reduce.h"
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
    if (!gb_model_draw(s))
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
