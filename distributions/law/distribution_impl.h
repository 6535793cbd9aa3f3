/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A public function asks its distribution once whether it is usable. These trust that it did. */
#ifndef GREBE_DISTRIBUTIONS_LAW_DISTRIBUTION_IMPL_H
#define GREBE_DISTRIBUTIONS_LAW_DISTRIBUTION_IMPL_H

#include "distributions/distribution.h"

/* The last `rank` axes of a shape, and those before them. */
gb_shape gb_last_axes(gb_shape shape, int rank);
gb_shape gb_first_axes(gb_shape shape, int rank);

/* Of the type's `shape`, or by the parameters. */
void gb_dist_shapes(const gb_dist *d, gb_shape *batch, gb_shape *event);

/* Of one draw, batch and event: rank −1 where they have more axes than GB_MAX_RANK. */
gb_shape gb_dist_draw_shape(const gb_dist *d);

/* The hidden axes that its parameters carry. */
gb_axes gb_dist_hidden_axes(const gb_dist *d);

/* Whether it is usable (this one asks) and can do that. Records an error if it cannot. */
bool gb_dist_able(const gb_dist *d, gb_ability ability);

/* Whether `tape`, that of the argument `what`, is the distribution's. NULL means that the argument is inert.
 * Records an error on the distribution's tape if they differ. */
bool gb_dist_is_of_tape(const gb_dist *d, const gb_tape *tape, const char *what);

#endif
