/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_MODELS_OPTIMISERS_ADAM_IMPL_H
#define GREBE_MODELS_OPTIMISERS_ADAM_IMPL_H

#include "models/optimiser.h"

/* What Adam subtracts: rate m / (sqrt v + epsilon), m and v the corrected moving means of g and g². The corrections are
 * divisions of single numbers. */
gb_node gb_adam_step(const gb_update_step *to, double beta1, double beta2, double epsilon);

#endif
