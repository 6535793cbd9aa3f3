/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads values of options. Each function prints errors and returns false. If the option is not given, `value`
 * is unchanged. */
#ifndef GREBE_CLI_SHELL_VALUES_H
#define GREBE_CLI_SHELL_VALUES_H

#include <stdint.h>

#include "cli/shell/command.h"

/* Reads a finite decimal number with nothing after it. Prints nothing. */
bool gb_cli_number(const char *text, double *value);

/* Reads a whole number from low to high; "1e5" is one. */
bool gb_cli_whole(const gb_cli *cli, size_t option, uint64_t low, uint64_t high, uint64_t *value);

/* Reads one of the names; `value` receives its index. */
bool gb_cli_choice(const gb_cli *cli, size_t option, size_t count, const char *const *names, size_t *value);

#endif
