/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One of K categories, as a number 0 … K − 1. gb_one_hot_categorical has a relaxation, this one has none. */
#include "distributions/families/shared/probability_impl.h"
#include "distributions/kl.h"
#include "distributions/list.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/order.h"
#include "ops/scan.h"

static gb_node numbers(const gb_dist *d)
{
    return gb_arange(d->tape, gb_chances_of(d).count);
}

/* Σ of `each` over the categories for which the condition is true. */
static gb_node sum_where(gb_node condition, gb_node each)
{
    return gb_sum_event(gb_where(condition, each, gb_num(each.tape, 0)), 1);
}

static gb_node log_prob(const gb_dist *d, gb_node x)
{
    return gb_nan_where(x, sum_where(gb_equal(gb_expand(x, -1), numbers(d)), gb_chances_of(d).log_p));
}

static gb_node sample(const gb_dist *d, const gb_source *from)
{
    return gb_categorical_noise(from->noise, from->shape, from->axes, gb_chances_of(d).log_p);
}

static gb_ends ends(const gb_dist *d)
{
    return (gb_ends){.high = gb_num(d->tape, (double)(gb_chances_of(d).count - 1))};
}

static gb_node cdf(const gb_dist *d, gb_node x)
{
    return gb_nan_where(x, sum_where(gb_less_equal(numbers(d), gb_expand(x, -1)), gb_chances_of(d).p));
}

/* The number of categories k < K − 1 with P(X ≤ k) < u. */
static gb_node icdf(const gb_dist *d, gb_node u)
{
    const gb_chances c = gb_chances_of(d);
    const gb_node up_to = gb_slice(gb_cumsum(c.p, -1), -1, 0, c.count - 1);
    const gb_node how_many = gb_sum_event(gb_to_real(gb_less(up_to, gb_expand(u, -1))), 1);
    return gb_nan_where(u, how_many);
}

static gb_node mean(const gb_dist *d)
{
    return gb_sum_event(gb_mul(gb_chances_of(d).p, numbers(d)), 1);
}

static gb_node mode(const gb_dist *d)
{
    return gb_to_real(gb_argmax(d->param[0], -1));
}

/* From distances to the mode, so that nothing cancels where one category is nearly certain. */
static gb_node variance(const gb_dist *d)
{
    const gb_node p = gb_chances_of(d).p, from_mode = gb_sub(numbers(d), gb_expand(mode(d), -1));
    const gb_node off = gb_sub(from_mode, gb_expand(gb_sum_event(gb_mul(p, from_mode), 1), -1));
    return gb_sum_event(gb_mul(p, gb_square(off)), 1);
}

static const gb_kl_pair pairs[] = {
    {.q = &gb_categorical_type, .p = &gb_categorical_type, .kl = gb_chances_kl, .fits = gb_same_count}, {0}};

const gb_dist_type gb_categorical_type = {
    .size = sizeof(gb_dist_type),
    .name = "categorical",
    .formula = "log probs_x",
    .param = {GB_PARAMETER("probs", GB_SIMPLEX)},
    .alternative = {GB_PARAMETER("logits", GB_LOGITS)},
    .support = GB_COUNT,
    .discrete = true,
    .log_prob = log_prob,
    .sample = sample,
    .ends = ends,
    .has = gb_chances_have,
    .cdf = cdf,
    .icdf = icdf,
    .mean = mean,
    .variance = variance,
    .mode = mode,
    .entropy = gb_chances_entropy,
    .enumerate = numbers,
    .measure = gb_chances_measure,
    .kl = pairs,
};
