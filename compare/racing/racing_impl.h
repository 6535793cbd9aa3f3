/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One training of a race. */
#ifndef GREBE_COMPARE_RACING_RACING_IMPL_H
#define GREBE_COMPARE_RACING_RACING_IMPL_H

#include "compare/replicates.h"
#include "models/training.h"

enum { GB_RACE_WORDS = 640 };

/* What all trainings have in common. */
typedef struct gb_race_course {
    size_t points;
    const int64_t *step; /* of each; the first is 0, the last is the end */
    int64_t draws;
    /* Asks whether to go on, after a part of a training. NULL: yes. */
    bool (*goes_on)(void *user, double part);
    void *user;
    bool is_exact;          /* set by trainings of a problem */
    gb_replicate_plan plan; /* of a problem, without estimator and seed */
    gb_elbo *(*make)(void *user, gb_tape *tape, gb_fit_options *options);
    void *maker;
    const gb_tape_options *tape;
    const char *latent;
} gb_race_course;

/* One training, and what came of it. */
typedef struct gb_race_run {
    gb_estimator estimator;
    uint64_t seed;
    double *value, *seconds; /* of each point; NaN before */
    gb_status status;
    bool is_unfit; /* the error is one of recording, which other seeds have too */
    char why[GB_RACE_WORDS];
} gb_race_run;

/* Train. The run has an error; GB_ESTOPPED if `goes_on` returned false. */
void gb_race_on_problem(gb_race_course *course, gb_race_run *run);
void gb_race_on_model(gb_race_course *course, gb_race_run *run);

#endif
