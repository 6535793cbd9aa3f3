/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Baselines: what a score estimator subtracts from a cost before it weights a score by it.
 *
 * E[∂ log q] = 0, so whatever does not depend on the draw may be subtracted: it changes the variance of a
 * gradient, not its mean. A baseline that contains the very sample it corrects does change the mean; those
 * here never do. */
#ifndef GREBE_ESTIMATORS_BASELINE_H
#define GREBE_ESTIMATORS_BASELINE_H

#include "../core/tape.h"

GB_BEGIN_DECLS

struct gb_site;

typedef struct gb_baseline_type {
    size_t size;         /* REQUIRED: sizeof(gb_baseline_type) */
    const char *name;    /* REQUIRED */
    const char *cite;    /* OPTIONAL: where it comes from. NULL: folklore */
    const char *formula; /* REQUIRED: one line for a reader */
    /* REQUIRED: what is subtracted from `cost`, a real scalar for each sample (or the same for all). What it
     * returns for a sample must not depend on that sample's draw. */
    gb_node (*value)(const struct gb_site *site, gb_node cost);
} gb_baseline_type;

/* By value; type NULL: none. */
typedef struct gb_baseline {
    const gb_baseline_type *type;
} gb_baseline;

GB_API extern const gb_baseline gb_no_baseline;

/* The mean cost of the other samples. Needs two samples or more: a run with one, if it needs the gradient, is
 * refused with words. Costs that do not vary over the samples are their own baseline. */
GB_API extern const gb_baseline gb_leave_one_out;

/* All of them, `count` receives how many; and the one of a name, NULL if there is none. */
GB_API const gb_baseline *const *gb_baselines(size_t *count);
GB_API const gb_baseline *gb_baseline_find(const char *name);

GB_END_DECLS
#endif
