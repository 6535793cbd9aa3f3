/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What models of series have in common: latents are those of the standardised series, and columns are
 * centred. */
#ifndef GREBE_READY_MODELS_PROCESSES_SERIES_IMPL_H
#define GREBE_READY_MODELS_PROCESSES_SERIES_IMPL_H

#include "ready/models.h"

/* The rows of their tables of options. */
#define GB_SERIES_ROWS(options_)                                                                             \
    GB_OPTION_PLUGIN(options_, prior, gb_shrinkage, &gb_normal_shrinkage_type, "of standardised slopes"),    \
        GB_OPTION_NUMBER(options_, intercept_scale, 2.5, GB_POSITIVE, "of the standardised level"),          \
        GB_OPTION_FLAG(options_, raw, "priors are of the series and the columns as they are")

/* The series is centre + scale · (standardised series). */
typedef struct gb_series {
    gb_model_site *site;
    double centre, scale;     /* 0 and 1 if raw */
    gb_coefficients *columns; /* NULL: none */
    bool raw;
} gb_series;

/* Declares the coefficients of the columns, if there are any. Records an error unless `least` outcomes are
 * there. */
gb_series gb_series_new(gb_model_site *site, gb_shrinkage prior, bool raw, size_t least);

/* Declare a normal number of the standardised series; a standard deviation with a half-normal prior. */
size_t gb_series_number(const gb_series *series, const char *name, gb_shape shape, double scale);
size_t gb_series_spread(const gb_series *series, const char *name, gb_shape shape, double scale);

/* Return the place centre + scale · x, and the spread scale · x. */
gb_node gb_series_place(const gb_series *series, gb_node x);
gb_node gb_series_scaled(const gb_series *series, gb_node x);

/* Returns what the columns add to each row, (rows); 0 without columns. */
gb_node gb_series_effect(const gb_series *series);

/* Shows `level`, the place where columns have their means (0 if raw), as the intercept where they are 0, and
 * then the coefficients. An inert level is not shown. */
void gb_series_show(const gb_series *series, gb_node level);

/* Returns the weights of the rows, also where they are all 1. */
gb_node gb_series_weight(const gb_series *series);

#endif
