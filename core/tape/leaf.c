/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where values come from: constants, variables, inputs, and the sizes of hidden axes. */
#include <string.h>

#include "core/tape/tape_impl.h"

static bool infer_given(gb_infer *infer)
{
    return infer->shape.rank >= 0;
}

#define LEAF(op_name, op_formula)                                                                            \
    {                                                                                                        \
        .size = sizeof(gb_op), .name = op_name, .formula = op_formula, .form = GB_FORM_LEAF,                 \
        .infer = infer_given,                                                                                \
    }
const gb_op gb_constant_op = LEAF("constant", "numbers known at recording");
const gb_op gb_variable_op = LEAF("variable", "a named tensor that outlives a run");
const gb_op gb_input_op = LEAF("input", "fed before a run");
const gb_op gb_axis_index_op = LEAF("axis_index", "0, 1, 2 … along a hidden axis");
const gb_op gb_axis_size_op = LEAF("axis_size", "the current size of a hidden axis");

/* Leaves know their shape beforehand, so they are recorded here and not through gb_apply. */
static gb_node push_leaf(gb_tape *tape, const gb_op *op, gb_shape shape, gb_type type, gb_axes axes,
                         const char *name, const void *attributes, size_t attribute_bytes)
{
    void *kept = gb_arena_take(&tape->arena, attribute_bytes);
    if (!kept || tape->nodes.count >= UINT32_MAX || !GB_LIST_GROW(&tape->memory, &tape->nodes, 1)) {
        gb_fail(tape, GB_ENOMEM, "%s %s: out of memory", op->name, name ? name : "");
        return gb_inert();
    }
    tape->nodes.at[tape->nodes.count] = (gb_record){.op = op,
                                                    .name = name,
                                                    .shape = shape,
                                                    .type = type,
                                                    .axes = axes,
                                                    .attributes = memcpy(kept, attributes, attribute_bytes),
                                                    .attribute_bytes = (uint32_t)attribute_bytes,
                                                    .adjoint_of = tape->adjoint_of};
    return gb_node_at(tape, (uint32_t)tape->nodes.count++);
}

gb_values gb_values_from(const double *data, size_t count)
{
    return (gb_values){.data = data, .count = count};
}

gb_values gb_fill(double value)
{
    return (gb_values){.fill = value};
}

/* ---- numbers in and out of buffers ---- */

static void store_one(const gb_tape *tape, gb_type type, void *to, size_t i, double x)
{
    const bool wide = tape->options.real == GB_DOUBLE;
    const double whole = type == GB_TYPE_BOOL ? -(double)(x != 0) : x;
    if (type == GB_TYPE_REAL && wide)
        ((double *)to)[i] = x;
    else if (type == GB_TYPE_REAL)
        ((float *)to)[i] = (float)x;
    else if (wide)
        ((int64_t *)to)[i] = (int64_t)whole;
    else
        ((int32_t *)to)[i] = (int32_t)whole;
}

void gb_store_values(const gb_tape *tape, gb_type type, void *to, size_t count, gb_values values)
{
    const size_t filled = count == 1 ? GB_LINE_BYTES / gb_width(tape) : count;
    for (size_t i = 0; i < filled; i++)
        store_one(tape, type, to, i, values.data ? values.data[count == 1 ? 0 : i] : values.fill);
}

void gb_load_values(const gb_tape *tape, gb_type type, const void *from, size_t count, double *values)
{
    const bool wide = tape->options.real == GB_DOUBLE;
    for (size_t i = 0; i < count; i++) {
        if (type == GB_TYPE_REAL)
            values[i] = wide ? ((const double *)from)[i] : (double)((const float *)from)[i];
        else
            values[i] = wide ? (double)((const int64_t *)from)[i] : (double)((const int32_t *)from)[i];
        if (type == GB_TYPE_BOOL)
            values[i] = values[i] != 0; /* true is −1 in memory: all bits */
    }
}

/* ---- checks that leaves share ---- */

static bool shape_fits(gb_tape *tape, const char *who, const char *name, gb_shape shape)
{
    if (shape.rank >= 0)
        return true;
    gb_fail(tape, GB_ELIMIT, "%s %s: the shape is invalid: rank 0 to %d, no negative size, no overflow", who,
            name, GB_MAX_RANK);
    return false;
}

