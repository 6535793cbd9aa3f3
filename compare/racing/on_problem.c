/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Trainings of a problem. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/racing/racing_impl.h"
#include "compare/replicates/train_impl.h"
#include "estimators/list.h"

enum { MOST_NUMBERS = 1 << 17, ASKED_EVERY = 64 };
static const uint64_t OTHER_NOISE = UINT64_C(0x9e3779b97f4a7c15);

static void fail(gb_race_run *run, const gb_replicates *r)
{
    run->status = gb_replicates_status(r);
    run->status = run->status == GB_OK ? GB_ENOMEM : run->status;
    snprintf(run->why, sizeof run->why, "%s", r->trial.tape ? gb_error_text(r->trial.tape) : "out of memory");
}

/* ---- the expected cost ---- */

/* By draws: the same ones at all places. */
typedef struct sampler {
    gb_replicates r;
    int64_t runs;
} sampler;

static bool sampler_begin(sampler *s, const gb_race_course *course)
{
    gb_replicate_plan plan = course->plan;
    const double rows = plan.data ? (double)plan.data->rows : 1,
                 particles = fmax(1, (double)gb_bound_particles(plan.bound));
    const int64_t fit = (int64_t)fmax(2, MOST_NUMBERS / (rows * particles));
    plan.estimator = gb_score();
    plan.samples = 1;
    plan.rate = 0;
    plan.batch = 0;
    plan.seed ^= OTHER_NOISE;
    plan.value = true;
    plan.at_a_time = course->draws < fit ? course->draws : fit;
    plan.at_a_time = plan.at_a_time < 2 ? 2 : plan.at_a_time;
    s->runs = (course->draws + plan.at_a_time - 1) / plan.at_a_time;
    return gb_replicates_begin(&s->r, &plan);
}

static double sampled(sampler *s, const double *parameters)
{
    double sum = 0;
    if (!gb_replicates_set(&s->r, parameters) || gb_program_set_step(s->r.program, 0) != GB_OK)
        return (double)NAN;
    for (int64_t i = 0; i < s->runs; i++) {
        size_t stride;
        if (!gb_replicates_run(&s->r, NULL))
            return (double)NAN;
        const double *const value = gb_replicates_element(&s->r, s->r.elements - 1, &stride);
        for (int64_t k = 0; k < s->r.plan.at_a_time; k++)
            sum += value[(size_t)k * stride];
    }
    return sum / (double)(s->runs * s->r.plan.at_a_time);
}

/* Stores the expected cost at each place that was reached. */
static void evaluate(gb_race_course *course, gb_race_run *run, size_t reached, size_t elements,
                     const double *place)
{
    gb_replicate_plan plan = course->plan;
    plan.value = true;
    double *const exact = malloc((elements + 1) * sizeof *exact);
    sampler s;
    if (!exact) {
        run->status = GB_ENOMEM;
        return;
    }
    course->is_exact = reached > 0 && gb_replicates_exact(&plan, place, elements + 1, exact);
    const bool is_ready = course->is_exact || sampler_begin(&s, course);
    for (size_t i = 0; i < reached && is_ready; i++) {
        const double *const at = place + i * elements;
        if (!course->is_exact)
            run->value[i] = sampled(&s, at);
        else if (gb_replicates_exact(&plan, at, elements + 1, exact))
            run->value[i] = exact[elements];
    }
    if (!course->is_exact) {
        if (gb_replicates_status(&s.r) != GB_OK && run->status == GB_OK)
            fail(run, &s.r);
        gb_replicates_end(&s.r);
    }
    free(exact);
}

/* ---- training ---- */

/* Returns how many points were reached; their parameters are in `place`. */
static size_t train(const gb_race_course *course, gb_race_run *run, gb_problem_training *t, double *place)
{
    const int64_t steps = course->step[course->points - 1];
    double seconds = 0;
    size_t at = 0;
    for (int64_t done = 0; done <= steps; done++) {
        const double before = seconds;
        if (!gb_problem_forward(t, &seconds)) {
            fail(run, &t->r);
            return at;
        }
        while (at < course->points && done >= course->step[at]) {
            memcpy(place + at * t->elements, t->now, t->elements * sizeof *t->now);
            run->seconds[at++] = before;
        }
        if (course->goes_on && done % ASKED_EVERY == 0 &&
            !course->goes_on(course->user, (double)done / (double)(steps + 1))) {
            run->status = GB_ESTOPPED;
            return at;
        }
    }
    return at;
}

void gb_race_on_problem(gb_race_course *course, gb_race_run *run)
{
    gb_problem_training t;
    gb_replicate_plan plan = course->plan;
    plan.estimator = run->estimator;
    plan.seed = run->seed;
    if (!gb_problem_training_begin(&t, &plan)) {
        run->is_unfit = true;
        fail(run, &t.r);
        gb_problem_training_end(&t);
        return;
    }
    double *const place = malloc((course->points * t.elements + 1) * sizeof *place);
    if (place)
        evaluate(course, run, train(course, run, &t, place), t.elements, place);
    else
        run->status = GB_ENOMEM;
    free(place);
    gb_problem_training_end(&t);
}
