/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "estimators/compare.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "estimators/compare_impl.h"
#include "estimators/json_impl.h"

enum { TOLD_EVERY = 1000, LEARNING_RUNS = 1000 };

/* ---- memory and errors ---- */

void *gb_compare_keep(gb_compare_work *c, size_t count, size_t bytes)
{
    const size_t head = 64; /* as aligned as anything */
    gb_compare_block *const block =
        count < (SIZE_MAX - head) / bytes ? calloc(1, head + count * bytes) : NULL;
    if (!block) {
        gb_compare_fail(c, GB_ENOMEM, "compare: no memory for %zu numbers", count);
        return NULL;
    }
    block->before = c->blocks;
    c->blocks = block;
    return (char *)block + head;
}

bool gb_compare_fail(gb_compare_work *c, gb_status status, const char *format, ...)
{
    if (c->it.status != GB_OK)
        return false;
    va_list words;
    va_start(words, format);
    vsnprintf(c->error, sizeof c->error, format, words);
    va_end(words);
    c->it.status = status;
    return false;
}

bool gb_compare_failed(gb_compare_work *c, const char *name, const gb_replicates *r)
{
    return gb_compare_fail(c, gb_replicates_status(r), "%s: %s", name, gb_error_text(r->trial.tape));
}

void gb_comparison_free(gb_comparison *comparison)
{
    gb_compare_work *const c = (gb_compare_work *)comparison;
    for (gb_compare_block *block = c ? c->blocks : NULL, *before; block; block = before) {
        before = block->before;
        free(block);
    }
    free(c);
}

/* ---- one estimator ---- */

static void write_raw(const gb_compare_work *c, const gb_replicates *r, size_t which, int64_t first,
                      size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < c->it.parameters; j++) {
            size_t stride;
            const double *const x = gb_replicates_element(r, j, &stride);
            fprintf(c->with.raw, "%s,%lld,%s,", c->compared[which].name, (long long)first + (long long)i,
                    c->it.parameter[j]);
            gb_put_number(c->with.raw, x[i * stride]);
            fputc('\n', c->with.raw);
        }
}

static bool go_on(gb_compare_work *c)
{
    if (!c->with.progress || c->done - c->told < TOLD_EVERY)
        return true;
    c->told = c->done;
    const double all = (double)c->it.draws * (double)c->with.estimators;
    if (c->with.progress(c->with.context, (double)c->done / all))
        return true;
    return gb_compare_fail(c, GB_ESTOPPED, "compare: stopped after %lld of %.0f estimates",
                           (long long)c->done, all);
}

/* `draws` estimates at one place. */
static bool estimate(gb_compare_work *c, gb_replicates *r, size_t which, int64_t draws,
                     gb_compare_tally *tally, double *scratch)
{
    gb_compared *const result = &c->compared[which];
    double seconds, all = 0;
    int64_t done = 0, runs = 0;
    while (done < draws && go_on(c)) {
        if (!gb_replicates_run(r, &seconds))
            return false;
        const int64_t count = draws - done < r->plan.at_a_time ? draws - done : r->plan.at_a_time;
        if (!gb_compare_count(tally, r, (size_t)count, scratch))
            return gb_compare_fail(c, GB_ENONFINITE,
                                   "%s: estimate %lld or one of the next %lld is not finite", result->name,
                                   (long long)done, (long long)count);
        if (c->with.raw)
            write_raw(c, r, which, c->done - (int64_t)which * c->it.draws, (size_t)count);
        all += seconds;
        runs++;
        done += count;
        c->done += count;
    }
    if (runs > 0)
        result->seconds += all / ((double)runs * (double)r->plan.at_a_time * (double)c->places);
    return c->it.status == GB_OK;
}

/* What learns does so first; estimates are measured as it goes on learning. */
static bool learn(gb_replicates *r, const gb_compare_probe *probe)
{
    for (int i = 0; i < LEARNING_RUNS && probe->learns; i++)
        if (!gb_replicates_run(r, NULL))
            return false;
    return true;
}

static bool make_tallies(gb_compare_work *c, gb_compare_tally *tally)
{
    for (size_t p = 0; p < c->places; p++) {
        tally[p].element = gb_compare_keep(c, c->it.parameters, sizeof(gb_moments));
        tally[p].origin = gb_compare_keep(c, c->it.parameters, sizeof(double));
        if (!tally[p].element || !tally[p].origin)
            return false;
    }
    return true;
}

