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

/* Uses a tape whose memory runs out (it may be NULL), and returns its error. */
typedef gb_status use_of_memory(gb_tape *t, const void *what);

/* On tapes of these options each use of `what` succeeds; where memory runs out at one of `tries` requests of
 * it (0: of all), or at that and all after it, it ends with GB_ENOMEM; and no block is lost. */
void assert_outlives_lack_of_memory(use_of_memory *use, const void *what, const char *name, size_t tries,
                                    gb_tape_options options);

#endif
