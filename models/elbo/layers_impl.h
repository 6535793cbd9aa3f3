/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_MODELS_ELBO_LAYERS_IMPL_H
#define GREBE_MODELS_ELBO_LAYERS_IMPL_H

#include "models/lazy.h"

/* What must hold of lazy latents in a complete ELBO; false after an error. All are used; and the terms, whose
 * sum is `sampled`, are sums over rows, as far as noise of each row reaches them. */
bool gb_lazy_all_used(const gb_elbo *e);
bool gb_lazy_rows_are_separate(const gb_elbo *e, gb_node sampled);

#endif
