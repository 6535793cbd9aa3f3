/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists of names, separated by commas. */
#include <string.h>

#include "data/table/table_impl.h"

gb_listed_name gb_next_listed(const char **list)
{
    if (!*list || !**list)
        return (gb_listed_name){0};
    const char *const text = *list + strspn(*list, " ");
    const char *const end = text + strcspn(text, ",");
    size_t length = (size_t)(end - text);
    while (length > 0 && text[length - 1] == ' ')
        length--;
    *list = end + (*end == ',');
    return (gb_listed_name){.text = text, .length = length};
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
