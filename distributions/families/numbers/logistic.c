/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "distributions/families/shared/probability_impl.h"
#include "distributions/families/shared/slots_impl.h"
#include "distributions/list.h"
#include "ops/draws.h"
#include "ops/elementwise.h"

static gb_node log_prob(const gb_dist *d, gb_node x)
{
    const gb_node z = gb_to_standard(d, x);
    const gb_node both = gb_add(gb_log_sigmoid(z), gb_log_sigmoid(gb_neg(z)));
    return gb_sub(both, gb_log(d->param[1]));
}

static gb_node cdf(const gb_dist *d, gb_node x)
{
    return gb_sigmoid(gb_to_standard(d, x));
}

static gb_node icdf(const gb_dist *d, gb_node u)
{
    return gb_from_standard(d, gb_logit(u));
}

static gb_node rsample(const gb_dist *d, const gb_source *from)
{
    return icdf(d, gb_uniform_noise(from->noise, from->shape, from->axes));
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
    .param = {GB_PARAMETER_OR("loc", GB_REAL, 0), GB_PARAMETER_OR("scale", GB_POSITIVE, 1)},
    .support = GB_REAL,
    .log_prob = log_prob,
    .rsample = rsample,
    .cdf = cdf,
    .icdf = icdf,
    .survival = gb_symmetric_survival,
    .inverse_survival = gb_symmetric_inverse_survival,
    .mean = gb_first_parameter,
    .variance = variance,
    .mode = gb_first_parameter,
    .entropy = entropy,
};
