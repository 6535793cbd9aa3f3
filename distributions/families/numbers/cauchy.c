/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "distributions/families/numbers/cauchy_impl.h"

#include <math.h>

#include "distributions/families/shared/constants_impl.h"
#include "distributions/families/shared/slots_impl.h"
#include "distributions/kl.h"
#include "distributions/list.h"
#include "ops/density.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/products/known_impl.h"

gb_node gb_tan_pi(gb_node v, gb_node from_pole)
{
    const gb_node a = gb_scale(v, GB_PI), b = gb_scale(from_pole, GB_PI);
    const gb_node inner = gb_div(gb_sin(a), gb_cos(a)), is_pole = gb_less(b, gb_num(v.tape, 1e-9));
    const gb_node outer = gb_where(is_pole, gb_reciprocal(b), gb_div(gb_cos(b), gb_sin(b)));
    return gb_where(gb_less(gb_abs(v), gb_num(v.tape, 0.25)), inner, gb_mul(gb_sign(v), outer));
}

static gb_node log_prob(const gb_dist *d, gb_node x)
{
    return gb_neg(gb_add(gb_log1p_square(gb_to_standard(d, x)), gb_log(gb_scale(d->param[1], GB_PI))));
}

/* The angle of (−z, 1) is small in the lower tail, so nothing cancels there. Its slopes are those of the
 * angle of (loc − x, scale): 1 / (1 + z²) may underflow where z / (1 + z²) does not. */
static gb_node cdf(const gb_dist *d, gb_node x)
{
    const gb_node one = gb_num(d->tape, 1), angle = gb_atan2(one, gb_neg(gb_to_standard(d, x)));
    const gb_node unscaled = gb_atan2(d->param[1], gb_sub(d->param[0], x));
    return gb_scale(gb_with_value(angle, unscaled), 1 / GB_PI);
}

static gb_node icdf(const gb_dist *d, gb_node u)
{
    const gb_node pole = gb_min(u, gb_sub(gb_num(d->tape, 1), u));
    return gb_from_standard(d, gb_tan_pi(gb_shift(u, -0.5), pole));
}

static gb_node rsample(const gb_dist *d, const gb_source *from)
{
    return icdf(d, gb_uniform_noise(from->noise, from->shape, from->axes));
}

static gb_node undefined(const gb_dist *d)
{
    return gb_num(d->tape, (double)NAN);
}

static gb_node entropy(const gb_dist *d)
{
    return gb_log(gb_scale(d->param[1], 4 * GB_PI));
}

/* log((s + t)² / 4 s t): of scales that are far apart by the logarithm of their ratio, since squares may
 * overflow. */
static gb_node of_scales(gb_node s, gb_node t)
{
    const gb_node l = gb_log_ratio(s, t), apart = gb_sub(s, t);
    const gb_node near = gb_log1p(gb_scale(gb_mul(gb_div(apart, s), gb_div(apart, t)), 0.25));
    const gb_node far = gb_shift(gb_add(gb_softplus(l), gb_softplus(gb_neg(l))), -2 * GB_LOG_TWO);
    return gb_where(gb_less(gb_abs(l), gb_num(l.tape, 1)), near, far);
}

/* log(1 + ((s_q − s_p)² + (loc_q − loc_p)²) / 4 s_q s_p) (Chyzak and Nielsen 2019), as a sum of a term for
 * the scales and log(1 + z²). */
static gb_node kl(const gb_dist *q, const gb_dist *p)
{
    const gb_node apart = gb_sub(q->param[0], p->param[0]), sum = gb_add(q->param[1], p->param[1]);
    return gb_add(of_scales(q->param[1], p->param[1]), gb_log1p_square(gb_div(apart, sum)));
}

static const gb_kl_pair pairs[] = {{.q = &gb_cauchy_type, .p = &gb_cauchy_type, .kl = kl}, {0}};

const gb_dist_type gb_cauchy_type = {
    .size = sizeof(gb_dist_type),
    .name = "cauchy",
    .formula = "-log(1 + ((x - loc) / scale)^2) - log(pi scale)",
    .param = {GB_PARAMETER_OR("loc", GB_REAL, 0), GB_PARAMETER_OR("scale", GB_POSITIVE, 1)},
    .support = GB_REAL,
    .log_prob = log_prob,
    .rsample = rsample,
    .cdf = cdf,
    .icdf = icdf,
    .survival = gb_symmetric_survival,
    .inverse_survival = gb_symmetric_inverse_survival,
    .mean = undefined,
    .variance = undefined,
    .mode = gb_first_parameter,
    .entropy = entropy,
    .kl = pairs,
};
