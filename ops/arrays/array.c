/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ops/array.h"

#include <math.h>
#include <string.h>

#include "ops/arrays/axis_impl.h"
#include "ops/list.h"

/* Attributes are compared as bytes, so padding must be clear. */
#define CLEAR(attributes) memset(&(attributes), 0, sizeof(attributes))

/* ---- reshape ---- */

static bool reshape_infer(gb_infer *infer)
{
    const gb_shape *to = infer->attributes;
    char a[GB_SHAPE_TEXT], b[GB_SHAPE_TEXT];
    gb_infer_first(infer);
    if (to->rank >= 0 && gb_shape_count(*to) != gb_shape_count(infer->shape))
        return gb_infer_fail(infer, GB_ESHAPE, "%s has not as many elements as %s",
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
    return gb_shape_equal(gb_node_shape(arg[0]), *(const gb_shape *)attributes) ? 0 : -1;
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
    return gb_transpose(x, gb_axis_list_of(3, orders[e->integer(e, 0, 5)]));
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
    CLEAR(full);
    if (!gb_check_node(x, "transpose"))
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

/* ---- slice, and its adjoint: assemble ---- */

/* Along `axis`, place i of the part is place begin + i · step of the whole. */
typedef struct part_place {
    int64_t axis, begin, step, count;
} part_place;

typedef struct assemble_attributes {
    gb_shape shape;
    int64_t covers; /* the parts cover the whole and do not overlap */
    part_place part[];
} assemble_attributes;

static bool slice_infer(gb_infer *infer)
{
    const part_place *part = infer->attributes;
    gb_infer_first(infer);
    infer->shape.size[part->axis] = part->count;
    return true;
}

static bool slice_view(const void *attributes, const gb_layout *arg, gb_layout *result)
{
    const part_place *part = attributes;
    result->shape.size[part->axis] = part->count;
    result->stride[part->axis] = arg->stride[part->axis] * part->step;
    if (part->count > 0)
        result->offset = arg->offset + part->begin * arg->stride[part->axis];
    return true;
}

static gb_node assemble(gb_tape *tape, gb_shape shape, size_t count, const gb_node *parts,
                        const part_place *places, bool covers);

static void slice_vjp(const gb_vjp *v)
{
    const gb_node g = v->gradient;
    v->adjoint[0] = assemble(v->tape, gb_node_shape(v->arg[0]), 1, &g, v->attributes, false);
}

static gb_node slice_example(gb_example *e)
{
    const gb_node x = e->real(e, e->shape(e, 1, 3, 1, 5), -2, 2);
    const gb_shape shape = gb_node_shape(x);
    const int axis = (int)e->integer(e, 0, shape.rank - 1);
    const int64_t begin = e->integer(e, 0, shape.size[axis]), end = e->integer(e, begin, shape.size[axis]);
    return gb_slice_step(x, axis, begin, end, e->integer(e, 1, 2));
}

const gb_op gb_slice_op = {.size = sizeof(gb_op),
                           .name = "slice",
                           .attribute_bytes = sizeof(part_place),
                           .formula = "elements begin, begin + step, … below end, along an axis",
                           .form = GB_FORM_VIEW,
                           .arguments = 1,
                           .infer = slice_infer,
                           .vjp = slice_vjp,
                           .view = slice_view,
                           .example = slice_example};

gb_node gb_slice_step(gb_node x, int axis, int64_t begin, int64_t end, int64_t step)
{
    const int along = gb_axis_from_front(x, "slice", axis);
    if (along < 0)
        return (gb_node){0};
    const int64_t size = gb_node_shape(x).size[along];
    const int64_t from = begin < 0 ? begin + size : begin, to = end < 0 ? end + size : end;
    if (from < 0 || to > size || from > to || step < 1) {
        gb_fail(x.tape, GB_ESHAPE, "slice: %lld to %lld by %lld is not within axis %d of size %lld",
                (long long)begin, (long long)end, (long long)step, axis, (long long)size);
        return (gb_node){0};
    }
    const part_place part = {
        .axis = along, .begin = from, .step = step, .count = (to - from + step - 1) / step};
    return gb_apply(NULL, &gb_slice_op, 1, &x, &part, sizeof part);
}

gb_node gb_slice(gb_node x, int axis, int64_t begin, int64_t end)
{
    return gb_slice_step(x, axis, begin, end, 1);
}

/* ---- assemble ---- */

static bool assemble_infer(gb_infer *infer)
{
    const assemble_attributes *whole = infer->attributes;
    for (size_t i = 0; i < infer->count; i++)
        if (infer->arg_type[i] != GB_TYPE_REAL)
            return gb_infer_fail(infer, GB_ETYPE, "part %zu is not real (gb_to_real makes it so)", i + 1);
    infer->shape = whole->shape;
    return true;
}

/* Adds one part to one event of the whole: [outer, count, inner] elements at every step-th place of [outer, size,
 * inner]. */
#define ADD_PART(name, real)                                                                                 \
    static void name(real *to, const real *from, const gb_shape *shape, const part_place *part)              \
    {                                                                                                        \
        int64_t outer = 1, inner = 1;                                                                        \
        for (int64_t i = 0; i < shape->rank; i++)                                                            \
            *(i < part->axis ? &outer : &inner) *= i == part->axis ? 1 : shape->size[i];                     \
        const int64_t size = shape->size[part->axis];                                                        \
        for (int64_t o = 0; o < outer; o++)                                                                  \
            for (int64_t i = 0; i < part->count; i++) {                                                      \
                real *row = to + (o * size + part->begin + i * part->step) * inner;                          \
                for (int64_t j = 0; j < inner; j++)                                                          \
                    row[j] += *from++;                                                                       \
            }                                                                                                \
    }
ADD_PART(add_part_double, double)
ADD_PART(add_part_float, float)

/* −0 is what any number, a zero of either sign too, can be added to and stay what it is. */
static void fill_zeros(const gb_kernel_call *call, size_t count, bool negative)
{
    const double zero = negative ? -0.0 : 0.0;
    for (size_t i = 0; i < count; i++) {
        if (call->real == GB_FLOAT)
            ((float *)call->out)[i] = (float)zero;
        else
            ((double *)call->out)[i] = zero;
    }
}

static size_t elements(const gb_layout *layout)
{
    size_t count = gb_shape_count(layout->shape);
    for (gb_axes rest = layout->axes; rest; rest &= rest - 1)
        count *= (size_t)layout->hidden_size[gb_axis_place(layout->axes, rest & (~rest + 1))];
    return count;
}

/* The call of one part, and which it is. */
typedef struct one_part {
    const assemble_attributes *whole;
    const part_place *place;
} one_part;

static void add_part(const gb_kernel_call *call, const void *const *in, void *out)
{
    const one_part *const part = call->attributes;
    if (call->real == GB_FLOAT)
        add_part_float(out, in[0], &part->whole->shape, part->place);
    else
        add_part_double(out, in[0], &part->whole->shape, part->place);
}

static void assemble_run(const gb_kernel_call *call)
{
    const assemble_attributes *whole = call->attributes;
    fill_zeros(call, elements(&call->out_layout), whole->covers != 0);
    for (size_t i = 0; i < call->count; i++) {
        const one_part part = {.whole = whole, .place = &whole->part[i]};
        gb_kernel_call one = *call;
        one.count = 1;
        one.in = &call->in[i];
        one.arg = &call->arg[i];
        one.attributes = &part;
        gb_each_event(&one, add_part);
    }
}

static void assemble_vjp(const gb_vjp *v)
{
    const assemble_attributes *whole = v->attributes;
    const gb_node g = v->gradient;
    for (size_t i = 0; i < v->count; i++)
        if (v->wanted[i])
            v->adjoint[i] = gb_apply(NULL, &gb_slice_op, 1, &g, &whole->part[i], sizeof whole->part[i]);
}

/* Many adjoints of slices of one array are one array with many parts. */
static gb_node assemble_sum_of(gb_tape *tape, size_t count, const gb_node *adjoints)
{
    size_t parts = 0;
    for (size_t i = 0; i < count; i++)
        parts += gb_node_arguments(adjoints[i]);
    const gb_memory memory = gb_tape_memory(tape);
    gb_node *part = gb_memory_resize(&memory, NULL, (parts + 1) * sizeof *part);
    part_place *place = gb_memory_resize(&memory, NULL, (parts + 1) * sizeof *place);
    gb_node sum = {0};
    if (part && place) {
        parts = 0;
        for (size_t i = 0; i < count; i++)
            for (size_t j = 0; j < gb_node_arguments(adjoints[i]); j++, parts++) {
                part[parts] = gb_node_argument(adjoints[i], j);
                place[parts] = ((const assemble_attributes *)gb_node_attributes(adjoints[i]))->part[j];
            }
        sum = assemble(tape, gb_node_shape(adjoints[0]), parts, part, place, false);
    } else
        gb_fail(tape, GB_ENOMEM, "assemble: out of memory for %zu parts", parts);
    gb_memory_release(&memory, part);
    gb_memory_release(&memory, place);
    return sum;
}

static gb_node assemble_example(gb_example *e)
{
    const gb_shape part = e->shape(e, 2, 2, 1, 3);
    gb_node parts[3];
    const int axis = (int)e->integer(e, 0, 1);
    const size_t count = (size_t)e->integer(e, 1, 3);
    for (size_t i = 0; i < count; i++) {
        gb_shape one = part;
        one.size[axis] = e->integer(e, 0, 3);
        parts[i] = e->real(e, one, -2, 2);
    }
    return gb_concat(count, parts, axis);
}

const gb_op gb_assemble_op = {.size = sizeof(gb_op),
                              .name = "assemble",
                              .attribute_bytes = sizeof(assemble_attributes),
                              .formula = "zeros, to which parts are added at their places",
                              .form = GB_FORM_KERNEL,
                              .variadic = true,
                              .infer = assemble_infer,
                              .vjp = assemble_vjp,
                              .sum_of = assemble_sum_of,
                              .run = assemble_run,
                              .example = assemble_example};

static gb_node assemble(gb_tape *tape, gb_shape shape, size_t count, const gb_node *parts,
                        const part_place *places, bool covers)
{
    const gb_memory memory = gb_tape_memory(tape);
    const size_t bytes = sizeof(assemble_attributes) + count * sizeof *places;
    assemble_attributes *whole = gb_memory_resize(&memory, NULL, bytes);
    if (!whole) {
        gb_fail(tape, GB_ENOMEM, "assemble: out of memory for %zu parts", count);
        return (gb_node){0};
    }
    memset(whole, 0, sizeof *whole);
    gb_shape_copy(&whole->shape, shape);
    whole->covers = covers;
    memcpy(whole->part, places, count * sizeof *places);
    const gb_node node = gb_apply(tape, &gb_assemble_op, count, parts, whole, bytes);
    gb_memory_release(&memory, whole);
    return node;
}

gb_node gb_concat(size_t count, const gb_node *parts, int axis)
{
    gb_tape *tape = NULL;
    for (size_t i = 0; i < count && !tape; i++)
        tape = parts[i].tape;
    if (!tape || gb_error(tape) != GB_OK)
        return (gb_node){0};
    if (!parts[0].tape) { /* the others are looked at by gb_apply */
        gb_fail(tape, GB_ENODE, "concat: part 0 is no node");
        return (gb_node){0};
    }
    const gb_memory memory = gb_tape_memory(tape);
    const int along = gb_axis_from_front(parts[0], "concat", axis);
    if (along < 0)
        return (gb_node){0};
    part_place *places = gb_memory_resize(&memory, NULL, count * sizeof *places);
    if (!places) {
        gb_fail(tape, GB_ENOMEM, "concat: out of memory for %zu parts", count);
        return (gb_node){0};
    }
    gb_shape whole = gb_node_shape(parts[0]);
    whole.size[along] = 0;
    for (size_t i = 0; i < count; i++) {
        char a[GB_SHAPE_TEXT], b[GB_SHAPE_TEXT];
        gb_shape part = gb_node_shape(parts[i]);
        const int64_t size = part.rank > along ? part.size[along] : 0;
        places[i] = (part_place){.axis = along, .begin = whole.size[along], .step = 1, .count = size};
        if (part.rank > along)
            part.size[along] = whole.size[along];
        if (gb_node_ok(parts[i]) && !gb_shape_equal(part, whole))
            gb_fail(tape, GB_ESHAPE, "concat: %s and %s differ in an axis other than %d",
                    gb_shape_text(gb_node_shape(parts[0]), a), gb_shape_text(gb_node_shape(parts[i]), b),
                    axis);
        whole.size[along] += size;
    }
    const gb_node node = assemble(tape, gb_shape_of(whole.rank, whole.size), count, parts, places, true);
    gb_memory_release(&memory, places);
    return node;
}

/* ---- gather and scatter_add ---- */

typedef struct gather_attributes {
    int64_t axis, size; /* of the array that is gathered from */
    gb_axes summed;     /* hidden axes that scatter_add adds up over, besides: rows that share a table, say */
} gather_attributes;

/* `shape` with the axis replaced by those of `index`. */
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
    return gb_index_types_fit(infer) && gb_index_in_range(infer, gather->size);
}

typedef struct gather_sizes {
    int64_t outer, places, inner, size;
} gather_sizes;

/* `whole` has the axis; `index` says how many places are taken. */
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
                for (int64_t i = 0; !there && i < s.size * s.inner; i++) /* nowhere to put it */             \
                    to[o * s.size * s.inner + i] = missing;                                                  \
            }                                                                                                \
    }
