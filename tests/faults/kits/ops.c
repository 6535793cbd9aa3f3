/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operations with one slot spoilt: an elementwise one, x² y, and a kernel that turns a vector round. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/kernel.h"
#include "kit/check_op.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "tests/faults/kits/kits_impl.h"

static gb_op bad;

static bool judge(const kit_fault *fault, gb_report *report)
{
    memcpy(&bad, fault->good, sizeof bad);
    fault->spoil(&bad);
    return gb_check_op(&bad, .report = report, .cases = 128);
}

/* ---- x² y ---- */

static double blend(double x, double y, double z)
{
    (void)z;
    return x * x * y;
}

static gb_node in_x(const gb_vjp *v)
{
    return gb_chain(v->gradient, gb_scale(gb_mul(v->arg[0], v->arg[1]), 2));
}

static void blend_vjp(const gb_vjp *v)
{
    v->adjoint[0] = in_x(v);
    v->adjoint[1] = gb_chain(v->gradient, gb_square(v->arg[0]));
}

static const gb_op good_blend = {.size = sizeof(gb_op),
                                 .name = "blend",
                                 .formula = "x² y",
                                 .form = GB_FORM_ELEMENTWISE,
                                 .arguments = 2,
                                 .lane = blend,
                                 .vjp = blend_vjp,
                                 .domain = {{-2, 2}, {-2, 2}}};

static void scaled_vjp(const gb_vjp *v, double by)
{
    blend_vjp(v);
    v->adjoint[0] = gb_scale(v->adjoint[0], by);
}

static void opposite(const gb_vjp *v)
{
    scaled_vjp(v, -1);
}
SPOIL(wrong_sign, gb_op, it->vjp = opposite)

static void larger(const gb_vjp *v)
{
    scaled_vjp(v, 1 + 1e-5);
}
SPOIL(off_by_1e5, gb_op, it->vjp = larger)

static void in_first_alone(const gb_vjp *v)
{
    v->adjoint[0] = in_x(v);
}
SPOIL(an_adjoint_is_missing, gb_op, it->vjp = in_first_alone)

static void stopped(const gb_vjp *v)
{
    blend_vjp(v);
    v->adjoint[1] = gb_chain(v->gradient, gb_stop(gb_square(v->arg[0])));
}
SPOIL(curvature_is_stopped, gb_op, it->vjp = stopped)

static void exchanged(const gb_vjp *v)
{
    v->adjoint[0] = gb_chain(v->gradient, gb_square(v->arg[0]));
    v->adjoint[1] = in_x(v);
}
SPOIL(adjoints_are_exchanged, gb_op, it->vjp = exchanged)

static void gradient_is_summed(const gb_vjp *v)
{
    blend_vjp(v);
    v->adjoint[0] = gb_stop(v->adjoint[0]);
}
SPOIL(gradient_is_stopped, gb_op, it->vjp = gradient_is_summed)

static double lost_at_zero(double x, double y, double z)
{
    return x == 0 ? (double)NAN : blend(x, y, z);
}
SPOIL(nan_at_zero, gb_op, it->lane = lost_at_zero)

static double lost_at_zero_of_y(double x, double y, double z)
{
    return blend(x, y, z) * y / y;
}
SPOIL(nan_at_zero_of_y, gb_op, it->lane = lost_at_zero_of_y)

/* x² y ∂ log: right but where x is 0. */
static void by_log(const gb_vjp *v)
{
    blend_vjp(v);
    v->adjoint[0] = gb_mul(v->gradient, gb_div(gb_scale(v->value, 2), v->arg[0]));
}
SPOIL(gradient_is_nan_at_zero, gb_op, it->vjp = by_log)

static double swallows(double x, double y, double z)
{
    return isnan(x) ? 0 : blend(x, y, z);
}
SPOIL(nan_vanishes, gb_op, it->lane = swallows)

