/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of the checks, and the checks that compare no means. */
#include "kit/check_estimator.h"

#include <math.h>
#include <string.h>

#include "estimators/list.h"
#include "kit/estimators/mean_impl.h"
#include "kit/estimators/problem_impl.h"
#include "kit/shell/settings_impl.h"
#include "ops/arrange.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

static const char *const statements[] = GB_STATEMENT_TEXTS(GB_ESTIMATOR_STATEMENTS);

/* ---- the struct ---- */

static const char *fault_of(const gb_estimator_type *type)
{
    if (GB_KIT_FAULT(type, gb_estimator_type))
        return GB_KIT_FAULT(type, gb_estimator_type);
    if (!type->draw)
        return "it has no draw";
    if (!type->combine && type->expansion != GB_ONE_EVALUATION)
        return "it has several evaluations, but no combine";
    if (type->expansion != GB_ONE_EVALUATION && !type->evaluations)
        return "it has several evaluations, but does not say how many";
    return gb_kit_table_fault(type);
}

/* ---- means ---- */

/* Some estimators need log q in the cost, some a bound of several draws. */
static bool goes_with(const gb_estimator_check *check, bool own_log_q)
{
    const unsigned needs = gb_estimator_needs(check->estimator);
    return !(needs & GB_NEEDS_BOUND) && (own_log_q || !(needs & GB_NEEDS_OWN_LOG_PROB));
}

static bool goes_with_mode(const gb_estimator_check *check, gb_check_mode mode)
{
    return gb_check_is_bound(mode) || goes_with(check, mode == GB_CHECK_OWN_LOG_Q);
}

static size_t check_problem(gb_estimator_check *check, const gb_problem *problem)
{
    static const gb_statement statement[] = {
        [GB_SHOWS_GRADIENTS] = GB_ON_GRADIENT,
        [GB_SHOWS_DEPENDENT_DRAWS] = GB_ON_DEPENDENT,
        [GB_SHOWS_ROWS] = GB_ON_ROWS,
    };
    gb_check_case c = {.check = check, .label = problem->name, .statement = statement[problem->shows]};
    if (problem->needs_data || !goes_with(check, false))
        return 0;
    c.plan = (gb_replicate_plan){.problem = problem, .value = true};
    gb_problem_defaults(problem, c.plan.setting);
    for (size_t i = 0; problem->check_settings && i < GB_PROBLEM_SETTINGS && problem->settings[i].name; i++)
        c.plan.setting[i] = problem->check_settings[i];
    return gb_check_means(&c);
}

/* The simplest cost that an estimator goes with. */
static gb_check_mode simplest(const gb_estimator_check *check)
{
    if (gb_estimator_needs(check->estimator) & GB_NEEDS_BOUND)
        return GB_CHECK_BOUND;
    return goes_with(check, false) ? GB_CHECK_PLAIN : GB_CHECK_OWN_LOG_Q;
}

/* Baselines that skip a sample's own draw, and factors of S, may be right for some numbers of samples only.
 * All numbers are tried with the simplest cost, and one or another with the others; two if one sample is not
 * enough. */
static size_t check_samples(gb_check_case c, gb_check_mode mode)
{
    static const int64_t samples[] = {1, 2, 5};
    enum { COUNTS = sizeof samples / sizeof *samples };
    const bool all = mode == simplest(c.check);
    size_t fitting = 0;
    for (size_t i = 0; i < COUNTS; i++) {
        c.plan.samples = samples[i];
        if (all || i == mode % COUNTS || (i == 1 && mode % COUNTS == 0 && fitting == 0))
            fitting += gb_check_means(&c);
    }
    return fitting;
}

static void check_learning(gb_check_case c)
{
    c.statement = GB_ON_LEARNING;
    c.learning = true;
    c.plan.samples = 1;
    if (gb_check_means(&c))
        return;
    c.plan.samples = 2;
    gb_check_means(&c);
}

static void check_alone(gb_check_case c)
{
    char label[64];
    snprintf(label, sizeof label, "%s, one estimate at a time", c.label);
    c.label = label;
    c.alone = true;
    c.plan.samples = 2;
    gb_check_means(&c);
}

static void check_second(gb_check_case c)
{
    c.statement = GB_ON_SECOND;
    c.plan.value = false;
    c.plan.second = true;
    gb_check_means(&c);
}

