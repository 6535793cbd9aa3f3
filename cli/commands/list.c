/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `grebe list`: prints what the library contains, from its own structs. */
#include <string.h>

#include "cli/kinds/list.h"
#include "cli/shell/command.h"

static int widest(const gb_cli_kind *kind)
{
    size_t width = 0;
    for (size_t i = 0, count = kind->count(); i < count; i++)
        width = strlen(kind->row(i)) > width ? strlen(kind->row(i)) : width;
    return (int)width;
}

static gb_cli_code run(const gb_cli *cli)
{
    const gb_cli_kind *const kind = gb_cli_kind_find(cli->word[0], false);
    if (!kind)
        return GB_CLI_USAGE;
    gb_cli_listing listing = {.file = stdout, .json = cli->value[0] != NULL, .width = widest(kind)};
    if (listing.json)
        printf("{\"%s\": [", kind->name);
    for (size_t i = 0, count = kind->count(); i < count; i++) {
        listing.rows = i;
        gb_cli_row_begin(&listing, kind->row(i));
        kind->list(&listing, i);
        gb_cli_row_end(&listing);
    }
    if (listing.json)
        puts("]}");
    return GB_CLI_OK;
}

const gb_cli_command gb_cli_list_command = {
    .name = "list",
    .words = "KIND [--json]",
    .summary = "print what the library contains, with formulas",
    .help =
        "KIND is one of" GB_CLI_CHECKED_KINDS(GB_CLI_KIND_WORD) GB_CLI_OTHER_KINDS(GB_CLI_KIND_WORD) ".\n",
    .least = 1,
    .most = 1,
    .options = {{"json", NULL, "as JSON"}},
    .run = run,
};
