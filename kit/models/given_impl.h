/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_KIT_MODELS_GIVEN_IMPL_H
#define GREBE_KIT_MODELS_GIVEN_IMPL_H

#include "kit/models/case_impl.h"

/* Checks LAW, OFFSET, GROUP, ERROR and TRIALS: what a model makes of the columns of a row that are no
 * coefficients'. */
void gb_model_check_given(gb_model_check *c);

#endif
