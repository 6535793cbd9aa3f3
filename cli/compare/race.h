/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --train: each estimator trains by itself. */
#ifndef GREBE_CLI_COMPARE_RACE_H
#define GREBE_CLI_COMPARE_RACE_H

#include "cli/compare/request.h"
#include "compare/race.h"

/* Runs the race of a request, and prints errors. `race` receives the result, which gb_racing_free frees. */
gb_cli_code gb_cli_race_run(const gb_cli_request *request, gb_racing **race);

/* Returns whether at least one estimator trained. */
bool gb_cli_race_has_results(const gb_racing *race);

#endif