static double lost_at_a_half(double x, double y, double z)
{
    return x == 0.5 ? (double)NAN : blend(x, y, z);
}
SPOIL(nan_at_a_half, gb_op, it->lane = lost_at_a_half)

static double other_at_zero(double x, double y, double z)
{
    return x == 0 ? 0.1 : blend(x, y, z);
}
SPOIL(value_stands_out_at_zero, gb_op, it->lane = other_at_zero)

static double other_at_minus_one(double x, double y, double z)
{
    return y == -1 ? 0 : blend(x, y, z);
}
SPOIL(value_stands_out_at_minus_one, gb_op, it->lane = other_at_minus_one)

static void other_slope_at_one(const gb_vjp *v)
{
    blend_vjp(v);
    v->adjoint[0] = gb_where(gb_equal(v->arg[0], gb_num(v->gradient.tape, 1)), v->gradient, v->adjoint[0]);
}
SPOIL(gradient_stands_out_at_one, gb_op, it->vjp = other_slope_at_one)

/* What both adjoints need is made for the first one. */
static void shared_with_first(const gb_vjp *v)
{
    blend_vjp(v);
    if (!v->wanted[0])
        v->adjoint[1] = gb_scale(v->adjoint[1], 1.1);
}
SPOIL(wrong_beside_a_constant, gb_op, it->vjp = shared_with_first)

/* As if y = 1 left x alone. */
static int same_at_one(size_t count, const gb_node *arg, const void *attributes)
{
    double number;
    (void)count, (void)attributes;
    return gb_is_uniform(arg[1], &number) && number == 1 ? 0 : -1;
}
SPOIL(wrong_same_as, gb_op, it->same_as = same_at_one)

/* As if x = 1 made x of it, not y. */
static int other_at_one(size_t count, const gb_node *arg, const void *attributes)
{
    double number;
    (void)count, (void)attributes;
    return gb_is_uniform(arg[0], &number) && number == 1 ? 0 : -1;
}
SPOIL(same_as_the_other, gb_op, it->same_as = other_at_one)

SPOIL(false_jumps, gb_op, it->jumps = true)
SPOIL(closes, gb_op, it->closes = true)
SPOIL(opens, gb_op, it->opens = true)
SPOIL(commutes, gb_op, it->commutes = true)
SPOIL(shape_of_first, gb_op, it->infer = gb_infer_first)
SPOIL(no_lane, gb_op, it->lane = NULL)
SPOIL(no_formula, gb_op, it->formula = NULL)
SPOIL(domain_reversed, gb_op, it->domain[0].low = 2, it->domain[0].high = -2)
SPOIL(half_a_domain, gb_op, it->domain[1].low = it->domain[1].high = 0)
SPOIL(one_argument, gb_op, it->arguments = 4)

static double unsteady(double x, double y, double z)
{
    static unsigned calls;
    return blend(x, y, z) * (1 + DBL_EPSILON * (calls++ % 7 > 3 ? 1 : 0));
}
SPOIL(unsteady_value, gb_op, it->lane = unsteady)

static double stairs(double x, double y, double z)
{
    (void)y, (void)z;
    return floor(3 * x);
}

static void no_slope(const gb_vjp *v)
{
    v->adjoint[0] = gb_scale(v->gradient, 0);
}
SPOIL(undeclared_jumps, gb_op, it->lane = stairs, it->vjp = no_slope)

static double coarse(double x, double y, double z)
{
    (void)z;
    return (double)(float)(x * x * y);
}
SPOIL(value_is_rounded, gb_op, it->lane = coarse)

static double root(double x, double y, double z)
{
    return blend(x, y, z) + sqrt(x);
}
SPOIL(nan_in_half_the_domain, gb_op, it->lane = root)

/* ---- a vector, turned round ---- */

static double element(const gb_kernel_call *call, const void *array, int64_t at)
{
    return call->real == GB_FLOAT ? (double)((const float *)array)[at] : ((const double *)array)[at];
}

