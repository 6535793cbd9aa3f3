/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bounds: functions of the log weights log p(data, w) − log q(w), of which there is one for each sample. The
 * ELBO is their mean. docs/add-a-bound.md shows how to write your own; gb_check_bound tests it. */
#ifndef GREBE_MODELS_BOUND_H
#define GREBE_MODELS_BOUND_H

#include "../estimators/expect.h"

GB_BEGIN_DECLS

typedef struct gb_bound_type {
    GB_PLUGIN_HEAD;
    /* True: the bound is not a sum of expectations, so no term may be computed exactly. All KL are
     * sampled. */
    bool needs_weights;
    /* REQUIRED: returns the bound, without hidden axes; its gradient is that of the estimators. `options` is
     * the options struct of the type, with defaults filled in. `log_weight` has one number for each sample.
     * Unless `needs_weights` is set, it lacks the exact terms, which are added to the result. */
    gb_node (*value)(gb_expect *expect, const void *options, gb_node log_weight);
    GB_RESERVE(8);
} gb_bound_type;

/* A bound with its options, by value. type NULL: the ELBO. */
typedef struct gb_bound {
    const gb_bound_type *type;
    gb_packed options;
} gb_bound;

/* Returns the bound of a type with these options (an options struct; NULL: all defaults). For
 * constructors. */
GB_API gb_bound gb_bound_of(const gb_bound_type *type, const void *options);

/* The evidence lower bound: E[log weight]. */
GB_API extern const gb_bound_type gb_evidence_bound_type;
GB_API gb_bound gb_evidence_bound(void);

/* Returns the value of the bound: calls `value` of its type with its options. */
GB_API gb_node gb_bound_value(gb_bound bound, gb_expect *expect, gb_node log_weight);

GB_DECLARE_KIND(gb_bound, gb_bounds)

GB_END_DECLS
#endif
