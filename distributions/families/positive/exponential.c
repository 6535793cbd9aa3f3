/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "distributions/families/positive/exponential_impl.h"
#include "distributions/families/shared/gamma_impl.h"
#include "distributions/families/shared/slots_impl.h"
#include "distributions/kl.h"
#include "distributions/list.h"
#include "ops/draws.h"
#include "ops/elementwise.h"

static gb_node log_prob(const gb_dist *d, gb_node x)
{
    return gb_sub(gb_log(d->param[0]), gb_mul(d->param[0], x));
}

static gb_node rsample(const gb_dist *d, const gb_source *from)
{
    return gb_div(gb_exponential_noise(from->noise, from->shape, from->axes), d->param[0]);
}

static gb_node cdf(const gb_dist *d, gb_node x)
{
    return gb_neg(gb_expm1(gb_neg(gb_mul(d->param[0], x))));
}

static gb_node icdf(const gb_dist *d, gb_node u)
{
    return gb_div(gb_neg(gb_log1p(gb_neg(u))), d->param[0]);
}

static gb_node survival(const gb_dist *d, gb_node x)
{
    return gb_exp(gb_neg(gb_mul(d->param[0], x)));
}

static gb_node inverse_survival(const gb_dist *d, gb_node q)
{
    return gb_div(gb_neg(gb_log(q)), d->param[0]);
}

static gb_node mean(const gb_dist *d)
{
    return gb_reciprocal(d->param[0]);
}

static gb_node variance(const gb_dist *d)
{
    return gb_square(mean(d));
}

static gb_node entropy(const gb_dist *d)
{
    return gb_sub(gb_num(d->tape, 1), gb_log(d->param[0]));
}

/* The derivative of the density is (the density − that of the sum of two draws) / rate. */
static bool measure(const gb_dist *d, size_t which, int64_t element, gb_measure *m)
{
    (void)which, (void)element;
    *m = (gb_measure){.coefficient = mean(d), .plus = *d, .minus = gb_gamma(gb_num(d->tape, 2), d->param[0])};
    return true;
}

static bool couple(const gb_dist *d, size_t which, int64_t element, const gb_source *from, gb_node *plus,
                   gb_node *minus)
{
    (void)which, (void)element;
    *plus = rsample(d, from);
    *minus = gb_add(*plus, rsample(d, from));
    return true;
}

/* ---- divergences ---- */

static gb_node kl(const gb_dist *q, const gb_dist *p)
{
    return gb_ratio_excess(p->param[0], q->param[0]);
}

gb_dist gb_as_gamma(const gb_dist *d)
{
    if (d->type != &gb_exponential_type)
        return *d;
    const gb_node one = gb_num(d->tape, 1);
    return (gb_dist){.type = &gb_gamma_type, .tape = d->tape, .param = {one, d->param[0]}};
}

static gb_node kl_as_gamma(const gb_dist *q, const gb_dist *p)
{
    const gb_dist a = gb_as_gamma(q), b = gb_as_gamma(p);
    return gb_gamma_kl(&a, &b);
}

static const gb_kl_pair pairs[] = {{.q = &gb_exponential_type, .p = &gb_exponential_type, .kl = kl},
                                   {.q = &gb_gamma_type, .p = &gb_exponential_type, .kl = kl_as_gamma},
                                   {.q = &gb_exponential_type, .p = &gb_gamma_type, .kl = kl_as_gamma},
                                   {0}};

const gb_dist_type gb_exponential_type = {
    .size = sizeof(gb_dist_type),
    .name = "exponential",
    .formula = "log rate - rate x",
    .param = {GB_PARAMETER("rate", GB_POSITIVE)},
    .support = GB_NON_NEGATIVE,
    .log_prob = log_prob,
    .rsample = rsample,
    .cdf = cdf,
    .icdf = icdf,
    .survival = survival,
    .inverse_survival = inverse_survival,
    .mean = mean,
    .variance = variance,
    .mode = gb_always_zero,
    .entropy = entropy,
    .measure = measure,
    .couple = couple,
    .kl = pairs,
};
