/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The conformance kit for schedules: grebe's pass it, and planted faults are
 * caught by the statement that names them. */
#include "support/close.h"

#include <stdio.h>

#include "core/noise.h"
#include "kit/check_schedule.h"
#include "ops/array.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "support/counted_memory.h"
#include "support/verdict.h"

static void passes(gb_schedule schedule)
{
    gb_report report = {.size = sizeof report, .file = stderr};
    assert_passed(gb_check_schedule(schedule, .report = &report), &report, schedule.type->name, 11);
}

TEST(every_schedule_passes)
{
    passes(gb_steady());
    passes(gb_step_decay(100, 0.5));
    passes(gb_step_decay(7.3, 1));
    passes(gb_cosine(100));
    passes(gb_cosine(7.3, .end = 0.2));
    passes(gb_robbins_monro(1, 0.7));
    passes(gb_robbins_monro(100, 1));
    passes(gb_cyclical(100));
    passes(gb_cyclical(7.3, .rise = 0.2, .cycles = 4));
    passes(gb_warm_up(20, gb_cosine(100)));
}

/* ---- planted faults ---- */

static void is_caught(gb_schedule faulty, const char *statement)
{
    gb_report report = {.size = sizeof report};
    assert_caught(gb_check_schedule(faulty, .report = &report), &report, statement);
}

/* The options of those below. */
typedef struct mine_options {
    size_t size;
    double a, b;
} mine_options;

static double a_of(const void *options)
{
    return ((const mine_options *)options)->a;
}

static gb_node number(gb_node t, double value)
{
    return gb_num(t.tape, value);
}

/* A right one: 1 / (1 + t / a). */
static gb_node hyperbola(gb_node t, const void *o)
{
    return gb_reciprocal(gb_shift(gb_div(t, number(t, a_of(o))), 1));
}

static const gb_option table[] = {GB_OPTION_ARGUMENT(mine_options, a, GB_POSITIVE, "the scale of time"), {0}};

static const gb_schedule_type right = {.size = sizeof right,
                                       .name = "mine",
                                       .formula = "1 / (1 + t / a)",
                                       .options = table,
                                       .option_bytes = offsetof(mine_options, b),
                                       .factor = hyperbola};

static gb_schedule with(const gb_schedule_type *type, double a, double b)
{
    return gb_schedule_of(type, &(mine_options){.size = sizeof(mine_options), .a = a, .b = b});
}

static void factor_is_caught(gb_node (*factor)(gb_node t, const void *o), const char *statement)
{
    gb_schedule_type faulty = right;
    faulty.factor = factor;
    is_caught(with(&faulty, 50, 0), statement);
}

static gb_node below_zero(gb_node t, const void *o)
{
    return gb_shift(gb_div(t, number(t, -a_of(o))), 1);
}

static gb_node infinite_at_first(gb_node t, const void *o)
{
    return gb_div(number(t, a_of(o)), t);
}

static gb_node a_vector(gb_node t, const void *o)
{
    return gb_reshape(hyperbola(t, o), gb_shape(1));
}

static gb_node a_comparison(gb_node t, const void *o)
{
    return gb_less(t, number(t, a_of(o)));
}

static gb_node an_error(gb_node t, const void *o)
{
    gb_fail(t.tape, GB_EARGUMENT, "it is %g", a_of(o));
    return (gb_node){0};
}

static gb_node counts_for_itself(gb_node t, const void *o)
{
    static unsigned records;
    char name[32];
    snprintf(name, sizeof name, "count%u", records++);
    const gb_node count = gb_variable(t.tape, name, gb_shape(), gb_fill(0));
    return hyperbola(count, o);
}

static gb_node noisy(gb_node t, const void *o)
{
    const gb_node noise = gb_uniform_noise(gb_stream(t.tape, "rate"), gb_shape(), 0);
    return gb_add(hyperbola(t, o), gb_scale(noise, 1e-9));
}

static gb_node other_each_time(gb_node t, const void *o)
{
    static unsigned records;
    return gb_scale(hyperbola(t, o), records++ % 2 ? 1 : 2);
}

static gb_node lost_in_float(gb_node t, const void *o)
{
    return hyperbola(gb_shift(gb_shift(t, 1e9), -1e9), o);
}

static bool is_fed(gb_node t)
{
    return strcmp(gb_node_op_name(t), "input") == 0;
}

/* As if t were always what the kit feeds. */
static gb_node knows_its_time(gb_node t, const void *o)
{
    return hyperbola(is_fed(t) ? t : gb_shift(t, 1), o);
}

static gb_node new_variable_each_time(gb_node t, const void *o)
{
    static unsigned records;
    return is_fed(t) ? hyperbola(t, o) : gb_scale(hyperbola(t, o), 1 + 1e-9 * records++);
}

