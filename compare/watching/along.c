/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A watch: its options, and when it measures. */
#include "compare/watch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compare/replicates/counts_impl.h"
#include "compare/watching/watching_impl.h"
#include "core/ground/clock_impl.h"
#include "core/ground/text_impl.h"
#include "core/op.h"
#include "core/version.h"
#include "estimators/list.h"
#include "models/elbo/elbo_impl.h"
#include "models/training/batches_impl.h"

enum { EVERY = 100, GRADIENTS = 200, BATCHES = 20, LEAST_BATCHES = 4, FIRST_ROOM = 16 };
static const double SHARE = 0.5, SECONDS = 1;

/* ---- options ---- */

static bool numbers_fit(gb_tape *t, const gb_watch_options *o)
{
    const gb_count counts[] = {{"every", o->every, 1, INT64_MAX},
                               {"draws", o->draws, GB_WATCH_LEAST, GB_WATCH_DRAWS},
                               {"samples", o->samples, 1, INT32_MAX},
                               {"lessons", o->lessons, 1, GB_WATCH_LESSONS}};
    char words[200];
    if (!gb_counts_fit(sizeof counts / sizeof *counts, counts, sizeof words, words))
        gb_fail(t, GB_EARGUMENT, "watch: %s", words);
    else if (o->batches != 0 && o->batches != 1 &&
             (o->batches < LEAST_BATCHES || o->batches > GB_WATCH_BATCHES))
        gb_fail(t, GB_EARGUMENT,
                "watch: .batches is %lld; it is 1, or from %d to %d, whose spread gives standard errors",
                (long long)o->batches, LEAST_BATCHES, GB_WATCH_BATCHES);
    else if (!(o->share >= 0) || isnan(o->seconds))
        gb_fail(t, GB_EARGUMENT, "watch: .share is %g and .seconds %g: a share is 0 or more", o->share,
                o->seconds);
    else
        return true;
    return false;
}

static bool lists_fit(gb_tape *t, const gb_watch_options *o)
{
    if (o->estimators.count > 0 && !o->estimators.estimator)
        gb_fail(t, GB_EARGUMENT, "watch: the list of %zu estimators is NULL", o->estimators.count);
    else if (o->estimators.count > GB_WATCH_ESTIMATORS)
        gb_fail(t, GB_ELIMIT, "watch: %zu estimators, and at most %d are watched", o->estimators.count,
                GB_WATCH_ESTIMATORS);
    else if (o->data && gb_batches_tape(o->data) != t)
        gb_fail(t, GB_EARGUMENT, "watch: .data are of another tape than the ELBO");
    else
        return true;
    return false;
}

static const char *text_of(const gb_watch_work *w, size_t i)
{
    char text[512] = "";
    if (w->watcher[i].estimator.type)
        gb_estimator_text(w->watcher[i].estimator, text, sizeof text);
    return gb_tape_keep_text(w->tape, text);
}

static const char *name_of(const gb_watch_work *w, size_t i)
{
    if (w->with.names && w->with.estimators.count > 0 && w->with.names[i])
        return gb_tape_keep_text(w->tape, w->with.names[i]);
    return w->watcher[i].estimator.type ? text_of(w, i) : gb_tape_keep_text(w->tape, "as recorded");
}

/* ELBOs that are recorded again have the draws of the first one, and learn under other names. */
static const char *word_of(const gb_watch_work *w)
{
    char text[64];
    snprintf(text, sizeof text, "watch_%zu", gb_tape_length(w->tape));
    return gb_tape_keep_text(w->tape, text);
}

static bool take_estimators(gb_watch_work *w)
{
    const gb_estimator_list list = w->with.estimators;
    const size_t count = list.count > 0 ? list.count : 1;
    const char **const name = gb_tape_keep(w->tape, count * sizeof *name),
                       **const why = gb_tape_keep(w->tape, count * sizeof *why);
    const char **const text = gb_tape_keep(w->tape, count * sizeof *text);
    w->watcher = gb_tape_keep(w->tape, count * sizeof *w->watcher);
    if (!name || !why || !text || !w->watcher)
        return false;
    for (size_t i = 0; i < count; i++) {
        w->watcher[i].estimator = list.count > 0 ? list.estimator[i] : (gb_estimator){0};
        name[i] = name_of(w, i);
        text[i] = text_of(w, i);
        why[i] = w->watcher[i].why;
    }
    w->it.estimators = count;
    w->it.name = name;
    w->it.why = why;
    w->it.text = text;
    return gb_error(w->tape) == GB_OK;
}

