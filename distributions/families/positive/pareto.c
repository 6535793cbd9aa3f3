/* SPDX-License-Identifier: GPL-3.0-or-later */
/* log(x / scale) is an exponential draw with rate `concentration`. */
#include <float.h>
#include <math.h>

#include "distributions/families/shared/slots_impl.h"
#include "distributions/kl.h"
#include "distributions/law/own_draw_impl.h"
#include "distributions/list.h"
#include "distributions/transforms.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/products/known_impl.h"

/* The exponential draw: concentration · log(x / scale). */
static gb_node exponent(const gb_dist *d, gb_node x)
{
    return gb_mul(d->param[1], gb_log_ratio(x, d->param[0]));
}

static gb_node from_exponential(const gb_dist *d, gb_node e)
{
    return gb_mul(d->param[0], gb_exp(gb_div(e, d->param[1])));
}

/* Of an own draw that was made from e. Of a small concentration, draws overflow. */
static gb_node by_source(const gb_dist *d, gb_node x, gb_node source, bool held)
{
    const gb_node scale = d->param[0], a = d->param[1], log_ratio = gb_div(source, a);
    const gb_node of_ratio = gb_by_source(log_ratio, gb_log_ratio(x, scale), held);
    const gb_node log_x = gb_by_source(gb_add(gb_log(scale), log_ratio), gb_log(x), held);
    return gb_sub(gb_sub(gb_log(a), log_x), gb_by_source(source, gb_mul(a, of_ratio), held));
}

static gb_node log_prob(const gb_dist *d, gb_node x)
{
    bool held;
    const gb_node source = gb_source_of(d, x, &held);
    if (gb_node_ok(source))
        return by_source(d, x, source, held);
    return gb_sub(gb_sub(gb_log(d->param[1]), gb_log(x)), exponent(d, x));
}

static gb_node rsample(const gb_dist *d, const gb_source *from)
{
    const gb_node e = gb_exponential_noise(from->noise, from->shape, from->axes), x = from_exponential(d, e);
    return gb_drawn(d, gb_clip(x, 0, gb_tape_real(d->tape) == GB_FLOAT ? (double)FLT_MAX : DBL_MAX), e);
}

static gb_node cdf(const gb_dist *d, gb_node x)
{
    return gb_neg(gb_expm1(gb_neg(exponent(d, x))));
}

static gb_node icdf(const gb_dist *d, gb_node u)
{
    return from_exponential(d, gb_neg(gb_log1p(gb_neg(u))));
}

static gb_node survival(const gb_dist *d, gb_node x)
{
    return gb_exp(gb_neg(exponent(d, x)));
}

static gb_node inverse_survival(const gb_dist *d, gb_node q)
{
    return from_exponential(d, gb_neg(gb_log(q)));
}

static gb_node mean(const gb_dist *d)
{
    const gb_node a = d->param[1], less = gb_shift(a, -1), more = gb_shift(gb_reciprocal(less), 1);
    const gb_node ratio = gb_with_value(gb_div(a, less), more); /* whose slope does not cancel */
    return gb_where_above(a, 1, gb_mul(d->param[0], ratio), INFINITY);
}

static gb_node variance(const gb_dist *d)
{
    const gb_node a = d->param[1], ratio = gb_div(d->param[0], gb_shift(a, -1));
    const gb_node finite = gb_mul(gb_square(ratio), gb_div(a, gb_shift(a, -2)));
    return gb_where_above(a, 2, finite, INFINITY);
}

static gb_node entropy(const gb_dist *d)
{
    const gb_node a = d->param[1];
    return gb_shift(gb_add(gb_log(gb_div(d->param[0], a)), gb_reciprocal(a)), 1);
}

static gb_ends ends(const gb_dist *d)
{
    return (gb_ends){.low = d->param[0]};
}

static gb_transform reach(const gb_dist *d)
{
    return gb_composed_transform(gb_affine_transform(d->param[0], gb_num(d->tape, 1)),
                                 gb_exponential_transform(d->tape));
}

static gb_node kl_pareto_pareto(const gb_dist *q, const gb_dist *p)
{
    const gb_node a = q->param[1], c = p->param[1];
    const gb_node of_scales = gb_mul(c, gb_log_ratio(q->param[0], p->param[0]));
    const gb_node inside = gb_add(of_scales, gb_deviance(gb_num(q->tape, 1), gb_div(c, a)));
    return gb_where(gb_less(q->param[0], p->param[0]), gb_num(q->tape, INFINITY), inside);
}

static const gb_kl_pair pairs[] = {{.q = &gb_pareto_type, .p = &gb_pareto_type, .kl = kl_pareto_pareto}, {0}};

const gb_dist_type gb_pareto_type = {
    .size = sizeof(gb_dist_type),
    .name = "pareto",
    .formula = "log concentration + concentration log scale - (concentration + 1) log x, for x >= scale",
    .param = {GB_PARAMETER_OR("scale", GB_POSITIVE, 1), GB_PARAMETER("concentration", GB_POSITIVE)},
    .support = GB_POSITIVE,
    .moving_support = true,
    .log_prob = log_prob,
    .rsample = rsample,
    .ends = ends,
    .reach = reach,
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
