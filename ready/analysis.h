/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An analysis: a ready model of a table, which gb_fit, gb_summary and gb_predictive take.
 *
 *     gb_table *d = gb_table_read(t, "kids.csv");
 *     gb_analysis *a = gb_analysis_new(t, gb_linear_model(), .formula = "score ~ hs * iq", .table = d);
 *     gb_elbo *e = gb_analysis_elbo(a);
 *     gb_fit_result r = gb_fit(e, .data = gb_analysis_data(a));
 *     gb_summary_table *s = gb_analysis_summary(a, &r);                      (fitting/analysis.h)
 *     gb_prediction *p = gb_predictive(e, "score", .data = gb_analysis_rows(a, others),
 *                                      .judgement = r.judgement);
 *
 * The posterior, the estimator and the prior are swapped by one argument each: .posterior =
 * gb_mean_field(gb_shape()), .estimator = gb_score(), gb_linear_model(.prior = gb_horseshoe()). models.h
 * lists the models, and docs/models.md shows each.
 *
 * Weights of rows are those of the formula, `y | weights(w)`. A row whose outcome is missing has weight 0: it
 * is predicted, and says nothing else. (In a series it is a latent, or is left out of its likelihood.)
 *
 * The tape owns an analysis until the tape is reset or freed. Errors are recorded on the tape. NULL means
 * that an earlier call failed: the functions then do nothing, and return NULL or {0}. */
#ifndef GREBE_READY_ANALYSIS_H
#define GREBE_READY_ANALYSIS_H

#include "../data/formula.h"
#include "../models/batches.h"
#include "model.h"

GB_BEGIN_DECLS

typedef struct gb_analysis gb_analysis;

typedef struct gb_analysis_options {
    size_t size;
    const char *name; /* of notes, inputs and latents; NULL: none. Two analyses on one tape need two names */
    /* The data are a formula and a table, or a design, or arrays: one of the three is REQUIRED. A model
     * without outcome (gb_mixture_model …) has a formula without left side, and its data are the columns:
     * "~ a + b - 1". */
    const char *formula;
    const gb_table *table;
    gb_design *design;
    /* Arrays: x is [rows][columns], y is [rows], a NaN is a missing outcome. They have an intercept besides,
     * as formulas have, where the model takes one, unless .no_intercept. Borrowed until the tape is reset. */
    gb_numbers x, y;
    int64_t rows;      /* of arrays; 0: as many as y has, or x */
    int64_t columns;   /* of x; 0: 1 */
    gb_numbers weight; /* of each row, or of each of the table for a model without outcome; none: 1 */
    /* Columns of the table: the group of each row, texts or numbers; the standard error of each outcome. The
     * "." of a formula does not stand for them. */
    const char *group, *error;
    /* Of a formula (data/formula.h). */
    gb_contrasts contrasts;
    gb_factor_column_list factors;
    /* Leave out rows with a missing cell in a column of the right side, .group or .error; false: an error,
     * but of a model without outcome a missing number, which does not count. Of a series only its first and
     * last rows can be left out: fill other cells. */
    bool drop_missing;
    /* No data: the model is that of the analysis of which a checkpoint was loaded (with .subset), for a
     * process that only predicts. It is recorded by the notes, with the same model and posterior; then the
     * checkpoint is loaded once more, for the variables: a run without that fails. gb_analysis_load does all
     * of it. Only of models of rows. */
    bool noted;
    /* Of the latents. None: gb_full_rank(gb_shape()) for up to 100 numbers, else
     * gb_mean_field(gb_shape()). */
    gb_family posterior;
    gb_estimator estimator; /* none: gb_pathwise() */
    int64_t batch;          /* rows of a batch; 0: all. Only of models of rows */
    int64_t samples;        /* of a run; 0: unchanged (gb_elbo_options) */
    gb_kl_mode kl;
    bool no_intercept; /* of arrays; a formula has "- 1". With an intercept, x is copied */
} gb_analysis_options;

/* Records a model of data: inputs x, y …, an ELBO, its latents and its likelihood. Returns NULL on error, as
 * for an option that says nothing of such data, such as .rows of a table. */
#define gb_analysis_new(...) GB_NEW_2(gb_analysis, __VA_ARGS__, .size = sizeof(gb_analysis_options))
GB_API gb_analysis *gb_analysis_new_with(gb_tape *tape, gb_model model, const gb_analysis_options *options);

/* For a process that only predicts. gb_analysis_save writes the checkpoint of the tape; gb_analysis_load
 * records the analysis that another process has saved, or trained with .checkpoint of gb_fit, and loads its
 * variables:
 *
 *     gb_analysis *a = gb_analysis_load(t, gb_linear_model(), "kids.grebe");
 *     gb_prediction *p = gb_predictive(gb_analysis_elbo(a), "score", .data = gb_analysis_rows(a, others));
 *
 * Model, .name and .posterior are those of the training; options of data are rejected, but .drop_missing of
 * new rows. Other variables of the tape are loaded, too, and must be in the file. Only of models of rows.
 * NULL on error. */
