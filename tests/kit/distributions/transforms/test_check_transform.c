/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The conformance kit for transforms: grebe's pass it, and planted faults are
 * caught by the statement that names them. */
#include "support/close.h"

#include "distributions/transforms.h"
#include "kit/check_transform.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "support/counted_memory.h"
#include "support/verdict.h"

/* ---- grebe's own ---- */

static gb_node variable(gb_tape *t, const char *name, double value)
{
    return gb_variable(t, name, gb_shape(), gb_fill(value));
}

static gb_transform affine(gb_tape *t, size_t which, void *user)
{
    (void)user;
    if (which == 2) /* two side by side */
        return gb_affine_transform(gb_variable(t, "loc", gb_shape(2), GB_VALUES(-0.3, 0.4)),
                                   gb_constant(t, gb_shape(2), GB_VALUES(-0.8, 1.7)));
    return gb_affine_transform(variable(t, "loc", 1.9), variable(t, "scale", which ? -0.7 : 2));
}

static gb_transform interval(gb_tape *t, size_t which, void *user)
{
    (void)user;
    if (which == 1)
        return gb_interval_transform(gb_num(t, -1), gb_variable(t, "high", gb_shape(2), GB_VALUES(0.5, 4)));
    return gb_interval_transform(variable(t, "low", -0.7), variable(t, "high", 1.9));
}

static gb_transform permutation(gb_tape *t, size_t which, void *user)
{
    static const int64_t order[] = {2, 0, 3, 1};
    (void)which, (void)user;
    return gb_permutation_transform(t, 4, order);
}

static gb_transform reshaped(gb_tape *t, size_t which, void *user)
{
    (void)user;
    return gb_reshaped_transform(t, which == 0   ? gb_shape(2, 3)
                                    : which == 1 ? gb_shape()
                                                 : gb_shape(1, 2, 2));
}

/* Onto all of the last one's domain. */
static gb_transform composed(gb_tape *t, size_t which, void *user)
{
    switch (which) {
    case 0: return gb_composed_transform(gb_exponential_transform(t), affine(t, 2, user));
    case 1: return gb_composed_transform(gb_softplus_transform(t), affine(t, 0, user));
    default: return gb_composed_transform(gb_sigmoid_transform(t), affine(t, 1, user));
    }
}

/* Onto a part of it. */
static gb_transform composed_into(gb_tape *t, size_t which, void *user)
{
    switch (which) {
    case 0: return gb_composed_transform(affine(t, 1, user), gb_exponential_transform(t));
    default: return gb_composed_transform(interval(t, 0, user), gb_tanh_transform(t));
    }
}

static gb_transform inverted(gb_tape *t, size_t which, void *user)
{
    static gb_transform (*const of[])(gb_tape *) = {gb_exponential_transform,
                                                    gb_softplus_transform,
                                                    gb_sigmoid_transform,
                                                    gb_tanh_transform,
                                                    gb_ordered_transform,
                                                    gb_stick_breaking_transform,
                                                    gb_centred_softmax_transform,
                                                    gb_covariance_cholesky_transform,
                                                    gb_correlation_cholesky_transform};
    enum { COUNT = sizeof of / sizeof *of };
    return gb_inverted_transform(which < COUNT ? of[which](t) : affine(t, which - COUNT, user));
}

static const struct {
    const char *name;
    gb_transform (*make)(gb_tape *tape, size_t which, void *user);
    size_t count;
    bool is_part;
} makers[] = {{"affine", affine, 3, false},           {"interval", interval, 2, true},
              {"permutation", permutation, 1, false}, {"reshaped", reshaped, 3, false},
              {"composed", composed, 3, false},       {"composed", composed_into, 2, true},
              {"inverted", inverted, 12, false}};

static void passes(const gb_transform_type *type, gb_check_transform_options options)
{
    gb_report report = {.size = sizeof report, .file = stderr};
    options.size = sizeof options;
    options.report = &report;
    assert_passed(gb_check_transform_with(type, &options), &report, type->name, 9);
}

TEST(every_transform_passes)
{
    size_t count;
    const gb_transform_type *const *const all = gb_transforms(&count);
    for (size_t i = 0; i < count; i++) {
        bool is_made = false;
        for (size_t k = 0; k < sizeof makers / sizeof *makers; k++)
            if (strcmp(makers[k].name, all[i]->name) == 0) {
                is_made = true;
                passes(all[i], (gb_check_transform_options){.make = makers[k].make,
                                                            .count = makers[k].count,
                                                            .is_part = makers[k].is_part});
            }
        if (!is_made)
            passes(all[i], (gb_check_transform_options){.seed = i});
    }
}

