/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares estimators along one training: at points of it, the variance, the signal and the cost of their
 * gradients, all at the same parameters and on the same batches.
 *
 *     gb_watching *w = gb_watch(e, .estimators = GB_ESTIMATORS(gb_pathwise(), gb_score()));
 *     gb_fit(e, .optimiser = gb_adam(), .data = data, .epochs = 20);
 *     gb_watching_print(w, stdout);
 *
 * The model is recorded again with each estimator (gb_elbo_swapped). The training stays as it is, to the bit,
 * and so does a checkpoint: what looks on has streams of noise, batches and variables of its own.
 *
 * *What is estimated.* Let g be the gradient of the loss in all variables that are trained, as one step of
 * the training sees it: on one random batch B, with one draw of the noise. Its variance is that of all
 * elements together, Σ_j Var(g_j). At a point, n gradients are made on each of M batches. With s_b² the
 * sample variance of those on batch b, and m_b their mean,
 *
 *     of draws    E_B Var(g | B)     by  mean s_b²
 *     of batches  Var_B E(g | B)     by  (sample variance of the m_b) − (mean s_b²) / n
 *     together    Var(g)             by  the sum of both
 *
 * each without bias (the law of total variance). With one batch only the first is known, on that batch. With
 * one gradient on each batch only their sum is known. With .by_draw also the part that each draw of the model
 * brings alone,
 *
 *     E Var(g | B, all other draws)  by  the mean of |g − g′|² / 2
 *
 * over pairs that differ in the noise of this draw only. If the draws do not interact these parts sum to that
 * of draws; else they sum to more. Noise of the model that is no draw of a latent or a layer is held, too.
 *
 * The signal-to-noise ratio is |E g| / √Var(g), with |E g|² = |mean|² − its own variance; it is 0 where that
 * is negative. Standard errors are by the jackknife over batches; with one batch over gradients, which gives
 * √((κ − 1) / n) of a variance, κ the kurtosis. Intervals are Student's, of the logarithm of what is
 * positive. */
#ifndef GREBE_COMPARE_WATCH_H
#define GREBE_COMPARE_WATCH_H

#include <stdio.h>

#include "../estimators/list.h"
#include "../models/batches.h"
#include "../models/elbo.h"
#include "../models/optimiser.h"
#include "moments.h"

GB_BEGIN_DECLS

typedef struct gb_watch_options {
    size_t size;
    /* Each takes the place of the estimators of all draws; one without a type, (gb_estimator){0}, is the
     * model as it was recorded. None: only that. At most 16. */
    gb_estimator_list estimators;
    const char *const *names; /* OPTIONAL: one for each, for tables; NULL: their texts */
    /* OPTIONAL: a latent, or a draw of a layer ("w.layer"): only its estimators are exchanged. */
    const char *latent;
    int64_t every; /* steps from point to point; 0: 100. Another point is the last step */
    /* Gradients of each estimator at a point, from 8 to 100,000,000; 0: 200. Rounded up to as many on each
     * batch. */
    int64_t draws;
    int64_t
        batches; /* on which they are shared evenly, 1 or 4 to 256; 0: 20, or 1 if all data are one batch */
    int64_t samples; /* that a gradient averages over; 0: as many as in the training */
    bool elements;   /* figures for each number of a variable, at most 1024 in all; else for each variable */
    bool by_draw;    /* the part of the variance that each draw of the model brings alone */
    /* The watch takes less than `share` (0: 0.5) of the time of the training, `seconds` (0: 1; negative:
     * none) not counted; these are spread over the steps of the training, and some are kept for the last
     * point. A point that would take more is left out, and the words of the result say so. A share of
     * HUGE_VAL keeps all points. */
    double share, seconds;
    /* Runs in which what an estimator learns (a baseline, a coefficient, a surrogate) learns before each
     * point, on batches of its own. 0: as many as the training has taken steps since the point before, but at
     * most `every`; at most 100,000,000. What the model's own estimators learn is learned by the training. */
    int64_t lessons;
    /* Of these; none: that of the training if it takes variables one by one, or Adam. */
    gb_optimiser learns_by;
    /* For loops of your own (gb_watching_look): where batches come from. gb_fit has its .data. */
    gb_batches *data;
    /* OPTIONAL: receives each gradient as CSV: step, estimator, batch, draw, variable, element, value. One
     * that cannot be written is an error of gb_watch, or, later, GB_ESYSTEM in `status`. */
    FILE *raw;
} gb_watch_options;

