/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A pool of threads, and jobs for it. */
#ifndef GREBE_CORE_KERNELS_WORKERS_IMPL_H
#define GREBE_CORE_KERNELS_WORKERS_IMPL_H

#include <stdbool.h>

#include "core/memory.h"

typedef struct gb_workers gb_workers;

/* Starts `threads` threads, the calling one included; 0: one for each processor. `flush_subnormals`: they
 * treat subnormal numbers as 0. Returns NULL if memory runs out. After fork() while no job is run, the child
 * starts as many threads of its own, with its first job. */
gb_workers *gb_workers_new(const gb_memory *memory, int threads, bool flush_subnormals);
void gb_workers_free(gb_workers *workers);

/* Calls `run` for each tile from 0 to tiles − 1, with the number of the thread. Without workers (NULL) the
 * calling thread runs all tiles. */
void gb_workers_run(gb_workers *workers, size_t tiles,
                    void (*run)(void *context, size_t tile, unsigned thread), void *context);
unsigned gb_workers_count(const gb_workers *workers);

#endif
