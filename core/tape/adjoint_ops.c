/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The operations that gradients are made of: adding adjoints, repeating along axes, and summing along axes,
 * which is the derivative of repeating. */
#include "core/tape/op_impl.h"

#include <string.h>

/* ---- total: Σ terms ---- */

GB_DECLARE_KERNELS(total)
static const gb_block_kernels total_kernels = GB_KERNELS_OF(total, "x + y");

static bool total_infer(gb_infer *infer)
{
    if (infer->count == 0)
        return gb_infer_fail(infer, GB_EARGUMENT, "there is nothing to add");
    return gb_infer_broadcast(infer);
}

static void total_vjp(const gb_vjp *v)
{
    for (size_t i = 0; i < v->count; i++)
        v->adjoint[i] = v->gradient;
}

/* A plan evaluates it as a chain of additions: see make_total in core/plan/values.c. */
const gb_op gb_total_op = {.size = sizeof(gb_op),
                           .name = "total",
                           .formula = "x1 + x2 + …",
                           .form = GB_FORM_ELEMENTWISE,
                           .variadic = true,
                           .infer = total_infer,
                           .vjp = total_vjp,
                           .blocks = &total_kernels,
                           .domain = {{-3, 3}}};

gb_node gb_total(gb_tape *tape, size_t count, const gb_node *terms)
{
    if (count == 0)
        return gb_num(tape, 0);
    if (count == 1 && terms)
        return terms[0];
    return gb_apply(tape, &gb_total_op, count, terms, NULL, 0);
}

/* ---- broadcast ---- */

/* `inserted`: the axes of the result that the argument lacks. The other axes are the argument's, in order;
 * those of size 1 are repeated. */
typedef struct broadcast_attributes {
    gb_shape shape;
    uint32_t inserted;
    uint32_t unused;
} broadcast_attributes;

static bool broadcast_infer(gb_infer *infer)
{
    const broadcast_attributes *to = infer->attributes;
    const gb_shape from = infer->arg_shape[0];
    char from_text[GB_SHAPE_TEXT], to_text[GB_SHAPE_TEXT];
    int taken = 0;
    for (int i = 0; i < to->shape.rank; i++) {
        if (to->inserted >> i & 1u)
            continue;
        if (taken >= from.rank || (from.size[taken] != 1 && from.size[taken] != to->shape.size[i]))
            taken = GB_MAX_RANK;
        taken++;
    }
    if (to->shape.rank >= 0 && taken != from.rank)
        return gb_infer_fail(infer, GB_ESHAPE, "%s cannot be repeated to %s", gb_shape_text(from, from_text),
                             gb_shape_text(to->shape, to_text));
    infer->shape = to->shape;
    infer->type = infer->arg_type[0];
    return true;
}

static bool broadcast_view(const void *attributes, const gb_layout *arg, gb_layout *result)
{
    const broadcast_attributes *to = attributes;
    result->shape = to->shape;
    for (int i = 0, taken = 0; i < to->shape.rank; i++) {
        const bool inserted = to->inserted >> i & 1u;
        result->stride[i] = inserted || arg->shape.size[taken] == 1 ? 0 : arg->stride[taken];
        taken += !inserted;
    }
    return true;
}

static gb_node broadcast(gb_node x, gb_shape shape, uint32_t inserted)
{
    broadcast_attributes attributes;
    memset(&attributes, 0, sizeof attributes); /* attributes are compared as bytes */
    gb_shape_copy(&attributes.shape, shape);
    attributes.inserted = inserted;
    return gb_apply(NULL, &gb_broadcast_op, 1, &x, &attributes, sizeof attributes);
}

static void broadcast_vjp(const gb_vjp *v)
{
    const broadcast_attributes *to = v->attributes;
    const gb_shape from = gb_node_shape(v->arg[0]);
    uint32_t stretched = 0, kept_ones = 0;
    for (int i = 0, taken = 0; i < to->shape.rank; i++) {
        if (to->inserted >> i & 1u)
            continue;
        if (from.size[taken] == 1 && to->shape.size[i] != 1) {
            stretched |= 1u << i;
            kept_ones |= 1u << taken;
        }
        taken++;
    }
    const gb_node g = gb_broadcast_to(v->gradient, to->shape);
    const gb_node sum = gb_reduce(&gb_sum_op, g, (gb_reduce_over){.visible = to->inserted | stretched});
    v->adjoint[0] = kept_ones ? broadcast(sum, from, kept_ones) : sum;
}