static bool values_fit(gb_tape *tape, const char *who, const char *name, gb_shape shape, gb_values values)
{
    char text[GB_SHAPE_TEXT];
    if (!values.data && values.count > 0) {
        gb_fail(tape, GB_EARGUMENT, "%s %s: a pointer to %zu values is NULL", who, name, values.count);
        return false;
    }
    if (!values.data || values.count == gb_shape_count(shape))
        return true;
    gb_fail(tape, GB_ESHAPE, "%s %s: shape %s takes %zu values, %zu were given (gb_fill repeats one)", who,
            name, gb_shape_text(shape, text), gb_shape_count(shape), values.count);
    return false;
}

static bool name_given(gb_tape *tape, const char *who, const char *name)
{
    if (name && *name)
        return true;
    gb_fail(tape, GB_ENAME, "%s: a name is required", who);
    return false;
}

/* ---- constants ---- */

static gb_node scalar_constant(gb_tape *tape, gb_type type, double value)
{
    const gb_constant_data constant = {.value = value};
    return push_leaf(tape, &gb_constant_op, gb_shape(), type, 0, NULL, &constant, sizeof constant);
}

gb_node gb_num(gb_tape *tape, double value)
{
    if (!tape || tape->status != GB_OK)
        return gb_inert();
    return scalar_constant(tape, GB_TYPE_REAL, value);
}

static gb_node array_constant(gb_tape *tape, gb_shape shape, gb_type type, gb_values values)
{
    const size_t count = gb_shape_count(shape);
    void *data = gb_arena_take(&tape->arena, gb_buffer_bytes(tape, count));
    if (!data) {
        gb_fail(tape, GB_ENOMEM, "constant: out of memory for %zu values", count);
        return gb_inert();
    }
    gb_store_values(tape, type, data, count, values);
    const gb_constant_data constant = {.data = data};
    return push_leaf(tape, &gb_constant_op, shape, type, 0, NULL, &constant, sizeof constant);
}

gb_node gb_constant(gb_tape *tape, gb_shape shape, gb_values values)
{
    if (!tape || tape->status != GB_OK || !shape_fits(tape, "constant", "", shape) ||
        !values_fit(tape, "constant", "", shape, values))
        return gb_inert();
    if (values.data && shape.rank == 0)
        return gb_num(tape, values.data[0]);
    if (!values.data)
        return gb_broadcast_to(gb_num(tape, values.fill), shape);
    return array_constant(tape, shape, GB_TYPE_REAL, values);
}

gb_node gb_zeros(gb_tape *tape, gb_shape shape)
{
    return gb_constant(tape, shape, gb_fill(0));
}

gb_node gb_ones(gb_tape *tape, gb_shape shape)
{
    return gb_constant(tape, shape, gb_fill(1));
}

gb_node gb_ints(gb_tape *tape, gb_shape shape, const int64_t *values)
{
    if (!tape || tape->status != GB_OK || !shape_fits(tape, "ints", "", shape))
        return gb_inert();
    const size_t count = gb_shape_count(shape);
    if (!values && count > 0) {
        gb_fail(tape, GB_EARGUMENT, "ints: no values were given");
        return gb_inert();
    }
    const gb_node node = array_constant(tape, shape, GB_TYPE_INT, gb_fill(0));
    if (!gb_node_ok(node))
        return node;
    void *data = (void *)(uintptr_t)((const gb_constant_data *)gb_node_attributes(node))->data;
    const size_t filled = count == 1 ? GB_LINE_BYTES / gb_width(tape) : count;
    for (size_t i = 0; i < filled; i++) {
        const int64_t value = values[count == 1 ? 0 : i];
        if (tape->options.real == GB_DOUBLE)
            ((int64_t *)data)[i] = value;
        else if (value == (int32_t)value)
            ((int32_t *)data)[i] = (int32_t)value;
        else {
            gb_fail(tape, GB_ELIMIT, "ints: %lld does not fit the 32-bit integers of a float tape",
                    (long long)value);
            return gb_inert();
        }
    }
    return node;
}

