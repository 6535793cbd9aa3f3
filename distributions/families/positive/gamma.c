/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/op.h"
#include "distributions/families/shared/gamma_impl.h"
#include "distributions/kl.h"
#include "distributions/list.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/special.h"

static gb_gamma_law law(const gb_dist *d)
{
    return (gb_gamma_law){.concentration = d->param[0], .rate = d->param[1]};
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
    return gb_gamma_p(d->param[0], gb_mul(d->param[1], x));
}

static gb_node icdf(const gb_dist *d, gb_node u)
{
    return gb_div(gb_gamma_p_inverse(d->param[0], u), d->param[1]);
}

static gb_node survival(const gb_dist *d, gb_node x)
{
    return gb_gamma_q(d->param[0], gb_mul(d->param[1], x));
}

static gb_node inverse_survival(const gb_dist *d, gb_node q)
{
    return gb_div(gb_gamma_q_inverse(d->param[0], q), d->param[1]);
}

static gb_node mean(const gb_dist *d)
{
    return gb_div(d->param[0], d->param[1]);
}

static gb_node variance(const gb_dist *d)
{
    return gb_div(mean(d), d->param[1]);
}

static gb_node mode(const gb_dist *d)
{
    return gb_div(gb_relu(gb_shift(d->param[0], -1)), d->param[1]);
}

static gb_node entropy(const gb_dist *d)
{
    return gb_sub(gb_gamma_entropy(d->param[0]), gb_log(d->param[1]));
}

/* The derivative in rate is the density times concentration / rate − x. */
static bool measure(const gb_dist *d, size_t which, int64_t element, gb_measure *measure)
{
    (void)element;
    if (which != 1)
        return false;
    *measure = (gb_measure){.coefficient = mean(d),
                            .plus = gb_gamma(d->param[0], d->param[1]),
                            .minus = gb_gamma(gb_shift(d->param[0], 1), d->param[1])};
    return true;
}

/* Adding an exponential draw raises the concentration by 1. */
static bool couple(const gb_dist *d, size_t which, int64_t element, const gb_source *from, gb_node *plus,
                   gb_node *minus)
{
    (void)element;
    if (which != 1)
        return false;
    *plus = rsample(d, from);
    *minus = gb_add(*plus, gb_div(gb_exponential_noise(from->noise, from->shape, from->axes), d->param[1]));
    return true;
}

static const gb_kl_pair pairs[] = {{.q = &gb_gamma_type, .p = &gb_gamma_type, .kl = gb_gamma_kl}, {0}};

const gb_dist_type gb_gamma_type = {
    .size = sizeof(gb_dist_type),
    .name = "gamma",
    .formula = "concentration log rate + (concentration - 1) log x - rate x - log Gamma(concentration)",
    .param = {GB_PARAMETER("concentration", GB_POSITIVE), GB_PARAMETER("rate", GB_POSITIVE)},
    .support = GB_NON_NEGATIVE,
    .log_prob = log_prob,
    .rsample = rsample,
    .cdf = cdf,
    .icdf = icdf,
    .survival = survival,
    .inverse_survival = inverse_survival,
    .mean = mean,
    .variance = variance,
    .mode = mode,
    .entropy = entropy,
    .measure = measure,
    .couple = couple,
    .kl = pairs,
};
