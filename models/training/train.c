/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The training: history, steps, and end. */
#include <math.h>
#include <string.h>

#include "core/graph/feeds_impl.h"
#include "core/ground/clock_impl.h"
#include "core/team.h"
#include "estimators/baseline.h"
#include "models/elbo/elbo_impl.h"
#include "models/training/batches_impl.h"
#include "models/training/data_impl.h"
#include "models/training/early_impl.h"
#include "models/training/fit_impl.h"
#include "models/training/onlooker_impl.h"
#include "models/training/program_impl.h"
#include "models/training/progress_impl.h"
#include "models/training/resume_impl.h"

enum { MOST_POINTS = 65536, LEAST_ROOM = 16 };

/* ---- history ---- */

static gb_fit_point point_of(const gb_fit_run *f)
{
    const gb_fit_window *const w = &f->window;
    const double n = (double)w->count;
    return (gb_fit_point){.step = gb_program_step(f->result.program),
                          .epoch = gb_batches_at(f->options.data).epoch,
                          .elbo = w->count > 0 ? w->mean : (double)NAN,
                          .error = w->count > 1 ? sqrt(w->squares / (n - 1) / n) : (double)NAN,
                          .gradient_norm = f->gradient_norm,
                          .seconds = gb_seconds() - f->began,
                          .validation = f->early.validation,
                          .validation_error = f->early.error};
}

/* Makes room for one more point before it is needed; fails if the tape has an error. The room doubles, up to
 * twice the number of points that are returned. Then the older half is dropped. */
static bool make_room(gb_fit_run *f)
{
    if (f->result.points < f->room)
        return true;
    if (f->room == 2 * MOST_POINTS) {
        f->result.points = MOST_POINTS;
        memcpy(f->point, f->point + MOST_POINTS, MOST_POINTS * sizeof *f->point);
        return true;
    }
    const size_t room = f->room ? 2 * f->room : LEAST_ROOM;
    gb_fit_point *const more = gb_tape_keep(f->tape, room * sizeof *more);
    if (!more)
        return false;
    if (f->point)
        memcpy(more, f->point, f->result.points * sizeof *more);
    f->point = more;
    f->room = room;
    return true;
}

static bool remember(gb_fit_run *f)
{
    f->point[f->result.points++] = f->result.last = point_of(f);
    return gb_error(f->tape) != GB_OK || make_room(f);
}

/* Stores the latest points in the result. */
static void show_history(gb_fit_run *f)
{
    const size_t forgotten = f->result.points > MOST_POINTS ? f->result.points - MOST_POINTS : 0;
    f->result.points -= forgotten;
    f->result.point = f->point ? f->point + forgotten : NULL;
}

/* ---- beginning ---- */

/* An optimiser with trial points compares losses of different steps, so the data must stay the same. */
static bool data_stay(const gb_fit_run *f)
{
    const gb_batches *const data = f->options.data;
    const long long rows = (long long)gb_batches_rows(data), batches = (long long)gb_batches_count(data);
    if (!f->training->settle || batches <= 1)
        return true;
    gb_fail(f->tape, GB_EARGUMENT,
            "fit: %s needs the same data in each step, and .data has %lld batches: make one of all rows, "
            "gb_batches_new(tape, .rows = %lld, .batch = %lld …)",
            f->options.optimiser.type->name, batches, rows, rows);
    return false;
}

/* The last batch of an epoch may be short. */
static bool last_batch_fits(const gb_fit_run *f)
{
    const gb_batches_order data = gb_batches_order_of(f->options.data);
    const bool is_single = data.batch > 0 && (data.batch == 1 || data.rows % data.batch == 1);
    if (!is_single || !gb_node_needs_two_rows(gb_elbo_loss(f->elbo)))
        return true;
    gb_fail(f->tape, GB_EARGUMENT,
            "fit: the last batch of an epoch has a single row (%lld rows in batches of %lld), and "
            "leave_one_row_out needs two or more: choose another .batch, or another baseline",
            (long long)data.rows, (long long)data.batch);
    return false;
}

bool gb_fit_data_fit(gb_elbo *e, gb_program *program, const gb_batches *data, bool part_of_data)
{
    e->part_of_data = part_of_data;
    return gb_data_fit(e, "fit", program, data, false);
}

static bool begin(gb_fit_run *f)
{
    if (!gb_fit_options_fit(f))
        return false;
    const gb_fit_options *const o = &f->options;
    if (!gb_fit_find_program(f, gb_elbo_loss(f->elbo)) || !data_stay(f) || !last_batch_fits(f) ||
        !gb_fit_data_fit(f->elbo, f->result.program, o->data, o->part_of_data) || !gb_fit_early_begin(f) ||
        (o->each && !(f->feeds = gb_feeds_new(f->result.program))) ||
        (o->checkpoint && !gb_fit_can_save(f)) || (o->resume && !gb_fit_resume(f)) || !make_room(f))
        return false;
    const uint64_t all = (uint64_t)f->steps, before = f->result.before;
    FILE *const file = gb_tape_is_first(f->tape) ? o->progress : NULL;
    gb_fit_progress_begin(f->progress, file, gb_program_step(f->result.program),
                          all > before ? all - before : 0);
    f->began = gb_seconds();
    return true;
}

