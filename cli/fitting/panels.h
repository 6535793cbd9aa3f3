/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a picture of a fit shows of the fit itself, as parts of a script for gnuplot: the ELBO along a
 * training, the importance weights by which it was judged, signal-to-noise ratios of a network's weights. */
#ifndef GREBE_CLI_FITTING_PANELS_H
#define GREBE_CLI_FITTING_PANELS_H

#include "cli/fitting/fit.h"

/* Returns how many of them this fit has, and writes these. */
size_t gb_cli_panels_count(const gb_cli_fitted *fitted);
void gb_cli_panels_write(const gb_cli_fitted *fitted, FILE *file);

#endif
