/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "distributions/families/shared/constants_impl.h"
#include "distributions/families/shared/slots_impl.h"
#include "distributions/kl.h"
#include "distributions/list.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/special.h"

static gb_node log_prob(const gb_dist *d, gb_node x)
{
    return gb_neg(gb_add(gb_abs(gb_to_standard(d, x)), gb_shift(gb_log(d->param[1]), GB_LOG_TWO)));
}

/* The difference of two exponentials. */
static gb_node rsample(const gb_dist *d, const gb_source *from)
{
    const gb_node up = gb_exponential_noise(from->noise, from->shape, from->axes);
    const gb_node down = gb_exponential_noise(from->noise, from->shape, from->axes);
    return gb_from_standard(d, gb_sub(up, down));
}

static gb_node cdf(const gb_dist *d, gb_node x)
{
    const gb_node z = gb_to_standard(d, x), is_below = gb_less(z, gb_num(d->tape, 0));
    const gb_node tail = gb_scale(gb_exp(gb_where(is_below, z, gb_neg(z))), 0.5);
    return gb_where(is_below, tail, gb_sub(gb_num(d->tape, 1), tail));
}

static gb_node icdf(const gb_dist *d, gb_node u)
{
    const gb_node half = gb_num(d->tape, 0.5);
    const gb_node below = gb_log(gb_scale(u, 2)),
                  above = gb_neg(gb_log(gb_sub(gb_num(d->tape, 2), gb_scale(u, 2))));
    return gb_from_standard(d, gb_where(gb_less(u, half), below, above));
}

static gb_node variance(const gb_dist *d)
{
    return gb_scale(gb_square(d->param[1]), 2);
}

static gb_node entropy(const gb_dist *d)
{
    return gb_shift(gb_log(d->param[1]), 1 + GB_LOG_TWO);
}

/* (r − 1 − log r) + r (e^−a − 1 + a), with r = scale_q / scale_p and a = |loc_q − loc_p| / scale_q. For
 * small a the second term is some r a² / 2; for large a, r a would cancel from the slope in scale_q. */
static gb_node kl_laplace_laplace(const gb_dist *q, const gb_dist *p)
{
    const gb_node scale = q->param[1], apart = gb_abs(gb_sub(q->param[0], p->param[0]));
    const gb_node less_a = gb_neg(gb_div(apart, scale)), r = gb_div(scale, p->param[1]);
    const gb_node near = gb_mul(r, gb_exp_excess(less_a));
    const gb_node far = gb_add(gb_mul(r, gb_expm1(less_a)), gb_div(apart, p->param[1]));
    const gb_node is_near = gb_greater(less_a, gb_num(q->tape, -1));
    return gb_add(gb_ratio_excess(scale, p->param[1]), gb_where(is_near, near, far));
}

/* r² − log r + m²/2 − 1 + ½ log(π/2), with r = scale_q / scale_p and m = (loc_q − loc_p) / scale_p. */
static gb_node kl_laplace_normal(const gb_dist *q, const gb_dist *p)
{
    const gb_node r = gb_div(q->param[1], p->param[1]);
    const gb_node m = gb_to_standard(p, q->param[0]);
    const gb_node moments = gb_add(gb_square(r), gb_scale(gb_square(m), 0.5));
    return gb_shift(gb_sub(moments, gb_log(r)), GB_HALF_LOG_TWO_PI - 1 - GB_LOG_TWO);
}

/* E|x − m| / b − entropy + log 2b, with E|x − m| = scale (2 φ(a) + a erf(a / √2))
 * for a = |loc − m| / scale. */
static gb_node kl_normal_laplace(const gb_dist *q, const gb_dist *p)
{
    const gb_node scale = q->param[1], b = p->param[1];
    const gb_node a = gb_div(gb_sub(q->param[0], p->param[0]), scale);
    const double root_half = 0.707106781186547524400844362104849039;
    const gb_node folded =
        gb_add(gb_scale(gb_normal_density(a), 2), gb_mul(a, gb_erf(gb_scale(a, root_half))));
    const gb_node ratio = gb_div(scale, b);
    return gb_shift(gb_sub(gb_mul(ratio, folded), gb_log(ratio)), GB_LOG_TWO - 0.5 - GB_HALF_LOG_TWO_PI);
}

static const gb_kl_pair pairs[] = {{.q = &gb_laplace_type, .p = &gb_laplace_type, .kl = kl_laplace_laplace},
                                   {.q = &gb_laplace_type, .p = &gb_normal_type, .kl = kl_laplace_normal},
                                   {.q = &gb_normal_type, .p = &gb_laplace_type, .kl = kl_normal_laplace},
                                   {0}};

const gb_dist_type gb_laplace_type = {
    .size = sizeof(gb_dist_type),
    .name = "laplace",
    .formula = "-|x - loc| / scale - log(2 scale)",
    .param = {GB_PARAMETER_OR("loc", GB_REAL, 0), GB_PARAMETER_OR("scale", GB_POSITIVE, 1)},
    .support = GB_REAL,
    .log_prob = log_prob,
    .rsample = rsample,
    .cdf = cdf,
    .icdf = icdf,
    .survival = gb_symmetric_survival,
    .inverse_survival = gb_symmetric_inverse_survival,
    .mean = gb_first_parameter,
    .variance = variance,
    .mode = gb_first_parameter,
    .entropy = entropy,
    .kl = pairs,
};
