/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table as CSV. */
#include <math.h>

#include "core/ground/text_impl.h"
#include "data/table/table_impl.h"

/* Texts are always in quotes: then NA is one, too. */
static void put_text(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', file);
        fputc(*text, file);
    }
    fputc('"', file);
}

static void put_cell(FILE *file, const gb_own_column *own, int64_t row)
{
    char digits[GB_NUMBER_TEXT];
    const bool is_missing = own->number ? isnan(own->number[row]) : own->level[row] < 0;
    if (is_missing)
        fputs("NA", file);
    else if (own->number)
        fputs(gb_number_text(own->number[row], digits), file);
    else
        put_text(file, own->seen.levels[own->level[row]]);
}

gb_status gb_table_csv(const gb_table *d, FILE *file)
{
    if (!d || !file)
        return GB_EARGUMENT;
    const size_t count = d->columns.count;
    for (size_t i = 0; i < count; i++) {
        put_text(file, d->columns.at[i]->seen.name);
        fputc(i + 1 < count ? ',' : '\n', file);
    }
    for (int64_t row = 0; row < d->rows; row++)
        for (size_t i = 0; i < count; i++) {
            put_cell(file, d->columns.at[i], row);
            fputc(i + 1 < count ? ',' : '\n', file);
        }
    return gb_flushed(file) ? GB_OK : GB_ESYSTEM;
}
