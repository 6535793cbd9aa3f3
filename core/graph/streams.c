/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Streams of noise for draws that are recorded again: theirs have names that are taken. */
#include "core/noise.h"

#include <stdio.h>

#include "core/tape/op_impl.h"

gb_noise gb_stream_numbered(gb_tape *tape, const char *name)
{
    char text[700];
    uint32_t index;
    snprintf(text, sizeof text, "%s", name ? name : "");
    for (int i = 2; tape && tape->status == GB_OK && gb_names_find(&tape->stream_names, text, &index); i++)
        snprintf(text, sizeof text, "%.680s_%d", name, i);
    return gb_stream(tape, text);
}
