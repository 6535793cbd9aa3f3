/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The number of samples of each estimator, and the number of replicates side by side. */
#include "compare/measuring/plan_impl.h"

#include <math.h>
#include <string.h>

/* All estimators have the same number of replicates, since their noise is common only then. About a thousand
 * hide the overhead of a run; the numbers of a large problem should still fit in the cache. */
enum { MOST_NUMBERS = 1 << 17 };

gb_replicate_plan gb_compare_plan_of(const gb_compare_work *c, size_t which)
{
    gb_replicate_plan plan = c->plan;
    plan.estimator = c->with.estimator[which];
    plan.samples = c->probe[which].samples;
    if (c->probe[which].learns || plan.batch > 0) {
        plan.at_a_time = 1;
        plan.runs = GB_COMPARE_TOGETHER;
    }
    return plan;
}

static bool keep_names(gb_compare_work *c, const gb_replicates *r)
{
    const size_t count = gb_replicates_parameters(r);
    const char **const names = gb_compare_keep(c, count, sizeof *names);
    for (size_t i = 0; names && i < count; i++) {
        char *const name = gb_compare_keep(c, 1, GB_COMPARE_NAME);
        if (!name)
            return false;
        gb_replicates_name(r, i, GB_COMPARE_NAME, name);
        names[i] = name;
    }
    c->it.parameter = names;
    c->it.parameters = names ? count : 0;
    return names != NULL;
}

/* Leave-one-out means of antithetic pairs need so many samples. */
enum { MOST_NEEDED = 3 };

/* Records the problem with one sample, and, if that fails, with more. */
static void probe(gb_compare_work *c, size_t which)
{
    gb_compare_probe *const probe = &c->probe[which];
    gb_replicate_plan plan = c->plan;
    plan.estimator = c->with.estimator[which];
    plan.at_a_time = 1;
    for (plan.samples = 1; plan.samples <= MOST_NEEDED && !probe->fits; plan.samples++) {
        gb_replicates r;
        const bool good = gb_replicates_begin(&r, &plan);
        if (good && (c->it.parameters > 0 || keep_names(c, &r)))
            *probe = (gb_compare_probe){.fits = true,
                                        .evaluations = r.evaluations,
                                        .costs_vary = r.costs_vary,
                                        .least = plan.samples,
                                        .rows = r.trial.rows,
                                        .learns = r.learned > 0};
        else if (plan.samples == MOST_NEEDED)
            gb_compare_failed_one(c, which, &r);
        gb_replicates_end(&r);
    }
}

static double evaluations(const gb_compare_probe *p, int64_t samples)
{
    return p->costs_vary ? p->evaluations * (double)samples : p->evaluations;
}

/* The cost of the cheapest estimator whose cost varies with the samples; or, if an estimator needs more, that
 * one's least cost. */
static double budget(const gb_compare_work *c)
{
    double cheapest = (double)INFINITY, most = 0;
    for (size_t i = 0; i < c->it.estimators; i++) {
        const gb_compare_probe *const p = &c->probe[i];
        if (p->fits)
            most = fmax(most, evaluations(p, p->least));
        if (p->fits && p->costs_vary)
            cheapest = fmin(cheapest, evaluations(p, c->it.samples));
    }
    return isfinite(cheapest) ? fmax(cheapest, most) : most;
}

/* Checked here, because the requested number is known here; a tape would report its own samples. */
static bool has_enough(gb_compare_work *c, size_t which)
{
    const gb_compare_probe *const p = &c->probe[which];
    c->compared[which].least = p->least;
    return c->with.equal_cost || p->least <= c->it.samples ||
           gb_compare_fail_one(c, which, GB_EARGUMENT, "an estimate needs %lld samples or more, not %lld",
                               (long long)p->least, (long long)c->it.samples);
}

static void share_samples(gb_compare_work *c)
{
    int64_t least = 1;
    for (size_t i = 0; i < c->it.estimators; i++)
        least = c->probe[i].least > least ? c->probe[i].least : least;
    c->it.samples = c->with.samples ? c->with.samples : least;
    for (size_t i = 0; i < c->it.estimators; i++)
        c->probe[i].fits = c->probe[i].fits && has_enough(c, i);
    const double affordable = budget(c);
    for (size_t i = 0; i < c->it.estimators; i++) {
        gb_compare_probe *const p = &c->probe[i];
        if (!p->fits)
            continue;
        p->samples = c->it.samples;
        if (c->with.equal_cost && p->costs_vary)
            p->samples = (int64_t)fmax(floor(affordable / p->evaluations), (double)p->least);
        c->compared[i].samples = p->samples;
        c->compared[i].evaluations = evaluations(p, p->samples);
    }
}

/* The numbers that one replicate of the most expensive estimator holds at each step of its computation. */
static double numbers(const gb_compare_work *c)
{
    const gb_problem_data *const data = c->with.data;
    double most = 1, rows = data ? (double)data->rows : 1;
    for (size_t i = 0; i < c->it.estimators; i++) {
        most = fmax(most, c->compared[i].evaluations);
        rows = fmax(rows, (double)c->probe[i].rows);
    }
    const double particles = fmax(1, (double)gb_bound_particles(c->with.bound));
    return most * fmax(rows, (double)c->it.parameters) * particles;
}

bool gb_compare_plan(gb_compare_work *c)
{
    c->plan = (gb_replicate_plan){.problem = c->with.problem,
                                  .data = c->with.data,
                                  .seed = c->with.seed,
                                  .threads = c->with.threads,
                                  .bound = c->with.bound,
                                  .batch = c->with.batch,
                                  .real = c->with.real};
    memcpy(c->plan.setting, c->it.setting, sizeof c->plan.setting);
    for (size_t i = 0; i < c->it.estimators; i++)
        probe(c, i);
    share_samples(c);
    const double room = floor(fmin(GB_COMPARE_TOGETHER, MOST_NUMBERS / numbers(c)));
    c->plan.at_a_time = (int64_t)fmin(fmax(room, 2), (double)c->it.draws);
    for (size_t i = 0; i < c->it.estimators; i++)
        if (c->probe[i].fits)
            return true;
    return false;
}
