/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a fit is asked, and what comes of it. gb_fit itself is declared in fitting/fit.h. With .optimiser it
 * is a training: a loop around gb_run, with a progress line, a history and a stopping rule.
 *
 *     gb_fit_result r =
 *         gb_fit(e, .optimiser = gb_adam(.lr = 1e-2), .data = data, .steps = 5000, .progress = stderr);
 *
 * You can write the same loop by hand with gb_minimise, gb_compile, gb_next_batch and gb_run. */
#ifndef GREBE_MODELS_TRAINING_H
#define GREBE_MODELS_TRAINING_H

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
    double elbo;    /* mean over the window, for the whole data set; of the bound, if it is another one */
    double error;   /* its standard error; NaN for one step */
    /* Norm of the gradient in the trained variables at the last step; NaN if it was not computed. */
    double gradient_norm;
    double seconds; /* since the beginning of the call */
    /* Of a held-out row, by .validate_by, also for the ELBO; larger is better. The standard error over the
     * rows; NaN for the ELBO. NaN: this window was not validated. */
    double validation, validation_error;
} gb_fit_point;

/* Why a training ended. */
typedef enum gb_fit_end {
    GB_FIT_STEPS,    /* all steps were taken */
    GB_FIT_PLATEAU,  /* the ELBO stopped improving */
    GB_FIT_CALLBACK, /* the callback returned false */
    /* An error, which is on the tape, with the operation and the step. The variables have the values of the
     * last successful step. A loss that is not finite is an error, except at trial points of L-BFGS; so is an
     * ELBO above 0 at the end of a window if all data are discrete, which is impossible. */
    GB_FIT_ERROR,
    /* Of a method without .optimiser (fitting/fit.h); `words` of the result say why. */
    GB_FIT_CONVERGED,  /* the best member of the family, as far as the method can see */
    GB_FIT_UNFINISHED, /* it is not found: a limit, an ELBO without bound, a density that q cannot have */
    GB_FIT_PATIENCE    /* a training: no better on the held-out rows for .patience validations */
} gb_fit_end;

/* How held-out rows are scored. */
typedef enum gb_validate_by {
    /* The log predictive density of a row: the log of the mean of p(y | draw) over the draws. For latents of
     * all rows. (Draws of a latent of each row come from a q that may have seen the outcome.) */
    GB_VALIDATE_DENSITY,
    /* The ELBO with these rows in the place of the data, divided by .data_size: the share of a row, KL
     * included. */
    GB_VALIDATE_ELBO
} gb_validate_by;

/* The way to find the best member of the family, where no optimiser is given; fitting/fit.h describes
 * them. */
typedef enum gb_fit_method {
    GB_FIT_USUAL,       /* GB_FIT_FIXED_DRAWS where it can, else GB_FIT_STOCHASTIC */
    GB_FIT_FIXED_DRAWS, /* maximises the ELBO over fixed draws, more and more of them */
    GB_FIT_PATHFINDER,  /* the best normal along paths to a mode; a start, soon found */
    GB_FIT_LAPLACE,     /* the normal at the mode */
    GB_FIT_STOCHASTIC   /* steps with fresh draws, and a rate that falls: any family, batches */
} gb_fit_method;

/* How far a fitted q is from the posterior; fitting/judge.h describes it. */
typedef enum gb_verdict {
    GB_VERDICT_NONE,          /* nothing was judged */
    GB_VERDICT_NOT_CONVERGED, /* q is not the best member of its family */
    GB_VERDICT_NOT_TRUSTED,   /* q's means may be wrong */
    GB_VERDICT_MEANS,         /* usable for means: they are within 0.2 standard deviations */
    /* Besides, standard deviations are within 20 %. But fewer than three other starts were compared, so p may
     * have modes that were missed. */
    GB_VERDICT_GOOD_HERE,
    GB_VERDICT_GOOD /* and other starts agree */
} gb_verdict;

typedef struct gb_fit_options {
    size_t size;
    /* None: no training, but a method that chooses its own steps and knows when it is done; then `variables`
     * and all options up to `part_of_data` but for data, progress, each and user are errors. */
    gb_optimiser optimiser;
    GB_MINIMISE_CHOICES; /* .variables, .clip, .clip_norm, .average, .average_after: see gb_minimise */
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
     * number of rows than .data_size is an error; more rows always are. What judges or samples the same ELBO
     * afterwards may have a part too. */
    bool part_of_data;
    /* Without optimiser. */
    gb_fit_method method;
    /* Of the draws and the starting points; 0: that of the tape. The same seed gives the same result. */
    uint64_t seed;
    double seconds;    /* the search ends soon after so many, with what it has, and is judged; 0: no limit */
    int64_t gradients; /* of log p, or of the ELBO: the search ends soon after so many; 0: 20,000,000 */
    /* The most draws that are fixed at once; 0: 65,536 for at most 50 free numbers, else 16,384. At least 128
     * are needed, and 8 for each number of a full rank. */
    int64_t draws;
    bool unjudged; /* the result has no judgement, and costs less time */
    /* With optimiser: rows that the training does not see. They are scored at the end of every
     * `validate_every`-th window (0: of each), by `validate_draws` draws of q (0: 100), which are the same
     * each time. The scores are in the history. The training's own rows, and their order, stay as they are.
     *
     * With `patience` above 0, the variables of the loss with the best score are kept, in variables
     * "NAME.best"; the training ends when so many validations in a row were no better; and at the end of the
     * call, whatever ended it but an error, the variables have their best values. `words` of the result say
     * which. "NAME.best" then has the last values, from which .resume continues, bit for bit. A second call
     * of gb_fit continues from the best ones. `patience` and .average together are an error, as are options
     * about validation without `validate`. */
    gb_batches *validate;
    gb_validate_by validate_by;
    int64_t validate_every, validate_draws, patience;
    /* OPTIONAL: called after each step of a training, and wherever a method calls `each`. Returning true ends
     * the fit there, as if `each` had returned false; a training that was saved continues with .resume. For
     * interrupts from outside, such as a signal. */
    bool (*stop)(void *user);
} gb_fit_options;

/* How a training ended. */
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
    gb_fit_point best; /* with .patience, of the best validation; its `validation` is NaN if there was none */
    /* Of a method. A training leaves them 0. */
    gb_fit_method method; /* the one that was used */
    /* The verdict with its reasons, if q was judged; then how the search ended, and why. One line for each.
     * For a training with .patience, which variables were kept; "" for others. */
    const char *words;
    double elbo, error; /* on draws that the method did not use; the standard error */
    int64_t draws;      /* the draws of the last optimum; 0: none are fixed */
    int64_t gradients;
    double seconds;
    gb_verdict verdict; /* that of the judgement; GB_VERDICT_NONE: q was not judged, and `words` say why */
    const struct gb_judgement *judgement; /* fitting/judge.h; NULL: q was not judged. The tape
                                          * owns it; gb_judgement_free frees it before, with all its draws */
} gb_fit_result;

GB_END_DECLS
#endif
