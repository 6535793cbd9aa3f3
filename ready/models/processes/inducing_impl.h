/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Places of inducing points: they cover the rows. */
#ifndef GREBE_READY_MODELS_PROCESSES_INDUCING_IMPL_H
#define GREBE_READY_MODELS_PROCESSES_INDUCING_IMPL_H

#include "ready/model.h"

/* Returns `count` places, at most `most`, as [count][columns] of standardised columns: the centres of a
 * k-means clustering that begins with rows far from each other. They are the rows themselves if no more than
 * `most` differ. Of many rows, evenly spaced ones are clustered. The places are noted on the tape, for a
 * process that only predicts. NULL on error. */
const double *gb_inducing_places(const gb_model_site *site, int64_t most, int64_t *count);

#endif
