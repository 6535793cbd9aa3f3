/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The conformance kit against operations from outside: right ones pass, and each planted
 * fault is found, with the right statement. */
#include "support/close.h"

#include <stdatomic.h>

#include "core/gradient.h"
#include "core/noise.h"
#include "kit/check_op.h"
#include "ops/control.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "support/counted_memory.h"
#include "support/verdict.h"

/* ---- element by element: x² y ---- */

static double blend_lane(double x, double y, double z)
{
    (void)z;
    return x * x * y;
}

static void blend_vjp(const gb_vjp *v)
{
    const gb_node x = v->arg[0], y = v->arg[1], g = v->gradient;
    v->adjoint[0] = gb_chain(g, gb_scale(gb_mul(x, y), 2));
    v->adjoint[1] = gb_chain(g, gb_square(x));
}

static void wrong_sign_vjp(const gb_vjp *v)
{
    blend_vjp(v);
    v->adjoint[1] = gb_neg(v->adjoint[1]);
}

static void off_by_a_percent_vjp(const gb_vjp *v)
{
    blend_vjp(v);
    v->adjoint[0] = gb_scale(v->adjoint[0], 1.01);
}

static void one_adjoint_only_vjp(const gb_vjp *v)
{
    v->adjoint[0] = gb_chain(v->gradient, gb_scale(gb_mul(v->arg[0], v->arg[1]), 2));
}

/* The right numbers, but as if they were constants. */
static void wrong_second_vjp(const gb_vjp *v)
{
    const gb_node x = gb_stop(v->arg[0]), y = v->arg[1], g = v->gradient;
    v->adjoint[0] = gb_chain(g, gb_scale(gb_mul(x, y), 2));
    v->adjoint[1] = gb_chain(g, gb_square(x));
}

/* A factor that is 1, except where y is 0. */
static void lost_where_y_is_zero_vjp(const gb_vjp *v)
{
    const gb_node square = gb_square(v->arg[1]);
    blend_vjp(v);
    v->adjoint[0] = gb_mul(v->adjoint[0], gb_div(square, square));
}

static double ramp_lane(double x, double y, double z)
{
    (void)y, (void)z;
    return x > 0 ? x : 0; /* NaN too */
}

static void ramp_vjp(const gb_vjp *v)
{
    v->adjoint[0] = gb_where(gb_greater(v->arg[0], gb_num(v->tape, 0)), v->gradient, gb_num(v->tape, 0));
}

static double lost_at_zero_lane(double x, double y, double z)
{
    return x == 0 ? (double)NAN : blend_lane(x, y, z);
}

static double stairs_lane(double x, double y, double z)
{
    (void)y, (void)z;
    return floor(3 * x);
}

static void no_slope_vjp(const gb_vjp *v)
{
    v->adjoint[0] = gb_scale(v->gradient, 0);
}

/* As if y = 1 left x alone. */
static int same_at_one(size_t count, const gb_node *arg, const void *attributes)
{
    double number;
    (void)count, (void)attributes;
    return gb_is_uniform(arg[1], &number) && number == 1 ? 0 : -1;
}

static double unsteady_lane(double x, double y, double z)
{
    static atomic_uint calls;
    return blend_lane(x, y, z) * (1 + DBL_EPSILON * (atomic_fetch_add(&calls, 1) % 7 > 3 ? 1 : 0));
}

/* Of a negated argument it says that nothing is done to it. */
static int hasty_same_as(size_t count, const gb_node *arg, const void *attributes)
{
    (void)count, (void)attributes;
    return strcmp(gb_node_op_name(arg[0]), "neg") == 0 ? 0 : -1;
}

#define BLEND(...)                                                                                           \
    {                                                                                                        \
        .size = sizeof(gb_op), .name = "blend", .formula = "x² y", .form = GB_FORM_ELEMENTWISE,              \
        .arguments = 2, .domain = {{-2, 2}, {-2, 2}}, __VA_ARGS__                                            \
    }