TEST(planted_faults_are_caught)
{
    passes(with(&right, 50, 0));
    factor_is_caught(a_vector, "its factor is a real scalar");
    factor_is_caught(a_comparison, "its factor is a real scalar");
    factor_is_caught(an_error, "it is recorded and run without an error");
    factor_is_caught(below_zero, "its factor is finite and not negative");
    factor_is_caught(infinite_at_first, "its factor is finite and not negative");
    factor_is_caught(counts_for_itself, "its factor depends on t alone");
    factor_is_caught(noisy, "its factor depends on t alone");
    factor_is_caught(other_each_time, "its factor depends on t alone");
    factor_is_caught(lost_in_float, "on a float tape");
    factor_is_caught(knows_its_time, "after a warm-up it begins at its t = 0");
    factor_is_caught(knows_its_time, "a training run moves t by one");
    factor_is_caught(new_variable_each_time, "after a reset it goes on with the same bits");
}

/* It would take a rate below 0, and a power of a negative number. */
static gb_node power(gb_node t, const void *o)
{
    return gb_pow(number(t, a_of(o)), gb_scale(t, 0.01));
}

TEST(domains_that_are_too_wide_are_caught)
{
    gb_schedule_type wide = right;
    static const gb_option reals[] = {GB_OPTION_ARGUMENT(mine_options, a, GB_REAL, "the base"), {0}};
    static const gb_option shares[] = {GB_OPTION_ARGUMENT(mine_options, a, GB_UNIT, "the base"), {0}};
    wide.factor = power;
    wide.options = reals;
    is_caught(with(&wide, 0.5, 0), "numbers in their domains give a finite factor");
    wide.options = shares;
    passes(with(&wide, 0.5, 0));
}

static double b_of(const void *options)
{
    return ((const mine_options *)options)->b;
}

/* A rule between two numbers is the schedule's own to hold. */
static gb_node between(gb_node t, const void *o)
{
    if (b_of(o) >= a_of(o))
        gb_fail(t.tape, GB_EARGUMENT, "schedule mine: end is %g, and must be below start", b_of(o));
    const gb_node left = gb_max(gb_shift(gb_scale(t, -0.001), 1), number(t, 0));
    return gb_shift(gb_scale(left, a_of(o) - b_of(o)), b_of(o));
}

TEST(a_rule_of_its_own_is_no_fault)
{
    gb_schedule_type ruled = right;
    ruled.factor = between;
    static const gb_option two[] = {GB_OPTION_ARGUMENT(mine_options, a, GB_POSITIVE, "the start"),
                                    GB_OPTION_ARGUMENT(mine_options, b, GB_NON_NEGATIVE, "the end"),
                                    {0}};
    ruled.options = two;
    ruled.option_bytes = sizeof(mine_options);
    passes(with(&ruled, 2, 0.5));
}

static double formula(const void *o, double t)
{
    return 1 / (1 + t / a_of(o));
}

static double another_formula(const void *o, double t)
{
    return 1 / (1 + (t + 1) / a_of(o));
}

TEST(a_formula_is_compared)
{
    const gb_schedule schedule = with(&right, 50, 0);
    gb_report report = {.size = sizeof report};
    assert_true(gb_check_schedule(schedule, .reference = formula));
    assert_false(gb_check_schedule(schedule, .reference = another_formula, .report = &report));
    assert_true(has_failure(&report, "its factors are those of its formula"));
    gb_schedule_type namesake = right;
    namesake.name = "cosine";
    is_caught(with(&namesake, 50, 0), "its factors are those of its formula");
}

/* ---- misuse and memory ---- */

static void type_is_caught(gb_schedule_type faulty)
{
    is_caught(with(&faulty, 50, 0), "its struct is complete");
}

TEST(an_incomplete_struct_is_reported)
{
    gb_schedule_type small = right, nameless = right, without = right, anywhere = right, spaced = right,
                     named = right, gap = right;
    static const gb_option nowhere[] = {GB_OPTION_ARGUMENT(mine_options, a, NULL, "the scale"), {0}};
    static const gb_option unreadable[] = {{.name = "a=b",
                                            .domain = GB_POSITIVE,
                                            .form = GB_OPTION_IS_NUMBER,
                                            .offset = offsetof(mine_options, a),
                                            .words = "no text can name it",
                                            .is_argument = true},
                                           {0}};
    small.size = 8;
    spaced.name = "mi ne";
    named.options = unreadable;
    gap.option_bytes = sizeof(mine_options); /* b has no row */
    nameless.name = "";
    without.factor = NULL;
    anywhere.options = nowhere;
    type_is_caught(small);
    type_is_caught(nameless);
    type_is_caught(without);
    type_is_caught(anywhere);
    type_is_caught(spaced);
    type_is_caught(named);
    type_is_caught(gap);
    is_caught((gb_schedule){0}, "its struct is complete");
    is_caught(gb_cosine(-1), "it is recorded and run without an error");
    assert_false(gb_check_schedule((gb_schedule){0}));
}

TEST(the_kit_itself_outlives_a_lack_of_memory)
{
    for (size_t request = 1; request < 1500; request += request < 60 ? 1 : 53) {
        counted_memory memory = {.fail_at = request, .fail_after = request % 2};
        const bool passed = gb_check_schedule(gb_cosine(100), .memory = counted(&memory));
        if (passed && memory.asked >= request)
            fail_msg("nothing was said of request %zu", request);
        assert_int_equal(memory.outstanding, 0);
    }
}