GATHER(double, int64_t, (double)NAN)
GATHER(float, int32_t, NAN)

static void gather_run(const gb_kernel_call *call)
{
    gb_each_event(call, call->real == GB_FLOAT ? gather_float : gather_double);
}

/* Every event of the arguments is added to that of the result which it belongs to: several to one, along the axes
 * that are summed over. */
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
    fill_zeros(call, elements(&call->out_layout), false);
    if (elements(&all) == 0)
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

/* x: the index' shape in place of the axis. */
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
    return gb_index_types_fit(infer) && gb_index_in_range(infer, gather->size);
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
                                 .infer = scatter_infer,
                                 .vjp = scatter_vjp,
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

/* ---- hide and reveal ---- */

typedef struct hide_attributes {
    gb_axes axis;
    int64_t size;
} hide_attributes;

static bool hide_infer(gb_infer *infer)
{
    const hide_attributes *hide = infer->attributes;
    const gb_shape from = infer->arg_shape[0];
    gb_infer_first(infer);
    if (from.rank == 0)
        return gb_infer_fail(infer, GB_ESHAPE, "a scalar has no axis to hide");
    if (infer->axes & hide->axis)
        return gb_infer_fail(infer, GB_ESHAPE, "the argument has that hidden axis already");
    infer->shape = gb_shape_of(from.rank - 1, from.size + 1);
    infer->axes |= hide->axis;
    return true;
}

