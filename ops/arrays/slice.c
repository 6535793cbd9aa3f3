/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slice selects a part; assemble, its adjoint, puts parts together. concat records an assemble. */
#include <string.h>

#include "ops/array.h"
#include "ops/arrays/axis_impl.h"
#include "ops/elementwise/composite_impl.h"

/* ---- slice ---- */

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
    const part_place part = {.axis = along,
                             .begin = from,
                             .step = step < size ? step : 1, /* a longer one reaches no second element */
                             .count = from < to ? (to - from - 1) / step + 1 : 0};
    return gb_apply(NULL, &gb_slice_op, 1, &x, &part, sizeof part);
}

gb_node gb_slice(gb_node x, int axis, int64_t begin, int64_t end)
{
    return gb_slice_step(x, axis, begin, end, 1);
}

/* ---- at ---- */

gb_node gb_at_of(gb_node x, int count, const int64_t *place)
{
    char text[GB_SHAPE_TEXT];
    const gb_shape shape = gb_node_shape(x);
    if (!gb_node_check(x, "at"))
        return (gb_node){0};
    if (count < 0 || count > shape.rank || (count > 0 && !place)) {
        gb_fail(x.tape, GB_ESHAPE, "at: %d numbers do not index shape %s", place ? count : 0,
                gb_shape_text(shape, text));
        return (gb_node){0};
    }
    for (int i = 0; i < count; i++) {
        const int64_t size = shape.size[i], from = place[i] < 0 ? place[i] + size : place[i];
        if (from < 0 || from >= size) {
            gb_fail(x.tape, GB_ESHAPE, "at: %lld is not a place of axis %d of size %lld", (long long)place[i],
                    i, (long long)size);
            return (gb_node){0};
        }
        x = gb_slice(x, i, from, from + 1);
    }
    return count == 0 ? x : gb_reshape(x, gb_shape_of(shape.rank - count, shape.size + count));
}

static gb_node at_example(gb_example *e)
{
    const gb_node x = e->real(e, e->shape(e, 1, 3, 1, 5), -2, 2);
    const gb_shape shape = gb_node_shape(x);
    int64_t place[3];
    const int count = (int)e->integer(e, 1, shape.rank);
    for (int i = 0; i < count; i++)
        place[i] = e->integer(e, -shape.size[i], shape.size[i] - 1);
    return gb_at_of(x, count, place);
}
GB_COMPOSITE(at, "x[i, j, …]: the first axes at these places", at_example);

/* ---- assemble ---- */

static bool assemble_infer(gb_infer *infer)
{
    const assemble_attributes *whole = infer->attributes;
    infer->shape = whole->shape;
    return true;
}

/* Adds one part to `events` events of the whole: [outer, count, inner] elements at every step-th place of
 * [outer, size, inner]. Events follow each other in both, so they are more of `outer`. */
#define ADD_PART(name, real)                                                                                 \
    static void name(real *to, const real *from, int64_t events, const gb_shape *shape,                      \
                     const part_place *part)                                                                 \
    {                                                                                                        \
        int64_t outer = events, inner = 1;                                                                   \
        for (int64_t i = 0; i < shape->rank; i++)                                                            \
            *(i < part->axis ? &outer : &inner) *= i == part->axis ? 1 : shape->size[i];                     \
        const int64_t size = shape->size[part->axis];                                                        \
        const int64_t rows = part->step == 1 ? 1 : part->count; /* neighbours are one row */                 \
        const int64_t length = part->step == 1 ? part->count * inner : inner;                                \
        for (int64_t o = 0; o < outer && rows * length == 1; o++)                                            \
            to[o * size + part->begin] += from[o];                                                           \
        for (int64_t o = 0; o < outer && rows * length > 1; o++)                                             \
            for (int64_t i = 0; i < rows; i++, from += length) {                                             \
                real *row = to + (o * size + part->begin + i * part->step) * inner;                          \
                for (int64_t j = 0; j < length; j++)                                                         \
                    row[j] += from[j];                                                                       \
            }                                                                                                \
    }
ADD_PART(add_part_double, double)
ADD_PART(add_part_float, float)

/* The kernel's call, and the index of one part. */
typedef struct one_part {
    const assemble_attributes *whole;
    const part_place *place;
    int64_t events;
} one_part;

static void add_part(const gb_kernel_call *call, const void *const *in, void *out)
{
    const one_part *const part = call->attributes;
    if (call->real == GB_FLOAT)
        add_part_float(out, in[0], part->events, &part->whole->shape, part->place);
    else
        add_part_double(out, in[0], part->events, &part->whole->shape, part->place);
}

/* An argument that has all hidden axes of the result is added at once, and another one event by event. */
static void assemble_run(const gb_kernel_call *call)
{
    const assemble_attributes *whole = call->attributes;
    const size_t elements = gb_shape_count(call->out_layout.shape);
    const size_t events = elements > 0 ? gb_layout_count(&call->out_layout) / elements : 0;
    gb_fill_zeros(call, whole->covers != 0);
    for (size_t i = 0; i < call->count; i++) {
        const bool at_once = call->arg[i].axes == call->out_layout.axes;
        const one_part part = {
            .whole = whole, .place = &whole->part[i], .events = at_once ? (int64_t)events : 1};
        gb_kernel_call one = *call;
        one.count = 1;
        one.in = &call->in[i];
        one.arg = &call->arg[i];
        one.attributes = &part;
        if (at_once)
            add_part(&one, one.in, call->out);
        else
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

/* Merges many adjoints of slices of one array into one array with many parts. */
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
    for (size_t i = 0; parts && i < count && !tape; i++)
        tape = parts[i].tape;
    if (!tape || gb_error(tape) != GB_OK)
        return (gb_node){0};
    if (!parts[0].tape) { /* gb_apply checks the others */
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
        if (gb_node_ok(parts[i]) && !gb_shape_same(part, whole))
            gb_fail(tape, GB_ESHAPE, "concat: %s and %s differ in an axis other than %d",
                    gb_shape_text(gb_node_shape(parts[0]), a), gb_shape_text(gb_node_shape(parts[i]), b),
                    axis);
        const int64_t room = INT64_MAX - whole.size[along];
        whole.size[along] += size < room ? size : room; /* then the shape is invalid */
    }
    const gb_node node = assemble(tape, gb_shape_of(whole.rank, whole.size), count, parts, places, true);
    gb_memory_release(&memory, places);
    return node;
}

gb_node gb_slice_of_parts(gb_node x, int64_t begin, int64_t end)
{
    const assemble_attributes *const whole =
        gb_node_op(x) == &gb_assemble_op && begin < end ? gb_node_attributes(x) : NULL;
    gb_node found = {0};
    for (size_t i = 0; whole && i < gb_node_arguments(x); i++) {
        const part_place *const part = &whole->part[i];
        if (part->axis == 0 && (part->begin >= end || part->begin + (part->count - 1) * part->step < begin))
            continue; /* the slice has none of it */
        if (gb_node_ok(found) || part->axis != 0 || part->step != 1 || part->begin != begin ||
            part->count != end - begin)
            return gb_slice(x, 0, begin, end);
        found = gb_node_argument(x, i);
    }
    if (!whole || (!gb_node_ok(found) && gb_node_type(x) != GB_TYPE_REAL))
        return gb_slice(x, 0, begin, end);
    gb_shape shape = gb_node_shape(x);
    shape.size[0] = end - begin;
    return gb_widen(gb_node_ok(found) ? found : gb_zeros(x.tape, shape), gb_node_axes(x));
}