bool gb_is_constant(gb_node node)
{
    return gb_node_ok(node) && (gb_record_of(node)->op == &gb_constant_op || gb_is_uniform(node, NULL));
}

bool gb_constant_int(gb_node node, size_t index, int64_t *value)
{
    if (!gb_node_ok(node) || gb_record_of(node)->op != &gb_constant_op || gb_node_type(node) != GB_TYPE_INT ||
        index >= gb_shape_count(gb_node_shape(node)))
        return false;
    const void *data = ((const gb_constant_data *)gb_record_of(node)->attributes)->data;
    *value = node.tape->options.real == GB_DOUBLE ? ((const int64_t *)data)[index]
                                                  : ((const int32_t *)data)[index];
    return true;
}

/* ---- variables ---- */

/* The slot of a new variable, or of one that a reset has left. NULL on error. */
static gb_variable_slot *variable_slot(gb_tape *tape, const char *name, gb_shape shape, gb_values start)
{
    char old_text[GB_SHAPE_TEXT], new_text[GB_SHAPE_TEXT];
    uint32_t index;
    if (gb_names_find(&tape->variable_names, name, &index)) {
        gb_variable_slot *slot = &tape->variables.at[index];
        if (slot->generation == tape->generation)
            gb_fail(tape, GB_ENAME, "variable %s: there is one of that name already", name);
        else if (!gb_shape_equal(slot->shape, shape))
            gb_fail(tape, GB_ESHAPE, "variable %s: its shape was %s before the reset, and now is %s", name,
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
    tape->variables.at[tape->variables.count] = slot;
    return &tape->variables.at[tape->variables.count++];
}

gb_node gb_variable(gb_tape *tape, const char *name, gb_shape shape, gb_values start)
{
    if (!tape || tape->status != GB_OK || !name_given(tape, "variable", name) ||
        !shape_fits(tape, "variable", name, shape) || !values_fit(tape, "variable", name, shape, start))
        return gb_inert();
    gb_variable_slot *slot = variable_slot(tape, name, shape, start);
    if (!slot)
        return gb_inert();
    const gb_slot_index index = {.index = (uint32_t)(slot - tape->variables.at)};
    const gb_node node =
        push_leaf(tape, &gb_variable_op, shape, GB_TYPE_REAL, 0, slot->name, &index, sizeof index);
    if (gb_node_ok(node)) {
        slot->generation = tape->generation;
        slot->node = node.id;
    }
    return node;
}

/* The slot of a variable of this recording; NULL: there is none of that name. */
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
    if (!tape || tape->status != GB_OK || !name_given(tape, "variable", name))
        return gb_inert();
    const gb_variable_slot *const slot = slot_named(tape, name);
    if (slot)
        return gb_node_at(tape, slot->node);
    gb_fail(tape, GB_ENAME, "variable %s: there is none of that name", name);
    return gb_inert();
}

bool gb_has_variable(const gb_tape *tape, const char *name)
{
    return tape && name && slot_named(tape, name);
}

static gb_variable_slot *slot_of(gb_tape *tape, const gb_record *variable)
{
    return &tape->variables.at[((const gb_slot_index *)variable->attributes)->index];
}

/* The slot of a variable; NULL: the tape has the error. */
static gb_variable_slot *usable_slot(gb_node variable, const char *who)
{
    gb_tape *const tape = variable.tape;
    if (!tape || !gb_usable(tape, variable, who))
        return NULL;
    const gb_record *record = gb_record_of(variable);
    if (record->op == &gb_variable_op)
        return slot_of(tape, record);
    gb_fail(tape, GB_EARGUMENT, "%s: %s is no variable", who, record->op->name);
    return NULL;
}

static gb_status variable_error(gb_node variable)
{
    return variable.tape ? variable.tape->status : GB_ENODE;
}

gb_status gb_set(gb_node variable, gb_values values)
{
    const gb_variable_slot *slot = usable_slot(variable, "set");
    if (!slot || !values_fit(variable.tape, "set", slot->name, slot->shape, values))
        return variable_error(variable);
    gb_store_values(variable.tape, GB_TYPE_REAL, slot->now, slot->count, values);
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
    return slot ? slot->now : NULL;
}

gb_status gb_set_data(gb_node variable, const void *data)
{
    const gb_variable_slot *slot = usable_slot(variable, "set_data");
    if (!slot)
        return variable_error(variable);
    if (!data && slot->count > 0)
        return gb_fail(variable.tape, GB_EARGUMENT, "set_data %s: a pointer to %zu values is NULL",
                       slot->name, slot->count);
    const size_t width = gb_width(variable.tape), copies = slot->count == 1 ? GB_LINE_BYTES / width : 1;
    for (size_t i = 0; i < copies && slot->count > 0; i++)
        memcpy((char *)slot->now + i * width, data, slot->count * width);
    return GB_OK;
}

size_t gb_tape_variables(gb_tape *tape, gb_node *variables, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; tape && i < tape->variables.count; i++) {
        const gb_variable_slot *slot = &tape->variables.at[i];
        if (slot->generation != tape->generation)
            continue;
        if (count < most)
            variables[count] = gb_node_at(tape, slot->node);
        count++;
    }
    return count;
}

