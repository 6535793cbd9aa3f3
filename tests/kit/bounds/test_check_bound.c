/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The conformance kit for bounds: grebe's pass it, and so do published ones; planted faults are
 * caught by the statement that names them. */
#include "support/close.h"

#include "kit/check_bound.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "support/counted_memory.h"
#include "support/verdict.h"

static void passes(const gb_bound_type *type, gb_check_bound_options options)
{
    const gb_bound bound = {.type = type};
    gb_report report = {.size = sizeof report, .file = stderr};
    options.size = sizeof options;
    options.report = &report;
    assert_passed(gb_check_bound_with(bound, &options), &report, type->name, 8);
}

static double mean_of(size_t count, const double *log_weight)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += log_weight[i];
    return sum / (double)count;
}

static double log_mean_of(size_t count, const double *w)
{
    double most = w[0], sum = 0;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, w[i]);
    for (size_t i = 0; i < count; i++)
        sum += exp(w[i] - most);
    return most + log(sum / (double)count);
}

static double renyi_of(size_t count, const double *w)
{
    double half[8] = {0};
    for (size_t i = 0; i < count; i++)
        half[i] = w[i] / 2;
    return 2 * log_mean_of(count, half);
}

/* At its defaults: beta is 0, then 0.1. */
static double thermodynamic_of(size_t count, const double *w)
{
    double tenth[8] = {0}, sum = 0;
    for (size_t i = 0; i < count; i++)
        tenth[i] = w[i] / 10;
    const double log_sum = log_mean_of(count, tenth) + log((double)count);
    for (size_t i = 0; i < count; i++)
        sum += exp(tenth[i] - log_sum) * w[i];
    return 0.1 * mean_of(count, w) + 0.9 * sum;
}

TEST(every_bound_passes)
{
    static const struct {
        const char *name;
        gb_bound_reference *formula;
    } formulas[] = {
        {"elbo", mean_of}, {"iwae", log_mean_of}, {"renyi", renyi_of}, {"thermodynamic", thermodynamic_of}};
    size_t count;
    gb_bounds(&count);
    assert_int_equal(count, sizeof formulas / sizeof *formulas);
    for (size_t i = 0; i < count; i++)
        passes(gb_bound_find(formulas[i].name),
               (gb_check_bound_options){.seed = i, .reference = formulas[i].formula});
}

/* ---- bounds from outside ---- */

static int64_t six(const void *options)
{
    (void)options;
    return 6;
}

static gb_node log_mean(gb_node l)
{
    return gb_shift(gb_logsumexp_along(l, gb_axis(0)), -log((double)gb_node_shape(l).size[0]));
}

static gb_node importance_weighted(const void *options, gb_node l)
{
    (void)options;
    return log_mean(l);
}

/* Rényi's of order ½ and −1: below log Z, and above it. */
static gb_node renyi(gb_node l, double power)
{
    return gb_scale(log_mean(gb_scale(l, power)), 1 / power);
}

static gb_node renyi_half(const void *options, gb_node l)
{
    (void)options;
    return renyi(l, 0.5);
}

static gb_node renyi_square(const void *options, gb_node l)
{
    (void)options;
    return renyi(l, 2);
}

static gb_node bend_of_log_mean(const void *options, gb_node l)
{
    const gb_node v = gb_softmax(l, 0);
    (void)options;
    return gb_mul(v, gb_shift(gb_neg(v), 1));
}

static const gb_bound_type right = {.size = sizeof right,
                                    .name = "mine",
                                    .formula = "log mean w",
                                    .particles = six,
                                    .value = importance_weighted,
                                    .bend = bend_of_log_mean};

static gb_bound_type with(gb_node (*value)(const void *options, gb_node l))
{
    gb_bound_type type = right;
    type.value = value;
    type.bend = NULL;
    return type;
}

TEST(bounds_of_ones_own_pass)
{
    const gb_bound_type half = with(renyi_half), square = with(renyi_square);
    passes(&right, (gb_check_bound_options){.reference = log_mean_of});
    passes(&half, (gb_check_bound_options){0});
    passes(&square, (gb_check_bound_options){.side = GB_BOUND_NEITHER});
}

/* ---- planted faults ---- */

static void type_is_caught(gb_bound_type faulty, const char *statement)
{
    gb_report report = {.size = sizeof report};
    assert_caught(gb_check_bound(gb_bound_of(&faulty, NULL), .report = &report), &report, statement);
}

static void is_caught(gb_node (*value)(const void *options, gb_node l), const char *statement)
{
    type_is_caught(with(value), statement);
}

/* log K is forgotten. */
static gb_node sum_of_weights(const void *options, gb_node l)
{
    (void)options;
    return gb_logsumexp_along(l, gb_axis(0));
}

/* One log weight replaced. The sum of the others loses its digits where the largest is left out. */
static gb_node by_difference(const void *options, gb_node l, gb_node instead)
{
    const gb_node others = gb_sub(gb_sum(gb_exp(l)), gb_exp(l));
    (void)options;
    return gb_shift(gb_log(gb_add(others, gb_exp(instead))), -log((double)gb_node_shape(l).size[0]));
}

static gb_node value_of_one(const void *options, gb_node l, gb_node instead)
{
    (void)l;
    (void)options;
    return instead;
}

TEST(a_wrong_value_instead_is_caught)
{
    gb_bound_type faulty = right;
    faulty.value_instead = value_of_one;
    type_is_caught(faulty, "with one log weight replaced it is the bound of these log weights");
    faulty.value_instead = by_difference;
    type_is_caught(faulty, "with one log weight replaced it is the bound of these log weights");
    gb_bound_type good = right;
    good.value_instead = gb_iwae_bound_type.value_instead;
    passes(&good, (gb_check_bound_options){0});
}

