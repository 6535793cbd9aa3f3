/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_MODELS_OPTIMISERS_CLIP_IMPL_H
#define GREBE_MODELS_OPTIMISERS_CLIP_IMPL_H

#include "core/tape.h"

/* Replaces gradients by clipped ones: each element, then their common norm. A bound of 0 clips nothing. */
void gb_clip_gradients(double by_value, double by_norm, size_t count, gb_node *gradients);

#endif
