/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where estimates are made: at given parameters, or at what a training by Adam (Kingma and Ba 2015) comes to. */
#include <math.h>
#include <string.h>

#include "estimators/compare_impl.h"

enum { PATH_PLACES = 10 };
static const double RATE = 0.05, SMALLEST_RATE = 1e-6;
static const uint64_t OTHER_NOISE = UINT64_C(0x9e3779b97f4a7c15);

typedef struct training {
    gb_replicates r;
    size_t elements;
    double *now, *before, *mean, *square;
    double rate;
    int64_t step;
} training;

/* A step that leads out of what the parameters may be is taken back; further ones are half as long and forget the
 * momentum. Where even the smallest does, the training is over: there is no minimum inside. */
static bool gradient(gb_compare_work *c, training *t)
{
    while (!gb_replicates_set(&t->r, t->now) || !gb_replicates_run(&t->r, NULL)) {
        if (t->step == 0 || gb_replicates_status(&t->r) == GB_ENOMEM)
            return gb_compare_failed(c, c->compared[0].name, &t->r);
        gb_forgive(t->r.trial.tape);
        t->rate /= 2;
        t->step = 0;
        memcpy(t->now, t->before, t->elements * sizeof *t->now);
        memset(t->mean, 0, t->elements * sizeof *t->mean);
        memset(t->square, 0, t->elements * sizeof *t->square);
    }
    return true;
}

static void step(training *t)
{
    static const double KEEP_MEAN = 0.9, KEEP_SQUARE = 0.999, LEAST = 1e-8;
    t->step++;
    memcpy(t->before, t->now, t->elements * sizeof *t->now);
    for (size_t i = 0; i < t->elements; i++) {
        size_t stride;
        const double g = *gb_replicates_element(&t->r, i, &stride);
        t->mean[i] = KEEP_MEAN * t->mean[i] + (1 - KEEP_MEAN) * g;
        t->square[i] = KEEP_SQUARE * t->square[i] + (1 - KEEP_SQUARE) * g * g;
        const double mean = t->mean[i] / (1 - pow(KEEP_MEAN, (double)t->step));
        const double square = t->square[i] / (1 - pow(KEEP_SQUARE, (double)t->step));
        t->now[i] -= t->rate * mean / (sqrt(square) + LEAST);
    }
}

/* Notes the parameters at each place that the training comes by. */
static bool train(gb_compare_work *c, training *t)
{
    const int64_t steps = c->with.steps ? c->with.steps : 1000;
    size_t place = 0;
    for (int64_t done = 0;; done++) {
        if (!gradient(c, t))
            return false;
        while (place < c->places &&
               (c->places == 1 ? done == steps : done >= steps * (int64_t)place / (PATH_PLACES - 1)))
            memcpy(c->place + place++ * t->elements, t->now, t->elements * sizeof *t->now);
        if (done == steps)
            return true;
        if (t->rate > SMALLEST_RATE)
            step(t);
    }
}

static bool follow(gb_compare_work *c)
{
    gb_replicate_plan plan = gb_compare_plan_of(c, 0);
    plan.at_a_time = 1;
    plan.seed ^= OTHER_NOISE;
    training t = {.elements = c->it.parameters, .rate = RATE};
    t.now = gb_compare_keep(c, 4 * t.elements, sizeof *t.now);
    if (!t.now)
        return false;
    t.before = t.now + t.elements;
    t.mean = t.before + t.elements;
    t.square = t.mean + t.elements;
    bool good = gb_replicates_begin(&t.r, &plan) && gb_replicates_get(&t.r, t.now);
    if (!good)
        gb_compare_failed(c, c->compared[0].name, &t.r);
    good = good && train(c, &t);
    gb_replicates_end(&t.r);
    return good;
}

/* Those that the problem itself starts from. */
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
    for (size_t p = 0; p < c->places; p++)
        if (!gb_replicates_exact(&c->plan, c->place + p * n, n, c->exact + p * n))
            for (size_t i = 0; i < n; i++)
                c->exact[p * n + i] = (double)NAN;
}

bool gb_compare_find_places(gb_compare_work *c)
{
    c->places = c->with.at == GB_AT_PATH ? PATH_PLACES : 1;
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