/* ---- planted faults ---- */

static void is_caught(const gb_transform_type *faulty, const char *statement)
{
    gb_report report = {.size = sizeof report};
    assert_caught(gb_check_transform(faulty, .report = &report), &report, statement);
}

static gb_node exponential(const gb_transform *t, gb_node x)
{
    (void)t;
    return gb_exp(x);
}

static gb_node logarithm(const gb_transform *t, gb_node y)
{
    (void)t;
    return gb_log(y);
}

static gb_node same(const gb_transform *t, gb_node x, gb_node y)
{
    (void)t, (void)y;
    return x;
}

/* A right one, to begin with: faults differ from it in one slot. */
#define EXPONENTIAL                                                                                          \
    .size = sizeof(gb_transform_type), .name = "mine", .formula = "e^x", .from = GB_REAL, .to = GB_POSITIVE, \
    .forward = exponential, .inverse = logarithm, .log_jacobian = same
static const gb_transform_type right = {EXPONENTIAL};
#define CAUGHT(slot, wrong, statement)                                                                       \
    do {                                                                                                     \
        gb_transform_type faulty = right;                                                                    \
        faulty.slot = wrong;                                                                                 \
        is_caught(&faulty, statement);                                                                       \
    } while (0)

static gb_shape longer(const gb_transform *t, gb_shape shape)
{
    (void)t;
    return gb_shape_join(shape, gb_shape(1));
}

static gb_shape alike(const gb_transform *t, gb_shape shape)
{
    (void)t;
    return shape;
}

static gb_node near_logarithm(const gb_transform *t, gb_node y)
{
    (void)t;
    return gb_shift(gb_log(y), 1e-7);
}

static gb_node of_the_inverse(const gb_transform *t, gb_node x, gb_node y)
{
    (void)t, (void)y;
    return gb_neg(x);
}

static gb_node without_gradient(const gb_transform *t, gb_node x)
{
    (void)t;
    return gb_stop(gb_exp(x));
}

/* The first gradient is right, and is a constant. */
static gb_node without_second_gradient(const gb_transform *t, gb_node x)
{
    (void)t;
    return gb_inject(gb_stop(gb_exp(x)), x, gb_stop(gb_exp(x)));
}

static gb_node lost_in_float(const gb_transform *t, gb_node x)
{
    (void)t;
    return gb_exp(gb_shift(gb_shift(x, 1e6), -1e6));
}

static gb_node falls(const gb_transform *t)
{
    return gb_less(gb_num(t->tape, 1), gb_num(t->tape, 0));
}

TEST(a_wrong_slot_is_caught)
{
    passes(&right, (gb_check_transform_options){0});
    CAUGHT(to, GB_OPEN_UNIT, "its values lie in its `to`");
    CAUGHT(to, GB_REAL, "every member of its `to` is a value");
    CAUGHT(from, GB_NON_ZERO, "it accepts events of some shape");
    CAUGHT(inverse, near_logarithm, "its inverse returns x");
    CAUGHT(log_jacobian, of_the_inverse, "its log_jacobian is that of differences");
    CAUGHT(log_jacobian, of_the_inverse, "a density through it still integrates to 1");
    CAUGHT(forward, without_gradient, "its gradients are those of differences");
    CAUGHT(forward, without_second_gradient, "second gradients are those of differences");
    CAUGHT(forward, lost_in_float, "on a float tape");
    CAUGHT(increases, falls, "it grows with x where it says so");
    is_caught((&(gb_transform_type){EXPONENTIAL, .shape = longer, .inverse_shape = alike}),
              "shapes are those");
}

/* ---- whole maps ---- */

static gb_node naive_sigmoid(const gb_transform *t, gb_node x)
{
    const gb_node e = gb_exp(x);
    (void)t;
    return gb_div(e, gb_shift(e, 1));
}

static gb_node good_sigmoid(const gb_transform *t, gb_node x)
{
    (void)t;
    return gb_sigmoid(x);
}

static gb_node logit(const gb_transform *t, gb_node y)
{
    (void)t;
    return gb_sub(gb_log(y), gb_log1p(gb_neg(y)));
}

