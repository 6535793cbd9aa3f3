/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program of a training: compiled once for an ELBO, and used again by later calls. */
#ifndef GREBE_MODELS_TRAINING_PROGRAM_IMPL_H
#define GREBE_MODELS_TRAINING_PROGRAM_IMPL_H

#include "models/optimisers/minimise_impl.h"
#include "models/training/fit_impl.h"

/* The state of gb_fit, which the ELBO keeps for the next call. */
typedef struct gb_elbo_training {
    gb_program *program;         /* NULL: not compiled yet */
    gb_program *settle, *go_on;  /* NULL: the optimiser has no trial points (gb_minimised) */
    gb_program *keep, *exchange; /* "NAME.best" and the variables of the loss: early_impl.h. NULL: not yet */
    gb_minimise_request choices; /* the options that it was compiled with */
    /* Read after each step. `squared_norm`, of the gradient, is inert if it is not needed. */
    gb_node elbo, kl_weight, squared_norm;
} gb_elbo_training;

/* Finds the program of an earlier call, or compiles one. Returns false on error; the error is on the tape. */
bool gb_fit_find_program(gb_fit_run *f, gb_node loss);

#endif
