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

/* What the columns of a site say of an outcome. */
typedef struct gb_coefficients_options {
    size_t size;
    const char *name;       /* of the latents, before "slopes" and "intercept"; NULL: "" */
    gb_shrinkage prior;     /* of the slopes; none: gb_normal_shrinkage() */
    double intercept_scale; /* of the prior of the standardised intercept, a normal; 0: 2.5 */
    double group_scale;     /* of the prior of the standardised τ of groups, a half-normal; 0: 1 */
    bool raw;               /* priors are of coefficients of the columns as they are; no scale, no centre */
    bool no_intercept;      /* the intercept is not among them, though the formula has one: thresholds are */
    gb_shape shape;         /* so many outcomes, each with coefficients of its own; (): one */
    /* Of the outcome: the predictor is centre + scale · (standardised one). scale 0: 1. */
    double centre, scale;
} gb_coefficients_options;

typedef struct gb_coefficients gb_coefficients;

/* Declares the latents, before gb_model_draw. The tape owns the result. NULL on error. */
#define gb_coefficients_new(...)                                                                             \
    GB_NEW_1(gb_coefficients, __VA_ARGS__, .size = sizeof(gb_coefficients_options))
GB_API gb_coefficients *gb_coefficients_new_with(gb_model_site *site, const gb_coefficients_options *options);

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
