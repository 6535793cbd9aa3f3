/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers and texts for other programs to read: JSON, CSV, scripts. The user's language has no part in them. */
#ifndef GREBE_CORE_GROUND_JSON_IMPL_H
#define GREBE_CORE_GROUND_JSON_IMPL_H

#include <stdio.h>

/* All digits, with a point. */
void gb_put_number(FILE *file, double value);

/* The same; null where it is not finite. */
void gb_json_number(FILE *file, double value);

/* A string, quoted. NULL: null. */
void gb_json_text(FILE *file, const char *text);

#endif
