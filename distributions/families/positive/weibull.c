/* SPDX-License-Identifier: GPL-3.0-or-later */
/* (x / scale)^concentration is an exponential draw. Where a variance or a second derivative overflows, to ∞,
 * its own derivatives are NaN. */
#include "core/op.h"
#include "distributions/families/shared/constants_impl.h"
#include "distributions/families/shared/draw_impl.h"
#include "distributions/families/shared/gamma_impl.h"
#include "distributions/kl.h"
#include "distributions/law/own_draw_impl.h"
#include "distributions/list.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/products/known_impl.h"
#include "ops/special.h"

static gb_node log_ratio(const gb_dist *d, gb_node x)
{
    return gb_sub(gb_log(x), gb_log(d->param[1]));
}

/* (x / scale)^concentration, by the logarithm where the ratio is 0, or its third power, as second derivatives
 * have it, could underflow or overflow. */
static gb_node power(const gb_dist *d, gb_node x)
{
    const gb_node k = d->param[0], l = log_ratio(d, x);
    const double most = gb_tape_real(d->tape) == GB_FLOAT ? 20 : 69;
    const gb_node moderate = gb_less(gb_abs(l), gb_num(d->tape, most)),
                  linear = gb_equal(k, gb_num(d->tape, 1));
    const gb_node of_ratio = gb_pow(gb_div(x, d->param[1]), k);
    return gb_where(gb_or(moderate, linear), of_ratio, gb_exp(gb_mul(k, l)));
}

/* Of a large concentration, draws are near the scale. */
static gb_node is_narrow(const gb_dist *d)
{
    return gb_greater(d->param[0], gb_num(d->tape, 1));
}

/* Of an own draw that was made from the logarithm of an exponential one. */
static gb_node rest_by_source(const gb_dist *d, gb_node x, gb_node log_e, bool held)
{
    const gb_node k = d->param[0];
    const gb_node ratio = gb_by_source(gb_div(log_e, k), log_ratio(d, x), held);
    const gb_node l = gb_by_source(log_e, gb_mul(k, ratio), held);
    return gb_sub(gb_sub(l, gb_div(l, k)), gb_exp(l));
}

static gb_node log_prob(const gb_dist *d, gb_node x)
{
    bool held;
    const gb_node k = d->param[0], scale = d->param[1], source = gb_source_of(d, x, &held);
    const gb_node rest = gb_node_ok(source) ? rest_by_source(d, x, source, held)
                                            : gb_sub(gb_chain(gb_shift(k, -1), log_ratio(d, x)), power(d, x));
    return gb_add(gb_sub(gb_log(k), gb_log(scale)), rest);
}

static gb_node from_exponential(const gb_dist *d, gb_node e)
{
    return gb_mul(d->param[1], gb_pow(e, gb_reciprocal(d->param[0])));
}

static gb_node rsample(const gb_dist *d, const gb_source *from)
{
    const gb_node log_e = gb_log(gb_exponential_noise(from->noise, from->shape, from->axes));
    const gb_node scale = d->param[1], log_ratio = gb_div(log_e, d->param[0]);
    const gb_node factor = gb_where(is_narrow(d), scale, gb_num(d->tape, 1));
    const gb_node offset = gb_where(is_narrow(d), gb_num(d->tape, 0), gb_log(scale));
    const gb_node x = gb_mul(factor, gb_positive_draw(gb_add(offset, log_ratio)));
    return gb_drawn(d, gb_positive_number(x), log_e);
}

static gb_node cdf(const gb_dist *d, gb_node x)
{
    return gb_neg(gb_expm1(gb_neg(power(d, x))));
}

static gb_node icdf(const gb_dist *d, gb_node u)
{
    return from_exponential(d, gb_neg(gb_log1p(gb_neg(u))));
}

static gb_node survival(const gb_dist *d, gb_node x)
{
    return gb_exp(gb_neg(power(d, x)));
}

static gb_node inverse_survival(const gb_dist *d, gb_node q)
{
    return from_exponential(d, gb_neg(gb_log(q)));
}

/* log E[x / scale] = log Γ(1 + 1/k). */
static gb_node log_mean(const gb_dist *d)
{
    return gb_lgamma(gb_shift(gb_reciprocal(d->param[0]), 1));
}

static gb_node mean(const gb_dist *d)
{
    return gb_mul(d->param[1], gb_exp(log_mean(d)));
}

static gb_node variance(const gb_dist *d)
{
    const gb_node bend = gb_log_gamma_bend(gb_num(d->tape, 1), gb_reciprocal(d->param[0]));
    return gb_mul(gb_square(d->param[1]), gb_variance_of_logs(log_mean(d), bend));
}

static gb_node mode(const gb_dist *d)
{
    const gb_node k = d->param[0], one = gb_num(d->tape, 1);
    const gb_node of_bell = from_exponential(d, gb_div(gb_shift(k, -1), k));
    return gb_where(gb_greater(k, one), of_bell, gb_num(d->tape, 0));
}

static gb_node entropy(const gb_dist *d)
{
    const gb_node k = d->param[0], less = gb_scale(gb_div(gb_shift(k, -1), k), GB_EULER);
    return gb_shift(gb_add(less, gb_log(gb_div(d->param[1], k))), 1);
}

/* Bauckhage 2013, with r = k_p / k_q and w = log E_q[(x / scale_p)^k_p] as e^w − 1 − w + B(r, 1), where B is
 * the Bregman divergence of log Γ: nothing cancels. */
static gb_node kl_weibull_weibull(const gb_dist *q, const gb_dist *p)
{
    const gb_node r = gb_div(p->param[0], q->param[0]);
    const gb_node scales = gb_mul(p->param[0], gb_log_ratio(q->param[1], p->param[1]));
    const gb_node w = gb_add(scales, gb_lgamma(gb_shift(r, 1)));
    return gb_add(gb_exp_excess(w), gb_log_gamma_bregman(r, gb_num(q->tape, 1)));
}

/* log k − γ − 1 + concentration (log E[x] − E[log x]), less the density of a gamma draw at E[x]. */
static gb_node kl_weibull_gamma(const gb_dist *q, const gb_dist *p)
{
    const gb_node one = gb_num(q->tape, 1);
    const gb_node gap = gb_log_gamma_bregman(gb_shift(gb_reciprocal(q->param[0]), 1), one);
    const gb_node density = gb_log_gamma_kernel(p->param[0], gb_mul(p->param[1], mean(q)));
    const gb_node of_shapes = gb_sub(gb_mul(p->param[0], gap), density);
    return gb_add(gb_shift(gb_log(q->param[0]), -GB_EULER - 1), of_shapes);
}

static const gb_kl_pair pairs[] = {{.q = &gb_weibull_type, .p = &gb_weibull_type, .kl = kl_weibull_weibull},
                                   {.q = &gb_weibull_type, .p = &gb_gamma_type, .kl = kl_weibull_gamma},
                                   {0}};

const gb_dist_type gb_weibull_type = {
    .size = sizeof(gb_dist_type),
    .name = "weibull",
    .formula = "log(k / scale) + (k - 1) log(x / scale) - (x / scale)^k, k the concentration",
    .param = {GB_PARAMETER("concentration", GB_POSITIVE), GB_PARAMETER_OR("scale", GB_POSITIVE, 1)},
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
    .kl = pairs,
};
