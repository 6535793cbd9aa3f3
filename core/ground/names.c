/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A hash table from names to indices, with open addressing. */
#include "core/ground/names_impl.h"

#include <string.h>

static size_t hash(const char *name)
{
    uint64_t h = 0xcbf29ce484222325u; /* FNV-1a */
    for (const char *c = name; *c; c++)
        h = (h ^ (unsigned char)*c) * 0x100000001b3u;
    return (size_t)(h ^ (h >> 32));
}

/* The entry of `name`, or the empty one where it belongs. There is always an empty one. */
static struct gb_name_entry *seek(const gb_names *names, const char *name)
{
    const size_t mask = names->capacity - 1;
    size_t i = hash(name) & mask;
    while (names->at[i].name && strcmp(names->at[i].name, name) != 0)
        i = (i + 1) & mask;
    return &names->at[i];
}

bool gb_names_find(const gb_names *names, const char *name, uint32_t *index)
{
    if (names->count == 0)
        return false;
    const struct gb_name_entry *entry = seek(names, name);
    if (!entry->name)
        return false;
    *index = entry->index;
    return true;
}

static bool names_grow(const gb_memory *memory, gb_names *names)
{
    gb_names larger = {.capacity = names->capacity ? names->capacity * 2 : 16, .count = names->count};
    larger.at = gb_memory_resize(memory, NULL, larger.capacity * sizeof *larger.at);
    if (!larger.at)
        return false;
    memset(larger.at, 0, larger.capacity * sizeof *larger.at);
    for (size_t i = 0; i < names->capacity; i++)
        if (names->at[i].name)
            *seek(&larger, names->at[i].name) = names->at[i];
    gb_memory_release(memory, names->at);
    *names = larger;
    return true;
}

bool gb_names_add(const gb_memory *memory, gb_names *names, const char *name, uint32_t index)
{
    if (2 * (names->count + 1) > names->capacity && !names_grow(memory, names))
        return false;
    *seek(names, name) = (struct gb_name_entry){.name = name, .index = index};
    names->count++;
    return true;
}

void gb_names_clear(gb_names *names)
{
    names->count = 0;
    if (names->at)
        memset(names->at, 0, names->capacity * sizeof *names->at);
}