/* Of one estimator at a point: in one parameter, or in all together. */
typedef struct gb_watched {
    gb_figure variance;       /* of one gradient; with one batch, on that batch */
    gb_figure of_draws;       /* its parts: see above; not known with one gradient on each batch */
    gb_figure of_batches;     /* nor with one batch */
    gb_figure snr;            /* signal-to-noise ratio */
    gb_figure mean;           /* the gradient itself, of a single number; else not known */
    const gb_figure *of_draw; /* with .by_draw: one for each draw of the model; NULL: not known */
} gb_watched;

/* An estimator at a point of the training. */
typedef struct gb_watched_estimator {
    const gb_watched *parameter; /* one for each, then that of all; NULL: not measured at this point */
    double evaluations;          /* of the cost, for one gradient: over all samples, if it varies with them */
    gb_figure seconds;           /* of a run that computes one gradient */
    gb_figure bound;             /* what the training maximises, as this estimator sees it */
    gb_figure ratio;             /* variance × evaluations, over that of the first estimator */
} gb_watched_estimator;

/* A point of the training. */
typedef struct gb_watch_point {
    uint64_t step, epoch;
    double seconds; /* of the training until then */
    const gb_watched_estimator *estimator;
} gb_watch_point;

/* The result so far. The tape owns it; only the library makes one, and it may grow at its end. */
typedef struct gb_watching {
    gb_status status;  /* GB_OK; else the first error while it measured, of an estimator at a point */
    const char *error; /* its message; "" without one */
    size_t estimators;
    const char *const *name;
    const char *const *why; /* why an estimator is left out altogether; "" if it is not */
    size_t parameters;      /* variables, or with .elements numbers */
    const char *const *parameter;
    const int64_t *numbers; /* how many numbers each has */
    size_t draws;           /* of the model, for .by_draw */
    const char *const *draw;
    const char *const *draw_why; /* why the part of a draw is not known, with .by_draw; "" if it is */
    int64_t gradients, batches;  /* of each estimator at a point, and on how many batches; 0: not known yet */
    size_t points;
    const gb_watch_point *point;
    size_t left_out;                  /* points that would have taken too long */
    double seconds, training_seconds; /* that the watch and the training have taken */
    /* What makes the same figures again, with the same model and data: */
    const char *const *text; /* of each estimator; "" for the model as it was recorded */
    const char *version;     /* of grebe */
    const char *kernels;     /* the instruction set: the same bits come of the same one */
    gb_real real;            /* of the tape, as its seed */
    uint64_t seed;
    int64_t every, samples, lessons; /* as in the options, `every` and `samples` never 0 */
    const char *latent;              /* as in the options; NULL: all draws */
} gb_watching;

/* Begins to watch the trainings of an ELBO by gb_fit with .optimiser. The ELBO becomes complete
 * (gb_elbo_loss). An estimator that does not fit some draw, or the cost, is left out: `why` names the draws
 * and what they lack. NULL on error, which is on the tape: invalid options, or no estimator that fits.
 *
 * An error while it watches never ends the training: the figures of that estimator are not known at that
 * point, and `status` and `error` have the first. */
#define gb_watch(...) GB_CALL_1(gb_watch, __VA_ARGS__, .size = sizeof(gb_watch_options))
GB_API gb_watching *gb_watch_with(gb_elbo *e, const gb_watch_options *options);

/* For loops of your own: measures if a point is due at `step`, the number of steps that were taken. Call it
 * before the first step and after each. Returns the error code of the tape: GB_EFEED without .data, if rows
 * have not been fed yet. */
GB_API gb_status gb_watching_look(gb_watching *watching, uint64_t step);

/* Ends the watching of later trainings. Results stay. NULL does nothing. */
GB_API void gb_watching_end(gb_watching *watching);

/* Write the result: tables; one line of CSV for each parameter of each estimator at each point, with an
 * empty cell for an unknown number; JSON (docs/schemas/grebe-watch-1.json), with null; and a picture of
 * variance and signal-to-noise ratio over the steps, as SVG. Return GB_EARGUMENT for a NULL argument, and
 * GB_ESYSTEM if `file` cannot be written. */
GB_API gb_status gb_watching_print(const gb_watching *watching, FILE *file);
GB_API gb_status gb_watching_csv(const gb_watching *watching, FILE *file);
GB_API gb_status gb_watching_json(const gb_watching *watching, FILE *file);
GB_API gb_status gb_watching_svg(const gb_watching *watching, FILE *file);

GB_END_DECLS
#endif
