/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ops/scan.h"

#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/arrays/axis_impl.h"
#include "ops/elementwise.h"
#include "ops/elementwise/composite_impl.h"
#include "ops/elementwise/element_impl.h"
#include "ops/reduce.h"

/* ---- running sums ---- */

typedef struct cumsum_attributes {
    int64_t axis;
    int32_t reverse, exclusive; /* attributes are compared as bytes, so there is no padding */
} cumsum_attributes;

static void cumsum_line(const gb_kernel_call *call, const gb_lines *lines, int64_t line, int64_t first,
                        const void *const *in, void *out)
{
    const cumsum_attributes *how = call->attributes;
    double sum = 0;
    (void)line;
    for (int64_t i = 0; i < lines->size; i++) {
        const int64_t at = first + (how->reverse ? lines->size - 1 - i : i) * lines->inner;
        const double next = i == 0 ? gb_real_at(call, in[0], at) : sum + gb_real_at(call, in[0], at);
        gb_put_real(call, out, at, how->exclusive ? sum : next);
        sum = next;
    }
}

static void cumsum_event(const gb_kernel_call *call, const void *const *in, void *out)
{
    const cumsum_attributes *how = call->attributes;
    const gb_lines lines = gb_lines_along(&call->out_layout.shape, how->axis);
    gb_each_line(call, &lines, in, out, cumsum_line);
}

static void cumsum_run(const gb_kernel_call *call)
{
    gb_each_event(call, cumsum_event);
}

static void cumsum_vjp(const gb_vjp *v)
{
    const cumsum_attributes *how = v->attributes;
    v->adjoint[0] =
        gb_cumsum(v->gradient, (int)how->axis, .reverse = !how->reverse, .exclusive = how->exclusive != 0);
}

static gb_node cumsum_example(gb_example *e)
{
    const gb_node x = e->real(e, e->shape(e, 1, 3, 0, 5), -2, 2);
    const int axis = (int)e->integer(e, 0, gb_node_shape(x).rank - 1);
    const bool reverse = e->integer(e, 0, 1), exclusive = e->integer(e, 0, 1);
    return gb_cumsum(x, axis, .reverse = reverse, .exclusive = exclusive);
}

const gb_op gb_cumsum_op = {.size = sizeof(gb_op),
                            .name = "cumsum",
                            .attribute_bytes = sizeof(cumsum_attributes),
                            .formula = "x1, x1 + x2, … along an axis",
                            .form = GB_FORM_KERNEL,
                            .arguments = 1,
                            .infer = gb_infer_first,
                            .vjp = cumsum_vjp,
                            .run = cumsum_run,
                            .example = cumsum_example};

gb_node gb_cumsum_with(gb_node x, int axis, const gb_cumsum_options *options)
{
    gb_cumsum_options own;
    if (!gb_options_take(x.tape, "cumsum", &own, sizeof own, options))
        return (gb_node){0};
    const int along = gb_axis_from_front(x, "cumsum", axis);
    if (along < 0)
        return (gb_node){0};
    const cumsum_attributes how = {.axis = along, .reverse = own.reverse, .exclusive = own.exclusive};
    return gb_apply(NULL, &gb_cumsum_op, 1, &x, &how, sizeof how);
}

/* ---- products ---- */

/* Multiplies the first half by the second until one element is left. Of an odd number, the last one waits for
 * the end. */
static gb_node prod_axis(gb_node x, int axis)
{
    int64_t size = gb_node_shape(x).size[axis];
    gb_node product = x, odd = {0};
    if (size == 0)
        return gb_shift(gb_sum_along(x, gb_axis(axis)), 1); /* 1, with the hidden axes of x */
    for (; size > 1; size /= 2) {
        const int64_t half = size / 2;
        if (size % 2) {
            const gb_node last = gb_slice(product, axis, size - 1, size);
            odd = gb_node_ok(odd) ? gb_mul(odd, last) : last;
        }
        product = gb_mul(gb_slice(product, axis, 0, half), gb_slice(product, axis, half, 2 * half));
    }
    return gb_squeeze(gb_node_ok(odd) ? gb_mul(product, odd) : product, axis);
}

static gb_node prod_bits(gb_node x, uint32_t axes)
{
    for (int axis = gb_node_shape(x).rank - 1; axis >= 0; axis--)
        if (gb_node_ok(x) && axes >> axis & 1u)
            x = prod_axis(x, axis);
    return x;
}

gb_node gb_prod_along(gb_node x, gb_axis_list axes)
{
    uint32_t bits;
    return gb_axis_bits(x, "prod", axes, &bits) ? prod_bits(x, bits) : (gb_node){0};
}

gb_node gb_prod(gb_node x)
{
    if (!gb_node_check(x, "prod"))
        return (gb_node){0};
    const gb_shape flat = gb_shape((int64_t)gb_shape_count(gb_node_shape(x)));
    return prod_axis(gb_reshape(x, flat), 0);
}

static gb_node prod_example(gb_example *e)
{
    const gb_node x = e->real(e, e->shape(e, 1, 3, 0, 4), -1.5, 1.5);
    const int axis = (int)e->integer(e, 0, gb_node_shape(x).rank - 1);
    return e->integer(e, 0, 1) ? gb_prod_along(x, gb_axis(axis)) : gb_prod(x);
}

GB_COMPOSITE(prod, "the product of x over axes", prod_example);
