/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists of names, separated by commas; in quotes if they have commas. */
#include <string.h>

#include "data/table/table_impl.h"

/* Returns the quote that ends a name in quotes; NULL if the name is not in quotes. */
static const char *closing_quote(const char *text)
{
    const char *const end = *text == '"' ? strchr(text + 1, '"') : NULL;
    const char *const after = end ? end + 1 + strspn(end + 1, " ") : NULL;
    return after && (*after == ',' || !*after) ? end : NULL;
}

gb_listed_name gb_next_listed(const char **list)
{
    if (!*list || !**list)
        return (gb_listed_name){0};
    const char *const text = *list + strspn(*list, " "), *const quote = closing_quote(text);
    const char *const end = quote ? quote : text + strcspn(text, ",");
    const char *const comma = end + strcspn(end, ",");
    size_t length = (size_t)(end - text);
    *list = comma + (*comma == ',');
    if (quote)
        return (gb_listed_name){.text = text + 1, .length = length - 1};
    while (length > 0 && text[length - 1] == ' ')
        length--;
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
