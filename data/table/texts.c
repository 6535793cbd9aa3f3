/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns of texts: the same cells once more. */
#include "data/table/texts_impl.h"

#include <string.h>

#include "core/ground/text_impl.h"

static bool begin_texts(gb_reading *r, gb_levels *levels)
{
    gb_table *const d = r->table;
    for (size_t i = 0; i < r->columns; i++) {
        const gb_table_column *const like = gb_reading_like(r, i);
        if (r->is_text[i] && (!(d->columns.at[i]->level = gb_table_cells(d, d->rows)) ||
                              (like && like->level && !gb_levels_like(&levels[i], like))))
            return false;
    }
    return true;
}

static bool fail_new_level(const gb_reading *r, const gb_levels *l, const gb_own_column *own, int64_t row,
                           const char *text)
{
    enum { SHOWN = 60 };
    char shown[SHOWN + 1];
    const char *const near = gb_nearest_text(text, l->like->level_count, l->like->levels);
    const bool is_whole = gb_text_show(text, strlen(text), SHOWN, shown);
    gb_fail(r->tape, GB_EARGUMENT,
            "table: %s, line %lld, column %s: \"%s%s\" is none of the %zu texts of %s%s%s%s", r->name,
            (long long)r->table->line[row], own->seen.name, shown, is_whole ? "" : "…", l->like->level_count,
            gb_table_name(r->options.like), near ? " (is it " : "", near ? near : "", near ? "?)" : "");
    return false;
}

static bool take_text(gb_reading *r, gb_levels *levels, int64_t row, gb_csv_cell cell, gb_own_column *own)
{
    if (gb_reading_misses(r, cell)) {
        own->level[row] = -1;
        return true;
    }
    const char *const text = gb_reading_text(r, cell);
    own->level[row] = text ? gb_levels_index(levels, text) : -1;
    if (own->level[row] < 0 && gb_error(r->tape) == GB_OK)
        return fail_new_level(r, levels, own, row, text);
    return own->level[row] >= 0;
}

static bool read_texts(gb_reading *r, gb_csv csv, gb_levels *levels)
{
    gb_table *const d = r->table;
    gb_csv_cell cell;
    for (int64_t row = 0; row < d->rows && gb_csv_row(&csv, r->columns == 1); row++)
        for (size_t i = 0; i < r->columns; i++) {
            gb_csv_next(&csv, &cell);
            if (r->is_text[i] && !take_text(r, &levels[i], row, cell, d->columns.at[i]))
                return false;
        }
    return true;
}

/* Gives memory back that rows were expected to need. */
static bool trim(const gb_reading *r, void **cells)
{
    void *const smaller = gb_memory_resize(&r->table->memory, *cells, (size_t)r->table->rows * 8);
    if (!smaller)
        return gb_reading_out_of_memory(r);
    *cells = smaller;
    return true;
}

static bool end_columns(gb_reading *r, gb_levels *levels)
{
    bool good = trim(r, (void **)&r->table->line);
    for (size_t i = 0; i < r->columns; i++) {
        gb_own_column *const own = r->table->columns.at[i];
        if (levels && r->is_text[i])
            good = gb_levels_end(&levels[i], own) && good;
        else
            good = good && trim(r, (void **)&own->number);
        if (good)
            gb_table_column_end(r->table, own);
    }
    return good;
}

bool gb_reading_columns(gb_reading *r, gb_csv rows)
{
    const gb_memory *const memory = &r->table->memory;
    gb_levels *levels = NULL;
    bool good = true;
    if (memchr(r->is_text, true, r->columns)) {
        levels = gb_memory_resize(memory, NULL, r->columns * sizeof *levels);
        if (!levels)
            return gb_reading_out_of_memory(r);
        for (size_t i = 0; i < r->columns; i++)
            levels[i] = (gb_levels){.table = r->table};
        good = begin_texts(r, levels) && read_texts(r, rows, levels);
    }
    good = end_columns(r, levels) && good;
    gb_memory_release(memory, levels);
    return good;
}
