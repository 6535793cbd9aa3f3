/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/native/why_impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool gb_why_not(gb_why why, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why.text, why.bytes, format, arguments);
    va_end(arguments);
    return false;
}

bool gb_why_not_by(gb_why why, int error, const char *format, ...)
{
    char words[128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why.text, why.bytes, format, arguments);
    va_end(arguments);
    if (strerror_r(error, words, sizeof words) != 0)
        snprintf(words, sizeof words, "error %d", error);
    const size_t length = why.bytes ? strlen(why.text) : 0;
    snprintf(why.text + length, why.bytes - length, ": %s", words);
    return false;
}
