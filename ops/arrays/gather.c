/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gather selects slices by index; scatter_add is its adjoint. */
#include <math.h>

#include "ops/array.h"
#include "ops/arrays/axis_impl.h"

typedef struct gather_attributes {
    int64_t axis, size; /* of the array from which slices are gathered */
    gb_axes summed;     /* hidden axes over which scatter_add also sums: the rows, if they share a table */
} gather_attributes;

/* Returns `shape` with the axis replaced by the axes of `index`. */
static gb_shape replace_axis(gb_shape shape, int64_t axis, gb_shape index)
{
    int64_t sizes[2 * GB_MAX_RANK];
    int rank = 0;
    for (int i = 0; i < shape.rank; i++) {
        if (i != axis)
            sizes[rank++] = shape.size[i];
        for (int j = 0; i == axis && j < index.rank; j++)
            sizes[rank++] = index.size[j];
    }
    return rank > GB_MAX_RANK ? (gb_shape){.rank = -1} : gb_shape_of(rank, sizes);
}

static bool gather_infer(gb_infer *infer)
{
    const gather_attributes *gather = infer->attributes;
    infer->shape = replace_axis(infer->arg_shape[0], gather->axis, infer->arg_shape[1]);
    return gb_index_in_range(infer, gather->size);
}

typedef struct gather_sizes {
    int64_t outer, places, inner, size;
} gather_sizes;

/* `whole` is the shape with the axis; `index` is the shape of the index. */
static gather_sizes sizes_of(const gather_attributes *gather, const gb_shape *whole, const gb_shape *index)
{
    gather_sizes s = {
        .outer = 1, .inner = 1, .places = (int64_t)gb_shape_count(*index), .size = gather->size};
    for (int64_t i = 0; i < whole->rank; i++)
        *(i < gather->axis ? &s.outer : &s.inner) *= i == gather->axis ? 1 : whole->size[i];
    return s;
}

#define GATHER(real, lane, missing)                                                                          \
    static void gather_##real(const gb_kernel_call *call, const void *const *in, void *out)                  \
    {                                                                                                        \
        const gather_sizes s = sizes_of(call->attributes, &call->arg[0].shape, &call->arg[1].shape);         \
        const real *from = in[0];                                                                            \
        const lane *index = in[1];                                                                           \
        real *to = out;                                                                                      \
        for (int64_t o = 0; o < s.outer; o++)                                                                \
            for (int64_t p = 0; p < s.places; p++) {                                                         \
                const bool there = index[p] >= 0 && index[p] < s.size;                                       \
                for (int64_t i = 0; i < s.inner; i++)                                                        \
                    *to++ = there ? from[(o * s.size + index[p]) * s.inner + i] : missing;                   \
            }                                                                                                \
    }                                                                                                        \
    static void scatter_##real(const gb_kernel_call *call, const void *const *in, void *out)                 \
    {                                                                                                        \
        const gather_sizes s = sizes_of(call->attributes, &call->out_layout.shape, &call->arg[1].shape);     \
        const real *from = in[0];                                                                            \
        const lane *index = in[1];                                                                           \
        real *to = out;                                                                                      \
        for (int64_t o = 0; o < s.outer; o++)                                                                \
            for (int64_t p = 0; p < s.places; p++, from += s.inner) {                                        \
                const bool there = index[p] >= 0 && index[p] < s.size;                                       \
                for (int64_t i = 0; there && i < s.inner; i++)                                               \
                    to[(o * s.size + index[p]) * s.inner + i] += from[i];                                    \
                for (int64_t i = 0; !there && i < s.size * s.inner; i++) /* out of range */                  \
                    to[o * s.size * s.inner + i] = missing;                                                  \
            }                                                                                                \
    }
GATHER(double, int64_t, (double)NAN)
GATHER(float, int32_t, NAN)

static void gather_run(const gb_kernel_call *call)
{
    gb_each_event(call, call->real == GB_FLOAT ? gather_float : gather_double);
}

/* Adds every event of the arguments to its event of the result. Along the axes that are summed over, several
 * events belong to one. */
static void scatter_run(const gb_kernel_call *call)
{
    gb_layout all = {.axes = call->arg[0].axes | call->arg[1].axes};
    int64_t at[GB_MAX_HIDDEN] = {0};
    const int64_t width = call->real == GB_FLOAT ? sizeof(float) : sizeof(double);
    for (gb_axes rest = all.axes; rest; rest &= rest - 1) {
        const gb_axes axis = rest & (~rest + 1);
        const gb_layout *of = &call->arg[call->arg[0].axes & axis ? 0 : 1];
        all.hidden_size[gb_axis_place(all.axes, axis)] = of->hidden_size[gb_axis_place(of->axes, axis)];
    }
    gb_fill_zeros(call, false);
    if (gb_layout_count(&all) == 0)
        return;
    do {
        const void *const in[] = {
            (const char *)call->in[0] + gb_event_offset(&call->arg[0], all.axes, at) * width,
            (const char *)call->in[1] + gb_event_offset(&call->arg[1], all.axes, at) * width};
        void *out = (char *)call->out + gb_event_offset(&call->out_layout, all.axes, at) * width;
        (call->real == GB_FLOAT ? scatter_float : scatter_double)(call, in, out);
    } while (gb_next_event(&all, at));
}

static gb_node scatter(gb_node x, gb_node index, const gather_attributes *attributes);

