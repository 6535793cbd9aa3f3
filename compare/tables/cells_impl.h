/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cells of tables for people. */
#ifndef GREBE_COMPARE_TABLES_CELLS_IMPL_H
#define GREBE_COMPARE_TABLES_CELLS_IMPL_H

#include <stdio.h>

#include "compare/watch.h"

enum { GB_CELL = 64 };

/* Returns the width of UTF-8, one place for each letter. What a terminal would obey is shown. */
int gb_cell_width(const char *text);

/* Writes it to the right end of `width` places; to the left one of -width places if it is negative. */
void gb_cell_put(FILE *file, const char *text, int width);

/* Writes "2112 ± 41", in `unit`: the value with so many digits, the error with two; "-" if it is not
 * known. */
void gb_cell_figure(const gb_figure *f, double unit, int digits, char text[GB_CELL]);

/* Writes a line about an estimator of that text, if it says of itself that it may be biased. */
void gb_cell_put_bias(FILE *file, const char *text);

#endif
