/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Known at recording: parameters, shapes, hidden axes, abilities. */
#include "distributions/law/distribution_impl.h"

#include "core/op.h"

bool gb_dist_ok(gb_dist d)
{
    return d.type && d.tape && gb_error(d.tape) == GB_OK;
}

const gb_option *gb_dist_params(const gb_dist *d, size_t *count)
{
    const bool is_there = d && d->type;
    const gb_option *const params = !is_there ? NULL : d->alternative ? d->type->alternative : d->type->param;
    size_t found = 0;
    while (params && found < GB_MAX_PARAMS && params[found].name)
        found++;
    if (count)
        *count = found;
    return params;
}

/* ---- shapes ---- */

static const gb_shape no_shape = {.rank = -1};

gb_shape gb_last_axes(gb_shape shape, int rank)
{
    return gb_shape_of(rank, shape.size + shape.rank - rank);
}

gb_shape gb_first_axes(gb_shape shape, int rank)
{
    return gb_shape_of(shape.rank - rank, shape.size);
}

static void shape_by_parameters(const gb_dist *d, gb_shape *batch, gb_shape *event)
{
    size_t count;
    const gb_option *const params = gb_dist_params(d, &count);
    const int rank = d->type->support->event_rank;
    bool found = rank == 0;
    *batch = *event = gb_shape();
    for (size_t i = 0; i < count; i++) {
        const gb_shape shape = gb_node_shape(d->param[i]);
        const int own = params[i].domain->event_rank;
        gb_shape_broadcast(*batch, gb_first_axes(shape, own), batch);
        if (!found && own >= rank)
            *event = gb_last_axes(shape, rank);
        found |= own >= rank;
    }
}

void gb_dist_shapes(const gb_dist *d, gb_shape *batch, gb_shape *event)
{
    if (GB_HAS(d->type, shape))
        d->type->shape(d, batch, event);
    else
        shape_by_parameters(d, batch, event);
}

gb_shape gb_dist_draw_shape(const gb_dist *d)
{
    gb_shape batch, event;
    gb_dist_shapes(d, &batch, &event);
    return gb_shape_join(batch, event);
}

gb_shape gb_dist_batch_shape(gb_dist d)
{
    gb_shape batch = no_shape, event;
    if (gb_dist_ok(d))
        gb_dist_shapes(&d, &batch, &event);
    return batch;
}

gb_shape gb_dist_event_shape(gb_dist d)
{
    gb_shape batch, event = no_shape;
    if (gb_dist_ok(d))
        gb_dist_shapes(&d, &batch, &event);
    return event;
}

gb_shape gb_dist_shape(gb_dist d)
{
    return gb_dist_ok(d) ? gb_dist_draw_shape(&d) : no_shape;
}

gb_axes gb_dist_hidden_axes(const gb_dist *d)
{
    gb_axes axes = d->base && d->base->type ? gb_dist_hidden_axes(d->base) : 0;
    size_t count;
    gb_dist_params(d, &count);
    for (size_t i = 0; i < count; i++)
        axes |= gb_node_axes(d->param[i]);
    return d->transform ? axes | gb_transform_axes(*d->transform) : axes;
}

gb_axes gb_dist_axes(gb_dist d)
{
    return gb_dist_ok(d) ? gb_dist_hidden_axes(&d) : 0;
}

bool gb_dist_discrete(gb_dist d)
{
    return d.type && (d.type->discrete || (d.base && gb_dist_discrete(*d.base)));
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

bool gb_dist_able(const gb_dist *d, gb_ability ability)
{
    if (!gb_dist_ok(*d))
        return false;
    if (gb_dist_can(*d, ability))
        return true;
    gb_fail(d->tape, GB_EARGUMENT, "%s: there is no %s", d->type->name, words_of[ability]);
    return false;
}

bool gb_dist_is_of_tape(const gb_dist *d, const gb_tape *tape, const char *what)
{
    if (tape == d->tape)
        return true;
    gb_fail(d->tape, GB_ENODE,
            tape ? "%s: the %s belongs to another tape; record it on this one"
                 : "%s: the %s is no usable one",
            d->type->name, what);
    return false;
}
