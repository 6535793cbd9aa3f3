/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A level 0 … K of K increasing cutpoints c: P(x ≤ k) = sigmoid(c_k − eta) (McCullagh 1980). */
#include <math.h>

#include "distributions/families/shared/probability_impl.h"
#include "distributions/kl.h"
#include "distributions/list.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/draws.h"
#include "ops/elementwise.h"

enum { ETA, CUTPOINTS };

static int64_t cutpoints(const gb_dist *d)
{
    return gb_shape_size(gb_node_shape(d->param[CUTPOINTS]), -1);
}

/* The log odds of x ≤ k, for each cutpoint. */
static gb_node log_odds(const gb_dist *d)
{
    return gb_sub(d->param[CUTPOINTS], gb_expand(d->param[ETA], -1));
}

static gb_node infinite_beside(gb_node x, double infinity)
{
    return gb_broadcast(gb_num(x.tape, infinity), gb_shape_replace(gb_node_shape(x), -1, 1));
}

/* For each level its lower and its upper end: the first and the last level have none. */
static gb_node lower_ends(gb_node x)
{
    return gb_concat(2, (const gb_node[]){infinite_beside(x, -INFINITY), x}, -1);
}

static gb_node upper_ends(gb_node x)
{
    return gb_concat(2, (const gb_node[]){x, infinite_beside(x, INFINITY)}, -1);
}

/* Of each level: sigmoid b − sigmoid a = sigmoid(b) sigmoid(−a) (1 − e^(a − b)), where b − a is a distance of
 * cutpoints. */
static gb_node log_probs(const gb_dist *d)
{
    const gb_node odds = log_odds(d), c = d->param[CUTPOINTS];
    const gb_node upper = gb_log_sigmoid(upper_ends(odds));
    const gb_node lower = gb_log_sigmoid(gb_neg(lower_ends(odds)));
    const gb_node gap = gb_sub(lower_ends(c), upper_ends(c));
    return gb_add(gb_add(upper, lower), gb_log1mexp(gap));
}

/* The same probabilities as those of categories. */
static gb_dist categories(const gb_dist *d)
{
    return (gb_dist){
        .type = &gb_categorical_type, .tape = d->tape, .param = {log_probs(d)}, .alternative = true};
}

/* `each` of that level which x is. */
static gb_node chosen(gb_node x, gb_node each)
{
    const gb_node count = gb_arange(x.tape, gb_shape_size(gb_node_shape(each), -1));
    const gb_node is_x = gb_equal(gb_expand(x, -1), count);
    return gb_nan_where(x, gb_sum_event(gb_where(is_x, each, gb_num(x.tape, 0)), 1));
}

static gb_node log_prob(const gb_dist *d, gb_node x)
{
    return chosen(x, log_probs(d));
}

static gb_node sample(const gb_dist *d, const gb_source *from)
{
    return gb_categorical_noise(from->noise, from->shape, from->axes, log_probs(d));
}

static gb_ends ends(const gb_dist *d)
{
    return (gb_ends){.high = gb_num(d->tape, (double)cutpoints(d))};
}

static gb_node cdf(const gb_dist *d, gb_node x)
{
    return chosen(x, gb_sigmoid(log_odds(d)));
}

/* The number of levels k < K with P(x ≤ k) < u. */
static gb_node icdf(const gb_dist *d, gb_node u)
{
    const gb_node below = gb_less(gb_sigmoid(log_odds(d)), gb_expand(u, -1));
    return gb_nan_where(u, gb_sum_event(gb_to_real(below), 1));
}

/* Σ P(x > k) */
static gb_node mean(const gb_dist *d)
{
    return gb_sum_event(gb_sigmoid(gb_neg(log_odds(d))), 1);
}

static gb_node variance(const gb_dist *d)
{
    return gb_dist_variance(categories(d));
}

static gb_node mode(const gb_dist *d)
{
    return gb_dist_mode(categories(d));
}

static gb_node entropy(const gb_dist *d)
{
    return gb_dist_entropy(categories(d));
}

static gb_node enumerate(const gb_dist *d)
{
    return gb_arange(d->tape, cutpoints(d) + 1);
}

static bool same_levels(const gb_dist *q, const gb_dist *p)
{
    return cutpoints(q) == cutpoints(p);
}

static gb_node kl(const gb_dist *q, const gb_dist *p)
{
    return gb_kl(categories(q), categories(p));
}

static const gb_kl_pair pairs[] = {
    {.q = &gb_ordered_logistic_type, .p = &gb_ordered_logistic_type, .kl = kl, .fits = same_levels}, {0}};

const gb_dist_type gb_ordered_logistic_type = {
    .size = sizeof(gb_dist_type),
    .name = "ordered_logistic",
    .formula = "log(sigmoid(cutpoints_x - eta) - sigmoid(cutpoints_(x - 1) - eta))",
    .param = {GB_PARAMETER("eta", GB_REAL), GB_PARAMETER("cutpoints", GB_ORDERED)},
    .support = GB_COUNT,
    .discrete = true,
    .log_prob = log_prob,
    .sample = sample,
    .ends = ends,
    .cdf = cdf,
    .icdf = icdf,
    .mean = mean,
    .variance = variance,
    .mode = mode,
    .entropy = entropy,
    .enumerate = enumerate,
    .kl = pairs,
};
