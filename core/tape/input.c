/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inputs, and feeding them. */
#include "core/tape/input_impl.h"

#include "core/tape/leaf_impl.h"
#include "core/tape/values_impl.h"

/* Appends an input, whose name is kept. */
static gb_node input_add(gb_tape *tape, const char *kept, gb_shape shape, gb_type type, gb_axes along)
{
    const gb_slot_index attributes = {.index = (uint32_t)tape->inputs.count};
    tape->inputs.at[tape->inputs.count++] =
        (gb_input_slot){.name = kept, .shape = shape, .type = type, .along = along, .rows = -1};
    return gb_leaf(tape, &gb_input_op, shape, type, along, kept, &attributes, sizeof attributes);
}

static gb_node input_new(gb_tape *tape, const char *name, gb_shape shape, gb_type type, gb_axes along)
{
    uint32_t index;
    if (!tape || tape->status != GB_OK || !gb_leaf_name_given(tape, "input", name) ||
        !gb_leaf_shape_fits(tape, "input", name, shape))
        return gb_inert();
    if (gb_names_find(&tape->input_names, name, &index)) {
        gb_fail(tape, GB_ENAME, "input %s: there is an input of that name already; choose another name",
                name);
        return gb_inert();
    }
    index = (uint32_t)tape->inputs.count;
    const char *kept = gb_arena_text(&tape->arena, name);
    if (!kept || !GB_LIST_GROW(&tape->memory, &tape->inputs, 1) ||
        !gb_names_add(&tape->memory, &tape->input_names, kept, index)) {
        gb_fail(tape, GB_ENOMEM, "input %s: out of memory", name);
        return gb_inert();
    }
    return input_add(tape, kept, shape, type, along);
}

gb_node gb_input_points(gb_tape *tape, const char *name, gb_shape shape)
{
    if (!tape || tape->status != GB_OK || !gb_leaf_shape_fits(tape, "input", name, shape))
        return gb_inert();
    const char *kept = gb_arena_text(&tape->arena, name);
    if (kept && GB_LIST_GROW(&tape->memory, &tape->inputs, 1))
        return input_add(tape, kept, shape, GB_TYPE_REAL, GB_SAMPLES);
    gb_fail(tape, GB_ENOMEM, "input %s: out of memory", name);
    return gb_inert();
}

gb_node gb_input(gb_tape *tape, const char *name, gb_shape shape)
{
    return input_new(tape, name, shape, GB_TYPE_REAL, 0);
}

gb_node gb_input_rows(gb_tape *tape, const char *name, gb_shape shape)
{
    return input_new(tape, name, shape, GB_TYPE_REAL, GB_ROWS);
}

gb_node gb_input_ints(gb_tape *tape, const char *name, gb_shape shape)
{
    return input_new(tape, name, shape, GB_TYPE_INT, 0);
}

gb_node gb_input_rows_ints(gb_tape *tape, const char *name, gb_shape shape)
{
    return input_new(tape, name, shape, GB_TYPE_INT, GB_ROWS);
}

/* Checks a feed; NULL on error. `count` receives the number of elements. */
static gb_input_slot *feed_slot(gb_node input, const void *values, int64_t rows, gb_type type, size_t *count)
{
    gb_tape *const tape = input.tape;
    if (!tape || !gb_usable(tape, input, "feed"))
        return NULL;
    const gb_record *record = gb_record_of(input);
    if (record->op != &gb_input_op) {
        gb_fail(tape, GB_EFEED, "feed: %s %s is not an input", record->op->name,
                record->name ? record->name : "");
        return NULL;
    }
    gb_input_slot *slot = &tape->inputs.at[((const gb_slot_index *)record->attributes)->index];
    const size_t each = gb_shape_count(slot->shape);
    if (slot->type != type)
        gb_fail(tape, GB_ETYPE, "feed: input %s holds %s; use %s", slot->name,
                slot->type == GB_TYPE_INT ? "integers" : "reals",
                slot->type == GB_TYPE_INT ? "gb_feed_ints" : "gb_feed");
    else if (!slot->along && rows != 1)
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

/* Returns the input's own memory for `count` elements; NULL on error. The old values stay valid until it
 * succeeds. */
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
    slot->order = NULL;
    slot->first = 0;
    slot->is_unused = true;
    return GB_OK;
}

/* Points may be anywhere. */
static bool numbers_fit(gb_tape *tape, const gb_input_slot *slot, size_t count, const double *values)
{
    const size_t each = gb_shape_count(slot->shape), large = gb_first_too_large(tape, count, values);
    return large == count || slot->along == GB_SAMPLES ||
           gb_fail(tape, GB_ELIMIT, "feed: input %s, row %zu, element %zu: %g is " GB_TOO_LARGE, slot->name,
                   large / each, large % each, values[large]) == GB_OK;
}

gb_status gb_feed(gb_node input, const double *values, int64_t rows)
{
    size_t count = 0;
    gb_input_slot *slot = feed_slot(input, values, rows, GB_TYPE_REAL, &count);
    const bool fits = slot && numbers_fit(input.tape, slot, count, values);
    void *copy = fits ? feed_copy(input.tape, slot, count) : NULL;
    if (!copy)
        return feed_error(input);
    gb_store_values(input.tape, GB_TYPE_REAL, copy, count, gb_values_of(values, count));
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
        gb_store_value(input.tape, GB_TYPE_REAL, copy, i, (double)values[i]);
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

const void *gb_input_data(gb_node input, size_t *bytes)
{
    *bytes = 0;
    if (!gb_node_ok(input) || gb_node_op(input) != &gb_input_op)
        return NULL;
    const gb_record *const record = gb_record_of(input);
    const gb_input_slot *const slot =
        &input.tape->inputs.at[((const gb_slot_index *)record->attributes)->index];
    if (slot->rows < 0)
        return NULL;
    *bytes =
        gb_shape_count(slot->shape) * (size_t)slot->rows * (gb_tape_real(input.tape) == GB_DOUBLE ? 8 : 4);
    return slot->data;
}