/* Overflows. */
static gb_node plain_mean(const void *options, gb_node l)
{
    (void)options;
    return gb_log(gb_mean_along(gb_exp(l), gb_axis(0)));
}

/* As if there were always so many. */
static gb_node fixed_number(const void *options, gb_node l)
{
    (void)options;
    return gb_shift(gb_logsumexp_along(l, gb_axis(0)), -log(6));
}

static gb_node largest(const void *options, gb_node l)
{
    (void)options;
    return gb_maximum_along(l, gb_axis(0));
}

static gb_node of_the_first(const void *options, gb_node l)
{
    (void)options;
    return gb_squeeze(gb_slice(l, 0, 0, 1), 0);
}

static gb_node for_each_particle(const void *options, gb_node l)
{
    (void)options;
    return l;
}

static gb_node over_all_columns(const void *options, gb_node l)
{
    (void)options;
    return gb_node_shape(l).rank > 1
               ? gb_broadcast_to(log_mean(gb_reshape(l, gb_shape(2 * gb_node_shape(l).size[0]))), gb_shape(2))
               : log_mean(l);
}

static gb_node nothing(const void *options, gb_node l)
{
    (void)options, (void)l;
    return (gb_node){0};
}

static gb_node half_stopped(const void *options, gb_node l)
{
    const gb_node value = importance_weighted(options, l);
    return gb_add(gb_stop(value), gb_scale(gb_gradient_only(value), 0.5));
}

static gb_node lost_in_float(const void *options, gb_node l)
{
    return gb_shift(gb_shift(importance_weighted(options, l), 1e6), -1e6);
}

static gb_node above(const void *options, gb_node l)
{
    (void)options;
    return renyi(l, 3);
}

static gb_node tempered(const void *options, gb_node l)
{
    return gb_scale(importance_weighted(options, l), 0.9);
}

TEST(planted_faults_are_caught)
{
    is_caught(sum_of_weights, "if all log weights are equal, it is that number");
    is_caught(sum_of_weights, "its mean is on its side of log Z");
    is_caught(sum_of_weights, "of rows with draws of their own");
    is_caught(tempered, "if all log weights are equal, it is that number");
    is_caught(tempered, "adding a number to all log weights adds it to the bound");
    is_caught(plain_mean, "adding a number to all log weights adds it to the bound");
    is_caught(fixed_number, "if all log weights are equal, it is that number");
    is_caught(largest, "its mean is on its side of log Z");
    is_caught(above, "its mean is on its side of log Z");
    is_caught(of_the_first, "the order of the particles does not matter");
    is_caught(for_each_particle, "it is a real scalar");
    is_caught(over_all_columns, "of several columns of log weights");
    is_caught(nothing, "it is a real scalar");
    is_caught(half_stopped, "its gradient in the log weights is that of differences");
    is_caught(half_stopped, "over draws its gradient has the mean of the differences");
    is_caught(lost_in_float, "on a float tape");
}

static gb_node half_bend(const void *options, gb_node l)
{
    return gb_scale(bend_of_log_mean(options, l), 0.5);
}

TEST(a_wrong_bend_is_caught)
{
    gb_bound_type faulty = right;
    faulty.bend = half_bend;
    type_is_caught(faulty, "its second derivatives in each log weight");
}

/* Terms may then be taken out of it. */
TEST(unsaid_particles_are_caught)
{
    gb_bound_type faulty = right;
    faulty.particles = NULL;
    type_is_caught(faulty, "it is linear in the log weights");
}

TEST(settings_say_what_is_promised)
{
    const gb_bound_type cold = with(tempered);
    gb_report report = {.size = sizeof report};
    passes(&cold, (gb_check_bound_options){.is_no_mean = true, .side = GB_BOUND_NEITHER});
    assert_false(gb_check_bound(gb_bound_of(&right, NULL), .side = GB_BOUND_ABOVE));
    assert_false(gb_check_bound(gb_bound_of(&right, NULL), .reference = mean_of, .report = &report));
    assert_true(has_failure(&report, "its values are those of its formula"));
}

/* ---- misuse and memory ---- */

TEST(an_incomplete_struct_is_reported)
{
    gb_bound_type small = right, nameless = right, without = right, unexplained = right;
    gb_report report = {.size = sizeof report};
    small.size = 8;
    nameless.name = NULL;
    unexplained.formula = "";
    without.value = NULL;
    type_is_caught(small, "its struct is complete");
    type_is_caught(nameless, "its struct is complete");
    type_is_caught(unexplained, "its struct is complete");
    type_is_caught(without, "its struct is complete");
    assert_false(gb_check_bound((gb_bound){0}));
    assert_false(gb_check_bound((gb_bound){0}, .report = &report));
    assert_true(has_failure(&report, "its struct is complete"));
}

TEST(the_kit_itself_outlives_a_lack_of_memory)
{
    for (size_t number = 1; number < 1200; number += number < 60 ? 1 : 37) {
        counted_memory memory = {.fail_at = number, .fail_after = number % 2};
        const bool passed = gb_check_bound(number % 3 ? gb_evidence_bound() : gb_bound_of(&right, NULL),
                                           .memory = counted(&memory));
        if (passed && memory.asked >= number)
            fail_msg("nothing was said of request %zu", number);
        assert_int_equal(memory.outstanding, 0);
    }
}
