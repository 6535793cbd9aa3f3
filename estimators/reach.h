/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What of a cost a draw reaches: which of its terms, and whether they are a sum over rows that stay apart.
 *
 * An estimator that weights a score by a cost may leave out the terms that the draw does not reach, and may weight the
 * score of each row by that row's cost alone: the mean is the same and the variance smaller (Ranganath et al. 2014,
 * Schulman et al. 2015). Reached is what depends by *value*, also through stopped gradients and the parameters of
 * later draws. */
#ifndef GREBE_ESTIMATORS_REACH_H
#define GREBE_ESTIMATORS_REACH_H

#include "../core/gradient.h"
#include "../core/op.h"

GB_BEGIN_DECLS

/* cost = rest + whole + Σ rows, where an inert node stands for 0. */
typedef struct gb_reach {
    gb_node rest;  /* not reached */
    gb_node whole; /* reached, as one number */
    gb_node rows;  /* reached, a number for each row, which no other row's draw reaches */
} gb_reach;

/* The terms of `cost` (through sums, differences, multiples) by what `draw` reaches. Rows are told apart where the draw
 * varies over them. `whole` is the cost itself where nothing can be told apart. False on error (the tape has it). Takes
 * time in proportion to the recording between the two. */
GB_API bool gb_reach_of(gb_node cost, gb_node draw, gb_reach *reach);

/* The sum of two parts, of which one that is not there is inert. */
GB_API gb_node gb_reach_sum(gb_node a, gb_node b);

GB_END_DECLS
#endif
