/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What gb_fit saves besides variables and steps: the place in the data, the window, and how the training
 * ended. */
#include "models/training/resume_impl.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "core/team.h"
#include "models/checkpoint/load_impl.h"
#include "models/checkpoint/save_impl.h"
#include "models/training/batches_impl.h"

/* A training without validation writes version 1, which ends before it. */
enum { VERSION = 2, MOST_BYTES = 2048, BYTES_OF_VERSION_1 = 1232 };

typedef struct fit_state {
    int64_t version, steps;
    gb_batches_order order;
    gb_batches_place at;
    int64_t length; /* length of a window */
    gb_fit_window window;
    gb_plateau plateau;
    gb_fit_point last;
    int64_t ended, moved; /* `moved`: whether the weight of KL changed in this window */
    double kl_weight;
    gb_fit_early early;
    int64_t is_best;
    gb_fit_point best; /* its `validation` is NaN if there is none */
} fit_state;

static fit_state state_of(const gb_fit_run *f)
{
    return (fit_state){.version = f->options.validate ? VERSION : 1,
                       .steps = (int64_t)(f->result.before + f->result.steps),
                       .order = gb_batches_order_of(f->options.data),
                       .at = gb_batches_at(f->options.data),
                       .length = f->options.window,
                       .window = f->window,
                       .plateau = f->plateau,
                       .last = f->result.last,
                       .ended = f->ended,
                       .moved = f->window.moved,
                       .kl_weight = f->kl_weight,
                       .early = f->early,
                       .is_best = f->early.is_best,
                       .best = f->result.best};
}

/* ---- as bytes: all numbers of 8 bytes, little-endian; one list serves both directions ---- */

typedef struct passage {
    unsigned char bytes[MOST_BYTES];
    size_t used;
    bool reading;
} passage;

static void pass(passage *p, uint64_t *number)
{
    unsigned char *const at = p->bytes + p->used;
    uint64_t read = 0;
    for (int i = 0; i < 8; i++)
        if (p->reading)
            read |= (uint64_t)at[i] << 8 * i;
        else
            at[i] = (unsigned char)(*number >> 8 * i);
    if (p->reading)
        *number = read;
    p->used += 8;
}

static void pass_whole(passage *p, int64_t *number)
{
    uint64_t bits = (uint64_t)*number;
    pass(p, &bits);
    *number = bits <= INT64_MAX ? (int64_t)bits : -1;
}

static void pass_real(passage *p, double *number)
{
    uint64_t bits;
    memcpy(&bits, number, sizeof bits);
    pass(p, &bits);
    memcpy(number, &bits, sizeof bits);
}

static void pass_point(passage *p, gb_fit_point *point)
{
    pass(p, &point->step);
    pass(p, &point->epoch);
    pass_real(p, &point->elbo);
    pass_real(p, &point->error);
    pass_real(p, &point->gradient_norm);
}

static void pass_validation(passage *p, fit_state *s)
{
    pass_real(p, &s->last.validation);
    pass_real(p, &s->last.validation_error);
    pass_whole(p, &s->early.windows);
    pass_whole(p, &s->early.worse);
    pass_whole(p, &s->is_best);
    pass_point(p, &s->best);
    pass_real(p, &s->best.validation);
    pass_real(p, &s->best.validation_error);
}

static void pass_state(passage *p, fit_state *s)
{
    pass_whole(p, &s->version);
    pass_whole(p, &s->steps);
    pass_whole(p, &s->order.rows);
    pass_whole(p, &s->order.batch);
    pass(p, &s->order.key);
    pass(p, &s->at.epoch);
    pass_whole(p, &s->at.row);
    pass_whole(p, &s->length);
    pass_whole(p, &s->window.steps);
    pass_whole(p, &s->window.count);
    pass_real(p, &s->window.mean);
    pass_real(p, &s->window.squares);
    pass_real(p, &s->plateau.options.improvement);
    pass_real(p, &s->plateau.options.false_stop);
    pass_whole(p, &s->plateau.length);
    pass_whole(p, &s->plateau.filled);
    pass_whole(p, &s->plateau.blocks);
    pass_whole(p, &s->plateau.comparisons);
    for (int i = 0; i < GB_PLATEAU_BLOCKS; i++) {
        pass_real(p, &s->plateau.mean[i]);
        pass_real(p, &s->plateau.variance[i]);
    }
    pass_point(p, &s->last);
    pass_whole(p, &s->ended);
    pass_whole(p, &s->moved);
    pass_real(p, &s->kl_weight);
    if (s->version > 1)
        pass_validation(p, s);
}

