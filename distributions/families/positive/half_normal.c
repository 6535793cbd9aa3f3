/* SPDX-License-Identifier: GPL-3.0-or-later */
/* |x| of a normal x around 0. */
#include "distributions/families/shared/constants_impl.h"
#include "distributions/families/shared/slots_impl.h"
#include "distributions/kl.h"
#include "distributions/list.h"
#include "ops/draws.h"
#include "ops/elementwise.h"

static gb_node log_prob(const gb_dist *d, gb_node x)
{
    const gb_node scale = d->param[0], z = gb_div(x, scale);
    return gb_sub(gb_scale(gb_square(z), -0.5), gb_shift(gb_log(scale), GB_HALF_LOG_TWO_PI - GB_LOG_TWO));
}

static gb_node rsample(const gb_dist *d, const gb_source *from)
{
    return gb_mul(d->param[0], gb_abs(gb_normal_noise(from->noise, from->shape, from->axes)));
}

static gb_node cdf(const gb_dist *d, gb_node x)
{
    const double root_half = 0.707106781186547524400844362104849039;
    return gb_erf(gb_scale(gb_div(x, d->param[0]), root_half));
}

/* For small u, (1 − u)/2 loses digits of u. There by the series y + y³/6 + 7y⁵/120 + 127y⁷/5040 with
 * y = u √(π/2). */
static gb_node icdf(const gb_dist *d, gb_node u)
{
    const gb_node y = gb_scale(u, 1.25331413731550025120788264240552263), y2 = gb_square(y);
    gb_node factor = gb_shift(gb_scale(y2, 127.0 / 5040), 7.0 / 120);
    factor = gb_shift(gb_mul(factor, y2), 1.0 / 6);
    factor = gb_shift(gb_mul(factor, y2), 1);
    const gb_node above = gb_neg(gb_ndtri(gb_scale(gb_sub(gb_num(d->tape, 1), u), 0.5)));
    const gb_node is_small = gb_less(gb_abs(u), gb_num(d->tape, 0.01));
    return gb_mul(d->param[0], gb_where(is_small, gb_mul(y, factor), above));
}

static gb_node survival(const gb_dist *d, gb_node x)
{
    const double root_half = 0.707106781186547524400844362104849039;
    return gb_erfc(gb_scale(gb_div(x, d->param[0]), root_half));
}

static gb_node inverse_survival(const gb_dist *d, gb_node q)
{
    const gb_node far = gb_neg(gb_ndtri(gb_scale(q, 0.5))), is_near = gb_greater(q, gb_num(d->tape, 0.99));
    return gb_where(is_near, icdf(d, gb_sub(gb_num(d->tape, 1), q)), gb_mul(d->param[0], far));
}

static gb_node mean(const gb_dist *d)
{
    return gb_scale(d->param[0], 0.797884560802865355879892119868763737);
}

static gb_node variance(const gb_dist *d)
{
    return gb_scale(gb_square(d->param[0]), 1 - 2 / GB_PI);
}

static gb_node entropy(const gb_dist *d)
{
    return gb_shift(gb_log(d->param[0]), 0.5 + GB_HALF_LOG_TWO_PI - GB_LOG_TWO);
}

static gb_node kl(const gb_dist *q, const gb_dist *p)
{
    return gb_scale_divergence(q->param[0], p->param[0]);
}

static const gb_kl_pair pairs[] = {{.q = &gb_half_normal_type, .p = &gb_half_normal_type, .kl = kl}, {0}};

const gb_dist_type gb_half_normal_type = {
    .size = sizeof(gb_dist_type),
    .name = "half_normal",
    .formula = "-(x / scale)^2 / 2 - log scale + log(2 / pi) / 2",
    .param = {GB_PARAMETER_OR("scale", GB_POSITIVE, 1)},
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
    .kl = pairs,
};
