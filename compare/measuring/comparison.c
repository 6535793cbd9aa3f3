/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A comparison, from its options to its results: checks of the options, and the estimates of each
 * estimator. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/measuring/context_impl.h"
#include "compare/measuring/learn_impl.h"
#include "compare/measuring/place_impl.h"
#include "compare/measuring/plan_impl.h"
#include "compare/measuring/together_impl.h"
#include "compare/replicates/counts_impl.h"
#include "core/ground/clock_impl.h"
#include "core/ground/text_impl.h"
#include "core/team.h"

enum { STEPS = 1000 };

/* ---- one estimator ---- */

static void write_raw(const gb_compare_work *c, const gb_replicates *r, size_t which, int64_t first,
                      size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < c->it.parameters; j++) {
            size_t stride;
            const double *const x = gb_replicates_element(r, j, &stride);
            gb_csv_text(c->with.raw, c->compared[which].name);
            fprintf(c->with.raw, ",%lld,", (long long)first + (long long)i);
            gb_csv_text(c->with.raw, c->it.parameter[j]);
            fputc(',', c->with.raw);
            gb_put_number(c->with.raw, x[i * stride]);
            fputc('\n', c->with.raw);
        }
}

static int64_t least_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* What another member counts. */
static void forget(const gb_compare_work *c, gb_compare_tally *tally)
{
    memset(tally->element, 0, c->it.parameters * sizeof *tally->element);
    tally->total = (gb_moments){0};
}

/* Makes the estimates, as many at once as there is room for, so that timing does not affect the numbers. */
static bool estimate(gb_compare_work *c, gb_replicates *r, size_t which, gb_compare_tally *tally,
                     double *scratch)
{
    gb_compared *const result = &c->compared[which];
    const int64_t draws = c->it.draws, side_by_side = r->plan.at_a_time;
    double seconds = 0;
    int64_t done = 0, made = 0;
    for (int64_t block = 0; done < draws && !c->stopped; block++) {
        const int64_t wanted = least_of(draws - done, (int64_t)r->room);
        const bool is_mine = gb_compare_is_mine(c, block);
        if (!is_mine && block > 0) { /* the first gives all members their origin */
            gb_replicates_skip(r, (wanted + side_by_side - 1) / side_by_side);
            done += wanted;
            continue;
        }
        const int64_t runs = gb_compare_fill(c, r, (wanted + side_by_side - 1) / side_by_side, &seconds);
        const int64_t count = least_of(wanted, runs * side_by_side);
        if (runs == 0)
            return false;
        if (!gb_compare_count(tally, r, (size_t)count, scratch))
            return gb_compare_fail_one(c, which, GB_ENONFINITE,
                                       "estimate %lld or one of the next %lld is not finite", (long long)done,
                                       (long long)count);
        if (!is_mine)
            forget(c, tally);
        if (c->with.raw)
            write_raw(c, r, which, done, (size_t)count);
        made += runs * side_by_side;
        done += count;
    }
    if (made > 0)
        result->seconds += seconds / (double)made;
    return !c->stopped;
}

static bool make_tally(gb_compare_work *c, gb_compare_tally *tally)
{
    *tally = (gb_compare_tally){.element = gb_compare_keep(c, c->it.parameters, sizeof(gb_moments)),
                                .origin = gb_compare_keep(c, c->it.parameters, sizeof(double))};
    return tally->element && tally->origin;
}

static double work_of(const gb_compare_work *c, size_t which)
{
    const double learning = c->probe[which].learns ? gb_compare_lessons(c) : 0;
    return c->probe[which].fits ? (double)c->it.draws + learning : 0;
}

static void measure(gb_compare_work *c, size_t which)
{
    const gb_replicate_plan plan = gb_compare_plan_of(c, which);
    const double after = c->done + work_of(c, which);
    const int64_t room = plan.at_a_time * (plan.runs > 1 ? plan.runs : 1);
    gb_compare_tally tally;
    double *const scratch = gb_compare_keep(c, (size_t)room, sizeof *scratch);
    gb_replicates r;
    if (!make_tally(c, &tally) || !scratch) {
        gb_compare_join(c, &tally, false);
        return;
    }
    c->compared[which].seconds = 0;
    c->pace = 1;
    const bool good = gb_replicates_begin(&r, &plan) && gb_replicates_set(&r, c->place) &&
                      gb_compare_learn(c, &r, which) && estimate(c, &r, which, &tally, scratch);
    if (gb_replicates_status(&r) != GB_OK)
        gb_compare_failed_one(c, which, &r);
    gb_replicates_end(&r);
    gb_compare_join(c, &tally, good);
    gb_compare_conclude(c, which, &tally);
    c->done = fmax(c->done, after);
}

