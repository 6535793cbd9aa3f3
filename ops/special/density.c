/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ops/density.h"

#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/special.h"
#include "ops/special/density_impl.h"

#define KERNELS(name) static const gb_block_kernels name##_kernels = GB_KERNELS(name);
GB_DENSITY_KERNELS(KERNELS)

/* clang-format off */
#define FUNCTION(id, words, low, high)                                                                       \
    const gb_op gb_##id##_op = {                                                                        \
        .size = sizeof(gb_op), .name = #id, .formula = words, .form = GB_FORM_ELEMENTWISE,                   \
        .arguments = 1, .vjp = id##_vjp, .blocks = &id##_kernels, .domain = {{low, high}}}
/* clang-format on */

static gb_node apply(const gb_op *op, gb_node x)
{
    return gb_apply(NULL, op, 1, &x, NULL, 0);
}

/* ---- log(1 + z²) ---- */

/* 2 / (1 + z²) minus the square of the slope. */
static void log1p_square_slope_vjp(const gb_vjp *v)
{
    const gb_node inverse = gb_reciprocal(gb_shift(gb_square(v->arg[0]), 1));
    v->adjoint[0] = gb_chain(v->gradient, gb_sub(gb_scale(inverse, 2), gb_square(v->value)));
}

FUNCTION(log1p_square_slope, "2 x / (1 + x^2)", -3, 3);

static void log1p_square_vjp(const gb_vjp *v)
{
    v->adjoint[0] = gb_chain(v->gradient, apply(&gb_log1p_square_slope_op, v->arg[0]));
}

FUNCTION(log1p_square, "log(1 + x^2)", -3, 3);

gb_node gb_log1p_square(gb_node z)
{
    return apply(&gb_log1p_square_op, z);
}

/* ---- e^w − 1 − w ---- */

static void exp_excess_vjp(const gb_vjp *v)
{
    v->adjoint[0] = gb_chain(v->gradient, gb_expm1(v->arg[0]));
}

FUNCTION(exp_excess, "e^x - 1 - x", -3, 3);

gb_node gb_exp_excess(gb_node w)
{
    return apply(&gb_exp_excess_op, w);
}

/* ---- log Γ(a + ½) − log Γ(a) ---- */

static void log_gamma_step_slope_vjp(const gb_vjp *v)
{
    v->adjoint[0] = gb_chain(v->gradient, gb_polygamma_difference(1, v->arg[0], gb_num(v->tape, 0.5)));
}

FUNCTION(log_gamma_step_slope, "digamma(x + 1/2) - digamma(x)", 0.4, 12);

static void log_gamma_step_vjp(const gb_vjp *v)
{
    v->adjoint[0] = gb_chain(v->gradient, apply(&gb_log_gamma_step_slope_op, v->arg[0]));
}

FUNCTION(log_gamma_step, "log Gamma(x + 1/2) - log Gamma(x)", 0.4, 12);

gb_node gb_log_gamma_step(gb_node a)
{
    return apply(&gb_log_gamma_step_op, a);
}

/* ---- the gamma density ---- */

gb_node gb_gamma_is_large(gb_node a)
{
    return gb_greater(a, gb_num(a.tape, GB_GAMMA_LARGE));
}

/* Returns `value` where a is large, else 0. */
static gb_node where_large(gb_node a, gb_node value)
{
    return gb_where(gb_gamma_is_large(a), value, gb_num(a.tape, 0));
}

/* The third argument is log r, minus log a above 4. It carries the derivatives of log r; those in a are
 * recorded here. */
static void gamma_body_vjp(const gb_vjp *v)
{
    const gb_node a = v->arg[0];
    if (v->wanted[0]) {
        const gb_node m = gb_inject(v->arg[2], where_large(a, gb_log(a)), gb_num(v->tape, -1));
        v->adjoint[0] = gb_chain(v->gradient, gb_add(m, where_large(a, gb_reciprocal(a))));
    }
    if (v->wanted[1])
        v->adjoint[1] = gb_neg(v->gradient);
    if (v->wanted[2])
        v->adjoint[2] = gb_chain(v->gradient, gb_shift(a, -1));
}

static gb_node gamma_body_example(gb_example *e)
{
    const gb_shape shape = e->shape(e, 0, 3, 0, 3);
    const gb_node a = e->real(e, shape, 0.4, 9);
    const gb_node r = e->real(e, shape, 0.3, 6);
    return gb_gamma_body(a, r, gb_log(r), gb_num(r.tape, 0));
}

const gb_op gb_gamma_body_op = {
    .size = sizeof(gb_op),
    .name = "gamma_body",
    .formula = "(x - 1) z - y, plus x for x > 4; z is log y, minus log x for x > 4",
    .form = GB_FORM_ELEMENTWISE,
    .arguments = 3,
    .vjp = gamma_body_vjp,
    .blocks = &gamma_body_kernels,
    .domain = {{0.4, 9}, {0.3, 6}, {-1, 2}}, /* here z is no function of x and y: for tests of NaN only */
    .example = gamma_body_example};

gb_node gb_gamma_body(gb_node a, gb_node r, gb_node log_x, gb_node log_rate)
{
    const gb_node m = gb_add(log_x, gb_sub(log_rate, gb_stop(where_large(a, gb_log(a)))));
    return gb_apply(NULL, &gb_gamma_body_op, 3, (const gb_node[]){a, r, m}, NULL, 0);
}

