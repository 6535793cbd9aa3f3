/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a distribution can be asked. How one is made is in distributions/law/new.c. */
#include "distributions/distribution.h"

#include <math.h>
#include <string.h>

#include "core/op.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

bool gb_dist_ok(gb_dist d)
{
    return d.type && d.tape && gb_error(d.tape) == GB_OK;
}

/* ---- shapes ---- */

static const gb_shape no_shape = {.rank = -1};

/* The last `rank` axes of a shape, or those before them. */
static gb_shape last_axes(gb_shape shape, int rank)
{
    return gb_shape_of(rank, shape.size + shape.rank - rank);
}

static gb_shape first_axes(gb_shape shape, int rank)
{
    return gb_shape_of(shape.rank - rank, shape.size);
}

static void shape_by_parameters(const gb_dist *d, gb_shape *batch, gb_shape *event)
{
    size_t count;
    const gb_param *const params = gb_dist_params(d, &count);
    const int rank = d->type->support->event_rank;
    bool found = rank == 0;
    *batch = *event = gb_shape();
    for (size_t i = 0; i < count; i++) {
        const gb_shape shape = gb_node_shape(d->param[i]);
        const int own = params[i].domain->event_rank;
        gb_shape_broadcast(*batch, first_axes(shape, own), batch);
        if (!found && own >= rank)
            *event = last_axes(shape, rank);
        found |= own >= rank;
    }
}

static void shapes(const gb_dist *d, gb_shape *batch, gb_shape *event)
{
    if (GB_HAS(d->type, shape))
        d->type->shape(d, batch, event);
    else
        shape_by_parameters(d, batch, event);
}

static gb_shape joined(gb_shape batch, gb_shape event)
{
    if (batch.rank < 0 || event.rank < 0 || batch.rank + event.rank > GB_MAX_RANK)
        return no_shape;
    for (int i = 0; i < event.rank; i++)
        batch.size[batch.rank++] = event.size[i];
    return batch;
}

gb_shape gb_dist_batch_shape(gb_dist d)
{
    gb_shape batch = no_shape, event;
    if (gb_dist_ok(d))
        shapes(&d, &batch, &event);
    return batch;
}

gb_shape gb_dist_event_shape(gb_dist d)
{
    gb_shape batch, event = no_shape;
    if (gb_dist_ok(d))
        shapes(&d, &batch, &event);
    return event;
}

gb_shape gb_dist_shape(gb_dist d)
{
    return joined(gb_dist_batch_shape(d), gb_dist_event_shape(d));
}

gb_axes gb_dist_axes(gb_dist d)
{
    size_t count;
    if (!gb_dist_ok(d))
        return 0;
    gb_dist_params(&d, &count);
    gb_axes axes = d.base ? gb_dist_axes(*d.base) : 0;
    for (size_t i = 0; i < count; i++)
        axes |= gb_node_axes(d.param[i]);
    for (size_t i = 0; d.transform && i < 2; i++)
        axes |= gb_transform_axes(*d.transform);
    return axes;
}

gb_node gb_sum_event(gb_node x, int rank)
{
    static const int last[GB_MAX_RANK] = {-1, -2, -3, -4, -5, -6};
    if (rank > GB_MAX_RANK)
        rank = GB_MAX_RANK; /* more than x has, in any case */
    return rank <= 0 ? x : gb_sum_along(x, gb_axis_list_of(rank, last));
}

gb_node gb_add_axes(gb_node x, int count)
{
    gb_shape shape = gb_node_shape(x);
    for (int i = 0; i < count && shape.rank >= 0 && shape.rank < GB_MAX_RANK; i++)
        shape.size[shape.rank++] = 1;
    return count == 0 ? x : gb_reshape(x, shape);
}

bool gb_dist_discrete(gb_dist d)
{
    return d.type && (d.type->discrete || (d.base && gb_dist_discrete(*d.base)));
}

bool gb_dist_moving_support(gb_dist d)
{
    return d.type && (d.type->moving_support || (d.base && gb_dist_moving_support(*d.base)));
}

/* ---- abilities ---- */

bool gb_dist_can(gb_dist d, gb_ability ability)
{
    bool has = false;
    if (!d.type)
        return false;
    switch (ability) {
#define GB_ABILITY_CASE(slot, name, words)                                                                   \
    case name: has = GB_HAS(d.type, slot); break;
        GB_ABILITY_LIST(GB_ABILITY_CASE)
#undef GB_ABILITY_CASE
    }
    return has && (!GB_HAS(d.type, has) || d.type->has(&d, ability));
}

