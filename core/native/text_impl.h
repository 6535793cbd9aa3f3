/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A text that grows, or bytes; and a line of the caller's, which says why something is not possible. */
#ifndef GREBE_CORE_NATIVE_TEXT_IMPL_H
#define GREBE_CORE_NATIVE_TEXT_IMPL_H

#include <stdio.h>

#include "core/export.h"
#include "core/ground/memory_impl.h"

typedef struct gb_growing_text {
    const gb_memory *memory;
    char *at;
    size_t count; /* without the 0 at its end */
    size_t capacity;
    bool failed; /* memory ran out */
} gb_growing_text;

void gb_text_append(gb_growing_text *text, const char *format, ...) GB_PRINTF(2, 3);
void gb_text_append_bytes(gb_growing_text *text, const void *bytes, size_t count);
/* Makes room for more bytes and the 0. Returns false if memory runs out, now or before. */
bool gb_text_has_room(gb_growing_text *text, size_t more);
void gb_text_free(gb_growing_text *text);

typedef struct gb_why {
    char *text;
    size_t bytes;
} gb_why;

/* Writes the line, in the place of an earlier one, and returns false. */
bool gb_why_not(gb_why why, const char *format, ...) GB_PRINTF(2, 3);

#endif
