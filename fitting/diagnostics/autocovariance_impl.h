/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Autocovariances of several chains, computed as far as they are asked for. */
#ifndef GREBE_FITTING_DIAGNOSTICS_AUTOCOVARIANCE_IMPL_H
#define GREBE_FITTING_DIAGNOSTICS_AUTOCOVARIANCE_IMPL_H

#include <stdbool.h>

#include "core/memory.h"

typedef struct gb_autocovariance {
    const double *x; /* chain after chain; the mean of each chain is 0 */
    size_t chains, length;
    const gb_memory *memory;
    double *all; /* for lags that products would take too long for; NULL: not yet needed */
} gb_autocovariance;

/* Sets the mean over chains of Σ x[i] x[i + lag] / length. Returns false if memory runs out. */
bool gb_autocovariance_at(gb_autocovariance *a, size_t lag, double *mean);
void gb_autocovariance_free(gb_autocovariance *a);

#endif
