/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order in which an epoch visits the rows. */
#ifndef GREBE_MODELS_TRAINING_ORDER_IMPL_H
#define GREBE_MODELS_TRAINING_ORDER_IMPL_H

#include "models/batches.h"

typedef struct gb_row_order {
    int64_t rows;         /* in an epoch */
    int64_t window;       /* 0: all rows are shuffled together */
    uint64_t key;         /* of the noise; 0: not shuffled */
    const uint32_t *only; /* the rows, in their order; NULL: 0, 1, 2 … */
    uint32_t *shuffled;   /* rows of the epoch, or of the current window */
    uint32_t *windows;    /* the order of the windows of the epoch */
    uint32_t *batch;      /* rows of a batch, which may be in several windows */
    int64_t at;           /* which of `windows` is the current one … */
    int64_t begins, ends; /* … and its places in the epoch */
} gb_row_order;

/* Fills the order by the options, which have been checked; `rows` are those of the data set. Returns false on
 * error. */
bool gb_row_order_make(gb_tape *tape, gb_row_order *order, const gb_batches_options *options, int64_t rows);

/* Goes to a place in an epoch; batches follow from there. */
void gb_row_order_go(gb_row_order *order, gb_batches_place place);

/* Returns `count` rows from a place on; NULL: rows `place.row`, `place.row + 1` … */
const uint32_t *gb_row_order_next(gb_row_order *order, gb_batches_place place, int64_t count);

/* Returns a number that tells orders of as many rows apart; 0: in the original order. */
uint64_t gb_row_order_code(const gb_row_order *order);

#endif
