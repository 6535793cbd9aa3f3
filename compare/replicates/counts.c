/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compare/replicates/counts_impl.h"

#include <stdio.h>

bool gb_counts_fit(size_t count, const gb_count *counts, size_t bytes, char *words)
{
    for (size_t i = 0; i < count; i++) {
        const gb_count *const c = &counts[i];
        if (c->value == 0 || (c->value >= c->low && c->value <= c->high))
            continue;
        snprintf(words, bytes, ".%s is %lld; it must be from %lld to %lld, or 0 for the default", c->name,
                 (long long)c->value, (long long)c->low, (long long)c->high);
        return false;
    }
    return true;
}
