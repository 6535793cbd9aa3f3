/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole numbers among options: what they may be, for the library and for files of results. */
#ifndef GREBE_COMPARE_REPLICATES_COUNTS_IMPL_H
#define GREBE_COMPARE_REPLICATES_COUNTS_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GB_MOST_DRAWS INT64_C(10000000000)
#define GB_MOST_SAMPLES INT64_C(1000000)
#define GB_MOST_STEPS INT64_C(100000000)
#define GB_MOST_SEEDS INT64_C(1000)
#define GB_MOST_BATCH INT64_C(2147483647)
#define GB_MOST_THREADS INT64_C(1024) /* of a tape */

/* An option, without its point. 0 stands for the default, and always fits. */
typedef struct gb_count {
    const char *name;
    int64_t value, low, high;
} gb_count;

/* Returns whether all are from `low` to `high`, or 0. Else writes which is not. */
bool gb_counts_fit(size_t count, const gb_count *counts, size_t bytes, char *words);

#endif
