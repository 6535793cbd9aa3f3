/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Streams of noise for draws that are recorded again: theirs have names that are taken. */
#include "core/graph/streams_impl.h"

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

gb_noise gb_stream_repeated(gb_tape *tape, const char *name)
{
    uint32_t index;
    if (!tape || tape->status != GB_OK)
        return (gb_noise){0};
    if (!gb_names_find(&tape->stream_names, name, &index))
        index = gb_stream(tape, name).id;
    const gb_noise made = gb_stream_numbered(tape, name);
    if (tape->status == GB_OK)
        tape->streams.at[made.id].key = tape->streams.at[index].key;
    return made;
}
