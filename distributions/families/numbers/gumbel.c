/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "distributions/families/shared/constants_impl.h"
#include "distributions/families/shared/slots_impl.h"
#include "distributions/kl.h"
#include "distributions/list.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/special.h"

/* For z < −750, e^−z is infinite. The bound keeps −∞ and +∞ from cancelling to NaN. */
static gb_node log_prob(const gb_dist *d, gb_node x)
{
    const gb_node z = gb_to_standard(d, x), linear = gb_max(z, gb_num(d->tape, -750));
    return gb_neg(gb_add(gb_add(linear, gb_exp(gb_neg(z))), gb_log(d->param[1])));
}

static gb_node rsample(const gb_dist *d, const gb_source *from)
{
    return gb_from_standard(d, gb_gumbel_noise(from->noise, from->shape, from->axes));
}

static gb_node cdf(const gb_dist *d, gb_node x)
{
    return gb_exp(gb_neg(gb_exp(gb_neg(gb_to_standard(d, x)))));
}

static gb_node icdf(const gb_dist *d, gb_node u)
{
    return gb_from_standard(d, gb_neg(gb_log(gb_neg(gb_log(u)))));
}

static gb_node survival(const gb_dist *d, gb_node x)
{
    return gb_neg(gb_expm1(gb_neg(gb_exp(gb_neg(gb_to_standard(d, x))))));
}

static gb_node inverse_survival(const gb_dist *d, gb_node q)
{
    return gb_from_standard(d, gb_neg(gb_log(gb_neg(gb_log1p(gb_neg(q))))));
}

static gb_node mean(const gb_dist *d)
{
    return gb_from_standard(d, gb_num(d->tape, GB_EULER));
}

static gb_node variance(const gb_dist *d)
{
    return gb_scale(gb_square(d->param[1]), GB_PI * GB_PI / 6);
}

static gb_node entropy(const gb_dist *d)
{
    return gb_shift(gb_log(d->param[1]), 1 + GB_EULER);
}

/* e^w − 1 − w + B(r, 1) with r = scale_q / scale_p, w = log Γ(1 + r) − (loc_q − loc_p) / scale_p, and the
 * Bregman divergence B of log Γ: nothing cancels. */
static gb_node kl(const gb_dist *q, const gb_dist *p)
{
    const gb_node r = gb_div(q->param[1], p->param[1]);
    const gb_node w = gb_sub(gb_lgamma(gb_shift(r, 1)), gb_to_standard(p, q->param[0]));
    return gb_add(gb_exp_excess(w), gb_log_gamma_bregman(r, gb_num(q->tape, 1)));
}

static const gb_kl_pair pairs[] = {{.q = &gb_gumbel_type, .p = &gb_gumbel_type, .kl = kl}, {0}};

const gb_dist_type gb_gumbel_type = {
    .size = sizeof(gb_dist_type),
    .name = "gumbel",
    .formula = "-z - e^-z - log scale, with z = (x - loc) / scale",
    .param = {GB_PARAMETER_OR("loc", GB_REAL, 0), GB_PARAMETER_OR("scale", GB_POSITIVE, 1)},
    .support = GB_REAL,
    .log_prob = log_prob,
    .rsample = rsample,
    .cdf = cdf,
    .icdf = icdf,
    .survival = survival,
    .inverse_survival = inverse_survival,
    .mean = mean,
    .variance = variance,
    .mode = gb_first_parameter,
    .entropy = entropy,
    .kl = pairs,
};