/* ---- steps ---- */

void gb_fit_restore(gb_tape *tape, struct gb_feeds *feeds, const gb_batches *data)
{
    const char *const unused = gb_feeds_restore(feeds);
    if (unused && !data)
        gb_fail(tape, GB_EARGUMENT,
                "fit: .each fed input %s and ran no program on it after that; the training has the same "
                "rows in each step: "
                "other rows need .data (gb_batches_new), or a loop of your own (gb_minimise)",
                unused);
}

/* Calls `.each`, which may feed the inputs for programs of its own. The training keeps what it has. If one
 * member of a team ends it, all do. */
static bool ask(const gb_fit_run *f)
{
    const gb_fit_options *const o = &f->options;
    bool goes_on = true;
    if (o->each && gb_error(f->tape) == GB_OK) {
        gb_feeds_keep(f->feeds);
        goes_on = o->each(o->user, &f->result.last);
        gb_fit_restore(f->tape, f->feeds, o->data);
    }
    return !gb_tape_any(f->tape, !goes_on);
}

/* If a schedule changes the weight of KL, the objective changes from step to step. */
static void watch_weight(gb_fit_run *f)
{
    const double weight = gb_value(f->training->kl_weight);
    f->window.moved |= weight != f->kl_weight && f->result.before + f->result.steps > 0;
    f->kl_weight = weight;
}

static void count_step(gb_fit_run *f)
{
    const gb_elbo_training *const training = f->training;
    const double elbo = gb_value(training->elbo);
    gb_fit_window *const w = &f->window;
    w->steps++;
    watch_weight(f);
    if (isfinite(elbo)) {
        const double off = elbo - w->mean;
        w->mean += off / (double)++w->count;
        w->squares += off * (elbo - w->mean);
    }
    if (training->squared_norm.tape)
        f->gradient_norm = sqrt(gb_value(training->squared_norm));
    f->result.steps++;
    if (f->progress->file && w->count > 1 && gb_fit_progress_due(f->progress, gb_seconds() - f->began)) {
        const gb_fit_point point = point_of(f);
        gb_fit_progress_show(f->progress, &point);
    }
}

static bool is_done(const gb_fit_run *f)
{
    return f->steps && f->result.before + f->result.steps >= (uint64_t)f->steps;
}

/* If one member of a team is stopped, all are. */
static bool is_stopped(const gb_fit_run *f)
{
    const gb_fit_options *const o = &f->options;
    return o->stop && gb_tape_any(f->tape, o->stop(o->user));
}

static bool is_time_to_save(const gb_fit_run *f)
{
    const uint64_t done = f->result.before + f->result.steps;
    const int64_t every = f->options.checkpoint_every;
    return f->options.checkpoint && (every > 0 ? done % (uint64_t)every == 0 : f->window.steps == 0);
}

/* Returns whether the window ends a training that no longer improves. Windows with different weights are not
 * compared. */
static bool no_longer_improves(gb_fit_run *f)
{
    const gb_fit_window *const w = &f->window;
    if (w->moved)
        f->plateau = (gb_plateau){.options = f->plateau.options};
    return f->options.plateau && w->count > 1 && !w->moved &&
           gb_plateau_reached(&f->plateau, -w->mean, w->squares / (double)(w->count - 1));
}

/* Ends a window, or stops inside one, which a later call may continue. */
static gb_fit_end end_window(gb_fit_run *f)
{
    const bool full = f->window.steps == f->options.window;
    const bool plateau = full && no_longer_improves(f);
    if (!gb_fit_early_score(f, full) || !remember(f)) {
        gb_tape_any(f->tape, true);
        return GB_FIT_ERROR;
    }
    gb_fit_early_note(f);
    if (full)
        f->window = (gb_fit_window){0};
    if (gb_elbo_is_impossible(f->elbo, f->result.last.elbo, f->kl_weight))
        gb_fail(
            f->tape, GB_EARGUMENT,
            "fit: step %llu: the ELBO is %g, and above 0 it is impossible: all data are discrete, so their "
            "log probabilities and -KL are not above 0; a density, a draw or a support is wrong, or q has "
            "collapsed",
            (unsigned long long)f->result.last.step, f->result.last.elbo);
    const bool goes_on = ask(f);
    if (gb_error(f->tape) != GB_OK)
        return GB_FIT_ERROR;
    if (!goes_on)
        return GB_FIT_CALLBACK;
    return plateau ? GB_FIT_PLATEAU : gb_fit_early_ends(f) ? GB_FIT_PATIENCE : GB_FIT_STEPS;
}

