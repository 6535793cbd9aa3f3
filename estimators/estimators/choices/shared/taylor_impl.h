/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the estimators with slopes of the cost at other samples. */
#ifndef GREBE_ESTIMATORS_ESTIMATORS_CHOICES_SHARED_TAYLOR_IMPL_H
#define GREBE_ESTIMATORS_ESTIMATORS_CHOICES_SHARED_TAYLOR_IMPL_H

#include "estimators/estimator.h"

/* The cost as a linear function of the draw of a sample, with the slopes of the other samples. */
typedef struct gb_taylor {
    gb_node slope;  /* mean over the other samples of ∂f/∂b, of the shape of a draw */
    gb_node linear; /* slope · (b − p): one number for each sample (and row), of mean 0 */
} gb_taylor;

/* `who` is for the error of a run with a single sample. `cost` must vary over the samples, and the type needs
 * GB_NEEDS_SLOPES. */
gb_taylor gb_site_taylor(const gb_site *site, gb_node cost, const char *who);

/* Returns for each sample the mean of x over the other samples. */
gb_node gb_site_others(gb_node x, const char *who);

/* Returns the multiplier of a control variate: a number, or the variable "SITE.NAME" that starts at it. And
 * the domain of multipliers. */
gb_node gb_site_multiplier(const gb_site *site, const char *name, double value, bool is_learned);
extern const gb_domain gb_multiplier_domain;

#endif
