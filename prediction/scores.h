/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How good are predictions? Functions of numbers, whoever predicted them; predict.h has them of a prediction.
 *
 *     gb_score s = gb_score_rmse(n, mean, outcome);
 *     printf("%s %.3f ± %.3f\n", s.name, s.value, s.error);
 *
 * PSIS-LOO, which predicts each datum of the training from all others, is gb_elbo_loo
 * (fitting/predictive.h). */
#ifndef GREBE_PREDICTION_SCORES_H
#define GREBE_PREDICTION_SCORES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "../core/export.h"
#include "../core/status.h"

GB_BEGIN_DECLS

/* A score over rows (or whatever the numbers are of). */
typedef struct gb_score {
    const char *name; /* "rmse"; a constant */
    double value;
    double
        error; /* standard error over the rows: how far the score would vary with other rows. NaN for one */
    size_t count; /* of rows */
    /* GB_EARGUMENT: no rows, NULL, or a number that cannot be, such as a probability below 0; GB_ENONFINITE:
     * a number is NaN. The score is
     * then NaN. */
    gb_status status;
} gb_score;

/* The mean of numbers, as of log predictive densities; error s / √n. −∞ among them is a mean of −∞. */
GB_API gb_score gb_score_mean(const char *name, size_t count, const double *x);

/* √(mean of squared differences), with the error of the mean square over twice the root; and the mean of
 * absolute differences. */
GB_API gb_score gb_score_rmse(size_t count, const double *predicted, const double *outcome);
GB_API gb_score gb_score_mae(size_t count, const double *predicted, const double *outcome);

/* ---- classes: probabilities are [row][class], outcomes the numbers 0 … classes − 1 ---- */

/* How often the most probable class is the outcome; of equally probable ones the first counts. */
GB_API gb_score gb_score_accuracy(size_t count, size_t classes, const double *probability,
                                  const double *outcome);

/* Mean of Σ_k (p_k − 1{outcome = k})²: from 0 to 2 (Brier 1950). For two classes it is twice (p − y)². */
GB_API gb_score gb_score_brier(size_t count, size_t classes, const double *probability,
                               const double *outcome);

/* ---- calibration, with its picture ---- */

enum { GB_MOST_BINS = 100 };

/* What was predicted in a bin, and what came. */
typedef struct gb_reliability_bin {
    size_t count;               /* rows of the bin */
    double predicted, observed; /* means over them; NaN for none */
    double error;               /* standard error of `observed` */
} gb_reliability_bin;

/* How often predictions were right, by how sure they were. */
typedef struct gb_reliability {
    gb_score score; /* Σ rows of a bin / rows · |observed − predicted| */
    size_t bins;
    bool of_intervals; /* a bin is a level of central intervals; else a range of probabilities of classes */
    gb_reliability_bin bin[GB_MOST_BINS];
} gb_reliability;

/* The expected calibration error (Naeini, Cooper and Hauskrecht 2015; Guo et al. 2017): rows are put into
 * `bins` bins of equal width (0: 15) by the probability of their most probable class; observed is how often
 * that class came. Of few rows it is above 0 also for right probabilities. */
GB_API gb_reliability gb_reliability_of_classes(size_t count, size_t classes, const double *probability,
                                                const double *outcome, size_t bins);

/* For numbers: central intervals of probability 1/bins, 2/bins … (0: 10 bins), and how many outcomes lie in
 * them. `below` and `up_to` are P(prediction < outcome) and P(prediction ≤ outcome) of each row; the same
 * array for continuous ones. A discrete outcome counts with the part of the range from `below` to `up_to`
 * that the interval has (the probability integral transform of Czado, Gneiting and Held 2009, averaged over
 * its randomisation): a right prediction then has no error. Intervals from quantile to quantile are wider:
 * they have *at least* their probability. The score is the mean of |observed − predicted| over the levels. */
GB_API gb_reliability gb_reliability_of_intervals(size_t count, const double *below, const double *up_to,
                                                  size_t bins);

/* Write the picture: as text, with a bar for each bin that has rows; and as SVG, for a browser or a document.
 * Both show where observed = predicted, and chance: √(predicted (1 − predicted) / rows), the standard
 * deviation of what is observed if the prediction is right. A gap of two is ordinary. In the SVG the area of
 * a circle is the share of rows in its bin. Below the diagonal a prediction is too sure of itself: its
 * classes come less often, its intervals are too narrow. Return GB_EARGUMENT for NULL, the status of the
 * score if there is none, GB_ESYSTEM if writing failed.
 *
 *     FILE *file = fopen("reliability.svg", "w");
 *     gb_reliability r = gb_prediction_reliability(p, 0);
 *     gb_reliability_svg(&r, file); */
GB_API gb_status gb_reliability_print(const gb_reliability *reliability, FILE *file);
GB_API gb_status gb_reliability_svg(const gb_reliability *reliability, FILE *file);

/* How many outcomes lie in central intervals of probability `level`, as above. */
GB_API gb_score gb_score_coverage(size_t count, const double *below, const double *up_to, double level);

/* ---- of one row ---- */

/* The continuous ranked probability score ∫ (F(x) − 1{outcome ≤ x})² dx; smaller is better (Matheson and
 * Winkler 1976; Gneiting and Raftery 2007). Of a normal: in closed form. Of independent draws: the *fair*
 * estimate (Ferro 2014), whose mean does not depend on their number,
 *
 *     mean |x − outcome| − Σ_{i<j} |x_i − x_j| / (n (n − 1)).
 *
 * `sorted` has the draws in ascending order. NaN for fewer than two. With sd 0 it is |mean − outcome|. */
GB_API double gb_crps_normal(double mean, double sd, double outcome);
GB_API double gb_crps_draws(size_t count, const double *sorted, double outcome);

GB_END_DECLS
#endif
