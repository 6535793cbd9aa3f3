/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Closed forms: support, density, distribution function, moments. */
#include <math.h>

#include "core/op.h"
#include "distributions/law/distribution_impl.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "plugins/options/made_impl.h"

/* ---- the support ---- */

static gb_node outside_ends(const gb_dist *d, gb_node x)
{
    const gb_ends ends = d->type->ends(d);
    const bool low = gb_node_ok(ends.low), high = gb_node_ok(ends.high);
    const gb_node too_low = low ? gb_less(x, ends.low) : (gb_node){0};
    const gb_node too_high = high ? gb_greater(x, ends.high) : (gb_node){0};
    return low && high ? gb_or(too_low, too_high) : low ? too_low : too_high;
}

/* All reals. There a density is 0 at infinity without a check. */
static bool is_everywhere(const gb_domain *domain)
{
    return isinf(domain->low) && isinf(domain->high) && !domain->whole && !domain->outside;
}

/* The domain without the condition to be whole: relaxed draws lie between the values of a distribution. */
static gb_node outside_hull(gb_domain domain, gb_node x)
{
    domain.whole = false;
    return gb_domain_outside(&domain, x);
}

/* Inert if nothing is outside. */
static gb_node outside_of(const gb_dist *d, gb_node x)
{
    const gb_domain *const support = d->type->support;
    gb_node outside = {0};
    if (!support || !gb_node_ok(x))
        return outside;
    if (!is_everywhere(support))
        outside = gb_is_relaxed(x) ? outside_hull(*support, x) : gb_domain_outside(support, x);
    if (!GB_HAS(d->type, ends))
        return outside;
    const gb_node beyond = outside_ends(d, x);
    return gb_node_ok(outside) ? gb_or(outside, beyond) : beyond;
}

gb_node gb_dist_outside(gb_dist d, gb_node x)
{
    return gb_dist_ok(d) ? outside_of(&d, gb_to_real(x)) : (gb_node){0};
}

gb_transform gb_dist_reach(gb_dist d)
{
    if (!gb_dist_ok(d))
        return (gb_transform){0};
    if (GB_HAS(d.type, reach))
        return d.type->reach(&d);
    return d.type->support && d.type->support->reach ? d.type->support->reach(d.tape) : (gb_transform){0};
}

/* ---- the density ---- */

/* x must end with the axes of an event, and its batch must broadcast. */
static bool value_fits(const gb_dist *d, gb_node x)
{
    char a[GB_SHAPE_TEXT], b[GB_SHAPE_TEXT];
    if (!gb_dist_is_of_tape(d, x.tape, "value") || !gb_node_check(x, d->type->name))
        return false;
    const gb_shape shape = gb_node_shape(x);
    gb_shape batch, event, both;
    gb_dist_shapes(d, &batch, &event);
    if (shape.rank >= event.rank && gb_shape_same(gb_last_axes(shape, event.rank), event) &&
        gb_shape_broadcast(gb_first_axes(shape, event.rank), batch, &both))
        return true;
    gb_fail(d->tape, GB_ESHAPE, "%s: the value has shape %s, but a draw %s", d->type->name,
            gb_shape_text(shape, a), gb_shape_text(gb_shape_join(batch, event), b));
    return false;
}

/* Marks a value as continuous in x and the parameters. */
static gb_node of_formula(const gb_dist *d, gb_node x, gb_node value)
{
    gb_dist_nodes in = {.count = 1, .node = {x}};
    if (!gb_node_ok(value))
        return value;
    gb_dist_all_params(d, &in);
    return in.count > GB_DIST_NODES ? value : gb_continuous_in(value, in.count, in.node);
}

/* Marks log_p as continuous in x and the parameters inside the support: its comparisons only choose between
 * equal formulas. Where the support moves, it jumps in what moves it. */
static gb_node continuous(const gb_dist *d, gb_node x, gb_node log_p)
{
    gb_dist_nodes moving = {.count = 1, .node = {x}};
    log_p = of_formula(d, x, log_p);
    if (!gb_node_ok(log_p) || !gb_dist_moving_support(*d))
        return log_p;
    gb_dist_moving_params(d, &moving);
    return gb_moving_support(log_p, moving.count, moving.node);
}

