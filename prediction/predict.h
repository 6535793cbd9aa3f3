/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Predictions: P(ŷ | x̂, D) = E_q[p(ŷ | x̂, w)], for new rows, or for those of the data.
 *
 *     gb_prediction *p = gb_predictive(e, "y", .data = test);
 *     gb_prediction_print(p, stdout);
 *     printf("%g ± %g\n", p->mean[0], p->sd[0]);
 *     gb_prediction_free(p);
 *
 * "y" is the name that gb_observe was given. The draws are those of q, whatever families and estimators the
 * latents have; of a judgement, corrected by its weights; or of NUTS. q's draws are from q itself: discrete
 * latents are not relaxed, and a latent with a draw for each row (gb_row_by_row, masks of dropout) has one
 * for all rows, so that draws of ŷ are of whole functions. A draw of an ensemble is one member, the same one
 * of all latents. Weighted values (gb_quadrature, gb_enumerated) count with their weights. With these alone,
 * all but the draws of ŷ, the quantiles and CRPS is exact.
 *
 * The law of total variance has two parts:
 *
 *     Var ŷ = Var_q(E[ŷ | w]) + E_q(Var[ŷ | w])          epistemic + noise
 *
 * Data are evaluated block by block, one draw in a run. Draw number s of a latent is the same in all blocks,
 * and so is the noise of a row: what is predicted does not depend on the batches of .data nor on .memory, but
 * for last digits of sums and products of matrices, whose order depends on the number of rows. */
#ifndef GREBE_PREDICTION_PREDICT_H
#define GREBE_PREDICTION_PREDICT_H

#include "../data/standard.h"
#include "../fitting/judge.h"
#include "../fitting/summary.h"
#include "scores.h"

GB_BEGIN_DECLS

/* A prediction. Its arrays begin with the rows. A row has `elements` numbers (of an outcome of shape ():
 * one) and `data` log densities: one for each event of the law. Only the library makes one; it may grow at
 * its end. What does not exist is NULL, or NaN where a part of the law has no closed form; `words` say
 * why. */
typedef struct gb_prediction {
    const char *name;
    size_t rows, elements, data;
    const size_t *row;        /* number of each row in the data set; in their order */
    size_t draws;             /* so many; 1 if nothing is random */
    gb_summary_source source; /* whose draws: q, PSIS, wider ones, NUTS */
    double k;                 /* of the weights; NaN without */
    /* One line for each thing that is wrong or remarkable, such as the verdict of a gb_fit that left q as it
     * is, if that is not good; "" if nothing is. */
    const char *words;
    bool is_discrete;

    /* [row][element]. sd² = epistemic² + noise²; each is a standard deviation. */
    const double *mean, *sd, *epistemic, *noise;
    /* Of ŷ, noise included: [row][element][quantile]. Linear between draws (R's type 7); of discrete outcomes
     * the least value whose probability is reached. */
    size_t quantiles;
    const double *level, *quantile;
    const double *draw; /* [draw][row][element], with .keep_draws */

    /* With outcomes. Of the draws of ŷ: P(ŷ < outcome) and P(ŷ ≤ outcome), and CRPS (scores.h). */
    const double *outcome;                         /* [row][element] */
    const double *log_density, *log_density_error; /* log E_q p(y | w), [row][datum]; Monte Carlo error */
    const double *below, *up_to, *crps;            /* [row][element] */

    /* Of laws of classes (bernoulli, categorical, ordered_logistic, one_hot_categorical; up to 1024 numbers a
     * row): [row][datum][class], and [row][datum]. Entropies in nats: of the mean probabilities, and the mean
     * of those of each draw; their difference is the mutual information of the outcome and the latents. */
    size_t classes;
    const double *probability;
    const double *entropy, *expected_entropy, *information;

    /* [row][datum], with outcomes that gb_observe was given weights for; else NULL. A datum of weight 0 is
     * missing, or given, as the first lags of an autoregression: its outcome, densities and scores are
     * NaN. */
    const double *weight;
} gb_prediction;

