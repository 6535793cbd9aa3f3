/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether weights leave a posterior of the noise. */
#ifndef GREBE_READY_MODELS_PROCESSES_NOISE_IMPL_H
#define GREBE_READY_MODELS_PROCESSES_NOISE_IMPL_H

#include "ready/model.h"

/* Of a model y ~ N(f, σ²) with free values f: `values` of them, one at each place of the columns, or, without
 * `has_columns`, one for each row. If there are enough for all rows that count, its density, as σ → 0, grows
 * as 1 / σ^(sum of weights − rows that count), unless outcomes at one place differ. From an exponent of 1 on
 * there is no posterior. Then this records an error and returns false. */
bool gb_noise_has_posterior(const gb_model_site *site, int64_t values, bool has_columns);

#endif
