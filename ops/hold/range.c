/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The range of a value, derived from the operations that it is made of. */
#include <math.h>
#include <string.h>

#include "ops/hold.h"

extern const gb_op gb_abs_op, gb_add_op, gb_div_op, gb_exp_op, gb_hold_op, gb_max_op, gb_misfit_op, gb_mul_op,
    gb_neg_op, gb_reciprocal_op, gb_relu_op, gb_scale_divergence_op, gb_sigmoid_op, gb_softplus_op,
    gb_sqrt_op, gb_square_op, gb_sub_op, gb_tanh_op, gb_uniform_noise_op;

static const gb_range anything = {.low = -INFINITY, .high = INFINITY};

/* Operations whose range does not depend on that of the argument. */
static const struct {
    const gb_op *op;
    gb_range range;
} range_of_op[] = {
    {&gb_exp_op, {0, INFINITY, true, false}},     {&gb_softplus_op, {0, INFINITY, true, false}},
    {&gb_sigmoid_op, {0, 1, true, true}},         {&gb_tanh_op, {-1, 1, true, true}},
    {&gb_square_op, {0, INFINITY, false, false}}, {&gb_abs_op, {0, INFINITY, false, false}},
    {&gb_relu_op, {0, INFINITY, false, false}},   {&gb_scale_divergence_op, {0, INFINITY, false, false}},
    {&gb_misfit_op, {0, INFINITY, false, false}}, {&gb_uniform_noise_op, {0, 1, true, true}},
};

static bool is_positive(gb_range r)
{
    return r.low > 0 || (r.low == 0 && r.above);
}

static gb_range known(gb_node x, int depth);

static gb_range argument(gb_node x, size_t index, int depth)
{
    return known(gb_node_argument(x, index), depth - 1);
}

static gb_range sum(gb_range a, gb_range b)
{
    return (gb_range){a.low + b.low, a.high + b.high, a.above || b.above, a.below || b.below};
}

static gb_range negative(gb_range a)
{
    return (gb_range){-a.high, -a.low, a.below, a.above};
}

/* Products and quotients: derived from the signs only. */
static gb_range of_signs(gb_range a, gb_range b)
{
    if (a.low >= 0 && b.low >= 0)
        return (gb_range){0, INFINITY, is_positive(a) && is_positive(b), false};
    return anything;
}

static gb_range larger(gb_range a, gb_range b)
{
    const gb_range low = a.low > b.low ? a : b, high = a.high > b.high ? a : b;
    return (gb_range){low.low, high.high, low.above, high.below};
}

static gb_range known(gb_node x, int depth)
{
    const gb_op *const op = gb_node_op(x);
    double value;
    if (gb_is_uniform(x, &value))
        return (gb_range){.low = value, .high = value};
    if (op && op->form == GB_FORM_LEAF && strcmp(op->name, "variable") == 0)
        return (gb_range){-INFINITY, INFINITY, true, true};
    for (size_t i = 0; i < sizeof range_of_op / sizeof *range_of_op; i++)
        if (op == range_of_op[i].op)
            return range_of_op[i].range;
    if (depth == 0 || !op)
        return anything;
    if (op->form == GB_FORM_ALIAS || op->form == GB_FORM_VIEW || op == &gb_hold_op)
        return argument(x, 0, depth);
    if (op == &gb_neg_op)
        return negative(argument(x, 0, depth));
    if (op == &gb_add_op)
        return sum(argument(x, 0, depth), argument(x, 1, depth));
    if (op == &gb_max_op)
        return larger(argument(x, 0, depth), argument(x, 1, depth));
    if (op == &gb_sub_op)
        return sum(argument(x, 0, depth), negative(argument(x, 1, depth)));
    if (op == &gb_mul_op || op == &gb_div_op)
        return of_signs(argument(x, 0, depth), argument(x, 1, depth));
    if (op == &gb_reciprocal_op || op == &gb_sqrt_op)
        return of_signs(argument(x, 0, depth), argument(x, 0, depth));
    return anything;
}

gb_range gb_node_range(gb_node x)
{
    enum { DEPTH = 8 };
    return known(x, DEPTH);
}
