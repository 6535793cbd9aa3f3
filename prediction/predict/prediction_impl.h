/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The arrays of a prediction. */
#ifndef GREBE_PREDICTION_PREDICTIVE_PREDICTION_IMPL_H
#define GREBE_PREDICTION_PREDICTIVE_PREDICTION_IMPL_H

#include "prediction/predict.h"

/* Arrays with so many numbers for each row. */
typedef enum gb_predicted {
    GB_PREDICTED_MEAN,
    GB_PREDICTED_SD,
    GB_PREDICTED_EPISTEMIC,
    GB_PREDICTED_NOISE,
    GB_PREDICTED_QUANTILE,
    GB_PREDICTED_OUTCOME,
    GB_PREDICTED_LOG_DENSITY,
    GB_PREDICTED_ERROR,
    GB_PREDICTED_BELOW,
    GB_PREDICTED_UP_TO,
    GB_PREDICTED_CRPS,
    GB_PREDICTED_PROBABILITY,
    GB_PREDICTED_ENTROPY,
    GB_PREDICTED_EXPECTED_ENTROPY,
    GB_PREDICTED_INFORMATION,
    GB_PREDICTED_WEIGHT,
    GB_PREDICTED
} gb_predicted;

enum { GB_PREDICTION_WORDS = 1600 };

typedef struct gb_own_prediction {
    gb_prediction shown; /* first: gb_prediction_free gets a pointer to it */
    gb_memory memory;
    gb_tape *tape; /* for gb_prediction_save */
    size_t each[GB_PREDICTED];
    double *array[GB_PREDICTED];
    double *draw, *level;
    size_t *row;
    size_t event; /* elements of an event: elements / data */
    char *name;
    char words[GB_PREDICTION_WORDS];
} gb_own_prediction;

/* Return NULL, or false, if memory runs out. Arrays are filled with NaN. */
gb_own_prediction *gb_prediction_new(gb_tape *tape, const char *name);
bool gb_prediction_room(gb_own_prediction *p, gb_predicted which, size_t each);

/* Brings the rows into the order of their numbers, if these are 0 … rows − 1. Returns false if memory runs
 * out. */
bool gb_prediction_order(gb_own_prediction *p);

/* Sets what is shown. */
void gb_prediction_show(gb_own_prediction *p);

/* Adds a line to the words. */
void gb_prediction_say(gb_own_prediction *p, const char *format, ...) GB_PRINTF(2, 3);

#endif