static size_t check_mode(gb_estimator_check *check, size_t family, gb_check_mode mode)
{
    static const gb_statement statement[GB_CHECK_MODES] = {
        [GB_CHECK_PLAIN] = GB_ON_GRADIENT,        [GB_CHECK_PARAMETERS] = GB_ON_PARAMETERS,
        [GB_CHECK_OWN_LOG_Q] = GB_ON_OWN_LOG_Q,   [GB_CHECK_SITES] = GB_ON_SITES,
        [GB_CHECK_DEPENDENT] = GB_ON_DEPENDENT,   [GB_CHECK_ROWS] = GB_ON_ROWS,
        [GB_CHECK_BOUND] = GB_ON_BOUND,           [GB_CHECK_PATH] = GB_ON_BOUND,
        [GB_CHECK_BOUND_ROWS] = GB_ON_ROW_BOUNDS,
    };
    const bool own_log_q = mode == GB_CHECK_OWN_LOG_Q;
    gb_check_case c = {.check = check, .label = gb_check_family_name(family), .statement = statement[mode]};
    if (!goes_with_mode(check, mode) || !gb_check_cost(family, mode, own_log_q, &c.plan))
        return 0;
    c.plan.value = true;
    const size_t fitting = check_samples(c, mode);
    if (fitting > 0)
        check_second(c);
    if (fitting > 0 && mode == simplest(check)) {
        check_learning(c);
        check_alone(c);
    }
    return fitting;
}

/* A need that the type does not declare is no need: the estimates are right without it. With two samples, as
 * one has no others. */
static void check_needs(gb_estimator_check *check, size_t family)
{
    const bool needs_bound = simplest(check) == GB_CHECK_BOUND;
    for (gb_check_mode mode = GB_CHECK_JOINT_SAMPLES; mode < GB_CHECK_MODES && !needs_bound; mode++) {
        gb_check_case c = {.check = check, .label = gb_check_family_name(family), .statement = GB_ON_NEEDS};
        if (!gb_check_cost(family, mode, !goes_with(check, false), &c.plan))
            continue;
        c.plan.value = true;
        gb_check_means(&c);
    }
}

/* A batch shows whether the elements are kept apart, which few draws show. The rest has been checked with one
 * element. A sum over a grid of values has hundreds of evaluations, each of them without noise. */
static size_t check_batch(gb_estimator_check *check, size_t family)
{
    const gb_check_mode modes[] = {simplest(check), GB_CHECK_ROWS};
    const gb_statement statement[] = {GB_ON_BATCH, GB_ON_ROWS};
    const bool is_sum = check->estimator.type->expansion == GB_WEIGHTS;
    size_t fitting = 0;
    for (size_t i = 0; i < (is_sum ? 1 : 2); i++) {
        gb_check_case c = {.check = check, .label = gb_check_family_name(family), .statement = statement[i]};
        const bool own_log_q = modes[i] == GB_CHECK_OWN_LOG_Q;
        if (!goes_with_mode(check, modes[i]) || !gb_check_cost(family, modes[i], own_log_q, &c.plan))
            continue;
        c.gross = c.plan.value = true;
        c.plan.samples = is_sum ? 1 : 2;
        fitting += gb_check_means(&c);
    }
    return fitting;
}

/* A loop may end too soon, or a vector leave its last numbers out. */
static void check_wide(gb_estimator_check *check, size_t family)
{
    const gb_check_mode mode = simplest(check);
    gb_check_case c = {
        .check = check, .label = gb_check_family_name(family), .statement = GB_ON_WIDE, .wide = true};
    if (mode == GB_CHECK_BOUND || !gb_check_cost(family, mode, mode == GB_CHECK_OWN_LOG_Q, &c.plan))
        return;
    gb_check_set_wide(&c.plan);
    c.plan.value = true;
    c.plan.samples = 2;
    gb_check_means(&c);
}

static bool is_tried(const gb_estimator_check *check, size_t family)
{
    return check->is_rare || !gb_check_family_is_rare(family);
}

static size_t check_family(gb_estimator_check *check, size_t family)
{
    if (gb_check_family_is_batch(family)) {
        check_wide(check, family);
        return check_batch(check, family);
    }
    size_t fitting = 0;
    for (gb_check_mode mode = GB_CHECK_PLAIN; mode < GB_CHECK_JOINT_SAMPLES; mode++)
        fitting += check_mode(check, family, mode);
    check_needs(check, family);
    return fitting;
}