typedef gb_analysis_options gb_analysis_load_options;
#define gb_analysis_load(...)                                                                                \
    GB_CALL_3(gb_analysis_load, __VA_ARGS__, .size = sizeof(gb_analysis_load_options))
GB_API gb_analysis *gb_analysis_load_with(gb_tape *tape, gb_model model, const char *path,
                                          const gb_analysis_load_options *options);
GB_API gb_status gb_analysis_save(const gb_analysis *a, const char *path);

/* Returns the ELBO. Terms may be added to it before it is fitted. */
GB_API gb_elbo *gb_analysis_elbo(const gb_analysis *a);

/* Returns the batches of the training, for gb_fit; NULL if the model is one of a whole, whose data are
 * constants (gb_fit takes NULL too). */
GB_API gb_batches *gb_analysis_data(const gb_analysis *a);

/* Returns the rows of another table as batches in their order, for gb_predictive: by the levels, polynomials
 * and groups of the training. The table may lack the outcome. Rows that .drop_missing leaves out are not
 * predicted; a row without a weight is, and is not scored. The `row` of a prediction is the number in the
 * table. NULL on error, as for a level that the training did not see. */
GB_API gb_batches *gb_analysis_rows(gb_analysis *a, const gb_table *table);

/* The same for arrays: gb_analysis_new_rows(a, .x = gb_numbers_of(GB_NUMBER_DOUBLE, x, 40)). */
typedef struct gb_analysis_new_rows_options {
    size_t size;
    gb_numbers x, y; /* as those of the training; without .y they are not scored */
    int64_t rows;    /* 0: as many as y has, or x */
} gb_analysis_new_rows_options;
#define gb_analysis_new_rows(...)                                                                            \
    GB_CALL_1(gb_analysis_new_rows, __VA_ARGS__, .size = sizeof(gb_analysis_new_rows_options))
GB_API gb_batches *gb_analysis_new_rows_with(gb_analysis *a, const gb_analysis_new_rows_options *options);

/* Returns what the model has to show, by name: coefficients under the names of their columns, "sigma" … */
GB_API gb_node_list gb_analysis_nodes(const gb_analysis *a);

/* Returns the nodes that the model has for each row, such as the "component" of a mixture. They are not in
 * summaries; gb_predictive_node (prediction/predict.h) evaluates them for any rows. */
GB_API gb_node_list gb_analysis_kept_nodes(const gb_analysis *a);

/* Returns the node of that name, of either kind. Fails if there is none, and names the most similar. */
GB_API gb_node gb_analysis_node_named(const gb_analysis *a, const char *name);

/* Returns log p of each row given the latents, for PSIS-LOO, which gb_analysis_loo (fitting/analysis.h) does
 * after a fit:
 *
 *     gb_loo l = gb_elbo_loo(e, gb_roots(gb_analysis_log_likelihood(a)), .nuts = n);
 *
 * A row of weight w counts as w equal rows, of which one is left out. A row without outcome, or of weight 0,
 * is left out: its gb_loo_datum is NaN, and the `words` say how many there are. Fails where rows are not
 * there one by one: of series, of an exact Gaussian process, and where latents of rows are drawn, not summed
 * out. Of a sparse process it is the law of each row, of which the likelihood is a bound. */
GB_API gb_node gb_analysis_log_likelihood(const gb_analysis *a);

/* Returns what is remarkable of the data, one line for each; "" if nothing is: columns that are constant or
 * a sum of others in the rows that count (gb_design_warnings; also of arrays), columns of numbers that a
 * stray text makes factors, columns that are nearly sums of others (1 − R² below 1e-3), where a prior of
 * standardised slopes is not wide, weights that do not look like numbers of rows (their sum is 1, or 20
 * times more or less than the rows, or all are 0), an outcome that is the same in all rows, classes without
 * rows, and a mean field that was chosen for many numbers. Look at it before the fit: its verdict is about q
 * alone. */
GB_API const char *gb_analysis_warnings(const gb_analysis *a);

/* Returns the name of the outcome, for gb_predictive. */
GB_API const char *gb_analysis_outcome(const gb_analysis *a);

/* Returns the design of a formula; NULL for arrays. */
GB_API gb_design *gb_analysis_design(const gb_analysis *a);

/* Returns the data as nodes, for terms of your own. */
GB_API const gb_model_site *gb_analysis_site(const gb_analysis *a);

GB_END_DECLS
#endif
