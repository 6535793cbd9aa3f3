/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What looks on while gb_fit trains an ELBO. */
#ifndef GREBE_MODELS_TRAINING_ONLOOKER_IMPL_H
#define GREBE_MODELS_TRAINING_ONLOOKER_IMPL_H

#include "models/training.h"

/* A moment of a training: before its first step, or after a step. */
typedef struct gb_moment {
    uint64_t step;  /* steps so far, with those of earlier calls */
    uint64_t steps; /* with which the training ends; 0: it is not known before */
    uint64_t epoch; /* that have ended; 0 without data */
    double seconds; /* of this call, without those of the onlookers */
    bool is_last;   /* the training ends here */
    const gb_fit_options *options;
} gb_moment;

/* `look` may feed inputs, and run programs that assign none of the variables of the training. It leaves no
 * error on the tape, but for one that is to end the training. */
typedef struct gb_onlooker {
    struct gb_onlooker *before;
    void (*look)(void *user, const gb_moment *moment);
    void *user;
} gb_onlooker;

/* Adds one, until it is removed or the tape ends. The struct is the caller's, and must live as long. */
void gb_elbo_add_onlooker(gb_elbo *e, gb_onlooker *onlooker);
void gb_elbo_remove_onlooker(gb_elbo *e, const gb_onlooker *onlooker);

/* For the loop: shows them a moment. Returns false if one ends the training by an error. */
struct gb_fit_run;
bool gb_fit_let_look(struct gb_fit_run *f, bool is_last);

#endif