static void measure(gb_compare_work *c, size_t which)
{
    const gb_replicate_plan plan = gb_compare_plan_of(c, which);
    const int64_t draws = c->it.draws / (int64_t)c->places;
    gb_compare_tally *const tally = gb_compare_keep(c, c->places, sizeof *tally);
    double *const scratch = gb_compare_keep(c, (size_t)plan.at_a_time, sizeof *scratch);
    gb_replicates r;
    if (!tally || !scratch || !make_tallies(c, tally))
        return;
    c->compared[which].seconds = 0;
    bool good = gb_replicates_begin(&r, &plan);
    for (size_t p = 0; p < c->places && good; p++)
        good = gb_replicates_set(&r, c->place + p * c->it.parameters) && learn(&r, &c->probe[which]) &&
               estimate(c, &r, which, draws, &tally[p], scratch);
    if (gb_replicates_status(&r) != GB_OK)
        gb_compare_failed(c, c->compared[which].name, &r);
    gb_replicates_end(&r);
    gb_compare_conclude(c, which, tally);
    c->done = (int64_t)(which + 1) * c->it.draws;
}

/* ---- all of them ---- */

static bool settings_fit(gb_compare_work *c)
{
    const gb_compare_options *const with = &c->with;
    gb_problem_defaults(with->problem, c->it.setting);
    for (size_t i = 0; i < with->settings; i++)
        if (!gb_problem_set(with->problem, c->it.setting, with->setting[i].name, with->setting[i].value))
            return gb_compare_fail(c, GB_EARGUMENT, "problem %s: it has no setting %s that may be %g",
                                   with->problem->name, with->setting[i].name, with->setting[i].value);
    return true;
}

static bool options_fit(gb_compare_work *c)
{
    const gb_compare_options *const with = &c->with;
    if (!with->problem || with->estimators == 0 || !with->estimator)
        return gb_compare_fail(c, GB_EARGUMENT, "compare: a problem and an estimator are required");
    if (with->draws < 0 || with->samples < 0 || with->steps < 0)
        return gb_compare_fail(c, GB_EARGUMENT, "compare: draws, samples and steps cannot be negative");
    for (size_t i = 0; i < with->estimators; i++)
        if (!with->estimator[i].type)
            return gb_compare_fail(c, GB_EARGUMENT, "compare: estimator number %zu is none", i + 1);
    return settings_fit(c);
}

static bool make_results(gb_compare_work *c)
{
    const gb_compare_options *const with = &c->with;
    c->compared = gb_compare_keep(c, with->estimators, sizeof *c->compared);
    c->probe = gb_compare_keep(c, with->estimators, sizeof *c->probe);
    for (size_t i = 0; c->probe && i < with->estimators; i++) {
        char *const name = gb_compare_keep(c, 1, GB_COMPARE_NAME);
        if (!name)
            return false;
        snprintf(name, GB_COMPARE_NAME, "%s",
                 with->names && with->names[i] ? with->names[i] : with->estimator[i].type->name);
        c->compared[i].name = name;
        c->compared[i].total_variance = c->compared[i].total_variance_stderr = (double)NAN;
        c->compared[i].variance_times_cost = c->compared[i].seconds = c->compared[i].evaluations =
            (double)NAN;
        c->compared[i].ratio = c->compared[i].ratio_low = c->compared[i].ratio_high = (double)NAN;
    }
    c->it.estimator = c->compared;
    c->it.estimators = c->probe ? with->estimators : 0;
    return c->probe != NULL;
}

gb_comparison *gb_compare_with(gb_compare_options options)
{
    gb_compare_work *const c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->with = options;
    c->it.error = c->error;
    c->it.problem = options.problem;
    c->it.seed = options.seed;
    c->it.draws = options.draws ? options.draws : 10000;
    if (!options_fit(c) || !make_results(c) || !gb_compare_plan(c) || !gb_compare_find_places(c))
        return &c->it;
    if (options.raw)
        fprintf(options.raw, "estimator,draw,parameter,value\n");
    for (size_t i = 0; i < c->it.estimators && c->it.status != GB_ESTOPPED; i++)
        if (c->probe[i].fits)
            measure(c, i);
    gb_compare_ratios(c);
    return &c->it;
}
