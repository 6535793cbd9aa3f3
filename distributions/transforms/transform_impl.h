/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by several transforms. */
#ifndef GREBE_DISTRIBUTIONS_TRANSFORMS_TRANSFORM_IMPL_H
#define GREBE_DISTRIBUTIONS_TRANSFORMS_TRANSFORM_IMPL_H

#include "distributions/transform.h"

/* A transform without parameters. Inert if the tape is NULL. */
gb_transform gb_transform_of_tape(const gb_transform_type *type, gb_tape *tape);

/* For the slot log_jacobian of a map that keeps volumes: 0. */
gb_node gb_keeps_volume(const gb_transform *t, gb_node x, gb_node y);

#endif
