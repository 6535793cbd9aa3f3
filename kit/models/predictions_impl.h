/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_KIT_MODELS_PREDICTIONS_IMPL_H
#define GREBE_KIT_MODELS_PREDICTIONS_IMPL_H

#include "kit/models/case_impl.h"
#include "prediction/predict.h"

/* Checks ROWS and NOTES. */
void gb_model_check_predictions(gb_model_check *c);

/* Moves the variables of a tape away from their start. */
void gb_model_move(gb_tape *tape);

/* Predicts the outcome of the rows of a table. NULL on error. */
gb_prediction *gb_model_predict(gb_analysis *a, const gb_table *table);

#endif