/* Returns false if the training ends with this step; the result says why. */
static bool goes_on(gb_fit_run *f)
{
    count_step(f);
    const bool stops = is_stopped(f), last = is_done(f) || stops;
    if (f->window.steps == f->options.window || last)
        f->ended = f->result.end = end_window(f);
    if (stops && f->result.end == GB_FIT_STEPS)
        f->ended = f->result.end = GB_FIT_CALLBACK;
    if (f->result.end != GB_FIT_STEPS || last)
        return false;
    if (is_time_to_save(f) && !gb_fit_save(f))
        f->result.end = GB_FIT_ERROR;
    return f->result.end == GB_FIT_STEPS;
}

/* Feeds the batch of the next step. */
static bool next(const gb_fit_run *f)
{
    gb_batches *const data = f->options.data;
    return !data || gb_next_batch(data) || (gb_error(f->tape) == GB_OK && gb_next_batch(data));
}

/* Ends an epoch if all its rows have been fed. */
static void turn_over(gb_batches *data)
{
    if (data && gb_batches_at(data).row >= gb_batches_rows(data))
        gb_next_batch(data);
}

static bool step(const gb_fit_run *f)
{
    next(f); /* other members of a team hear of its error when they run */
    if (gb_run(f->result.program) != GB_OK)
        return false;
    turn_over(f->options.data);
    return true;
}

/* A training that was settled continues from its trial point. */
static bool go_on(const gb_fit_run *f)
{
    gb_program *const back = f->training->go_on;
    return !back || gb_program_step(f->result.program) == 0 || gb_run(back) == GB_OK;
}

/* With trial points, moves the variables to the accepted point. */
static bool settle(const gb_fit_run *f)
{
    gb_program *const settled = f->training->settle;
    return !settled || f->result.steps == 0 || gb_run(settled) == GB_OK;
}

/* Decides whether a training that was saved at its end continues. */
static gb_fit_end asked_again(const gb_fit_run *f)
{
    if (f->ended == GB_FIT_CALLBACK && !ask(f))
        return GB_FIT_CALLBACK;
    if (f->ended == GB_FIT_PATIENCE && gb_fit_early_ends(f))
        return GB_FIT_PATIENCE;
    return f->ended == GB_FIT_PLATEAU ? GB_FIT_PLATEAU : GB_FIT_STEPS;
}

static void train(gb_fit_run *f)
{
    f->result.end = asked_again(f);
    if (f->result.end != GB_FIT_STEPS || is_done(f))
        return;
    f->ended = GB_FIT_STEPS;
    bool good = gb_fit_early_go_on(f) && go_on(f) && gb_fit_let_look(f, false);
    for (bool more = good; more && (good = step(f));) {
        more = goes_on(f);
        good = f->result.end == GB_FIT_ERROR || gb_fit_let_look(f, !more);
        more = more && good;
    }
    if (!good && f->window.steps > 0)
        remember(f);
    if (!good || (f->result.end != GB_FIT_ERROR &&
                  (!settle(f) || !gb_fit_early_end(f) || (f->options.checkpoint && !gb_fit_save(f)))))
        f->result.end = GB_FIT_ERROR;
}

static const char *const endings[] = {[GB_FIT_STEPS] = "done",
                                      [GB_FIT_PLATEAU] = "no longer improves",
                                      [GB_FIT_CALLBACK] = "ended",
                                      [GB_FIT_PATIENCE] = "no better on held-out rows",
                                      [GB_FIT_ERROR] = "failed"};

gb_fit_result gb_fit_train(gb_elbo *elbo, const gb_fit_options *options)
{
    gb_fit_progress progress = {0};
    gb_fit_run f = {.elbo = elbo,
                    .progress = &progress,
                    .gradient_norm = (double)NAN,
                    .early = {.validation = (double)NAN, .error = (double)NAN},
                    .result = {.end = GB_FIT_ERROR, .words = "", .best = {.validation = (double)NAN}}};
    f.tape = elbo ? elbo->tape : NULL;
    const bool is_read = gb_options_take(f.tape, "fit", &f.options, sizeof f.options, options);
    const bool is_good = is_read && gb_node_ok(gb_elbo_loss(elbo)) && begin(&f);
    if ((f.tape && gb_tape_any(f.tape, !is_good)) || !is_good) {
        gb_feeds_end(f.feeds);
        f.result.status = f.tape ? gb_error(f.tape) : GB_EARGUMENT;
        return f.result;
    }
    train(&f);
    gb_feeds_end(f.feeds);
    show_history(&f);
    gb_fit_early_tell(&f);
    f.result.status = gb_error(f.tape);
    gb_fit_progress_end(f.progress, &f.result.last, endings[f.result.end]);
    return f.result;
}
