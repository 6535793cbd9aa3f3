/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which terms of a cost depend on a draw, and whether they are a sum over rows that do not depend on each
 * other's draws.
 *
 * An estimator that multiplies a score by a cost may leave out terms that do not depend on the draw. It may
 * also multiply the score of each row by the cost of that row alone. The mean stays the same and the variance
 * decreases (Ranganath et al. 2014, Schulman et al. 2015). A draw *reaches* a term if the term depends on it
 * by *value*: also through stopped gradients and through the parameters of later draws. */
#ifndef GREBE_ESTIMATORS_REACH_H
#define GREBE_ESTIMATORS_REACH_H

#include "../core/gradient.h"
#include "../core/op.h"

GB_BEGIN_DECLS

/* cost = rest + whole + Σ rows. An inert node stands for 0. */
typedef struct gb_reach {
    gb_node rest;  /* not reached */
    gb_node whole; /* reached: one number */
    gb_node rows;  /* reached: one number for each row, not reached by the draws of other rows */
} gb_reach;

/* Splits `cost` into terms that `draw` reaches and terms that it does not, through sums, differences and
 * products with unreached factors. Rows are separated if the draw varies over rows. If nothing can be
 * separated, `whole` is the cost itself. Returns false on error; the error is on the tape. The time is
 * proportional to the number of nodes recorded between draw and cost. */
GB_API bool gb_reach_of(gb_node cost, gb_node draw, gb_reach *reach);

/* Returns the sum of two parts; an inert part stands for 0. */
GB_API gb_node gb_reach_sum(gb_node a, gb_node b);

GB_END_DECLS
#endif
