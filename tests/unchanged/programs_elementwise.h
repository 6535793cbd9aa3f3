/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Elementwise operations: values, gradients and second gradients. */
#ifndef GREBE_TESTS_PROGRAMS_ELEMENTWISE_H
#define GREBE_TESTS_PROGRAMS_ELEMENTWISE_H

#include "probe.h"

/* More than the widest vector has lanes, and not a multiple of them. */
enum { ELEMENTS = 37 };

typedef struct interval {
    double low, high;
} interval;

typedef struct unary {
    gb_node (*op)(gb_node x);
    const char *name;
    interval x;
} unary;

typedef struct binary {
    gb_node (*op)(gb_node x, gb_node y);
    const char *name;
    interval x, y;
} binary;

typedef struct ternary {
    gb_node (*op)(gb_node x, gb_node y, gb_node z);
    const char *name;
    interval x, y, z;
} ternary;

#define OP(name) gb_##name, #name

static void look_at_unary(probe *p, const unary *f, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const gb_node x = variable(p, f[i].name, gb_shape(ELEMENTS), f[i].x.low, f[i].x.high);
        const gb_node y = f[i].op(x);
        keep_two_gradients(p, y, 1, &x);
        look_at_kept(p, 1);
    }
}
#define LOOK_AT_UNARY(p, ...)                                                                                \
    look_at_unary((p), (const unary[]){__VA_ARGS__}, sizeof((const unary[]){__VA_ARGS__}) / sizeof(unary))

static gb_node argument(probe *p, const char *name, int place, gb_shape shape, interval in)
{
    char text[80];
    snprintf(text, sizeof text, "%s %d", name, place);
    return variable(p, text, shape, in.low, in.high);
}

/* The second argument is repeated for each row of the first. */
static void look_at_binary(probe *p, const binary *f, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        gb_node x[2];
        x[0] = argument(p, f[i].name, 0, gb_shape(5, 7), f[i].x);
        x[1] = argument(p, f[i].name, 1, gb_shape(7), f[i].y);
        const gb_node y = f[i].op(x[0], x[1]);
        keep_two_gradients(p, y, 2, x);
        look_at_kept(p, 1);
    }
}
#define LOOK_AT_BINARY(p, ...)                                                                               \
    look_at_binary((p), (const binary[]){__VA_ARGS__}, sizeof((const binary[]){__VA_ARGS__}) / sizeof(binary))

static void look_at_ternary(probe *p, const ternary *f, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        gb_node x[3];
        x[0] = argument(p, f[i].name, 0, gb_shape(19), f[i].x);
        x[1] = argument(p, f[i].name, 1, gb_shape(19), f[i].y);
        x[2] = argument(p, f[i].name, 2, gb_shape(19), f[i].z);
        const gb_node y = f[i].op(x[0], x[1], x[2]);
        keep_two_gradients(p, y, 3, x);
        look_at_kept(p, 1);
    }
}
#define LOOK_AT_TERNARY(p, ...)                                                                              \
    look_at_ternary((p), (const ternary[]){__VA_ARGS__},                                                     \
                    sizeof((const ternary[]){__VA_ARGS__}) / sizeof(ternary))

/* ---- one argument ---- */

static void elementwise_roots(probe *p)
{
    LOOK_AT_UNARY(p, {OP(neg), {-3, 3}}, {OP(abs), {-3, 3}}, {OP(square), {-3, 3}}, {OP(sqrt), {0.125, 4}},
                  {OP(rsqrt), {0.25, 4}}, {OP(sign), {-3, 3}}, {OP(floor), {-3, 3}},
                  {OP(reciprocal), {0.25, 4}}, {OP(relu), {-3, 3}});
}

static void elementwise_exponentials(probe *p)
{
    LOOK_AT_UNARY(p, {OP(exp), {-3, 3}}, {OP(log), {0.125, 4}}, {OP(log1p), {-0.75, 3}}, {OP(expm1), {-3, 3}},
                  {OP(log1mexp), {-4, -0.25}}, {OP(exp_excess), {-3, 3}});
}

static void elementwise_sigmoids(probe *p)
{
    LOOK_AT_UNARY(p, {OP(tanh), {-3, 3}}, {OP(sigmoid), {-40, 40}}, {OP(softplus), {-40, 40}},
                  {OP(log_sigmoid), {-40, 40}}, {OP(gelu), {-4, 4}}, {OP(silu), {-4, 4}});
}

static void elementwise_angles(probe *p)
{
    LOOK_AT_UNARY(p, {OP(sin), {-4, 4}}, {OP(cos), {-4, 4}});
    LOOK_AT_BINARY(p, {OP(atan2), {-3, 3}, {-3, 3}});
}

static void elementwise_normal(probe *p)
{
    LOOK_AT_UNARY(p, {OP(erf), {-3, 3}}, {OP(erfc), {-3, 3}}, {OP(normal_density), {-3, 3}},
                  {OP(ndtr), {-3, 3}}, {OP(log_ndtr), {-30, 3}}, {OP(mills), {-30, 3}},
                  {OP(mills_excess), {-30, 3}}, {OP(ndtri), {0, 1}}, {OP(ndtri_exp), {-40, -0.125}});
}

static void elementwise_gamma_and_bessel(probe *p)
{
    LOOK_AT_UNARY(p, {OP(lgamma), {-9, 40}}, {OP(digamma), {-9, 40}}, {OP(trigamma), {-9, 40}},
                  {OP(i0e), {-20, 20}}, {OP(i1e), {-20, 20}}, {OP(log_less_digamma), {0.5, 40}});
}

