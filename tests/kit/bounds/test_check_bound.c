/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The conformance kit for bounds: grebe's pass it, and so do published ones; planted faults are
 * caught by the statement that names them. */
#include "support/close.h"

#include "kit/check_bound.h"
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

TEST(every_bound_passes)
{
    size_t count;
    const gb_bound_type *const *const all = gb_bounds(&count);
    for (size_t i = 0; i < count; i++)
        passes(all[i], (gb_check_bound_options){.seed = i});
    passes(&gb_evidence_bound_type, (gb_check_bound_options){.reference = mean_of});
}

/* ---- bounds from outside ---- */

static gb_node log_samples(gb_node w)
{
    return gb_log(gb_axis_size(w.tape, GB_SAMPLES));
}

static gb_node log_mean(gb_node w)
{
    return gb_sub(gb_logsumexp_over(w, GB_SAMPLES), log_samples(w));
}

static gb_node importance_weighted(gb_expect *e, const void *options, gb_node w)
{
    (void)options;
    return gb_expected(e, log_mean(w));
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

/* Rényi's of order ½ and −1: below log Z, and above it. */
static gb_node renyi(gb_expect *e, gb_node w, double power)
{
    return gb_expected(e, gb_scale(log_mean(gb_scale(w, power)), 1 / power));
}

static gb_node renyi_half(gb_expect *e, const void *options, gb_node w)
{
    (void)options;
    return renyi(e, w, 0.5);
}

static gb_node renyi_square(gb_expect *e, const void *options, gb_node w)
{
    (void)options;
    return renyi(e, w, 2);
}

static const gb_bound_type right = {.size = sizeof right,
                                    .name = "mine",
                                    .formula = "log mean w",
                                    .needs_weights = true,
                                    .value = importance_weighted};

static gb_bound_type with(gb_node (*value)(gb_expect *e, const void *options, gb_node w))
{
    gb_bound_type type = right;
    type.value = value;
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

static void is_caught(gb_node (*value)(gb_expect *e, const void *options, gb_node w), const char *statement)
{
    type_is_caught(with(value), statement);
}

/* log K is forgotten. */
static gb_node sum_of_weights(gb_expect *e, const void *options, gb_node w)
{
    (void)options;
    return gb_expected(e, gb_logsumexp_over(w, GB_SAMPLES));
}

/* Overflows. */
static gb_node plain_mean(gb_expect *e, const void *options, gb_node w)
{
    (void)options;
    return gb_expected(e, gb_log(gb_mean_over(gb_exp(w), GB_SAMPLES)));
}

/* As if the number of samples never changed. */
static gb_node fixed_samples(gb_expect *e, const void *options, gb_node w)
{
    (void)options;
    const double samples = (double)gb_tape_samples(w.tape);
    return gb_expected(e, gb_shift(gb_logsumexp_over(w, GB_SAMPLES), -log(samples)));
}

static gb_node largest(gb_expect *e, const void *options, gb_node w)
{
    (void)options;
    return gb_expected(e, gb_maximum_over(w, GB_SAMPLES));
}

static gb_node of_the_first(gb_expect *e, const void *options, gb_node w)
{
    (void)options;
    return gb_expected(e, gb_select(w, GB_SAMPLES, 0));
}

static gb_node for_each_sample(gb_expect *e, const void *options, gb_node w)
{
    (void)options;
    (void)e;
    return gb_close_draws(w);
}

static gb_node a_vector(gb_expect *e, const void *options, gb_node w)
{
    (void)options;
    return gb_reshape(importance_weighted(e, NULL, w), gb_shape(1));
}

static gb_node nothing(gb_expect *e, const void *options, gb_node w)
{
    (void)options;
    (void)e, (void)w;
    return (gb_node){0};
}

/* The draws stay open, and have no gradient. */
static gb_node open(gb_expect *e, const void *options, gb_node w)
{
    (void)options;
    (void)e;
    return log_mean(w);
}

/* They are closed, and estimators never see the cost. */
static gb_node closed_by_hand(gb_expect *e, const void *options, gb_node w)
{
    (void)options;
    (void)e;
    return gb_close_draws(gb_mean_over(w, GB_SAMPLES));
}

static gb_node stopped(gb_expect *e, const void *options, gb_node w)
{
    (void)options;
    return gb_add(gb_stop(importance_weighted(e, NULL, w)),
                  gb_scale(gb_gradient_only(importance_weighted(e, NULL, w)), 0.5));
}

static gb_node lost_in_float(gb_expect *e, const void *options, gb_node w)
{
    (void)options;
    return gb_shift(gb_shift(importance_weighted(e, NULL, w), 1e6), -1e6);
}

static gb_node above(gb_expect *e, const void *options, gb_node w)
{
    (void)options;
    return renyi(e, w, 3);
}

static gb_node tempered(gb_expect *e, const void *options, gb_node w)
{
    (void)options;
    return gb_scale(importance_weighted(e, NULL, w), 0.9);
}

TEST(planted_faults_are_caught)
{
    is_caught(sum_of_weights, "if all log weights are equal, it is that number");
    is_caught(sum_of_weights, "its mean is on its side of log Z");
    is_caught(tempered, "if all log weights are equal, it is that number");
    is_caught(tempered, "adding a number to all log weights adds it to the bound");
    is_caught(plain_mean, "adding a number to all log weights adds it to the bound");
    is_caught(fixed_samples, "if all log weights are equal, it is that number");
    is_caught(largest, "its mean is on its side of log Z");
    is_caught(above, "its mean is on its side of log Z");
    is_caught(of_the_first, "the order of the samples does not matter");
    is_caught(for_each_sample, "it is a real scalar");
    is_caught(a_vector, "it is a real scalar");
    is_caught(nothing, "it is a real scalar");
    is_caught(open, "it is recorded and run without an error");
    is_caught(closed_by_hand, "with gb_score its gradient has the same mean");
    is_caught(stopped, "its gradient in the log weights is that of differences");
    is_caught(stopped, "over draws its gradient has the mean of the differences");
    is_caught(lost_in_float, "on a float tape");
}

/* Terms may then be taken out of it. */
TEST(unsaid_needs_are_caught)
{
    gb_bound_type faulty = right;
    faulty.needs_weights = false;
    type_is_caught(faulty, "it is linear in the log weights");
    type_is_caught(faulty, "as the bound of an ELBO its mean is log Z");
}

TEST(settings_say_what_is_promised)
{
    const gb_bound_type cold = with(tempered), half_gradient = with(stopped);
    gb_report report = {.size = sizeof report};
    passes(&cold, (gb_check_bound_options){.is_no_mean = true, .side = GB_BOUND_NEITHER});
    assert_false(gb_check_bound(gb_bound_of(&half_gradient, NULL), .is_indirect = true, .report = &report));
    assert_true(has_failure(&report, "over draws its gradient has the mean of the differences"));
    assert_false(gb_check_bound(gb_bound_of(&right, NULL), .side = GB_BOUND_ABOVE));
    assert_false(gb_check_bound(gb_bound_of(&right, NULL), .reference = mean_of, .report = &report));
    assert_true(has_failure(&report, "its values are those of its formula"));
}

/* The gradient of Σ w̃ stop(log w): right for the bound, and not that
 * of its value where weights are given. */
static gb_node indirect(gb_expect *e, const void *options, gb_node w)
{
    (void)options;
    const gb_node share = gb_exp(gb_sub(w, gb_logsumexp_over(w, GB_SAMPLES)));
    const gb_node slope = gb_sum_over(gb_mul(gb_stop(share), w), GB_SAMPLES);
    return gb_expected(e, gb_add(gb_stop(log_mean(w)), gb_gradient_only(slope)));
}

TEST(an_equal_gradient_by_another_way_passes)
{
    const gb_bound_type type = with(indirect);
    passes(&type, (gb_check_bound_options){.is_indirect = true});
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
