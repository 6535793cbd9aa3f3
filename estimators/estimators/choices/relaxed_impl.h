/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by relaxed and straight_through: the relaxed draw, and the options. */
#ifndef GREBE_ESTIMATORS_ESTIMATORS_CHOICES_RELAXED_IMPL_H
#define GREBE_ESTIMATORS_ESTIMATORS_CHOICES_RELAXED_IMPL_H

#include "estimators/estimator.h"

gb_node gb_site_relaxed_draw(const gb_site *site);
extern const gb_option gb_relaxation_rows[];
extern const gb_domain gb_temperature_domain;

#endif
