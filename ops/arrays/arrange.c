/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ops/arrange.h"

#include <math.h>

#include "ops/array.h"
#include "ops/arrays/axis_impl.h"
#include "ops/elementwise.h"
#include "ops/elementwise/composite_impl.h"

static int any_axis(gb_example *e, gb_node x)
{
    return (int)e->integer(e, 0, gb_node_shape(x).rank - 1);
}

/* ---- axes of size 1 ---- */

static gb_node expand(gb_node x, const char *who, int axis)
{
    char text[GB_SHAPE_TEXT];
    const gb_shape from = gb_node_shape(x);
    const int place = axis < 0 ? axis + from.rank + 1 : axis;
    int64_t sizes[GB_MAX_RANK + 1];
    if (!gb_node_check(x, who))
        return (gb_node){0};
    if (place < 0 || place > from.rank || from.rank == GB_MAX_RANK) {
        gb_fail(x.tape, GB_ESHAPE, "%s: shape %s cannot have a new axis %d%s", who, gb_shape_text(from, text),
                axis, from.rank == GB_MAX_RANK ? ": it has as many as there can be" : "");
        return (gb_node){0};
    }
    for (int i = 0; i <= from.rank; i++)
        sizes[i] = i == place ? 1 : from.size[i - (i > place)];
    return gb_reshape(x, gb_shape_of(from.rank + 1, sizes));
}

gb_node gb_expand(gb_node x, int axis)
{
    return expand(x, "expand", axis);
}

static gb_node expand_example(gb_example *e)
{
    const gb_node x = e->real(e, e->shape(e, 0, 3, 0, 4), -2, 2);
    return gb_expand(x, (int)e->integer(e, -1, gb_node_shape(x).rank));
}
GB_COMPOSITE(expand, "x with a new axis of size 1", expand_example);

gb_node gb_squeeze(gb_node x, int axis)
{
    char text[GB_SHAPE_TEXT];
    gb_shape shape = gb_node_shape(x);
    const int along = gb_axis_from_front(x, "squeeze", axis);
    if (along < 0)
        return (gb_node){0};
    if (shape.size[along] != 1) {
        gb_fail(x.tape, GB_ESHAPE, "squeeze: axis %d of shape %s does not have size 1", axis,
                gb_shape_text(shape, text));
        return (gb_node){0};
    }
    for (int i = along; i + 1 < shape.rank; i++)
        shape.size[i] = shape.size[i + 1];
    return gb_reshape(x, gb_shape_of(shape.rank - 1, shape.size));
}

static gb_node squeeze_example(gb_example *e)
{
    gb_shape shape = e->shape(e, 1, 3, 0, 4);
    const int axis = (int)e->integer(e, 0, shape.rank - 1);
    shape.size[axis] = 1;
    return gb_squeeze(e->real(e, shape, -2, 2), axis);
}
GB_COMPOSITE(squeeze, "x without an axis of size 1", squeeze_example);

/* ---- flip ---- */

static bool flip_view(const void *attributes, const gb_layout *arg, gb_layout *result)
{
    const int64_t axis = *(const int64_t *)attributes, size = arg->shape.size[axis];
    result->stride[axis] = -arg->stride[axis];
    if (size > 0)
        result->offset = arg->offset + (size - 1) * arg->stride[axis];
    return true;
}

static void flip_vjp(const gb_vjp *v)
{
    v->adjoint[0] = gb_flip(v->gradient, (int)*(const int64_t *)v->attributes);
}

static gb_node flip_example(gb_example *e)
{
    const gb_node x = e->real(e, e->shape(e, 1, 3, 0, 5), -2, 2);
    return gb_flip(x, any_axis(e, x));
}

const gb_op gb_flip_op = {.size = sizeof(gb_op),
                          .name = "flip",
                          .attribute_bytes = sizeof(int64_t),
                          .formula = "x from the last element to the first along an axis",
                          .form = GB_FORM_VIEW,
                          .arguments = 1,
                          .infer = gb_infer_first,
                          .vjp = flip_vjp,
                          .view = flip_view,
                          .example = flip_example};

gb_node gb_flip(gb_node x, int axis)
{
    const int64_t along = gb_axis_from_front(x, "flip", axis);
    return along < 0 ? (gb_node){0} : gb_apply(NULL, &gb_flip_op, 1, &x, &along, sizeof along);
}

/* ---- repeat ---- */

gb_node gb_repeat(gb_node x, int axis, int64_t times)
{
    const int along = gb_axis_from_front(x, "repeat", axis);
    gb_shape wide = gb_node_shape(x), flat = wide;
    if (along < 0)
        return (gb_node){0};
    if (times < 0) {
        gb_fail(x.tape, GB_EARGUMENT, "repeat: %lld times is negative", (long long)times);
        return (gb_node){0};
    }
    const gb_node expanded = expand(x, "repeat", along + 1);
    wide = gb_node_shape(expanded);
    if (!gb_node_ok(expanded))
        return expanded;
    wide.size[along + 1] = times;
    wide = gb_shape_of(wide.rank, wide.size);
    flat.size[along] *= wide.rank < 0 ? 1 : times;
    return gb_reshape(gb_broadcast(expanded, wide), flat);
}

static gb_node repeat_example(gb_example *e)
{
    const gb_node x = e->real(e, e->shape(e, 1, 3, 0, 4), -2, 2);
    const int axis = any_axis(e, x);
    return gb_repeat(x, axis, e->integer(e, 0, 3));
}
GB_COMPOSITE(repeat, "each element along an axis several times", repeat_example);