/* ---- checking what was read ---- */

static bool is_sound_window(const fit_state *s)
{
    const gb_fit_window *const w = &s->window;
    const bool is_empty = w->mean == 0 && w->squares == 0;
    return s->length > 0 && w->steps >= 0 && w->steps < s->length && w->steps <= s->steps && w->count >= 0 &&
           w->count <= w->steps && isfinite(w->mean) && w->squares >= 0 && (w->count > 0 || is_empty);
}

/* Blocks of 1, 2, 4 … windows: a longer one than 1 is made when GB_PLATEAU_BLOCKS shorter ones are joined in
 * pairs. All windows together have no more steps than were taken. */
static bool is_sound_plateau(const fit_state *s)
{
    const gb_plateau *const p = &s->plateau;
    const int64_t windows = (s->steps - s->window.steps) / s->length, started = p->blocks + (p->filled > 0);
    if (!gb_plateau_fits(&p->options, NULL) || p->blocks < 0 || p->blocks >= GB_PLATEAU_BLOCKS ||
        p->filled < 0 || p->comparisons < 0 || p->comparisons > windows)
        return false;
    if (p->length == 0)
        return started == 0;
    const bool is_joined = p->length > 1;
    if (p->length < 0 || (p->length & (p->length - 1)) || p->filled >= p->length ||
        (is_joined && p->blocks < GB_PLATEAU_BLOCKS / 2) || p->filled > windows ||
        p->blocks > (windows - p->filled) / p->length)
        return false;
    for (int64_t i = 0; i < started; i++)
        if (!isfinite(p->mean[i]) || !(p->variance[i] >= 0))
            return false;
    return true;
}

static bool is_sound_validation(const fit_state *s)
{
    const gb_fit_early *const e = &s->early;
    const bool has_best = !isnan(s->best.validation);
    return e->windows >= 0 && e->windows <= s->steps && e->worse >= 0 && e->worse <= s->steps &&
           (s->is_best == 0 || (s->is_best == 1 && has_best)) && s->best.step <= s->last.step;
}

/* `step` is that of the program in the file. */
static bool is_sound(const fit_state *s, uint64_t step)
{
    return s->steps >= 0 && (uint64_t)s->steps <= step && s->last.step <= step && s->order.rows >= 0 &&
           s->order.batch >= 0 && s->at.row >= 0 && is_sound_window(s) && is_sound_plateau(s) &&
           is_sound_validation(s) &&
           ((s->ended >= GB_FIT_STEPS && s->ended <= GB_FIT_CALLBACK) || s->ended == GB_FIT_PATIENCE) &&
           (s->moved == 0 || s->moved == 1) && isfinite(s->kl_weight);
}

static bool is_same_order(const gb_batches_order *a, const gb_batches_order *b)
{
    return a->rows == b->rows && a->batch == b->batch && a->key == b->key;
}

static bool reject_state(const gb_fit_run *f)
{
    gb_fail(f->tape, GB_EFILE,
            "fit: the windows and data in checkpoint %s are damaged, or of another release of grebe",
            f->options.checkpoint);
    return false;
}

static bool data_match(const gb_fit_run *f, const fit_state *s)
{
    gb_batches *const data = f->options.data;
    const gb_batches_order is = gb_batches_order_of(data), *const was = &s->order;
    if (is_same_order(&is, was) && data && !gb_batches_has(data, s->at))
        return reject_state(f);
    if (is_same_order(&is, was))
        return !data || gb_batches_go(data, s->at) == GB_OK;
    gb_fail(
        f->tape, GB_EFILE,
        "fit: checkpoint %s was saved with %lld rows in batches of %lld%s, and .data has %lld rows in "
        "batches of %lld%s%s: resume with the same .rows, .batch, .in_order, .name, .only and .window, or "
        "begin without .resume",
        f->options.checkpoint, (long long)was->rows, (long long)was->batch, was->key ? "" : ", in order",
        (long long)is.rows, (long long)is.batch, is.key ? "" : ", in order",
        is.key && was->key && is.key != was->key ? ", other rows or in another order" : "");
    return false;
}

