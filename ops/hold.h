/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Holding: checks that values meet a condition while programs run. Ranges: bounds of a node's values, known
 * without a run.
 *
 * gb_hold costs one pass over x, fused with the operations that use it. It is not needed where gb_node_range
 * shows that x meets the condition: a softplus is positive, for instance. */
#ifndef GREBE_OPS_HOLD_H
#define GREBE_OPS_HOLD_H

#include "../core/gradient.h"
#include "../core/op.h"

GB_BEGIN_DECLS

/* The message for a rejected value: "WHO: WHAT is VALUE, and must be MUST_BE". The texts are not copied and
 * must live as long as the tape's recording. */
typedef struct gb_hold_words {
    const char *who, *what, *must_be;
    intptr_t whole; /* not 0: a whole vector or matrix is rejected, so there is no VALUE */
} gb_hold_words;

/* Returns x with its gradient. In every program that contains the returned node, a run fails with this
 * message if `outside` is true for any element. `outside` is boolean and broadcasts to x. A NaN in x is not
 * rejected here. */
GB_API gb_node gb_hold(gb_node x, gb_node outside, gb_hold_words words);

/* Writes the message for `value` to `text`, at most `bytes` bytes. NULL: "WHO: WHAT must be MUST_BE". */
GB_API void gb_hold_text(gb_hold_words words, const double *value, char *text, size_t bytes);

/* An interval that contains all values of a node, derived from its operations; −∞ to ∞ if nothing is known.
 * An open end is never reached (but by underflow). NaN is not considered. Variables count as finite, since
 * commits ensure that. */
typedef struct gb_range {
    double low, high;
    /* Whether the low and the high end are open. */
    bool above, below;
} gb_range;
GB_API gb_range gb_node_range(gb_node x);

GB_END_DECLS
#endif
