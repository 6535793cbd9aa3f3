/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns as numbers: what is missing or a text is rejected by line and column. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "core/ground/text_impl.h"
#include "data/table/table_impl.h"

enum { SHOWN = 60 };

/* Returns what may be meant by a text that is no number. */
static const char *advice(const gb_table *d, const char *text)
{
    double number;
    if (gb_table_number(text, strlen(text), !d->decimal_comma, &number))
        return d->decimal_comma ? "the file is read with .decimal_comma"
                                : "it is a number with a comma: .decimal_comma = true reads such";
    return "if it means a missing cell, name it in .missing";
}

static void fail_missing(const gb_table *d, const gb_table_column *column, int64_t row)
{
    char place[GB_TABLE_PLACE];
    gb_fail(d->tape, GB_EARGUMENT,
            "table: %s, column %s: the cell is missing (%zu of %lld are); gb_table_complete leaves such rows "
            "out",
            gb_table_place(d, row, place), column->name, column->missing, (long long)d->rows);
}

static void fail_text(const gb_table *d, const gb_table_column *column)
{
    char place[GB_TABLE_PLACE], shown[SHOWN + 1];
    double number;
    for (int64_t i = 0; i < d->rows; i++) {
        const char *const text = column->level[i] >= 0 ? column->levels[column->level[i]] : NULL;
        if (!text || gb_table_number(text, strlen(text), d->decimal_comma, &number))
            continue;
        const bool is_whole = gb_text_show(text, strlen(text), SHOWN, shown);
        gb_fail(d->tape, GB_ETYPE, "table: %s, column %s: \"%s%s\" is no finite number; %s",
                gb_table_place(d, i, place), column->name, shown, is_whole ? "" : "…", advice(d, text));
        return;
    }
    gb_fail(d->tape, GB_ETYPE, "table: %s: column %s has texts, and no numbers", d->name, column->name);
}

const double *gb_table_doubles(const gb_table *d, const char *name)
{
    const gb_table_column *const column = gb_table_column_named(d, name);
    if (!column || gb_error(d->tape) != GB_OK)
        return NULL;
    if (!column->number) {
        fail_text(d, column);
        return NULL;
    }
    for (int64_t i = 0; column->missing > 0 && i < d->rows; i++)
        if (isnan(column->number[i])) {
            fail_missing(d, column, i);
            return NULL;
        }
    return column->number;
}
