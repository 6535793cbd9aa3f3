/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The gamma distribution with concentration df/2 and rate 1/2. */
#include "distributions/families/positive/exponential_impl.h"
#include "distributions/families/shared/gamma_impl.h"
#include "distributions/families/shared/slots_impl.h"
#include "distributions/kl.h"
#include "distributions/list.h"
#include "ops/elementwise.h"

static gb_dist as_gamma(const gb_dist *d)
{
    if (d->type != &gb_chi_squared_type)
        return gb_as_gamma(d);
    const gb_node concentration = gb_scale(d->param[0], 0.5), rate = gb_num(d->tape, 0.5);
    return (gb_dist){.type = &gb_gamma_type, .tape = d->tape, .param = {concentration, rate}};
}

static gb_gamma_law law(const gb_dist *d)
{
    const gb_dist gamma = as_gamma(d);
    return (gb_gamma_law){.concentration = gamma.param[0], .rate = gamma.param[1]};
}

static gb_node log_prob(const gb_dist *d, gb_node x)
{
    return gb_gamma_law_log_prob(d, x, law(d));
}

static gb_node rsample(const gb_dist *d, const gb_source *from)
{
    return gb_gamma_law_draw(d, from, law(d));
}

static gb_node cdf(const gb_dist *d, gb_node x)
{
    const gb_dist gamma = as_gamma(d);
    return gamma.type->cdf(&gamma, x);
}

static gb_node icdf(const gb_dist *d, gb_node u)
{
    const gb_dist gamma = as_gamma(d);
    return gamma.type->icdf(&gamma, u);
}

static gb_node survival(const gb_dist *d, gb_node x)
{
    const gb_dist gamma = as_gamma(d);
    return gamma.type->survival(&gamma, x);
}

static gb_node inverse_survival(const gb_dist *d, gb_node q)
{
    const gb_dist gamma = as_gamma(d);
    return gamma.type->inverse_survival(&gamma, q);
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
    const gb_dist gamma = as_gamma(d);
    return gamma.type->entropy(&gamma);
}

static gb_node kl(const gb_dist *q, const gb_dist *p)
{
    const gb_dist a = as_gamma(q), b = as_gamma(p);
    return gb_gamma_kl(&a, &b);
}

static const gb_kl_pair pairs[] = {{.q = &gb_chi_squared_type, .p = &gb_chi_squared_type, .kl = kl},
                                   {.q = &gb_chi_squared_type, .p = &gb_gamma_type, .kl = kl},
                                   {.q = &gb_gamma_type, .p = &gb_chi_squared_type, .kl = kl},
                                   {.q = &gb_chi_squared_type, .p = &gb_exponential_type, .kl = kl},
                                   {.q = &gb_exponential_type, .p = &gb_chi_squared_type, .kl = kl},
                                   {0}};

const gb_dist_type gb_chi_squared_type = {
    .size = sizeof(gb_dist_type),
    .name = "chi_squared",
    .formula = "(df/2 - 1) log x - x/2 - (df/2) log 2 - log Gamma(df/2)",
    .param = {GB_PARAMETER("df", GB_POSITIVE)},
    .support = GB_NON_NEGATIVE,
    .log_prob = log_prob,
    .rsample = rsample,
    .cdf = cdf,
    .icdf = icdf,
    .survival = survival,
    .inverse_survival = inverse_survival,
    .mean = gb_first_parameter,
    .variance = variance,
    .mode = mode,
    .entropy = entropy,
    .kl = pairs,
};
