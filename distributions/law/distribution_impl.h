/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Public functions check once that their distribution is usable. These rely on it, but for gb_dist_able. */
#ifndef GREBE_DISTRIBUTIONS_LAW_DISTRIBUTION_IMPL_H
#define GREBE_DISTRIBUTIONS_LAW_DISTRIBUTION_IMPL_H

#include "distributions/distribution.h"

/* The last `rank` axes of a shape; the first ones. */
gb_shape gb_last_axes(gb_shape shape, int rank);
gb_shape gb_first_axes(gb_shape shape, int rank);

/* Batch and event, by the slot `shape` or from the parameters. */
void gb_dist_shapes(const gb_dist *d, gb_shape *batch, gb_shape *event);

/* The shape of one draw, batch and event. Rank −1 if these are more than GB_MAX_RANK axes. */
gb_shape gb_dist_draw_shape(const gb_dist *d);

/* The hidden axes of its parameters. */
gb_axes gb_dist_hidden_axes(const gb_dist *d);

/* Whether it is usable and has the ability. Records an error if it lacks the ability. */
bool gb_dist_able(const gb_dist *d, gb_ability ability);

/* Whether `tape`, the tape of the argument `what`, is that of the distribution. NULL means that the argument
 * is inert. Records an error on the tape of the distribution if they differ. */
bool gb_dist_is_of_tape(const gb_dist *d, const gb_tape *tape, const char *what);

/* Appends to the list: all parameters, those of what it wraps too; those that its support moves with. `count`
 * goes on beyond GB_DIST_NODES if there are more. */
enum { GB_DIST_NODES = 24 };
typedef struct gb_dist_nodes {
    size_t count;
    gb_node node[GB_DIST_NODES];
} gb_dist_nodes;
void gb_dist_all_params(const gb_dist *d, gb_dist_nodes *to);
void gb_dist_moving_params(const gb_dist *d, gb_dist_nodes *to);

#endif
