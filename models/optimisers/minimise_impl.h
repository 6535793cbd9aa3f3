/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gb_minimise, and what a training needs of it besides. */
#ifndef GREBE_MODELS_OPTIMISERS_MINIMISE_IMPL_H
#define GREBE_MODELS_OPTIMISERS_MINIMISE_IMPL_H

#include "models/optimiser.h"

/* What gb_minimise is asked for. */
typedef struct gb_minimise_request {
    gb_node loss;
    gb_optimiser optimiser;
    GB_MINIMISE_CHOICES;
} gb_minimise_request;

/* `step` is what gb_minimise returns. An optimiser that tries points (gb_update_rest) has two more: `settle`
 * moves variables from the point on trial to the accepted one, `go_on` moves them back. Others have no update
 * there. */
typedef struct gb_minimised {
    gb_updates step, settle, go_on;
} gb_minimised;
gb_minimised gb_minimise_all(const gb_minimise_request *request);

/* Whether two calls ask for the same apart from the loss: optimiser, variables, clipping and averages. */
bool gb_minimise_is_same(const gb_minimise_request *a, const gb_minimise_request *b);

#endif
