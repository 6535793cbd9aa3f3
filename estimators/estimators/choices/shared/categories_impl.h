/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the estimators for choices among K categories. */
#ifndef GREBE_ESTIMATORS_ESTIMATORS_CHOICES_SHARED_CATEGORIES_IMPL_H
#define GREBE_ESTIMATORS_ESTIMATORS_CHOICES_SHARED_CATEGORIES_IMPL_H

#include "estimators/estimator.h"

/* `lacks` of a gb_estimator_type: returns NULL for a categorical and for a one_hot_categorical. */
const char *gb_lacks_categories(const gb_dist *q, const void *options);

/* K, and the normalised log probabilities, (batch) + (K). */
int64_t gb_categories(const gb_site *site);
gb_node gb_category_log_probs(const gb_site *site);

/* Converts integers, the categories, to the values of a draw. */
gb_node gb_category_values(const gb_site *site, gb_node category);

/* Returns the draw of an evaluation as a vector, (batch) + (K). */
gb_node gb_category_one_hot(const gb_site *site, int64_t evaluation);

#endif
