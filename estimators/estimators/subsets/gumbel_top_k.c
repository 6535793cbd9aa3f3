/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws without replacement, with importance weights. The k values of the largest keys log p + Gumbel noise
 * are drawn; t is the next key. Given t, a value has a larger key with probability q = 1 − exp(−e^(log p −
 * t)), so that 1 / q is its weight. */
#include <math.h>
#include <stddef.h>

#include "estimators/estimators/subsets/shared/subset_impl.h"
#include "estimators/list.h"
#include "ops/array.h"
#include "ops/elementwise.h"

static int64_t evaluations(const gb_site *site)
{
    const gb_gumbel_top_k_options *const options = site->options;
    return gb_subset_evaluations(site, options->draws);
}

/* 1 / q; 0 for values that cannot be drawn. */
static gb_node inverse_of(gb_node p, gb_node next)
{
    const gb_node zero = gb_num(p.tape, 0);
    const gb_node q = gb_neg(gb_expm1(gb_neg(gb_exp(gb_sub(gb_log(p), next)))));
    return gb_where(gb_greater(p, zero), gb_reciprocal(q), zero);
}

/* Given the other keys, all but the own value are the k − 1 first of the others, with the same t. */
static gb_node draw(gb_site *site)
{
    const gb_ranking all = gb_ranking_of(site, true);
    const int64_t first = all.count - site->evaluations;
    const gb_node p = gb_slice(all.p, 0, first, all.count), place = gb_slice(all.place, 0, first, all.count);
    const gb_node next = first > 0 ? gb_at(all.key, first - 1) : gb_num(p.tape, -INFINITY);
    const gb_node c = inverse_of(p, next);
    return gb_subset_draw(site, &all, place, c, gb_subset_matrix(gb_mul(p, c), p));
}

/* With k draws, moments of the gradient of order m are finite if 2 m < k + 1: variances from 4 draws on,
 * their standard errors from 8 on. */
static const gb_domain draws = {.size = sizeof(gb_domain),
                                .name = "draws",
                                .must_be = "a whole number from 8 to 1024",
                                .low = 8,
                                .high = 1024,
                                .whole = true};

static const gb_option table[] = {GB_OPTION_WHOLE(gb_gumbel_top_k_options, draws, 16, &draws,
                                                  "evaluations: values drawn without replacement"),
                                  {0}};

const gb_estimator_type gb_gumbel_top_k_estimator_type = {
    .size = sizeof(gb_estimator_type),
    .name = "gumbel_top_k",
    .cite = "Kool, van Hoof and Welling 2019",
    .formula = "sum_s (f_s (1 - p_s + p_s / q_s) - sum p f / q) dp_s / q_s over k values, q = P(key > next)",
    GB_SUBSET_SLOTS(gb_gumbel_top_k_options),
};

gb_estimator gb_gumbel_top_k_with(const gb_gumbel_top_k_options *options)
{
    return gb_estimator_of(&gb_gumbel_top_k_estimator_type, options);
}