static const char *const words_of[] = {
#define GB_ABILITY_WORDS(slot, name, words) words,
    GB_ABILITY_LIST(GB_ABILITY_WORDS)
#undef GB_ABILITY_WORDS
};

/* True where it can; else its tape says that it cannot. */
static bool able(gb_dist d, gb_ability ability)
{
    if (!gb_dist_ok(d))
        return false;
    if (gb_dist_can(d, ability))
        return true;
    gb_fail(d.tape, GB_EARGUMENT, "%s: there is no %s", d.type->name, words_of[ability]);
    return false;
}

/* ---- the support ---- */

static gb_node outside_ends(const gb_dist *d, gb_node x)
{
    const gb_ends ends = d->type->ends(d);
    const bool low = gb_node_ok(ends.low), high = gb_node_ok(ends.high);
    const gb_node too_low = low ? gb_less(x, ends.low) : (gb_node){0};
    const gb_node too_high = high ? gb_greater(x, ends.high) : (gb_node){0};
    return low && high ? gb_or(too_low, too_high) : low ? too_low : too_high;
}

/* All reals: a density is 0 at infinity by itself. */
static bool is_everywhere(const gb_domain *domain)
{
    return isinf(domain->low) && isinf(domain->high) && !domain->whole && !domain->outside;
}

/* The same without the condition to be whole, for what lies between the values of a discrete distribution. */
static gb_node outside_hull(gb_domain domain, gb_node x)
{
    domain.whole = false;
    return gb_domain_outside(&domain, x);
}

