/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_CLI_COMMANDS_TRIAL_H
#define GREBE_CLI_COMMANDS_TRIAL_H

#include "cli/shell/command.h"

/* Calls `load` with the path in a child process first, whose output is thrown away, and then here. A file
 * that ends the child, as one with damaged tables ends the system's loader by a signal, is rejected in
 * words. */
typedef gb_cli_code gb_cli_loader(const char *path, const gb_bundle **bundle);
gb_cli_code gb_cli_try(gb_cli_loader *load, const char *path, const gb_bundle **bundle);

#endif