static const gb_op blend = BLEND(.lane = blend_lane, .vjp = blend_vjp),
                   wrong_sign = BLEND(.lane = blend_lane, .vjp = wrong_sign_vjp),
                   off_by_a_percent = BLEND(.lane = blend_lane, .vjp = off_by_a_percent_vjp),
                   one_adjoint_only = BLEND(.lane = blend_lane, .vjp = one_adjoint_only_vjp),
                   wrong_second = BLEND(.lane = blend_lane, .vjp = wrong_second_vjp),
                   unsteady = BLEND(.lane = unsteady_lane, .vjp = blend_vjp),
                   hasty = BLEND(.lane = blend_lane, .vjp = blend_vjp, .same_as = hasty_same_as),
                   lost_where_y_is_zero = BLEND(.lane = blend_lane, .vjp = lost_where_y_is_zero_vjp),
                   lost_at_zero = BLEND(.lane = lost_at_zero_lane, .vjp = blend_vjp),
                   stairs = BLEND(.lane = stairs_lane, .vjp = no_slope_vjp),
                   at_one = BLEND(.lane = blend_lane, .vjp = blend_vjp, .same_as = same_at_one),
                   said_to_commute = BLEND(.lane = blend_lane, .vjp = blend_vjp, .commutes = true),
                   reversed = {.size = sizeof(gb_op),
                               .name = "blend",
                               .formula = "x² y",
                               .form = GB_FORM_ELEMENTWISE,
                               .arguments = 2,
                               .lane = blend_lane,
                               .domain = {{2, -2}, {-2, 2}}},
                   shape_of_one = BLEND(.lane = blend_lane, .vjp = blend_vjp, .infer = gb_infer_first),
                   once = BLEND(.lane = blend_lane, .vjp = blend_vjp, .once_differentiable = true),
                   no_gradient = BLEND(.lane = blend_lane), no_lane = BLEND(.vjp = blend_vjp),
                   half_a_domain = {.size = sizeof(gb_op),
                                    .name = "blend",
                                    .formula = "x² y",
                                    .form = GB_FORM_ELEMENTWISE,
                                    .arguments = 2,
                                    .lane = blend_lane,
                                    .vjp = blend_vjp,
                                    .domain = {{-2, 2}}},
                   no_domain = {.size = sizeof(gb_op),
                                .name = "blend",
                                .formula = "x² y",
                                .form = GB_FORM_ELEMENTWISE,
                                .arguments = 2,
                                .lane = blend_lane},
                   ramp = {.size = sizeof(gb_op),
                           .name = "ramp",
                           .formula = "x where x > 0, else 0",
                           .form = GB_FORM_ELEMENTWISE,
                           .arguments = 1,
                           .lane = ramp_lane,
                           .vjp = ramp_vjp,
                           .domain = {{-2, 2}}};

/* ---- a kernel: twice the vector, backwards; it is its own adjoint ---- */

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

static int64_t length_of(const gb_kernel_call *call)
{
    return call->arg[0].shape.size[0];
}

static void mirror_event(const gb_kernel_call *call, const void *const *in, void *out)
{
    const int64_t n = length_of(call);
    for (int64_t i = 0; i < n; i++)
        store(call, out, i, 2 * element(call, in[0], n - 1 - i));
}

static void coarse_event(const gb_kernel_call *call, const void *const *in, void *out)
{
    const int64_t n = length_of(call);
    for (int64_t i = 0; i < n; i++)
        store(call, out, i, (call->real == GB_FLOAT ? 2.0001 : 2) * element(call, in[0], n - 1 - i));
}

static void threads_event(const gb_kernel_call *call, const void *const *in, void *out)
{
    const int64_t n = length_of(call);
    for (int64_t i = 0; i < n; i++)
        store(call, out, i, (call->workers ? 2 + 1e-15 : 2) * element(call, in[0], n - 1 - i));
}

static void mirror_run(const gb_kernel_call *call)
{
    gb_each_event(call, mirror_event);
}

static void coarse_run(const gb_kernel_call *call)
{
    gb_each_event(call, coarse_event);
}

static void threads_run(const gb_kernel_call *call)
{
    gb_each_event(call, threads_event);
}

/* From the last hidden place to the first too: the adjoint is right
 * for that, only it is another operation. */
static void mixing_run(const gb_kernel_call *call)
{
    int64_t count = length_of(call);
    for (int i = 0; call->out_layout.axes >> i && i < GB_MAX_HIDDEN; i++)
        count *= __builtin_popcountll(call->out_layout.axes) > i ? call->out_layout.hidden_size[i] : 1;
    for (int64_t i = 0; i < count; i++)
        store(call, call->out, i, 2 * element(call, call->in[0], count - 1 - i));
}

