/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A race: its options, the order of trainings, and means over the seeds. */
#include "compare/race.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "compare/racing/racing_impl.h"
#include "compare/replicates/counts_impl.h"
#include "compare/replicates/figure_impl.h"
#include "core/ground/clock_impl.h"

enum {
    MOST_ESTIMATORS = 16,
    MOST_POINTS = 10000,
    NAME = 512,
    SEEDS = 5,
    STEPS = 1000,
    POINTS = 21,
    DRAWS = 1000,
    WARM_STEPS = 20
};
static const double RATE = 0.05, TELL_EVERY = 0.1;

typedef struct racing {
    gb_racing it; /* first: gb_racing_free gets its address */
    gb_race_options with;
    gb_race_course course;
    gb_raced raced[MOST_ESTIMATORS];
    char name[MOST_ESTIMATORS][NAME], why[MOST_ESTIMATORS][GB_RACE_WORDS];
    int64_t *step;
    double *values;       /* [estimator][value, seconds][seed][point] */
    gb_race_point *point; /* [estimator][point] */
    double *scratch;      /* [seed] */
    gb_comparison *asked; /* NULL: of a model */
    double done, told;    /* trainings so far; when progress was last reported */
    char error[GB_RACE_WORDS];
} racing;

static bool GB_PRINTF(3, 4) fail(racing *r, gb_status status, const char *format, ...)
{
    if (r->it.status != GB_OK)
        return false;
    va_list words;
    va_start(words, format);
    vsnprintf(r->error, sizeof r->error, format, words);
    va_end(words);
    r->it.status = status;
    return false;
}

void gb_racing_free(gb_racing *it)
{
    racing *const r = (racing *)it;
    if (!r)
        return;
    free(r->step);
    free(r->values);
    free(r->point);
    free(r->scratch);
    gb_comparison_free(r->asked);
    free(r);
}

/* ---- options ---- */

static bool numbers_fit(racing *r)
{
    const gb_race_options *const o = &r->with;
    const gb_count counts[] = {{"seeds", o->seeds, 1, GB_COMPARE_MOST_SEEDS},
                               {"steps", o->steps, 1, GB_COMPARE_MOST_STEPS},
                               {"points", o->points, 2, MOST_POINTS},
                               {"draws", o->draws, 1, GB_COMPARE_MOST_DRAWS},
                               {"samples", o->samples, 1, GB_COMPARE_MOST_SAMPLES},
                               {"threads", o->threads, 1, GB_COMPARE_MOST_THREADS},
                               {"batch", o->batch, 1, GB_COMPARE_MOST_BATCH}};
    char words[200];
    if (!gb_counts_fit(sizeof counts / sizeof *counts, counts, sizeof words, words))
        return fail(r, GB_EARGUMENT, "race: %s", words);
    if (!(o->rate >= 0 && o->rate < HUGE_VAL))
        return fail(r, GB_EARGUMENT, "race: .rate is %g; it must be 0 or more", o->rate);
    return true;
}

static bool lists_fit(racing *r)
{
    const gb_estimator_list list = r->with.estimators;
    if (list.count == 0 || !list.estimator || list.count > MOST_ESTIMATORS)
        return fail(r, GB_EARGUMENT, "race: %zu estimators%s; there are 1 to %d", list.count,
                    list.count > 0 && !list.estimator ? ", and the list is NULL" : "", MOST_ESTIMATORS);
    for (size_t i = 0; i < list.count; i++)
        if (!list.estimator[i].type)
            return fail(r, GB_EARGUMENT, "race: estimator number %zu has no type", i + 1);
    if (!r->with.problem == !r->with.make)
        return fail(r, GB_EARGUMENT, "race: one of .problem and .make is required, and not both");
    if ((r->with.bound.type || r->with.batch) && !r->with.problem)
        return fail(r, GB_EARGUMENT, "race: .bound and .batch are for problems; a model has its own");
    return true;
}

static int64_t usual(int64_t given, int64_t otherwise)
{
    return given ? given : otherwise;
}

/* ---- memory ---- */