static int same_shape(size_t count, const gb_node *arg, const void *attributes)
{
    (void)count;
    return gb_shape_same(gb_node_shape(arg[0]), ((const broadcast_attributes *)attributes)->shape) ? 0 : -1;
}

static gb_node broadcast_example(gb_example *e)
{
    gb_shape to = e->shape(e, 0, 4, 0, 3);
    gb_shape from = {.rank = to.rank > 0 ? (int)e->integer(e, 0, to.rank) : 0};
    for (int i = 0; i < from.rank; i++)
        from.size[i] = e->integer(e, 0, 2) ? to.size[i + to.rank - from.rank] : 1;
    return gb_broadcast_to(e->real(e, from, -2, 2), to);
}

const gb_op gb_broadcast_op = {.size = sizeof(gb_op),
                               .name = "broadcast",
                               .attribute_bytes = sizeof(broadcast_attributes),
                               .formula = "x, repeated along axes",
                               .form = GB_FORM_VIEW,
                               .arguments = 1,
                               .infer = broadcast_infer,
                               .vjp = broadcast_vjp,
                               .same_as = same_shape,
                               .view = broadcast_view,
                               .example = broadcast_example};

gb_node gb_broadcast_to(gb_node x, gb_shape shape)
{
    const gb_shape from = gb_node_shape(x);
    if (gb_shape_same(from, shape))
        return x;
    const int more = shape.rank - from.rank;
    return broadcast(x, shape, more > 0 && more <= GB_MAX_RANK ? (1u << more) - 1 : 0);
}

/* ---- widen: constant along more hidden axes ---- */

static bool widen_infer(gb_infer *infer)
{
    const gb_axes axes = infer->axes;
    gb_infer_first(infer);
    infer->axes = axes | *(const gb_axes *)infer->attributes;
    return true;
}

static void widen_vjp(const gb_vjp *v)
{
    v->adjoint[0] = v->gradient; /* the engine sums it over the axes that the argument lacks */
}

static const gb_op widen_op = {.size = sizeof(gb_op),
                               .name = "widen",
                               .attribute_bytes = sizeof(gb_axes),
                               .formula = "x, for each place of more hidden axes",
                               .form = GB_FORM_ALIAS,
                               .arguments = 1,
                               .infer = widen_infer,
                               .vjp = widen_vjp};

gb_node gb_widen(gb_node x, gb_axes axes)
{
    if (gb_node_ok(x) && (axes & ~gb_node_axes(x)) == 0)
        return x;
    return gb_apply(NULL, &widen_op, 1, &x, &axes, sizeof axes);
}

/* ---- sum ---- */

/* One axis of a node in the order of memory: hidden axes first. */
typedef struct memory_axis {
    gb_axes hidden; /* the axis, if it is a hidden one */
    int visible;
} memory_axis;

static int memory_axes(gb_node x, memory_axis axes[GB_MAX_HIDDEN + GB_MAX_RANK])
{
    int count = 0;
    for (gb_axes rest = gb_node_axes(x); rest; rest &= rest - 1)
        axes[count++] = (memory_axis){.hidden = rest & (~rest + 1)};
    for (int i = 0; i < gb_node_shape(x).rank; i++)
        axes[count++] = (memory_axis){.visible = i};
    return count;
}

static bool is_reduced(const gb_reduce_over *over, memory_axis axis)
{
    return axis.hidden ? (over->hidden & axis.hidden) != 0 : over->visible >> axis.visible & 1u;
}

static bool is_one_run(gb_node x, const gb_reduce_over *over)
{
    memory_axis axes[GB_MAX_HIDDEN + GB_MAX_RANK];
    const int count = memory_axes(x, axes);
    int runs = 0;
    for (int i = 0; i < count; i++)
        runs += is_reduced(over, axes[i]) && (i == 0 || !is_reduced(over, axes[i - 1]));
    return runs <= 1;
}