/* ---- stack ---- */

gb_node gb_stack(size_t count, const gb_node *parts, int axis)
{
    char a[GB_SHAPE_TEXT], b[GB_SHAPE_TEXT];
    gb_tape *tape = NULL;
    for (size_t i = 0; parts && i < count && !tape; i++)
        tape = parts[i].tape;
    if (!tape || gb_error(tape) != GB_OK)
        return (gb_node){0};
    const gb_memory memory = gb_tape_memory(tape);
    gb_node *expanded = gb_memory_resize(&memory, NULL, count * sizeof *expanded);
    if (!expanded) {
        gb_fail(tape, GB_ENOMEM, "stack: out of memory for %zu parts", count);
        return (gb_node){0};
    }
    const gb_shape shape = gb_node_shape(parts[0]);
    for (size_t i = 0; i < count; i++) {
        if (!parts[i].tape)
            gb_fail(tape, GB_ENODE, "stack: part %zu is no node (was it ever recorded?)", i + 1);
        expanded[i] = expand(parts[i], "stack", axis);
        if (gb_node_ok(expanded[i]) && !gb_shape_same(gb_node_shape(parts[i]), shape))
            gb_fail(tape, GB_ESHAPE, "stack: part 1 has shape %s, part %zu %s", gb_shape_text(shape, a),
                    i + 1, gb_shape_text(gb_node_shape(parts[i]), b));
    }
    const int place = axis < 0 ? axis + shape.rank + 1 : axis;
    const gb_node node = gb_concat(count, expanded, place);
    gb_memory_release(&memory, expanded);
    return node;
}

static gb_node stack_example(gb_example *e)
{
    const gb_shape shape = e->shape(e, 0, 3, 0, 3);
    const size_t count = (size_t)e->integer(e, 1, 4);
    gb_node parts[4];
    for (size_t i = 0; i < count; i++)
        parts[i] = e->real(e, shape, -2, 2);
    return gb_stack(count, parts, (int)e->integer(e, -1, shape.rank));
}
GB_COMPOSITE(stack, "arrays of one shape along a new axis", stack_example);

/* ---- arrays of numbers ---- */

/* Makes a constant of this shape: the n × n identity matrix with `ones`, else 0, 1, 2 … */
static gb_node numbers(gb_tape *tape, const char *who, int64_t n, gb_shape shape, bool ones)
{
    const size_t count = gb_shape_count(shape);
    if (!tape || gb_error(tape) != GB_OK)
        return (gb_node){0};
    if (shape.rank < 0) {
        gb_fail(tape, GB_EARGUMENT, "%s: %lld is negative or too large", who, (long long)n);
        return (gb_node){0};
    }
    const gb_memory memory = gb_tape_memory(tape);
    double *data = gb_memory_resize(&memory, NULL, (count + 1) * sizeof *data);
    if (!data) {
        gb_fail(tape, GB_ENOMEM, "%s: out of memory for %zu numbers", who, count);
        return (gb_node){0};
    }
    for (size_t i = 0; i < count; i++)
        data[i] = ones ? i % ((size_t)n + 1) == 0 : (double)i;
    const gb_node node = gb_constant(tape, shape, gb_values_of(data, count));
    gb_memory_release(&memory, data);
    return node;
}

gb_node gb_arange(gb_tape *tape, int64_t n)
{
    return numbers(tape, "arange", n, gb_shape(n), false);
}

gb_node gb_eye(gb_tape *tape, int64_t n)
{
    return numbers(tape, "eye", n, gb_shape(n, n), true);
}

/* ---- one_hot ---- */

static bool places_fit(gb_node index, int64_t size)
{
    int64_t value;
    if (!gb_node_check(index, "one_hot"))
        return false;
    if (gb_node_type(index) != GB_TYPE_INT) {
        gb_fail(index.tape, GB_ETYPE,
                "one_hot: argument 1 is not made of integers (gb_ints, gb_input_ints, gb_to_int)");
        return false;
    }
    for (size_t i = 0; i < gb_shape_count(gb_node_shape(index)) && gb_constant_int(index, i, &value); i++)
        if (value < 0 || value >= size) {
            gb_fail(index.tape, GB_EARGUMENT, "one_hot: index %lld is not below the size %lld",
                    (long long)value, (long long)size);
            return false;
        }
    return true;
}

gb_node gb_one_hot(gb_node index, int64_t size)
{
    if (!places_fit(index, size))
        return (gb_node){0};
    const gb_node place = gb_to_real(expand(index, "one_hot", -1));
    if (gb_node_ok(place) && size >= 0 &&
        gb_shape_count(gb_node_shape(index)) == 0) /* no numbers are needed */
        return gb_broadcast(place, gb_shape_replace(gb_node_shape(place), -1, size));
    const gb_node places = numbers(index.tape, "one_hot", size, gb_shape(size), false);
    const gb_node there = gb_and(gb_greater_equal(place, gb_num(index.tape, 0)),
                                 gb_less(place, gb_num(index.tape, (double)size)));
    return gb_where(there, gb_to_real(gb_equal(place, places)), gb_num(index.tape, NAN));
}

static gb_node one_hot_example(gb_example *e)
{
    const gb_node weights = e->real(e, gb_shape(4), -2, 2);
    return gb_mul(weights, gb_one_hot(e->ints(e, e->shape(e, 0, 3, 0, 3), 0, 3), 4));
}
GB_COMPOSITE(one_hot, "1 at the place that an integer says, else 0", one_hot_example);
