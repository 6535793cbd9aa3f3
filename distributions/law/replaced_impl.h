/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_DISTRIBUTIONS_LAW_REPLACED_IMPL_H
#define GREBE_DISTRIBUTIONS_LAW_REPLACED_IMPL_H

#include "distributions/distribution.h"

/* Returns d with parameters as they would be if to[i] stood in the place of from[i], for `count` nodes:
 * gb_replaced_with_draws of all nodes of d, of what it wraps and of its transform. Inert on error, which the
 * tape has, and for an inert d. */
gb_dist gb_dist_replaced(gb_dist d, size_t count, const gb_node *from, const gb_node *to);

#endif
