/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A distribution is asked once whether it is usable: where it enters, by a public function. What is here trusts that. */
#ifndef GREBE_DISTRIBUTIONS_LAW_DISTRIBUTION_IMPL_H
#define GREBE_DISTRIBUTIONS_LAW_DISTRIBUTION_IMPL_H

#include "distributions/distribution.h"

/* The last `rank` axes of a shape, and those before them. */
gb_shape gb_last_axes(gb_shape shape, int rank);
gb_shape gb_first_axes(gb_shape shape, int rank);

void gb_dist_shapes(const gb_dist *d, gb_shape *batch, gb_shape *event);

/* Both together: rank −1 where they have more axes than GB_MAX_RANK. */
gb_shape gb_dist_draw_shape(const gb_dist *d);

/* Those that the parameters carry. */
gb_axes gb_dist_hidden_axes(const gb_dist *d);

/* Usable, and able to do that; else the tape has the error. This one asks. */
bool gb_dist_able(const gb_dist *d, gb_ability ability);

/* Whether `tape`, that of `what`, is the distribution's (NULL: `what` is inert); else its own tape has the error. */
bool gb_dist_is_of_tape(const gb_dist *d, const gb_tape *tape, const char *what);

#endif
