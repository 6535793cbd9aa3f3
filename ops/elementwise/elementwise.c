/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The elementwise operations: from each line of the table a kernel table, a derivative, an op struct, a function. */
#include "ops/elementwise.h"

#include <math.h>
#include <string.h>

#include "ops/elementwise/elementwise_impl.h"
#include "ops/elementwise/pairs_impl.h"
#include "ops/list.h"

/* ---- the words in which the table writes derivatives ---- */

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

#define FLAT ((gb_node){0})

/* 1 − tanh² x = 4 σ(2x) σ(−2x), which does not cancel. */
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

static gb_node square_of_distance(gb_node x, gb_node y)
{
    return gb_add(gb_square(x), gb_square(y));
}

/* 2 e^(−x²) / √π */
static gb_node erf_slope(gb_node x)
{
    return gb_scale(gb_exp(gb_neg(gb_square(x))), 1.12837916709551257390);
}

/* I0 − I1/x − sign(x) I1, scaled; I1/x is a half at 0. */
static gb_node i1e_slope(gb_node x, gb_node r)
{
    const gb_node zero = gb_num(x.tape, 0);
    const gb_node by_x = gb_where(gb_equal(x, zero), gb_num(x.tape, 0.5), gb_div(r, x));
    return gb_sub(gb_sub(gb_i0e(x), by_x), gb_mul(gb_sign(x), r));
}

/* ---- neutral numbers ---- */

#define NONE NAN

/* The same number, and the same zero. */
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

/* ---- what the table becomes ---- */

#define num(value) gb_num(v->tape, value)

