/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "distributions/list.h"
#include "ops/draws.h"
#include "ops/elementwise.h"

static gb_node standard(const gb_dist *d, gb_node x)
{
    return gb_div(gb_sub(x, d->param[0]), d->param[1]);
}

static gb_node log_prob(const gb_dist *d, gb_node x)
{
    const gb_node z = standard(d, x);
    const gb_node both = gb_add(gb_log_sigmoid(z), gb_log_sigmoid(gb_neg(z)));
    return gb_sub(both, gb_log(d->param[1]));
}

static gb_node cdf(const gb_dist *d, gb_node x)
{
    return gb_sigmoid(standard(d, x));
}

static gb_node icdf(const gb_dist *d, gb_node u)
{
    const gb_node logit = gb_sub(gb_log(u), gb_log1p(gb_neg(u)));
    return gb_add(d->param[0], gb_mul(d->param[1], logit));
}

static gb_node rsample(const gb_dist *d, const gb_source *from)
{
    return icdf(d, gb_uniform_noise(from->noise, from->shape, from->axes));
}

static gb_node mean(const gb_dist *d)
{
    return d->param[0];
}

static gb_node variance(const gb_dist *d)
{
    return gb_scale(gb_square(d->param[1]), GB_PI * GB_PI / 3);
}

static gb_node entropy(const gb_dist *d)
{
    return gb_shift(gb_log(d->param[1]), 2);
}

const gb_dist_type gb_logistic_type = {
    .size = sizeof(gb_dist_type),
    .name = "logistic",
    .formula = "log s(z) + log s(-z) - log scale, with z = (x - loc) / scale and s(z) = 1 / (1 + e^-z)",
    .param = {{"loc", GB_REAL}, {"scale", GB_POSITIVE}},
    .support = GB_REAL,
    .log_prob = log_prob,
    .rsample = rsample,
    .cdf = cdf,
    .icdf = icdf,
    .mean = mean,
    .variance = variance,
    .mode = mean,
    .entropy = entropy,
};
