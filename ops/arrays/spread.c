/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ops/spread.h"

#include <string.h>

#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/reduce.h"

typedef struct spread_attributes {
    gb_axes axis;
    int64_t first;
} spread_attributes;

static bool infer(gb_infer *infer)
{
    const spread_attributes *const spread = infer->attributes;
    gb_shape *const shape = &infer->shape;
    char text[GB_SHAPE_TEXT];
    *shape = infer->arg_shape[0];
    if (shape->rank < 1 || shape->size[0] < 1)
        return gb_infer_fail(infer, GB_ESHAPE, "shape %s has no first axis with elements along it",
                             gb_shape_text(*shape, text));
    const int64_t places = gb_site_axis_size(infer->tape, spread->axis);
    if (spread->first < 1 || spread->first > places - (shape->size[0] - 1))
        return gb_infer_fail(infer, GB_EARGUMENT, "%lld values from place %lld on do not fit an axis of %lld",
                             (long long)shape->size[0] - 1, (long long)spread->first, (long long)places);
    if (gb_node_axes(infer->arg[0]) & spread->axis)
        return gb_infer_fail(infer, GB_ESHAPE, "the argument varies along that hidden axis already");
    memmove(shape->size, shape->size + 1, (size_t)(shape->rank - 1) * sizeof *shape->size);
    shape->rank--;
    return true;
}

/* Copies one event; the second argument is its place along the axis. */
static void copy_one(const gb_kernel_call *call, const void *const *in, void *out)
{
    const spread_attributes *const spread = call->attributes;
    const bool is_float = call->real == GB_FLOAT;
    const double place = is_float ? (double)*(const float *)in[1] : *(const double *)in[1];
    const int64_t number = (int64_t)place - spread->first + 1;
    const bool is_ours = number >= 1 && number < call->arg[0].shape.size[0];
    const size_t bytes = gb_shape_count(call->out_layout.shape) * (is_float ? sizeof(float) : sizeof(double));
    memcpy(out, (const char *)in[0] + (is_ours ? (size_t)number * bytes : 0), bytes);
}

/* Copies [outer, inner, values, count] elements to [outer, places, inner, count]. */
#define COPY(name, real)                                                                                     \
    static void name(real *to, const real *from, int64_t outer, int64_t inner, int64_t places,               \
                     int64_t first, int64_t values, size_t count)                                            \
    {                                                                                                        \
        for (int64_t o = 0; o < outer; o++)                                                                  \
            for (int64_t place = 0; place < places; place++) {                                               \
                const int64_t number = place - first + 1;                                                    \
                const bool is_ours = number >= 1 && number < values;                                         \
                const real *row = from + (size_t)(o * inner * values + (is_ours ? number : 0)) * count;      \
                for (int64_t i = 0; i < inner; i++, row += (size_t)values * count, to += count)              \
                    for (size_t j = 0; j < count; j++)                                                       \
                        to[j] = row[j];                                                                      \
            }                                                                                                \
    }
COPY(copy_double, double)
COPY(copy_float, float)

/* At once where x varies along all other hidden axes of the result. */
static void run(const gb_kernel_call *call)
{
    const spread_attributes *const spread = call->attributes;
    const gb_layout *const out = &call->out_layout;
    int64_t outer = 1, inner = 1, places = 1, place = 0;
    if ((call->arg[0].axes | spread->axis) != out->axes) {
        gb_each_event(call, copy_one);
        return;
    }
    for (gb_axes rest = out->axes; rest; rest &= rest - 1, place++) {
        const gb_axes axis = rest & (~rest + 1);
        *(axis == spread->axis ? &places : axis < spread->axis ? &outer : &inner) *= out->hidden_size[place];
    }
    const size_t count = gb_shape_count(out->shape);
    const int64_t values = call->arg[0].shape.size[0];
    if (values == places && inner == 1) /* then the first place is 1, and all values are where they were */
        memcpy(call->out, call->in[0],
               gb_layout_count(out) * (call->real == GB_FLOAT ? sizeof(float) : sizeof(double)));
    else if (call->real == GB_FLOAT)
        copy_float(call->out, call->in[0], outer, inner, places, spread->first, values, count);
    else
        copy_double(call->out, call->in[0], outer, inner, places, spread->first, values, count);
}

/* x[0] gets the sum of the adjoints at all other places. */
static void vjp(const gb_vjp *v)
{
    const spread_attributes *const spread = v->attributes;
    const gb_node all = gb_reveal(v->gradient, spread->axis);
    const int64_t ours = gb_node_shape(v->arg[0]).size[0] - 1, first = spread->first, end = first + ours;
    const gb_node before = gb_sum_along(gb_slice(all, 0, 0, first), gb_axis(0));
    const gb_node after = gb_sum_along(gb_slice(all, 0, end, gb_node_shape(all).size[0]), gb_axis(0));
    const gb_node rest = gb_expand(gb_total(v->tape, 2, (const gb_node[]){before, after}), 0);
    v->adjoint[0] = gb_concat(2, (const gb_node[]){rest, gb_slice(all, 0, first, end)}, 0);
}

static gb_node example(gb_example *e)
{
    const int64_t values = e->integer(e, 1, 3), before = e->integer(e, 1, 2), after = e->integer(e, 0, 2);
    const gb_axes axis = gb_site_axis(e->tape, "spread", before + values - 1 + after);
    gb_shape shape = e->shape(e, 0, 2, 0, 3);
    memmove(shape.size + 1, shape.size, (size_t)shape.rank * sizeof *shape.size);
    shape.size[0] = values;
    shape.rank++;
    return gb_spread(e->real(e, shape, -2, 2), axis, before);
}

const gb_op gb_spread_op = {.size = sizeof(gb_op),
                            .name = "spread",
                            .formula = "x[i - first + 1] at place i of a hidden axis, or x[0]",
                            .form = GB_FORM_KERNEL,
                            .arguments = 2,
                            .attribute_bytes = sizeof(spread_attributes),
                            .infer = infer,
                            .vjp = vjp,
                            .run = run,
                            .example = example};

gb_node gb_spread(gb_node x, gb_axes axis, int64_t first)
{
    const spread_attributes attributes = {.axis = axis, .first = first};
    if (!gb_node_check(x, "spread"))
        return (gb_node){0};
    const gb_node arg[] = {x, gb_axis_index(x.tape, axis)};
    return gb_apply(NULL, &gb_spread_op, 2, arg, &attributes, sizeof attributes);
}
