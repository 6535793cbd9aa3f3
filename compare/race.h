/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A race of estimators: each trains by itself, from several seeds, and what is minimised or maximised is
 * followed over steps and over seconds. (gb_watch compares them at the parameters of one training.)
 *
 *     gb_racing *r = gb_race(.problem = gb_problem_find("bernoulli-3"), .steps = 2000,
 *                            .estimators = GB_ESTIMATORS(gb_score(), gb_disarm()));
 *     gb_racing_print(r, stdout);
 *     gb_racing_free(r);
 *
 * Or on a model of yours, which `make` records once with an estimator of its choice. As for gb_fit_each_seed
 * it fills in the options of gb_fit, with an optimiser and data:
 *
 *     gb_racing *r = gb_race(.make = record, .steps = 5000,
 *                            .estimators = GB_ESTIMATORS(gb_pathwise(), gb_score()));
 *
 * Each training has a tape of its own, and the model is recorded again with each estimator
 * (gb_elbo_swapped). So with one seed all trainings have the same start, and the same batches.
 *
 * A problem is trained by Adam at `rate`, in the logarithm of a parameter that must be positive, and in the
 * logit of a probability. What is followed is its expected cost, exactly if the problem knows it, else by
 * draws. Of a model it is what gb_fit maximises, for all its data: by draws, of the estimators that the model
 * was recorded with; of gb_score() where these relax draws, since their value would be another one. These
 * draws are the same at all points. The time of evaluations does not count, nor that of twenty steps with
 * which each estimator warms up before the first training. */
#ifndef GREBE_COMPARE_RACE_H
#define GREBE_COMPARE_RACE_H

#include <stdio.h>

#include "../estimators/list.h"
#include "../models/training.h"
#include "compare.h"
#include "moments.h"

GB_BEGIN_DECLS

typedef struct gb_race_options {
    size_t size;
    gb_estimator_list estimators; /* REQUIRED: at most 16 */
    const char *const *names;     /* OPTIONAL: one for each, for tables; NULL: their texts */
    int64_t seeds;                /* trainings of each estimator; 0: 5. At most 1000 */
    uint64_t seed;                /* of the first training; the others follow */
    int64_t steps;                /* of a training; 0: 1000 */
    int64_t points; /* where it is evaluated, from start to end: at least 2, no step twice; 0: 21 */
    int64_t draws;  /* of an evaluation, where draws are needed; 0: 1000 */
    int threads;    /* of a problem's tapes */
    /* One of `problem` and `make` is REQUIRED. These are of a problem, as for gb_compare: */
    const gb_problem *problem;
    size_t settings;
    const gb_compare_setting *setting;
    const gb_problem_data *data;
    int64_t samples; /* that a gradient averages over; 0: 1, or as many as an estimator needs */
    double rate;     /* 0: 0.05 */
    gb_real real;
    gb_bound bound;
    /* These are of a model: records it on the tape, fills in the options of gb_fit, and returns the ELBO;
     * NULL on failure, with the error on the tape. It is called for each training, and once more for each
     * estimator, which warms up. The race's .steps replace those of the options, .each must be NULL. */
    gb_elbo *(*make)(void *user, gb_tape *tape, gb_fit_options *options);
    const gb_tape_options *tape; /* OPTIONAL; the seed is replaced. NULL: all defaults */
    const char *latent;          /* OPTIONAL: only the estimators of this latent are exchanged */
    /* OPTIONAL: called about ten times a second of a problem's trainings, and after each of a model's. `done`
     * is the part of all trainings. False ends the race with GB_ESTOPPED; what has ended is kept. */
    bool (*progress)(void *user, double done);
    void *user; /* passed to `make` and `progress` */
    /* Of a problem: random rows that each step sees (gb_trial_rows); 0: all. Evaluations see all. */
    int64_t batch;
} gb_race_options;

/* A point at which trainings were evaluated. */
typedef struct gb_race_point {
    gb_figure value, seconds; /* the mean over the trainings that came so far */
} gb_race_point;

/* What became of one estimator. */
typedef struct gb_raced {
    const char *name;
    const char *why;               /* why there is no training, or one that failed; "" if there is none */
    int64_t failed;                /* trainings that ended with an error */
    const gb_race_point *point;    /* NULL: no training */
    const double *value, *seconds; /* [seed][point] of each training; NaN: it did not come so far. NULL: read
                                      from a file (stored.h), which has no single trainings */
} gb_raced;

/* The result. Only the library makes one; it may grow at its end. */
typedef struct gb_racing {
    gb_status status;  /* GB_OK, or the first error */
    const char *error; /* its message; "" without one */
    const char *what;  /* is followed: the formula of a problem, or "the bound" */
    bool rises;        /* it is maximised */
    bool is_exact;     /* it is known without draws */
    int64_t seeds, draws;
    size_t points;
    const int64_t *step; /* of each point */
    size_t estimators;
    const gb_raced *estimator;
    /* Of a problem: what was asked, as a comparison without estimates, whose `draws` and `steps` are those of
     * the race; and the rate. By these a file makes it again (stored.h). NULL for a model. */
    const gb_comparison *asked;
    double rate;
} gb_racing;

/* Returns a result, which gb_racing_free frees; NULL only if there is no memory at all. `status` is
 * GB_EARGUMENT for invalid options, without results; and for an estimator that does not fit, besides the
 * others. An error of a training is its own: others go on. */
#define gb_race(...) GB_CALL_0(gb_race, .size = sizeof(gb_race_options), __VA_ARGS__)
GB_API gb_racing *gb_race_with(const gb_race_options *options);
GB_API void gb_racing_free(gb_racing *racing); /* NULL does nothing */

/* Write the result: as a table; one line of CSV for each point of each training; JSON
 * (docs/schemas/grebe-race-1.json), of a problem with all that repeats it (stored.h); and a picture as
 * SVG, over steps and over seconds. Return GB_EARGUMENT for a NULL argument, and GB_ESYSTEM if `file`
 * cannot be written. */
GB_API gb_status gb_racing_print(const gb_racing *racing, FILE *file);
GB_API gb_status gb_racing_csv(const gb_racing *racing, FILE *file);
GB_API gb_status gb_racing_json(const gb_racing *racing, FILE *file);
GB_API gb_status gb_racing_svg(const gb_racing *racing, FILE *file);

GB_END_DECLS
#endif