/* ---- when ---- */

/* Makes room for one more point. */
static bool make_room(gb_watch_work *w)
{
    if (w->it.points < w->room)
        return true;
    const size_t room = w->room ? 2 * w->room : FIRST_ROOM;
    gb_watch_point *const more = gb_tape_keep(w->tape, room * sizeof *more);
    if (!more)
        return false;
    if (w->point)
        memcpy(more, w->point, w->it.points * sizeof *more);
    w->it.point = w->point = more;
    w->room = room;
    return true;
}

static bool find_data(gb_watch_work *w, const gb_fit_options *training)
{
    gb_batches *const data = w->with.data ? w->with.data : training ? training->data : NULL;
    const bool has_several = gb_batches_count(data) > 1;
    w->data = data && !w->is_broken ? gb_batches_again(data, "watch.batches") : NULL;
    w->it.batches = !has_several ? 1 : w->with.batches ? w->with.batches : BATCHES;
    const int64_t wanted = w->with.draws ? w->with.draws : GRADIENTS;
    w->it.gradients = (wanted + w->it.batches - 1) / w->it.batches * w->it.batches;
    return gb_error(w->tape) == GB_OK;
}

/* Whether a point may be measured now: what the watch has taken and the point would take is within its share.
 * The seconds that are not counted are spread over the steps, where their number is known, so that points are
 * not those of the beginning alone, and time is left for the last one. */
static bool may_take(gb_watch_work *w, const gb_moment *at)
{
    if (isinf(w->with.share))
        return true;
    if (isnan(w->foreseen)) {
        const double began = gb_seconds();
        w->foreseen = gb_watch_foresee(w, at->step);
        w->spent += gb_seconds() - began;
    }
    const double free = fmax(w->with.seconds, 0), share = w->with.share * at->seconds,
                 after = w->spent + w->foreseen + gb_watch_foresee_lessons(w, at->step);
    if (at->is_last)
        return w->spent <= share + free; /* time was kept for it, as far as it can be foreseen */
    if (w->it.points == 0)
        return after <= share + free;
    const double part = at->steps > 0 ? fmin((double)at->step / (double)at->steps, 1) : 1;
    return after + w->foreseen <= share + free && after <= share + part * free + w->foreseen;
}

static void measure(gb_watch_work *w, const gb_moment *at)
{
    const double began = gb_seconds(), learning = gb_watch_foresee_lessons(w, at->step);
    if (!make_room(w))
        return;
    gb_watch_point *const point = &w->point[w->it.points];
    *point = (gb_watch_point){.step = at->step, .epoch = at->epoch, .seconds = at->seconds};
    gb_watch_measure(w, point);
    if (w->with.raw && !gb_flushed(w->with.raw))
        gb_watch_note(w, GB_ESYSTEM, "watch", ".raw cannot be written: gradients are missing in it");
    w->it.points += point->estimator != NULL;
    w->last = at->step;
    w->has_last = true;
    w->foreseen = fmax(gb_seconds() - began - learning, 0);
}

/* Makes what the first point needs. If that fails, there is no second try. */
static bool get_ready(gb_watch_work *w, uint64_t step, const gb_fit_options *training)
{
    if (w->is_ready || w->is_broken)
        return w->is_ready;
    w->is_broken = (w->data && !gb_batches_pick(w->data, step)) || !gb_watch_prepare(w, training);
    w->is_ready = !w->is_broken;
    return w->is_ready;
}

/* Measures a point, if there is time for it. Feeding the watch's own batches leaves those of the training as
 * they are. */
static void look(gb_watch_work *w, const gb_moment *at)
{
    const double began = gb_seconds(), before = w->spent;
    bool good = w->is_ready || find_data(w, at->options);
    gb_feeds *const feeds = good && w->data ? gb_tape_set_feeds_aside(w->tape) : NULL;
    good = good && (feeds || !w->data) && get_ready(w, at->step, at->options);
    w->spent = before + gb_seconds() - began;
    if (good && may_take(w, at))
        measure(w, at);
    else
        w->it.left_out += good;
    if (gb_error(w->tape) != GB_OK)
        gb_watch_forgive(w, "watch");
    gb_feeds_put_back(feeds);
    w->spent = before + gb_seconds() - began;
    w->it.seconds = w->spent;
    w->next = (at->step / (uint64_t)w->with.every + 1) * (uint64_t)w->with.every;
}

