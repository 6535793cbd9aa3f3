/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The states in the value of a scan. They lie one after the other: all of the first, all of the second ….
 * Place 0 of a forward scan is the first state, of a backward scan the last. */
#include "ops/array.h"
#include "ops/recursion/recursion_impl.h"

gb_states gb_states_of(gb_node scan)
{
    return (gb_states){.value = scan, .how = gb_node_attributes(scan)};
}

static gb_shape shape_of(const gb_states *s, size_t which)
{
    return gb_node_shape(s->how->core->body.given[which]);
}

static int64_t places_of(const gb_states *s, size_t which)
{
    return s->how->core->all[which] ? s->how->steps + 1 : 1;
}

/* Returns all kept states, one for each place of the first axis. */
static gb_node piece(const gb_states *s, size_t which)
{
    const gb_shape shape = gb_shape_join(gb_shape(places_of(s, which)), shape_of(s, which));
    int64_t from = 0;
    if (gb_node_shape(s->value).rank != 1 || gb_shape_same(gb_node_shape(s->value), shape))
        return s->value;
    for (size_t i = 0; i < which; i++)
        from += places_of(s, i) * (int64_t)gb_shape_count(shape_of(s, i));
    return gb_reshape(gb_slice(s->value, 0, from, from + (int64_t)gb_shape_count(shape)), shape);
}

static gb_node places_from(const gb_states *s, size_t which, int64_t first)
{
    return gb_hide(gb_slice(piece(s, which), 0, first, first + s->how->steps), s->how->time);
}

gb_node gb_states_before(const gb_states *s, size_t which)
{
    return places_from(s, which, s->how->back ? 1 : 0);
}

gb_node gb_states_after(const gb_states *s, size_t which)
{
    return places_from(s, which, s->how->back ? 0 : 1);
}

static gb_node place(const gb_states *s, size_t which, int64_t at)
{
    return gb_reshape(gb_slice(piece(s, which), 0, at, at + 1), shape_of(s, which));
}

gb_node gb_states_first(const gb_states *s, size_t which)
{
    return place(s, which, s->how->back ? places_of(s, which) - 1 : 0);
}

gb_node gb_states_last(const gb_states *s, size_t which)
{
    return place(s, which, s->how->back ? 0 : places_of(s, which) - 1);
}
