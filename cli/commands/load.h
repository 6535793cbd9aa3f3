/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_CLI_COMMANDS_LOAD_H
#define GREBE_CLI_COMMANDS_LOAD_H

#include "cli/shell/command.h"

/* Loads the files of plug-ins that a command was given. Look-ups by name then know what is in them. Prints
 * errors. */
gb_cli_code gb_cli_load(gb_cli *cli);

#endif
