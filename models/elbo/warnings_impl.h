/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Warnings about likely mistakes, found by inspecting the graph. No false alarms: each warning is certain. */
#ifndef GREBE_MODELS_ELBO_WARNINGS_IMPL_H
#define GREBE_MODELS_ELBO_WARNINGS_IMPL_H

#include "models/elbo.h"

/* Return a warning about a log likelihood: its rows were summed before, or it is an average. NULL: no such
 * mistake is certain. */
const char *gb_elbo_lost_rows(gb_node log_p);
const char *gb_elbo_averaged(gb_node log_p);

/* Returns warnings about a complete ELBO: it trains variables that belong to no latent; its terms, of the sum
 * `sampled`, are evaluated more than a thousand times for each sample. NULL: none. */
const char *gb_elbo_warning(const gb_elbo *e, gb_node sampled);

#endif
