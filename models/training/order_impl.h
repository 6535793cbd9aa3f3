/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order in which an epoch visits the rows. */
#ifndef GREBE_MODELS_TRAINING_ORDER_IMPL_H
#define GREBE_MODELS_TRAINING_ORDER_IMPL_H

#include "core/tape.h"
#include "data/numbers.h"

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

/* Begins with the original order of `rows` rows, or with some of them; {0}: all. Returns false on error. */
bool gb_row_order_make(gb_tape *tape, gb_row_order *order, int64_t rows, gb_rows only);

/* Shuffles each epoch by the noise of that name, in windows unless `window` is 0. */
bool gb_row_order_shuffle(gb_tape *tape, gb_row_order *order, const char *name, int64_t batch,
                          int64_t window);

/* Makes a copy of an order one that is shuffled, if it is, by other noise, which may be that of earlier such
 * copies. It has memory of its own but for `only`. */
bool gb_row_order_again(gb_tape *tape, gb_row_order *order, const char *name, int64_t batch);

/* Goes to a place in an epoch; batches follow from there. */
void gb_row_order_go(gb_row_order *order, uint64_t epoch, int64_t place);

/* Returns `count` rows from a place on; NULL: rows `place`, `place + 1` … */
const uint32_t *gb_row_order_next(gb_row_order *order, uint64_t epoch, int64_t place, int64_t count);

/* Returns a number that tells orders of as many rows apart; 0: in the original order. */
uint64_t gb_row_order_code(const gb_row_order *order);

#endif