/* ---- inputs ---- */

static gb_node input_new(gb_tape *tape, const char *name, gb_shape shape, gb_type type, bool by_row)
{
    uint32_t index;
    if (!tape || tape->status != GB_OK || !name_given(tape, "input", name) ||
        !shape_fits(tape, "input", name, shape))
        return gb_inert();
    if (gb_names_find(&tape->input_names, name, &index)) {
        gb_fail(tape, GB_ENAME, "input %s: there is one of that name already", name);
        return gb_inert();
    }
    index = (uint32_t)tape->inputs.count;
    const gb_slot_index attributes = {.index = index};
    const char *kept = gb_arena_text(&tape->arena, name);
    if (!kept || !GB_LIST_GROW(&tape->memory, &tape->inputs, 1) ||
        !gb_names_add(&tape->memory, &tape->input_names, kept, index)) {
        gb_fail(tape, GB_ENOMEM, "input %s: out of memory", name);
        return gb_inert();
    }
    tape->inputs.at[tape->inputs.count++] =
        (gb_input_slot){.name = kept, .shape = shape, .type = type, .by_row = by_row, .rows = -1};
    return push_leaf(tape, &gb_input_op, shape, type, by_row ? GB_ROWS : 0, kept, &attributes,
                     sizeof attributes);
}

gb_node gb_input(gb_tape *tape, const char *name, gb_shape shape)
{
    return input_new(tape, name, shape, GB_TYPE_REAL, false);
}

gb_node gb_input_rows(gb_tape *tape, const char *name, gb_shape shape)
{
    return input_new(tape, name, shape, GB_TYPE_REAL, true);
}

gb_node gb_input_ints(gb_tape *tape, const char *name, gb_shape shape)
{
    return input_new(tape, name, shape, GB_TYPE_INT, false);
}

gb_node gb_input_rows_ints(gb_tape *tape, const char *name, gb_shape shape)
{
    return input_new(tape, name, shape, GB_TYPE_INT, true);
}

/* Checks a feed; NULL on error. `count` receives the number of elements. */
static gb_input_slot *feed_slot(gb_node input, const void *values, int64_t rows, gb_type type, size_t *count)
{
    gb_tape *const tape = input.tape;
    if (!tape || !gb_usable(tape, input, "feed"))
        return NULL;
    const gb_record *record = gb_record_of(input);
    if (record->op != &gb_input_op) {
        gb_fail(tape, GB_EFEED, "feed: %s %s is no input", record->op->name,
                record->name ? record->name : "");
        return NULL;
    }
    gb_input_slot *slot = &tape->inputs.at[((const gb_slot_index *)record->attributes)->index];
    const size_t each = gb_shape_count(slot->shape);
    if (slot->type != type)
        gb_fail(tape, GB_ETYPE, "feed: input %s holds %s; use %s", slot->name,
                slot->type == GB_TYPE_INT ? "integers" : "reals",
                slot->type == GB_TYPE_INT ? "gb_feed_ints" : "gb_feed");
    else if (!slot->by_row && rows != 1)
        gb_fail(tape, GB_EFEED,
                "feed: input %s takes one value, not %lld rows (gb_input_rows makes one that does)",
                slot->name, (long long)rows);
    else if (rows < 0 || (each > 0 && rows > INT64_MAX / 64 / (int64_t)each))
        gb_fail(tape, GB_EFEED, "feed: input %s cannot have %lld rows", slot->name, (long long)rows);
    else if (!values && rows > 0 && each > 0)
        gb_fail(tape, GB_EFEED, "feed: no values were given for input %s", slot->name);
    else {
        *count = each * (size_t)rows;
        return slot;
    }
    return NULL;
}