/* ---- all of them ---- */

static bool settings_fit(gb_compare_work *c)
{
    const gb_compare_options *const with = &c->with;
    gb_problem_defaults(with->problem, c->it.setting);
    if (with->settings > 0 && !with->setting)
        return gb_compare_fail(c, GB_EARGUMENT, "compare: %zu settings, but no list of them", with->settings);
    for (size_t i = 0; i < with->settings; i++)
        if (!gb_problem_set(with->problem, c->it.setting, with->setting[i].name, with->setting[i].value))
            return gb_compare_fail(
                c, GB_EARGUMENT, "problem %s: it has no setting %s that may be %g", with->problem->name,
                with->setting[i].name ? with->setting[i].name : "(NULL)", with->setting[i].value);
    return true;
}

static bool numbers_fit(gb_compare_work *c)
{
    const gb_compare_options *const with = &c->with;
    const gb_count counts[] = {{"draws", with->draws, 1, GB_COMPARE_MOST_DRAWS},
                               {"samples", with->samples, 1, GB_COMPARE_MOST_SAMPLES},
                               {"steps", with->steps, 1, GB_COMPARE_MOST_STEPS},
                               {"threads", with->threads, 1, GB_COMPARE_MOST_THREADS},
                               {"batch", with->batch, 1, GB_COMPARE_MOST_BATCH}};
    char words[200];
    if (!gb_counts_fit(sizeof counts / sizeof *counts, counts, sizeof words, words))
        return gb_compare_fail(c, GB_EARGUMENT, "compare: %s", words);
    if (with->at < GB_AT_GIVEN || with->at > GB_AT_FITTED)
        return gb_compare_fail(c, GB_EARGUMENT, "compare: .at is %d, which is none of GB_AT_…",
                               (int)with->at);
    if (with->real != GB_DOUBLE && with->real != GB_FLOAT)
        return gb_compare_fail(c, GB_EARGUMENT, "compare: .real is %d, neither GB_DOUBLE nor GB_FLOAT",
                               (int)with->real);
    return true;
}

static bool bound_fits(gb_compare_work *c)
{
    return !c->with.bound.type || c->with.problem->is_log_weight ||
           gb_compare_fail(c, GB_EARGUMENT,
                           "compare: the cost of problem %s is no log weight, of which the bound %s could be "
                           "taken (that of gauss-evidence is)",
                           c->with.problem->name, c->with.bound.type->name);
}

static bool options_fit(gb_compare_work *c)
{
    const gb_compare_options *const with = &c->with;
    if (with->size != sizeof *with)
        return gb_compare_fail(c, GB_EARGUMENT,
                               "compare: the options struct has no size, or sets members that "
                               "this version of the library does not know");
    char fault[256];
    if (with->team && (with->team->size < sizeof *with->team || !with->team->gather)) {
        c->with.team = NULL;
        return gb_compare_fail(c, GB_EARGUMENT, "compare: .team has no size, or no .gather");
    }
    if (with->team && with->raw)
        return gb_compare_fail(c, GB_EARGUMENT,
                               "compare: .team shares the estimates out, so no member has "
                               "those that .raw asks for");
    if (!with->problem || with->estimators == 0 || !with->estimator)
        return gb_compare_fail(c, GB_EARGUMENT, "compare: a problem and an estimator are required");
    if (!gb_plugin_fits(&gb_problem_kind, with->problem, fault, sizeof fault))
        return gb_compare_fail(c, GB_EARGUMENT, "compare: problem %s", fault);
    for (size_t i = 0; i < with->estimators; i++)
        if (!with->estimator[i].type)
            return gb_compare_fail(c, GB_EARGUMENT, "compare: estimator number %zu has no type", i + 1);
    return bound_fits(c) && settings_fit(c) && numbers_fit(c);
}

