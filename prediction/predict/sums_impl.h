/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A block of rows: what is added up from draw to draw. */
#ifndef GREBE_PREDICTION_PREDICTIVE_SUMS_IMPL_H
#define GREBE_PREDICTION_PREDICTIVE_SUMS_IMPL_H

#include <stdbool.h>
#include <stddef.h>

#include "core/memory.h"

/* Sums for each number of the block. Weights are relative: those of equal draws are 1. */
typedef struct gb_sums {
    size_t numbers, probabilities, entropies;       /* of the block */
    double weight, squared_weight;                  /* so far: Σ w, Σ w² */
    double *mean, *square;                          /* running mean, and sum of squares around it */
    double *spread, *noise, *probability, *entropy; /* weighted sums */
    double *block;
} gb_sums;

/* Makes room for so many numbers at most. Returns false if memory runs out. */
bool gb_sums_new(gb_sums *m, const gb_memory *memory, size_t numbers, size_t probabilities, size_t entropies);
void gb_sums_free(gb_sums *m, const gb_memory *memory);

void gb_sums_clear(gb_sums *m);
void gb_sums_next(gb_sums *m, double weight); /* before those of a draw */
void gb_sums_mean(gb_sums *m, size_t count, const double *x, double weight);
void gb_sums_add(double *sum, size_t count, const double *x, double weight);

/* Of number i: the variance of the means; unbiased. */
double gb_sums_variance(const gb_sums *m, size_t i);

#endif
