/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_MODELS_OPTIMISERS_ADAM_IMPL_H
#define GREBE_MODELS_OPTIMISERS_ADAM_IMPL_H

#include "models/optimiser.h"

/* Returns the step of Adam: rate m / (sqrt v + epsilon), with corrected moving means m of g and v of g². The
 * corrections divide scalars only. */
gb_node gb_adam_step(const gb_update_step *to, double beta1, double beta2, double epsilon);

/* The same as gb_adam(), with moments of its own beside those of a training by it: for GB_FIT_STOCHASTIC. */
extern const gb_optimiser_type gb_ascent_optimiser_type;

#endif
