/* SPDX-License-Identifier: GPL-3.0-or-later */
/* |x| of a Cauchy x around 0. */
#include <math.h>

#include "distributions/families/numbers/cauchy_impl.h"
#include "distributions/families/shared/slots_impl.h"
#include "distributions/list.h"
#include "ops/density.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/products/known_impl.h"

static gb_node log_prob(const gb_dist *d, gb_node x)
{
    const gb_node scale = d->param[0];
    return gb_neg(gb_add(gb_log1p_square(gb_div(x, scale)), gb_log(gb_scale(scale, GB_PI / 2))));
}

/* With the slopes of the angle of (scale, x), as in cauchy.c. */
static gb_node cdf(const gb_dist *d, gb_node x)
{
    const gb_node angle = gb_atan2(gb_div(x, d->param[0]), gb_num(d->tape, 1));
    return gb_scale(gb_with_value(angle, gb_atan2(x, d->param[0])), 2 / GB_PI);
}

static gb_node icdf(const gb_dist *d, gb_node u)
{
    const gb_node pole = gb_sub(gb_num(d->tape, 1), u);
    return gb_mul(d->param[0], gb_tan_pi(gb_scale(u, 0.5), gb_scale(pole, 0.5)));
}

static gb_node survival(const gb_dist *d, gb_node x)
{
    const gb_node angle = gb_atan2(gb_num(d->tape, 1), gb_div(x, d->param[0]));
    return gb_scale(gb_with_value(angle, gb_atan2(d->param[0], x)), 2 / GB_PI);
}

static gb_node inverse_survival(const gb_dist *d, gb_node q)
{
    const gb_node rest = gb_sub(gb_num(d->tape, 1), q);
    return gb_mul(d->param[0], gb_tan_pi(gb_scale(rest, 0.5), gb_scale(q, 0.5)));
}

static gb_node rsample(const gb_dist *d, const gb_source *from)
{
    return icdf(d, gb_uniform_noise(from->noise, from->shape, from->axes));
}

static gb_node infinite(const gb_dist *d)
{
    return gb_num(d->tape, INFINITY);
}

static gb_node entropy(const gb_dist *d)
{
    return gb_log(gb_scale(d->param[0], 2 * GB_PI));
}

const gb_dist_type gb_half_cauchy_type = {
    .size = sizeof(gb_dist_type),
    .name = "half_cauchy",
    .formula = "-log(1 + (x / scale)^2) - log(pi scale / 2)",
    .param = {GB_PARAMETER_OR("scale", GB_POSITIVE, 1)},
    .support = GB_NON_NEGATIVE,
    .log_prob = log_prob,
    .rsample = rsample,
    .cdf = cdf,
    .icdf = icdf,
    .survival = survival,
    .inverse_survival = inverse_survival,
    .mean = infinite,
    .variance = infinite,
    .mode = gb_always_zero,
    .entropy = entropy,
};
