/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The special functions as operations. Each row of the table becomes a derivative, an op struct and a
 * function. The value of NAME is a function of numbers, gb_NAME_at, which accepts any arguments. Outside the
 * domain (negative shapes, NaN) it returns NaN, and its loops end. */
#include "ops/special.h"

#include "ops/elementwise.h"
#include "ops/special/beta_impl.h"
#include "ops/special/bregman_impl.h"
#include "ops/special/gamma_impl.h"
#include "ops/special/kumaraswamy_impl.h"
#include "ops/special/log_gamma_impl.h"
#include "ops/special/von_mises_impl.h"

/* ---- functions for the derivatives in the table ---- */

static gb_node chain(gb_node g, gb_node d)
{
    return gb_chain(g, d);
}

static gb_node digamma(gb_node x)
{
    return gb_polygamma(0, x);
}

/* The derivatives of the log density of Beta(a, b) in a, b and x. */
static gb_node a_score(gb_node a, gb_node b, gb_node x)
{
    return gb_add(gb_log(x), gb_digamma_difference(a, b));
}

static gb_node b_score(gb_node a, gb_node b, gb_node x)
{
    return gb_add(gb_log1p(gb_neg(x)), gb_digamma_difference(b, a));
}

static gb_node x_score(gb_node a, gb_node b, gb_node x)
{
    return gb_sub(gb_div(gb_shift(a, -1), x), gb_div(gb_shift(b, -1), gb_shift(gb_neg(x), 1)));
}

/* The n-th derivative of ψ(x) − log x, for n > 0. */
static gb_node polygamma_rest(int n, gb_node x);

static gb_node reject(const gb_vjp *v, const char *where)
{
    gb_fail(v->tape, GB_EGRADIENT,
            "gradient: %s has no derivative in %s (gb_stop keeps the gradient away from it)", v->op->name,
            where);
    return (gb_node){0};
}

/* ---- the arguments of tests ---- */

/* Returns constants, multiples of 1/4. */
static gb_node constants(gb_example *e, gb_shape shape, double low, double high)
{
    return gb_scale(gb_to_real(e->ints(e, shape, (int64_t)(4 * low), (int64_t)(4 * high))), 0.25);
}

/* ---- the rows of the table ---- */

#define rejected(where) reject(v, where)
/* vary and fix of the table, as an argument of the example and as the domain, in which NaN is tried. */
/* clang-format off */
#define node_of_vary(low, high) e->real(e, shape, low, high)
#define node_of_fix(low, high) constants(e, shape, low, high)
#define domain_of_vary(low, high) {low, high}
#define domain_of_fix(low, high) {low, high}
/* clang-format on */

#define SPECIAL_OP(op_name, op_formula, count, once, ...)                                                    \
    const gb_op gb_##op_name##_op = {                                                                        \
        .size = sizeof(gb_op),                                                                               \
        .name = #op_name,                                                                                    \
        .formula = op_formula,                                                                               \
        .form = GB_FORM_ELEMENTWISE,                                                                         \
        .arguments = count,                                                                                  \
        .vjp = op_name##_vjp,                                                                                \
        .once_differentiable = once,                                                                         \
        .lane = op_name##_lane,                                                                              \
        .domain = {__VA_ARGS__},                                                                             \
        .example = op_name##_example,                                                                        \
    };

