/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_CLI_COMMANDS_ALL_H
#define GREBE_CLI_COMMANDS_ALL_H

#include "cli/shell/command.h"

/* Returns all commands, and stores their number in `count`. */
const gb_cli_command *const *gb_cli_commands(size_t *count);

/* Returns the command of that name; prints an error and returns NULL if there is none. */
const gb_cli_command *gb_cli_command_find(const char *name);

#endif
