/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Validation on held-out rows, and early stopping.
 *
 * What is kept is a variable, "NAME.best", beside each variable of the loss: so checkpoints save it, and a
 * run that fails changes nothing. One program writes the best values there; another exchanges both, at the
 * end of a training, and back when it continues. */
#ifndef GREBE_MODELS_TRAINING_EARLY_IMPL_H
#define GREBE_MODELS_TRAINING_EARLY_IMPL_H

#include "models/training/fit_impl.h"

/* Finds or makes the programs. True without .validate. Each function returns false on error. */
bool gb_fit_early_begin(gb_fit_run *f);

/* At the end of a window: scores the rows, if it is `full` and its turn; then, after the point is known,
 * takes note of it. */
bool gb_fit_early_score(gb_fit_run *f, bool full);
void gb_fit_early_note(gb_fit_run *f);
/* Returns whether the patience is over. */
bool gb_fit_early_ends(const gb_fit_run *f);

/* Before the first step: the last variables. At the end: the best ones. */
bool gb_fit_early_go_on(gb_fit_run *f);
bool gb_fit_early_end(gb_fit_run *f);

/* Sets the words of the result. */
void gb_fit_early_tell(gb_fit_run *f);

#endif
