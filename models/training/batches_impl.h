/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of batches, for checkpoints. */
#ifndef GREBE_MODELS_TRAINING_BATCHES_IMPL_H
#define GREBE_MODELS_TRAINING_BATCHES_IMPL_H

#include "models/batches.h"

/* What determines the order of the rows, apart from the epoch. All 0 for NULL. */
typedef struct gb_batches_order {
    int64_t rows, batch;
    uint64_t key; /* of noise, windows and chosen rows; 0: all rows in their order */
} gb_batches_order;

gb_batches_order gb_batches_order_of(const gb_batches *data);

/* Returns how many rows this member of the team feeds in an epoch; all without a team. */
int64_t gb_batches_own_rows(const gb_batches *data);

/* Returns whether they feed the input of that name. */
bool gb_batches_feed(const gb_batches *data, const char *name);

/* Returns batches of the same rows for code that looks on: feeding them leaves the original ones as they are.
 * They are shuffled by a stream of that name, which may be that of earlier ones. NULL on error. */
gb_batches *gb_batches_again(const gb_batches *data, const char *stream);

/* Feeds random batch number `number`: independent of those of other numbers, each like a batch of the
 * training. Returns false on error. */
bool gb_batches_pick(gb_batches *data, uint64_t number);

/* Returns whether a batch begins at that place, or an epoch ends there. */
bool gb_batches_has(const gb_batches *data, gb_batches_place place);

#endif
