/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs another program, which leads a process group of its own: a signal that ends this process ends that
 * group. */
#ifndef GREBE_CLI_SHELL_CHILD_H
#define GREBE_CLI_SHELL_CHILD_H

#include "cli/shell/files.h"

typedef enum gb_cli_child { GB_CLI_CHILD_DONE, GB_CLI_CHILD_NOT_FOUND, GB_CLI_CHILD_FAILED } gb_cli_child;

/* Runs argument[0], found by PATH, until it ends; NULL ends the arguments. `in` and `out` are its standard
 * input and output; in < 0: that of this process. */
gb_cli_child gb_cli_child_run(gb_cli_files *files, char *const argument[], int in, int out);

#endif
