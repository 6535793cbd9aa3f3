/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Print the pages of `grebe help` and `grebe help COMMAND`. */
#ifndef GREBE_CLI_COMMANDS_HELP_H
#define GREBE_CLI_COMMANDS_HELP_H

#include "cli/shell/command.h"

/* What holds for all commands: how options are written, the exit status. */
extern const char gb_cli_general_words[];

void gb_cli_overview(FILE *file);
void gb_cli_manual(const gb_cli_command *command, FILE *file);

#endif
