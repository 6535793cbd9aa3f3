/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bounds: what becomes of the log weights log p(data, w) − log q(w), one for each sample. The ELBO is their mean.
 * docs/add-a-bound.md shows one of your own, which gb_check_bound judges. */
#ifndef GREBE_MODELS_BOUND_H
#define GREBE_MODELS_BOUND_H

#include "../estimators/expect.h"

GB_BEGIN_DECLS

typedef struct gb_bound_type {
    size_t size;         /* REQUIRED: sizeof(gb_bound_type) */
    const char *name;    /* REQUIRED */
    const char *cite;    /* OPTIONAL: where it comes from. NULL: folklore */
    const char *formula; /* REQUIRED: one line for a reader */
    /* It is no sum of expectations, so no term may be taken out of it and computed exactly: all KL are sampled. */
    bool needs_weights;
    /* REQUIRED: the bound, without axes, with the gradient of its estimators. `log_weight` is a number for each sample; of
     * a bound that does not need whole weights it lacks the terms that are exact, which are added afterwards. */
    gb_node (*value)(gb_expect *expect, gb_node log_weight);
} gb_bound_type;

/* E log weight: the evidence lower bound. */
GB_API extern const gb_bound_type gb_evidence_bound_type;

/* All of them, `count` receives how many; and the one of a name, NULL if there is none. Constants. */
GB_API const gb_bound_type *const *gb_bounds(size_t *count);
GB_API const gb_bound_type *gb_bound_find(const char *name);

GB_END_DECLS
#endif
