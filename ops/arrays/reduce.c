/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ops/reduce.h"

#include <math.h>
#include <string.h>

#include "ops/array.h"
#include "ops/arrays/axis_impl.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/elementwise/composite_impl.h"

/* ---- which axes ---- */

static uint32_t all_axes(gb_node x)
{
    const int rank = gb_node_shape(x).rank;
    return rank > 0 ? (1u << rank) - 1 : 0;
}

/* Returns how many elements of x one element of the result reduces: a number, times a node for hidden
 * axes. */
static double visible_count(gb_node x, uint32_t visible)
{
    double count = 1;
    for (int i = 0; i < gb_node_shape(x).rank; i++)
        count *= visible >> i & 1u ? (double)gb_node_shape(x).size[i] : 1;
    return count;
}

static gb_node hidden_count(gb_tape *tape, gb_axes axes)
{
    gb_node count = gb_num(tape, 1);
    for (gb_axes rest = axes; rest; rest &= rest - 1)
        count = gb_mul(count, gb_axis_size(tape, rest & (~rest + 1)));
    return count;
}

/* ---- a reduction, three ways to name its axes ---- */

typedef gb_node reduction(gb_node x, gb_reduce_over over);

static gb_node over_all(gb_node x, reduction *reduce)
{
    return gb_node_ok(x) ? reduce(x, (gb_reduce_over){.visible = all_axes(x)}) : x;
}

static gb_node over_list(gb_node x, const char *who, gb_axis_list axes, reduction *reduce)
{
    uint32_t visible;
    if (!gb_axis_bits(x, who, axes, &visible))
        return (gb_node){0};
    return reduce(x, (gb_reduce_over){.visible = visible});
}

static gb_node over_hidden(gb_node x, gb_axes axes, reduction *reduce)
{
    return reduce(x, (gb_reduce_over){.hidden = axes & gb_node_axes(x)});
}

/* Returns a reduced node with the reduced axes of x put back at size 1. */
static gb_node with_axes_back(gb_node reduced, gb_node x, uint32_t visible)
{
    gb_shape shape = gb_node_shape(x);
    for (int i = 0; i < shape.rank; i++)
        if (visible >> i & 1u)
            shape.size[i] = 1;
    return gb_reshape(reduced, shape);
}

/* ---- sum ---- */

static gb_node sum(gb_node x, gb_reduce_over over)
{
    return gb_reduce(&gb_sum_op, x, over);
}

gb_node gb_sum(gb_node x)
{
    return over_all(x, sum);
}

gb_node gb_sum_along(gb_node x, gb_axis_list axes)
{
    return over_list(x, "sum", axes, sum);
}

gb_node gb_sum_over(gb_node x, gb_axes axes)
{
    x = gb_as_drawn(x, axes);
    const gb_node result = over_hidden(x, axes, sum);
    const gb_axes absent = axes & ~gb_node_axes(x);
    return absent && gb_node_ok(x) ? gb_mul(result, hidden_count(x.tape, absent)) : result;
}

/* ---- mean ---- */

static gb_node mean(gb_node x, gb_reduce_over over)
{
    const gb_node count =
        gb_mul(hidden_count(x.tape, over.hidden), gb_num(x.tape, visible_count(x, over.visible)));
    return gb_div(sum(x, over), count);
}

gb_node gb_mean(gb_node x)
{
    return over_all(x, mean);
}

gb_node gb_mean_along(gb_node x, gb_axis_list axes)
{
    return over_list(x, "mean", axes, mean);
}

gb_node gb_mean_over(gb_node x, gb_axes axes)
{
    x = gb_as_drawn(x, axes);
    return over_hidden(x, axes, mean);
}

/* ---- maximum ---- */

static gb_node maximum(gb_node x, gb_reduce_over over);

static void maximum_vjp(const gb_vjp *v)
{
    gb_reduce_over over;
    memcpy(&over, v->attributes, sizeof over);
    const gb_node x = v->arg[0], back = with_axes_back(v->value, x, over.visible);
    const gb_node attained = gb_to_real(gb_equal(x, back));
    const gb_node share = gb_div(v->gradient, sum(attained, over));
    v->adjoint[0] = gb_chain(with_axes_back(share, x, over.visible), attained);
}

static gb_node maximum_example(gb_example *e)
{
    const gb_node x = e->real(e, e->shape(e, 1, 4, 1, 4), -2, 2);
    const uint32_t axes = (uint32_t)e->integer(e, 1, (1 << gb_node_shape(x).rank) - 1);
    return maximum(x, (gb_reduce_over){.visible = axes});
}

