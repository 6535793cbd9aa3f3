/* SPDX-License-Identifier: GPL-3.0-or-later */
/* take_along and scatter_along are each other's adjoints. Both loop over the places of a *part* (…, k). The
 * index (…, k) assigns each of them a place of a *whole* (…, n). */
#include "ops/take.h"

#include <math.h>

#include "ops/arrays/axis_impl.h"
#include "ops/elementwise/element_impl.h"

typedef struct along_attributes {
    int64_t from_end; /* −1 is the last axis */
    int64_t size;     /* of the axis of the whole */
} along_attributes;

static gb_node take_along(gb_node x, gb_node index, const along_attributes *along);
static gb_node scatter_along(gb_node x, gb_node index, const along_attributes *along);

/* Returns `shape` with another size of the axis; an invalid shape if there is no such axis. */
static gb_shape with_size(gb_shape shape, int64_t from_end, int64_t size)
{
    if (shape.rank + from_end < 0 || size < 0)
        return (gb_shape){.rank = -1};
    shape.size[shape.rank + from_end] = size;
    return gb_shape_of(shape.rank, shape.size);
}

/* Broadcasts the shape `of_x` with that of the index. */
static bool infer_part(gb_infer *infer, gb_shape of_x)
{
    const along_attributes *along = infer->attributes;
    const gb_shape index = infer->arg_shape[1];
    char a[GB_SHAPE_TEXT], b[GB_SHAPE_TEXT];
    if (of_x.rank + along->from_end < 0 || index.rank + along->from_end < 0 ||
        !gb_shape_broadcast(of_x, index, &infer->shape))
        return gb_infer_fail(infer, GB_ESHAPE, "index %s does not fit %s along axis %lld",
                             gb_shape_text(index, b), gb_shape_text(infer->arg_shape[0], a),
                             (long long)along->from_end);
    return gb_index_in_range(infer, along->size);
}

static bool take_along_infer(gb_infer *infer)
{
    const along_attributes *along = infer->attributes;
    return infer_part(infer, with_size(infer->arg_shape[0], along->from_end, 1));
}

static bool scatter_along_infer(gb_infer *infer)
{
    const along_attributes *along = infer->attributes;
    if (!infer_part(infer, infer->arg_shape[0]))
        return false;
    infer->shape = with_size(infer->shape, along->from_end, along->size);
    return true;
}

/* ---- the kernel ---- */

/* The strides of the three arrays along the axes of the part; 0 where an array is repeated. The whole's
 * stride along the indexed axis is kept apart. */
typedef struct places {
    gb_shape shape;
    int64_t part[GB_MAX_RANK], whole[GB_MAX_RANK], index[GB_MAX_RANK];
    int64_t along, size;
} places;

static void steps_of(const gb_layout *layout, int rank, int64_t *step)
{
    const int shift = rank - layout->shape.rank;
    for (int i = 0; i < rank; i++)
        step[i] = i < shift || layout->shape.size[i - shift] == 1 ? 0 : layout->stride[i - shift];
}

static void find_places(const gb_kernel_call *call, const gb_layout *part, const gb_layout *whole, places *p)
{
    const along_attributes *along = call->attributes;
    const gb_layout *index = &call->arg[1];
    gb_shape_broadcast(part->shape, index->shape, &p->shape);
    steps_of(part, p->shape.rank, p->part);
    steps_of(whole, p->shape.rank, p->whole);
    steps_of(index, p->shape.rank, p->index);
    p->size = along->size;
    p->along = whole->stride[whole->shape.rank + along->from_end];
    p->whole[p->shape.rank + along->from_end] = 0;
}

/* One place of the part, and its offsets in the three arrays. */
typedef struct cursor {
    int64_t at[GB_MAX_RANK];
    int64_t part, whole, index;
} cursor;

static void step(const places *p, cursor *c, int axis, int64_t steps)
{
    c->at[axis] += steps;
    c->part += steps * p->part[axis];
    c->whole += steps * p->whole[axis];
    c->index += steps * p->index[axis];
}

static bool next_place(const places *p, cursor *c)
{
    for (int i = p->shape.rank - 1; i >= 0; i--) {
        step(p, c, i, 1);
        if (c->at[i] < p->shape.size[i])
            return true;
        step(p, c, i, -p->shape.size[i]);
    }
    return false;
}

static void take_event(const gb_kernel_call *call, const void *const *in, void *out)
{
    places p = {0};
    cursor c = {0};
    find_places(call, &call->out_layout, &call->arg[0], &p);
    if (gb_shape_count(p.shape) == 0)
        return;
    do {
        const int64_t place = gb_int_at(call, in[1], c.index);
        const bool there = place >= 0 && place < p.size;
        gb_put_real(call, out, c.part,
                    there ? gb_real_at(call, in[0], c.whole + place * p.along) : (double)NAN);
    } while (next_place(&p, &c));
}

static void add_at(const gb_kernel_call *call, void *to, int64_t at, double x)
{
    gb_put_real(call, to, at, gb_real_at(call, to, at) + x);
}

