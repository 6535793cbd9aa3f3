/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The states in the value of a scan. They lie one after the other: all of the first, all of the second ….
 * Place 0 of a forward scan is the first state, of a backward scan the last. */
#include "ops/array.h"
#include "ops/arrays/axis_impl.h"
#include "ops/recursion/recursion_impl.h"

gb_states gb_states_of(gb_node scan)
{
    const gb_scan_attributes *const how = gb_node_attributes(scan);
    return (gb_states){.value = scan, .how = how, .time = how->time, .steps = how->steps, .back = how->back};
}

/* ---- those in the value ---- */

static gb_shape shape_of(const gb_states *s, size_t place)
{
    return gb_node_shape(s->how->core->body.given[place]);
}

static int64_t places_of(const gb_states *s, size_t place)
{
    return s->how->core->all[place] ? s->steps + 1 : 1;
}

static gb_node piece_of_value(const gb_states *s, size_t place)
{
    const gb_shape shape = gb_shape_join(gb_shape(places_of(s, place)), shape_of(s, place));
    int64_t from = 0;
    if (gb_node_shape(s->value).rank != 1 || gb_shape_same(gb_node_shape(s->value), shape))
        return s->value;
    for (size_t i = 0; i < place; i++)
        from += places_of(s, i) * (int64_t)gb_shape_count(shape_of(s, i));
    const gb_node flat = gb_slice_of_parts(s->value, from, from + (int64_t)gb_shape_count(shape));
    const bool was_flattened = gb_node_op(flat) == &gb_reshape_op;
    return was_flattened && gb_shape_same(gb_node_shape(gb_node_argument(flat, 0)), shape)
               ? gb_node_argument(flat, 0)
               : gb_reshape(flat, shape);
}

/* ---- all ---- */

/* Returns all kept states, one for each place of the first axis. */
static gb_node piece(const gb_states *s, size_t which)
{
    if (s->known && s->known[which].tape)
        return s->known[which];
    return piece_of_value(s, s->place ? s->place[which] : which);
}

static gb_node places_from(const gb_states *s, size_t which, int64_t first)
{
    return gb_hide(gb_slice_of_parts(piece(s, which), first, first + s->steps), s->time);
}

gb_node gb_states_before(const gb_states *s, size_t which)
{
    return places_from(s, which, s->back ? 1 : 0);
}

gb_node gb_states_after(const gb_states *s, size_t which)
{
    return places_from(s, which, s->back ? 0 : 1);
}

static gb_node end_of(const gb_states *s, size_t which, bool front)
{
    const gb_node all = piece(s, which);
    const gb_shape shape = gb_node_shape(all);
    const int64_t at = front || shape.rank < 1 ? 0 : shape.size[0] - 1;
    return gb_reshape(gb_slice_of_parts(all, at, at + 1),
                      gb_shape_of(shape.rank < 1 ? 0 : shape.rank - 1, shape.size + 1));
}

gb_node gb_states_first(const gb_states *s, size_t which)
{
    return end_of(s, which, !s->back);
}

gb_node gb_states_last(const gb_states *s, size_t which)
{
    return end_of(s, which, s->back);
}
