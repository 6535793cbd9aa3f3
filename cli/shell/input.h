/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_CLI_SHELL_INPUT_H
#define GREBE_CLI_SHELL_INPUT_H

#include <stddef.h>

/* Reads a whole file ("-": standard input) of at most `most` bytes (0: any number), and ends it with 0. The
 * caller frees it. Prints an error and returns NULL if it cannot be read. */
char *gb_cli_input_read(const char *path, size_t most, size_t *length);

#endif