static bool hide_view(const void *attributes, const gb_layout *arg, gb_layout *result)
{
    const hide_attributes *hide = attributes;
    const int place = gb_axis_place(arg->axes, hide->axis);
    result->axes = arg->axes | hide->axis;
    for (int i = GB_MAX_HIDDEN - 1; i > place; i--) {
        result->hidden_size[i] = arg->hidden_size[i - 1];
        result->hidden_stride[i] = arg->hidden_stride[i - 1];
    }
    result->hidden_size[place] = arg->shape.size[0];
    result->hidden_stride[place] = arg->stride[0];
    result->shape = gb_shape_of(arg->shape.rank - 1, arg->shape.size + 1);
    for (int i = 0; i + 1 < arg->shape.rank; i++)
        result->stride[i] = arg->stride[i + 1];
    return true;
}

static bool reveal_infer(gb_infer *infer)
{
    const hide_attributes *hide = infer->attributes;
    int64_t sizes[GB_MAX_RANK + 1] = {hide->size};
    gb_infer_first(infer);
    for (int i = 0; i < infer->shape.rank; i++)
        sizes[i + 1] = infer->shape.size[i];
    infer->shape = gb_shape_of(infer->shape.rank + 1, sizes);
    infer->axes &= ~hide->axis;
    return true;
}