/* The arguments are the value, a, r, log x and the logarithm of the rate. */
static void gamma_scaled_body_vjp(const gb_vjp *v)
{
    const gb_node a = v->arg[1], g = v->gradient, log_r = gb_add(v->arg[3], v->arg[4]);
    const gb_node m = gb_sub(log_r, where_large(a, gb_sub(gb_log(a), gb_reciprocal(a))));
    v->adjoint[1] = gb_chain(g, m);
    v->adjoint[2] = gb_neg(g);
    v->adjoint[3] = gb_chain(g, gb_shift(a, -1));
    v->adjoint[4] = gb_chain(g, a);
}

static const gb_op gamma_scaled_body_op = {.size = sizeof(gb_op),
                                           .name = "gamma_scaled_body",
                                           .formula = "gamma_body, plus the logarithm of the rate",
                                           .form = GB_FORM_ALIAS,
                                           .arguments = 5,
                                           .infer = gb_infer_first,
                                           .vjp = gamma_scaled_body_vjp};

gb_node gb_gamma_scaled_body(gb_node a, gb_node r, gb_node log_x, gb_node log_rate)
{
    const gb_node value = gb_add(gb_gamma_body(a, r, log_x, log_rate), log_rate);
    return gb_with_vjp(&gamma_scaled_body_op, value, 4, (const gb_node[]){a, r, log_x, log_rate}, NULL, 0);
}

/* ---- the gamma density, of the logarithm of a draw ---- */

gb_node gb_gamma_log_unit(gb_node a)
{
    return gb_log(gb_where(gb_gamma_is_large(a), a, gb_num(a.tape, 1)));
}

static void gamma_log_body_vjp(const gb_vjp *v)
{
    const gb_node a = v->arg[0], m = v->arg[1], large = gb_gamma_is_large(a);
    if (v->wanted[0])
        v->adjoint[0] = gb_chain(v->gradient, gb_where(large, gb_neg(gb_exp_excess(m)), m));
    if (v->wanted[1]) {
        const gb_node of_large = gb_shift(gb_mul(a, gb_expm1(m)), 1);
        const gb_node of_small = gb_sub(gb_exp(m), gb_shift(a, -1));
        v->adjoint[1] = gb_neg(gb_chain(v->gradient, gb_where(large, of_large, of_small)));
    }
}

const gb_op gb_gamma_log_body_op = {.size = sizeof(gb_op),
                                    .name = "gamma_log_body",
                                    .formula = "(x - 1) y - e^y; for x > 4: -x (e^y - 1 - y) - y",
                                    .form = GB_FORM_ELEMENTWISE,
                                    .arguments = 2,
                                    .vjp = gamma_log_body_vjp,
                                    .blocks = &gamma_log_body_kernels,
                                    .domain = {{0.4, 9}, {-1, 2}}};

gb_node gb_gamma_log_body(gb_node a, gb_node m)
{
    return gb_apply(NULL, &gb_gamma_log_body_op, 2, (const gb_node[]){a, m}, NULL, 0);
}

static void gamma_rest_slope_vjp(const gb_vjp *v)
{
    const gb_node a = v->arg[0], u = gb_reciprocal(a);
    v->adjoint[0] = gb_chain(v->gradient, gb_sub(gb_trigamma(a), where_large(a, gb_add(u, gb_square(u)))));
}

FUNCTION(gamma_rest_slope, "digamma(x), minus log x - 1/x for x > 4", 0.4, 9);

static void gamma_rest_vjp(const gb_vjp *v)
{
    v->adjoint[0] = gb_chain(v->gradient, apply(&gb_gamma_rest_slope_op, v->arg[0]));
}

FUNCTION(gamma_rest, "log Gamma(x), minus (x - 1) log x - x for x > 4", 0.4, 9);

gb_node gb_gamma_rest(gb_node a)
{
    return apply(&gb_gamma_rest_op, a);
}

/* ---- the derivative of log(e^−κ I₀(κ)) ---- */

static void log_i0e_slope_vjp(const gb_vjp *v)
{
    v->adjoint[0] = gb_chain(v->gradient, gb_neg(gb_von_mises_spread_slope(v->arg[0])));
}

FUNCTION(log_i0e_slope, "I1(x) / I0(x) - 1", 0, 40);

/* ---- Bessel functions ---- With 1 − I₁/I₀ nothing of a derivative cancels for large x. */

static void i0e_vjp(const gb_vjp *v)
{
    const gb_node x = v->arg[0], slope = gb_mul(gb_sign(x), gb_log_i0e_slope(gb_abs(x)));
    v->adjoint[0] = gb_chain(v->gradient, gb_mul(v->value, slope));
}

FUNCTION(i0e, "e^-|x| I0(x), the modified Bessel function", 0.1, 20);

gb_node gb_i0e(gb_node x)
{
    return apply(&gb_i0e_op, x);
}

/* I0 − sign(x) I1 − I1/x, scaled by e^−|x|; I1/x is 1/2 at 0. */
static void i1e_vjp(const gb_vjp *v)
{
    const gb_node x = v->arg[0], zero = gb_num(v->tape, 0), half = gb_num(v->tape, 0.5);
    const gb_node by_x = gb_where(gb_equal(x, zero), half, gb_div(v->value, x));
    const gb_node less = gb_mul(gb_i0e(x), gb_log_i0e_slope(gb_abs(x)));
    v->adjoint[0] = gb_neg(gb_chain(v->gradient, gb_add(less, by_x)));
}

FUNCTION(i1e, "e^-|x| I1(x), the modified Bessel function", 0.1, 20);

gb_node gb_i1e(gb_node x)
{
    return apply(&gb_i1e_op, x);
}

gb_node gb_log_i0e_slope(gb_node kappa)
{
    return apply(&gb_log_i0e_slope_op, kappa);
}
