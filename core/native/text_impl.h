/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A text that grows. */
#ifndef GREBE_CORE_NATIVE_TEXT_IMPL_H
#define GREBE_CORE_NATIVE_TEXT_IMPL_H

#include "core/export.h"
#include "core/ground/memory_impl.h"

typedef struct gb_growing_text {
    const gb_memory *memory;
    GB_LIST(char) text; /* count: without the 0 at its end */
    bool failed;        /* memory ran out */
} gb_growing_text;

void gb_text_append(gb_growing_text *text, const char *format, ...) GB_PRINTF(2, 3);
void gb_text_append_bytes(gb_growing_text *text, const char *bytes, size_t count);
void gb_text_free(gb_growing_text *text);

#endif
