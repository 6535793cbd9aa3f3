/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_KIT_MODELS_PREDICTIONS_IMPL_H
#define GREBE_KIT_MODELS_PREDICTIONS_IMPL_H

#include "kit/models/case_impl.h"

/* Checks ROWS and NOTES. */
void gb_model_check_predictions(gb_model_check *c);

#endif
