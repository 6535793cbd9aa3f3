/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Coefficients while a model is recorded. */
#ifndef GREBE_READY_COEFFICIENTS_COEFFICIENTS_IMPL_H
#define GREBE_READY_COEFFICIENTS_COEFFICIENTS_IMPL_H

#include "ready/coefficients.h"

struct gb_coefficients {
    gb_model_site *site;
    gb_coefficients_options options;
    gb_option_block prior;                      /* the options of the prior */
    size_t slopes[8], intercept, group, spread; /* parts */
    int64_t first, columns;                     /* of the slopes, among the columns of the site */
    bool has_intercept;
    gb_node slope, level;  /* of the columns as they are: (columns) + shape; the intercept: shape */
    gb_node tau, of_group; /* (groups) */
};

#endif
