/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The conformance kit for baselines: right ones pass it, and planted faults are caught by the statement that
 * names them. grebe's own pass it in tests/estimators/test_conformance_slow.c. */
#include "support/close.h"

#include "distributions/list.h"
#include "estimators/estimator.h"
#include "estimators/learn.h"
#include "estimators/trial.h"
#include "kit/check_baseline.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "support/counted_memory.h"
#include "support/parts.h"
#include "support/verdict.h"

/* ---- what the kit says ---- */

/* Those with a number have 0.5. */
static gb_baseline of(const gb_baseline_type *type)
{
    const gb_constant_baseline_options options = {.size = sizeof options, .value = 0.5};
    return type && type->options ? gb_baseline_of(type, &options) : (gb_baseline){.type = type};
}

static void is_caught(const gb_baseline_type *faulty, const char *statement)
{
    gb_report report = {.size = sizeof report};
    assert_caught(gb_check_baseline(of(faulty), .report = &report), &report, statement);
}

static void passes(const gb_baseline_type *type)
{
    gb_report report = {.size = sizeof report, .file = stderr};
    assert_passed(gb_check_baseline(of(type), .report = &report), &report, type->name, 7);
}

/* ---- right ones ---- */

/* The mean of the others, of which it takes a part only: of any part it is right. */
static gb_node part_of_others(const gb_site *site, const void *b, gb_node cost)
{
    (void)site, (void)b;
    if (!(gb_node_axes(cost) & GB_SAMPLES))
        return cost;
    const gb_node samples = gb_axis_size(cost.tape, GB_SAMPLES);
    const gb_node others = gb_sub(gb_sum_over(cost, GB_SAMPLES), cost);
    return gb_div(others, samples);
}

static gb_node of_number(const gb_site *site, const void *b, gb_node cost)
{
    (void)site;
    return gb_num(cost.tape, ((const gb_constant_baseline_options *)b)->value);
}

static const gb_option level_of_reals[] = {
    GB_OPTION_ARGUMENT(gb_constant_baseline_options, value, GB_REAL, "the level"), {0}};

static const gb_baseline_type right = {.size = sizeof right,
                                       .name = "mine",
                                       .formula = "the sum of the others / S",
                                       .value = part_of_others,
                                       .lacks = lacks_normal};

static gb_baseline_type with(gb_node (*value)(const gb_site *site, const void *b, gb_node cost))
{
    gb_baseline_type type = right;
    type.value = value;
    return type;
}

/* Of a single sample it is 0 / 0. */
static gb_node mean_of_others(const gb_site *site, const void *b, gb_node cost)
{
    (void)site, (void)b;
    return gb_node_axes(cost) & GB_SAMPLES ? gb_leave_one_out_mean(cost, GB_SAMPLES) : cost;
}

/* The same, in words. */
static gb_node mean_if_there_are_others(const gb_site *site, const void *b, gb_node cost)
{
    return gb_if_others(mean_of_others(site, b, cost), gb_node_axes(cost) & GB_SAMPLES, "mine");
}

TEST(a_mean_of_others_says_that_it_needs_two_samples)
{
    const gb_baseline_type in_words = with(mean_if_there_are_others);
    gb_report report = {.size = sizeof report};
    passes(&in_words);
    const gb_baseline_type silent = with(mean_of_others);
    assert_false(gb_check_baseline(of(&silent), .report = &report));
    assert_non_null(strstr(report.failure[0], "reject runs that have no others by gb_if_others"));
}

TEST(right_ones_pass)
{
    gb_baseline_type level = with(of_number);
    level.options = level_of_reals;
    level.option_bytes = sizeof(gb_constant_baseline_options);
    passes(&right);
    passes(&level);
}

/* ---- planted faults ---- */

static void value_is_caught(gb_node (*value)(const gb_site *site, const void *b, gb_node cost),
                            const char *statement)
{
    const gb_baseline_type faulty = with(value);
    is_caught(&faulty, statement);
}

static gb_node mean_with_its_own(const gb_site *site, const void *b, gb_node cost)
{
    (void)site, (void)b;
    return gb_mean_over(cost, gb_node_axes(cost) & GB_SAMPLES);
}

static gb_node mean_of_rows_with_its_own(const gb_site *site, const void *b, gb_node cost)
{
    (void)site, (void)b;
    return gb_node_axes(cost) & GB_ROWS ? gb_mean_over(cost, GB_ROWS) : gb_num(cost.tape, 0);
}

static gb_node the_cost(const gb_site *site, const void *b, gb_node cost)
{
    (void)site, (void)b;
    return gb_scale(cost, 0.5);
}

