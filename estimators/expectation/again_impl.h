/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An expectation that is recorded again: the same sites in the same order, with other estimators, or along
 * further hidden axes. */
#ifndef GREBE_ESTIMATORS_EXPECTATION_AGAIN_IMPL_H
#define GREBE_ESTIMATORS_EXPECTATION_AGAIN_IMPL_H

#include "estimators/expectation/sites_impl.h"

/* Returns the beginning of a new recording, without sites, whose draws vary along `axes` besides. `room` is
 * the number of nodes that are going to be replaced. The texts are not copied. NULL on error. */
gb_again *gb_again_new(const gb_expect *e, gb_axes axes, const char *word, const char *stream, size_t room);

/* Puts a node in the place of another one. Does nothing beyond the room. */
void gb_again_put(gb_again *a, gb_node from, gb_node to);

/* Store what nodes are in the new recording, or return a distribution. Inert on error. */
bool gb_again_replace(const gb_again *a, size_t count, const gb_node *nodes, gb_node *replaced);
gb_dist gb_again_dist(const gb_again *a, gb_dist d);

/* Draws a site again, from `q` of the new recording, and puts the draw in the place of the first one. Returns
 * the new draw; inert on error, as gb_draw. Also if its noise cannot be common along a->common, since it
 * depends on parameters (gammas, counts, angles). */
gb_node gb_again_draw(gb_again *a, const own_site *site, gb_dist q, gb_estimator estimator);

/* Puts log q of a site's new draw, as that of gb_draw_log_prob, in the place of the first one, if the first
 * recording has it. */
void gb_again_put_own(gb_again *a, const own_site *site);

#endif
