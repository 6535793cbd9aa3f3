/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of a training: checks, and the number of steps. */
#include "models/training/fit_impl.h"

#include "models/elbo/elbo_impl.h"

enum { LEAST_WINDOW = 50 };

/* Returns the default window. It has whole epochs: batches of one epoch exclude each other, which would
 * increase the error. */
static int64_t usual_window(int64_t batches)
{
    return batches == 0 ? LEAST_WINDOW : (LEAST_WINDOW + batches - 1) / batches * batches;
}

/* Returns the number of steps of the training; 0: unknown, or too large to count. */
static int64_t steps_of(const gb_fit_options *o, int64_t batches)
{
    const int64_t by_epochs = o->epochs <= INT64_MAX / (batches + !batches) ? o->epochs * batches : INT64_MAX;
    return o->epochs && (!o->steps || by_epochs < o->steps) ? by_epochs : o->steps;
}

/* Returns a message about an option that would have no effect; NULL: none. */
static const char *without_effect(const gb_fit_options *o)
{
    if (!o->plateau && (o->improvement != 0 || o->false_stop != 0))
        return ".improvement and .false_stop need .plateau = true";
    if (!o->checkpoint && (o->resume || o->checkpoint_every != 0))
        return ".resume and .checkpoint_every need .checkpoint, the path of the file";
    if (!o->validate && (o->patience != 0 || o->validate_every != 0 || o->validate_draws != 0 ||
                         o->validate_by != GB_VALIDATE_DENSITY))
        return ".patience and .validate_… need .validate, batches of rows that the training does not see";
    if (o->patience != 0 && o->average)
        return ".patience keeps the best variables, and .average makes others of all: leave one of them out";
    if (o->epochs != 0 && !o->data)
        return ".epochs needs .data (gb_batches_new), and there is none: use .steps";
    return NULL;
}

static bool numbers_fit(const gb_fit_run *f)
{
    const gb_fit_options *const o = &f->options;
    const char *words = without_effect(o);
    if (o->steps < 0 || o->epochs < 0 || o->window < 0 || o->checkpoint_every < 0 ||
        (!o->steps && !o->epochs && !o->plateau))
        gb_fail(
            f->tape, GB_EARGUMENT,
            "fit: .steps is %lld, .epochs %lld, .window %lld, .checkpoint_every %lld: none may be negative, "
            "and .steps, .epochs or .plateau = true is required to end the training",
            (long long)o->steps, (long long)o->epochs, (long long)o->window, (long long)o->checkpoint_every);
    else if (o->validate_every < 0 || o->validate_draws < 0 || o->patience < 0 ||
             o->validate_draws > INT32_MAX)
        gb_fail(f->tape, GB_EARGUMENT,
                "fit: .validate_every is %lld, .validate_draws %lld, .patience %lld: none may be negative",
                (long long)o->validate_every, (long long)o->validate_draws, (long long)o->patience);
    else if (o->validate_by < GB_VALIDATE_DENSITY || o->validate_by > GB_VALIDATE_ELBO)
        gb_fail(f->tape, GB_EARGUMENT, "fit: there is no .validate_by number %d", (int)o->validate_by);
    else if (words)
        gb_fail(f->tape, GB_EARGUMENT, "fit: %s", words);
    else if (o->plateau && o->window == 1)
        gb_fail(f->tape, GB_EARGUMENT,
                "fit: .window is 1, and with .plateau a window must have at least 2 steps, to have a spread");
    else if (o->plateau && !gb_plateau_fits(&f->plateau.options, &words))
        gb_fail(f->tape, GB_EARGUMENT, "fit: .improvement is %g, .false_stop %g: %s", o->improvement,
                o->false_stop, words);
    else
        return true;
    return false;
}

static bool data_fit(const gb_fit_run *f)
{
    const gb_batches *const data = f->options.data, *const held_out = f->options.validate;
    const double rows = (double)gb_batches_rows(data), size = f->elbo->options.data_size;
    if (data && gb_batches_tape(data) != f->tape)
        gb_fail(f->tape, GB_EARGUMENT,
                "fit: .data is of another tape than .elbo: gb_batches_new takes the tape that the model is "
                "recorded on");
    else if (held_out && gb_batches_tape(held_out) != f->tape)
        gb_fail(f->tape, GB_EARGUMENT, "fit: .validate is of another tape than .elbo");
    else if (held_out && held_out == data)
        gb_fail(f->tape, GB_EARGUMENT,
                "fit: .validate and .data are the same batches: the rows that validate must be others than "
                "those that train");
    else if (rows > size)
        gb_fail(
            f->tape, GB_EARGUMENT,
            "fit: .data has %g rows, and the data set of the ELBO only %g: gb_elbo_new(tape, .data_size = "
            "%g)",
            rows, size, rows);
    else
        return true;
    return false;
}

bool gb_fit_options_fit(gb_fit_run *f)
{
    gb_fit_options *const o = &f->options;
    f->plateau.options = (gb_plateau_options){.improvement = o->improvement, .false_stop = o->false_stop};
    if (!numbers_fit(f) || !data_fit(f))
        return false;
    const int64_t batches = gb_batches_count(o->data);
    o->window = o->window == 0 ? usual_window(batches) : o->window;
    f->steps = steps_of(o, batches);
    return true;
}
