/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "distributions/families/shared/draw_impl.h"
#include "distributions/families/shared/probability_impl.h"
#include "distributions/kl.h"
#include "distributions/list.h"
#include "distributions/transforms.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/quantile.h"
#include "ops/special.h"

static gb_node rate(const gb_dist *d)
{
    return d->alternative ? gb_exp(d->param[0]) : d->param[0];
}

/* A small e^log_rate has underflowed where its logarithm has not. */
static gb_node log_prob(const gb_dist *d, gb_node x)
{
    const gb_node log_rate = d->alternative ? d->param[0] : gb_log(d->param[0]);
    return gb_log_poisson(x, rate(d), log_rate);
}

/* `count`, but infinite where the rate overflows. */
static gb_node where_finite(const gb_dist *d, gb_node count)
{
    const gb_node most = gb_num(d->tape, INFINITY);
    return d->alternative ? gb_where(gb_less(rate(d), most), count, most) : count;
}

static gb_node sample(const gb_dist *d, const gb_source *from)
{
    const gb_node finite = d->alternative ? gb_positive_draw(d->param[0]) : d->param[0];
    return where_finite(d, gb_poisson_noise(from->noise, from->shape, from->axes, finite));
}

static gb_node cdf(const gb_dist *d, gb_node x)
{
    const gb_node shape = gb_shift(x, 1);
    return gb_by_tails(gb_gamma_q(shape, rate(d)), gb_gamma_p(shape, rate(d)));
}

static gb_node icdf(const gb_dist *d, gb_node u)
{
    return where_finite(d, gb_poisson_quantile(rate(d), u));
}

static gb_node mode(const gb_dist *d)
{
    return gb_floor(rate(d));
}

/* ∂E[f]/∂rate = E[f(x + 1)] − E[f(x)], and ∂/∂log rate = rate ∂/∂rate */
static bool measure(const gb_dist *d, size_t which, int64_t element, gb_measure *measure)
{
    const gb_node one = gb_num(d->tape, 1);
    if (which != 0 || element != 0)
        return false;
    const gb_node coefficient = d->alternative ? rate(d) : one;
    *measure = (gb_measure){coefficient, gb_transformed(*d, gb_affine_transform(one, one)), *d};
    return gb_dist_ok(measure->plus);
}

static bool couple(const gb_dist *d, size_t which, int64_t element, const gb_source *from, gb_node *plus,
                   gb_node *minus)
{
    if (which != 0 || element != 0)
        return false;
    *minus = sample(d, from);
    *plus = gb_shift(*minus, 1);
    return true;
}

static gb_node kl(const gb_dist *q, const gb_dist *p)
{
    return gb_deviance(rate(q), rate(p));
}

static const gb_kl_pair pairs[] = {{.q = &gb_poisson_type, .p = &gb_poisson_type, .kl = kl}, {0}};

const gb_dist_type gb_poisson_type = {
    .size = sizeof(gb_dist_type),
    .name = "poisson",
    .formula = "x log rate - rate - log x!",
    .param = {GB_PARAMETER("rate", GB_NON_NEGATIVE)},
    .alternative = {GB_PARAMETER("log_rate", GB_REAL)},
    .support = GB_COUNT,
    .discrete = true,
    .log_prob = log_prob,
    .sample = sample,
    .cdf = cdf,
    .icdf = icdf,
    .mean = rate,
    .variance = rate,
    .mode = mode,
    .measure = measure,
    .couple = couple,
    .kl = pairs,
};