static void name_all(racing *r)
{
    const gb_estimator_list list = r->with.estimators;
    for (size_t i = 0; i < list.count; i++) {
        if (r->with.names && r->with.names[i])
            snprintf(r->name[i], NAME, "%s", r->with.names[i]);
        else
            gb_estimator_text(list.estimator[i], r->name[i], NAME);
        r->raced[i].name = r->name[i];
        r->raced[i].why = r->why[i];
    }
    r->it.estimator = r->raced;
    r->it.estimators = list.count;
}

static bool make_room(racing *r)
{
    const int64_t steps = usual(r->with.steps, STEPS), asked = usual(r->with.points, POINTS);
    const size_t points = (size_t)(asked <= steps ? asked : steps + 1), /* no step twice */
        seeds = (size_t)usual(r->with.seeds, SEEDS), all = r->with.estimators.count;
    r->step = calloc(points, sizeof *r->step);
    r->values = calloc(2 * all * seeds * points, sizeof *r->values);
    r->point = calloc(all * points, sizeof *r->point);
    r->scratch = calloc(seeds, sizeof *r->scratch);
    if (!r->step || !r->values || !r->point || !r->scratch)
        return fail(r, GB_ENOMEM, "race: no memory for %zu points of %zu trainings", points, all * seeds);
    for (size_t i = 0; i < points; i++)
        r->step[i] = steps * (int64_t)i / ((int64_t)points - 1);
    for (size_t i = 0; i < 2 * all * seeds * points; i++)
        r->values[i] = (double)NAN;
    r->it.points = points;
    r->it.step = r->step;
    r->it.seeds = (int64_t)seeds;
    r->it.draws = usual(r->with.draws, DRAWS);
    return true;
}

static double *values_of(const racing *r, size_t estimator, int which, int64_t seed)
{
    const size_t seeds = (size_t)r->it.seeds, points = r->it.points;
    return r->values + ((2 * estimator + (size_t)which) * seeds + (size_t)seed) * points;
}

/* ---- trainings ---- */

static bool goes_on(void *user, double part)
{
    racing *const r = user;
    const double now = gb_seconds(), all = (double)r->it.seeds * (double)r->it.estimators;
    if (!r->with.progress || (part < 1 && now - r->told < TELL_EVERY))
        return true;
    r->told = now;
    return r->with.progress(r->with.user, fmin((r->done + part) / all, 1));
}

/* A few steps that do not count: the first ones of a process, and of an estimator, wait for memory, code and
 * threads. What goes wrong, the training says. */
static void warm_up(racing *r, size_t estimator)
{
    int64_t step[] = {0, r->step[r->it.points - 1]};
    double values[2], seconds[2];
    gb_race_course short_one = r->course;
    gb_race_run run = {.estimator = r->with.estimators.estimator[estimator],
                       .seed = r->with.seed,
                       .value = values,
                       .seconds = seconds};
    step[1] = step[1] < WARM_STEPS ? step[1] : WARM_STEPS;
    short_one.points = sizeof step / sizeof *step;
    short_one.step = step;
    short_one.draws = 2;
    short_one.goes_on = NULL;
    (r->with.problem ? gb_race_on_problem : gb_race_on_model)(&short_one, &run);
}

/* Returns false if the race ends. */
static bool run_one(racing *r, size_t estimator, int64_t seed)
{
    gb_race_run run = {.estimator = r->with.estimators.estimator[estimator],
                       .seed = r->with.seed + (uint64_t)seed,
                       .value = values_of(r, estimator, 0, seed),
                       .seconds = values_of(r, estimator, 1, seed)};
    (r->with.problem ? gb_race_on_problem : gb_race_on_model)(&r->course, &run);
    r->done++;
    if (run.status == GB_ESTOPPED)
        return fail(r, GB_ESTOPPED, "race: stopped after %g of %g trainings", r->done - 1,
                    (double)r->it.seeds * (double)r->it.estimators);
    if (*run.why && !*r->why[estimator])
        snprintf(r->why[estimator], sizeof r->why[estimator], "%s", run.why);
    r->raced[estimator].failed += run.status != GB_OK && !run.is_unfit;
    if (run.status != GB_OK)
        fail(r, run.status, "%.100s: %.500s", r->name[estimator], run.why);
    return !run.is_unfit;
}

