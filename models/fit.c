/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/fit.h"

#include <math.h>
#include <string.h>

#include "core/clock_impl.h"
#include "core/gradient.h"
#include "core/op.h"
#include "estimators/visit.h"
#include "models/elbo_impl.h"
#include "models/fit_impl.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

enum { MOST_POINTS = 65536, LEAST_WINDOW = 50 };

/* ---- beginning ---- */

/* Whole epochs, so that batches which exclude each other do not make the spread look larger than the mean's error. */
static int64_t usual_window(int64_t batches)
{
    return batches == 0 ? LEAST_WINDOW : (LEAST_WINDOW + batches - 1) / batches * batches;
}

static bool options_fit(gb_fit_run *f)
{
    gb_fit_options *const o = &f->options;
    const char *words;
    const int64_t batches = gb_batches_count(o->data);
    o->window = o->window == 0 ? usual_window(batches) : o->window;
    f->plateau.options = (gb_plateau_options){o->window, o->improvement, o->false_stop};
    if (o->steps < 0 || o->epochs < 0 || o->window < 0 || o->checkpoint_every < 0 ||
        (!o->steps && !o->epochs && !o->plateau))
        gb_fail(
            f->tape, GB_EARGUMENT,
            "fit: .steps is %lld, .epochs %lld, .window %lld; steps, epochs or .plateau = true must say when it ends",
            (long long)o->steps, (long long)o->epochs, (long long)o->window);
    else if (o->epochs && !o->data)
        gb_fail(f->tape, GB_EARGUMENT, "fit: epochs are of .data (gb_batches_new), and there are none");
    else if (o->plateau && !gb_plateau_fits(&f->plateau.options, &words))
        gb_fail(f->tape, GB_EARGUMENT, "fit: %s", words);
    else {
        f->steps =
            o->epochs && (!o->steps || o->epochs * batches < o->steps) ? o->epochs * batches : o->steps;
        return true;
    }
    return false;
}

/* |gradient|², over all variables of the loss. */
static gb_node squared_norm_of(gb_node loss)
{
    const gb_memory memory = gb_tape_memory(loss.tape);
    const size_t count = gb_variables_of(loss, NULL, 0);
    gb_node sum = gb_num(loss.tape, 0);
    gb_node *const nodes = gb_memory_resize(&memory, NULL, (2 * count + 1) * sizeof *nodes);
    if (!nodes) {
        gb_fail(loss.tape, GB_ENOMEM, "fit: out of memory for %zu variables", count);
        return sum;
    }
    gb_variables_of(loss, nodes, count);
    gb_grads(loss, nodes, count, nodes + count);
    for (size_t i = 0; i < count; i++)
        sum = gb_add(sum, gb_sum(gb_square(nodes[count + i])));
    gb_memory_release(&memory, nodes);
    return sum;
}

static bool same_optimiser(const gb_optimiser *a, const gb_optimiser *b)
{
    return a->type == b->type && memcmp(a->options.bytes, b->options.bytes, sizeof a->options.bytes) == 0;
}

/* The program of the training: that of an earlier call, with its steps and moments, or a new one. */
static bool find_program(gb_fit_run *f, gb_node loss)
{
    const gb_fit_options *const o = &f->options;
    gb_elbo_training *const training = &o->elbo->training;
    const bool norm = o->gradient_norm || o->progress;
    if (training->program && !same_optimiser(&training->optimiser, &o->optimiser)) {
        gb_fail(
            f->tape, GB_EARGUMENT,
            "fit: this ELBO was fitted before, by another optimiser or with other options; another one begins with an "
            "ELBO on a tape of its own (a rate that changes: .rate, .schedule)");
        return false;
    }
    if (!training->program) {
        training->optimiser = o->optimiser;
        if (norm)
            training->squared_norm = squared_norm_of(loss);
        const gb_node weight = o->elbo->options.kl_weight;
        training->program = gb_compile(
            f->tape, norm ? gb_roots(f->elbo, weight, training->squared_norm) : gb_roots(f->elbo, weight),
            gb_minimise(loss, o->optimiser));
    }
    f->result.program = training->program;
    f->squared_norm = training->squared_norm;
    return training->program != NULL;
}