/* With other options of its own, by the simplest cost. An estimator may reject some, or what they need. */
static void check_setting(gb_estimator_check *check, size_t family)
{
    const gb_check_mode mode = simplest(check);
    char text[96], label[160];
    gb_estimator_text(check->estimator, text, sizeof text);
    snprintf(label, sizeof label, "%s, %s", gb_check_family_name(family), text);
    gb_check_case c = {.check = check, .label = label, .statement = GB_ON_SETTINGS, .gross = true};
    if (!gb_check_cost(family, mode, mode == GB_CHECK_OWN_LOG_Q, &c.plan))
        return;
    c.plan.value = true;
    c.plan.samples = 2;
    gb_check_means(&c);
}

static void check_settings(gb_estimator_check *check)
{
    const gb_estimator given = check->estimator;
    for (size_t i = 0; i < GB_KIT_SETTINGS; i++) {
        const bool varies =
            gb_kit_setting(given.type, &given.options, NULL, check->kit.seed, i, &check->estimator.options);
        for (size_t family = 0; varies && family < gb_check_families(); family++)
            if (is_tried(check, family) && !gb_check_family_is_batch(family))
                check_setting(check, family);
        check->estimator = given;
    }
}

static size_t check_problems(gb_estimator_check *check)
{
    size_t fitting = 0, count;
    const gb_problem *const *const problems = gb_problems(&count);
    for (size_t i = 0; i < count; i++)
        fitting += check_problem(check, problems[i]);
    for (size_t i = 0; i < check->problems; i++)
        fitting += check_problem(check, check->problem[i]);
    return fitting;
}

/* The number of means to compare decides how far one of them may be off. */
static void count_tests(gb_estimator_check *check)
{
    check->counting = true;
    check_problems(check);
    for (size_t family = 0; family < gb_check_families(); family++)
        if (is_tried(check, family))
            check_family(check, family);
    check_settings(check);
    check->counting = false;
    check->bound = gb_mean_bound(check->tests);
}

/* ---- checks without means ---- */

static bool is_weighted(const gb_estimator_type *type)
{
    return type->expansion == GB_WEIGHTS || type->expansion == GB_DRAWN_WEIGHTS;
}

static double evaluations(gb_estimator_check *check, size_t family, gb_check_mode mode)
{
    gb_check_case c = {.check = check};
    gb_replicates r;
    gb_check_cost(family, mode, false, &c.plan);
    const gb_replicate_plan plan = gb_check_plan(&c);
    const double count = gb_replicates_begin(&r, &plan) ? r.evaluations : 0;
    gb_replicates_end(&r);
    return count;
}

static void check_star(gb_estimator_check *check, size_t family)
{
    const double one = evaluations(check, family, GB_CHECK_PLAIN),
                 two = evaluations(check, family, GB_CHECK_SITES);
    const bool together = check->estimator.type->expansion == GB_PROBES_TOGETHER;
    const double should = is_weighted(check->estimator.type) ? one * one : together ? one : 2 * one - 1;
    if (one > 0 && two > 0)
        gb_kit_verdict(&check->kit, GB_ON_STAR, two == should,
                       "two draws take %.0f evaluations, where one takes %.0f", two, one);
}

/* Many replicates side by side, so that threads share them. */
static bool bits(gb_estimator_check *check, size_t family, int threads, gb_replicates *r)
{
    gb_check_case c = {.check = check};
    gb_check_cost(family, simplest(check), !goes_with(check, false), &c.plan);
    c.plan.threads = threads;
    c.plan.at_a_time = 1 << 12;
    const gb_replicate_plan plan = gb_check_plan(&c);
    return gb_replicates_begin(r, &plan) && gb_replicates_run(r, NULL) && gb_replicates_run(r, NULL);
}

static void check_repeats(gb_estimator_check *check, size_t family)
{
    gb_replicates one, other;
    const bool begun = bits(check, family, 1, &one);
    if (bits(check, family, 4, &other) && begun)
        gb_kit_verdict(&check->kit, GB_ON_REPEATS,
                       memcmp(one.values, other.values,
                              one.elements * (size_t)one.plan.at_a_time * sizeof *one.values) == 0,
                       "1 and 4 threads give different gradients");
    gb_replicates_end(&one);
    gb_replicates_end(&other);
}