#define GB_SPECIAL_1(op_name, op_formula, once, dx, argument_x)                                              \
    static double op_name##_lane(double x, double unused_y, double unused_z)                                 \
    {                                                                                                        \
        (void)unused_y, (void)unused_z;                                                                      \
        return gb_##op_name##_at(x);                                                                         \
    }                                                                                                        \
    static void op_name##_vjp(const gb_vjp *v)                                                               \
    {                                                                                                        \
        const gb_node x = v->arg[0], g = v->gradient;                                                        \
        (void)x, (void)g;                                                                                    \
        v->adjoint[0] = dx;                                                                                  \
    }                                                                                                        \
    static gb_node op_name##_example(gb_example *e)                                                          \
    {                                                                                                        \
        const gb_shape shape = e->shape(e, 0, 3, 0, 3);                                                      \
        return gb_##op_name(node_of_##argument_x);                                                           \
    }                                                                                                        \
    SPECIAL_OP(op_name, op_formula, 1, once, domain_of_##argument_x)                                         \
    gb_node gb_##op_name(gb_node x)                                                                          \
    {                                                                                                        \
        return gb_apply(NULL, &gb_##op_name##_op, 1, &x, NULL, 0);                                           \
    }

#define GB_SPECIAL_2(op_name, op_formula, once, dx, dy, argument_x, argument_y)                              \
    static double op_name##_lane(double x, double y, double unused_z)                                        \
    {                                                                                                        \
        (void)unused_z;                                                                                      \
        return gb_##op_name##_at(x, y);                                                                      \
    }                                                                                                        \
    static void op_name##_vjp(const gb_vjp *v)                                                               \
    {                                                                                                        \
        const gb_node x = v->arg[0], y = v->arg[1], r = v->value, g = v->gradient;                           \
        (void)x, (void)y, (void)r, (void)g;                                                                  \
        if (v->wanted[0])                                                                                    \
            v->adjoint[0] = dx;                                                                              \
        if (v->wanted[1])                                                                                    \
            v->adjoint[1] = dy;                                                                              \
    }                                                                                                        \
    static gb_node op_name##_example(gb_example *e)                                                          \
    {                                                                                                        \
        const gb_shape shape = e->shape(e, 0, 3, 0, 3);                                                      \
        const gb_node x = node_of_##argument_x, y = node_of_##argument_y;                                    \
        return gb_##op_name(x, y);                                                                           \
    }                                                                                                        \
    SPECIAL_OP(op_name, op_formula, 2, once, domain_of_##argument_x, domain_of_##argument_y)                 \
    gb_node gb_##op_name(gb_node x, gb_node y)                                                               \
    {                                                                                                        \
        return gb_apply(NULL, &gb_##op_name##_op, 2, (const gb_node[]){x, y}, NULL, 0);                      \
    }

#define GB_SPECIAL_3(op_name, op_formula, once, dx, dy, dz, argument_x, argument_y, argument_z)              \
    static double op_name##_lane(double x, double y, double z)                                               \
    {                                                                                                        \
        return gb_##op_name##_at(x, y, z);                                                                   \
    }                                                                                                        \
    static void op_name##_vjp(const gb_vjp *v)                                                               \
    {                                                                                                        \
        const gb_node x = v->arg[0], y = v->arg[1], z = v->arg[2], r = v->value, g = v->gradient;            \
        (void)x, (void)y, (void)z, (void)r, (void)g;                                                         \
        if (v->wanted[0])                                                                                    \
            v->adjoint[0] = dx;                                                                              \
        if (v->wanted[1])                                                                                    \
            v->adjoint[1] = dy;                                                                              \
        if (v->wanted[2])                                                                                    \
            v->adjoint[2] = dz;                                                                              \
    }                                                                                                        \
    static gb_node op_name##_example(gb_example *e)                                                          \
    {                                                                                                        \
        const gb_shape shape = e->shape(e, 0, 3, 0, 3);                                                      \
        const gb_node x = node_of_##argument_x, y = node_of_##argument_y, z = node_of_##argument_z;          \
        return gb_##op_name(x, y, z);                                                                        \
    }                                                                                                        \
    SPECIAL_OP(op_name, op_formula, 3, once, domain_of_##argument_x, domain_of_##argument_y,                 \
               domain_of_##argument_z)                                                                       \
    gb_node gb_##op_name(gb_node x, gb_node y, gb_node z)                                                    \
    {                                                                                                        \
        return gb_apply(NULL, &gb_##op_name##_op, 3, (const gb_node[]){x, y, z}, NULL, 0);                   \
    }

#include "ops/special/special_table.h"

/* ---- functions whose order is a constant argument ---- */

#define ORDERED_LANE(op_name, ...)                                                                           \
    static double op_name##_lane(double n, double x, double y)                                               \
    {                                                                                                        \
        (void)y;                                                                                             \
        return gb_##op_name##_at(__VA_ARGS__);                                                               \
    }

/* A function of n and x whose derivative in x is that of n + 1. */
#define ORDERED(op_name, op_formula, lowest)                                                                 \
    ORDERED_LANE(op_name, n, x)                                                                              \
    extern const gb_op gb_##op_name##_op;                                                                    \
    static gb_node op_name##_of(gb_node n, gb_node x)                                                        \
    {                                                                                                        \
        return gb_apply(NULL, &gb_##op_name##_op, 2, (const gb_node[]){n, x}, NULL, 0);                      \
    }                                                                                                        \
    static void op_name##_vjp(const gb_vjp *v)                                                               \
    {                                                                                                        \
        v->adjoint[1] = chain(v->gradient, op_name##_of(gb_shift(v->arg[0], 1), v->arg[1]));                 \
    }                                                                                                        \
    static gb_node op_name##_example(gb_example *e)                                                          \
    {                                                                                                        \
        const gb_shape shape = e->shape(e, 0, 3, 0, 3);                                                      \
        return op_name##_of(gb_to_real(e->ints(e, shape, lowest, 4)), e->real(e, shape, 0.7, 6));            \
    }                                                                                                        \
    SPECIAL_OP(op_name, op_formula, 2, false, {0, 0})

ORDERED(polygamma, "the n-th derivative of digamma at x", 0)
ORDERED(polygamma_rest, "the n-th derivative of digamma(x) - log x", 1)
ORDERED(log_gamma_step_rest, "the n-th derivative of log Gamma(x + 1/2) - log Gamma(x) - 1/2 log x", 0)

ORDERED_LANE(polygamma_difference, n, x, y)
extern const gb_op gb_polygamma_difference_op;

static gb_node polygamma_difference_of(gb_node n, gb_node a, gb_node b)
{
    return gb_apply(NULL, &gb_polygamma_difference_op, 3, (const gb_node[]){n, a, b}, NULL, 0);
}

static void polygamma_difference_vjp(const gb_vjp *v)
{
    const gb_node next = gb_shift(v->arg[0], 1), a = v->arg[1], b = v->arg[2];
    if (v->wanted[1])
        v->adjoint[1] = chain(v->gradient, polygamma_difference_of(next, a, b));
    if (v->wanted[2])
        v->adjoint[2] = chain(v->gradient, polygamma_of(next, gb_add(a, b)));
}

static gb_node polygamma_difference_example(gb_example *e)
{
    const gb_shape shape = e->shape(e, 0, 3, 0, 3);
    const gb_node n = gb_to_real(e->ints(e, shape, 0, 3)), a = e->real(e, shape, 0.7, 6);
    return polygamma_difference_of(n, a, e->real(e, shape, -0.4, 5));
}

SPECIAL_OP(polygamma_difference, "the n-th derivative of digamma at x + y, minus that at x", 3, false, {0, 0})

static bool is_order(const char *name, int n, gb_node x)
{
    if (!gb_node_check(x, name))
        return false;
    if (n < 0 || n > 100)
        gb_fail(x.tape, GB_EARGUMENT, "%s: the order %d is not one of 0 … 100", name, n);
    return n >= 0 && n <= 100;
}

gb_node gb_polygamma(int n, gb_node x)
{
    return is_order("polygamma", n, x) ? polygamma_of(gb_num(x.tape, n), x) : (gb_node){0};
}

gb_node gb_polygamma_difference(int n, gb_node a, gb_node b)
{
    return is_order("polygamma_difference", n, a) ? polygamma_difference_of(gb_num(a.tape, n), a, b)
                                                  : (gb_node){0};
}

gb_node gb_log_gamma_step_rest(int n, gb_node x)
{
    return is_order("log_gamma_step_rest", n, x) ? log_gamma_step_rest_of(gb_num(x.tape, n), x)
                                                 : (gb_node){0};
}

static gb_node polygamma_rest(int n, gb_node x)
{
    return polygamma_rest_of(gb_num(x.tape, n), x);
}
