/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operations along one hidden axis: hide and reveal, select, leave_one_out_mean. */
#include "ops/array.h"
#include "ops/arrays/axis_impl.h"
#include "ops/elementwise.h"
#include "ops/elementwise/composite_impl.h"
#include "ops/reduce.h"

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
    if (!gb_node_check(x, who))
        return false;
    if (axis && !(axis & (axis - 1)))
        return true;
    gb_fail(x.tape, GB_EARGUMENT, "%s: one hidden axis is needed", who);
    return false;
}

bool gb_is_hidden(gb_node x, gb_axes *axis)
{
    const bool is = gb_node_op(x) == &gb_hide_op;
    if (axis)
        *axis = is ? ((const hide_attributes *)gb_node_attributes(x))->axis : 0;
    return is;
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

/* ---- select and leave_one_out_mean ---- */

static bool carries_axis(gb_node x, const char *who, gb_axes axis)
{
    if (!gb_node_check(x, who))
        return false;
    if (axis && !(axis & (axis - 1)) && (gb_node_axes(x) & axis))
        return true;
    gb_fail(x.tape, GB_ESHAPE, "%s: the argument does not vary along that one hidden axis", who);
    return false;
}

/* Returns an argument that carries the hidden axis. */
static gb_node along_axis(gb_example *e, gb_axes axis)
{
    return gb_mul(e->real(e, e->shape(e, 0, 2, 0, 3), -2, 2), gb_shift(gb_axis_index(e->tape, axis), 1));
}

typedef struct select_attributes {
    gb_axes axis;
    int64_t place;
} select_attributes;

static bool select_infer(gb_infer *infer)
{
    const select_attributes *select = infer->attributes;
    infer->shape = infer->arg_shape[0];
    infer->type = infer->arg_type[0];
    infer->axes &= ~select->axis;
    if (select->place < 0)
        return gb_infer_fail(infer, GB_EARGUMENT, "place %lld is negative", (long long)select->place);
    const int64_t size = gb_site_axis_size(infer->tape, select->axis);
    if (size >= 0 && select->place >= size)
        return gb_infer_fail(infer, GB_EARGUMENT, "place %lld is not below the axis' size %lld",
                             (long long)select->place, (long long)size);
    return true;
}

static bool select_view(const void *attributes, const gb_layout *arg, gb_layout *result)
{
    const select_attributes *select = attributes;
    const int place = gb_axis_place(arg->axes, select->axis);
    if (select->place >= arg->hidden_size[place])
        return false;
    result->axes = arg->axes & ~select->axis;
    result->offset = arg->offset + select->place * arg->hidden_stride[place];
    for (int i = place; i + 1 < GB_MAX_HIDDEN; i++) {
        result->hidden_size[i] = arg->hidden_size[i + 1];
        result->hidden_stride[i] = arg->hidden_stride[i + 1];
    }
    return true;
}

/* The adjoint goes to the selected place of the axis; all other places get 0. */
static void select_vjp(const gb_vjp *v)
{
    const select_attributes *select = v->attributes;
    const gb_node index = gb_axis_index(v->tape, select->axis),
                  place = gb_num(v->tape, (double)select->place);
    v->adjoint[0] = gb_where(gb_equal(index, place), v->gradient, gb_num(v->tape, 0));
}

static gb_node select_example(gb_example *e)
{
    const gb_axes axis = e->axis(e);
    const gb_node x = along_axis(e, axis);
    return gb_select(x, axis, e->integer(e, 0, 1));
}

const gb_op gb_select_op = {.size = sizeof(gb_op),
                            .name = "select",
                            .attribute_bytes = sizeof(select_attributes),
                            .formula = "x at one place of a hidden axis",
                            .form = GB_FORM_VIEW,
                            .arguments = 1,
                            .infer = select_infer,
                            .vjp = select_vjp,
                            .view = select_view,
                            .example = select_example};

gb_node gb_select(gb_node x, gb_axes axis, int64_t place)
{
    x = gb_as_drawn(x, axis);
    if (gb_node_ok(x) && !(gb_node_axes(x) & axis))
        return x;
    if (!carries_axis(x, "select", axis))
        return (gb_node){0};
    const select_attributes attributes = {.axis = axis, .place = place};
    return gb_apply(NULL, &gb_select_op, 1, &x, &attributes, sizeof attributes);
}

gb_node gb_leave_one_out_mean(gb_node x, gb_axes axis)
{
    if (!carries_axis(x, "leave_one_out_mean", axis))
        return (gb_node){0};
    const gb_node others = gb_sub(gb_sum_over(x, axis), x);
    return gb_div(others, gb_shift(gb_axis_size(x.tape, axis), -1));
}

static gb_node leave_one_out_mean_example(gb_example *e)
{
    const gb_axes axis = e->axis(e);
    return gb_leave_one_out_mean(along_axis(e, axis), axis);
}

GB_COMPOSITE(leave_one_out_mean, "the mean of all the others along a hidden axis",
             leave_one_out_mean_example);