static void gather_vjp(const gb_vjp *v)
{
    gather_attributes attributes = *(const gather_attributes *)v->attributes;
    attributes.summed = gb_node_axes(v->value) & ~gb_node_axes(v->arg[0]);
    v->adjoint[0] = scatter(v->gradient, v->arg[1], &attributes);
}

static gb_node gather_example(gb_example *e)
{
    const gb_node x = e->real(e, e->shape(e, 1, 3, 1, 4), -2, 2);
    const int axis = (int)e->integer(e, 0, gb_node_shape(x).rank - 1);
    return gb_gather(x, axis, e->ints(e, e->shape(e, 0, 2, 0, 4), 0, gb_node_shape(x).size[axis] - 1));
}

const gb_op gb_gather_op = {.size = sizeof(gb_op),
                            .name = "gather",
                            .attribute_bytes = sizeof(gather_attributes),
                            .formula = "slices of x along an axis, by index",
                            .form = GB_FORM_KERNEL,
                            .arguments = 2,
                            .takes = {GB_TAKES_REALS, GB_TAKES_INTEGERS},
                            .infer = gather_infer,
                            .vjp = gather_vjp,
                            .run = gather_run,
                            .example = gather_example};

gb_node gb_gather(gb_node x, int axis, gb_node index)
{
    const int along = gb_axis_from_front(x, "gather", axis);
    if (along < 0)
        return (gb_node){0};
    const gather_attributes attributes = {.axis = along, .size = gb_node_shape(x).size[along]};
    return gb_apply(NULL, &gb_gather_op, 2, (const gb_node[]){x, index}, &attributes, sizeof attributes);
}

/* x has the shape of the index in place of the axis. */
static bool scatter_infer(gb_infer *infer)
{
    const gather_attributes *gather = infer->attributes;
    const gb_shape x = infer->arg_shape[0], index = infer->arg_shape[1];
    char a[GB_SHAPE_TEXT], b[GB_SHAPE_TEXT];
    int64_t sizes[GB_MAX_RANK + 1];
    int rank = 0;
    bool fits = gather->axis + index.rank <= x.rank && gather->size >= 0;
    for (int i = 0; fits && i < index.rank; i++)
        fits = x.size[gather->axis + i] == index.size[i];
    if (!fits)
        return gb_infer_fail(infer, GB_ESHAPE, "%s does not have the shape %s of the index from axis %lld on",
                             gb_shape_text(x, a), gb_shape_text(index, b), (long long)gather->axis);
    for (int i = 0; i < x.rank; i++) {
        if (i == gather->axis)
            sizes[rank++] = gather->size;
        if (i < gather->axis || i >= gather->axis + index.rank)
            sizes[rank++] = x.size[i];
    }
    if (gather->axis == x.rank)
        sizes[rank++] = gather->size;
    infer->shape = rank > GB_MAX_RANK ? (gb_shape){.rank = -1} : gb_shape_of(rank, sizes);
    infer->axes &= ~gather->summed;
    return gb_index_in_range(infer, gather->size);
}

static void scatter_vjp(const gb_vjp *v)
{
    gather_attributes attributes = *(const gather_attributes *)v->attributes;
    attributes.summed = 0;
    const gb_node arg[] = {v->gradient, v->arg[1]};
    v->adjoint[0] = gb_apply(NULL, &gb_gather_op, 2, arg, &attributes, sizeof attributes);
}

static gb_node scatter_example(gb_example *e)
{
    const gb_shape index = e->shape(e, 0, 2, 0, 4);
    gb_shape x = {.rank = index.rank + 2, .size = {e->integer(e, 0, 3)}};
    for (int i = 0; i < index.rank; i++)
        x.size[1 + i] = index.size[i];
    x.size[x.rank - 1] = e->integer(e, 0, 3);
    return gb_scatter_add(e->real(e, x, -2, 2), 1, e->ints(e, index, 0, 3), 4);
}

const gb_op gb_scatter_add_op = {.size = sizeof(gb_op),
                                 .name = "scatter_add",
                                 .attribute_bytes = sizeof(gather_attributes),
                                 .formula = "zeros, to which slices of x are added along an axis, by index",
                                 .form = GB_FORM_KERNEL,
                                 .arguments = 2,
                                 .takes = {GB_TAKES_REALS, GB_TAKES_INTEGERS},
                                 .infer = scatter_infer,
                                 .vjp = scatter_vjp,
                                 .adds_rows = true,
                                 .run = scatter_run,
                                 .example = scatter_example};

static gb_node scatter(gb_node x, gb_node index, const gather_attributes *attributes)
{
    return gb_apply(NULL, &gb_scatter_add_op, 2, (const gb_node[]){x, index}, attributes, sizeof *attributes);
}

gb_node gb_scatter_add(gb_node x, int axis, gb_node index, int64_t size)
{
    const int rank = gb_node_shape(x).rank - gb_node_shape(index).rank + 1; /* of the result */
    const gather_attributes attributes = {.axis = axis < 0 ? axis + rank : axis, .size = size};
    if (gb_node_ok(x) && gb_node_ok(index) && (attributes.axis < 0 || attributes.axis >= rank)) {
        gb_fail(x.tape, GB_ESHAPE, "scatter_add: axis %d is not one of the result's %d", axis, rank);
        return (gb_node){0};
    }
    return scatter(x, index, &attributes);
}