#define GB_UNARY(op_name, op_formula, op_value, dx, x_low, x_high)                                           \
    static void op_name##_vjp(const gb_vjp *v)                                                               \
    {                                                                                                        \
        const gb_node x = v->arg[0], r = v->value, g = v->gradient;                                          \
        (void)x, (void)r, (void)g;                                                                           \
        v->adjoint[0] = dx;                                                                                  \
    }                                                                                                        \
    static const gb_block_kernels op_name##_kernels = GB_KERNELS(op_name);                                   \
    const gb_op gb_##op_name##_op = {                                                                        \
        .size = sizeof(gb_op),                                                                               \
        .name = #op_name,                                                                                    \
        .formula = op_formula,                                                                               \
        .form = GB_FORM_ELEMENTWISE,                                                                         \
        .arguments = 1,                                                                                      \
        .vjp = op_name##_vjp,                                                                                \
        .jumps = sizeof(#dx) == sizeof "FLAT", /* no other adjoint is as short */                            \
        .blocks = &op_name##_kernels,                                                                        \
        .pairs = gb_pairs,                                                                                   \
        .domain = {{x_low, x_high}},                                                                         \
    };                                                                                                       \
    gb_node gb_##op_name(gb_node x)                                                                          \
    {                                                                                                        \
        return gb_apply(NULL, &gb_##op_name##_op, 1, &x, NULL, 0);                                           \
    }

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
    static const gb_block_kernels op_name##_kernels = GB_KERNELS(op_name);                                   \
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

/* Reals against each other, a boolean as result. */
static bool compare_infer(gb_infer *infer)
{
    infer->shape = infer->arg_shape[0];
    for (size_t i = 0; i < 2; i++)
        if (infer->arg_type[i] != GB_TYPE_REAL)
            return gb_infer_fail(infer, GB_ETYPE, "argument %zu is not real (gb_to_real makes it so)", i + 1);
    infer->type = GB_TYPE_BOOL;
    return gb_infer_broadcast(infer);
}

#define GB_COMPARE(op_name, op_formula, op_value)                                                            \
    static const gb_block_kernels op_name##_kernels = GB_KERNELS(op_name);                                   \
    const gb_op gb_##op_name##_op = {                                                                        \
        .size = sizeof(gb_op),                                                                               \
        .name = #op_name,                                                                                    \
        .formula = op_formula,                                                                               \
        .form = GB_FORM_ELEMENTWISE,                                                                         \
        .arguments = 2,                                                                                      \
        .infer = compare_infer,                                                                              \
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

/* ---- where the chain of derivatives ends ---- */

static const gb_block_kernels tetragamma_kernels = GB_KERNELS(tetragamma);
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

static const gb_block_kernels trigamma_kernels = GB_KERNELS(trigamma);
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

/* ---- with a number ---- */

gb_node gb_scale(gb_node x, double factor)
{
    return gb_mul(x, gb_num(x.tape, factor));
}

gb_node gb_shift(gb_node x, double offset)
{
    return gb_add(x, gb_num(x.tape, offset));
}

gb_node gb_clip(gb_node x, double low, double high)
{
    if (!(low <= high)) {
        gb_fail(x.tape, GB_EARGUMENT, "clip: low %g is not below high %g", low, high);
        return (gb_node){0};
    }
    return gb_min(gb_max(x, gb_num(x.tape, low)), gb_num(x.tape, high));
}

static gb_node clip_example(gb_example *e)
{
    return gb_clip(e->real(e, e->shape(e, 0, 3, 0, 3), -3, 3), -1, 1.5);
}

const gb_op gb_clip_op = {.size = sizeof(gb_op),
                          .name = "clip",
                          .formula = "min(max(x, low), high)",
                          .form = GB_FORM_COMPOSITE,
                          .example = clip_example};

/* ---- activations ---- */

#define ACTIVATION(op_name, op_formula, ...)                                                                 \
    static gb_node op_name##_example(gb_example *e)                                                          \
    {                                                                                                        \
        const gb_node x = e->real(e, e->shape(e, 0, 3, 0, 3), -3, 3);                                        \
        return gb_##op_name(__VA_ARGS__);                                                                    \
    }                                                                                                        \
    const gb_op gb_##op_name##_op = {.size = sizeof(gb_op),                                                  \
                                     .name = #op_name,                                                       \
                                     .formula = op_formula,                                                  \
                                     .form = GB_FORM_COMPOSITE,                                              \
                                     .example = op_name##_example}
ACTIVATION(leaky_relu, "x where x > 0, else slope x", x, 0.1);
ACTIVATION(elu, "x where x > 0, else alpha (e^x - 1)", x, 0.7);
ACTIVATION(gelu, "x Phi(x), Phi the standard normal distribution function", x);
ACTIVATION(silu, "x / (1 + e^-x)", x);

gb_node gb_leaky_relu(gb_node x, double slope)
{
    return gb_where(gb_greater(x, gb_num(x.tape, 0)), x, gb_chain(gb_num(x.tape, slope), x));
}

gb_node gb_elu(gb_node x, double alpha)
{
    return gb_where(gb_greater(x, gb_num(x.tape, 0)), x, gb_scale(gb_expm1(x), alpha));
}

/* The factor that underflows stands first, so that −∞ times it is 0. */
gb_node gb_gelu(gb_node x)
{
    return gb_chain(gb_ndtr(x), x);
}

gb_node gb_silu(gb_node x)
{
    return gb_chain(gb_sigmoid(x), x);
}

/* ---- booleans ---- */

static bool boolean_infer(gb_infer *infer)
{
    for (size_t i = 0; i < infer->count; i++)
        if (infer->arg_type[i] != GB_TYPE_BOOL)
            return gb_infer_fail(infer, GB_ETYPE, "argument %zu is not a boolean", i + 1);
    infer->type = GB_TYPE_BOOL;
    return gb_infer_broadcast(infer);
}

static gb_node not_example(gb_example *e)
{
    return gb_to_real(gb_not(e->truth(e, e->shape(e, 0, 3, 0, 3))));
}

static gb_node and_example(gb_example *e)
{
    const gb_shape shape = e->shape(e, 0, 3, 0, 3);
    return gb_to_real(gb_and(e->truth(e, shape), e->truth(e, shape)));
}

static gb_node or_example(gb_example *e)
{
    const gb_shape shape = e->shape(e, 0, 3, 0, 3);
    return gb_to_real(gb_or(e->truth(e, shape), e->truth(e, shape)));
}

#define BOOLEAN(op_name, op_formula, op_arguments)                                                           \
    static const gb_block_kernels op_name##_kernels = GB_KERNELS(op_name);                                   \
    const gb_op gb_##op_name##_op = {                                                                        \
        .size = sizeof(gb_op),                                                                               \
        .name = #op_name,                                                                                    \
        .formula = op_formula,                                                                               \
        .form = GB_FORM_ELEMENTWISE,                                                                         \
        .arguments = op_arguments,                                                                           \
        .infer = boolean_infer,                                                                              \
        .blocks = &op_name##_kernels,                                                                        \
        .example = op_name##_example,                                                                        \
    }
BOOLEAN(not, "not a", 1);
BOOLEAN(and, "a and b", 2);
BOOLEAN(or, "a or b", 2);

gb_node gb_not(gb_node a)
{
    return gb_apply(NULL, &gb_not_op, 1, &a, NULL, 0);
}

gb_node gb_and(gb_node a, gb_node b)
{
    return gb_apply(NULL, &gb_and_op, 2, (const gb_node[]){a, b}, NULL, 0);
}