/* Means over the trainings that came so far. */
static void conclude(racing *r, size_t estimator)
{
    gb_raced *const one = &r->raced[estimator];
    gb_race_point *const point = r->point + estimator * r->it.points;
    one->point = point;
    one->value = values_of(r, estimator, 0, 0);
    one->seconds = values_of(r, estimator, 1, 0);
    for (size_t p = 0; p < r->it.points; p++)
        for (int which = 0; which < 2; which++) {
            size_t count = 0;
            for (int64_t s = 0; s < r->it.seeds; s++) {
                const double x = values_of(r, estimator, which, s)[p];
                if (isfinite(x))
                    r->scratch[count++] = x;
            }
            const gb_figure f =
                count > 0 ? gb_figure_of_mean(count, r->scratch, which == 1) : gb_figure_unknown();
            *(which == 0 ? &point[p].value : &point[p].seconds) = f;
        }
}

/* What is asked of a problem is checked and kept as by a comparison. */
static bool ask(racing *r)
{
    const gb_race_options *const o = &r->with;
    const gb_compare_options as = {.size = sizeof as,
                                   .problem = o->problem,
                                   .settings = o->settings,
                                   .setting = o->setting,
                                   .estimators = o->estimators.count,
                                   .estimator = o->estimators.estimator,
                                   .names = o->names,
                                   .samples = o->samples,
                                   .draws = r->it.draws,
                                   .seed = o->seed,
                                   .threads = o->threads,
                                   .real = o->real,
                                   .data = o->data,
                                   .bound = o->bound,
                                   .batch = o->batch};
    if (!o->problem)
        return true;
    gb_comparison *const asked = r->asked = gb_compare_question(&as);
    if (!asked)
        return fail(r, GB_ENOMEM, "race: no memory for what is asked");
    if (asked->estimators == 0)
        return fail(r, asked->status, "race: %s", asked->error);
    asked->steps = r->it.step[r->it.points - 1];
    r->it.asked = asked;
    r->it.rate = o->rate > 0 ? o->rate : RATE;
    r->course.plan = (gb_replicate_plan){.problem = o->problem,
                                         .data = o->data,
                                         .samples = asked->samples,
                                         .rate = r->it.rate,
                                         .seed = o->seed,
                                         .threads = o->threads,
                                         .real = o->real,
                                         .bound = o->bound,
                                         .batch = o->batch};
    memcpy(r->course.plan.setting, asked->setting, sizeof asked->setting);
    return true;
}

static void plan(racing *r)
{
    gb_race_course *const c = &r->course;
    c->points = r->it.points;
    c->step = r->step;
    c->draws = r->it.draws;
    c->goes_on = goes_on;
    c->user = r;
    c->make = r->with.make;
    c->maker = r->with.user;
    c->tape = r->with.tape;
    c->latent = r->with.latent;
    r->it.what = r->with.problem ? r->with.problem->formula : "the bound";
    r->it.rises = !r->with.problem || r->with.problem->is_log_weight;
}

/* Seed by seed, so that a race that is stopped is fair. */
static void run(racing *r)
{
    bool unfit[MOST_ESTIMATORS] = {false};
    for (size_t i = 0; i < r->it.estimators; i++)
        warm_up(r, i);
    for (int64_t s = 0; s < r->it.seeds && r->it.status != GB_ESTOPPED; s++)
        for (size_t i = 0; i < r->it.estimators && r->it.status != GB_ESTOPPED; i++)
            if (!unfit[i])
                unfit[i] = !run_one(r, i, s) && r->it.status != GB_ESTOPPED;
    for (size_t i = 0; i < r->it.estimators; i++)
        if (!unfit[i])
            conclude(r, i);
    r->it.is_exact = r->course.is_exact;
}

gb_racing *gb_race_with(const gb_race_options *options)
{
    racing *const r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->it.error = r->error;
    r->it.what = "";
    if (!gb_options_copy(&r->with, sizeof r->with, options))
        fail(
            r, GB_EARGUMENT,
            "race: the options struct has no size, or sets members that this version of the library does not "
            "know");
    else if (numbers_fit(r) && lists_fit(r) && make_room(r) && ask(r)) {
        name_all(r);
        plan(r);
        run(r);
    }
    return &r->it;
}