/* Our own memory for `count` elements of an input; NULL on error. The old values stay until then. */
static void *feed_copy(gb_tape *tape, gb_input_slot *slot, size_t count)
{
    const size_t bytes = gb_buffer_bytes(tape, count);
    if (bytes <= slot->capacity)
        return slot->copy;
    void *larger = gb_allocate_aligned(&tape->memory, bytes);
    if (!larger) {
        gb_fail(tape, GB_ENOMEM, "feed: out of memory for %zu values of input %s", count, slot->name);
        return NULL;
    }
    gb_release_aligned(&tape->memory, slot->copy);
    slot->copy = larger;
    slot->capacity = bytes;
    return larger;
}

static gb_status feed_error(gb_node input)
{
    return input.tape ? input.tape->status : GB_ENODE;
}

static gb_status feed_done(gb_input_slot *slot, const void *data, int64_t rows)
{
    slot->data = data;
    slot->rows = rows;
    return GB_OK;
}

gb_status gb_feed(gb_node input, const double *values, int64_t rows)
{
    size_t count = 0;
    gb_input_slot *slot = feed_slot(input, values, rows, GB_TYPE_REAL, &count);
    void *copy = slot ? feed_copy(input.tape, slot, count) : NULL;
    if (!copy)
        return feed_error(input);
    gb_store_values(input.tape, GB_TYPE_REAL, copy, count, gb_values_from(values, count));
    return feed_done(slot, copy, rows);
}

gb_status gb_feed_float(gb_node input, const float *values, int64_t rows)
{
    size_t count = 0;
    gb_input_slot *slot = feed_slot(input, values, rows, GB_TYPE_REAL, &count);
    void *copy = slot ? feed_copy(input.tape, slot, count) : NULL;
    if (!copy)
        return feed_error(input);
    for (size_t i = 0; i < count; i++)
        store_one(input.tape, GB_TYPE_REAL, copy, i, (double)values[i]);
    return feed_done(slot, copy, rows);
}

gb_status gb_feed_ints(gb_node input, const int64_t *values, int64_t rows)
{
    size_t count = 0;
    gb_input_slot *slot = feed_slot(input, values, rows, GB_TYPE_INT, &count);
    const bool narrow = slot && input.tape->options.real == GB_FLOAT;
    for (size_t i = 0; narrow && i < count; i++)
        if (values[i] != (int32_t)values[i])
            return gb_fail(input.tape, GB_ELIMIT,
                           "feed: %lld does not fit the 32-bit integers of a float tape",
                           (long long)values[i]);
    void *copy = slot ? feed_copy(input.tape, slot, count) : NULL;
    if (!copy)
        return feed_error(input);
    for (size_t i = 0; i < count; i++) {
        if (input.tape->options.real == GB_FLOAT)
            ((int32_t *)copy)[i] = (int32_t)values[i];
        else
            ((int64_t *)copy)[i] = values[i];
    }
    return feed_done(slot, copy, rows);
}

gb_status gb_feed_borrowed(gb_node input, const void *values, int64_t rows)
{
    size_t count = 0;
    gb_input_slot *slot = feed_slot(input, values, rows, gb_node_type(input), &count);
    return slot ? feed_done(slot, values, rows) : feed_error(input);
}

/* ---- hidden axes ---- */

gb_axes gb_site_axis(gb_tape *tape, const char *name, int64_t size)
{
    if (!tape || tape->status != GB_OK || !name_given(tape, "site axis", name))
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

static bool is_site_axis(const gb_tape *tape, gb_axes axis)
{
    return axis && !(axis & (axis - 1)) && axis != GB_SAMPLES &&
           gb_lowest_axis(axis) <= (int)tape->axes.count;
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
    return push_leaf(tape, op, gb_shape(), GB_TYPE_REAL, carried, NULL, &axis, sizeof axis);
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