static bool begin(gb_fit_run *f)
{
    size_t count;
    if (!options_fit(f))
        return false;
    const gb_fit_options *const o = &f->options;
    const gb_node loss = gb_elbo_loss(o->elbo);
    const gb_elbo_term *const terms = gb_elbo_terms(o->elbo, &count);
    if (!terms)
        return false;
    f->elbo = terms[count - 1].value;
    if (!find_program(f, loss))
        return false;
    const int64_t points = f->steps ? f->steps / o->window + 1 : MOST_POINTS;
    f->most_points = points < MOST_POINTS ? (size_t)points : MOST_POINTS;
    f->result.point = f->point = gb_tape_keep(f->tape, f->most_points * sizeof *f->point);
    if (!f->point)
        return false;
    if (o->resume && o->checkpoint && !gb_fit_resume(f))
        return false;
    const uint64_t left = f->steps ? (uint64_t)f->steps - f->result.before : 0;
    gb_fit_progress_begin(&f->progress, o->progress, gb_step(f->result.program), left);
    f->began = gb_seconds();
    return true;
}

/* ---- steps ---- */

static gb_fit_point point_of(const gb_fit_run *f)
{
    const gb_fit_window *const w = &f->window;
    const double n = (double)w->count;
    return (gb_fit_point){.step = gb_step(f->result.program),
                          .epoch = gb_batches_at(f->options.data).epoch,
                          .elbo = w->mean,
                          .error = sqrt(w->squares / (n - 1) / n),
                          .gradient_norm = f->squared_norm.tape ? sqrt(gb_value(f->squared_norm)) : NAN,
                          .seconds = gb_seconds() - f->began};
}

static void remember(gb_fit_run *f, gb_fit_point point)
{
    f->result.last = point;
    if (f->result.points == f->most_points)
        memmove(f->point, f->point + 1, --f->result.points * sizeof *f->point);
    f->point[f->result.points++] = point;
}

/* One ELBO of −∞ is enough for a mean of −∞, whatever follows. */
static void count_elbo(gb_fit_window *w, double elbo)
{
    const double off = isinf(w->mean) ? 0 : elbo - w->mean;
    w->mean += off / (double)++w->count;
    w->squares = isinf(w->mean) ? (double)NAN : w->squares + off * (elbo - w->mean);
}

static void count_step(gb_fit_run *f, double elbo)
{
    const gb_fit_window *const w = &f->window;
    count_elbo(&f->window, elbo);
    f->result.steps++;
    if (f->progress.file && w->count > 1 && gb_fit_progress_due(&f->progress, gb_seconds() - f->began)) {
        const gb_fit_point point = point_of(f);
        gb_fit_progress_show(&f->progress, &point);
    }
}

static bool is_done(const gb_fit_run *f)
{
    return f->steps && f->result.before + f->result.steps >= (uint64_t)f->steps;
}

static bool is_time_to_save(const gb_fit_run *f)
{
    const uint64_t done = f->result.before + f->result.steps;
    const int64_t every = f->options.checkpoint_every;
    return f->options.checkpoint && (every > 0 ? done % (uint64_t)every == 0 : f->window.count == 0);
}

/* Whether the ELBO no longer improves. Where a schedule moves the weight of KL it is another ELBO from step to step, and
 * such windows are not compared. */
