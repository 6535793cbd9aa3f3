/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_MODELS_TRAINING_RESUME_IMPL_H
#define GREBE_MODELS_TRAINING_RESUME_IMPL_H

#include "models/training/fit_impl.h"

/* Each returns false if it fails; the tape then has the error. */

/* Goes on from options.checkpoint, if there is that file. */
bool gb_fit_resume(gb_fit_run *f);

/* Saves to options.checkpoint. */
bool gb_fit_save(const gb_fit_run *f);

/* Whether that file can be written. */
bool gb_fit_can_save(const gb_fit_run *f);

#endif
