/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ops/arrays/axis_impl.h"

int gb_axis_from_front(gb_node x, const char *who, int axis)
{
    char text[GB_SHAPE_TEXT];
    const int rank = gb_node_shape(x).rank, from_front = axis < 0 ? axis + rank : axis;
    if (!gb_node_check(x, who))
        return -1;
    if (from_front >= 0 && from_front < rank)
        return from_front;
    gb_fail(x.tape, GB_ESHAPE, "%s: axis %d is not one of shape %s", who, axis,
            gb_shape_text(gb_node_shape(x), text));
    return -1;
}

bool gb_axis_bits(gb_node x, const char *who, gb_axis_list axes, uint32_t *bits)
{
    const int rank = gb_node_shape(x).rank;
    char text[GB_SHAPE_TEXT];
    *bits = 0;
    if (!gb_node_check(x, who))
        return false;
    if (axes.count < 0 || axes.count > GB_MAX_RANK) {
        gb_fail(x.tape, GB_ESHAPE, "%s: more axes than an array can have", who);
        return false;
    }
    for (int i = 0; i < axes.count; i++) {
        const int axis = axes.axis[i] < 0 ? axes.axis[i] + rank : axes.axis[i];
        if (axis < 0 || axis >= rank || (*bits >> axis & 1u)) {
            gb_fail(x.tape, GB_ESHAPE, "%s: axis %d is %s %s", who, axes.axis[i],
                    axis < 0 || axis >= rank ? "not one of shape" : "named twice for shape",
                    gb_shape_text(gb_node_shape(x), text));
            return false;
        }
        *bits |= 1u << axis;
    }
    return true;
}

gb_node gb_as_drawn(gb_node x, gb_axes axes)
{
    const gb_axes lacks = axes & ~gb_node_axes(x) & (GB_SAMPLES | GB_ROWS);
    if (lacks && gb_node_body(x)) {
        gb_fail(
            x.tape, GB_EARGUMENT,
            "%s (node %u) does not vary along the %s so far, but may do so from the second step on: reduce "
            "it outside the step, or begin with a state that varies",
            gb_node_op_name(x), x.id, lacks & GB_ROWS ? "rows" : "samples");
        return (gb_node){0};
    }
    return (axes & GB_SAMPLES) && gb_is_open(x) ? gb_widen(x, gb_node_axes(x) | GB_SAMPLES) : x;
}

bool gb_index_in_range(const gb_infer *infer, int64_t size)
{
    const gb_node index = infer->arg[1];
    const size_t count = gb_shape_count(infer->arg_shape[1]);
    for (size_t i = 0; i < count; i++) {
        int64_t value;
        if (!gb_constant_int(index, i, &value))
            return true;
        if (value < 0 || value >= size)
            return gb_infer_fail(infer, GB_EARGUMENT, "index %lld is not below the axis' size %lld",
                                 (long long)value, (long long)size);
    }
    return true;
}

gb_lines gb_lines_along(const gb_shape *shape, int64_t axis)
{
    gb_lines lines = {.outer = 1, .size = shape->size[axis], .inner = 1};
    for (int64_t i = 0; i < shape->rank; i++)
        *(i < axis ? &lines.outer : &lines.inner) *= i == axis ? 1 : shape->size[i];
    return lines;
}

void gb_each_line(const gb_kernel_call *call, const gb_lines *lines, const void *const *in, void *out,
                  gb_line_function *each)
{
    for (int64_t o = 0, line = 0; o < lines->outer; o++)
        for (int64_t j = 0; j < lines->inner; j++, line++)
            each(call, lines, line, o * lines->size * lines->inner + j, in, out);
}

void gb_fill_zeros(const gb_kernel_call *call, bool negative)
{
    const double zero = negative ? -0.0 : 0.0;
    const size_t count = gb_layout_count(&call->out_layout);
    if (call->real == GB_FLOAT)
        for (size_t i = 0; i < count; i++)
            ((float *)call->out)[i] = (float)zero;
    else
        for (size_t i = 0; i < count; i++)
            ((double *)call->out)[i] = zero;
}
