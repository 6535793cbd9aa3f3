/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The elementwise operations. Each row of the table becomes a table of kernels, a derivative, an op struct
 * and a function. */
#include "ops/elementwise.h"

#include <math.h>
#include <string.h>

#include "ops/elementwise/elementwise_impl.h"
#include "ops/elementwise/pairs_impl.h"

/* ---- functions for the derivatives in the table ---- */

static gb_node chain(gb_node g, gb_node d)
{
    return gb_chain(g, d);
}

static gb_node only_if(gb_node condition, gb_node g)
{
    return gb_where(condition, g, gb_num(g.tape, 0));
}

static gb_node unless(gb_node condition, gb_node g)
{
    return gb_where(condition, gb_num(g.tape, 0), g);
}

/* 1 − tanh² x = 4 σ(2x) σ(−2x), without cancellation. */
static gb_node tanh_slope(gb_node x)
{
    return gb_mul(gb_scale(gb_sigmoid(gb_scale(x, 2)), 4), gb_sigmoid(gb_scale(x, -2)));
}

/* x / y − 1, without cancellation. */
static gb_node off_by(gb_node x, gb_node y)
{
    return gb_div(gb_sub(x, y), y);
}

/* y x^(y−1), and 0 where y is 0. */
static gb_node power_slope(gb_node x, gb_node y)
{
    return gb_chain(y, gb_pow(x, gb_shift(y, -1)));
}

/* x / (x² + y²), also where the squares overflow or underflow. */
static gb_node per_square_of_distance(gb_node x, gb_node y)
{
    const gb_node of_y = gb_div(y, x), of_x = gb_div(x, y);
    const gb_node flat = gb_reciprocal(gb_add(x, gb_mul(y, of_y)));
    const gb_node steep = gb_div(of_x, gb_add(gb_mul(x, of_x), y));
    return gb_where(gb_greater(gb_abs(x), gb_abs(y)), flat, steep);
}

/* 2 e^(−x²) / √π */
static gb_node erf_slope(gb_node x)
{
    return gb_scale(gb_exp(gb_neg(gb_square(x))), 1.12837916709551257390);
}

/* 1 − m e for m = mills(x), e = mills_excess(x): the variance beyond −x. Far out m e is near 1, and this is
 * 1/x² − 6/x⁴ + 50/x⁶ − … */
static gb_node mills_excess_slope(gb_node x, gb_node r)
{
    static const double c[] = {-518, 50, -6, 1};
    const double far = gb_tape_real(x.tape) == GB_FLOAT ? -15 : -60;
    const gb_node is_far = gb_less(x, gb_num(x.tape, far));
    const gb_node u = gb_square(gb_reciprocal(gb_where(is_far, x, gb_num(x.tape, far))));
    gb_node sum = gb_num(x.tape, 6354);
    for (size_t i = 0; i < sizeof c / sizeof *c; i++)
        sum = gb_shift(gb_mul(sum, u), c[i]);
    return gb_where(is_far, gb_mul(sum, u), gb_sub(gb_num(x.tape, 1), gb_mul(r, gb_mills(x))));
}

/* ---- neutral numbers ---- */

#define NONE NAN

/* Returns whether all elements are this number; 0 and −0 differ. */
static bool is_number(gb_node node, double number)
{
    double value;
    return !isnan(number) && gb_is_uniform(node, &value) && value == number &&
           signbit(value) == signbit(number);
}

static int other_than_neutral(const gb_node *arg, double neutral_x, double neutral_y)
{
    if (is_number(arg[1], neutral_y))
        return 0;
    return is_number(arg[0], neutral_x) ? 1 : -1;
}

/* ---- the rows of the table ---- */

#define num(value) gb_num(v->tape, value)

