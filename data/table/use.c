/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns as numbers: what is missing or a text is rejected by line and column. */
#include <math.h>
#include <string.h>

#include "core/ground/text_impl.h"
#include "data/table/table_impl.h"

enum { SHOWN = 60 };

/* Whether a text has a number before its e, and digits after it. */
static bool has_exponent(const gb_table *d, const char *text)
{
    double number;
    const size_t before = strcspn(text, "eE");
    if (!text[before] || !gb_table_number(text, before, d->decimal_comma, &number))
        return false;
    const char *const after = text + before + 1;
    const char *const digits = after + (*after == '-' || *after == '+');
    return *digits && strspn(digits, "0123456789") == strlen(digits);
}

/* Returns what may be meant by a text that is no number. */
static const char *advice(const gb_table *d, const char *text)
{
    double number;
    if (gb_table_number(text, strlen(text), !d->decimal_comma, &number))
        return d->decimal_comma ? "the file is read with .decimal_comma"
                                : "it is a number with a comma: .decimal_comma = true reads such";
    return has_exponent(d, text) ? "doubles have 0, and 5e-324 to 1.8e308"
                                 : "if it means a missing cell, name it in .missing";
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

/* Returns whether a column has numbers, and none is missing; else records an error. */
static bool has_numbers(const gb_table *d, const gb_table_column *column)
{
    if (!column->number) {
        fail_text(d, column);
        return false;
    }
    for (int64_t i = 0; column->missing > 0 && i < d->rows; i++)
        if (isnan(column->number[i])) {
            fail_missing(d, column, i);
            return false;
        }
    return true;
}

const double *gb_table_doubles(const gb_table *d, const char *name)
{
    const gb_table_column *const column = gb_table_column_named(d, name);
    const bool good = column && gb_error(d->tape) == GB_OK && has_numbers(d, column);
    return good ? column->number : NULL;
}

/* ---- several side by side ---- */

/* Counts the columns; 0 on error. */
static size_t count_columns(gb_column_walk walk)
{
    size_t count = 0;
    for (size_t place; gb_next_column(&walk, &place); count++)
        if (!has_numbers(walk.table, &walk.table->columns.at[place]->seen))
            return 0;
    return gb_error(walk.table->tape) == GB_OK ? count : 0;
}

static gb_numbers side_by_side(gb_table *d, gb_column_walk walk, size_t count)
{
    const size_t rows = (size_t)d->rows;
    double *const all = rows <= SIZE_MAX / 16 / count ? gb_arena_take(&d->arena, rows * count * 8) : NULL;
    if (!all) {
        gb_table_out_of_memory(d);
        return (gb_numbers){0};
    }
    size_t place;
    for (size_t k = 0; gb_next_column(&walk, &place); k++)
        for (size_t i = 0; i < rows; i++)
            all[i * count + k] = d->columns.at[place]->number[i];
    return gb_numbers_of(GB_NUMBER_DOUBLE, all, rows * count);
}

gb_numbers gb_table_numbers(gb_table *d, const char *names)
{
    if (!d || gb_error(d->tape) != GB_OK)
        return (gb_numbers){0};
    gb_column_walk walk = {.table = d, .list = names};
    const gb_table_column *const one = gb_table_find(d, names);
    if (one)
        return has_numbers(d, one) ? gb_numbers_of(GB_NUMBER_DOUBLE, one->number, (size_t)d->rows)
                                   : (gb_numbers){0};
    const size_t count = count_columns(walk);
    if (count == 0 && gb_error(d->tape) == GB_OK)
        gb_fail(d->tape, GB_EARGUMENT, "table: %s: no columns are named", d->name);
    return count > 0 ? side_by_side(d, walk, count) : (gb_numbers){0};
}

/* ---- levels ---- */

/* Returns a column of texts, of which none is missing; NULL on error. */
static const gb_table_column *texts(const gb_table *d, const char *name)
{
    const gb_table_column *const column = gb_table_column_named(d, name);
    if (!column || gb_error(d->tape) != GB_OK)
        return NULL;
    if (!column->level) {
        gb_fail(d->tape, GB_ETYPE,
                "table: %s: column %s has numbers; .texts = \"%s\" of gb_table_read makes texts of them",
                d->name, name, name);
        return NULL;
    }
    for (int64_t i = 0; column->missing > 0 && i < d->rows; i++)
        if (column->level[i] < 0) {
            fail_missing(d, column, i);
            return NULL;
        }
    return column;
}

gb_numbers gb_table_levels(const gb_table *d, const char *name)
{
    const gb_table_column *const column = texts(d, name);
    return column ? gb_numbers_of(GB_NUMBER_INT64, column->level, (size_t)d->rows) : (gb_numbers){0};
}

gb_numbers gb_table_one_hot(gb_table *d, const char *name)
{
    const gb_table_column *const column = texts(d, name);
    if (!column)
        return (gb_numbers){0};
    const size_t rows = (size_t)d->rows, levels = column->level_count;
    uint8_t *const hot =
        levels > 0 && rows <= SIZE_MAX / 2 / levels ? gb_arena_take(&d->arena, rows * levels) : NULL;
    for (size_t i = 0; hot && i < rows; i++)
        hot[i * levels + (size_t)column->level[i]] = 1;
    if (!hot)
        gb_table_out_of_memory(d);
    return gb_numbers_of(GB_NUMBER_UINT8, hot, hot ? rows * levels : 0);
}