const gb_op gb_maximum_op = {.size = sizeof(gb_op),
                             .name = "maximum",
                             .formula = "the largest x over axes",
                             .form = GB_FORM_REDUCE,
                             .arguments = 1,
                             .infer = gb_infer_reduce,
                             .vjp = maximum_vjp,
                             .reduction = GB_REDUCE_MAX,
                             .example = maximum_example};

static gb_node maximum(gb_node x, gb_reduce_over over)
{
    return gb_reduce(&gb_maximum_op, x, over);
}

gb_node gb_maximum(gb_node x)
{
    return over_all(x, maximum);
}

gb_node gb_maximum_along(gb_node x, gb_axis_list axes)
{
    return over_list(x, "maximum", axes, maximum);
}

gb_node gb_maximum_over(gb_node x, gb_axes axes)
{
    x = gb_as_drawn(x, axes);
    return over_hidden(x, axes, maximum);
}

/* ---- logsumexp ---- */

/* log Σ e^x where no x is far above 0. Other operations compute the value. This alias gives it a derivative
 * of its own, g · exp(x − value). */
static void logsumexp_vjp(const gb_vjp *v)
{
    gb_reduce_over over;
    memcpy(&over, v->attributes, sizeof over);
    const gb_node x = v->arg[1], r = v->value, zero = gb_num(v->tape, 0);
    const gb_node none = gb_equal(r, gb_num(v->tape, -INFINITY));
    const gb_node safe = with_axes_back(gb_where(none, zero, r), x, over.visible);
    v->adjoint[1] = gb_chain(with_axes_back(v->gradient, x, over.visible), gb_exp(gb_sub(x, safe)));
}

static gb_node log_total(gb_node x, gb_reduce_over over);

static gb_node logsumexp_example(gb_example *e)
{
    const gb_node x = e->real(e, e->shape(e, 1, 4, 1, 4), -3, 3);
    const uint32_t axes = (uint32_t)e->integer(e, 1, (1 << gb_node_shape(x).rank) - 1);
    return log_total(x, (gb_reduce_over){.visible = axes});
}

const gb_op gb_logsumexp_op = {.size = sizeof(gb_op),
                               .name = "logsumexp",
                               .attribute_bytes = sizeof(gb_reduce_over),
                               .formula = "log of the sum of e^x over axes",
                               .form = GB_FORM_ALIAS,
                               .arguments = 2,
                               .infer = gb_infer_first,
                               .vjp = logsumexp_vjp,
                               .example = logsumexp_example};

static gb_node log_total(gb_node x, gb_reduce_over over)
{
    gb_reduce_over attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.hidden = over.hidden;
    attributes.visible = over.visible;
    const gb_node value = gb_log(sum(gb_exp(x), over));
    return gb_apply(NULL, &gb_logsumexp_op, 2, (const gb_node[]){value, x}, &attributes, sizeof attributes);
}

/* The largest x, if it is finite, without gradient: what all x have in common must not meet the logarithm,
 * nor its derivative, where its size would cost digits. */
static gb_node common_part(gb_node x, gb_reduce_over over)
{
    const gb_node most = maximum(x, over), infinity = gb_num(x.tape, INFINITY);
    return gb_stop(gb_where(gb_less(gb_abs(most), infinity), most, gb_num(x.tape, 0)));
}

static gb_node logsumexp(gb_node x, gb_reduce_over over)
{
    if (!gb_node_ok(x) || (over.hidden == 0 && over.visible == 0))
        return x;
    const gb_node common = common_part(x, over);
    return gb_add(common, log_total(gb_sub(x, with_axes_back(common, x, over.visible)), over));
}

gb_node gb_logsumexp(gb_node x)
{
    return over_all(x, logsumexp);
}

gb_node gb_logsumexp_along(gb_node x, gb_axis_list axes)
{
    return over_list(x, "logsumexp", axes, logsumexp);
}

gb_node gb_logsumexp_over(gb_node x, gb_axes axes)
{
    x = gb_as_drawn(x, axes);
    const gb_axes absent = axes & ~gb_node_axes(x);
    const gb_node result = over_hidden(x, axes, logsumexp);
    return absent && gb_node_ok(x) ? gb_add(result, gb_log(hidden_count(x.tape, absent))) : result;
}

/* ---- softmax ---- */

/* Other operations compute log p. This alias gives it its derivative: of a p near 1, 1 − p is known from
 * log p, and nothing of it cancels. */
