/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files and batches, as one would write them: strtod for each number of a file, and a loop over the rows of a
 * batch. */
#include <stdio.h>
#include <stdlib.h>

#include "hand.h"

void gb_hand_text_run(void *text)
{
    gb_hand_text *t = text;
    FILE *file = fopen(t->path, "rb");
    fseek(file, 0, SEEK_END);
    const size_t length = (size_t)ftell(file);
    rewind(file);
    char *all = malloc(length + 1), *at = all;
    all[fread(all, 1, length, file)] = '\0';
    fclose(file);
    while (*at++ != '\n') {}
    for (t->count = 0; at < all + length; at++) /* behind a comma or the end of a line */
        t->number[t->count++] = strtod(at, &at);
    free(all);
}

void gb_hand_bytes_run(void *bytes)
{
    gb_hand_bytes *b = bytes;
    b->next = b->next + 2 * b->rows <= b->count ? b->next + b->rows : 0;
    for (size_t i = 0; i < b->rows; i++) {
        const uint8_t *from = b->byte + (size_t)b->order[b->next + i] * b->columns;
        float *to = b->batch + i * b->columns;
        for (size_t k = 0; k < b->columns; k++)
            to[k] = (float)from[k] * b->scale;
    }
}