gb_node gb_or(gb_node a, gb_node b)
{
    return gb_apply(NULL, &gb_or_op, 2, (const gb_node[]){a, b}, NULL, 0);
}

/* ---- where ---- */

static bool where_infer(gb_infer *infer)
{
    if (infer->arg_type[0] != GB_TYPE_BOOL)
        return gb_infer_fail(infer, GB_ETYPE,
                             "the condition is not a boolean; compare (gb_greater …) to make one");
    if (infer->arg_type[1] != infer->arg_type[2])
        return gb_infer_fail(infer, GB_ETYPE, "both choices must be of one type");
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

static const gb_block_kernels where_kernels = GB_KERNELS(where);
const gb_op gb_where_op = {.size = sizeof(gb_op),
                           .name = "where",
                           .formula = "x where the condition is true, else y",
                           .form = GB_FORM_ELEMENTWISE,
                           .arguments = 3,
                           .infer = where_infer,
                           .vjp = where_vjp,
                           .blocks = &where_kernels,
                           .example = where_example};

gb_node gb_where(gb_node condition, gb_node x, gb_node y)
{
    return gb_apply(NULL, &gb_where_op, 3, (const gb_node[]){condition, x, y}, NULL, 0);
}

/* ---- to reals ---- */

static bool to_real_infer(gb_infer *infer)
{
    infer->type = GB_TYPE_REAL;
    return gb_infer_broadcast(infer);
}

/* A step does not move with its argument. */
static void no_adjoint(const gb_vjp *v)
{
    (void)v;
}

static gb_node to_real_example(gb_example *e)
{
    return gb_to_real(e->truth(e, e->shape(e, 0, 3, 0, 3)));
}

static gb_node int_to_real_example(gb_example *e)
{
    return gb_to_real(e->ints(e, e->shape(e, 0, 3, 0, 3), -5, 5));
}

static const gb_block_kernels bool_to_real_kernels = GB_KERNELS(bool_to_real);
const gb_op gb_bool_to_real_op = {.size = sizeof(gb_op),
                                  .name = "bool_to_real",
                                  .formula = "1 where a is true, else 0",
                                  .form = GB_FORM_ELEMENTWISE,
                                  .arguments = 1,
                                  .infer = to_real_infer,
                                  .vjp = no_adjoint,
                                  .blocks = &bool_to_real_kernels,
                                  .example = to_real_example};

static const gb_block_kernels int_to_real_kernels = GB_KERNELS(int_to_real);
const gb_op gb_int_to_real_op = {.size = sizeof(gb_op),
                                 .name = "int_to_real",
                                 .formula = "the integer as a real",
                                 .form = GB_FORM_ELEMENTWISE,
                                 .arguments = 1,
                                 .infer = to_real_infer,
                                 .vjp = no_adjoint,
                                 .blocks = &int_to_real_kernels,
                                 .example = int_to_real_example};

gb_node gb_to_real(gb_node a)
{
    const gb_type type = gb_node_type(a);
    if (gb_node_ok(a) && type == GB_TYPE_REAL)
        return a;
    return gb_apply(NULL, type == GB_TYPE_BOOL ? &gb_bool_to_real_op : &gb_int_to_real_op, 1, &a, NULL, 0);
}

/* ---- to integers ---- */

static bool to_int_infer(gb_infer *infer)
{
    if (infer->arg_type[0] != GB_TYPE_REAL)
        return gb_infer_fail(infer, GB_ETYPE, "the argument is not real (gb_to_real makes it so)");
    infer->type = GB_TYPE_INT;
    return gb_infer_broadcast(infer);
}

static gb_node real_to_int_example(gb_example *e)
{
    return gb_to_real(gb_to_int(e->real(e, e->shape(e, 0, 3, 0, 3), 0.6, 1.4)));
}

static const gb_block_kernels real_to_int_kernels = GB_KERNELS(real_to_int);
const gb_op gb_real_to_int_op = {.size = sizeof(gb_op),
                                 .name = "real_to_int",
                                 .formula = "the nearest integer, halves to even",
                                 .form = GB_FORM_ELEMENTWISE,
                                 .arguments = 1,
                                 .infer = to_int_infer,
                                 .blocks = &real_to_int_kernels,
                                 .example = real_to_int_example};

gb_node gb_to_int(gb_node a)
{
    if (gb_node_ok(a) && gb_node_type(a) == GB_TYPE_INT)
        return a;
    const gb_node x = gb_to_real(a);
    return gb_apply(NULL, &gb_real_to_int_op, 1, &x, NULL, 0);
}