typedef struct gb_predictive_options {
    size_t size;
    /* The rows: all batches of an epoch, whose place does not change, nor do the rows that inputs have. They
     * must have a column for each input that the prediction needs, and may lack that of the outcome. NULL:
     * the rows that the inputs have. */
    gb_batches *data;
    int64_t draws; /* 0: 1000 of q; all of a judgement or of NUTS, of which fewer are chosen by weight */
    const gb_judgement *judgement;
    const gb_nuts *nuts;
    gb_values quantiles; /* GB_VALUES(0.1, 0.9); none: 0.05, 0.5, 0.95 */
    bool only_moments;   /* no draws of ŷ: no quantiles, no CRPS; faster */
    bool keep_draws;     /* rows × elements × draws × 8 bytes */
    /* The model's outcome is (y − shift) / scale: results are in the units of y, and log densities of y. 0: 1
     * and 0. */
    double scale, shift;
    const gb_standard *standard; /* the same: the one column by which y was standardised */
    double memory; /* bytes that a block of rows may take, about; 0: 64 MiB. 64 rows are taken at least */
    uint64_t seed; /* another one, other draws */
} gb_predictive_options;

/* Predicts an outcome. The first call for an outcome records nodes, and completes the ELBO (gb_elbo_loss);
 * later ones take the same programs. Returns NULL on error, which is on the tape. */
#define gb_predictive(...) GB_CALL_2(gb_predictive, __VA_ARGS__, .size = sizeof(gb_predictive_options))
GB_API gb_prediction *gb_predictive_with(gb_elbo *e, const char *name, const gb_predictive_options *options);

/* Predicts any real node of the model, as the output of a network: its mean, epistemic sd, quantiles and
 * draws. It has no outcome and no noise. */
#define gb_predictive_node(...)                                                                              \
    GB_CALL_2(gb_predictive_node, __VA_ARGS__, .size = sizeof(gb_predictive_node_options))
typedef gb_predictive_options gb_predictive_node_options;
GB_API gb_prediction *gb_predictive_node_with(gb_elbo *e, gb_node node,
                                              const gb_predictive_node_options *options);

/* Frees a prediction, before or after its tape. NULL is allowed. */
GB_API void gb_prediction_free(gb_prediction *prediction);

/* ---- scores ---- */

/* The scores of a prediction. */
typedef struct gb_scores {
    size_t count;
    gb_score score[16];
} gb_scores;

/* Scores a prediction over all its data: "log density"; of numbers "rmse", "mae", "crps", and coverages
 * ("coverage 50 %", "coverage 90 %", "coverage 95 %"); of classes "accuracy", "brier", "calibration error",
 * "entropy" and "information". Coverages are those of scores.h: a right prediction of a discrete outcome
 * covers as often as its level, though intervals from quantile to quantile have at least that. None without
 * outcomes. Data of weight 0 are left out; others count once. */
GB_API gb_scores gb_prediction_scores(const gb_prediction *prediction);

/* Returns the score of that name; NULL if there is none. */
GB_API const gb_score *gb_scores_find(const gb_scores *scores, const char *name);

/* Returns one of them: gb_prediction_score(p, "rmse").value. NaN, with a status, if there is none of that
 * name (GB_ENAME), and for NULL (GB_EARGUMENT). */
GB_API gb_score gb_prediction_score(const gb_prediction *prediction, const char *name);

/* The calibration of a prediction, by classes or by intervals (scores.h). */
GB_API gb_reliability gb_prediction_reliability(const gb_prediction *prediction, size_t bins);

/* ---- for people, and for programs ---- */

/* Write a table: the first rows, then the scores; one JSON object (docs/schemas/grebe-prediction-1.json);
 * CSV, with a line for each row and element. An unknown number is null, or an empty cell. Return
 * GB_EARGUMENT for NULL, GB_ESYSTEM if writing failed. */
GB_API gb_status gb_prediction_print(const gb_prediction *prediction, FILE *file);
GB_API gb_status gb_prediction_json(const gb_prediction *prediction, FILE *file);
GB_API gb_status gb_prediction_csv(const gb_prediction *prediction, FILE *file);

/* Saves to a file that is written whole or not at all, while the tape is there. The path decides the form:
 *
 *     NAME.csv    a line of names, then a line for each row and element
 *     NAME.npy    the draws as an array of numpy: float64, [draw][row][element]; they need .keep_draws
 *
 * Fails with GB_EARGUMENT for another ending, and without draws; else as writing did. The error is on the
 * tape. */
GB_API gb_status gb_prediction_save(const gb_prediction *prediction, const char *path);

GB_END_DECLS
#endif