static void elementwise_densities(probe *p)
{
    LOOK_AT_UNARY(p, {OP(log1p_square), {-8, 8}}, {OP(log_gamma_step), {0.25, 9}},
                  {OP(gamma_rest), {0.25, 9}});
    gb_node x[4];
    x[0] = variable(p, "a", gb_shape(ELEMENTS), 0.25, 9);
    x[1] = variable(p, "r", gb_shape(ELEMENTS), 0.125, 16);
    x[2] = variable(p, "log x", gb_shape(ELEMENTS), -2, 2);
    x[3] = variable(p, "log rate", gb_shape(ELEMENTS), -2, 2);
    const gb_node body = gb_gamma_body(x[0], x[1], x[2], x[3]);
    keep_two_gradients(p, body, 4, x);
    look_at_kept(p, 1);
}

static void elementwise_with_a_number(probe *p)
{
    const gb_node x = variable(p, "x", gb_shape(ELEMENTS), -2, 2);
    gb_node y = gb_leaky_relu(x, 0.25);
    keep_two_gradients(p, y, 1, &x);
    y = gb_elu(x, 0.75);
    keep_two_gradients(p, y, 1, &x);
    y = gb_clip(x, -1, 0.5);
    keep_two_gradients(p, y, 1, &x);
    y = gb_shift(gb_scale(x, 0.375), 2.5);
    keep_two_gradients(p, gb_square(y), 1, &x);
    look_at_kept(p, 1);
}

/* ---- two arguments ---- */

static void elementwise_arithmetic(probe *p)
{
    LOOK_AT_BINARY(p, {OP(add), {-3, 3}, {-3, 3}}, {OP(sub), {-3, 3}, {-3, 3}}, {OP(mul), {-3, 3}, {-3, 3}},
                   {OP(div), {-3, 3}, {0.25, 4}}, {OP(pow), {0.25, 3}, {-2, 3}}, {OP(max), {-3, 3}, {-3, 3}},
                   {OP(min), {-3, 3}, {-3, 3}}, {OP(gap), {-3, 3}, {-3, 3}}, {OP(chain), {-3, 3}, {-3, 3}});
}

static void elementwise_logarithms(probe *p)
{
    LOOK_AT_BINARY(p, {OP(logaddexp), {-9, 9}, {-9, 9}}, {OP(share), {-9, 9}, {-9, 9}},
                   {OP(xlogy), {-3, 3}, {0.25, 4}}, {OP(xlog1py), {-3, 3}, {-0.75, 3}},
                   {OP(deviance), {0.25, 4}, {0.25, 4}}, {OP(ratio_excess), {0.25, 4}, {0.25, 4}},
                   {OP(log_bernoulli), {0, 1}, {-3, 3}}, {OP(bernoulli_residual), {0, 1}, {-3, 3}});
}

static void elementwise_scales(probe *p)
{
    LOOK_AT_BINARY(p, {OP(scale_divergence), {0.25, 4}, {0.25, 4}},
                   {OP(scale_divergence_slope), {0.25, 4}, {0.25, 4}}, {OP(misfit), {-3, 3}, {0.25, 4}},
                   {OP(misfit_slope), {-3, 3}, {0.25, 4}});
}

/* Booleans and integers. */
static void elementwise_choices(probe *p)
{
    static gb_node (*const compare[])(gb_node, gb_node) = {gb_less, gb_less_equal, gb_greater,
                                                           gb_greater_equal, gb_equal};
    gb_node x[2], is[5];
    x[0] = variable(p, "x", gb_shape(5, 7), -2, 2);
    x[1] = variable(p, "y", gb_shape(7), -2, 2);
    for (int i = 0; i < 5; i++) {
        is[i] = compare[i](x[0], x[1]);
        keep(p, is[i]);
    }
    const gb_node both = gb_and(is[0], gb_not(is[2]));
    const gb_node either = gb_or(both, is[4]);
    const gb_node whole = gb_to_int(gb_scale(x[0], 3));
    keep(p, whole);
    keep(p, gb_to_real(whole));
    keep(p, gb_to_int(is[1]));
    const gb_node left = gb_square(x[0]), right = gb_exp(x[1]);
    keep_two_gradients(p, gb_where(either, left, right), 2, x);
    look_at_kept(p, 1);
}

/* clang-format off */
#define ELEMENTWISE_PROGRAMS                                                                                 \
    PROGRAM("elementwise/roots-and-signs", elementwise_roots),                                               \
    PROGRAM("elementwise/exponentials", elementwise_exponentials),                                           \
    PROGRAM("elementwise/sigmoids", elementwise_sigmoids),                                                   \
    PROGRAM("elementwise/angles", elementwise_angles),                                                       \
    PROGRAM("elementwise/normal", elementwise_normal),                                                       \
    PROGRAM("elementwise/gamma-and-Bessel", elementwise_gamma_and_bessel),                                   \
    PROGRAM("elementwise/densities", elementwise_densities),                                                 \
    PROGRAM("elementwise/with-a-number", elementwise_with_a_number),                                         \
    PROGRAM("elementwise/arithmetic", elementwise_arithmetic),                                               \
    PROGRAM("elementwise/logarithms", elementwise_logarithms),                                               \
    PROGRAM("elementwise/scales", elementwise_scales),                                                       \
    PROGRAM("elementwise/choices", elementwise_choices)
/* clang-format on */

#endif
