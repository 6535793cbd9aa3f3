/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How good is the model, as it is now, on rows that it was not trained on? */
#ifndef GREBE_MODELS_PREDICTING_HELD_OUT_IMPL_H
#define GREBE_MODELS_PREDICTING_HELD_OUT_IMPL_H

#include "models/elbo.h"

/* Finds or makes the program of a score: the ELBO with these rows in the place of the data; or the log
 * predictive density. Returns NULL on error. The tape owns it. */
typedef struct gb_held_out gb_held_out;
gb_held_out *gb_held_out_of(gb_elbo *e, bool by_elbo);

typedef struct gb_held_out_score {
    /* Of a row: the log of the mean density over the draws; or its share of the ELBO. Larger is better. */
    double mean;
    double error; /* standard error over the rows; NaN for the ELBO */
} gb_held_out_score;

/* Scores `rows` rows, which `next` feeds batch by batch, by as many draws, which are the same in each call.
 * Returns false on error. */
bool gb_held_out_rows(gb_held_out *h, int64_t rows, bool (*next)(void *batches), void *batches, int64_t draws,
                      gb_held_out_score *score);

#endif
