/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts become indices into a sorted list. */
#include <stdlib.h>
#include <string.h>

#include "data/table/table_impl.h"

static bool add(gb_levels *l, const char *kept)
{
    const gb_memory *const memory = &l->table->memory;
    if (!kept || !GB_LIST_GROW(memory, &l->texts, 1) ||
        !gb_names_add(memory, &l->names, kept, (uint32_t)l->texts.count))
        return gb_table_out_of_memory(l->table);
    l->texts.at[l->texts.count++] = kept;
    return true;
}

bool gb_levels_like(gb_levels *l, const gb_table_column *like)
{
    for (size_t i = 0; i < like->level_count; i++)
        if (!add(l, gb_arena_text(&l->table->arena, like->levels[i])))
            return false;
    l->like = like;
    return true;
}

int64_t gb_levels_index(gb_levels *l, const char *text)
{
    uint32_t index;
    if (gb_names_find(&l->names, text, &index))
        return index;
    index = (uint32_t)l->texts.count;
    return !l->like && add(l, gb_arena_text(&l->table->arena, text)) ? (int64_t)index : -1;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sorts the texts, and finds where each one is then. */
static bool sort(gb_levels *l, gb_own_column *own)
{
    gb_table *const d = l->table;
    const size_t count = l->texts.count;
    const char **const sorted = gb_arena_take(&d->arena, count * sizeof *sorted + 1);
    int64_t *const moved = gb_table_cells(d, (int64_t)count);
    if (!sorted || !moved) {
        gb_memory_release(&d->memory, moved);
        return gb_table_out_of_memory(d);
    }
    if (count > 0)
        memcpy(sorted, l->texts.at, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_text);
    for (size_t i = 0; i < count; i++) {
        uint32_t before = 0;
        gb_names_find(&l->names, sorted[i], &before);
        moved[before] = (int64_t)i;
    }
    for (int64_t i = 0; i < d->rows; i++)
        if (own->level[i] >= 0)
            own->level[i] = moved[own->level[i]];
    gb_memory_release(&d->memory, moved);
    own->seen.levels = sorted;
    own->seen.level_count = count;
    return true;
}

bool gb_levels_end(gb_levels *l, gb_own_column *own)
{
    const gb_memory *const memory = &l->table->memory;
    const bool good = gb_error(l->table->tape) == GB_OK && sort(l, own);
    gb_memory_release(memory, l->names.at);
    gb_memory_release(memory, l->texts.at);
    return good;
}
