/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A training of a problem's parameters, step by step. Numbers that must be positive, or between two ends,
 * move in the coordinate of their domain's transform. Steps that leave another domain (a simplex) are undone;
 * the next ones have half the length and no momentum. */
#ifndef GREBE_COMPARE_REPLICATES_TRAIN_IMPL_H
#define GREBE_COMPARE_REPLICATES_TRAIN_IMPL_H

#include "compare/replicates.h"

typedef struct gb_problem_training {
    gb_replicates r;
    size_t elements;      /* of the parameters */
    double *now, *before; /* the parameters after gb_problem_forward; those of the step before */
    double rate;
    bool is_fresh; /* no step since the beginning, or since the last restart */
} gb_problem_training;

/* Begins a training by a plan of one replicate in a run, whose rate is above 0. False on error, which
 * t->r.trial.tape has. gb_problem_training_end follows in either case. */
bool gb_problem_training_begin(gb_problem_training *t, const gb_replicate_plan *plan);
void gb_problem_training_end(gb_problem_training *t);

/* Moves to parameters that have a gradient, t->now: to the start in the first call, then step by step. (The
 * run that evaluates the gradient also makes the next step.) Adds the time of the runs to `seconds`, unless
 * NULL. False on error. */
bool gb_problem_forward(gb_problem_training *t, double *seconds);

#endif