static bool make_results(gb_compare_work *c)
{
    const gb_compare_options *const with = &c->with;
    c->compared = gb_compare_keep(c, with->estimators, sizeof *c->compared);
    c->probe = gb_compare_keep(c, with->estimators, sizeof *c->probe);
    c->measured = gb_compare_keep(c, with->estimators, sizeof(gb_measured *));
    c->spread = gb_compare_keep(c, with->estimators, sizeof *c->spread);
    if (!c->compared || !c->probe || !c->measured || !c->spread)
        return false;
    for (size_t i = 0; i < with->estimators; i++) {
        char *const name = gb_compare_keep(c, 1, GB_COMPARE_NAME);
        if (!name)
            return false;
        snprintf(name, GB_COMPARE_NAME, "%s",
                 with->names && with->names[i] ? with->names[i] : with->estimator[i].type->name);
        c->compared[i].name = name;
        c->compared[i].why = "";
        c->compared[i].total_variance = c->compared[i].total_variance_stderr = (double)NAN;
        c->compared[i].variance_times_cost = c->compared[i].seconds = c->compared[i].evaluations =
            (double)NAN;
        c->compared[i].ratio = c->compared[i].ratio_low = c->compared[i].ratio_high = (double)NAN;
    }
    c->it.estimator = c->compared;
    c->it.estimators = with->estimators;
    return true;
}

static gb_compare_work begun(const gb_compare_options *options)
{
    gb_compare_work c = {.pace = 1, .reported_at = gb_seconds()};
    gb_options_copy(&c.with, sizeof c.with, options);
    if (c.with.steps == 0)
        c.with.steps = STEPS;
    c.it.problem = c.with.problem;
    c.it.seed = c.with.seed;
    c.it.bound = c.with.bound;
    c.it.draws = c.with.draws ? c.with.draws : 10000;
    return c;
}

/* False: nothing can be measured. */
static bool prepare(gb_compare_work *c)
{
    return options_fit(c) && make_results(c) && gb_compare_keep_context(c) && gb_compare_plan(c);
}

static void measure_all(gb_compare_work *c)
{
    if (c->with.raw)
        fprintf(c->with.raw, "estimator,draw,parameter,value\n");
    for (size_t i = 0; i < c->it.estimators && !c->stopped; i++)
        if (c->probe[i].fits)
            measure(c, i);
    gb_compare_judge_equal(c);
    gb_compare_ratios(c);
    if (c->exact_overflow)
        gb_compare_fail(c, GB_ENONFINITE, "the exact gradient of %s is not finite: it overflows",
                        c->exact_overflow);
}

gb_comparison *gb_compare_from(const gb_compare_options *options, int64_t step, const double *place)
{
    gb_compare_work *const c = malloc(sizeof *c);
    if (!c)
        return NULL;
    *c = begun(options);
    c->it.error = c->error;
    c->it.step = place ? step : c->with.at == GB_AT_FITTED ? c->with.steps : 0;
    c->it.on_path = place != NULL;
    if (gb_compare_meet(c, prepare(c))) {
        c->all = place || c->with.at == GB_AT_GIVEN ? 0 : (double)c->with.steps;
        for (size_t i = 0; i < c->it.estimators; i++)
            c->all += work_of(c, i);
        if (gb_compare_meet(c, gb_compare_find_place(c, place)))
            measure_all(c);
    }
    gb_compare_keep_machine(c);
    return &c->it;
}

gb_comparison *gb_compare_with(const gb_compare_options *options)
{
    return gb_compare_from(options, 0, NULL);
}

gb_comparison *gb_compare_question(const gb_compare_options *options)
{
    gb_compare_work *const c = malloc(sizeof *c);
    if (!c)
        return NULL;
    *c = begun(options);
    c->it.error = c->error;
    if (options_fit(c) && make_results(c) && gb_compare_keep_context(c))
        gb_compare_plan(c);
    gb_compare_keep_machine(c);
    return &c->it;
}

gb_comparison *gb_compare_places(const gb_compare_options *options, size_t places, int64_t *step,
                                 double **place)
{
    gb_compare_work *const c = malloc(sizeof *c);
    if (!c)
        return NULL;
    *c = begun(options);
    c->it.error = c->error;
    if (!prepare(c))
        return &c->it;
    c->all = (double)c->with.steps;
    *place = gb_compare_keep(c, places * c->it.parameters, sizeof **place);
    if (*place && gb_compare_follow(c, places, *place))
        for (size_t i = 0; i < places; i++)
            step[i] = gb_compare_step_of(c, places, i);
    else
        *place = NULL;
    gb_compare_keep_machine(c);
    return &c->it;
}