/* The average is moved first, and subtracted then. */
static gb_node update_then_use(const gb_site *site, const void *b, gb_node cost)
{
    (void)b;
    const gb_node before = gb_site_variable(site, "average", gb_shape(), 0);
    const gb_node now = gb_add(gb_scale(before, 0.9), gb_scale(gb_mean_over(cost, gb_node_axes(cost)), 0.1));
    gb_site_assigns(site, before, now);
    return now;
}

static gb_node a_vector(const gb_site *site, const void *b, gb_node cost)
{
    (void)site, (void)b;
    return gb_zeros(cost.tape, gb_shape(2));
}

static gb_node nothing(const gb_site *site, const void *b, gb_node cost)
{
    (void)site, (void)b, (void)cost;
    return (gb_node){0};
}

static gb_node an_error(const gb_site *site, const void *b, gb_node cost)
{
    (void)site, (void)b;
    gb_fail(cost.tape, GB_ELIMIT, "too much");
    return (gb_node){0};
}

/* Lowers the cost in the parameters of q. */
static gb_node moves_the_model(const gb_site *site, const void *b, gb_node cost)
{
    (void)b;
    gb_site_lowers(site, gb_mean_over(cost, gb_node_axes(cost)), 1, &site->q.param[0]);
    return gb_num(cost.tape, 0);
}

static gb_node lost_in_float(const gb_site *site, const void *b, gb_node cost)
{
    return gb_shift(gb_shift(part_of_others(site, b, cost), 1e6), -1e6);
}

/* As a loop that stops at 8: of the ninth sample on, it forgets that it is to leave the own one out. */
static gb_node own_from_the_ninth_on(const gb_site *site, const void *b, gb_node cost)
{
    const gb_node others = mean_if_there_are_others(site, b, cost);
    if (!(gb_node_axes(cost) & GB_SAMPLES))
        return others;
    const gb_node is_late = gb_less(gb_num(cost.tape, 7.5), gb_axis_index(cost.tape, GB_SAMPLES));
    return gb_where(is_late, gb_mean_over(cost, GB_SAMPLES), others);
}

TEST(a_loop_that_ends_at_eight_samples_is_caught)
{
    value_is_caught(own_from_the_ninth_on, "does not depend on the draw that it corrects");
}

TEST(planted_faults_are_caught)
{
    static const char own[] = "its value does not depend on the draw that it corrects";
    value_is_caught(mean_with_its_own, own);
    value_is_caught(mean_of_rows_with_its_own, own);
    value_is_caught(the_cost, own);
    value_is_caught(update_then_use, own);
    value_is_caught(a_vector, "its value is a number for each sample or row");
    value_is_caught(nothing, "its value is a number for each sample or row");
    value_is_caught(an_error, "it is recorded and run without an error");
    value_is_caught(moves_the_model, "it learns variables of its own only");
    value_is_caught(lost_in_float, "on a float tape");
}

TEST(tables_that_say_too_little_are_caught)
{
    static const char statement[] = "its struct is complete";
    static const gb_option anywhere[] = {
        GB_OPTION_ARGUMENT(gb_constant_baseline_options, value, NULL, "the level"), {0}};
    static const gb_option wordless[] = {GB_OPTION_ARGUMENT(gb_constant_baseline_options, value, GB_REAL, ""),
                                         {0}};
    static const gb_option twice[] = {
        GB_OPTION_ARGUMENT(gb_constant_baseline_options, value, GB_REAL, "the level"),
        GB_OPTION_ARGUMENT(gb_constant_baseline_options, value, GB_REAL, "the level"),
        {0}};
    static const gb_option beyond[] = {{.name = "value",
                                        .domain = GB_REAL,
                                        .form = GB_OPTION_IS_NUMBER,
                                        .offset = sizeof(gb_constant_baseline_options),
                                        .words = "the level"},
                                       {0}};
    static const gb_option wrong_default[] = {
        GB_OPTION_NUMBER(gb_constant_baseline_options, value, -1, GB_POSITIVE, "the level"), {0}};
    const gb_option *const tables[] = {anywhere, wordless, twice, beyond, wrong_default};
    gb_baseline_type level = with(of_number);
    level.option_bytes = sizeof(gb_constant_baseline_options);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        level.options = tables[i];
        is_caught(&level, statement);
    }
    level.options = level_of_reals;
    level.option_bytes = 4;
    is_caught(&level, statement);
}

static const char *lacks_without_words(const gb_dist *q, const void *options)
{
    (void)options;
    return q->type == &gb_normal_type ? NULL : "";
}

static gb_node rejects(const gb_site *site, const void *b, gb_node cost)
{
    (void)b;
    gb_fail(cost.tape, GB_EARGUMENT, "draw %s: not this one", site->name);
    return (gb_node){0};
}

TEST(rejections_are_looked_at)
{
    gb_baseline_type wordless = right;
    wordless.lacks = lacks_without_words;
    is_caught(&wordless, "are rejected with a message");
    value_is_caught(rejects, "it fits a cost");
}

