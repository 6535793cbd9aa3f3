/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_MODELS_TRAINING_RESUME_IMPL_H
#define GREBE_MODELS_TRAINING_RESUME_IMPL_H

#include "models/training/fit_impl.h"

/* Each function returns false on error; the error is on the tape. */

/* Continues from options.checkpoint, if the file exists. */
bool gb_fit_resume(gb_fit_run *f);

/* Saves to options.checkpoint. */
bool gb_fit_save(const gb_fit_run *f);

/* Tests whether that file can be written. */
bool gb_fit_can_save(const gb_fit_run *f);

#endif
