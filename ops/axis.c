/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ops/axis_impl.h"

int gb_axis_from_front(gb_node x, const char *who, int axis)
{
    char text[GB_SHAPE_TEXT];
    const int rank = gb_node_shape(x).rank, from_front = axis < 0 ? axis + rank : axis;
    if (!gb_check_node(x, who))
        return -1;
    if (from_front >= 0 && from_front < rank)
        return from_front;
    gb_fail(x.tape, GB_ESHAPE, "%s: axis %d is not one of shape %s", who, axis,
            gb_shape_text(gb_node_shape(x), text));
    return -1;
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
