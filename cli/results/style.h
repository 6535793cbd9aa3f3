/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What all pictures share, as parts of scripts for gnuplot. */
#ifndef GREBE_CLI_RESULTS_STYLE_H
#define GREBE_CLI_RESULTS_STYLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Colours that the colour-blind can distinguish (Okabe and Ito 2008), and points that differ as well. */
enum { GB_CLI_COLOURS = 8 };
extern const char *const gb_cli_colour[GB_CLI_COLOURS];
extern const int gb_cli_mark[GB_CLI_COLOURS];

/* Writes the terminal of a picture of that size, PNG or SVG, and grid, borders and key. */
void gb_cli_style_head(FILE *file, bool png, int width, int height);

/* Writes numbers, each after a space. */
void gb_cli_style_numbers(FILE *file, size_t count, const double *values);

/* Writes a text between `before` and `after` in single quotes, in which gnuplot obeys nothing. */
void gb_cli_style_text(FILE *file, const char *text); /* without quotes */
void gb_cli_style_quoted(FILE *file, const char *before, const char *text, const char *after);

#endif
