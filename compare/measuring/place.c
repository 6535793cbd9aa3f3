/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where estimates are made: at given parameters, or at those that a training reaches. */
#include "compare/measuring/place_impl.h"

#include <math.h>
#include <string.h>

#include "compare/measuring/plan_impl.h"
#include "compare/replicates/train_impl.h"

static const double RATE = 0.05;
static const uint64_t OTHER_NOISE = UINT64_C(0x9e3779b97f4a7c15);

/* Stores the parameters at each of several places along the training: the last one at its end, and if there
 * are others the first one at its start. */
static bool train(gb_compare_work *c, gb_problem_training *t, size_t places, double *place)
{
    const int64_t steps = c->with.steps;
    size_t at = 0;
    for (int64_t done = 0; done <= steps; done++) {
        if (!gb_problem_forward(t, NULL))
            return gb_compare_failed(c, c->compared[0].name, &t->r);
        if (!gb_compare_made(c, 1))
            return false;
        while (at < places && done >= gb_compare_step_of(c, places, at))
            memcpy(place + at++ * t->elements, t->now, t->elements * sizeof *t->now);
    }
    return true;
}

int64_t gb_compare_step_of(const gb_compare_work *c, size_t places, size_t at)
{
    return places == 1 ? c->with.steps : c->with.steps * (int64_t)at / ((int64_t)places - 1);
}

bool gb_compare_follow(gb_compare_work *c, size_t places, double *place)
{
    gb_problem_training t;
    gb_replicate_plan plan = gb_compare_plan_of(c, 0);
    plan.at_a_time = 1;
    plan.runs = 1;
    plan.rate = RATE;
    plan.seed ^= OTHER_NOISE;
    if (!c->probe[0].fits)
        return gb_compare_fail(c, GB_EARGUMENT, "compare: the first estimator, which trains, does not fit");
    const bool is_begun = gb_problem_training_begin(&t, &plan);
    if (!is_begun)
        gb_compare_failed(c, c->compared[0].name, &t.r);
    const bool good = is_begun && train(c, &t, places, place);
    gb_problem_training_end(&t);
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
    const bool is_known = gb_replicates_exact(&c->plan, c->place, c->it.parameters, c->exact);
    for (size_t i = 0; i < c->it.parameters; i++) {
        double *const exact = &c->exact[i];
        if (is_known && !isfinite(*exact) && !c->exact_overflow)
            c->exact_overflow = c->it.parameter[i];
        if (!is_known || !isfinite(*exact))
            *exact = (double)NAN;
    }
}

bool gb_compare_find_place(gb_compare_work *c, const double *given)
{
    c->place = gb_compare_keep(c, c->it.parameters, sizeof(double));
    c->exact = gb_compare_keep(c, c->it.parameters, sizeof(double));
    if (!c->place || !c->exact)
        return false;
    c->it.at = c->place;
    if (given)
        memcpy(c->place, given, c->it.parameters * sizeof *given);
    else if (!(c->with.at == GB_AT_GIVEN ? start(c) : gb_compare_follow(c, 1, c->place)))
        return false;
    find_exact(c);
    c->rarest = gb_replicates_rarest(&c->plan, c->place, c->it.parameters);
    return gb_replicates_have_cost(&c->plan, c->place, c->it.parameters) ||
           gb_compare_fail(
               c, GB_ENONFINITE,
               "compare: the cost of %s is no number at some of its draws, whatever its gradients "
               "are; is it defined for all values that they have?",
               c->it.problem->name);
}
