/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A prediction while it is made. */
#ifndef GREBE_PREDICTION_PREDICT_PREDICTING_IMPL_H
#define GREBE_PREDICTION_PREDICT_PREDICTING_IMPL_H

#include "core/graph/gathered_impl.h"
#include "fitting/judge/watched_impl.h"
#include "prediction/predict/draws_impl.h"
#include "prediction/predict/prediction_impl.h"
#include "prediction/predict/predictor_impl.h"
#include "prediction/predict/sums_impl.h"

typedef struct gb_predicting {
    gb_tape *tape;
    gb_predictor *of;
    gb_predictive_options options;
    gb_source_of_draws draws;
    gb_own_prediction *result;
    gb_watched watched;
    bool has_outcome;
    double scale;
    /* Programs: with what is known given the latents, and with draws of ŷ; the same, if both vary. */
    gb_program *program[2];
    unsigned parts[2];
    size_t runs[2]; /* draws of each */
    /* A block. Series are of draws of ŷ, element by element, then of log densities; [series][row][draw]. */
    size_t rows;   /* at most */
    size_t series; /* of a row; at most so many at once: */
    size_t at_once;
    double *value; /* of a run */
    double *kept;
    void *room;
    gb_sums sums;
} gb_predicting;

/* Finds the programs, and whether there are outcomes; how many rows are taken at once, and room for them; the
 * arrays of the result, whose rows and elements are known. Each returns false on error. */
bool gb_predicting_programs(gb_predicting *a, const gb_gathered *gathered);
bool gb_predicting_room(gb_predicting *a, gb_gathered *gathered, int64_t rows);
bool gb_predicting_arrays(gb_predicting *a);

/* Predicts rows `first` … of a block that is fed; for gb_each_block. */
bool gb_predicting_block(void *user, gb_gathered *gathered, int64_t first, int64_t rows);

/* Frees all but the result. */
void gb_predicting_end(gb_predicting *a);

/* Whether draws of ŷ are made. */
static inline bool gb_predicting_draws(const gb_predicting *a)
{
    return !a->options.only_moments;
}

/* How many series of a row are draws of ŷ. */
static inline size_t gb_predicting_drawn(const gb_predicting *a)
{
    return gb_predicting_draws(a) ? a->result->shown.elements : 0;
}

/* Records the error. Returns false. */
bool gb_predicting_lacks_memory(const gb_predicting *a, size_t rows);

#endif
