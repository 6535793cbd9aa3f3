/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nodes at draws from the distributions of the sites themselves, whatever estimates the gradients.
 *
 * A site whose estimator draws from its distribution, one value for each sample, stays as it is. Others are
 * drawn anew: those that probe, those that relax discrete draws, those whose weights are drawn, and those of
 * one distribution with a draw for each row, which become one draw for all rows. Sites that sum over weighted
 * values either stay, and means take their weights, or are drawn too. */
#ifndef GREBE_ESTIMATORS_EXPECTATION_AT_DRAWS_IMPL_H
#define GREBE_ESTIMATORS_EXPECTATION_AT_DRAWS_IMPL_H

#include "estimators/expect.h"

typedef struct gb_at_draws {
    gb_expect *expect;
    size_t count;
    gb_node *from, *to; /* draws, and what stands in their place */
} gb_at_draws;

/* Records the new draws of all sites that there are. With `all`, weighted values are drawn too. Besides,
 * given.to[i] stands in the place of given.from[i], itself at the new draws of the sites before it; `given`
 * is in the order of recording of `from`. The tape owns the lists that are made. `word` ends the names of
 * streams, SITE.word, and must be another one in each call. Returns false on error. */
bool gb_at_draws_new(gb_expect *e, bool all, const char *word, gb_at_draws given, gb_at_draws *made);

/* Returns whether an expectation has sites that sum over weighted values. */
bool gb_has_weighted_draws(const gb_expect *e);

/* Returns whether values of a node, as it was recorded, can be taken at draws one by one. If not, the tape
 * has the error. Sets `mixes_rows` if the value in one row may depend on other rows. */
bool gb_at_draws_fit(gb_expect *e, gb_node node, bool *mixes_rows);

/* After gb_at_draws_fit: the name of a draw that the node depends on and that varies over rows, whose
 * distribution depends on `other`. NULL: there is none. */
const char *gb_draw_that_sees(const gb_expect *e, gb_node other);

/* For x as it is at the draws: return Σ weight · x and log Σ weight · exp(x) over the weighted values that it
 * depends on; x itself if there are none. */
gb_node gb_at_draws_mean(const gb_at_draws *d, gb_node x);
gb_node gb_at_draws_log_mean(const gb_at_draws *d, gb_node x);

#endif