bool gb_infer_reduce(gb_infer *infer)
{
    const gb_reduce_over *over = infer->attributes;
    const gb_shape from = infer->arg_shape[0];
    int64_t kept[GB_MAX_RANK];
    int rank = 0;
    if ((over->hidden & ~infer->axes) || over->visible >> from.rank)
        return gb_infer_fail(infer, GB_ESHAPE, "the argument lacks an axis that is to be reduced");
    if (!is_one_run(infer->arg[0], over))
        return gb_infer_fail(
            infer, GB_ESHAPE,
            "the axes are not neighbours in memory; gb_reduce reduces one run of them after the other");
    for (int i = 0; i < from.rank; i++) {
        const bool reduced = over->visible >> i & 1u;
        if (reduced && from.size[i] == 0 && infer->op->reduction == GB_REDUCE_MAX)
            return gb_infer_fail(infer, GB_ESHAPE, "axis %d is empty and has no maximum", i);
        if (!reduced)
            kept[rank++] = from.size[i];
    }
    infer->shape = gb_shape_of(rank, kept);
    infer->axes &= ~over->hidden;
    return true;
}

static void sum_vjp(const gb_vjp *v)
{
    const gb_reduce_over *over = v->attributes;
    v->adjoint[0] =
        over->visible ? broadcast(v->gradient, gb_node_shape(v->arg[0]), over->visible) : v->gradient;
}

static gb_node sum_example(gb_example *e)
{
    const gb_node x = e->real(e, e->shape(e, 1, 4, 0, 4), -2, 2);
    const uint32_t axes = (uint32_t)e->integer(e, 1, (1 << gb_node_shape(x).rank) - 1);
    return gb_reduce(&gb_sum_op, x, (gb_reduce_over){.visible = axes});
}

const gb_op gb_sum_op = {.size = sizeof(gb_op),
                         .name = "sum",
                         .formula = "Σ x over axes",
                         .form = GB_FORM_REDUCE,
                         .arguments = 1,
                         .infer = gb_infer_reduce,
                         .vjp = sum_vjp,
                         .reduction = GB_REDUCE_SUM,
                         .example = sum_example};

/* Goes from the last axis to the first, so that the remaining axes keep their numbers. */
gb_node gb_reduce(const gb_op *op, gb_node x, gb_reduce_over over)
{
    memory_axis axes[GB_MAX_HIDDEN + GB_MAX_RANK];
    if (over.hidden == 0 && over.visible == 0)
        return x;
    if (!gb_node_ok(x) || (over.hidden & ~gb_node_axes(x)) || over.visible >> gb_node_shape(x).rank)
        return gb_apply(NULL, op, 1, &x, &over, sizeof over); /* records the error */
    gb_reduce_over run;
    memset(&run, 0, sizeof run);
    for (int i = memory_axes(x, axes) - 1; i >= -1; i--) {
        const bool reduced = i >= 0 && is_reduced(&over, axes[i]);
        if (reduced && axes[i].hidden)
            run.hidden |= axes[i].hidden;
        else if (reduced)
            run.visible |= 1u << axes[i].visible;
        else if (run.hidden || run.visible) {
            x = gb_apply(NULL, op, 1, &x, &run, sizeof run);
            memset(&run, 0, sizeof run);
        }
    }
    return x;
}

gb_node gb_sum_to(gb_node x, gb_shape shape, gb_axes axes)
{
    const gb_shape from = gb_node_shape(x);
    gb_reduce_over over = {.hidden = gb_node_axes(x) & ~axes};
    if (gb_shape_of(shape.rank, shape.size).rank < 0) {
        gb_fail(x.tape, GB_ESHAPE, "sum_to: the shape is invalid");
        return (gb_node){0};
    }
    const int more = from.rank - shape.rank;
    uint32_t ones = 0;
    for (int i = 0; i < from.rank; i++) {
        if (i < more)
            over.visible |= 1u << i;
        else if (shape.size[i - more] == 1 && from.size[i] != 1) {
            over.visible |= 1u << i;
            ones |= 1u << (i - more);
        }
    }
    const gb_node sum = gb_reduce(&gb_sum_op, x, over);
    return ones ? broadcast(sum, shape, ones) : sum;
}
