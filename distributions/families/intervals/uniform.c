/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "distributions/families/shared/constants_impl.h"
#include "distributions/kl.h"
#include "distributions/list.h"
#include "distributions/transforms.h"
#include "ops/draws.h"
#include "ops/elementwise.h"

enum { LOW, HIGH };

static gb_node width(const gb_dist *d)
{
    return gb_sub(d->param[HIGH], d->param[LOW]);
}

static gb_node not_above_low(const gb_node *param)
{
    return gb_less_equal(param[HIGH], param[LOW]);
}

static gb_ends ends(const gb_dist *d)
{
    return (gb_ends){d->param[LOW], d->param[HIGH]};
}

static gb_transform reach(const gb_dist *d)
{
    return gb_interval_transform(d->param[LOW], d->param[HIGH]);
}

/* x, or x / 2 where the width overflows. */
static gb_node measured(const gb_dist *d, gb_node x)
{
    const gb_node is_finite = gb_less(width(d), gb_num(d->tape, INFINITY));
    return gb_mul(x, gb_where(is_finite, gb_num(d->tape, 1), gb_num(d->tape, 0.5)));
}

static gb_node distance(const gb_dist *d, gb_node from, gb_node to)
{
    return gb_sub(measured(d, to), measured(d, from));
}

static gb_node log_width(const gb_dist *d)
{
    const gb_node measure = gb_log(measured(d, gb_num(d->tape, 1)));
    return gb_sub(gb_log(distance(d, d->param[LOW], d->param[HIGH])), measure);
}

static gb_node log_prob(const gb_dist *d, gb_node x)
{
    return gb_where(gb_equal(x, x), gb_neg(log_width(d)), x);
}

static gb_node cdf(const gb_dist *d, gb_node x)
{
    return gb_div(distance(d, d->param[LOW], x), distance(d, d->param[LOW], d->param[HIGH]));
}

/* Exact at both ends. */
static gb_node icdf(const gb_dist *d, gb_node u)
{
    return gb_add(gb_mul(d->param[LOW], gb_sub(gb_num(d->tape, 1), u)), gb_mul(d->param[HIGH], u));
}

static gb_node survival(const gb_dist *d, gb_node x)
{
    return gb_div(distance(d, x, d->param[HIGH]), distance(d, d->param[LOW], d->param[HIGH]));
}

static gb_node inverse_survival(const gb_dist *d, gb_node q)
{
    return gb_add(gb_mul(d->param[LOW], q), gb_mul(d->param[HIGH], gb_sub(gb_num(d->tape, 1), q)));
}

static gb_node rsample(const gb_dist *d, const gb_source *from)
{
    return icdf(d, gb_uniform_noise(from->noise, from->shape, from->axes));
}

static gb_node mean(const gb_dist *d)
{
    return gb_add(gb_scale(d->param[LOW], 0.5), gb_scale(d->param[HIGH], 0.5));
}

static gb_node variance(const gb_dist *d)
{
    return gb_scale(gb_square(width(d)), 1.0 / 12);
}

static gb_node entropy(const gb_dist *d)
{
    return log_width(d);
}

/* An end that moves adds mass where it is, and removes mass everywhere. */
static bool measure(const gb_dist *d, size_t which, int64_t element, gb_measure *m)
{
    const gb_dist end = gb_point_mass(d->param[which]);
    (void)element;
    *m = (gb_measure){.coefficient = gb_reciprocal(width(d)),
                      .plus = which == HIGH ? end : *d,
                      .minus = which == HIGH ? *d : end};
    return true;
}

/* ---- divergences ---- */

static gb_node infinite_where(gb_node outside, gb_node kl)
{
    return gb_where(outside, gb_num(kl.tape, INFINITY), kl);
}

static gb_node kl_uniform_uniform(const gb_dist *q, const gb_dist *p)
{
    const gb_node below = gb_sub(q->param[LOW], p->param[LOW]),
                  above = gb_sub(p->param[HIGH], q->param[HIGH]);
    const gb_node zero = gb_num(q->tape, 0), less = gb_div(gb_add(below, above), width(q));
    return infinite_where(gb_or(gb_less(below, zero), gb_less(above, zero)), gb_log1p(less));
}

/* With E[(x − loc)²] = (mean − loc)² + variance. */
static gb_node kl_uniform_normal(const gb_dist *q, const gb_dist *p)
{
    const gb_node loc = p->param[0], scale = p->param[1];
    const gb_node second = gb_add(gb_square(gb_sub(mean(q), loc)), variance(q));
    const gb_node half = gb_scale(gb_div(second, gb_square(scale)), 0.5);
    return gb_shift(gb_add(half, gb_log(gb_div(scale, width(q)))), GB_HALF_LOG_TWO_PI);
}

static gb_node kl_uniform_exponential(const gb_dist *q, const gb_dist *p)
{
    const gb_node rate = p->param[0];
    const gb_node kl = gb_sub(gb_mul(rate, mean(q)), gb_log(gb_mul(rate, width(q))));
    return infinite_where(gb_less(q->param[LOW], gb_num(q->tape, 0)), kl);
}

static const gb_kl_pair pairs[] = {
    {.q = &gb_uniform_type, .p = &gb_uniform_type, .kl = kl_uniform_uniform},
    {.q = &gb_uniform_type, .p = &gb_normal_type, .kl = kl_uniform_normal},
    {.q = &gb_uniform_type, .p = &gb_exponential_type, .kl = kl_uniform_exponential},
    {0}};

const gb_dist_type gb_uniform_type = {
    .size = sizeof(gb_dist_type),
    .name = "uniform",
    .formula = "-log(high - low)",
    .param = {GB_PARAMETER("low", GB_REAL), GB_PARAMETER("high", GB_REAL)},
    .relation = {.which = HIGH, .must_be = "above low", .outside = not_above_low},
    .support = GB_REAL,
    .moving_support = true,
    .ends = ends,
    .reach = reach,
    .log_prob = log_prob,
    .rsample = rsample,
    .cdf = cdf,
    .icdf = icdf,
    .survival = survival,
    .inverse_survival = inverse_survival,
    .mean = mean,
    .variance = variance,
    .mode = mean,
    .entropy = entropy,
    .measure = measure,
    .kl = pairs,
};