static bool is_due(const gb_watch_work *w, uint64_t step, bool is_last)
{
    return (step >= w->next || is_last) && !(w->has_last && w->last == step);
}

static void look_on(void *user, const gb_moment *moment)
{
    gb_watch_work *const w = user;
    gb_moment at = *moment;
    at.seconds += w->before;
    w->it.training_seconds = at.seconds;
    if (is_due(w, at.step, at.is_last))
        look(w, &at);
    if (at.is_last)
        w->before = at.seconds;
}

gb_status gb_watching_look(gb_watching *watching, uint64_t step)
{
    gb_watch_work *const w = (gb_watch_work *)watching;
    if (!w || gb_error(w->tape) != GB_OK)
        return w ? gb_error(w->tape) : GB_EARGUMENT;
    const double now = gb_seconds();
    w->began = w->began > 0 ? w->began : now - w->spent;
    w->it.training_seconds = w->before + now - w->began - w->spent;
    if (is_due(w, step, false))
        look(w, &(gb_moment){.step = step,
                             .epoch = gb_batches_at(w->with.data).epoch,
                             .seconds = w->it.training_seconds});
    if (w->it.status == GB_EFEED && !w->with.data)
        return gb_fail(w->tape, GB_EFEED,
                       "gb_watching_look: %s; say in .data of gb_watch where the batches of the loop come "
                       "from, or feed all rows before the first look",
                       w->error);
    return gb_error(w->tape);
}

/* ---- its life ---- */

/* What makes the same figures again. */
static void describe(gb_watch_work *w)
{
    w->it.version = gb_version();
    w->it.kernels = gb_kernels();
    w->it.real = gb_tape_real(w->tape);
    w->it.seed = gb_tape_seed(w->tape);
    w->it.every = w->with.every;
    w->it.samples = w->samples;
    w->it.lessons = w->with.lessons;
}

static bool begin_raw(const gb_watch_work *w)
{
    FILE *const raw = w->with.raw;
    if (!raw)
        return true;
    fputs("step,estimator,batch,draw,variable,element,value\n", raw);
    return gb_flushed(raw) || gb_fail(w->tape, GB_ESYSTEM, "watch: .raw cannot be written") == GB_OK;
}

gb_watching *gb_watch_with(gb_elbo *e, const gb_watch_options *options)
{
    gb_watch_options with;
    gb_tape *const t = e ? e->tape : NULL;
    const double began = gb_seconds();
    if (!t || gb_error(t) != GB_OK || !gb_options_take(t, "watch", &with, sizeof with, options) ||
        !numbers_fit(t, &with) || !lists_fit(t, &with) || !gb_node_ok(gb_elbo_loss(e)))
        return NULL;
    with.every = with.every ? with.every : EVERY;
    with.share = with.share > 0 ? with.share : SHARE;
    with.seconds = with.seconds != 0 ? with.seconds : SECONDS;
    gb_watch_work *const w = gb_tape_keep(t, sizeof *w);
    if (!w)
        return NULL;
    *w = (gb_watch_work){.with = with,
                         .tape = t,
                         .elbo = e,
                         .foreseen = (double)NAN,
                         .samples = with.samples             ? with.samples
                                    : e->options.samples > 0 ? e->options.samples
                                                             : gb_tape_samples(t)};
    w->it.error = w->error;
    describe(w);
    w->with.latent = with.latent ? gb_tape_keep_text(t, with.latent) : NULL;
    w->word = word_of(w);
    w->it.latent = w->with.latent;
    if (!w->word || !take_estimators(w) || !gb_watch_record(w))
        return NULL;
    if (!begin_raw(w))
        return NULL;
    w->onlooker = (gb_onlooker){.look = look_on, .user = w};
    gb_elbo_add_onlooker(e, &w->onlooker);
    w->spent = gb_seconds() - began;
    return &w->it;
}

void gb_watching_end(gb_watching *watching)
{
    gb_watch_work *const w = (gb_watch_work *)watching;
    if (w)
        gb_elbo_remove_onlooker(w->elbo, &w->onlooker);
}
