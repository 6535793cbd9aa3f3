/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `grebe check model`: does the fit find the posterior of data like these? */
#ifndef GREBE_CLI_FITTING_CALIBRATE_H
#define GREBE_CLI_FITTING_CALIBRATE_H

#include <stdint.h>

#include "cli/shell/command.h"

/* Draws latents from the prior and outcomes from the model, for the rows of --data, fits each set of outcomes
 * as grebe fit does, and compares ranks. The options of the command begin with GB_CLI_MODEL_OPTIONS. Returns
 * GB_CLI_FAILED if q is too narrow, too wide or biased for a number. */
gb_cli_code gb_cli_calibrate(const gb_cli *cli, const char *model, uint64_t simulations);

#endif
