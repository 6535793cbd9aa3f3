/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What regressions have in common. */
#ifndef GREBE_READY_MODELS_REGRESSIONS_REGRESSION_IMPL_H
#define GREBE_READY_MODELS_REGRESSIONS_REGRESSION_IMPL_H

#include "ready/models.h"

/* What their options begin with. */
typedef struct gb_regression_options {
    size_t size;
    GB_REGRESSION_CHOICES;
} gb_regression_options;

/* The rows of their tables of options. */
#define GB_REGRESSION_ROWS(options_)                                                                         \
    GB_OPTION_PLUGIN(options_, prior, gb_shrinkage, &gb_normal_shrinkage_type, "of standardised slopes"),    \
        GB_OPTION_NUMBER(options_, intercept_scale, 2.5, GB_POSITIVE, "of the standardised intercept"),      \
        GB_OPTION_NUMBER(options_, group_scale, 1, GB_POSITIVE, "of the standardised tau of groups"),        \
        GB_OPTION_FLAG(options_, raw, "priors are of the columns as they are")

/* Declares the coefficients. `options` begins as gb_regression_options. NULL on error. */
gb_coefficients *gb_regression_coefficients(gb_model_site *site, const void *options,
                                            gb_coefficients_options more);

/* Declares the noise of y, half-normal; and returns it, in the units of y. */
size_t gb_regression_sigma(gb_model_site *site, double scale);
gb_node gb_regression_sigma_value(const gb_model_site *site, size_t part, bool raw);

/* The centre of the intercept's prior for counts: log of their mean. */
double gb_log_of_mean(const gb_model_site *site);

#endif