gb_node gb_dist_outside(gb_dist d, gb_node x)
{
    const gb_domain *const support = gb_dist_ok(d) ? d.type->support : NULL;
    gb_node outside = {0};
    if (!support || !gb_node_ok(x))
        return outside;
    if (!is_everywhere(support))
        outside = gb_is_relaxed(x) ? outside_hull(*support, x) : gb_domain_outside(support, x);
    if (!GB_HAS(d.type, ends))
        return outside;
    const gb_node beyond = outside_ends(&d, x);
    return gb_node_ok(outside) ? gb_or(outside, beyond) : beyond;
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

/* `tape` is that of `what`; NULL: it is inert. */
static bool is_of_tape(gb_dist d, const gb_tape *tape, const char *what)
{
    if (tape == d.tape)
        return true;
    gb_fail(d.tape, GB_ENODE,
            tape ? "%s: the %s belongs to another tape; record it on this one"
                 : "%s: the %s is no usable one",
            d.type->name, what);
    return false;
}

/* The value must have the axes of an event. */
static bool value_fits(gb_dist d, gb_node x)
{
    const gb_shape event = gb_dist_event_shape(d), shape = gb_node_shape(x);
    char a[GB_SHAPE_TEXT], b[GB_SHAPE_TEXT];
    gb_shape both;
    if (!is_of_tape(d, x.tape, "value") || !gb_check_node(x, d.type->name))
        return false;
    if (shape.rank >= event.rank && gb_shape_equal(last_axes(shape, event.rank), event) &&
        gb_shape_broadcast(first_axes(shape, event.rank), gb_dist_batch_shape(d), &both))
        return true;
    gb_fail(d.tape, GB_ESHAPE, "%s: the value has shape %s, but a draw %s", d.type->name,
            gb_shape_text(shape, a), gb_shape_text(gb_dist_shape(d), b));
    return false;
}

/* Its comparisons are guards, and no jumps inside the support. */
static gb_node continuous(const gb_dist *d, gb_node x, gb_node log_p)
{
    gb_node inputs[1 + GB_MAX_PARAMS] = {x};
    size_t count;
    gb_dist_params(d, &count);
    memcpy(inputs + 1, d->param, count * sizeof *inputs);
    if (!gb_node_ok(log_p))
        return log_p;
    return (gb_dist_moving_support(*d) ? gb_moving_support : gb_continuous_in)(log_p, 1 + count, inputs);
}

gb_node gb_log_prob(gb_dist d, gb_node x)
{
    if (!gb_dist_ok(d) || !value_fits(d, x))
        return (gb_node){0};
    x = gb_to_real(x);
    gb_node log_p = d.type->log_prob(&d, x);
    const gb_node outside = gb_dist_outside(d, x);
    if (gb_node_ok(outside))
        log_p = gb_where(outside, gb_num(d.tape, -INFINITY), log_p);
    return continuous(&d, x, log_p);
}

/* ---- draws ---- */

static gb_source source(gb_dist d, gb_noise noise, gb_axes axes)
{
    return (gb_source){.noise = noise, .shape = gb_dist_shape(d), .axes = axes | gb_dist_axes(d)};
}

gb_node gb_sample(gb_dist d, gb_noise noise, gb_axes axes)
{
    if (!gb_dist_ok(d) || !is_of_tape(d, noise.tape, "noise"))
        return (gb_node){0};
    const gb_source from = source(d, noise, axes);
    return gb_stop(GB_HAS(d.type, sample) ? d.type->sample(&d, &from) : d.type->rsample(&d, &from));
}

gb_node gb_rsample(gb_dist d, gb_noise noise, gb_axes axes)
{
    if (!able(d, GB_CAN_RSAMPLE) || !is_of_tape(d, noise.tape, "noise"))
        return (gb_node){0};
    const gb_source from = source(d, noise, axes);
    return d.type->rsample(&d, &from);
}

/* ---- the rest ---- */

static gb_node number_where(gb_node condition, double number, gb_node other)
{
    return gb_where(condition, gb_num(condition.tape, number), other);
}

static bool is_whole(gb_dist d)
{
    return d.type->support && d.type->support->whole;
}

/* Types know their distribution function inside the support; here it is 0 below and 1 above. */
gb_node gb_cdf(gb_dist d, gb_node x)
{
    if (!able(d, GB_CAN_CDF) || !value_fits(d, x))
        return (gb_node){0};
    x = is_whole(d) ? gb_floor(gb_to_real(x)) : gb_to_real(x);
    const gb_node inside = d.type->cdf(&d, x);
    if (!d.type->support)
        return inside;
    const gb_ends given = GB_HAS(d.type, ends) ? d.type->ends(&d) : (gb_ends){0};
    const gb_node low = gb_node_ok(given.low) ? given.low : gb_num(d.tape, d.type->support->low);
    const gb_node high = gb_node_ok(given.high) ? given.high : gb_num(d.tape, d.type->support->high);
    const gb_node below = gb_dist_discrete(d) ? gb_less(x, low) : gb_less_equal(x, low);
    return number_where(below, 0, number_where(gb_greater_equal(x, high), 1, inside));
}

gb_node gb_icdf(gb_dist d, gb_node u)
{
    if (!able(d, GB_CAN_ICDF) || !value_fits(d, u))
        return (gb_node){0};
    u = gb_to_real(u);
    return number_where(gb_domain_outside(GB_UNIT, u), (double)NAN, d.type->icdf(&d, u));
}

gb_node gb_dist_mean(gb_dist d)
{
    return able(d, GB_CAN_MEAN) ? gb_broadcast_to(d.type->mean(&d), gb_dist_shape(d)) : (gb_node){0};
}

gb_node gb_dist_variance(gb_dist d)
{
    return able(d, GB_CAN_VARIANCE) ? gb_broadcast_to(d.type->variance(&d), gb_dist_shape(d)) : (gb_node){0};
}

gb_node gb_dist_mode(gb_dist d)
{
    return able(d, GB_CAN_MODE) ? gb_broadcast_to(d.type->mode(&d), gb_dist_shape(d)) : (gb_node){0};
}

gb_node gb_entropy(gb_dist d)
{
    return able(d, GB_CAN_ENTROPY) ? gb_broadcast_to(d.type->entropy(&d), gb_dist_batch_shape(d))
                                   : (gb_node){0};
}

gb_node gb_dist_enumerate(gb_dist d)
{
    return able(d, GB_CAN_ENUMERATE) ? d.type->enumerate(&d) : (gb_node){0};
}

/* How many elements an event of a parameter has; 0 where there is no such parameter. */
static int64_t own_elements(const gb_dist *d, size_t which)
{
    size_t count;
    const gb_param *const params = gb_dist_params(d, &count);
    if (which >= count)
        return 0;
    return (int64_t)gb_shape_count(
        last_axes(gb_node_shape(d->param[which]), params[which].domain->event_rank));
}

bool gb_dist_measure(gb_dist d, size_t which, int64_t element, gb_measure *measure)
{
    *measure = (gb_measure){0};
    if (!able(d, GB_CAN_MEASURE) || element < 0 || element >= own_elements(&d, which))
        return false;
    const bool has = d.type->measure(&d, which, element, measure);
    if (!has)
        *measure = (gb_measure){0};
    return has;
}

gb_dist gb_dist_relaxed(gb_dist d, gb_node temperature)
{
    const bool can = able(d, GB_CAN_RELAX) && is_of_tape(d, temperature.tape, "temperature");
    return can ? d.type->relaxed(&d, temperature) : (gb_dist){0};
}
