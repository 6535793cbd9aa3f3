/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The gamma distribution with concentration df/2 and rate 1/2. */
#include "distributions/families/shared/gamma_impl.h"
#include "distributions/kl.h"
#include "distributions/list.h"
#include "ops/elementwise.h"

static gb_node log_prob(const gb_dist *d, gb_node x)
{
    const gb_dist gamma = gb_as_gamma(d);
    return gamma.type->log_prob(&gamma, x);
}

static gb_node rsample(const gb_dist *d, const gb_source *from)
{
    const gb_dist gamma = gb_as_gamma(d);
    return gamma.type->rsample(&gamma, from);
}

static gb_node cdf(const gb_dist *d, gb_node x)
{
    const gb_dist gamma = gb_as_gamma(d);
    return gamma.type->cdf(&gamma, x);
}

static gb_node icdf(const gb_dist *d, gb_node u)
{
    const gb_dist gamma = gb_as_gamma(d);
    return gamma.type->icdf(&gamma, u);
}

static gb_node mean(const gb_dist *d)
{
    return d->param[0];
}

static gb_node variance(const gb_dist *d)
{
    return gb_scale(d->param[0], 2);
}

static gb_node mode(const gb_dist *d)
{
    return gb_relu(gb_shift(d->param[0], -2));
}

static gb_node entropy(const gb_dist *d)
{
    const gb_dist gamma = gb_as_gamma(d);
    return gamma.type->entropy(&gamma);
}

static const gb_kl_pair pairs[] = {
    {.q = &gb_chi_squared_type, .p = &gb_chi_squared_type, .kl = gb_kl_as_gamma},
    {.q = &gb_chi_squared_type, .p = &gb_gamma_type, .kl = gb_kl_as_gamma},
    {.q = &gb_gamma_type, .p = &gb_chi_squared_type, .kl = gb_kl_as_gamma},
    {.q = &gb_chi_squared_type, .p = &gb_exponential_type, .kl = gb_kl_as_gamma},
    {.q = &gb_exponential_type, .p = &gb_chi_squared_type, .kl = gb_kl_as_gamma},
    {0}};

const gb_dist_type gb_chi_squared_type = {
    .size = sizeof(gb_dist_type),
    .name = "chi_squared",
    .formula = "(df/2 - 1) log x - x/2 - (df/2) log 2 - log Gamma(df/2)",
    .param = {{"df", GB_POSITIVE}},
    .support = GB_NON_NEGATIVE,
    .log_prob = log_prob,
    .rsample = rsample,
    .cdf = cdf,
    .icdf = icdf,
    .mean = mean,
    .variance = variance,
    .mode = mode,
    .entropy = entropy,
    .kl = pairs,
};

gb_dist gb_chi_squared(gb_node df)
{
    return gb_dist_new(&gb_chi_squared_type, (const gb_node[]){df});
}