static void store(const gb_kernel_call *call, void *array, int64_t at, double value)
{
    if (call->real == GB_FLOAT)
        ((float *)array)[at] = (float)value;
    else
        ((double *)array)[at] = value;
}

static int64_t length(const gb_kernel_call *call)
{
    return call->arg[0].shape.size[0];
}

/* By way of the workspace. */
static void turn(const gb_kernel_call *call, const void *const *in, void *out)
{
    const int64_t n = length(call);
    double *const kept = call->workspace;
    for (int64_t i = 0; i < n; i++)
        kept[i] = element(call, in[0], i);
    for (int64_t i = 0; i < n; i++)
        store(call, out, i, kept[n - 1 - i]);
}

static void run(const gb_kernel_call *call)
{
    gb_each_event(call, turn);
}

static size_t workspace(const gb_kernel_call *call)
{
    return (size_t)length(call) * sizeof(double);
}

static bool infer(gb_infer *infer)
{
    if (infer->arg_shape[0].rank != 1)
        return gb_infer_fail(infer, GB_ESHAPE, "the argument must be a vector");
    return gb_infer_first(infer);
}

static void turn_vjp(const gb_vjp *v)
{
    v->adjoint[0] = gb_apply(NULL, v->op, 1, &v->gradient, NULL, 0);
}

static gb_node example(gb_example *e)
{
    const gb_node x = e->real(e, e->shape(e, 1, 1, 0, 40), -2, 2);
    return gb_apply(NULL, &bad, 1, &x, NULL, 0);
}

static const gb_op good_turn = {.size = sizeof(gb_op),
                                .name = "turn",
                                .formula = "x, backwards",
                                .form = GB_FORM_KERNEL,
                                .arguments = 1,
                                .infer = infer,
                                .vjp = turn_vjp,
                                .run = run,
                                .workspace = workspace,
                                .example = example};

static size_t of_floats(const gb_kernel_call *call)
{
    return (size_t)length(call) * sizeof(float);
}
SPOIL(small_workspace, gb_op, it->workspace = of_floats)

static size_t less_one(const gb_kernel_call *call)
{
    return length(call) > 0 ? (size_t)(length(call) - 1) * sizeof(double) : 0;
}
SPOIL(workspace_less_one, gb_op, it->workspace = less_one)

static void forwards(const gb_vjp *v)
{
    v->adjoint[0] = v->gradient;
}
SPOIL(adjoint_is_not_turned, gb_op, it->vjp = forwards)

static bool longer(gb_infer *at)
{
    return infer(at) && (at->shape.size[0]++, true);
}
SPOIL(too_long, gb_op, it->infer = longer)

static bool without_rows(gb_infer *at)
{
    return infer(at) && (at->axes &= ~GB_ROWS, true);
}
SPOIL(rows_are_lost, gb_op, it->infer = without_rows)

static void half(const gb_kernel_call *call, const void *const *in, void *out)
{
    for (int64_t i = 0; i < length(call) / 2; i++)
        store(call, out, i, element(call, in[0], length(call) - 1 - i));
}

static void run_half(const gb_kernel_call *call)
{
    gb_each_event(call, half);
}
SPOIL(half_is_written, gb_op, it->run = run_half)

static void approximate(const gb_kernel_call *call, const void *const *in, void *out)
{
    for (int64_t i = 0; i < length(call); i++)
        store(call, out, i,
              element(call, in[0], length(call) - 1 - i) * (call->real == GB_FLOAT ? 1.0001 : 1));
}

static void run_approximate(const gb_kernel_call *call)
{
    gb_each_event(call, approximate);
}
SPOIL(floats_are_off, gb_op, it->run = run_approximate)

static bool always_real(gb_infer *at)
{
    return infer(at) && (at->type = GB_TYPE_REAL, true);
}
SPOIL(takes_anything, gb_op, it->takes[0] = GB_TAKES_ANY, it->infer = always_real)
SPOIL(no_run, gb_op, it->run = NULL)
SPOIL(no_example, gb_op, it->example = NULL)

