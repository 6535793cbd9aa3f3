/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ready models: a model of statistics as a plug-in, which gb_analysis_new (analysis.h) records for a table,
 * and how to write one. docs/add-a-model.md is the same with an example.
 *
 * A model records latents and the likelihood of the data of its site, in three steps:
 *
 *     static bool build(gb_model_site *s, const void *options)
 *     {
 *         const gb_my_model_options *const o = options;
 *         gb_coefficients *const beta = gb_coefficients_new(s, .prior = o->prior, .centre = s->outcome_mean,
 *                                                           .scale = s->outcome_sd);
 *         const size_t sigma = gb_model_part(s, (gb_latent_part){.name = "sigma", .prior = …});
 *         if (!gb_model_draw(s))                                      (all latents, with one joint posterior)
 *             return false;
 *         gb_model_show(s, "sigma", gb_model_value(s, sigma));
 *         gb_model_observe(s, gb_normal(gb_coefficients_predictor(beta, s->x), gb_model_value(s, sigma)));
 *         return true;
 *     }
 *
 * Errors are recorded on the tape. */
#ifndef GREBE_READY_MODEL_H
#define GREBE_READY_MODEL_H

#include "../data/numbers.h"
#include "../models/elbo.h"

GB_BEGIN_DECLS

/* The data of an analysis, as nodes, and what is to be recorded of them. Only the library makes one; it may
 * grow at its end. Nodes that are not there are no nodes ({0}): gb_node_ok is false.
 *
 * Of a model of rows, nodes vary over rows, and have the shape of one row. Of a model of a whole (`is_whole`
 * of its type) they are constants, with the rows as the first axis. */
typedef struct gb_model_site {
    gb_tape *tape;
    gb_elbo *elbo;
    const char *name; /* of the analysis, before the names of inputs and latents; "": none */
    int64_t rows;     /* of the training */
    int64_t columns;  /* of x */
    /* The columns, as they are: (columns), or (rows, columns). A model without outcome is one of these. */
    gb_node x;
    const char *const *column; /* their names */
    bool has_intercept;        /* column 0 is 1 */
    /* Mean and standard deviation of each column over the rows, each as often as it counts; 0 and 1 for a
     * constant one, as the intercept. */
    const double *mean, *sd;
    /* Of a model without outcome, if numbers of x are missing: 1 where one is there, else 0, in the shape of
     * x. A missing number is 0 in x. */
    gb_node present;
    /* The outcome: (), or (rows). Where it is missing it has a value that others have, and the weight 0. */
    gb_node y;
    const char *outcome; /* its name */
    /* Mean and standard deviation of the outcomes that are not missing, each as often as it counts; 1 for a
     * constant one. */
    double outcome_mean, outcome_sd;
    size_t missing;             /* outcomes; their rows are in `missing_row` if the model is one of a whole */
    const int64_t *missing_row; /* ascending */
    int64_t classes;            /* of an outcome of classes: 0 … classes − 1 */
    const char *const *class_name;
    gb_node weight;         /* of each row: gb_observe(.weight) */
    gb_node trials, offset; /* of the formula */
    gb_node error;          /* .error of the analysis: the standard error of the outcome */
    gb_node group;          /* .group: the number of the group of each row, an integer */
    int64_t groups;
    const char *const *group_name;
    /* Of a model of a whole that predicts new rows: their columns, (columns) for each row; see
     * gb_model_foresee. */
    gb_node new_x;
    gb_family posterior; /* of all latents together. type NULL: chosen by gb_model_draw */
    gb_estimator estimator;
    struct gb_model_parts *parts; /* what gb_model_part was given; not for others */
    /* The training as numbers, for what a model chooses by its data: x is [rows][columns], and `outcomes`
     * [rows], where a missing one is as in y. There are none in a process that only predicts (.noted): what
     * a model has chosen it notes on the tape (gb_tape_note), and reads there. */
    gb_numbers values;
    const double *outcomes;
    const double *weights; /* of the rows of the training; NULL: each is 1, or there are none as above */
    double counted_rows;   /* the sum of the weights, at least 1: a row of weight 2 is two rows */
} gb_model_site;

