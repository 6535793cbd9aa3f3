/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/array/head_impl.h"

#include <stdarg.h>
#include <string.h>

bool gb_is_little_endian(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1;
}

bool gb_head_fail(const gb_stored *s, const char *format, ...)
{
    char words[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    gb_fail(s->tape, GB_EFILE, "array: %s: %s", s->name, words);
    return false;
}

bool gb_head_read(gb_stored *s, gb_array_head *head, void *to, size_t bytes)
{
    const size_t got = gb_stored_read(s, to, bytes);
    head->bytes += got;
    if (got == bytes)
        return true;
    if (gb_error(s->tape) == GB_OK)
        gb_head_fail(s, "the file ends after %zu bytes, before its numbers begin", head->bytes);
    return false;
}
