/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/native/text_impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool has_room(gb_growing_text *text, size_t more)
{
    if (!text->failed && !GB_LIST_GROW(text->memory, &text->text, more + 1))
        text->failed = true;
    return !text->failed;
}

void gb_text_append_bytes(gb_growing_text *text, const char *bytes, size_t count)
{
    if (!has_room(text, count))
        return;
    memcpy(text->text.at + text->text.count, bytes, count);
    text->text.count += count;
    text->text.at[text->text.count] = 0;
}

void gb_text_append(gb_growing_text *text, const char *format, ...)
{
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof line)
        text->failed = true;
    else
        gb_text_append_bytes(text, line, (size_t)length);
}

void gb_text_free(gb_growing_text *text)
{
    gb_memory_release(text->memory, text->text.at);
    text->text.at = NULL;
    text->text.count = text->text.capacity = 0;
}