static const kit_fault faults[] = {
    {"the adjoint has the other sign", "its gradient is", &good_blend, wrong_sign},
    {"the adjoint is off by 1e-5", "its gradient is", &good_blend, off_by_1e5},
    {"an adjoint is missing", "its gradient is", &good_blend, an_adjoint_is_missing},
    {"adjoints are exchanged", "its gradient is", &good_blend, adjoints_are_exchanged},
    {"the curvature is stopped", "its second gradient", &good_blend, curvature_is_stopped},
    {"the gradient is stopped", "its second gradient", &good_blend, gradient_is_stopped},
    {"NaN at x = 0", "argument 1 is 0, in its domain", &good_blend, nan_at_zero},
    {"NaN at y = 0", "argument 2 is 0, in its domain", &good_blend, nan_at_zero_of_y},
    {"the gradient is NaN at x = 0", "the gradient is nan", &good_blend, gradient_is_nan_at_zero},
    {"NaN at x = 1/2", "argument 1 is 0.5, in its domain", &good_blend, nan_at_a_half},
    {"0.1 at x = 0", "do not stand out", &good_blend, value_stands_out_at_zero},
    {"0 at y = -1", "do not stand out", &good_blend, value_stands_out_at_minus_one},
    {"another gradient at x = 1", "do not stand out", &good_blend, gradient_stands_out_at_one},
    {"an adjoint is wrong where the other is not wanted", "whether others are wanted", &good_blend,
     wrong_beside_a_constant},
    {"NaN vanishes", "NaN in an argument", &good_blend, nan_vanishes},
    {"same_as takes x for x^2 y at y = 1", "alone and fused", &good_blend, wrong_same_as},
    {"same_as takes x for y at x = 1", "alone and fused", &good_blend, same_as_the_other},
    {"it does not commute", "alone and fused", &good_blend, commutes},
    {"its shape is that of the first argument", "the shape and the hidden axes", &good_blend, shape_of_first},
    {"it has no lane", "its struct is complete", &good_blend, no_lane},
    {"it has no formula", "its struct is complete", &good_blend, no_formula},
    {"a domain is reversed", "the wrong way round", &good_blend, domain_reversed},
    {"half of its domain is missing", "others do not", &good_blend, half_a_domain},
    {"it has four arguments", "one to three arguments", &good_blend, one_argument},
    {"its value is unsteady", "it differs from run to run", &good_blend, unsteady_value},
    {"it jumps and does not say so", "set .jumps", &good_blend, undeclared_jumps},
    {"it says that it jumps", ".jumps is set, and", &good_blend, false_jumps},
    {"it says that it closes draws", ".closes is set", &good_blend, closes},
    {"it says that it is a draw", ".opens is set", &good_blend, opens},
    {"its value is rounded to floats", "its gradient is", &good_blend, value_is_rounded},
    {"it is NaN in half of its domain", "gives nan", &good_blend, nan_in_half_the_domain},
    {"its workspace is that of floats", "beyond its workspace", &good_turn, small_workspace},
    {"its workspace lacks one element", "beyond its workspace", &good_turn, workspace_less_one},
    {"its adjoint is not turned", "its gradient is", &good_turn, adjoint_is_not_turned},
    {"its shape is too long", "its kernel writes all", &good_turn, too_long},
    {"it forgets rows", "the shape and the hidden axes", &good_turn, rows_are_lost},
    {"half of it is written", "its kernel writes all", &good_turn, half_is_written},
    {"its floats are off", "on a float tape", &good_turn, floats_are_off},
    {"it takes anything for reals", "of a wrong type", &good_turn, takes_anything},
    {"it has no run", "its struct is complete", &good_turn, no_run},
    {"it has no example", "no domain and no example", &good_turn, no_example},
};
KIT_FAULTS(ops, faults);
