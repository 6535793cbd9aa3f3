/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ops/normal_interval.h"

#include <math.h>

#include "ops/elementwise.h"

typedef struct quadrature_node {
    double at, weight;
} quadrature_node;

#define GB_NODE(at, weight) {at, weight}, {-at, weight},
static const quadrature_node rule[] = {
#include "ops/special/normal_interval_table.h"
};
#undef GB_NODE
enum { NODES = sizeof rule / sizeof *rule };

/* The part of the interval, minus r, that contains all but e^−40 of its mass. */
static void essential(double near, double width, double *low, double *high)
{
    const double reach = 9, far = isinf(near) ? reach : near + width;
    const double cut = 80 / (near + hypot(near, sqrt(80))); /* near t + t²/2 = 40 */
    *low = near > 0 ? 0 : fmax(near, -reach);
    *high = near > 0 ? fmin(width, cut) : fmin(far, reach);
}

/* Order 0: the logarithm of the mass; 1: the mean minus r; 2 and 3: the second and third central moments. */
static double cumulant(int order, double near, double width)
{
    double low, high, at[NODES], density[NODES], mass = 0, mean = 0, moment = 0;
    if (isnan(near) || isnan(width))
        return (double)NAN;
    essential(near, width, &low, &high);
    const double r = near > 0 ? near : 0, middle = (low + high) / 2, half = (high - low) / 2;
    for (int i = 0; i < NODES; i++) {
        at[i] = middle + half * rule[i].at;
        density[i] = rule[i].weight * exp(-at[i] * (r + at[i] / 2));
        mass += density[i];
        mean += density[i] * at[i];
    }
    mean /= mass;
    if (order < 2)
        return order == 0 ? log(half * mass) : mean;
    for (int i = 0; i < NODES; i++)
        moment += density[i] * pow(at[i] - mean, order);
    return moment / mass;
}

/* ---- derivatives ---- */

static gb_node positive(gb_node near, gb_node x, gb_node y)
{
    return gb_where(gb_greater(near, gb_num(near.tape, 0)), x, y);
}

static gb_node where_finite(gb_normal_interval in, gb_node x)
{
    const gb_node infinity = gb_num(x.tape, INFINITY);
    return gb_where(gb_less(in.width, infinity), x, gb_num(x.tape, 0));
}

/* far − r. Of an infinite interval 0: the density there is 0, and so are its derivatives. */
static gb_node far_end(gb_normal_interval in)
{
    return where_finite(in, positive(in.near, in.width, in.far));
}

static gb_node far_density(gb_normal_interval in)
{
    const gb_node r = positive(in.near, in.near, gb_num(in.near.tape, 0)), end = far_end(in);
    const gb_node exponent = gb_neg(gb_mul(end, gb_add(r, gb_scale(end, 0.5))));
    return where_finite(in, gb_exp(gb_sub(exponent, gb_normal_interval_mass(in))));
}

static gb_normal_interval arguments(const gb_vjp *v)
{
    return (gb_normal_interval){v->arg[0], v->arg[1], v->arg[2]};
}

/* If the nearer end is infinite, so is the other, and both have derivative 0. */
static void give(const gb_vjp *v, gb_node of_near, gb_node of_width)
{
    const gb_node is_finite = gb_greater(v->arg[0], gb_num(v->tape, -INFINITY));
    v->adjoint[0] = gb_chain(v->gradient, gb_where(is_finite, of_near, gb_num(v->tape, 0)));
    v->adjoint[1] = gb_chain(v->gradient, of_width);
}

static void mass_vjp(const gb_vjp *v)
{
    const gb_normal_interval in = arguments(v);
    give(v, gb_neg(gb_normal_interval_mean(in)), far_density(in));
}

static void mean_vjp(const gb_vjp *v)
{
    const gb_normal_interval in = arguments(v);
    const gb_node moves = positive(in.near, gb_num(v->tape, 0), gb_num(v->tape, 1));
    give(v, gb_sub(moves, gb_normal_interval_variance(in)),
         gb_chain(far_density(in), gb_sub(far_end(in), v->value)));
}

static void variance_vjp(const gb_vjp *v)
{
    const gb_normal_interval in = arguments(v);
    const gb_node off = gb_sub(far_end(in), gb_normal_interval_mean(in));
    give(v, gb_neg(gb_normal_interval_third_moment(in)),
         gb_chain(far_density(in), gb_sub(gb_square(off), v->value)));
}

/* ---- the operations ---- */

static gb_node apply(const gb_op *op, gb_normal_interval in)
{
    return gb_apply(NULL, op, 3, (const gb_node[]){in.near, in.width, in.far}, NULL, 0);
}

/* Intervals with 0 inside or outside, down to very narrow ones. */
static gb_normal_interval example(gb_example *e)
{
    const gb_shape shape = e->shape(e, 0, 3, 0, 3);
    const gb_node near = e->real(e, shape, -2, 3), width = e->real(e, shape, 0.2, 4);
    return (gb_normal_interval){near, width, gb_add(near, width)};
}

#define CUMULANT(id, order, derivative, words)                                                               \
    static double id##_lane(double near, double width, double unused_far)                                    \
    {                                                                                                        \
        (void)unused_far;                                                                                    \
        return cumulant(order, near, width);                                                                 \
    }                                                                                                        \
    static gb_node id##_example(gb_example *e)                                                               \
    {                                                                                                        \
        return gb_normal_interval_##id(example(e));                                                          \
    }                                                                                                        \
    const gb_op gb_normal_interval_##id##_op = {                                                             \
        .size = sizeof(gb_op),                                                                               \
        .name = "normal_interval_" #id,                                                                      \
        .formula = words,                                                                                    \
        .form = GB_FORM_ELEMENTWISE,                                                                         \
        .arguments = 3,                                                                                      \
        .vjp = derivative,                                                                                   \
        .once_differentiable = order == 2,                                                                   \
        .lane = id##_lane,                                                                                   \
        .example = id##_example,                                                                             \
    };                                                                                                       \
    gb_node gb_normal_interval_##id(gb_normal_interval in)                                                   \
    {                                                                                                        \
        return apply(&gb_normal_interval_##id##_op, in);                                                     \
    }
CUMULANT(mass, 0, mass_vjp, "log of the integral of e^((max(x, 0)^2 - t^2) / 2) from x to x + y")
CUMULANT(mean, 1, mean_vjp, "mean, minus max(x, 0), of a standard normal from x to x + y")
CUMULANT(variance, 2, variance_vjp, "variance of a standard normal from x to x + y")
CUMULANT(third_moment, 3, NULL, "third central moment of a standard normal from x to x + y")
