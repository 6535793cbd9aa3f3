/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gb_minimise, and the further updates that gb_fit needs. */
#ifndef GREBE_MODELS_OPTIMISERS_MINIMISE_IMPL_H
#define GREBE_MODELS_OPTIMISERS_MINIMISE_IMPL_H

#include "models/optimiser.h"

/* The arguments of gb_minimise. */
typedef struct gb_minimise_request {
    gb_node loss;
    gb_optimiser optimiser;
    GB_MINIMISE_CHOICES;
} gb_minimise_request;

/* `step` is the result of gb_minimise. For an optimiser with trial points (gb_update_rest), `settle` moves
 * the variables from the trial point to the accepted one, and `go_on` moves them back. For other optimisers
 * both are empty. */
typedef struct gb_minimised {
    gb_updates step, settle, go_on;
} gb_minimised;
gb_minimised gb_minimise_all(const gb_minimise_request *request);

/* Returns the part of it that moves what the estimators of the loss learn, and none of the variables
 * `except`. */
gb_updates gb_minimise_learned(const gb_minimise_request *request, gb_node_list except);

/* Returns whether two requests are equal apart from the loss: optimiser, variables, clipping and averages. */
bool gb_minimise_is_same(const gb_minimise_request *a, const gb_minimise_request *b);

/* Returns false, with an error, if .variables has a count and no list. */
bool gb_minimise_has_list(const gb_minimise_request *request);

#endif
