/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Variables. */
#include <string.h>

#include "core/tape/leaf_impl.h"
#include "core/tape/values_impl.h"

void gb_variable_arrives(gb_tape *tape, gb_variable_slot *slot)
{
    tape->awaited -= slot->awaits;
    slot->awaits = false;
}

bool gb_variable_has_value(gb_tape *tape, const gb_variable_slot *slot, const char *who)
{
    if (slot->awaits)
        gb_fail(
            tape, GB_EREAD,
            "%s: variable %s has no value yet: gb_checkpoint_load, after the recording, loads it, and gb_set "
            "gives it another",
            who, slot->name);
    return !slot->awaits;
}

void gb_tape_set_awaiting(gb_tape *tape, bool awaiting)
{
    if (tape)
        tape->awaiting = awaiting;
}

/* Returns the slot of a new variable, or of one that remained after a reset. NULL on error. */
static gb_variable_slot *variable_slot(gb_tape *tape, const char *name, gb_shape shape, gb_values start)
{
    char old_text[GB_SHAPE_TEXT], new_text[GB_SHAPE_TEXT];
    uint32_t index;
    if (gb_names_find(&tape->variable_names, name, &index)) {
        gb_variable_slot *slot = &tape->variables.at[index];
        if (slot->generation == tape->generation)
            gb_fail(tape, GB_ENAME,
                    "variable %s: there is a variable of that name already; choose another name", name);
        else if (!gb_shape_same(slot->shape, shape))
            gb_fail(tape, GB_ESHAPE, "variable %s: its shape was %s before the reset, and is %s now", name,
                    gb_shape_text(slot->shape, old_text), gb_shape_text(shape, new_text));
        else
            return slot;
        return NULL;
    }
    gb_variable_slot slot = {.shape = shape, .count = gb_shape_count(shape)};
    slot.name = gb_memory_resize(&tape->memory, NULL, strlen(name) + 1);
    slot.now = gb_allocate_aligned(&tape->memory, gb_buffer_bytes(tape, slot.count));
    if (slot.name)
        strcpy(slot.name, name);
    if (!slot.name || !slot.now || !GB_LIST_GROW(&tape->memory, &tape->variables, 1) ||
        !gb_names_add(&tape->memory, &tape->variable_names, slot.name, (uint32_t)tape->variables.count)) {
        gb_memory_release(&tape->memory, slot.name);
        gb_release_aligned(&tape->memory, slot.now);
        gb_fail(tape, GB_ENOMEM, "variable %s: out of memory for %zu values", name, slot.count);
        return NULL;
    }
    gb_store_values(tape, GB_TYPE_REAL, slot.now, slot.count, start);
    slot.awaits = tape->awaiting;
    tape->awaited += slot.awaits;
    tape->variables.at[tape->variables.count] = slot;
    return &tape->variables.at[tape->variables.count++];
}

gb_node gb_variable(gb_tape *tape, const char *name, gb_shape shape, gb_values start)
{
    if (!tape || tape->status != GB_OK || !gb_leaf_name_given(tape, "variable", name) ||
        !gb_leaf_shape_fits(tape, "variable", name, shape) ||
        !gb_leaf_values_fit(tape, "variable", name, shape, start))
        return gb_inert();
    gb_variable_slot *slot = variable_slot(tape, name, shape, start);
    if (!slot)
        return gb_inert();
    const gb_slot_index index = {.index = (uint32_t)(slot - tape->variables.at)};
    const gb_node node =
        gb_leaf(tape, &gb_variable_op, shape, GB_TYPE_REAL, 0, slot->name, &index, sizeof index);
    if (gb_node_ok(node)) {
        slot->generation = tape->generation;
        slot->node = node.id;
    }
    return node;
}

/* Returns the slot of a variable of this recording; NULL if there is none of that name. */
static const gb_variable_slot *slot_named(const gb_tape *tape, const char *name)
{
    uint32_t index;
    if (!gb_names_find(&tape->variable_names, name, &index))
        return NULL;
    const gb_variable_slot *const slot = &tape->variables.at[index];
    return slot->generation == tape->generation ? slot : NULL;
}

gb_node gb_variable_named(gb_tape *tape, const char *name)
{
    if (!tape || tape->status != GB_OK || !gb_leaf_name_given(tape, "variable", name))
        return gb_inert();
    const gb_variable_slot *const slot = slot_named(tape, name);
    if (slot)
        return gb_node_at(tape, slot->node);
    gb_fail(tape, GB_ENAME, "variable %s: there is no variable of that name", name);
    return gb_inert();
}

bool gb_tape_has_variable(const gb_tape *tape, const char *name)
{
    return tape && name && slot_named(tape, name);
}

static gb_variable_slot *slot_of(gb_tape *tape, const gb_record *variable)
{
    return &tape->variables.at[((const gb_slot_index *)variable->attributes)->index];
}

/* Returns the slot of a variable; NULL if the node is not one, and the tape then has the error. */
static gb_variable_slot *usable_slot(gb_node variable, const char *who)
{
    gb_tape *const tape = variable.tape;
    if (!tape || !gb_usable(tape, variable, who))
        return NULL;
    const gb_record *record = gb_record_of(variable);
    if (record->op == &gb_variable_op)
        return slot_of(tape, record);
    gb_fail(tape, GB_EARGUMENT, "%s: %s is not a variable", who, record->op->name);
    return NULL;
}

static gb_status variable_error(gb_node variable)
{
    return variable.tape ? variable.tape->status : GB_ENODE;
}

gb_status gb_set(gb_node variable, gb_values values)
{
    gb_variable_slot *const slot = usable_slot(variable, "set");
    if (!slot || !gb_leaf_values_fit(variable.tape, "set", slot->name, slot->shape, values))
        return variable_error(variable);
    gb_store_values(variable.tape, GB_TYPE_REAL, slot->now, slot->count, values);
    gb_variable_arrives(variable.tape, slot);
    return GB_OK;
}

const char *gb_variable_name(gb_node variable)
{
    const bool is_one = gb_node_ok(variable) && gb_record_of(variable)->op == &gb_variable_op;
    return is_one ? slot_of(variable.tape, gb_record_of(variable))->name : "";
}

const void *gb_variable_data(gb_node variable)
{
    const gb_variable_slot *slot = usable_slot(variable, "variable_data");
    return slot && gb_variable_has_value(variable.tape, slot, "variable_data") ? slot->now : NULL;
}

gb_status gb_set_data(gb_node variable, const void *data)
{
    gb_variable_slot *const slot = usable_slot(variable, "set_data");
    if (!slot)
        return variable_error(variable);
    if (!data && slot->count > 0)
        return gb_fail(variable.tape, GB_EARGUMENT, "set_data %s: a pointer to %zu values is NULL",
                       slot->name, slot->count);
    const size_t width = gb_width(variable.tape), copies = slot->count == 1 ? GB_LINE_BYTES / width : 1;
    for (size_t i = 0; i < copies && slot->count > 0; i++)
        memcpy((char *)slot->now + i * width, data, slot->count * width);
    gb_variable_arrives(variable.tape, slot);
    return GB_OK;
}

size_t gb_tape_variables(gb_tape *tape, gb_node *variables, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; tape && i < tape->variables.count; i++) {
        const gb_variable_slot *slot = &tape->variables.at[i];
        if (slot->generation != tape->generation)
            continue;
        if (variables && count < most)
            variables[count] = gb_node_at(tape, slot->node);
        count++;
    }
    return count;
}