/* ---- expected, and evaluations ---- */

/* The draw itself, whose mean is known. */
static gb_node the_draw(const gb_site *site, const void *b, gb_node cost)
{
    (void)b, (void)cost;
    return gb_site_sum(site, gb_stop(gb_site_value(site, 0)));
}

static gb_node mean_of_the_draw(const gb_site *site, const void *b, gb_node cost)
{
    (void)b, (void)cost;
    return gb_site_sum(site, gb_widen(gb_dist_mean(site->q), site->axes));
}

static gb_node twice_the_mean(const gb_site *site, const void *b, gb_node cost)
{
    return gb_scale(mean_of_the_draw(site, b, cost), 2);
}

TEST(a_wrong_expectation_is_caught)
{
    gb_baseline_type faulty = with(the_draw);
    is_caught(&faulty, "its value does not depend on the draw that it corrects");
    faulty.expected = twice_the_mean;
    is_caught(&faulty, "the gradient of `expected` is that of the mean of its value");
    faulty.expected = mean_of_the_draw;
    passes(&faulty);
}

static int64_t two_more(const gb_site *site, const void *options)
{
    (void)site, (void)options;
    return 2;
}

static gb_node one_more_value(const gb_site *site, const void *options, gb_node draw)
{
    (void)site, (void)options;
    return gb_reshape(draw, gb_shape_join(gb_shape(1), gb_node_shape(draw)));
}

TEST(evaluations_that_are_not_there_are_caught)
{
    gb_baseline_type faulty = gb_delta_baseline_type;
    faulty.evaluations = two_more;
    faulty.values = one_more_value;
    is_caught(&faulty, "it gives as many values besides the draw as its type says");
}

/* ---- bias that only draws show ---- */

static gb_node right_for_normals_alone(const gb_site *site, const void *b, gb_node cost)
{
    return site->q.type == &gb_normal_type ? part_of_others(site, b, cost) : the_cost(site, b, cost);
}

static const char *lacks_normal_or_bernoulli(const gb_dist *q, const void *options)
{
    (void)options;
    return q->type == &gb_bernoulli_type ? NULL : lacks_normal(q, options);
}

TEST(bias_is_caught_by_draws)
{
    gb_baseline_type faulty = with(right_for_normals_alone);
    faulty.lacks = lacks_normal_or_bernoulli;
    is_caught(&faulty, "the score estimator with it is unbiased");
}

/* ---- a baseline that has a node ---- */

static gb_baseline learned(gb_tape *tape, void *user)
{
    const gb_node level = new_level(tape);
    gb_baseline made = gb_learned_baseline(level);
    made.type = user;
    return made;
}

static gb_node no_level(const gb_site *site, const void *b, gb_node cost)
{
    const gb_node level = ((const gb_learned_baseline_options *)b)->node;
    gb_site_lowers(site, gb_mean_over(gb_square(gb_sub(cost, level)), gb_node_axes(cost)), 1, &level);
    return gb_mul(level, the_cost(site, b, cost));
}

TEST(a_made_baseline_is_checked)
{
    gb_baseline_type good = gb_learned_baseline_type, faulty = gb_learned_baseline_type;
    gb_report report = {.size = sizeof report, .file = stderr}, silent = {.size = sizeof silent};
    good.lacks = faulty.lacks = lacks_normal;
    faulty.value = no_level;
    assert_true(
        gb_check_baseline((gb_baseline){.type = &good}, .make = learned, .user = &good, .report = &report));
    assert_false(gb_check_baseline((gb_baseline){.type = &faulty}, .make = learned, .user = &faulty,
                                   .report = &silent));
    assert_true(has_failure(&silent, "its value does not depend on the draw that it corrects"));
}

/* ---- misuse and memory ---- */

TEST(an_incomplete_struct_is_reported)
{
    static const char statement[] = "its struct is complete";
    gb_baseline_type small = right, nameless = right, without = right, half = right;
    small.size = 8;
    nameless.name = "";
    without.value = NULL;
    half.evaluations = two_more;
    is_caught(NULL, statement);
    is_caught(&small, statement);
    is_caught(&nameless, statement);
    is_caught(&without, statement);
    is_caught(&half, statement);
    assert_false(gb_check_baseline((gb_baseline){0}));
}

TEST(the_kit_itself_outlives_a_lack_of_memory)
{
    const gb_baseline_type faulty = with(the_cost); /* so that nothing is drawn */
    for (size_t number = 1; number < 2000; number += number < 60 ? 1 : 61) {
        counted_memory memory = {.fail_at = number, .fail_after = number % 2};
        assert_false(gb_check_baseline((gb_baseline){.type = &faulty}, .memory = counted(&memory)));
        assert_int_equal(memory.outstanding, 0);
    }
}
