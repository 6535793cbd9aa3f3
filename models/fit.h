/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Training: a loop around gb_run, with a progress line, a history and a stopping rule.
 *
 *     gb_fit_result r =
 *         gb_fit(e, .optimiser = gb_adam(.lr = 1e-2), .data = data, .steps = 5000, .progress = stderr);
 *
 * You can write the same loop by hand with gb_minimise, gb_compile, gb_next_batch and gb_run. */
#ifndef GREBE_MODELS_FIT_H
#define GREBE_MODELS_FIT_H

#include <stdio.h>

#include "batches.h"
#include "elbo.h"
#include "optimiser.h"
#include "plateau.h"

GB_BEGIN_DECLS

/* The state of the training at the end of a window of steps. */
typedef struct gb_fit_point {
    uint64_t step;  /* steps so far, including those of earlier calls and of a checkpoint */
    uint64_t epoch; /* epochs that have ended; 0 without data */
    double elbo;    /* mean over the window, for the whole data set */
    double error;   /* its standard error; NaN for one step */
    /* Norm of the gradient in the trained variables at the last step; NaN if it was not computed. */
    double gradient_norm;
    double seconds; /* since the beginning of the call */
} gb_fit_point;

typedef enum gb_fit_end {
    GB_FIT_STEPS,    /* all steps were taken */
    GB_FIT_PLATEAU,  /* the ELBO stopped improving */
    GB_FIT_CALLBACK, /* the callback returned false */
    /* An error, which is on the tape, with the operation and the step. The variables have the values of the
     * last successful step. A loss that is not finite is an error, except at trial points of L-BFGS; so is an
     * ELBO above 0 at the end of a window if all data are discrete, which is impossible. */
    GB_FIT_ERROR
} gb_fit_end;

typedef struct gb_fit_options {
    size_t size;
    gb_optimiser optimiser; /* REQUIRED */
    GB_MINIMISE_CHOICES;    /* .variables, .clip, .clip_norm, .average, .average_after: see gb_minimise */
    /* It must have a column for each input with rows that the loss needs. NULL: the inputs have been fed, and
     * are the same in each step. The number of rows must be .data_size of the ELBO; see `part_of_data`. */
    gb_batches *data;
    /* One of `steps`, `epochs` and `plateau` is REQUIRED. The one that is reached first ends the training.
     * Both numbers count from this call; with `resume` they count from the beginning of the training. */
    int64_t steps, epochs;
    int64_t window; /* steps for each point of the history; 0: whole epochs with at least 50 steps together */
    /* Stops when the ELBO improves by less than `improvement` nats from one quarter of the training to the
     * next. 0: a tenth of the standard deviation from step to step. A training that still improves is stopped
     * with probability at most `false_stop` (0: 0.01). plateau.h describes the test; its windows are those of
     * the history.
     *
     * Windows in which the weight of KL changes are not compared, nor are windows before and after such a
     * change. If the weight never stops changing, `steps` or `epochs` must end the training. `improvement`
     * and `false_stop` without .plateau = true are an error. */
    bool plateau;
    double improvement;
    double false_stop;
    /* Path of the file to which the training is saved (models/checkpoint.h); NULL: it is not saved. It is
     * saved every `checkpoint_every` steps (0: at the end of each window) and at the end. With `resume`, the
     * training continues from the file if it exists, bit for bit as if it had not been interrupted (with the
     * same kernels and OpenBLAS: gb_kernels).
     *
     * When resuming, steps and epochs count those of all calls. A training that ended by plateau, with the
     * same options, or by a callback that returns false again, ends at once. With another `window`, a new
     * window begins. The data must have the same batches; otherwise the file is rejected and nothing changes.
     * `checkpoint_every` and `resume` without `checkpoint` are an error. A program that only predicts loads
     * the file with .subset. */
    const char *checkpoint;
    int64_t checkpoint_every;
    bool resume;
    /* Progress: one line that changes on a terminal; lines elsewhere. NULL: none. */
    FILE *progress;
    bool gradient_norm; /* compute it in each step even without `progress` */
    /* Called at the end of each window, and of the training. Returning false ends the training. It may feed
     * the inputs with rows (validation data) and run other programs: the training keeps the rows that it had.
     * So rows that are fed, but not run before it returns, are an error without `data`: they were meant for
     * the training. Inputs without rows keep what was fed
     * last, so a number that changes during the training can be fed here. */
    bool (*each)(void *user, const gb_fit_point *point);
    void *user;
    /* The rows are only a part of the data set, and stand for all of its .data_size rows. Without it another
     * number of rows than .data_size is an error; more rows always are. */
    bool part_of_data;
} gb_fit_options;

typedef struct gb_fit_result {
    gb_status status;
    gb_fit_end end;
    uint64_t steps;    /* steps of this call */
    uint64_t before;   /* steps before this call, if it continued from a checkpoint */
    gb_fit_point last; /* the last point; that of the checkpoint if no step was taken */
    size_t points;
    /* The history of this call; the tape owns it. At most the latest 65,536 points. */
    const gb_fit_point *point;
    gb_program *program; /* the training program, to continue by hand. NULL: there is none */
} gb_fit_result;

/* Trains an ELBO. A second call for the same ELBO, with the same optimiser and options of gb_minimise,
 * continues the first: moments, noise and data. Gradient norms are known in the second call only if the first
 * call computed them. */
#define gb_fit(...) GB_CALL_1(gb_fit, __VA_ARGS__, .size = sizeof(gb_fit_options))
GB_API gb_fit_result gb_fit_with(gb_elbo *elbo, const gb_fit_options *options);

/* Trains the same model from several seeds. `make` records the model on the given tape, fills the options of
 * gb_fit, and returns the ELBO. It returns NULL on failure; the error is on the tape. `done`, if not NULL, is
 * called with each fitted model before its tape, and everything on it, is freed. All seeds are tried. Returns
 * the first status that is not GB_OK. */
typedef struct gb_fit_seeds {
    size_t size;
    const uint64_t *seeds;
    size_t count;
    const gb_tape_options *tape; /* OPTIONAL; the seed is replaced. NULL: all defaults */
    gb_elbo *(*make)(void *user, gb_tape *tape, gb_fit_options *options);
    void (*done)(void *user, size_t number, gb_tape *tape, const gb_fit_result *result);
    void *user;
} gb_fit_seeds;
GB_API gb_status gb_fit_each_seed(const gb_fit_seeds *seeds);

GB_END_DECLS
#endif