static bool reveal_view(const void *attributes, const gb_layout *arg, gb_layout *result)
{
    const hide_attributes *hide = attributes;
    const int place = gb_axis_place(arg->axes, hide->axis);
    int64_t sizes[GB_MAX_RANK + 1] = {arg->hidden_size[place]};
    for (int i = 0; i < arg->shape.rank; i++) {
        sizes[i + 1] = arg->shape.size[i];
        result->stride[i + 1] = arg->stride[i];
    }
    result->shape = gb_shape_of(arg->shape.rank + 1, sizes);
    result->stride[0] = arg->hidden_stride[place];
    result->axes = arg->axes & ~hide->axis;
    for (int i = place; i + 1 < GB_MAX_HIDDEN; i++) {
        result->hidden_size[i] = arg->hidden_size[i + 1];
        result->hidden_stride[i] = arg->hidden_stride[i + 1];
    }
    return arg->hidden_size[place] == hide->size;
}

static gb_node reveal(gb_node x, gb_axes axis, int64_t size);

static void hide_vjp(const gb_vjp *v)
{
    const hide_attributes *hide = v->attributes;
    const gb_node g = v->gradient;
    const gb_shape whole = gb_node_shape(v->arg[0]);
    v->adjoint[0] =
        gb_node_axes(g) & hide->axis ? reveal(g, hide->axis, whole.size[0]) : gb_broadcast_to(g, whole);
}

