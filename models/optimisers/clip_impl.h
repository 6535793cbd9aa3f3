/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_MODELS_OPTIMISERS_CLIP_IMPL_H
#define GREBE_MODELS_OPTIMISERS_CLIP_IMPL_H

#include "core/tape.h"

/* Clips gradients in place: each element by `by_value`, then their common norm by `by_norm`. 0: no
 * clipping. */
void gb_clip_gradients(double by_value, double by_norm, size_t count, gb_node *gradients);

#endif