#define ONE_ARGUMENT(op_name, op_formula, text, dx, is_step, x_low, x_high)                                  \
    static void op_name##_vjp(const gb_vjp *v)                                                               \
    {                                                                                                        \
        const gb_node x = v->arg[0], r = v->value, g = v->gradient;                                          \
        (void)x, (void)r, (void)g;                                                                           \
        v->adjoint[0] = dx;                                                                                  \
    }                                                                                                        \
    static const gb_block_kernels op_name##_kernels = GB_KERNELS_OF(op_name, text);                          \
    const gb_op gb_##op_name##_op = {                                                                        \
        .size = sizeof(gb_op),                                                                               \
        .name = #op_name,                                                                                    \
        .formula = op_formula,                                                                               \
        .form = GB_FORM_ELEMENTWISE,                                                                         \
        .arguments = 1,                                                                                      \
        .vjp = op_name##_vjp,                                                                                \
        .jumps = is_step,                                                                                    \
        .blocks = &op_name##_kernels,                                                                        \
        .pairs = gb_pairs,                                                                                   \
        .domain = {{x_low, x_high}},                                                                         \
    };                                                                                                       \
    gb_node gb_##op_name(gb_node x)                                                                          \
    {                                                                                                        \
        return gb_apply(NULL, &gb_##op_name##_op, 1, &x, NULL, 0);                                           \
    }

#define GB_UNARY(name, formula, value, dx, x_low, x_high)                                                    \
    ONE_ARGUMENT(name, formula, #value, dx, false, x_low, x_high)
#define GB_STEP(name, formula, value, x_low, x_high)                                                         \
    ONE_ARGUMENT(name, formula, #value, (gb_node){0}, true, x_low, x_high)

#define GB_BINARY(op_name, op_formula, op_value, dx, dy, x_low, x_high, y_low, y_high, neutral_x, neutral_y, \
                  both)                                                                                      \
    static void op_name##_vjp(const gb_vjp *v)                                                               \
    {                                                                                                        \
        const gb_node x = v->arg[0], y = v->arg[1], r = v->value, g = v->gradient;                           \
        (void)x, (void)y, (void)r;                                                                           \
        if (v->wanted[0])                                                                                    \
            v->adjoint[0] = dx;                                                                              \
        if (v->wanted[1])                                                                                    \
            v->adjoint[1] = dy;                                                                              \
    }                                                                                                        \
    static int op_name##_same_as(size_t count, const gb_node *arg, const void *attributes)                   \
    {                                                                                                        \
        (void)count, (void)attributes;                                                                       \
        return other_than_neutral(arg, neutral_x, neutral_y);                                                \
    }                                                                                                        \
    static const gb_block_kernels op_name##_kernels = GB_KERNELS_OF(op_name, #op_value);                     \
    const gb_op gb_##op_name##_op = {                                                                        \
        .size = sizeof(gb_op),                                                                               \
        .name = #op_name,                                                                                    \
        .formula = op_formula,                                                                               \
        .form = GB_FORM_ELEMENTWISE,                                                                         \
        .arguments = 2,                                                                                      \
        .vjp = op_name##_vjp,                                                                                \
        .same_as = op_name##_same_as,                                                                        \
        .commutes = both,                                                                                    \
        .blocks = &op_name##_kernels,                                                                        \
        .pairs = gb_pairs,                                                                                   \
        .domain = {{x_low, x_high}, {y_low, y_high}},                                                        \
    };                                                                                                       \
    gb_node gb_##op_name(gb_node x, gb_node y)                                                               \
    {                                                                                                        \
        return gb_apply(NULL, &gb_##op_name##_op, 2, (const gb_node[]){x, y}, NULL, 0);                      \
    }

bool gb_infer_boolean(gb_infer *infer)
{
    infer->type = GB_TYPE_BOOL;
    return gb_infer_broadcast(infer);
}

#define GB_COMPARE(op_name, op_formula, op_value)                                                            \
    static const gb_block_kernels op_name##_kernels = GB_KERNELS_OF(op_name, "(V)(" #op_value ")");          \
    const gb_op gb_##op_name##_op = {                                                                        \
        .size = sizeof(gb_op),                                                                               \
        .name = #op_name,                                                                                    \
        .formula = op_formula,                                                                               \
        .form = GB_FORM_ELEMENTWISE,                                                                         \
        .arguments = 2,                                                                                      \
        .infer = gb_infer_boolean,                                                                           \
        .blocks = &op_name##_kernels,                                                                        \
        .pairs = gb_pairs,                                                                                   \
        .domain = {{-3, 3}, {-3, 3}},                                                                        \
    };                                                                                                       \
    gb_node gb_##op_name(gb_node x, gb_node y)                                                               \
    {                                                                                                        \
        return gb_apply(NULL, &gb_##op_name##_op, 2, (const gb_node[]){x, y}, NULL, 0);                      \
    }

#include "ops/elementwise/elementwise_table.h"
#undef num

/* ---- the last derivatives of log Γ ---- */

static const gb_block_kernels tetragamma_kernels = GB_KERNELS_OF(tetragamma, "v_tetragamma(x)");
const gb_op gb_tetragamma_op = {.size = sizeof(gb_op),
                                .name = "tetragamma",
                                .formula = "the third derivative of log |Gamma(x)|",
                                .form = GB_FORM_ELEMENTWISE,
                                .arguments = 1,
                                .blocks = &tetragamma_kernels,
                                .domain = {{0.4, 6}}};

static void trigamma_vjp(const gb_vjp *v)
{
    v->adjoint[0] = chain(v->gradient, gb_apply(NULL, &gb_tetragamma_op, 1, v->arg, NULL, 0));
}

static const gb_block_kernels trigamma_kernels = GB_KERNELS_OF(trigamma, "v_trigamma(x)");
const gb_op gb_trigamma_op = {.size = sizeof(gb_op),
                              .name = "trigamma",
                              .formula = "the second derivative of log |Gamma(x)|",
                              .form = GB_FORM_ELEMENTWISE,
                              .arguments = 1,
                              .vjp = trigamma_vjp,
                              .once_differentiable = true,
                              .blocks = &trigamma_kernels,
                              .domain = {{0.4, 6}}};

gb_node gb_trigamma(gb_node x)
{
    return gb_apply(NULL, &gb_trigamma_op, 1, &x, NULL, 0);
}

/* ---- operations with a number ---- */

gb_node gb_scale(gb_node x, double factor)
{
    return gb_mul(x, gb_num(x.tape, factor));
}

gb_node gb_shift(gb_node x, double offset)
{
    return gb_add(x, gb_num(x.tape, offset));
}

/* ---- where ---- */

static bool where_infer(gb_infer *infer)
{
    if (infer->arg_type[1] != infer->arg_type[2])
        return gb_infer_fail(infer, GB_ETYPE, "arguments 2 and 3 must have the same type");
    infer->type = infer->arg_type[1];
    return gb_infer_broadcast(infer);
}

static void where_vjp(const gb_vjp *v)
{
    v->adjoint[1] = only_if(v->arg[0], v->gradient);
    v->adjoint[2] = unless(v->arg[0], v->gradient);
}

static gb_node where_example(gb_example *e)
{
    const gb_shape shape = e->shape(e, 0, 3, 0, 3);
    return gb_where(e->truth(e, shape), e->real(e, shape, -3, 3), e->real(e, shape, -3, 3));
}

/* A compiler that sees the comparison behind x makes a maximum or minimum of both. Where subnormals count as
 * 0 that flushes them; a selection does not. */
static const gb_block_kernels where_kernels = GB_KERNELS_OF(where, "v_select(m_opaque((M)x), y, z)");
const gb_op gb_where_op = {.size = sizeof(gb_op),
                           .name = "where",
                           .formula = "x where the condition is true, else y",
                           .form = GB_FORM_ELEMENTWISE,
                           .arguments = 3,
                           .takes = {GB_TAKES_BOOLEANS, GB_TAKES_ANY, GB_TAKES_ANY},
                           .infer = where_infer,
                           .vjp = where_vjp,
                           .blocks = &where_kernels,
                           .example = where_example};

gb_node gb_where(gb_node condition, gb_node x, gb_node y)
{
    return gb_apply(NULL, &gb_where_op, 3, (const gb_node[]){condition, x, y}, NULL, 0);
}

/* ---- pairs: two operations as one instruction ---- */

extern const gb_op gb_total_op;

#define THREE_ARGUMENTS 3
#define TWO_ARGUMENTS 2

#define GB_PAIR(op_name, first, second, place, argument_count, value)                                        \
    static const gb_block_kernels op_name##_kernels = GB_KERNELS_OF(op_name, #value);                        \
    static const gb_op op_name##_op = {.size = sizeof(gb_op),                                                \
                                       .name = #op_name,                                                     \
                                       .formula = #value,                                                    \
                                       .form = GB_FORM_ELEMENTWISE,                                          \
                                       .arguments = argument_count,                                          \
                                       .blocks = &op_name##_kernels};
#include "ops/elementwise/pairs_table.h"
#undef GB_PAIR

#define GB_PAIR(name, first, second, place, arguments, value)                                                \
    {&gb_##first##_op, &gb_##second##_op, place, &name##_op},
const struct gb_pair gb_pairs[] = {
#include "ops/elementwise/pairs_table.h"
    {0}};
