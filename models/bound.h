/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bounds: what becomes of the log weights log p(data, w) − log q(w), one for each sample. The ELBO is their mean.
 * docs/add-a-bound.md shows one of your own, which gb_check_bound judges. */
#ifndef GREBE_MODELS_BOUND_H
#define GREBE_MODELS_BOUND_H

#include "../estimators/expect.h"

GB_BEGIN_DECLS

typedef struct gb_bound_type {
    GB_PLUGIN_HEAD;
    /* It is no sum of expectations, so no term may be taken out of it and computed exactly: all KL are sampled. */
    bool needs_weights;
    /* REQUIRED: the bound, without axes, with the gradient of its estimators. `options` is the options struct of the type,
     * with defaults filled in. `log_weight` is a number for each sample; of a bound that does not need whole weights it lacks
     * the terms that are exact, which are added afterwards. */
    gb_node (*value)(gb_expect *expect, const void *options, gb_node log_weight);
    GB_RESERVE(8);
} gb_bound_type;

/* A bound with its options, by value. type NULL: the ELBO. */
typedef struct gb_bound {
    const gb_bound_type *type;
    gb_packed options;
} gb_bound;

/* The bound of a type with these options, an options struct; NULL: all defaults. For constructors. */
GB_API gb_bound gb_bound_of(const gb_bound_type *type, const void *options);

/* E log weight: the evidence lower bound. */
GB_API extern const gb_bound_type gb_evidence_bound_type;
GB_API gb_bound gb_evidence_bound(void);

/* What its type makes of log weights, with its options. */
GB_API gb_node gb_bound_value(gb_bound bound, gb_expect *expect, gb_node log_weight);

GB_DECLARE_KIND(gb_bound, gb_bounds)

GB_END_DECLS
#endif
