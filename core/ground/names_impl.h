/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A hash table from names to indices. */
#ifndef GREBE_CORE_GROUND_NAMES_IMPL_H
#define GREBE_CORE_GROUND_NAMES_IMPL_H

#include "core/ground/memory_impl.h"

/* gb_names_find stores the index of `name`, and returns false if there is no such name. */
typedef struct gb_names {
    struct gb_name_entry {
        const char *name;
        uint32_t index;
    } * at;
    size_t count, capacity; /* capacity: a power of two */
} gb_names;
bool gb_names_find(const gb_names *names, const char *name, uint32_t *index);

/* Adds a name; keeps the pointer `name`. Returns false if memory runs out. */
bool gb_names_add(const gb_memory *memory, gb_names *names, const char *name, uint32_t index);
void gb_names_clear(gb_names *names);

#endif
