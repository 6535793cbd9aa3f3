/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Trainings of a model by gb_fit. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compare/racing/racing_impl.h"
#include "estimators/list.h"
#include "fitting/fit.h"
#include "models/elbo/elbo_impl.h"
#include "models/elbo/swap_impl.h"
#include "models/training/batches_impl.h"
#include "models/training/onlooker_impl.h"

/* Samples of a run of an evaluation. */
enum { AT_ONCE = 100 };

/* What follows a training. */
typedef struct following {
    gb_onlooker onlooker;
    const gb_race_course *course;
    gb_race_run *run;
    gb_tape *tape;
    gb_elbo *elbo; /* evaluates */
    gb_program *program;
    gb_node bound;
    gb_batches *data; /* NULL: the inputs have been fed */
    int64_t runs;
    size_t at; /* the next point */
} following;

static void fail(gb_race_run *run, const gb_tape *tape, bool is_unfit)
{
    run->status = tape ? gb_error(tape) : GB_ENOMEM;
    run->is_unfit = is_unfit;
    snprintf(run->why, sizeof run->why, "%s", tape ? gb_error_text(tape) : "out of memory");
}

/* ---- the bound ---- */

/* The model with estimators whose values are those of its draws; itself, if its own are. */
static gb_elbo *evaluated(gb_elbo *e)
{
    const size_t draws = gb_elbo_draws(e, NULL, 0);
    gb_swap *const swap = gb_tape_keep(e->tape, (draws + 1) * sizeof *swap);
    const char **const name = gb_tape_keep(e->tape, (draws + 1) * sizeof *name);
    size_t swaps = 0;
    if (!swap || !name)
        return NULL;
    gb_elbo_draws(e, name, draws);
    for (size_t i = 0; i < draws; i++)
        if (gb_elbo_estimator_of(e, name[i]).type->relaxes)
            swap[swaps++] = (gb_swap){.latent = name[i], .estimator = gb_score()};
    return swaps > 0 ? gb_elbo_swapped(e, "bound", swaps, swap) : e;
}

static bool prepare(following *f, gb_elbo *e, const gb_fit_options *o)
{
    f->elbo = evaluated(e);
    f->bound = f->elbo ? gb_elbo_objective(f->elbo) : (gb_node){0};
    if (!gb_node_ok(f->bound))
        return false;
    f->data = o->data ? gb_batches_again(o->data, "race.batches") : NULL;
    f->program = gb_compile(f->tape, gb_roots(f->bound), gb_no_update);
    const int64_t draws = f->course->draws, each = draws < AT_ONCE ? draws : AT_ONCE;
    f->runs = (draws + each - 1) / each;
    return f->program && gb_program_set_samples(f->program, each) == GB_OK;
}

/* One run on all data: batches weigh as many rows as they have. The noise is that of `number`. */
static bool add_run(following *f, uint64_t number, double *sum)
{
    const double rows = (double)gb_batches_rows(f->data);
    double before = 0;
    do {
        if (f->data && !gb_next_batch(f->data))
            return gb_error(f->tape) == GB_OK;
        const double now = (double)gb_batches_at(f->data).row;
        if (gb_program_set_step(f->program, number) != GB_OK || gb_run(f->program) != GB_OK)
            return false;
        *sum += gb_value(f->bound) * (f->data ? (now - before) / rows : 1);
        before = now;
    } while (f->data);
    return true;
}

static double value_of(following *f)
{
    double sum = 0;
    gb_feeds *const feeds = f->data ? gb_tape_set_feeds_aside(f->tape) : NULL;
    bool good =
        gb_error(f->tape) == GB_OK && (!f->data || gb_batches_go(f->data, (gb_batches_place){0}) == GB_OK);
    for (int64_t i = 0; i < f->runs && good; i++)
        good = add_run(f, (uint64_t)i, &sum);
    gb_feeds_put_back(feeds);
    return good ? sum / (double)f->runs : (double)NAN;
}

/* A bound that cannot be evaluated at a point is not known there. */
static void look_on(void *user, const gb_moment *moment)
{
    following *const f = user;
    const gb_race_course *const c = f->course;
    while (f->at < c->points && moment->step >= (uint64_t)c->step[f->at]) {
        f->run->seconds[f->at] = moment->seconds;
        f->run->value[f->at] = value_of(f);
        if (gb_error(f->tape) != GB_OK && gb_error(f->tape) != GB_ENOMEM) {
            if (!*f->run->why)
                snprintf(f->run->why, sizeof f->run->why, "%s", gb_error_text(f->tape));
            gb_forgive(f->tape);
        }
        f->at++;
    }
}

/* ---- training ---- */

static bool options_fit(gb_tape *t, const gb_fit_options *o)
{
    if (o->each)
        gb_fail(t, GB_EARGUMENT, "race: `make` sets .each, which the race cannot call; leave it out");
    else if (!o->optimiser.type)
        gb_fail(t, GB_EARGUMENT, "race: `make` gives no .optimiser, and only trainings by steps can race");
    else if (o->checkpoint)
        gb_fail(t, GB_EARGUMENT, "race: `make` gives a .checkpoint, which each training would replace");
    return gb_error(t) == GB_OK;
}

static void train(gb_race_course *course, gb_race_run *run, gb_tape *t)
{
    following f = {.course = course, .run = run, .tape = t};
    gb_fit_options o = {.size = sizeof o};
    gb_elbo *const e = course->make(course->maker, t, &o);
    const gb_swap swap = {.latent = course->latent, .estimator = run->estimator};
    if (!e && gb_error(t) == GB_OK)
        gb_fail(t, GB_EARGUMENT, "race: `make` returned no ELBO");
    gb_elbo *const swapped =
        e && options_fit(t, &o) && prepare(&f, e, &o) ? gb_elbo_swapped(e, "race", 1, &swap) : NULL;
    if (!swapped) {
        fail(run, t, true);
        return;
    }
    o.steps = course->step[course->points - 1];
    o.epochs = 0;
    f.onlooker = (gb_onlooker){.look = look_on, .user = &f};
    gb_elbo_add_onlooker(swapped, &f.onlooker);
    if (gb_fit_with(swapped, &o).status != GB_OK)
        fail(run, t, false);
    gb_elbo_remove_onlooker(swapped, &f.onlooker);
}

void gb_race_on_model(gb_race_course *course, gb_race_run *run)
{
    gb_tape_options options;
    const bool is_read = gb_options_copy(&options, sizeof options, course->tape);
    options.seed = run->seed;
    gb_tape *const t = is_read ? gb_tape_new_with(&options) : NULL;
    if (t && gb_error(t) == GB_OK)
        train(course, run, t);
    else
        fail(run, t, true);
    if (!is_read) {
        run->status = GB_EARGUMENT;
        snprintf(run->why, sizeof run->why, "race: the options of the tape have no size");
    }
    gb_tape_free(t);
    if (course->goes_on && !course->goes_on(course->user, 1))
        run->status = GB_ESTOPPED;
}