/* Without an axis the draw is shared along it: the mean is right as a rule, but the variance is not. The
 * values of a weighted sum are the same in each sample. */
static void check_axes(gb_estimator_check *check, size_t family)
{
    static const gb_axes rows[] = {0, GB_ROWS};
    for (size_t i = 0; i < 2 && check->estimator.type->expansion != GB_WEIGHTS; i++) {
        gb_tape *const t = gb_tape_new(.threads = 1);
        const gb_axes should = GB_SAMPLES | rows[i];
        const gb_node draw =
            gb_draw_over(gb_expect_new(t), "x", gb_check_family(t, family), rows[i], check->estimator);
        if (gb_node_ok(draw))
            gb_kit_verdict(&check->kit, GB_ON_AXES, (gb_node_axes(draw) & should) == should,
                           "a draw lacks the axis of %s: `draw` must draw along all of site->axes",
                           gb_node_axes(draw) & GB_SAMPLES ? "rows" : "samples");
        gb_tape_free(t);
    }
}

/* A combination that shows the weights, whatever the cost is. */
static gb_node weights_alone(const gb_site *site, gb_node costs)
{
    const gb_node w = site->estimator.type->weights(site);
    const gb_node place = gb_shift(gb_arange(w.tape, site->evaluations), 1);
    return gb_add(gb_sum(gb_mul(w, place)), gb_scale(gb_sum(costs), 0));
}

static bool is_the_same_in_all_runs(gb_node look)
{
    enum { RUNS = 8 };
    gb_program *const program = gb_compile(look.tape, gb_roots(look), gb_no_update);
    double first = 0;
    bool same = true;
    for (int i = 0; i < RUNS && gb_run(program) == GB_OK; i++) {
        first = i == 0 ? gb_value(look) : first;
        same &= gb_value(look) == first;
    }
    return same;
}

/* Exact weights belong to values that are given, or drawn for each weight: those of values that are drawn
 * among all are random. Without a slot `weights` the values must be given. */
static void check_weighted_values(gb_estimator_check *check, size_t family)
{
    gb_estimator_type showing = *check->estimator.type;
    const bool has_weights = showing.weights != NULL;
    if (showing.expansion != GB_WEIGHTS)
        return;
    gb_estimator estimator = check->estimator;
    gb_tape *const t = gb_tape_new(.threads = 1);
    gb_expect *const e = gb_expect_new(t);
    showing.combine = weights_alone;
    estimator.type = has_weights ? &showing : estimator.type;
    const gb_node x = gb_draw(e, "x", gb_check_family(t, family), estimator);
    const gb_node look =
        has_weights ? gb_expected(e, gb_sum(gb_exp(x))) : gb_sum(gb_sum_over(x, gb_node_axes(x)));
    gb_kit_verdict(&check->kit, GB_ON_STAR, is_the_same_in_all_runs(look),
                   "its type says that its %s, and they differ from run to run: set .expansion = GB_PROBES, "
                   "or GB_DRAWN_WEIGHTS",
                   has_weights ? "weights are exact" : "values have weights");
    gb_tape_free(t);
}

/* Of one cost, the weighted sum by `weights` and the value of `combine`. */
static void check_weights(gb_estimator_check *check, size_t family)
{
    const gb_estimator_type *const type = check->estimator.type;
    if (!is_weighted(type) || !GB_HAS(type, weights))
        return;
    gb_tape *const t = gb_tape_new(.threads = 1, .samples = 5, .seed = check->kit.seed);
    gb_expect *const e = gb_expect_new(t);
    const gb_node x = gb_draw(e, "x", gb_check_family(t, family), check->estimator);
    if (!gb_node_ok(x)) { /* the first statement is about that */
        gb_tape_free(t);
        return;
    }
    const gb_node cost = gb_sum(gb_exp(gb_scale(x, 0.5)));
    const gb_node by_combine = gb_mean_over(gb_sample_values(e, cost), GB_SAMPLES),
                  by_weights = gb_mean_of_draws(e, cost);
    gb_program *const program = gb_compile(t, gb_roots(by_combine, by_weights), gb_no_update);
    const bool good = gb_run(program) == GB_OK;
    const double is = good ? gb_value(by_weights) : NAN, should = good ? gb_value(by_combine) : NAN;
    gb_kit_verdict(&check->kit, GB_ON_WEIGHTS, fabs(is - should) <= 1e-9 * (1 + fabs(should)),
                   "the sum by `weights` is %.17g, and the value of `combine` %.17g", is, should);
    gb_tape_free(t);
}

