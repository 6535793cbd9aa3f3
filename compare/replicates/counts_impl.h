/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole numbers among options: are they in their ranges? */
#ifndef GREBE_COMPARE_REPLICATES_COUNTS_IMPL_H
#define GREBE_COMPARE_REPLICATES_COUNTS_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An option, without its point. 0 stands for the default, and always fits. */
typedef struct gb_count {
    const char *name;
    int64_t value, low, high;
} gb_count;

/* Returns whether all are from `low` to `high`, or 0. Else writes which is not. */
bool gb_counts_fit(size_t count, const gb_count *counts, size_t bytes, char *words);

#endif