static void scatter_event(const gb_kernel_call *call, const void *const *in, void *out)
{
    places p = {0};
    cursor c = {0};
    const size_t count = gb_shape_count(call->out_layout.shape);
    for (size_t i = 0; i < count; i++)
        gb_put_real(call, out, (int64_t)i, 0);
    find_places(call, &call->arg[0], &call->out_layout, &p);
    if (gb_shape_count(p.shape) == 0)
        return;
    do {
        const int64_t place = gb_int_at(call, in[1], c.index);
        const bool there = place >= 0 && place < p.size;
        if (there)
            add_at(call, out, c.whole + place * p.along, gb_real_at(call, in[0], c.part));
        for (int64_t i = 0; !there && i < p.size; i++) /* out of range */
            add_at(call, out, c.whole + i * p.along, (double)NAN);
    } while (next_place(&p, &c));
}

static void take_along_run(const gb_kernel_call *call)
{
    gb_each_event(call, take_event);
}

static void scatter_along_run(const gb_kernel_call *call)
{
    gb_each_event(call, scatter_event);
}

/* ---- derivatives ---- */

static void take_along_vjp(const gb_vjp *v)
{
    v->adjoint[0] = scatter_along(v->gradient, v->arg[1], v->attributes);
}

static void scatter_along_vjp(const gb_vjp *v)
{
    v->adjoint[0] = take_along(v->gradient, v->arg[1], v->attributes);
}

/* Returns a shape that broadcasts to `shape` and keeps the axis. */
static gb_shape part_of(gb_example *e, gb_shape shape, int axis)
{
    for (int i = 0; i < shape.rank; i++)
        if (i != axis && e->integer(e, 0, 3) == 0)
            shape.size[i] = 1;
    return shape;
}

static gb_node take_along_example(gb_example *e)
{
    const gb_shape shape = e->shape(e, 1, 3, 1, 4);
    const int axis = (int)e->integer(e, 0, shape.rank - 1);
    gb_shape index = part_of(e, shape, axis);
    index.size[axis] = e->integer(e, 0, 4);
    const gb_node x = e->real(e, part_of(e, shape, axis), -2, 2);
    return gb_take_along(x, e->ints(e, index, 0, shape.size[axis] - 1), axis);
}

static gb_node scatter_along_example(gb_example *e)
{
    const gb_shape shape = e->shape(e, 1, 3, 0, 4);
    const int axis = (int)e->integer(e, 0, shape.rank - 1);
    const gb_node x = e->real(e, part_of(e, shape, axis), -2, 2);
    return gb_scatter_along(x, e->ints(e, part_of(e, shape, axis), 0, 3), axis, 4);
}

const gb_op gb_take_along_op = {.size = sizeof(gb_op),
                                .name = "take_along",
                                .attribute_bytes = sizeof(along_attributes),
                                .formula = "elements of x along an axis, by index",
                                .form = GB_FORM_KERNEL,
                                .arguments = 2,
                                .takes = {GB_TAKES_REALS, GB_TAKES_INTEGERS},
                                .infer = take_along_infer,
                                .vjp = take_along_vjp,
                                .run = take_along_run,
                                .example = take_along_example};

const gb_op gb_scatter_along_op = {.size = sizeof(gb_op),
                                   .name = "scatter_along",
                                   .attribute_bytes = sizeof(along_attributes),
                                   .formula =
                                       "zeros, to which elements of x are added along an axis, by index",
                                   .form = GB_FORM_KERNEL,
                                   .arguments = 2,
                                   .takes = {GB_TAKES_REALS, GB_TAKES_INTEGERS},
                                   .infer = scatter_along_infer,
                                   .vjp = scatter_along_vjp,
                                   .run = scatter_along_run,
                                   .example = scatter_along_example};

static gb_node take_along(gb_node x, gb_node index, const along_attributes *along)
{
    return gb_apply(NULL, &gb_take_along_op, 2, (const gb_node[]){x, index}, along, sizeof *along);
}

static gb_node scatter_along(gb_node x, gb_node index, const along_attributes *along)
{
    return gb_apply(NULL, &gb_scatter_along_op, 2, (const gb_node[]){x, index}, along, sizeof *along);
}

gb_node gb_take_along(gb_node x, gb_node index, int axis)
{
    const int from_front = gb_axis_from_front(x, "take_along", axis);
    if (from_front < 0)
        return (gb_node){0};
    const gb_shape shape = gb_node_shape(x);
    const along_attributes along = {.from_end = from_front - shape.rank, .size = shape.size[from_front]};
    return take_along(x, index, &along);
}

gb_node gb_scatter_along(gb_node x, gb_node index, int axis, int64_t size)
{
    const int from_front = gb_axis_from_front(x, "scatter_along", axis);
    if (from_front < 0)
        return (gb_node){0};
    if (size < 0) {
        gb_fail(x.tape, GB_EARGUMENT, "scatter_along: size %lld is negative", (long long)size);
        return (gb_node){0};
    }
    const along_attributes along = {.from_end = from_front - gb_node_shape(x).rank, .size = size};
    return scatter_along(x, index, &along);
}