gb_node gb_log_prob(gb_dist d, gb_node x)
{
    if (!gb_dist_ok(d) || !value_fits(&d, x))
        return (gb_node){0};
    x = gb_to_real(x);
    gb_node log_p = d.type->log_prob(&d, x);
    if (!gb_plugin_made(d.tape, log_p, "log_prob", d.type->name, "log_prob"))
        return (gb_node){0};
    const gb_node outside = outside_of(&d, x);
    if (gb_node_ok(outside))
        log_p = gb_where(outside, gb_num(d.tape, -INFINITY), log_p);
    return continuous(&d, x, log_p);
}

/* ---- the distribution function ---- */

static gb_node number_where(gb_node condition, double number, gb_node other)
{
    return gb_where(condition, gb_num(condition.tape, number), other);
}

static bool is_whole(const gb_dist *d)
{
    return d->type->support && d->type->support->whole;
}

/* A type gives its distribution function inside the support: below and above there are `start` and `end`. */
static gb_node between(gb_dist d, gb_node x, gb_node inside, double start, double end)
{
    if (!d.type->support)
        return inside;
    const gb_ends given = GB_HAS(d.type, ends) ? d.type->ends(&d) : (gb_ends){0};
    const gb_node low = gb_node_ok(given.low) ? given.low : gb_num(d.tape, d.type->support->low);
    const gb_node high = gb_node_ok(given.high) ? given.high : gb_num(d.tape, d.type->support->high);
    const gb_node below = gb_dist_discrete(d) ? gb_less(x, low) : gb_less_equal(x, low);
    const gb_node all = number_where(below, start, number_where(gb_greater_equal(x, high), end, inside));
    return gb_dist_discrete(d) ? all : of_formula(&d, x, all);
}

gb_node gb_cdf(gb_dist d, gb_node x)
{
    if (!gb_dist_able(&d, GB_CAN_CDF) || !value_fits(&d, x))
        return (gb_node){0};
    x = is_whole(&d) ? gb_floor(gb_to_real(x)) : gb_to_real(x);
    return between(d, x, of_formula(&d, x, d.type->cdf(&d, x)), 0, 1);
}

gb_node gb_survival(gb_dist d, gb_node x)
{
    if (!gb_dist_able(&d, GB_CAN_SURVIVAL) || !value_fits(&d, x))
        return (gb_node){0};
    x = gb_to_real(x);
    return between(d, x, of_formula(&d, x, d.type->survival(&d, x)), 1, 0);
}

gb_node gb_icdf(gb_dist d, gb_node u)
{
    if (!gb_dist_able(&d, GB_CAN_ICDF) || !value_fits(&d, u))
        return (gb_node){0};
    u = gb_to_real(u);
    return number_where(gb_domain_outside(GB_UNIT, u), (double)NAN, d.type->icdf(&d, u));
}

gb_node gb_inverse_survival(gb_dist d, gb_node q)
{
    if (!gb_dist_able(&d, GB_CAN_INVERSE_SURVIVAL) || !value_fits(&d, q))
        return (gb_node){0};
    q = gb_to_real(q);
    return number_where(gb_domain_outside(GB_UNIT, q), (double)NAN, d.type->inverse_survival(&d, q));
}

/* ---- moments ---- */

static gb_node in_shape(const gb_dist *d, gb_node x)
{
    return gb_broadcast_to(x, gb_dist_draw_shape(d));
}

gb_node gb_dist_mean(gb_dist d)
{
    return gb_dist_able(&d, GB_CAN_MEAN) ? in_shape(&d, d.type->mean(&d)) : (gb_node){0};
}

gb_node gb_dist_variance(gb_dist d)
{
    return gb_dist_able(&d, GB_CAN_VARIANCE) ? in_shape(&d, d.type->variance(&d)) : (gb_node){0};
}

gb_node gb_dist_mode(gb_dist d)
{
    return gb_dist_able(&d, GB_CAN_MODE) ? in_shape(&d, d.type->mode(&d)) : (gb_node){0};
}

gb_node gb_dist_entropy(gb_dist d)
{
    gb_shape batch, event;
    if (!gb_dist_able(&d, GB_CAN_ENTROPY))
        return (gb_node){0};
    const gb_node entropy = d.type->entropy(&d);
    gb_dist_shapes(&d, &batch, &event);
    return gb_broadcast_to(entropy, batch);
}
