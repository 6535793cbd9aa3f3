/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of series, for models of your own. The type has .is_whole, and nodes have the rows, which are times,
 * as their first axis. Latents are those of the standardised series, centre + scale · (…), and columns are
 * centred, so that they move no level. A series with a trend is
 *
 *     const gb_series is = gb_series_of(s, o->prior, o->raw, 3);
 *     const size_t level = gb_series_number(&is, "level", gb_shape(), o->intercept_scale),
 *                  slope = gb_series_number(&is, "slope", gb_shape(), 1),
 *                  sigma = gb_series_spread(&is, "sigma", gb_shape(), 1);
 *     if (!gb_model_draw(s))
 *         return false;
 *     const gb_node place = gb_series_place(&is, gb_model_value(s, level)),
 *                   drift = gb_mul(time, gb_series_scaled(&is, gb_model_value(s, slope))),
 *                   mean = gb_add(gb_add(place, drift), gb_series_effect(&is));
 *     gb_series_show(&is, place);
 *     return gb_model_observe(s, gb_normal(mean, gb_series_scaled(&is, gb_model_value(s, sigma))));
 *
 * A missing outcome has the weight 0, as in regressions. A model whose likelihood of one outcome needs others
 * has .draws_missing, and takes gb_model_impute and gb_model_outcome (model.h). */
#ifndef GREBE_READY_SERIES_H
#define GREBE_READY_SERIES_H

#include "coefficients.h"

GB_BEGIN_DECLS

/* What the options of series with columns begin with, after their size. */
#define GB_SERIES_CHOICES                                                                                    \
    gb_shrinkage prior;     /* of the standardised slopes; none: gb_normal_shrinkage() */                    \
    double intercept_scale; /* of the normal prior of the standardised level; 0: 2.5 */                      \
    bool raw                /* priors are of the series and of the columns as they are, around 0 */

/* The rows of these in a table of options. */
#define GB_SERIES_ROWS(options_)                                                                             \
    GB_OPTION_PLUGIN(options_, prior, gb_shrinkage, &gb_normal_shrinkage_type, "of standardised slopes"),    \
        GB_OPTION_NUMBER(options_, intercept_scale, 2.5, GB_POSITIVE, "of the standardised level"),          \
        GB_OPTION_FLAG(options_, raw, "priors are of the series and the columns as they are")

/* A series: centre + scale · (standardised series). */
typedef struct gb_series {
    gb_model_site *site;
    double centre, scale;     /* 0 and 1 if raw */
    gb_coefficients *columns; /* NULL: none */
    bool raw;
} gb_series;

/* Declares the coefficients of the columns, if there are any, before gb_model_draw. Records an error unless
 * `least` outcomes are there. */
GB_API gb_series gb_series_of(gb_model_site *site, gb_shrinkage prior, bool raw, size_t least);

/* Declare a latent of the standardised series, and return its part: N(0, scale²); a standard deviation,
 * half-normal. */
GB_API size_t gb_series_number(const gb_series *series, const char *name, gb_shape shape, double scale);
GB_API size_t gb_series_spread(const gb_series *series, const char *name, gb_shape shape, double scale);

/* Return the place centre + scale · x, and the spread scale · x. */
GB_API gb_node gb_series_place(const gb_series *series, gb_node x);
GB_API gb_node gb_series_scaled(const gb_series *series, gb_node x);

/* Returns what the columns add to each row, (rows); 0 without columns. */
GB_API gb_node gb_series_effect(const gb_series *series);

/* Shows `level`, the place where columns have their means (0 if raw), as the intercept where they are 0, and
 * then the coefficients. An inert level is not shown. */
GB_API void gb_series_show(const gb_series *series, gb_node level);

/* Returns the weights of the rows, also where they are all 1. */
GB_API gb_node gb_series_weight(const gb_series *series);

GB_END_DECLS
#endif
