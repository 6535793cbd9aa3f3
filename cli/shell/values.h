/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of options. Each of these says what is wrong, and returns false then. An option that is not there leaves
 * `value` as it is. */
#ifndef GREBE_CLI_SHELL_VALUES_H
#define GREBE_CLI_SHELL_VALUES_H

#include <stdint.h>

#include "cli/shell/command.h"

/* A finite decimal number, and nothing after it. Says nothing. */
bool gb_cli_number(const char *text, double *value);

/* A whole number from low to high; "1e5" is one. */
bool gb_cli_whole(const gb_cli *cli, size_t option, uint64_t low, uint64_t high, uint64_t *value);

/* The number of one of the names. */
bool gb_cli_choice(const gb_cli *cli, size_t option, size_t count, const char *const *names, size_t *value);

#endif
