/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/kinds/kind.h"

#include "cli/shell/say.h"

bool gb_cli_row_find(const gb_cli_kind *kind, const char *name, size_t *place)
{
    enum { MOST = 1024 };
    const char *rows[MOST];
    size_t count = 0;
    for (; count < kind->count() && count < MOST; count++)
        rows[count] = kind->row(count);
    return gb_cli_find(kind->one, name, count, rows, place);
}
