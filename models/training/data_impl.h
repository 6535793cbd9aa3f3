/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether the data that a program will see are the data set of an ELBO. */
#ifndef GREBE_MODELS_TRAINING_DATA_IMPL_H
#define GREBE_MODELS_TRAINING_DATA_IMPL_H

#include "models/batches.h"
#include "models/elbo.h"

/* Returns whether `data` have a column for each input with rows of the program, and whether these rows, or
 * those that the inputs were fed, are .data_size of the ELBO: or fewer, if `is_part`, or if the last gb_fit
 * was told so; or that the program has none. If not, records an error, which begins with `who`. */
bool gb_data_fit(const gb_elbo *e, const char *who, gb_program *program, const gb_batches *data,
                 bool is_part);

#endif