/* ---- units ---- */

/* Learns for a while. Returns false if it learns nothing, or on an error. */
static bool learned(gb_estimator_check *check, size_t family, int exponent, gb_replicates *r)
{
    enum { RUNS = 60 };
    gb_check_case c = {.check = check};
    gb_check_cost(family, simplest(check), !goes_with(check, false), &c.plan);
    gb_check_set_unit(&c.plan, exponent);
    c.plan.value = true;
    const gb_replicate_plan plan = gb_check_plan(&c);
    bool good = gb_replicates_begin(r, &plan) && r->learned > 0;
    for (int i = 0; i < RUNS && good; i++)
        good = gb_replicates_run(r, NULL);
    return good;
}

/* Powers of 2 scale without rounding. */
static void check_unit(gb_estimator_check *check, size_t family)
{
    gb_replicates one, other;
    const bool learns = learned(check, family, 0, &one);
    for (int exponent = -20; exponent <= 20 && learns; exponent += 40) {
        if (learned(check, family, exponent, &other))
            for (size_t i = 0; i < one.elements; i++)
                gb_kit_verdict(&check->kit, GB_ON_UNIT, other.values[i] == ldexp(one.values[i], exponent),
                               "a cost of 2^%d times the size gives %.17g, not %.17g", exponent,
                               other.values[i], ldexp(one.values[i], exponent));
        gb_replicates_end(&other);
    }
    gb_replicates_end(&one);
}

/* One estimate of a cost that is multiplied by 2^exponent, by an estimator that learns nothing. */
static bool estimated(gb_estimator_check *check, size_t family, int exponent, gb_replicates *r)
{
    gb_check_case c = {.check = check};
    gb_check_cost(family, simplest(check), !goes_with(check, false), &c.plan);
    gb_check_set_unit(&c.plan, exponent);
    const gb_replicate_plan plan = gb_check_plan(&c);
    return gb_replicates_begin(r, &plan) && r->learned == 0 && gb_replicates_run(r, NULL);
}

/* With the same noise, an estimate is linear in the cost, but for what a baseline subtracts: a number, or a
 * function that need not be linear, within reason. So it grows from 2^20 to 2^21 by as much as from 0 to
 * 2^20, to a hundredth. A bound is not linear in its log weight. */
static void check_size(gb_estimator_check *check, size_t family)
{
    static const int exponents[] = {0, 20, 21};
    const double share = 1048576. / 1048575;
    gb_replicates at[3];
    size_t begun = 0;
    bool good = simplest(check) != GB_CHECK_BOUND;
    for (; begun < 3 && good; begun++)
        good = estimated(check, family, exponents[begun], &at[begun]);
    double scale = 0;
    for (size_t i = 0; good && i < at[0].elements; i++)
        scale = fmax(scale, fabs(at[1].values[i] - at[0].values[i]));
    for (size_t i = 0; good && i < at[0].elements; i++) {
        const double is = at[2].values[i] - at[1].values[i],
                     should = share * (at[1].values[i] - at[0].values[i]);
        gb_kit_verdict(&check->kit, GB_ON_SIZE, fabs(is - should) <= 1e-2 * scale,
                       "from 2^20 to 2^21 times the cost it grows by %.9g, not by %.9g", is, should);
    }
    while (begun > 0)
        gb_replicates_end(&at[--begun]);
}

static void check_rejection(gb_estimator_check *check, size_t family)
{
    gb_tape *const t = gb_tape_new(.threads = 1);
    const gb_dist q = gb_check_family(t, family);
    const char *const lacks = gb_dist_ok(q) ? gb_estimator_lacks(check->estimator, q) : NULL;
    gb_draw(gb_expect_new(t), "x", q, check->estimator);
    if (lacks)
        gb_kit_verdict(&check->kit, GB_ON_REJECTED,
                       gb_error(t) == GB_EARGUMENT && *lacks && strstr(gb_error_text(t), lacks),
                       "the error is \"%s\"", gb_error_text(t));
    else
        gb_kit_verdict(&check->kit, GB_ON_REJECTED, gb_error(t) == GB_OK,
                       "its type says that it fits, and its draw fails: \"%s\"", gb_error_text(t));
    gb_tape_free(t);
}