/* The type of a ready model. */
typedef struct gb_model_type {
    GB_PLUGIN_HEAD;
    /* OPTIONAL: where outcomes lie. Others are rejected by row before anything is recorded. NULL: there is no
     * outcome. */
    const gb_domain *outcome;
    bool is_of_classes;   /* the outcome is a factor, or 0, 1 …: at least two classes */
    int64_t most_classes; /* 0: any number of them */
    bool is_whole;        /* rows depend on each other: a series, a covariance of rows */
    bool has_new_rows;    /* of a whole: predicts rows that it has not seen */
    bool no_columns;      /* the formula is "y ~ 1"; for the kit */
    bool no_intercept;    /* the column of the intercept is left out */
    bool takes_trials, takes_offset, takes_error, takes_group; /* others are rejected in words */
    bool needs_group;
    bool draws_missing; /* of a whole: missing outcomes are latents (gb_model_outcome), and have weight 1 */
    bool is_ordered;    /* classes have an order, so that of levels that are texts has to be given */
    /* REQUIRED: records latents and likelihood. Returns false on error, which is on the tape. */
    bool (*build)(gb_model_site *site, const void *options);
    /* OPTIONAL, without an outcome: where the numbers of columns lie. Others are rejected by row. NULL: any.
     * */
    const gb_domain *columns;
    /* OPTIONAL: where outcomes lie, or the numbers of columns of a model without an outcome, if options
     * narrow that. NULL, and where it returns NULL: `outcome`, or `columns`. */
    const gb_domain *(*domain)(const void *options);
    GB_RESERVE(6);
} gb_model_type;

/* A model with its options, by value. */
typedef struct gb_model {
    const gb_model_type *type;
    gb_packed options;
} gb_model;

/* Returns the model of a type with these options (an options struct; NULL: all defaults). For
 * constructors. */
GB_API gb_model gb_model_of(const gb_model_type *type, const void *options);

GB_DECLARE_KIND(gb_model, gb_models)

/* Returns a name that no other analysis of the tape has: `what`, or "NAME.what" if the analysis has a name.
 * The tape keeps it. For inputs, latents and layers of a model's own. NULL on error. */
GB_API const char *gb_model_name(const gb_model_site *site, const char *what);

/* ---- latents ---- */

/* Adds a latent, which is a part of one block (gb_latent_block) with all others, and returns its number for
 * gb_model_value. The name and the labels are copied. */
GB_API size_t gb_model_part(gb_model_site *site, gb_latent_part part);

/* The same, for the latent "OWNER WHAT", or "WHAT" if the owner is "" or NULL. */
GB_API size_t gb_model_part_of(gb_model_site *site, const char *owner, const char *what, gb_shape shape,
                               gb_dist prior);

/* Records all parts, as the block "latents". Without a posterior of the user's it is gb_full_rank for up to
 * 100 free numbers, else gb_mean_field. No parts can be added afterwards. Returns false on error. */
GB_API bool gb_model_draw(gb_model_site *site);

/* Returns the draw of a part, after gb_model_draw; before it, an error. */
GB_API gb_node gb_model_value(const gb_model_site *site, size_t part);

/* ---- data ---- */

/* Records the likelihood of the outcome, with its weights: gb_observe under the name of the outcome. */
GB_API bool gb_model_observe(gb_model_site *site, gb_dist law);

/* Of a model without outcome: records the likelihood of the columns under the name of s->outcome, with the
 * weights of rows. The law is of a row, with an event of (columns), for rows of which no number is missing;
 * or of each number by itself, and then missing ones do not count. gb_model_observe_rows takes log p of each
 * row instead, not multiplied by its weight, which has to leave out the missing ones. Its law, of (columns),
 * is that of each number given the others of its row that are there, by which gb_predictive predicts them;
 * {0}: there is none. */
GB_API bool gb_model_observe_columns(gb_model_site *site, gb_dist law);
GB_API bool gb_model_observe_rows(gb_model_site *site, gb_node log_p, gb_dist law);

/* Return the means and the standard deviations of the columns, (columns); the columns of a row in these
 * units, 0 where a number is missing; and other columns, (…, columns). */
GB_API gb_node gb_model_means(const gb_model_site *site);
GB_API gb_node gb_model_sds(const gb_model_site *site);
GB_API gb_node gb_model_standard(const gb_model_site *site);
GB_API gb_node gb_model_standard_of(const gb_model_site *site, gb_node columns);

