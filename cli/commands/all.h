/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_CLI_COMMANDS_ALL_H
#define GREBE_CLI_COMMANDS_ALL_H

#include "cli/shell/command.h"

/* All commands; `count` receives how many. */
const gb_cli_command *const *gb_cli_commands(size_t *count);

/* The one of that name; NULL: there is none, and a message was printed. */
const gb_cli_command *gb_cli_command_find(const char *name);

#endif