static bool is_plateau(gb_fit_run *f, double elbo)
{
    const double weight = gb_value(f->options.elbo->options.kl_weight);
    f->kl_weight_moved |= weight != f->kl_weight && f->result.before + f->result.steps > 1;
    f->kl_weight = weight;
    const bool reached = gb_plateau_reached(&f->plateau, -elbo), moved = f->kl_weight_moved;
    if (moved && f->plateau.count == 0) {
        f->plateau = (gb_plateau){.options = f->plateau.options};
        f->kl_weight_moved = false;
    }
    return reached && !moved;
}

/* False: the training ends with this step, and the result says why. */
static bool goes_on(gb_fit_run *f)
{
    const gb_fit_options *const o = &f->options;
    const double elbo = gb_value(f->elbo);
    count_step(f, elbo);
    const bool plateau = o->plateau && is_plateau(f, elbo);
    const bool last = is_done(f);
    if (f->window.count == o->window || last) {
        remember(f, point_of(f));
        if (f->window.count == o->window) /* else who goes on from the checkpoint fills it up */
            f->window = (gb_fit_window){0};
        if (o->each && !o->each(o->user, &f->result.last))
            f->result.end = GB_FIT_CALLBACK;
        else if (plateau)
            f->result.end = GB_FIT_PLATEAU;
    }
    const bool more = f->result.end == GB_FIT_STEPS && !last;
    if (more && is_time_to_save(f) && !gb_fit_save(f))
        f->result.end = GB_FIT_ERROR;
    return more && f->result.end != GB_FIT_ERROR;
}

/* Feeds what the next step is to see. */
static bool next(const gb_fit_run *f)
{
    gb_batches *const data = f->options.data;
    return !data || gb_next_batch(data) || (gb_error(f->tape) == GB_OK && gb_next_batch(data));
}

static void train(gb_fit_run *f)
{
    bool good = true;
    while (!is_done(f) && (good = next(f) && gb_run(f->result.program) == GB_OK) && goes_on(f))
        ;
    if (!good || (f->result.end != GB_FIT_ERROR && f->options.checkpoint && !gb_fit_save(f)))
        f->result.end = GB_FIT_ERROR;
}

static const char *const endings[] = {[GB_FIT_STEPS] = "done",
                                      [GB_FIT_PLATEAU] = "no longer improves",
                                      [GB_FIT_CALLBACK] = "ended",
                                      [GB_FIT_ERROR] = "failed"};

gb_fit_result gb_fit_with(gb_fit_options options)
{
    gb_fit_run f = {.options = options, .result = {.end = GB_FIT_ERROR}};
    const gb_node loss = gb_elbo_loss(options.elbo);
    f.tape = loss.tape;
    if (!gb_node_ok(loss) || !begin(&f)) {
        f.result.status = f.tape ? gb_error(f.tape) : GB_EARGUMENT;
        return f.result;
    }
    f.result.end = GB_FIT_STEPS;
    train(&f);
    f.result.status = gb_error(f.tape);
    gb_fit_progress_end(&f.progress, &f.result.last, endings[f.result.end]);
    return f.result;
}

/* ---- several seeds ---- */

gb_status gb_fit_each_seed(gb_fit_seeds all)
{
    gb_status first = GB_OK;
    if (!all.make || !all.seeds)
        return GB_EARGUMENT;
    for (size_t i = 0; i < all.count; i++) {
        gb_tape_options tape_options = all.tape;
        tape_options.size = sizeof tape_options;
        tape_options.seed = all.seeds[i];
        gb_tape *const tape = gb_tape_new_with(tape_options);
        gb_fit_options options = {.size = sizeof options};
        gb_fit_result result = {.status = tape ? GB_OK : GB_ENOMEM, .end = GB_FIT_ERROR};
        if (tape && all.make(all.user, tape, &options))
            result = gb_fit_with(options);
        else if (tape)
            result.status = gb_error(tape) == GB_OK ? GB_EARGUMENT : gb_error(tape);
        if (all.done && tape)
            all.done(all.user, i, tape, &result);
        first = first == GB_OK ? result.status : first;
        gb_tape_free(tape);
    }
    return first;
}
