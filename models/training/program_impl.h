/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program of a training: made once for an ELBO, and found again by later calls. */
#ifndef GREBE_MODELS_TRAINING_PROGRAM_IMPL_H
#define GREBE_MODELS_TRAINING_PROGRAM_IMPL_H

#include "models/optimisers/minimise_impl.h"
#include "models/training/fit_impl.h"

/* What gb_fit made of an ELBO, which keeps it for the next call. */
typedef struct gb_elbo_training {
    gb_program *program;         /* NULL: nothing yet */
    gb_program *settle, *go_on;  /* NULL: the optimiser needs none (gb_minimised) */
    gb_minimise_request choices; /* by which it was made */
    /* Read after each step; the last, of the gradient, is none where nobody asked. */
    gb_node elbo, kl_weight, squared_norm;
} gb_elbo_training;

/* Finds the program of an earlier call, or makes one. False: the tape has the error. */
bool gb_fit_find_program(gb_fit_run *f, gb_node loss);

#endif
