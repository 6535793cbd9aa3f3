/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text: the nearest of several names, and numbers and strings as other programs have them: JSON, CSV, scripts.
 * The user's language has no part in them. */
#ifndef GREBE_CORE_GROUND_TEXT_IMPL_H
#define GREBE_CORE_GROUND_TEXT_IMPL_H

#include <stddef.h>
#include <stdio.h>

/* The name that begins with `text`, or else becomes it by the fewest changes of a letter; NULL where none is
 * near, or `text` is NULL. */
const char *gb_nearest_text(const char *text, size_t count, const char *const *names);

/* strtod, with a point. */
double gb_get_number(const char *text, char **end);

/* All digits, with a point. */
void gb_put_number(FILE *file, double value);

/* The same; null where it is not finite. */
void gb_json_number(FILE *file, double value);

/* A string, quoted. NULL: null. */
void gb_json_text(FILE *file, const char *text);

#endif
