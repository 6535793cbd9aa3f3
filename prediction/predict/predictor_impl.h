/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The nodes and programs of a prediction, which the ELBO keeps for the next one. */
#ifndef GREBE_PREDICTION_PREDICTIVE_PREDICTOR_IMPL_H
#define GREBE_PREDICTION_PREDICTIVE_PREDICTOR_IMPL_H

#include "fitting/density.h"
#include "models/predicting/outlook_impl.h"

/* Roots of a program, in this order, as far as they exist. */
typedef enum gb_root {
    GB_ROOT_MEAN,
    GB_ROOT_SPREAD,
    GB_ROOT_NOISE,
    GB_ROOT_PROBABILITY,
    GB_ROOT_ENTROPY,
    GB_ROOT_LOG_P,
    GB_ROOT_DATA,
    GB_ROOT_WEIGHT,
    GB_ROOT_DRAW,
    GB_ROOTS
} gb_root;

/* Which roots: what is known given the latents; what needs outcomes; draws of ŷ. */
enum { GB_OF_LATENTS = 1, GB_OF_OUTCOMES = 2, GB_OF_DRAWS = 4, GB_PROGRAMS = 8 };

/* A prediction of an outcome or a node, at draws of q or at points of a density. */
typedef struct gb_predictor {
    struct gb_predictor *before;
    const gb_kept_outcome *outcome; /* NULL: of a node */
    gb_node node;
    gb_density *density; /* NULL: draws of q */
    gb_view view;
    bool is_random;                   /* what is known given the latents varies from draw to draw */
    gb_program *program[GB_PROGRAMS]; /* by what they have; NULL: not compiled yet */
} gb_predictor;

/* Find or make it. NULL on error. */
gb_predictor *gb_predictor_of_outcome(gb_elbo *e, const char *name, gb_density *density);
gb_predictor *gb_predictor_of_node(gb_elbo *e, gb_node node, gb_density *density);

/* Returns the program with these roots. NULL on error. */
gb_program *gb_predictor_program(gb_predictor *p, unsigned parts);

/* Lists the roots of a program with these parts. Returns how many. */
size_t gb_predictor_roots(const gb_predictor *p, unsigned parts, gb_root root[GB_ROOTS]);

#endif