static void log_shares_vjp(const gb_vjp *v)
{
    gb_reduce_over over;
    memcpy(&over, v->attributes, sizeof over);
    const gb_node g = v->gradient, log_p = v->value;
    const gb_node of_others = gb_sub(with_axes_back(sum(g, over), log_p, over.visible), g);
    v->adjoint[1] = gb_sub(gb_chain(g, gb_neg(gb_expm1(log_p))), gb_chain(of_others, gb_exp(log_p)));
}

static const gb_op log_shares_op = {.size = sizeof(gb_op),
                                    .name = "log_shares",
                                    .attribute_bytes = sizeof(gb_reduce_over),
                                    .formula = "x - logsumexp(x) along axes",
                                    .form = GB_FORM_ALIAS,
                                    .arguments = 2,
                                    .infer = gb_infer_first,
                                    .vjp = log_shares_vjp};

/* The sum of e^rest is 1 for the largest x, plus that of the others, whose digits the 1 would cost. */
static gb_node log_softmax_bits(gb_node x, uint32_t visible)
{
    if (!gb_node_ok(x))
        return x;
    gb_reduce_over over;
    memset(&over, 0, sizeof over);
    over.visible = visible;
    const gb_node rest = gb_sub(x, with_axes_back(common_part(x, over), x, visible));
    const gb_node zero = gb_num(x.tape, 0), is_most = gb_equal(rest, zero);
    const gb_node others = sum(gb_where(is_most, zero, gb_exp(rest)), over);
    const gb_node ties = gb_shift(sum(gb_to_real(is_most), over), -1);
    const gb_node log_sum = gb_stop(gb_log1p(gb_add(others, ties))); /* its comparison is no jump */
    const gb_node value = gb_sub(rest, with_axes_back(log_sum, x, visible));
    return gb_apply(NULL, &log_shares_op, 2, (const gb_node[]){value, x}, &over, sizeof over);
}

gb_node gb_log_softmax(gb_node x, int axis)
{
    uint32_t visible;
    if (!gb_axis_bits(x, "log_softmax", gb_axis(axis), &visible))
        return (gb_node){0};
    return log_softmax_bits(x, visible);
}

gb_node gb_softmax(gb_node x, int axis)
{
    uint32_t visible;
    if (!gb_axis_bits(x, "softmax", gb_axis(axis), &visible))
        return (gb_node){0};
    return gb_exp(log_softmax_bits(x, visible));
}

/* ---- composites, for the list ---- */

static gb_node some_argument(gb_example *e)
{
    return e->real(e, e->shape(e, 1, 3, 1, 4), -2, 2);
}

static gb_node mean_example(gb_example *e)
{
    return gb_mean_along(some_argument(e), gb_axis(-1));
}

static gb_node softmax_example(gb_example *e)
{
    return gb_softmax(some_argument(e), -1);
}

static gb_node log_softmax_example(gb_example *e)
{
    return gb_log_softmax(some_argument(e), 0);
}

/* Returns an argument that carries the hidden axis. */
static gb_node along_axis(gb_example *e, gb_axes axis)
{
    return gb_mul(e->real(e, e->shape(e, 0, 2, 0, 3), -2, 2), gb_shift(gb_axis_index(e->tape, axis), 1));
}

static gb_node sum_over_example(gb_example *e)
{
    const gb_axes axis = e->axis(e);
    return gb_sum_over(along_axis(e, axis), axis);
}

static gb_node mean_over_example(gb_example *e)
{
    const gb_axes axis = e->axis(e);
    return gb_mean_over(along_axis(e, axis), axis);
}

static gb_node logsumexp_over_example(gb_example *e)
{
    const gb_axes axis = e->axis(e);
    return gb_logsumexp_over(along_axis(e, axis), axis);
}

static gb_node maximum_over_example(gb_example *e)
{
    const gb_axes axis = e->axis(e); /* the places differ enough that differences see one maximum */
    const gb_node x = e->real(e, e->shape(e, 0, 2, 0, 3), 0.5, 0.9);
    return gb_maximum_over(gb_add(x, gb_axis_index(e->tape, axis)), axis);
}

GB_COMPOSITE(mean, "the mean of x over axes", mean_example);
GB_COMPOSITE(softmax, "e^x over the sum of e^x along an axis", softmax_example);
GB_COMPOSITE(log_softmax, "x - max - logsumexp(x - max) along an axis", log_softmax_example);
GB_COMPOSITE(sum_over, "the sum of x over hidden axes", sum_over_example);
GB_COMPOSITE(mean_over, "the mean of x over hidden axes", mean_over_example);
GB_COMPOSITE(logsumexp_over, "log of the sum of e^x over hidden axes", logsumexp_over_example);
GB_COMPOSITE(maximum_over, "the largest x over hidden axes", maximum_over_example);
