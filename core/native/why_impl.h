/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why something is not possible, in one line: a buffer of the caller's. */
#ifndef GREBE_CORE_NATIVE_WHY_IMPL_H
#define GREBE_CORE_NATIVE_WHY_IMPL_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

typedef struct gb_why {
    char *text;
    size_t bytes;
} gb_why;

/* Writes the line, in the place of an earlier one, and returns false. */
__attribute__((format(printf, 2, 3))) static inline bool gb_why_not(gb_why why, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why.text, why.bytes, format, arguments);
    va_end(arguments);
    return false;
}

#endif
