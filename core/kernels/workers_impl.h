/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A pool of threads, and jobs for it. */
#ifndef GREBE_CORE_KERNELS_WORKERS_IMPL_H
#define GREBE_CORE_KERNELS_WORKERS_IMPL_H

#include <stdbool.h>

#include "core/memory.h"

typedef struct gb_workers gb_workers;

/* `threads` threads, the calling one included; 0: as many as the machine has processors. `flush_subnormals`: they count
 * subnormal numbers as 0. NULL: no memory. */
gb_workers *gb_workers_new(const gb_memory *memory, int threads, bool flush_subnormals);
void gb_workers_free(gb_workers *workers);

/* `run` is called with 0 … tiles − 1 and the number of the thread. NULL workers: the calling thread does all. */
void gb_workers_run(gb_workers *workers, size_t tiles,
                    void (*run)(void *context, size_t tile, unsigned thread), void *context);
unsigned gb_workers_count(const gb_workers *workers);

#endif
