/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The prior of Blundell, Cornebise, Kavukcuoglu and Wierstra 2015: a mixture of two normals around 0, a wide
 * one for weights that matter and a narrow one for the others. */
#include "distributions/families/shared/constants_impl.h"
#include "distributions/families/shared/slots_impl.h"
#include "distributions/list.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/hold.h"

enum { PROB, SCALE_1, SCALE_2 };

static gb_node other(const gb_dist *d)
{
    return gb_sub(gb_num(d->tape, 1), d->param[PROB]);
}

static gb_node log_of_one(gb_node log_weight, gb_node x, gb_node scale)
{
    const gb_node half_square = gb_scale(gb_square(gb_div(x, scale)), 0.5);
    return gb_sub(gb_sub(log_weight, gb_log(scale)), half_square);
}

static gb_node by_logs(const gb_dist *d, gb_node prob, gb_node x)
{
    const gb_node first = log_of_one(gb_log(prob), x, d->param[SCALE_1]);
    const gb_node second = log_of_one(gb_log1p(gb_neg(prob)), x, d->param[SCALE_2]);
    return gb_logaddexp(first, second);
}

/* Where prob is 0 or 1 one of the logarithms has no derivative, but the sum has. There the one density that
 * counts is taken out. */
static gb_node at_end(const gb_dist *d, gb_node is_one, gb_node x)
{
    const gb_node zero = gb_num(d->tape, 0), rest = gb_where(is_one, other(d), d->param[PROB]);
    const gb_node first = log_of_one(zero, x, d->param[SCALE_1]),
                  second = log_of_one(zero, x, d->param[SCALE_2]);
    const gb_node apart = gb_sub(first, second), ratio = gb_expm1(gb_where(is_one, gb_neg(apart), apart));
    return gb_add(gb_where(is_one, first, second), gb_log1p(gb_chain(rest, ratio)));
}

static bool is_known_inside(gb_node prob)
{
    const gb_range range = gb_node_range(prob);
    return (range.low > 0 || (range.low == 0 && range.above)) &&
           (range.high < 1 || (range.high == 1 && range.below));
}

static gb_node log_prob(const gb_dist *d, gb_node x)
{
    const gb_node prob = d->param[PROB];
    if (is_known_inside(prob))
        return gb_shift(by_logs(d, prob, x), -GB_HALF_LOG_TWO_PI);
    const gb_node is_one = gb_equal(prob, gb_num(d->tape, 1));
    const gb_node is_end = gb_or(gb_equal(prob, gb_num(d->tape, 0)), is_one);
    const gb_node inside = by_logs(d, gb_where(is_end, gb_num(d->tape, 0.5), prob), x);
    return gb_shift(gb_where(is_end, at_end(d, is_one, x), inside), -GB_HALF_LOG_TWO_PI);
}

static gb_node sample(const gb_dist *d, const gb_source *from)
{
    const gb_node first = gb_bernoulli_noise(from->noise, from->shape, from->axes, d->param[PROB]);
    const gb_node is_first = gb_greater(first, gb_num(d->tape, 0.5));
    const gb_node scale = gb_where(is_first, d->param[SCALE_1], d->param[SCALE_2]);
    return gb_mul(scale, gb_normal_noise(from->noise, from->shape, from->axes));
}

static gb_node weighted(const gb_dist *d, gb_node first, gb_node second)
{
    return gb_add(gb_mul(d->param[PROB], first), gb_mul(other(d), second));
}

static gb_node cdf(const gb_dist *d, gb_node x)
{
    return weighted(d, gb_ndtr(gb_div(x, d->param[SCALE_1])), gb_ndtr(gb_div(x, d->param[SCALE_2])));
}

static gb_node variance(const gb_dist *d)
{
    return weighted(d, gb_square(d->param[SCALE_1]), gb_square(d->param[SCALE_2]));
}

const gb_dist_type gb_scale_mixture_type = {
    .size = sizeof(gb_dist_type),
    .name = "scale_mixture",
    .formula = "log(prob N(x; 0, scale_1) + (1 - prob) N(x; 0, scale_2))",
    .param = {GB_PARAMETER("prob", GB_UNIT), GB_PARAMETER("scale_1", GB_POSITIVE),
              GB_PARAMETER("scale_2", GB_POSITIVE)},
    .support = GB_REAL,
    .log_prob = log_prob,
    .sample = sample,
    .cdf = cdf,
    .mean = gb_always_zero,
    .variance = variance,
    .mode = gb_always_zero,
};
