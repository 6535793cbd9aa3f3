/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Smoothing in memory that is already there, and what estimates under weights share. */
#ifndef GREBE_FITTING_DIAGNOSTICS_PSIS_IMPL_H
#define GREBE_FITTING_DIAGNOSTICS_PSIS_IMPL_H

#include <stdbool.h>

#include "fitting/diagnostics/order_impl.h"
#include "fitting/psis.h"

/* Room for `count` draws. */
typedef struct gb_psis_room {
    gb_ranked *ranked;
    double *tail;
} gb_psis_room;

/* Returns false if memory runs out; nothing is then to be freed. */
bool gb_psis_room_new(gb_psis_room *room, const gb_memory *memory, size_t count);
void gb_psis_room_free(gb_psis_room *room, const gb_memory *memory);

/* Smooths. Of `w`, all of the caller's side is set: the arrays, count, memory, r_eff, tail. */
void gb_psis_smooth_in(gb_psis *w, const gb_psis_room *room);

/* Returns k of the largest `tail` of the numbers in room->ranked, which it reorders. */
double gb_psis_tail_k(const gb_psis_room *room, size_t count, size_t tail);

/* Sets a failure: the status, and NaN for all numbers. */
void gb_psis_fail(gb_psis *w, gb_status status, const char *format, ...) GB_PRINTF(3, 4);

#endif