static gb_node log_slope(const gb_transform *t, gb_node x, gb_node y)
{
    (void)t, (void)y;
    return gb_add(gb_log_sigmoid(x), gb_log_sigmoid(gb_neg(x)));
}

static gb_node log_slope_of_y(const gb_transform *t, gb_node x, gb_node y)
{
    (void)t, (void)x;
    return gb_log(gb_mul(y, gb_shift(gb_neg(y), 1)));
}

#define SIGMOID                                                                                              \
    .size = sizeof(gb_transform_type), .name = "mine", .formula = "1 / (1 + e^-x)", .from = GB_REAL,         \
    .to = GB_OPEN_UNIT, .inverse = logit

TEST(what_breaks_far_out_is_caught)
{
    passes(&(gb_transform_type){SIGMOID, .forward = good_sigmoid, .log_jacobian = log_slope},
           (gb_check_transform_options){0});
    is_caught(&(gb_transform_type){SIGMOID, .forward = naive_sigmoid, .log_jacobian = log_slope}, "far out");
    is_caught(&(gb_transform_type){SIGMOID, .forward = good_sigmoid, .log_jacobian = log_slope_of_y},
              "far out");
}

static gb_node square(const gb_transform *t, gb_node x)
{
    (void)t;
    return gb_square(x);
}

static gb_node root(const gb_transform *t, gb_node y)
{
    (void)t;
    return gb_sqrt(y);
}

static gb_node log_of_square(const gb_transform *t, gb_node x, gb_node y)
{
    (void)t, (void)y;
    return gb_log(gb_abs(gb_scale(x, 2)));
}

TEST(what_folds_is_caught)
{
    static const gb_transform_type folding = {.size = sizeof folding,
                                              .name = "folding",
                                              .formula = "x^2",
                                              .from = GB_REAL,
                                              .to = GB_POSITIVE,
                                              .forward = square,
                                              .inverse = root,
                                              .log_jacobian = log_of_square};
    is_caught(&folding, "a density through it still integrates to 1");
    is_caught(&folding, "its inverse returns x");
}

/* Vectors, of which a sum over all axes is no number for each. */
static gb_node sum_of_everything(const gb_transform *t, gb_node x, gb_node y)
{
    (void)t, (void)y;
    return gb_sum(x);
}

static gb_node sum_of_the_event(const gb_transform *t, gb_node x, gb_node y)
{
    (void)t, (void)y;
    return gb_sum_along(x, gb_axis(-1));
}

#define EXPONENTIALS                                                                                         \
    .size = sizeof(gb_transform_type), .name = "mine", .formula = "e^x", .from = GB_REAL_VECTOR,             \
    .to = GB_POSITIVE_VECTOR, .forward = exponential, .inverse = logarithm

TEST(mixed_events_are_caught)
{
    passes(&(gb_transform_type){EXPONENTIALS, .log_jacobian = sum_of_the_event},
           (gb_check_transform_options){0});
    is_caught(&(gb_transform_type){EXPONENTIALS, .log_jacobian = sum_of_everything}, "batches and rows");
    is_caught(&(gb_transform_type){EXPONENTIALS, .log_jacobian = same}, "shapes are those of `shape` and");
}

/* ---- parameters ---- */

static gb_node stretched(const gb_transform *t, gb_node x)
{
    return gb_mul(x, t->param[0]);
}

static gb_node shrunk(const gb_transform *t, gb_node y)
{
    return gb_div(y, t->param[0]);
}

static gb_node shrunk_by_a_constant(const gb_transform *t, gb_node y)
{
    return gb_div(y, gb_stop(t->param[0]));
}

static gb_node log_stretch(const gb_transform *t, gb_node x, gb_node y)
{
    (void)x, (void)y;
    return gb_log(gb_abs(t->param[0]));
}

static gb_node log_constant(const gb_transform *t, gb_node x, gb_node y)
{
    return gb_stop(log_stretch(t, x, y));
}

static gb_node grows(const gb_transform *t)
{
    return gb_greater(t->param[0], gb_num(t->tape, 0));
}

static gb_transform with_parameter(gb_tape *tape, size_t which, void *user)
{
    return (gb_transform){.type = user, .tape = tape, .param = {gb_num(tape, which ? 1.3 : -0.8)}};
}

#define STRETCH                                                                                              \
    .size = sizeof(gb_transform_type), .name = "mine", .formula = "a x", .from = GB_REAL, .to = GB_REAL,     \
    .forward = stretched

