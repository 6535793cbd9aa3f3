/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Assigns: variable <- value. */
#include "core/tape/assign_impl.h"

#include "core/tape/leaf_impl.h"

static gb_updates updates_add(gb_updates to, gb_tape *tape, gb_node variable, gb_node value)
{
    struct gb_update *update = gb_arena_take(&tape->arena, sizeof *update);
    if (!update) {
        gb_fail(tape, GB_ENOMEM, "assign: out of memory");
        return gb_no_update;
    }
    *update = (struct gb_update){.before = to.last, .variable = variable, .value = value};
    return (gb_updates){.tape = tape, .last = update, .count = to.count + 1, .generation = tape->generation};
}

gb_updates gb_assign(gb_node variable, gb_node value)
{
    gb_tape *const tape = variable.tape ? variable.tape : value.tape;
    char to[GB_SHAPE_TEXT], from[GB_SHAPE_TEXT], axes[GB_AXES_TEXT];
    if (!tape || !gb_usable(tape, variable, "assign") || !gb_usable(tape, value, "assign"))
        return gb_no_update;
    const gb_record *target = &tape->nodes.at[variable.id], *source = &tape->nodes.at[value.id];
    if (target->op != &gb_variable_op)
        gb_fail(tape, GB_EARGUMENT, "assign: only a variable can be assigned, not a result of %s",
                target->op->name);
    else if (source->type != GB_TYPE_REAL)
        gb_fail(tape, GB_ETYPE, "assign: the value for %s is not real (gb_to_real makes it so)",
                target->name);
    else if (source->axes)
        gb_fail(tape, GB_ESHAPE,
                "assign: the value for %s has one element for each of: %s; sum or average them first",
                target->name, gb_axes_text(tape, source->axes, axes));
    else if (!gb_shape_same(target->shape, source->shape))
        gb_fail(tape, GB_ESHAPE, "assign: %s has shape %s, its value %s", target->name,
                gb_shape_text(target->shape, to), gb_shape_text(source->shape, from));
    else
        return updates_add(gb_no_update, tape, variable, value);
    return gb_no_update;
}

bool gb_updates_fit(gb_tape *tape, gb_updates updates, const char *who)
{
    if (tape->status != GB_OK || !updates.tape)
        return tape->status == GB_OK;
    if (updates.tape != tape)
        gb_fail(tape, GB_EPROGRAM, "%s: the assigns belong to another tape", who);
    else if (updates.generation != tape->generation)
        gb_fail(tape, GB_EPROGRAM, "%s: the assigns were made before gb_tape_reset; make them again", who);
    return tape->status == GB_OK;
}

const gb_updates gb_no_update = {0};

gb_updates gb_updates_join(gb_updates a, gb_updates b)
{
    if (!a.tape || !b.tape)
        return b.tape ? b : a;
    if (!gb_updates_fit(a.tape, a, "join") || !gb_updates_fit(a.tape, b, "join"))
        return gb_no_update;
    const gb_updates shorter = a.count < b.count ? a : b;
    gb_updates joined = a.count < b.count ? b : a;
    for (const struct gb_update *update = shorter.last; update && joined.tape; update = update->before)
        joined = updates_add(joined, a.tape, update->variable, update->value);
    return joined;
}
