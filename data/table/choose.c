/* SPDX-License-Identifier: GPL-3.0-or-later */
/* New tables of some rows. */
#include <math.h>
#include <string.h>

#include "data/table/table_impl.h"

static bool rows_are_there(const gb_table *d, gb_rows rows)
{
    if (rows.count > 0 && !rows.row)
        gb_fail(d->tape, GB_EARGUMENT, "table: %s: the list of %zu rows is NULL", d->name, rows.count);
    else if (rows.count == 0)
        gb_fail(d->tape, GB_EARGUMENT, "table: %s: no row is left", d->name);
    for (size_t i = 0; i < rows.count && gb_error(d->tape) == GB_OK; i++)
        if (rows.row[i] < 0 || rows.row[i] >= d->rows)
            gb_fail(d->tape, GB_EARGUMENT,
                    "table: %s has rows 0 to %lld, and no row %lld (place %zu of the list)", d->name,
                    (long long)d->rows - 1, (long long)rows.row[i], i);
    return gb_error(d->tape) == GB_OK;
}

/* All columns have cells of 8 bytes. */
static void *taken(gb_table *to, const void *cells, gb_rows rows)
{
    char *const some = gb_table_cells(to, to->rows);
    for (size_t i = 0; some && i < rows.count; i++)
        memcpy(some + i * 8, (const char *)cells + (size_t)rows.row[i] * 8, 8);
    return some;
}

static bool take_levels(gb_table *to, gb_own_column *own, const gb_table_column *from)
{
    const size_t count = from->level_count;
    const char **const levels = gb_arena_take(&to->arena, count * sizeof *levels + 1);
    for (size_t i = 0; levels && i < count; i++)
        if (!(levels[i] = gb_arena_text(&to->arena, from->levels[i])))
            return gb_table_out_of_memory(to);
    own->seen.levels = levels;
    own->seen.level_count = count;
    return levels || gb_table_out_of_memory(to);
}

static bool take_column(gb_table *to, const gb_own_column *from, gb_rows rows)
{
    gb_own_column *const own = gb_table_column_new(to, from->seen.name);
    if (!own)
        return false;
    if (from->number)
        own->number = taken(to, from->number, rows);
    else
        own->level = taken(to, from->level, rows);
    if (!(own->number || own->level) || (from->level && !take_levels(to, own, &from->seen)))
        return false;
    gb_table_column_end(to, own);
    return true;
}

gb_table *gb_table_take(const gb_table *d, gb_rows rows)
{
    if (!d || gb_error(d->tape) != GB_OK || !rows_are_there(d, rows))
        return NULL;
    gb_table *const to = gb_table_new(d->tape, d->name, (int64_t)rows.count);
    bool good = to && (!d->line || (to->line = taken(to, d->line, rows)));
    for (size_t i = 0; good && i < d->columns.count; i++)
        good = take_column(to, d->columns.at[i], rows);
    if (good) {
        to->decimal_comma = d->decimal_comma;
        return to;
    }
    gb_table_free(to);
    return NULL;
}

/* ---- rows without missing cells ---- */

/* Marks rows with a missing cell in one of the columns. */
static bool mark(const gb_table *d, const char *names, bool *misses)
{
    gb_column_walk walk = {.table = d, .list = names ? names : "*"};
    for (size_t place; gb_next_column(&walk, &place);) {
        const gb_own_column *const own = d->columns.at[place];
        for (int64_t i = 0; own->seen.missing > 0 && i < d->rows; i++)
            misses[i] |= own->number ? isnan(own->number[i]) != 0 : own->level[i] < 0;
    }
    return gb_error(d->tape) == GB_OK;
}

gb_table *gb_table_complete(const gb_table *d, const char *names, size_t *dropped)
{
    if (!d || gb_error(d->tape) != GB_OK)
        return NULL;
    gb_table *complete = NULL;
    int64_t *const rows = gb_memory_resize(&d->memory, NULL, ((size_t)d->rows + 1) * 8);
    bool *const misses = gb_memory_resize(&d->memory, NULL, (size_t)d->rows + 1);
    size_t count = 0;
    if (!rows || !misses)
        gb_table_out_of_memory(d);
    else {
        memset(misses, 0, (size_t)d->rows);
        const bool good = mark(d, names, misses);
        for (int64_t i = 0; i < d->rows; i++)
            if (!misses[i])
                rows[count++] = i;
        complete = good ? gb_table_take(d, gb_rows_of(count, rows)) : NULL;
    }
    gb_memory_release(&d->memory, rows);
    gb_memory_release(&d->memory, misses);
    if (complete && dropped)
        *dropped = (size_t)d->rows - count;
    return complete;
}
