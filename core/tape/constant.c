/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Constants, and values that are known at recording. */
#include "core/tape/leaf_impl.h"
#include "core/tape/values_impl.h"

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
    return gb_leaf(tape, &gb_constant_op, shape, type, 0, NULL, &constant, sizeof constant);
}

gb_node gb_constant(gb_tape *tape, gb_shape shape, gb_values values)
{
    if (!tape || tape->status != GB_OK || !gb_leaf_shape_fits(tape, "constant", "", shape) ||
        !gb_leaf_values_fit(tape, "constant", "", shape, values))
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
    if (!tape || tape->status != GB_OK || !gb_leaf_shape_fits(tape, "ints", "", shape))
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
    if (!value)
        return true;
    *value = node.tape->options.real == GB_DOUBLE ? ((const int64_t *)data)[index]
                                                  : ((const int32_t *)data)[index];
    return true;
}

/* ---- values known at recording ---- */

/* An alias of one argument has the gradient of its value, or none. An alias of several may have another
 * gradient, so its value alone does not describe it. */
static bool is_plain_alias(const gb_record *record)
{
    return record->op->form == GB_FORM_ALIAS && record->args == 1 && !record->op->opens;
}

bool gb_is_uniform(gb_node node, double *value)
{
    if (!gb_node_ok(node))
        return false;
    const gb_record *record = gb_record_of(node);
    while (record->op == &gb_broadcast_op || is_plain_alias(record))
        record = &node.tape->nodes.at[record->arg[0]];
    if (record->op != &gb_constant_op)
        return false;
    const gb_constant_data *constant = record->attributes;
    if (constant->data)
        return false;
    if (value)
        *value = constant->value;
    return true;
}
