/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of data, and errors on their tapes, in the words of the command. */
#ifndef GREBE_CLI_SHELL_TABLE_H
#define GREBE_CLI_SHELL_TABLE_H

#include "cli/shell/say.h"
#include "data/table.h"

/* Reads a file, "-" for standard input, or a built-in set, if there is no file of its name. Returns NULL on
 * error, which is on the tape, or was printed. */
gb_table *gb_cli_table_open(gb_tape *tape, const char *path, gb_table_read_options options);

/* Prints the error of a tape, if it has one, and returns its code. Damaged files are invalid data. */
gb_cli_code gb_cli_complain(gb_tape *tape);

/* Writes a text of the library with the names of options in place of those of C. */
void gb_cli_put_called(FILE *file, const char *text);

#endif
