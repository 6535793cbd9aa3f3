/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/table/names_impl.h"

#include <string.h>

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
    return (gb_listed_name){.text = text, .length = length, .is_half_quoted = *text == '"'};
}