static bool vector_infer(gb_infer *infer)
{
    if (infer->arg_shape[0].rank != 1)
        return gb_infer_fail(infer, GB_ESHAPE, "the argument must be a vector");
    if (infer->arg_type[0] != GB_TYPE_REAL)
        return gb_infer_fail(infer, GB_ETYPE, "the argument is not real");
    return gb_infer_first(infer);
}

static bool longer_infer(gb_infer *infer)
{
    return vector_infer(infer) && (infer->shape.size[0]++, true);
}

static bool shorter_infer(gb_infer *infer)
{
    return vector_infer(infer) && (infer->shape.size[0] -= infer->shape.size[0] > 1, true);
}

static bool without_rows_infer(gb_infer *infer)
{
    return vector_infer(infer) && (infer->axes &= ~GB_ROWS, true);
}

static bool any_type_infer(gb_infer *infer)
{
    return gb_infer_first(infer) && (infer->type = GB_TYPE_REAL, true);
}

static bool nameless_infer(gb_infer *infer)
{
    if (infer->arg_type[0] != GB_TYPE_REAL)
        return gb_fail(infer->tape, GB_ETYPE, "wrong") == GB_OK;
    return gb_infer_first(infer);
}

static void *lost; /* blocks that nobody but this test would give back: each points to the next */

static bool leaking_infer(gb_infer *infer)
{
    const gb_memory memory = gb_tape_memory(infer->tape);
    void **block = gb_memory_resize(&memory, NULL, sizeof *block);
    if (!block)
        return gb_infer_fail(infer, GB_ENOMEM, "out of memory");
    *block = lost;
    lost = block;
    return vector_infer(infer);
}

static void find_what_is_lost(void)
{
    while (lost) {
        void *next = *(void **)lost;
        free(lost);
        lost = next;
    }
}

static bool mistaken_infer(gb_infer *infer)
{
    const gb_memory memory = gb_tape_memory(infer->tape);
    void *block = gb_memory_resize(&memory, NULL, 8);
    gb_memory_release(&memory, block);
    return block ? vector_infer(infer) : gb_infer_fail(infer, GB_EARGUMENT, "no block");
}

static void mirror_vjp(const gb_vjp *v)
{
    v->adjoint[0] = gb_apply(NULL, v->op, 1, &v->gradient, NULL, 0);
}

static void forwards_vjp(const gb_vjp *v)
{
    v->adjoint[0] = gb_scale(v->gradient, 2);
}