static void with_parameters(gb_transform_type type, const char *statement)
{
    gb_report report = {.size = sizeof report};
    const bool passed =
        gb_check_transform(&type, .make = with_parameter, .count = 2, .user = &type, .report = &report);
    if (passed == (statement != NULL) || (statement && !has_failure(&report, statement)))
        fail_msg("not %s by \"%s\", but: %s", statement ? "caught" : "passed", statement ? statement : "all",
                 report.failure[0]);
}

TEST(parameters_are_looked_at)
{
    with_parameters(
        (gb_transform_type){STRETCH, .inverse = shrunk, .log_jacobian = log_stretch, .increases = grows},
        NULL);
    with_parameters((gb_transform_type){STRETCH, .inverse = shrunk, .log_jacobian = log_stretch},
                    "it grows with x where it says so");
    with_parameters((gb_transform_type){STRETCH, .inverse = shrunk_by_a_constant, .log_jacobian = log_stretch,
                                        .increases = grows},
                    "its gradients are those of differences");
    with_parameters(
        (gb_transform_type){STRETCH, .inverse = shrunk, .log_jacobian = log_constant, .increases = grows},
        "its gradients are those of differences");
}

/* ---- misuse ---- */

static gb_transform another(gb_tape *tape, size_t which, void *user)
{
    (void)which, (void)user;
    return gb_exponential_transform(tape);
}

TEST(an_incomplete_struct_is_reported)
{
    is_caught(NULL, "its struct is complete");
    CAUGHT(size, 8, "its struct is complete");
    CAUGHT(name, "", "its struct is complete");
    CAUGHT(formula, NULL, "its struct is complete");
    CAUGHT(to, NULL, "its struct is complete");
    CAUGHT(inverse, NULL, "its struct is complete");
    CAUGHT(shape, alike, "its struct is complete");
    CAUGHT(to, GB_SIMPLEX, "its struct is complete");
    assert_false(gb_check_transform(NULL));
    gb_report report = {.size = sizeof report};
    assert_false(gb_check_transform(&gb_affine_transform_type, .make = another, .report = &report));
    assert_true(has_failure(&report, "`make` returned another transform"));
}

/* A parameter is asked for, and nobody makes it. */
TEST(a_missing_parameter_is_reported)
{
    is_caught(&gb_affine_transform_type, "it accepts events of some shape");
}

/* ---- known faults of grebe ---- */

/* The domains of a composition are those of one of its parts, and so wrong where the outer one takes single
 * elements of the inner one's vectors, or the inner one single elements of a smaller domain. And far out the
 * point between the two is an infinity that comes back from y. */
static gb_transform falling(gb_tape *t, size_t which, void *user)
{
    (void)which, (void)user;
    return gb_composed_transform(gb_affine_transform(gb_num(t, 0), gb_num(t, -1)), gb_ordered_transform(t));
}

static gb_transform of_logarithms(gb_tape *t, size_t which, void *user)
{
    (void)which, (void)user;
    return gb_composed_transform(gb_ordered_transform(t), gb_inverted_transform(gb_exponential_transform(t)));
}

static gb_transform stick_of_affine(gb_tape *t, size_t which, void *user)
{
    (void)which;
    return gb_composed_transform(gb_stick_breaking_transform(t), affine(t, 1, user));
}

static void is_known(gb_transform (*make)(gb_tape *tape, size_t which, void *user), const char *statement)
{
    gb_report report = {.size = sizeof report};
    assert_caught(gb_check_transform(&gb_composed_transform_type, .make = make, .report = &report), &report,
                  statement);
}

TEST(known_faults_are_seen)
{
    is_known(falling, "its values lie in its `to`");
    is_known(of_logarithms, "its values lie in its `to`");
    is_known(stick_of_affine, "far out it is finite");
}

/* ---- memory ---- */

TEST(the_kit_itself_outlives_a_lack_of_memory)
{
    for (size_t number = 1; number < 3000; number += number < 60 ? 1 : 53) {
        counted_memory memory = {.fail_at = number, .fail_after = number % 2};
        gb_report report = {.size = sizeof report};
        const bool passed = gb_check_transform(number % 3 ? &gb_exponential_transform_type
                                                          : &gb_stick_breaking_transform_type,
                                               .report = &report, .memory = counted(&memory));
        if (passed && memory.asked >= number)
            fail_msg("nothing was said of request %zu", number);
        assert_int_equal(memory.outstanding, 0);
    }
}
