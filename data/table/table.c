/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The life of a table, and its columns by name. */
#include <math.h>
#include <string.h>

#include "core/ground/text_impl.h"
#include "data/table/table_impl.h"

bool gb_table_out_of_memory(const gb_table *d)
{
    gb_fail(d->tape, GB_ENOMEM, "table: %s: out of memory", d->name);
    return false;
}

gb_table *gb_table_new(gb_tape *tape, const char *name, int64_t rows)
{
    if (!tape || gb_error(tape) != GB_OK)
        return NULL;
    if (rows < 0) {
        gb_fail(tape, GB_EARGUMENT, "table: %s: a table cannot have %lld rows", name ? name : "",
                (long long)rows);
        return NULL;
    }
    const gb_memory memory = gb_tape_memory(tape);
    gb_table *const d = gb_memory_resize(&memory, NULL, sizeof *d);
    if (d) {
        *d = (gb_table){.tape = tape, .memory = memory, .rows = rows};
        d->arena.memory = &d->memory;
        d->name = gb_arena_text(&d->arena, name ? name : "a table");
    }
    if (d && d->name)
        return d;
    gb_fail(tape, GB_ENOMEM, "table: %s: out of memory", name ? name : "");
    gb_table_free(d);
    return NULL;
}

void gb_table_free(gb_table *d)
{
    if (!d)
        return;
    const gb_memory memory = d->memory;
    for (size_t i = 0; i < d->columns.count; i++) {
        gb_memory_release(&memory, d->columns.at[i]->number);
        gb_memory_release(&memory, d->columns.at[i]->level);
    }
    gb_memory_release(&memory, d->columns.at);
    gb_memory_release(&memory, d->names.at);
    gb_memory_release(&memory, d->line);
    gb_arena_free(&d->arena);
    gb_memory_release(&memory, d);
}

/* ---- columns ---- */

gb_own_column *gb_table_column_new(gb_table *d, const char *name)
{
    uint32_t index;
    if (!name || !*name) {
        gb_fail(d->tape, GB_ENAME, "table: %s: column %zu has no name", d->name, d->columns.count + 1);
        return NULL;
    }
    if (gb_names_find(&d->names, name, &index)) {
        gb_fail(d->tape, GB_ENAME, "table: %s: columns %u and %zu are both named %s", d->name, index + 1,
                d->columns.count + 1, name);
        return NULL;
    }
    gb_own_column *const own = gb_arena_take(&d->arena, sizeof *own);
    const char *const kept = gb_arena_text(&d->arena, name);
    if (!own || !kept || !GB_LIST_GROW(&d->memory, &d->columns, 1) ||
        !gb_names_add(&d->memory, &d->names, kept, (uint32_t)d->columns.count)) {
        gb_table_out_of_memory(d);
        return NULL;
    }
    own->seen.name = kept;
    d->columns.at[d->columns.count++] = own;
    return own;
}

void *gb_table_cells(gb_table *d, int64_t rows)
{
    void *const cells =
        (uint64_t)rows < SIZE_MAX / 16 ? gb_memory_resize(&d->memory, NULL, ((size_t)rows + 1) * 8) : NULL;
    if (!cells)
        gb_table_out_of_memory(d);
    return cells;
}

void gb_table_column_end(const gb_table *d, gb_own_column *own)
{
    own->seen.number = own->number;
    own->seen.level = own->level;
    for (int64_t i = 0; i < d->rows; i++)
        if (own->number ? isnan(own->number[i]) : own->level[i] < 0)
            own->seen.missing++;
}

/* ---- looking ---- */

int64_t gb_table_rows(const gb_table *d)
{
    return d ? d->rows : 0;
}

size_t gb_table_columns(const gb_table *d)
{
    return d ? d->columns.count : 0;
}

const gb_table_column *gb_table_column_at(const gb_table *d, size_t index)
{
    return d && index < d->columns.count ? &d->columns.at[index]->seen : NULL;
}

const gb_table_column *gb_table_find(const gb_table *d, const char *name)
{
    uint32_t index;
    return d && name && gb_names_find(&d->names, name, &index) ? &d->columns.at[index]->seen : NULL;
}

/* Returns the nearest name, among a few thousand columns. */
static const char *nearest(const gb_table *d, const char *name)
{
    enum { MOST = 4096 };
    const char *found = NULL;
    for (size_t i = 0; i < d->columns.count && i < MOST; i++) {
        const char *const two[] = {found, d->columns.at[i]->seen.name};
        const char *const best = found ? gb_nearest_text(name, 2, two) : gb_nearest_text(name, 1, two + 1);
        found = best ? best : found;
    }
    return found;
}

const gb_table_column *gb_table_column_named(const gb_table *d, const char *name)
{
    const gb_table_column *const found = gb_table_find(d, name);
    if (!d || found || gb_error(d->tape) != GB_OK)
        return found;
    const char *const near = name ? nearest(d, name) : NULL;
    gb_fail(d->tape, GB_ENAME, "table: %s has no column %s%s%s%s", d->name, name ? name : "NULL",
            near ? " (is it " : "", near ? near : "", near ? "?)" : "");
    return NULL;
}

const char *gb_table_name(const gb_table *d)
{
    return d ? d->name : "";
}

int64_t gb_table_line(const gb_table *d, int64_t row)
{
    return d && d->line && row >= 0 && row < d->rows ? d->line[row] : 0;
}

gb_tape *gb_table_tape(const gb_table *d)
{
    return d ? d->tape : NULL;
}

const char *gb_table_place(const gb_table *d, int64_t row, char text[GB_TABLE_PLACE])
{
    enum { MOST_NAME = GB_TABLE_PLACE - 64 };
    const char *const name = gb_table_name(d);
    const size_t length = strlen(name), skipped = length > MOST_NAME ? length - MOST_NAME : 0;
    const int64_t line = gb_table_line(d, row);
    snprintf(text, GB_TABLE_PLACE, "%s%s, %s %lld", skipped ? "…" : "", name + skipped, line ? "line" : "row",
             (long long)(line ? line : row));
    return text;
}

bool gb_next_column(gb_column_walk *walk, size_t *place)
{
    enum { LONGEST = 1023 };
    char name[LONGEST + 1];
    const gb_table *const d = walk->table;
    uint32_t index;
    if (walk->list && strcmp(walk->list, "*") == 0) {
        *place = walk->next++;
        return *place < d->columns.count;
    }
    const gb_listed_name next = gb_next_listed(&walk->list);
    if (!next.text)
        return false;
    const size_t length = next.length < LONGEST ? next.length : LONGEST;
    memcpy(name, next.text, length);
    name[length] = '\0';
    if (!gb_table_column_named(d, name) || !gb_names_find(&d->names, name, &index))
        return false;
    *place = index;
    return true;
}
