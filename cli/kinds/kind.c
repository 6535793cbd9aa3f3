/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/kinds/kind.h"

#include "cli/shell/say.h"

size_t gb_cli_kind_count(const gb_cli_kind *kind)
{
    size_t count = 0;
    if (!kind->of)
        return kind->count();
    while (gb_kind_at(kind->of, count))
        count++;
    return count;
}

const char *gb_cli_kind_row(const gb_cli_kind *kind, size_t i)
{
    return kind->of ? gb_kind_at(kind->of, i)->name : kind->row(i);
}

const gb_plugin *gb_cli_kind_type(const gb_cli_kind *kind, size_t i)
{
    return kind->of ? gb_kind_at(kind->of, i) : NULL;
}

bool gb_cli_row_find(const gb_cli_kind *kind, const char *name, size_t *place)
{
    enum { MOST = 2048 };
    const char *rows[MOST];
    const size_t all = gb_cli_kind_count(kind);
    size_t count = 0;
    for (; count < all && count < MOST; count++)
        rows[count] = gb_cli_kind_row(kind, count);
    return gb_cli_find(kind->one, name, count, rows, place);
}
