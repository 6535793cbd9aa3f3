/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hidden axes: making those of sites, and the size and index of each. */
#include "core/tape/leaf_impl.h"

gb_axes gb_site_axis(gb_tape *tape, const char *name, int64_t size)
{
    if (!tape || tape->status != GB_OK || !gb_leaf_name_given(tape, "site axis", name))
        return 0;
    if (size < 0 || size > INT32_MAX) {
        gb_fail(tape, GB_ELIMIT, "site axis %s: a size of %lld is not possible", name, (long long)size);
        return 0;
    }
    if (tape->axes.count >= 62) {
        gb_fail(tape, GB_ELIMIT, "site axis %s: a tape has at most 62 of them", name);
        return 0;
    }
    const char *kept = gb_arena_text(&tape->arena, name);
    if (!kept || !GB_LIST_GROW(&tape->memory, &tape->axes, 1)) {
        gb_fail(tape, GB_ENOMEM, "site axis %s: out of memory", name);
        return 0;
    }
    tape->axes.at[tape->axes.count++] = (gb_axis_slot){.name = kept, .size = size};
    return (gb_axes)1 << tape->axes.count;
}

static int bodies_around(const gb_tape *tape)
{
    int depth = 0;
    for (uint32_t body = tape->body; body; body = tape->bodies.at[body - 1].around)
        depth++;
    return depth;
}

gb_axes gb_tape_step_axis(gb_tape *tape, int64_t size)
{
    if (!tape || tape->status != GB_OK)
        return 0;
    const int depth = 1 + bodies_around(tape);
    for (size_t i = 0; i < tape->axes.count; i++)
        if (tape->axes.at[i].depth == depth && tape->axes.at[i].size == size)
            return (gb_axes)2 << i;
    const gb_axes axis = gb_site_axis(tape, "steps", size);
    if (axis)
        tape->axes.at[tape->axes.count - 1].depth = depth;
    return axis;
}

static bool is_site_axis(const gb_tape *tape, gb_axes axis)
{
    return axis && !(axis & (axis - 1)) && axis != GB_SAMPLES &&
           gb_lowest_axis(axis) <= (int)tape->axes.count;
}

gb_axes gb_tape_steps_within(gb_tape *tape, gb_axes axis)
{
    gb_axes within = 0;
    const bool is_known = tape && (axis == 0 || is_site_axis(tape, axis));
    const int depth = is_known && axis ? tape->axes.at[gb_lowest_axis(axis) - 1].depth : is_known;
    if (depth == 0) {
        gb_fail(tape, GB_EARGUMENT, "steps_within: that is no axis of steps (gb_tape_step_axis), nor 0");
        return 0;
    }
    for (size_t i = 0; i < tape->axes.count; i++)
        if (tape->axes.at[i].depth >= depth)
            within |= (gb_axes)2 << i;
    return within;
}

gb_status gb_site_axis_grow(gb_tape *tape, gb_axes axis, int64_t by)
{
    if (!tape || tape->status != GB_OK)
        return tape ? tape->status : GB_EARGUMENT;
    if (!is_site_axis(tape, axis))
        return gb_fail(tape, GB_EARGUMENT, "site axis: one hidden axis of a site is needed");
    gb_axis_slot *const slot = &tape->axes.at[gb_lowest_axis(axis) - 1];
    if (by < 0 || by > INT32_MAX - slot->size)
        return gb_fail(tape, GB_ELIMIT, "site axis %s: %lld more than its %lld places are not possible",
                       slot->name, (long long)by, (long long)slot->size);
    slot->size += by;
    return GB_OK;
}

static gb_node axis_leaf(gb_tape *tape, const gb_op *op, gb_axes axis, gb_axes carried)
{
    if (!tape || tape->status != GB_OK)
        return gb_inert();
    const bool known =
        axis && !(axis & (axis - 1)) &&
        (axis == GB_SAMPLES || axis == GB_ROWS || gb_lowest_axis(axis) <= (int)tape->axes.count);
    if (!known) {
        gb_fail(tape, GB_EARGUMENT, "%s: one hidden axis of this tape is needed", op->name);
        return gb_inert();
    }
    return gb_leaf(tape, op, gb_shape(), GB_TYPE_REAL, carried, NULL, &axis, sizeof axis);
}

gb_node gb_axis_size(gb_tape *tape, gb_axes axis)
{
    return axis_leaf(tape, &gb_axis_size_op, axis, 0);
}

gb_node gb_axis_index(gb_tape *tape, gb_axes axis)
{
    return axis_leaf(tape, &gb_axis_index_op, axis, axis);
}

int64_t gb_site_axis_size(const gb_tape *tape, gb_axes axis)
{
    return tape && is_site_axis(tape, axis) ? tape->axes.at[gb_lowest_axis(axis) - 1].size : -1;
}
