/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The log density of a distribution at its own draw, by what made the draw.
 *
 * A draw x = loc + scale e has the density of e, over scale. Computed from x, e = (x - loc) / scale cancels:
 * where scale is small against loc, nothing of e is left. So samplers note what they made a draw from, and
 * densities ask for it. They do so only for a draw that gb_own_draw marks (distributions/distribution.h). */
#ifndef GREBE_DISTRIBUTIONS_LAW_OWN_DRAW_IMPL_H
#define GREBE_DISTRIBUTIONS_LAW_OWN_DRAW_IMPL_H

#include "distributions/distribution.h"

/* For samplers: notes that the draw of d was made from `source`, and returns the draw. */
gb_node gb_drawn(const gb_dist *d, gb_node draw, gb_node source);

/* For densities: returns what a marked draw of d, with the same parameters, was made from; inert if it is not
 * known. Sets `held` if the draw was stopped, so that the density has its gradient at a fixed draw. */
gb_node gb_source_of(const gb_dist *d, gb_node x, bool *held);

/* What is known from the source, where a formula in x would give it too, with fewer digits. A held draw has
 * the gradient of the formula. */
gb_node gb_by_source(gb_node known, gb_node formula, bool held);

#endif