static void reveal_vjp(const gb_vjp *v)
{
    const hide_attributes *hide = v->attributes;
    v->adjoint[0] = gb_hide(v->gradient, hide->axis);
}

static gb_node hide_example(gb_example *e)
{
    const gb_axes axis = gb_site_axis(e->tape, "hidden by the example", 3);
    gb_shape shape = e->shape(e, 1, 3, 0, 3);
    shape.size[0] = 3;
    const gb_node hidden = gb_hide(e->real(e, shape, -2, 2), axis);
    return gb_reveal(hidden, axis);
}

const gb_op gb_hide_op = {.size = sizeof(gb_op),
                          .name = "hide",
                          .attribute_bytes = sizeof(hide_attributes),
                          .formula = "x with its first axis hidden",
                          .form = GB_FORM_VIEW,
                          .arguments = 1,
                          .infer = hide_infer,
                          .vjp = hide_vjp,
                          .view = hide_view,
                          .example = hide_example};

const gb_op gb_reveal_op = {.size = sizeof(gb_op),
                            .name = "reveal",
                            .attribute_bytes = sizeof(hide_attributes),
                            .formula = "x with a hidden axis as its first",
                            .form = GB_FORM_VIEW,
                            .arguments = 1,
                            .infer = reveal_infer,
                            .vjp = reveal_vjp,
                            .view = reveal_view,
                            .example = hide_example};

static bool one_axis(gb_node x, const char *who, gb_axes axis)
{
    if (!gb_check_node(x, who))
        return false;
    if (axis && !(axis & (axis - 1)))
        return true;
    gb_fail(x.tape, GB_EARGUMENT, "%s: one hidden axis is needed", who);
    return false;
}

gb_node gb_hide(gb_node x, gb_axes axis)
{
    const hide_attributes attributes = {.axis = axis};
    const int64_t size = gb_site_axis_size(x.tape, axis);
    if (!one_axis(x, "hide", axis))
        return (gb_node){0};
    if (size >= 0 && gb_node_shape(x).rank > 0 && gb_node_shape(x).size[0] != size) {
        gb_fail(x.tape, GB_ESHAPE, "hide: the first axis has size %lld, the hidden one %lld",
                (long long)gb_node_shape(x).size[0], (long long)size);
        return (gb_node){0};
    }
    return gb_apply(NULL, &gb_hide_op, 1, &x, &attributes, sizeof attributes);
}

static gb_node reveal(gb_node x, gb_axes axis, int64_t size)
{
    const hide_attributes attributes = {.axis = axis, .size = size};
    return gb_apply(NULL, &gb_reveal_op, 1, &x, &attributes, sizeof attributes);
}

gb_node gb_reveal(gb_node x, gb_axes axis)
{
    const int64_t size = gb_site_axis_size(x.tape, axis);
    if (!one_axis(x, "reveal", axis))
        return (gb_node){0};
    if (!(gb_node_axes(x) & axis) || size < 0) {
        gb_fail(x.tape, GB_ESHAPE,
                "reveal: only a site's axis that the argument varies along can be made visible");
        return (gb_node){0};
    }
    return reveal(x, axis, size);
}
