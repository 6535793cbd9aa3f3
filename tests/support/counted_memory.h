/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory for tapes that counts, and that can be made to run out. */
#ifndef GREBE_TESTS_COUNTED_MEMORY_H
#define GREBE_TESTS_COUNTED_MEMORY_H

#include <stdatomic.h>
#include <stdbool.h>

#include "core/tape.h"

typedef struct counted_memory {
    atomic_size_t asked;       /* calls of resize */
    atomic_size_t outstanding; /* blocks not given back */
    size_t fail_at;            /* the number of the call that fails, from 1 on; 0: none */
    bool fail_after;           /* … and all after it */
} counted_memory;

gb_memory counted(counted_memory *memory);

#endif