/* ---- all of it ---- */

static const struct family_check {
    gb_statement statement;
    void (*look)(gb_estimator_check *check, size_t family);
} family_checks[] = {
    {GB_ON_AXES, check_axes},       {GB_ON_STAR, check_star},       {GB_ON_STAR, check_weighted_values},
    {GB_ON_WEIGHTS, check_weights}, {GB_ON_REPEATS, check_repeats}, {GB_ON_UNIT, check_unit},
    {GB_ON_SIZE, check_size},
};

/* Statements about all cases together. */
static void check_whole(gb_estimator_check *check, size_t fitting)
{
    if (gb_estimator_needs(check->estimator) & GB_NEEDS_MODEL) {
        gb_kit_skip(&check->kit, GB_ON_FITS, "it needs a gb_elbo, and here is none");
        return;
    }
    gb_kit_verdict(&check->kit, GB_ON_FITS, fitting > 0, "it can estimate the gradient of none of them");
    if (check->estimator.type->bias)
        gb_kit_verdict(&check->kit, GB_ON_BIAS, check->biases > 0, "all means are right, and yet: \"%s\"",
                       check->estimator.type->bias);
}

/* Whether it lacks something of each family that is not rare. */
static bool fits_no_other(gb_estimator estimator)
{
    bool lacks_all = true;
    for (size_t family = 0; family < gb_check_families() && lacks_all; family++) {
        gb_tape *const t = gb_tape_new(.threads = 1);
        const gb_dist q = gb_check_family(t, family);
        lacks_all = gb_check_family_is_rare(family) || (gb_dist_ok(q) && gb_estimator_lacks(estimator, q));
        gb_tape_free(t);
    }
    return lacks_all;
}

static void check_all(gb_estimator_check *check)
{
    enum { CHECKS = sizeof family_checks / sizeof *family_checks };
    check->is_rare = fits_no_other(check->estimator);
    count_tests(check);
    size_t fitting = check_problems(check);
    for (size_t family = 0; family < gb_check_families(); family++) {
        const size_t fits = is_tried(check, family) ? check_family(check, family) : 0;
        fitting += fits;
        gb_kit_label(&check->kit, "%s", gb_check_family_name(family));
        if (gb_check_wants(check, GB_ON_REJECTED) && is_tried(check, family))
            check_rejection(check, family);
        const bool all = fits > 0 && !gb_check_family_is_batch(family);
        for (size_t i = 0; all && i < CHECKS; i++)
            if (gb_check_wants(check, family_checks[i].statement))
                family_checks[i].look(check, family);
    }
    check_settings(check);
    gb_kit_label(&check->kit, "%s", "");
    if (!check->only)
        check_whole(check, fitting);
}

/* Whether it is part of one. */
static bool is_statement(const char *only)
{
    for (size_t i = 0; statements[i]; i++)
        if (strstr(statements[i], only))
            return true;
    return false;
}

bool gb_check_estimator_with(gb_estimator estimator, const gb_check_estimator_options *options)
{
    gb_check_estimator_options own;
    if (!gb_options_copy(&own, sizeof own, options))
        return false;
    const gb_estimator_type *const type = estimator.type;
    const char *const fault = fault_of(type);
    gb_estimator_check check = {.kit = {.subject = type && type->name ? type->name : "(no name)",
                                        .report = own.report,
                                        .seed = own.seed,
                                        .statements = statements},
                                .estimator = estimator,
                                .thorough = own.thorough,
                                .only = own.only,
                                .problems = own.problems,
                                .problem = own.problem};
    const bool is_form = gb_kit_verdict(&check.kit, GB_ON_FORM, !fault, "%s", fault ? fault : "");
    if (is_form && own.only && !is_statement(own.only))
        gb_kit_verdict(&check.kit, GB_ON_FORM, false, ".only is \"%s\", and no statement has these words",
                       own.only);
    else if (is_form)
        check_all(&check);
    return gb_kit_conclude(&check.kit);
}
