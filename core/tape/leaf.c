/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Leaves: recording them, and the checks that they share. */
#include "core/tape/leaf_impl.h"

#include <string.h>

#include "core/tape/values_impl.h"

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

gb_node gb_leaf(gb_tape *tape, const gb_op *op, gb_shape shape, gb_type type, gb_axes axes, const char *name,
                const void *attributes, size_t attribute_bytes)
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

/* ---- checks that leaves share ---- */

bool gb_leaf_shape_fits(gb_tape *tape, const char *who, const char *name, gb_shape shape)
{
    if (gb_shape_of(shape.rank, shape.size).rank >= 0)
        return true;
    gb_fail(tape, GB_ELIMIT, "%s %s: the shape is invalid: rank 0 to %d, no negative size, no overflow", who,
            name, GB_MAX_RANK);
    return false;
}

bool gb_leaf_values_fit(gb_tape *tape, const char *who, const char *name, gb_shape shape, gb_values values)
{
    char text[GB_SHAPE_TEXT];
    if (!values.data && values.count > 0) {
        gb_fail(tape, GB_EARGUMENT, "%s %s: a pointer to %zu values is NULL", who, name, values.count);
        return false;
    }
    const double *const value = values.data ? values.data : &values.fill;
    const size_t count = values.data ? values.count : 1, large = gb_first_too_large(tape, count, value);
    if (values.data && count != gb_shape_count(shape))
        gb_fail(tape, GB_ESHAPE, "%s %s: shape %s takes %zu values, %zu were given (gb_fill repeats one)",
                who, name, gb_shape_text(shape, text), gb_shape_count(shape), count);
    else if (large < count)
        gb_fail(tape, GB_ELIMIT, "%s %s: value %zu is %g, " GB_TOO_LARGE, who, name, large, value[large]);
    return gb_error(tape) == GB_OK;
}

bool gb_leaf_name_given(gb_tape *tape, const char *who, const char *name)
{
    if (name && *name)
        return true;
    gb_fail(tape, GB_ENAME, "%s: a name is required", who);
    return false;
}

gb_node gb_num(gb_tape *tape, double value)
{
    if (!tape || tape->status != GB_OK || !gb_leaf_values_fit(tape, "num", "", gb_shape(), gb_fill(value)))
        return gb_inert();
    const gb_constant_data constant = {.value = value};
    return gb_leaf(tape, &gb_constant_op, gb_shape(), GB_TYPE_REAL, 0, NULL, &constant, sizeof constant);
}
