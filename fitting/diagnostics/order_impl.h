/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers in order, with the places that they came from. Equal ones stay in the order of their places. */
#ifndef GREBE_FITTING_DIAGNOSTICS_ORDER_IMPL_H
#define GREBE_FITTING_DIAGNOSTICS_ORDER_IMPL_H

#include <stddef.h>

typedef struct gb_ranked {
    double value; /* not NaN */
    size_t place;
} gb_ranked;

/* Sorts in ascending order. */
void gb_ranked_sort(gb_ranked *ranked, size_t count);

/* Brings the `most` largest, 0 < most ≤ count, to the front, in ascending order; the rest is in no order.
 * Returns the largest of the rest; −∞ if there is none. */
double gb_ranked_largest(gb_ranked *ranked, size_t count, size_t most);

/* Returns R's quantile of type 7: linear between the two nearest of `count` > 0 numbers in order. */
double gb_ranked_quantile(const gb_ranked *ranked, size_t count, double probability);

#endif
