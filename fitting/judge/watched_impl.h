/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory that remembers whether it ran out, for functions whose result does not say it. */
#ifndef GREBE_FITTING_JUDGE_WATCHED_IMPL_H
#define GREBE_FITTING_JUDGE_WATCHED_IMPL_H

#include <stdbool.h>

#include "core/memory.h"

typedef struct gb_watched {
    gb_memory memory; /* the tape's */
    bool ran_out;
} gb_watched;

/* It points to `watched`, which must not move. */
gb_memory gb_watched_memory(gb_watched *watched);

#endif