/* The operation under test is not known to its example, which is why there is one for each. */
#define MIRROR(op_name, op_infer, op_run, op_vjp)                                                            \
    static gb_node op_name##_example(gb_example *e);                                                         \
    static const gb_op op_name = {.size = sizeof(gb_op),                                                     \
                                  .name = #op_name,                                                          \
                                  .formula = "2 x, backwards",                                               \
                                  .form = GB_FORM_KERNEL,                                                    \
                                  .arguments = 1,                                                            \
                                  .takes = {GB_TAKES_ANY},                                                   \
                                  .infer = op_infer,                                                         \
                                  .run = op_run,                                                             \
                                  .vjp = op_vjp,                                                             \
                                  .example = op_name##_example};                                             \
    static gb_node op_name##_example(gb_example *e)                                                          \
    {                                                                                                        \
        const gb_node x = e->real(e, e->shape(e, 1, 1, 0, 5), -2, 2);                                        \
        return gb_neg(gb_apply(NULL, &op_name, 1, &x, NULL, 0));                                             \
    }
MIRROR(mirror, vector_infer, mirror_run, mirror_vjp)
MIRROR(coarse, vector_infer, coarse_run, mirror_vjp)
MIRROR(by_threads, vector_infer, threads_run, mirror_vjp)
MIRROR(mixing, vector_infer, mixing_run, mirror_vjp)
MIRROR(longer, longer_infer, mirror_run, mirror_vjp)
MIRROR(shorter, shorter_infer, mirror_run, mirror_vjp)
MIRROR(without_rows, without_rows_infer, mirror_run, mirror_vjp)
MIRROR(any_type, any_type_infer, mirror_run, mirror_vjp)
MIRROR(nameless, nameless_infer, mirror_run, mirror_vjp)
MIRROR(leaking, leaking_infer, mirror_run, mirror_vjp)
MIRROR(mistaken, mistaken_infer, mirror_run, mirror_vjp)
MIRROR(mirror_forwards, vector_infer, mirror_run, forwards_vjp)

/* ---- an alias: x³ with a derivative of its own ---- */

static void cube_vjp(const gb_vjp *v)
{
    v->adjoint[1] = gb_chain(v->gradient, gb_scale(gb_square(v->arg[1]), 3));
}

static void cube_wrong_second_vjp(const gb_vjp *v)
{
    v->adjoint[1] = gb_chain(v->gradient, gb_scale(gb_square(gb_stop(v->arg[1])), 3));
}

static void cube_wrong_sign_vjp(const gb_vjp *v)
{
    v->adjoint[1] = gb_chain(v->gradient, gb_scale(gb_square(v->arg[1]), -3));
}

#define CUBE(op_name, op_vjp)                                                                                \
    static gb_node op_name##_example(gb_example *e);                                                         \
    static const gb_op op_name = {.size = sizeof(gb_op),                                                     \
                                  .name = #op_name,                                                          \
                                  .formula = "x³",                                                           \
                                  .form = GB_FORM_ALIAS,                                                     \
                                  .arguments = 2,                                                            \
                                  .vjp = op_vjp,                                                             \
                                  .example = op_name##_example};                                             \
    static gb_node op_name##_example(gb_example *e)                                                          \
    {                                                                                                        \
        const gb_node x = e->real(e, e->shape(e, 0, 3, 0, 4), -2, 2);                                        \
        return gb_with_vjp(&op_name, gb_stop(gb_mul(x, gb_square(x))), 1, &x, NULL, 0);                      \
    }
CUBE(cube, cube_vjp)
CUBE(cube_wrong_second, cube_wrong_second_vjp)
CUBE(cube_wrong_sign, cube_wrong_sign_vjp)

/* ---- composites ---- */

static gb_node jitter_example(gb_example *e)
{
    const gb_node x = e->real(e, e->shape(e, 0, 2, 0, 3), -2, 2);
    return gb_mul(x, gb_normal_noise(gb_stream(e->tape, "jitter"), gb_shape(), GB_SAMPLES));
}

static gb_node greedy_example(gb_example *e)
{
    gb_node sum = gb_num(e->tape, 0);
    for (int i = 0; i < 40; i++)
        sum = gb_add(sum, e->real(e, gb_shape(), -1, 1));
    return sum;
}

static gb_node nothing_example(gb_example *e)
{
    (void)e;
    return (gb_node){0};
}

static gb_node mean_of_samples_example(gb_example *e)
{
    return gb_mean_over(e->real(e, gb_shape(2), -1, 1), GB_SAMPLES);
}

#define COMPOSITE(op_name)                                                                                   \
    static const gb_op op_name = {.size = sizeof(gb_op),                                                     \
                                  .name = #op_name,                                                          \
                                  .formula = "?",                                                            \
                                  .form = GB_FORM_COMPOSITE,                                                 \
                                  .example = op_name##_example}
COMPOSITE(jitter);
COMPOSITE(greedy);
COMPOSITE(nothing);
COMPOSITE(mean_of_samples);

/* ---- the tests ---- */

typedef struct planted {
    const char *name;
    const gb_op *op;
    const char *statement; /* that has to fail; NULL: none */
    const char *not_this;  /* OPTIONAL: that must not */
    bool nan_may_vanish;
} planted;

static const planted table[] = {
    {"an elementwise operation passes", &blend, NULL, NULL, false},
    {"one that is differentiable once passes", &once, NULL, NULL, false},
    {"one without a gradient passes", &no_gradient, NULL, NULL, false},
    {"a kernel passes", &mirror, NULL, NULL, false},
    {"an alias passes", &cube, NULL, NULL, false},
    {"a random composite passes", &jitter, NULL, NULL, false},
    {"a choice passes where NaN may vanish", &ramp, NULL, NULL, true},
    {"a wrong sign is found", &wrong_sign, "its gradient is that of differences", NULL, false},
    {"a hundredth too much is found", &off_by_a_percent, "its gradient is that of differences", NULL, false},
    {"a missing adjoint is found", &one_adjoint_only, "its gradient is that of differences", NULL, false},
    {"a kernel's adjoint in a wrong order is found", &mirror_forwards, "its gradient is that of differences",
     NULL, false},
    {"a wrong sign of an alias is found", &cube_wrong_sign, "its gradient is that of differences", NULL,
     false},
    {"a wrong second derivative is found", &wrong_second, "its second gradient is that of differences",
     "its gradient", false},
    {"a wrong second derivative of an alias is found", &cube_wrong_second,
     "its second gradient is that of differences", "its gradient", false},
    {"a value that mixes hidden places is found", &mixing, "places along hidden axes do not mix",
     "its gradient", false},
    {"a mean over samples nobody asked for is found", &mean_of_samples, "do not mix", NULL, false},
    {"an elementwise shape that is not broadcast is found", &shape_of_one, "the shape and the hidden axes",
     NULL, false},
    {"a missing hidden axis is found", &without_rows, "the shape and the hidden axes", NULL, false},
    {"a shape that is too large is found", &longer, "is not written", NULL, false},
    {"a shape that is too small is found", &shorter, "writes beyond", NULL, false},
    {"an inaccurate float kernel is found", &coarse, "on a float tape", "its gradient", false},
    {"a value that depends on threads is found", &by_threads, "with several threads", "its gradient", false},
    {"a value that depends on what its argument comes from is found", &hasty, "alone and fused with others",
     "its gradient", false},
    {"an unsteady value is found", &unsteady, "it differs from run to run", "its gradient", false},
    {"a swallowed NaN is found", &ramp, "NaN in an argument", "its gradient", false},
    {"integers taken for reals are found", &any_type, "of a wrong type", "its gradient", false},
    {"a rejection without the name is found", &nameless, "of a wrong type", "its gradient", false},
    {"lost memory is found", &leaking, "blocks are lost", "its gradient", false},
    {"a wrong error where memory runs out is found", &mistaken, "if memory runs out", "its gradient", false},
    {"NaN of a gradient where the other argument is 0 is found", &lost_where_y_is_zero,
     "argument 2 is 0, in its domain, and the gradient in argument 1 is nan", NULL, false},
    {"NaN at 0 alone is found", &lost_at_zero, "argument 1 is 0, in its domain", "its gradient", false},
    {"jumps that are not declared are found", &stairs, "set .jumps", NULL, false},
    {"a constant that is simplified wrongly is found", &at_one, "alone and fused with others", "its gradient",
     false},
    {"what does not commute is found", &said_to_commute, "alone and fused with others", "its gradient",
     false},
    {"a domain the wrong way round is told so", &reversed, "the wrong way round", NULL, false},
    {"a struct without a value is found", &no_lane, "its struct is complete", NULL, false},
    {"a domain for one of two arguments is found", &half_a_domain, "have a domain, others do not", NULL,
     false},
    {"an operation that cannot be tested is not passed", &no_domain, "no domain and no example", NULL, false},
    {"an example that draws too much is rejected", &greedy, "draws more than 12", NULL, false},
    {"an example that returns nothing is rejected", &nothing, "it returned no node", NULL, false},
};

TEST_EACH(is_judged_rightly, table)
{
    const planted *p = row;
    gb_report report = {.size = sizeof report};
    const bool passed =
        gb_check_op(p->op, .cases = 128, .report = &report, .nan_may_vanish = p->nan_may_vanish);
    find_what_is_lost();
    assert_int_equal(passed, report.failures == 0);
    if (!p->statement && !passed)
        fail_msg("%s", report.failure[0]);
    if (p->statement && !has_failure(&report, p->statement))
        fail_msg("not found; the first failure is \"%s\"", report.failure[0]);
    if (p->not_this && has_failure(&report, p->not_this))
        fail_msg("found too: %s", p->not_this);
}

TEST(structs_that_are_none_are_rejected)
{
    gb_op small = blend, nameless_op = blend;
    small.size = 8;
    nameless_op.name = NULL;
    assert_false(gb_check_op(NULL));
    assert_false(gb_check_op(&small));
    assert_false(gb_check_op(&nameless_op));
    assert_true(gb_check_op(&blend, .cases = 16, .seed = 7));
}

/* Every request may be the last one: the kit says so, and gives all back. */
TEST(the_kit_itself_outlives_a_lack_of_memory)
{
    for (size_t number = 1; number < 2000; number += number < 100 ? 1 : 97) {
        counted_memory memory = {.fail_at = number, .fail_after = true};
        gb_report report = {.size = sizeof report};
        if (gb_check_op(number % 2 ? &blend : &mirror, .cases = 4, .report = &report,
                        .memory = counted(&memory)))
            fail_msg("nothing was said of request %zu", number);
        assert_true(has_failure(&report, "out of memory"));
        assert_int_equal(memory.outstanding, 0);
    }
}
