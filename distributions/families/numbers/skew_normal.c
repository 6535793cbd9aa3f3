/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A normal density times Φ(shape z) (Azzalini 1985). With δ = shape / √(1 + shape²) a draw is
 * δ |u| + √(1 − δ²) v of two normal numbers u and v. */
#include "distributions/families/shared/constants_impl.h"
#include "distributions/families/shared/slots_impl.h"
#include "distributions/list.h"
#include "ops/control.h"
#include "ops/draws.h"
#include "ops/elementwise.h"

enum { LOC, SCALE, SHAPE };

static const double root_of_two_by_pi = 0.797884560802865355879892119868763737;

/* δ and √(1 − δ²), of numbers of size 1: the square of a large shape would overflow. */
static void direction_of(const gb_dist *d, gb_node *delta, gb_node *rest)
{
    const gb_node size = gb_stop(gb_max(gb_abs(d->param[SHAPE]), gb_num(d->tape, 1)));
    const gb_node x = gb_div(d->param[SHAPE], size), one = gb_reciprocal(size);
    const gb_node length = gb_rsqrt(gb_add(gb_square(x), gb_square(one)));
    *delta = gb_mul(x, length);
    *rest = gb_mul(one, length);
}

static gb_node log_prob(const gb_dist *d, gb_node x)
{
    const gb_node z = gb_to_standard(d, x), half = gb_scale(gb_square(z), 0.5);
    const gb_node log_share = gb_shift(gb_log_ndtr(gb_chain(d->param[SHAPE], z)), GB_LOG_TWO);
    const gb_node log_scale = gb_shift(gb_log(d->param[SCALE]), GB_HALF_LOG_TWO_PI);
    return gb_sub(log_share, gb_add(half, log_scale));
}

static gb_node rsample(const gb_dist *d, const gb_source *from)
{
    gb_node delta, rest;
    direction_of(d, &delta, &rest);
    const gb_node u = gb_abs(gb_normal_noise(from->noise, from->shape, from->axes));
    const gb_node v = gb_normal_noise(from->noise, from->shape, from->axes);
    return gb_from_standard(d, gb_add(gb_mul(delta, u), gb_mul(rest, v)));
}

static gb_node mean(const gb_dist *d)
{
    gb_node delta, rest;
    direction_of(d, &delta, &rest);
    return gb_add(d->param[LOC], gb_mul(d->param[SCALE], gb_scale(delta, root_of_two_by_pi)));
}

static gb_node variance(const gb_dist *d)
{
    gb_node delta, rest;
    direction_of(d, &delta, &rest);
    const gb_node less = gb_scale(gb_square(delta), -2 / GB_PI);
    return gb_mul(gb_square(d->param[SCALE]), gb_shift(less, 1));
}

const gb_dist_type gb_skew_normal_type = {
    .size = sizeof(gb_dist_type),
    .name = "skew_normal",
    .formula = "log(2 Phi(shape z) phi(z) / scale) with z = (x - loc) / scale",
    .param = {GB_PARAMETER_OR("loc", GB_REAL, 0), GB_PARAMETER_OR("scale", GB_POSITIVE, 1),
              GB_PARAMETER_OR("shape", GB_REAL, 0)},
    .support = GB_REAL,
    .log_prob = log_prob,
    .rsample = rsample,
    .mean = mean,
    .variance = variance,
};
