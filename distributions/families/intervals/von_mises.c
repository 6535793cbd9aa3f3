/* SPDX-License-Identifier: GPL-3.0-or-later */
/* On the circle [−π, π]. The mean and the variance of an angle depend on where the circle is cut, so there
 * are none here. The mode is the direction. */
#include "distributions/families/shared/constants_impl.h"
#include "distributions/families/shared/draw_impl.h"
#include "distributions/families/shared/slots_impl.h"
#include "distributions/kl.h"
#include "distributions/law/own_draw_impl.h"
#include "distributions/list.h"
#include "ops/control.h"
#include "ops/density.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/special.h"

static const double TWO_PI = 6.283185307179586476925286766559005768;
/* ---- the circle ---- */

static gb_node turns(gb_node x)
{
    return gb_floor(gb_scale(gb_shift(x, GB_PI), 1 / TWO_PI));
}

static gb_node wrapped(gb_node x)
{
    return gb_clip(gb_sub(x, gb_scale(turns(x), TWO_PI)), -GB_PI, GB_PI);
}

static gb_node less_cosine(gb_node x)
{
    return gb_scale(gb_square(gb_sin(gb_scale(x, 0.5))), 2);
}

/* ---- the distribution ---- */

/* log(e^−κ I₀(κ)), by its first terms near κ = 0. Its derivative is I₁/I₀ − 1, without cancellation. */
static gb_node log_i0e(gb_node kappa)
{
    const gb_node few = gb_sub(gb_scale(gb_square(kappa), 0.25), kappa);
    const gb_node value = gb_where(gb_less(kappa, gb_num(kappa.tape, 1e-5)), few, gb_log(gb_i0e(kappa)));
    return gb_inject(gb_stop(value), kappa, gb_log_i0e_slope(kappa));
}

static gb_node log_prob(const gb_dist *d, gb_node x)
{
    const gb_node loc = d->param[0], kappa = d->param[1];
    const gb_node y = gb_standard_of(d, x, loc, gb_num(d->tape, 1));
    const gb_node exponent = gb_mul(kappa, less_cosine(y));
    return gb_neg(gb_add(exponent, gb_shift(log_i0e(kappa), GB_LOG_TWO_PI)));
}

static gb_node rsample(const gb_dist *d, const gb_source *from)
{
    const gb_node kappa = d->param[1];
    const gb_node y = gb_von_mises_noise(from->noise, from->shape, from->axes, kappa);
    const gb_node slope = gb_von_mises_draw_slope(kappa, y);
    const gb_node turned = gb_implicit_draw(y, 1, &kappa, &slope);
    return gb_drawn(d, wrapped(gb_add(d->param[0], turned)), turned);
}

/* P(0 < y ≤ x) over several turns of the circle: a whole number, and a part that is small in both tails. */
typedef struct mass {
    gb_node whole, part;
} mass;

static mass mass_up_to(gb_node kappa, gb_node x)
{
    const gb_node at = wrapped(x), zero = gb_num(x.tape, 0), is_right = gb_greater(at, zero);
    const gb_node tail = gb_von_mises_cdf(kappa, gb_where(is_right, gb_neg(at), at));
    return (mass){gb_add(turns(x), gb_to_real(is_right)), gb_where(is_right, gb_neg(tail), tail)};
}

static gb_node cdf(const gb_dist *d, gb_node x)
{
    const gb_node loc = d->param[0], kappa = d->param[1], start = gb_num(d->tape, -GB_PI);
    const mass to = mass_up_to(kappa, gb_sub(x, loc)), before = mass_up_to(kappa, gb_sub(start, loc));
    return gb_add(gb_sub(to.whole, before.whole), gb_sub(to.part, before.part));
}

static gb_node mode(const gb_dist *d)
{
    return wrapped(d->param[0]);
}

/* The derivatives of the two terms cancel for small κ. That of the sum is κ times that of the spread. */
static gb_node entropy(const gb_dist *d)
{
    const gb_node kappa = d->param[1];
    const gb_node value =
        gb_add(gb_shift(log_i0e(kappa), GB_LOG_TWO_PI), gb_mul(kappa, gb_von_mises_spread(kappa)));
    return gb_inject(gb_stop(value), kappa, gb_mul(kappa, gb_von_mises_spread_slope(kappa)));
}

/* I₁(κ) / I₀(κ), with all digits at both ends. */
static gb_node mean_cosine(gb_node kappa)
{
    const gb_node rest = gb_shift(gb_neg(gb_von_mises_spread(kappa)), 1);
    return gb_where(gb_less(kappa, gb_num(kappa.tape, 1)), gb_div(gb_i1e(kappa), gb_i0e(kappa)), rest);
}

/* The Bregman divergence of log I₀ between the concentrations. Its slope in c is the difference of the mean
 * cosines, or where that would cancel of their distances from 1. */
static gb_node of_concentrations(gb_node c, gb_node a)
{
    const gb_node of_means = gb_sub(mean_cosine(c), mean_cosine(a));
    const gb_node of_spreads = gb_sub(gb_von_mises_spread(a), gb_von_mises_spread(c));
    const gb_node is_small = gb_less(gb_max(c, a), gb_num(c.tape, 1));
    const gb_node in_c = gb_where(is_small, of_means, of_spreads);
    const gb_node in_a = gb_mul(gb_sub(c, a), gb_von_mises_spread_slope(a));
    return gb_inject(gb_inject(gb_stop(gb_von_mises_bregman(c, a)), c, in_c), a, in_a);
}

/* The divergence between the concentrations, plus a term for the directions. */
static gb_node kl_von_mises_von_mises(const gb_dist *q, const gb_dist *p)
{
    const gb_node kappa = q->param[1], other = p->param[1];
    const gb_node apart = less_cosine(gb_sub(q->param[0], p->param[0]));
    return gb_add(of_concentrations(other, kappa), gb_mul(gb_mul(other, mean_cosine(kappa)), apart));
}

static const gb_kl_pair pairs[] = {
    {.q = &gb_von_mises_type, .p = &gb_von_mises_type, .kl = kl_von_mises_von_mises}, {0}};

const gb_dist_type gb_von_mises_type = {
    .size = sizeof(gb_dist_type),
    .name = "von_mises",
    .formula = "concentration cos(x - loc) - log(2 pi I0(concentration))",
    .param = {GB_PARAMETER_OR("loc", GB_REAL, 0), GB_PARAMETER("concentration", GB_NON_NEGATIVE)},
    .support = GB_CIRCLE,
    .log_prob = log_prob,
    .rsample = rsample,
    .cdf = cdf,
    .mode = mode,
    .entropy = entropy,
    .kl = pairs,
};
