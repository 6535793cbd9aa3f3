/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_FITTING_DIAGNOSTICS_LOO_IMPL_H
#define GREBE_FITTING_DIAGNOSTICS_LOO_IMPL_H

#include "fitting/loo.h"

/* Returns a result without numbers: all are NaN. The caller writes its words. */
gb_loo gb_loo_without(gb_status status);

#endif