static void take_windows(gb_fit_run *f, const fit_state *s)
{
    const gb_plateau_options is = f->plateau.options, was = s->plateau.options;
    const bool same_end = is.improvement == was.improvement && is.false_stop == was.false_stop;
    f->ended = (gb_fit_end)s->ended;
    if (f->ended == GB_FIT_PLATEAU && (!f->options.plateau || !same_end || s->length != f->options.window))
        f->ended = GB_FIT_STEPS;
    if (s->length != f->options.window)
        return;
    f->window = s->window;
    f->window.moved = s->moved != 0;
    f->plateau = s->plateau;
    f->plateau.options = is;
}

typedef struct resumption {
    gb_fit_run *run;
    passage read;
    size_t bytes, found; /* of the state now, and in the file */
    uint64_t step;       /* of the program in the file */
} resumption;

/* Called last: afterwards the file cannot be rejected. */
static bool accept(void *user)
{
    resumption *const r = user;
    gb_fit_run *const f = r->run;
    fit_state s = {.last = {.validation = (double)NAN, .validation_error = (double)NAN},
                   .best.validation = (double)NAN};
    r->read.used = 0;
    r->read.reading = true;
    pass_state(&r->read, &s);
    const size_t bytes = s.version == 1 ? BYTES_OF_VERSION_1 : r->bytes;
    if ((s.version != 1 && s.version != VERSION) || r->found != bytes || !is_sound(&s, r->step))
        return reject_state(f);
    if (!data_match(f, &s))
        return false;
    f->result.before = (uint64_t)s.steps;
    f->result.last = s.last;
    f->gradient_norm = s.last.gradient_norm;
    f->kl_weight = s.kl_weight;
    f->early.windows = s.early.windows;
    f->early.worse = s.early.worse;
    f->early.is_best = s.is_best != 0;
    f->result.best = s.best;
    take_windows(f, &s);
    return true;
}

/* ---- the file ---- */

static gb_checkpoint file_of(const gb_fit_run *f, const gb_checkpoint_part *part)
{
    return (gb_checkpoint){.size = sizeof(gb_checkpoint),
                           .tape = f->tape,
                           .path = f->options.checkpoint,
                           .programs = 1,
                           .program = &f->result.program,
                           .parts = part != NULL,
                           .part = part};
}

bool gb_fit_save(const gb_fit_run *f)
{
    passage written = {.reading = false};
    fit_state state = state_of(f);
    pass_state(&written, &state);
    const gb_checkpoint_part part = {.name = "fit", .data = written.bytes, .bytes = written.used};
    const gb_checkpoint file = file_of(f, &part);
    return gb_checkpoint_save(&file) == GB_OK;
}

bool gb_fit_can_save(const gb_fit_run *f)
{
    const gb_checkpoint file = file_of(f, NULL);
    return gb_checkpoint_try(&file) == GB_OK;
}

bool gb_fit_resume(gb_fit_run *f)
{
    struct stat found;
    resumption r = {.run = f};
    fit_state none = {.version = VERSION};
    pass_state(&r.read, &none); /* counts the bytes */
    r.bytes = r.read.used;
    const gb_checkpoint_part part = {
        .name = "fit", .data = r.read.bytes, .bytes = r.bytes, .found = &r.found};
    gb_checkpoint file = file_of(f, &part);
    file.accept = accept;
    file.user = &r;
    const bool is_new =
        gb_tape_is_first(f->tape) && stat(f->options.checkpoint, &found) != 0 && errno == ENOENT;
    if (gb_tape_any(f->tape, is_new))
        return gb_error(f->tape) == GB_OK;
    return gb_checkpoint_load_steps(&file, &r.step) == GB_OK;
}
