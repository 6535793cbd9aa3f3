/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Holding a value to what it must be, while programs run.
 *
 * gb_hold costs one pass over x, fused with what uses it; where gb_node_range tells that x cannot be outside (the
 * scale is a softplus), it can be left out. */
#ifndef GREBE_OPS_HOLD_H
#define GREBE_OPS_HOLD_H

#include "../core/gradient.h"
#include "../core/op.h"

GB_BEGIN_DECLS

/* What is said of a value that is refused: "WHO: WHAT is VALUE, and must be MUST_BE". The texts are not copied: they
 * must live as long as the tape's recording. */
typedef struct gb_hold_words {
    const char *who, *what, *must_be;
    intptr_t whole; /* not 0: a vector or matrix is wrong, and no single VALUE */
} gb_hold_words;

/* x, with its gradient. A run in which `outside` is true anywhere fails in these words, whatever else it computes;
 * NaN is not refused here. `outside` is boolean, and broadcasts to x. */
GB_API gb_node gb_hold(gb_node x, gb_node outside, gb_hold_words words);

/* The words, of one value; NULL: without it, "WHO: WHAT must be MUST_BE". */
GB_API void gb_hold_text(gb_hold_words words, const double *value, char *text, size_t bytes);

/* An interval that holds all values of a node, by what it is made of; open ends are never reached (but by
 * underflow). −∞ to ∞ where nothing is known. NaN is not thought of; a variable counts as finite, since commits see
 * to that. */
typedef struct gb_range {
    double low, high;
    bool above, below; /* the ends themselves are not values */
} gb_range;
GB_API gb_range gb_node_range(gb_node x);

GB_END_DECLS
#endif
