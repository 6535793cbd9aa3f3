/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Training: what a loop around gb_run does, with a progress line, a history, and an end.
 *
 *     gb_fit_result r = gb_fit(e, .optimiser = gb_adam(.lr = 1e-2), .data = data, .steps = 5000, .progress = stderr);
 *
 * Whatever it does can be done by hand with gb_minimise, gb_compile, gb_next_batch and gb_run; nothing is hidden. */
#ifndef GREBE_MODELS_FIT_H
#define GREBE_MODELS_FIT_H

#include <stdio.h>

#include "batches.h"
#include "elbo.h"
#include "optimiser.h"
#include "plateau.h"

GB_BEGIN_DECLS

/* How the training stands, at the end of a window of steps. */
typedef struct gb_fit_point {
    uint64_t step;  /* steps taken, those of earlier calls and of a checkpoint included */
    uint64_t epoch; /* that have ended; 0 without data */
    double elbo;    /* the mean over the window, for the whole data set */
    double error;   /* the standard error of that; NaN for one step */
    /* Of the loss in the variables that are trained, at the last step; NaN where nobody asked. */
    double gradient_norm;
    double seconds; /* since the call */
} gb_fit_point;

typedef enum gb_fit_end {
    GB_FIT_STEPS,    /* all steps were taken */
    GB_FIT_PLATEAU,  /* the ELBO no longer improved */
    GB_FIT_CALLBACK, /* the callback said so */
    /* The tape has it: the operation and the step. Variables are as the last good step left them. A loss that is not finite
     * is such an error; only an optimiser that tries points (L-BFGS) may meet one on its way. */
    GB_FIT_ERROR
} gb_fit_end;

typedef struct gb_fit_options {
    size_t size;
    gb_optimiser optimiser; /* REQUIRED */
    GB_MINIMISE_CHOICES;    /* .variables, .clip, .clip_norm, .average, .average_after: as for gb_minimise */
    /* NULL: inputs are fed already, and the same for each step. It must not have more rows than the ELBO's .data_size. */
    gb_batches *data;
    int64_t steps,
        epochs;     /* one of them, or `plateau`, is REQUIRED: the first that is reached ends the training */
    int64_t window; /* steps to a point of the history; 0: as many whole epochs as have at least 50 */
    /* Stop where the ELBO no longer improves: by less than `improvement` nats from one quarter of the training to the next
     * (0: a tenth of the standard deviation that it has from step to step). A training that still improves is stopped with
     * the probability `false_stop` (0: 0.01) at most, in the sense of plateau.h, whose windows are those of the history.
     * Windows in which the weight of KL moved are not compared, nor is what came before with what comes after: where it moves
     * for ever, `steps` or `epochs` must end the training.
     * The two are an error without .plateau = true. */
    bool plateau;
    double improvement;
    double false_stop;
    /* Where the training is saved (models/checkpoint.h), every so many steps (0: at the end of each window) and at the end,
     * and whether it goes on from there if there is such a file: bit for bit as if it had not been interrupted. Steps and
     * epochs then are those of all calls together; one that ended by plateau, with the same numbers, or by a callback that
     * says so again, ends at once. Another window begins afresh. The data must be batched as they were: else the file is
     * refused, and nothing changed. NULL: not at all, and the two others are an error. A program that only predicts
     * loads the file with .subset (models/checkpoint.h). */
    const char *checkpoint;
    int64_t checkpoint_every;
    bool resume;
    /* A line on a terminal, lines elsewhere. NULL: silence. */
    FILE *progress;
    bool gradient_norm; /* computed in each step also without `progress` */
    /* Called at the end of each window, and of the training. False ends it. */
    bool (*each)(void *user, const gb_fit_point *point);
    void *user;
} gb_fit_options;

typedef struct gb_fit_result {
    gb_status status;
    gb_fit_end end;
    uint64_t steps;    /* taken by this call */
    uint64_t before;   /* taken before it, if it went on from a checkpoint */
    gb_fit_point last; /* where nothing was left to do: of the checkpoint */
    size_t points;
    /* The history of this call, [points]; the tape owns it. The latest 65,536 where there are more. */
    const gb_fit_point *point;
    gb_program *program; /* the training program, for going on by hand. NULL where there is none */
} gb_fit_result;

/* A second call for the same ELBO, with the same optimiser and choices, goes on where the first one ended: moments, noise and
 * data. Its gradient norms are known if the first call asked for them. */
#define gb_fit(...) GB_CALL_1(gb_fit, __VA_ARGS__, .size = sizeof(gb_fit_options))
GB_API gb_fit_result gb_fit_with(gb_elbo *elbo, const gb_fit_options *options);

/* The same model from several seeds. `make` records it on the tape that it is given, fills the options of gb_fit, and
 * returns the ELBO; NULL: it could not (the tape has the error). `done`, if not NULL, is called with each fitted model before its tape ends,
 * which is when everything on it ends. Returns the first status that is not GB_OK; all seeds are tried. */
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
