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
    size_t more = 200; /* mostly enough; if not, all is printed again */
    for (bool fits = false; !fits && gb_text_has_room(text, more);) {
        const size_t room = text->capacity - text->count;
        va_list arguments;
        va_start(arguments, format);
        const int length = vsnprintf(text->at + text->count, room, format, arguments);
        va_end(arguments);
        fits = length >= 0 && (size_t)length < room;
        text->failed = length < 0;
        text->count += fits ? (size_t)length : 0;
        more = (size_t)length;
    }
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
