/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_CLI_JSON_H
#define GREBE_CLI_JSON_H

#include <stdio.h>

/* A string, quoted. NULL: null. */
void gb_cli_json_text(FILE *file, const char *text);

/* A number; null where it is not finite. */
void gb_cli_json_number(FILE *file, double value);

#endif
