/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/native/text_impl.h"

#include <stdarg.h>
#include <string.h>

bool gb_text_has_room(gb_growing_text *text, size_t more)
{
    if (!text->failed && !GB_LIST_GROW(text->memory, text, more + 1))
        text->failed = true;
    return !text->failed;
}

void gb_text_append_bytes(gb_growing_text *text, const void *bytes, size_t count)
{
    if (!gb_text_has_room(text, count))
        return;
    memcpy(text->at + text->count, bytes, count);
    text->count += count;
    text->at[text->count] = 0;
}

void gb_text_append(gb_growing_text *text, const char *format, ...)
{
    va_list twice[2];
    va_start(twice[0], format);
    va_copy(twice[1], twice[0]);
    const int length = vsnprintf(NULL, 0, format, twice[0]);
    if (length < 0)
        text->failed = true;
    else if (gb_text_has_room(text, (size_t)length)) {
        vsnprintf(text->at + text->count, (size_t)length + 1, format, twice[1]);
        text->count += (size_t)length;
    }
    va_end(twice[0]);
    va_end(twice[1]);
}

void gb_text_free(gb_growing_text *text)
{
    gb_memory_release(text->memory, text->at);
    text->at = NULL;
    text->count = text->capacity = 0;
}

bool gb_why_not(gb_why why, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why.text, why.bytes, format, arguments);
    va_end(arguments);
    return false;
}