/* Records a log likelihood that is not that of one law of each outcome: of all rows together, or a bound. The
 * law of each outcome is the one by which gb_predictive predicts it, of a series, given those before it; {0}:
 * there is none, and it predicts nothing. The weights of rows are in `log_p` already. */
GB_API bool gb_model_likelihood(gb_model_site *site, gb_node log_p, gb_dist law);
/* Returns log p of each row, multiplied by the row's weight. */
GB_API gb_node gb_model_weighted(const gb_model_site *site, gb_node log_p);

/* The outcome with a latent in the place of each missing value, (rows), for a model whose likelihood of one
 * outcome depends on others. Before gb_model_draw, gb_model_impute adds the latent; it returns nothing if
 * none is missing. Afterwards gb_model_outcome returns y. */
GB_API void gb_model_impute(gb_model_site *site);
GB_API gb_node gb_model_outcome(gb_model_site *site);

/* Of a model of a whole: the law of the outcome in new rows, which depends on site->new_x. gb_predictive(e,
 * OUTCOME, .data = gb_analysis_rows(a, table)) predicts it. */
GB_API bool gb_model_foresee(gb_model_site *site, gb_dist law);

/* Declares the noise "sigma" of y before gb_model_draw, half-normal with this scale in standard deviations of
 * y, and returns its part. Afterwards gb_model_sigma_value returns it in the units of y; with `raw` the prior
 * was in them already. */
GB_API size_t gb_model_sigma(gb_model_site *site, double scale);
GB_API gb_node gb_model_sigma_value(const gb_model_site *site, size_t part, bool raw);

/* Returns a prior of standard deviations s that is half-normal with this scale but avoids 0, with a density
 * ∝ exp(−(s / scale − floor / s)² / 2). It vanishes at 0 faster than any power of s. So there is a posterior
 * for all data, also where a normal may take equal rows alone. With it n rows of the deviation d say that s²
 * is about d² + floor² / n. (1/s² is inverse Gaussian, with mean 1 / (scale floor) and shape 1 / scale²; its
 * log is the free number.) */
GB_API gb_dist gb_model_sd_prior(const gb_model_site *site, double scale, double floor);

/* Returns the log of the mean outcome, the centre of a predictor that is a log; if all outcomes are 0, that
 * of half a count in all rows together. */
GB_API double gb_model_log_mean(const gb_model_site *site);

/* Of a linear predictor with the noise σ, whose prior has a density at 0: if coefficients give outcomes
 * exactly, that of σ grows there, and may have no integral. Then this records an error and returns false. The
 * density goes as σ^(r − W): W are the weights of all rows, and r numbers are determined by them, which are
 * coefficients, effects of groups, or in the place of several that are 0 a scale that they share. Under a
 * Student t it goes as σ^(r − W + freedom · w), where w are the weights of rows that are not given. Then
 * a plane on which most rows lie is looked for by rows that are drawn, for up to 10 coefficients, and equal
 * outcomes for any number; effects of groups are taken to be 0 there. */
typedef struct gb_model_has_residue_options {
    size_t size;
    bool shared_scale; /* the slopes are multiples of one scale (gb_coefficients_share_scale) */
    bool level;        /* there is a level beside the columns, as in series */
    bool drifts;       /* the level is a random walk, whose steps have a scale: the rows are in order */
    double freedom;    /* of the Student t; 0: the law is normal */
    bool is_least;     /* the freedom is learned, and more than that */
} gb_model_has_residue_options;
#define gb_model_has_residue(...)                                                                            \
    GB_CALL_1(gb_model_has_residue, __VA_ARGS__, .size = sizeof(gb_model_has_residue_options))
GB_API bool gb_model_has_residue_with(const gb_model_site *site, const gb_model_has_residue_options *options);

/* ---- what a user sees ---- */

/* Shows a node in summaries (gb_analysis_nodes) under this name. A node of several numbers is shown as
 * NAME[0] …, or under `labels`, one for each. */
GB_API void gb_model_show(gb_model_site *site, const char *name, gb_node node);
GB_API void gb_model_show_each(gb_model_site *site, gb_node vector, const char *const *labels);

/* Keeps a node that is too long for a summary, as one with a number for each row: gb_analysis_node_named
 * returns it, and gb_predictive_node(e, node) has its mean and quantiles. */
GB_API void gb_model_keep(gb_model_site *site, const char *name, gb_node node);

GB_END_DECLS
#endif
