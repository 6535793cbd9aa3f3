/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why something is not possible, in one line: a buffer of the caller's. */
#ifndef GREBE_CORE_NATIVE_WHY_IMPL_H
#define GREBE_CORE_NATIVE_WHY_IMPL_H

#include <stdbool.h>
#include <stddef.h>

#include "core/export.h"

typedef struct gb_why {
    char *text;
    size_t bytes;
} gb_why;

/* Writes the line, in the place of an earlier one, and returns false. */
bool gb_why_not(gb_why why, const char *format, ...) GB_PRINTF(2, 3);

/* The same, with the words of the system for an error's number at the end: "…: No space left on device". */
bool gb_why_not_by(gb_why why, int error, const char *format, ...) GB_PRINTF(3, 4);

#endif
