/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ops/array.h"

#include <string.h>

#include "ops/arrays/axis_impl.h"

/* ---- reshape ---- */

static bool reshape_infer(gb_infer *infer)
{
    const gb_shape *to = infer->attributes;
    char a[GB_SHAPE_TEXT], b[GB_SHAPE_TEXT];
    gb_infer_first(infer);
    if (gb_shape_of(to->rank, to->size).rank >= 0 && gb_shape_count(*to) != gb_shape_count(infer->shape))
        return gb_infer_fail(infer, GB_ESHAPE, "%s does not have as many elements as %s",
                             gb_shape_text(infer->shape, a), gb_shape_text(*to, b));
    infer->shape = *to;
    return true;
}

static void reshape_vjp(const gb_vjp *v)
{
    const gb_node g = v->gradient;
    v->adjoint[0] = gb_reshape(g, gb_node_shape(v->arg[0]));
}

static int reshape_same_as(size_t count, const gb_node *arg, const void *attributes)
{
    (void)count;
    return gb_shape_same(gb_node_shape(arg[0]), *(const gb_shape *)attributes) ? 0 : -1;
}

static gb_node reshape_example(gb_example *e)
{
    const int64_t a = e->integer(e, 1, 3), b = e->integer(e, 0, 3), c = e->integer(e, 1, 2);
    const gb_node x = e->real(e, gb_shape(a, b, c), -2, 2);
    return e->integer(e, 0, 1) ? gb_reshape(x, gb_shape(c * b, a)) : gb_reshape(x, gb_shape(a * b * c));
}

const gb_op gb_reshape_op = {.size = sizeof(gb_op),
                             .name = "reshape",
                             .attribute_bytes = sizeof(gb_shape),
                             .formula = "the elements of x under another shape",
                             .form = GB_FORM_ALIAS,
                             .arguments = 1,
                             .infer = reshape_infer,
                             .vjp = reshape_vjp,
                             .same_as = reshape_same_as,
                             .example = reshape_example};

gb_node gb_reshape(gb_node x, gb_shape shape)
{
    gb_shape attributes;
    gb_shape_copy(&attributes, shape);
    return gb_apply(NULL, &gb_reshape_op, 1, &x, &attributes, sizeof attributes);
}

gb_node gb_broadcast(gb_node x, gb_shape shape)
{
    return gb_broadcast_to(x, shape);
}

/* ---- transpose ---- */

static bool transpose_infer(gb_infer *infer)
{
    const gb_axis_list *order = infer->attributes;
    gb_infer_first(infer);
    for (int i = 0; i < order->count; i++)
        infer->shape.size[i] = infer->arg_shape[0].size[order->axis[i]];
    return true;
}

static bool transpose_view(const void *attributes, const gb_layout *arg, gb_layout *result)
{
    const gb_axis_list *order = attributes;
    for (int i = 0; i < order->count; i++) {
        result->shape.size[i] = arg->shape.size[order->axis[i]];
        result->stride[i] = arg->stride[order->axis[i]];
    }
    return true;
}

static void transpose_vjp(const gb_vjp *v)
{
    const gb_axis_list *order = v->attributes;
    gb_axis_list back = {.count = order->count};
    for (int i = 0; i < order->count; i++)
        back.axis[order->axis[i]] = i;
    v->adjoint[0] = gb_transpose(v->gradient, back);
}

static int transpose_same_as(size_t count, const gb_node *arg, const void *attributes)
{
    (void)count, (void)arg;
    const gb_axis_list *order = attributes;
    for (int i = 0; i < order->count; i++)
        if (order->axis[i] != i)
            return -1;
    return 0;
}

static gb_node transpose_example(gb_example *e)
{
    static const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    const gb_node x = e->real(e, e->shape(e, 3, 3, 0, 3), -2, 2);
    return gb_transpose(x, gb_axis_of(3, orders[e->integer(e, 0, 5)]));
}

const gb_op gb_transpose_op = {.size = sizeof(gb_op),
                               .name = "transpose",
                               .attribute_bytes = sizeof(gb_axis_list),
                               .formula = "x with its axes in another order",
                               .form = GB_FORM_VIEW,
                               .arguments = 1,
                               .infer = transpose_infer,
                               .vjp = transpose_vjp,
                               .same_as = transpose_same_as,
                               .view = transpose_view,
                               .example = transpose_example};

gb_node gb_transpose(gb_node x, gb_axis_list order)
{
    const int rank = gb_node_shape(x).rank;
    gb_axis_list full;
    uint32_t seen = 0;
    memset(&full, 0, sizeof full);
    if (!gb_node_check(x, "transpose"))
        return (gb_node){0};
    if (order.count != 0 && order.count != rank) {
        gb_fail(x.tape, GB_ESHAPE, "transpose: %d axes were named, the argument has %d", order.count, rank);
        return (gb_node){0};
    }
    full.count = rank;
    for (int i = 0; i < rank; i++) {
        full.axis[i] = order.count ? gb_axis_from_front(x, "transpose", order.axis[i]) : rank - 1 - i;
        if (full.axis[i] < 0)
            return (gb_node){0};
        if (seen >> full.axis[i] & 1u) {
            gb_fail(x.tape, GB_ESHAPE, "transpose: axis %d is named twice", order.axis[i]);
            return (gb_node){0};
        }
        seen |= 1u << full.axis[i];
    }
    return gb_apply(NULL, &gb_transpose_op, 1, &x, &full, sizeof full);
}
