/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Coefficients of the columns of a model, for models that have a linear predictor; their priors are those of
 * shrinkage.h:
 *
 *     gb_analysis_new(t, gb_linear_model(.prior = gb_horseshoe()), .formula = "y ~ .", .table = d)
 *
 * Unless .raw, a prior is one of *standardised* coefficients b: of columns that have mean 0 and standard
 * deviation 1, and of an outcome that has the standard deviation 1 where the model says so. The coefficient
 * of the column itself is outcome scale · b / sd. So a change of units changes nothing but units. Columns
 * without an intercept are not centred. What is shown are coefficients of the columns as they are. */
#ifndef GREBE_READY_COEFFICIENTS_H
#define GREBE_READY_COEFFICIENTS_H

#include "shrinkage.h"

GB_BEGIN_DECLS

/* What the options of regressions begin with, after their size; and the rows of these in a table of
 * options. */
#define GB_REGRESSION_CHOICES                                                                                \
    gb_shrinkage prior;     /* of the standardised slopes; none: gb_normal_shrinkage() */                    \
    double intercept_scale; /* of the normal prior of the standardised intercept; 0: 2.5 */                  \
    double group_scale;     /* of the half-normal prior of the standardised τ; 0: 1 */                      \
    bool raw /* priors are of the coefficients of the columns, and of τ, as they are, around 0 */
/* Their rows of a table. */
#define GB_REGRESSION_ROWS(options_)                                                                         \
    GB_OPTION_PLUGIN(options_, prior, gb_shrinkage, &gb_normal_shrinkage_type, "of standardised slopes"),    \
        GB_OPTION_NUMBER(options_, intercept_scale, 2.5, GB_POSITIVE, "of the standardised intercept"),      \
        GB_OPTION_NUMBER(options_, group_scale, 1, GB_POSITIVE, "of the standardised tau of groups"),        \
        GB_OPTION_FLAG(options_, raw, "priors are of the columns as they are")
/* The options that regressions share. */
typedef struct gb_regression_choices {
    size_t size;
    GB_REGRESSION_CHOICES;
} gb_regression_choices;

/* What the columns of a site say of an outcome. */
typedef struct gb_coefficients_options {
    size_t size;
    const char *name;       /* of the latents, before "slopes" and "intercept"; NULL: "" */
    gb_shrinkage prior;     /* of the slopes; none: gb_normal_shrinkage() */
    double intercept_scale; /* of the prior of the standardised intercept, a normal; 0: 2.5 */
    double group_scale;     /* of the prior of the standardised τ of groups, a half-normal; 0: 1 */
    bool raw;               /* priors are of coefficients of the columns as they are; no scale, no centre */
    /* The intercept is not among them, though the formula has one, which it must: thresholds are. */
    bool no_intercept;
    gb_shape shape; /* so many outcomes, each with coefficients of its own; (): one */
    /* Of the outcome: the predictor is centre + scale · (standardised one). scale 0: 1. */
    double centre, scale;
    /* Options of a regression, which begin as gb_regression_choices: they take the place of prior,
     * intercept_scale, group_scale and raw. NULL: those above. */
    const void *choices;
    bool centred; /* the predictor gets columns without their means, as in series */
} gb_coefficients_options;

typedef struct gb_coefficients gb_coefficients;

/* Declares the latents, before gb_model_draw. The tape owns the result. NULL on error. */
#define gb_coefficients_new(...)                                                                             \
    GB_NEW_1(gb_coefficients, __VA_ARGS__, .size = sizeof(gb_coefficients_options))
GB_API gb_coefficients *gb_coefficients_new_with(gb_model_site *site, const gb_coefficients_options *options);

/* Returns whether all slopes are 0 if one latent of the prior is: those of ridge and of the horseshoe. False
 * for NULL. */
GB_API bool gb_coefficients_share_scale(const gb_coefficients *coefficients);

/* Slopes with a flat prior have a posterior only if the data hold them in each direction. The first says
 * whether rows from `first_row` on depend on each of them: no column is a sum of others, in rows that count
 * and have an outcome. gb_coefficients_new asks it of all rows. The second is for outcomes that are counts or
 * classes: whether in each direction some row becomes less likely, without end. Where outcomes are
 * separated, none does (Albert and Anderson 1984). It decides that for up to 100 slopes. If not, both record
 * an error and return false. They return true for other priors, and for NULL. */
GB_API bool gb_coefficients_are_held(const gb_coefficients *coefficients, int64_t first_row);
GB_API bool gb_coefficients_overlap(const gb_coefficients *coefficients);

/* Returns the linear predictor of the rows, of the shape, after gb_model_draw: x·β + intercept + offset, and,
 * if the site has groups and there is no shape, τ z of the row's group. */
GB_API gb_node gb_coefficients_predictor(gb_coefficients *coefficients, gb_node x);

/* Returns the predictor where all columns are 0, without offset: the intercept; with .no_intercept, what
 * centring takes away, which thresholds have to add. */
GB_API gb_node gb_coefficients_level(gb_coefficients *coefficients);

/* Shows the coefficients, under the names of the columns; with a shape, "NAME: LABEL", or "NAME: 0" …
 * without labels. */
GB_API void gb_coefficients_show(gb_coefficients *coefficients, const char *const *labels);

GB_END_DECLS
#endif
