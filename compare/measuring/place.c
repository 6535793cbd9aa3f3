/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where estimates are made: at given parameters, or at those that a training reaches. */
#include "compare/measuring/place_impl.h"

#include <math.h>
#include <string.h>

#include "compare/measuring/plan_impl.h"

static const double RATE = 0.05, SMALLEST_RATE = 1e-6;
static const uint64_t OTHER_NOISE = UINT64_C(0x9e3779b97f4a7c15);

typedef struct training {
    gb_replicates r;
    size_t elements;
    double *now, *before;
    double rate;
    bool is_fresh; /* no step since the beginning, or since the last restart */
} training;

/* Undoes a step that left the domain of the parameters; the next steps have half the length and no momentum.
 * If even the smallest step leaves the domain, the training ends: there is no minimum inside. */
static bool take_back(gb_compare_work *c, training *t)
{
    if (t->is_fresh || gb_replicates_status(&t->r) == GB_ENOMEM)
        return gb_compare_failed(c, c->compared[0].name, &t->r);
    gb_forgive(t->r.trial.tape);
    t->is_fresh = true;
    t->rate = t->rate > SMALLEST_RATE ? t->rate / 2 : 0;
    memcpy(t->now, t->before, t->elements * sizeof *t->now);
    return gb_replicates_set(&t->r, t->now) && gb_replicates_restart(&t->r, t->rate) == GB_OK;
}

/* Moves to parameters that have a gradient, in t->now. The run that evaluates it also makes the next step. */
static bool forward(gb_compare_work *c, training *t)
{
    bool good = gb_replicates_get(&t->r, t->now);
    while (good && gb_compare_run(c, &t->r, 0, 1, NULL) == 0)
        good = take_back(c, t);
    t->is_fresh = false;
    memcpy(t->before, t->now, t->elements * sizeof *t->now);
    return good && !c->stopped;
}

/* Stores the parameters at each place along the training. */
static bool train(gb_compare_work *c, training *t)
{
    const int64_t steps = c->with.steps;
    size_t place = 0;
    for (int64_t done = 0; done <= steps; done++) {
        if (!forward(c, t))
            return false;
        while (place < c->places &&
               (c->places == 1 ? done == steps : done >= steps * (int64_t)place / (GB_COMPARE_PLACES - 1)))
            memcpy(c->place + place++ * t->elements, t->now, t->elements * sizeof *t->now);
    }
    return true;
}

static bool follow(gb_compare_work *c)
{
    gb_replicate_plan plan = gb_compare_plan_of(c, 0);
    plan.at_a_time = 1;
    plan.runs = 1;
    plan.rate = RATE;
    plan.seed ^= OTHER_NOISE;
    training t = {.elements = c->it.parameters, .rate = RATE, .is_fresh = true};
    t.now = gb_compare_keep(c, 2 * t.elements, sizeof *t.now);
    if (!t.now)
        return false;
    t.before = t.now + t.elements;
    const bool good = gb_replicates_begin(&t.r, &plan) && train(c, &t);
    if (!good)
        gb_compare_failed(c, c->compared[0].name, &t.r);
    gb_replicates_end(&t.r);
    return good;
}

/* The parameters at which the problem starts. */
static bool start(gb_compare_work *c)
{
    size_t which = 0;
    while (!c->probe[which].fits)
        which++;
    gb_replicate_plan plan = gb_compare_plan_of(c, which);
    gb_replicates r;
    plan.at_a_time = 1;
    const bool good = gb_replicates_begin(&r, &plan) && gb_replicates_get(&r, c->place);
    if (!good)
        gb_compare_failed(c, c->compared[which].name, &r);
    gb_replicates_end(&r);
    return good;
}

static void find_exact(gb_compare_work *c)
{
    const size_t n = c->it.parameters;
    for (size_t p = 0; p < c->places; p++) {
        const bool is_known = gb_replicates_exact(&c->plan, c->place + p * n, n, c->exact + p * n);
        for (size_t i = 0; i < n; i++) {
            double *const exact = &c->exact[p * n + i];
            if (is_known && !isfinite(*exact) && !c->exact_overflow)
                c->exact_overflow = c->it.parameter[i];
            if (!is_known || !isfinite(*exact))
                *exact = (double)NAN;
        }
    }
}

bool gb_compare_find_places(gb_compare_work *c)
{
    c->place = gb_compare_keep(c, c->places * c->it.parameters, sizeof(double));
    c->exact = gb_compare_keep(c, c->places * c->it.parameters, sizeof(double));
    if (!c->place || !c->exact)
        return false;
    if (c->with.at != GB_AT_GIVEN && !c->probe[0].fits)
        return gb_compare_fail(c, GB_EARGUMENT, "compare: the first estimator, which trains, does not fit");
    if (!(c->with.at == GB_AT_GIVEN ? start(c) : follow(c)))
        return false;
    find_exact(c);
    return true;
}
