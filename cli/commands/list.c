/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `grebe list`: prints what the library contains, from its own structs. */
#include <string.h>

#include "cli/kinds/list.h"
#include "cli/shell/command.h"
#include "core/ground/text_impl.h"

static bool is_in(const gb_bundle *bundle, const gb_kind *kind, const gb_plugin *type)
{
    for (size_t i = 0; i < bundle->count; i++)
        if (bundle->member[i].kind == kind && bundle->member[i].type == type)
            return true;
    return false;
}

/* Whether a row is listed: all are of a kind that was named, else those of the files. */
static bool is_listed(const gb_cli *cli, const gb_cli_kind *kind, size_t row)
{
    const gb_plugin *const type = gb_cli_kind_type(kind, row);
    bool is = cli->words > 0;
    for (size_t i = 0; i < cli->bundles && type; i++)
        is |= is_in(cli->bundle[i], kind->of, type);
    return is;
}

static size_t listed(const gb_cli *cli, const gb_cli_kind *kind, int *width)
{
    size_t rows = 0;
    *width = 0;
    for (size_t i = 0, count = gb_cli_kind_count(kind); i < count; i++) {
        const int length = is_listed(cli, kind, i) ? (int)strlen(gb_cli_kind_row(kind, i)) : 0;
        *width = length > *width ? length : *width;
        rows += is_listed(cli, kind, i);
    }
    return rows;
}

static void list_kind(const gb_cli *cli, const gb_cli_kind *kind, gb_cli_listing *listing)
{
    for (size_t i = 0, count = gb_cli_kind_count(kind); i < count; i++) {
        if (!is_listed(cli, kind, i))
            continue;
        gb_cli_row_begin(listing, gb_cli_kind_row(kind, i));
        kind->list(listing, i);
        if (kind->of)
            gb_cli_field(listing, "file", gb_kind_origin(kind->of, gb_cli_kind_type(kind, i)));
        gb_cli_row_end(listing);
    }
}

/* Each kind of which something is listed, in text under its name if there may be several. */
static void list_all(const gb_cli *cli, size_t count, const gb_cli_kind *const *kinds, FILE *file)
{
    const bool json = cli->value[0] != NULL;
    size_t before = 0;
    if (json)
        gb_json_begin(file, "grebe-list-1");
    for (size_t i = 0; i < count; i++) {
        gb_cli_listing listing = {.file = file, .json = json};
        if (listed(cli, kinds[i], &listing.width) == 0 && cli->words == 0)
            continue;
        if (json)
            fprintf(file, ", \"%s\": [", kinds[i]->name);
        else if (cli->words == 0)
            fprintf(file, "%s%s:\n", before ? "\n" : "", kinds[i]->name);
        list_kind(cli, kinds[i], &listing);
        fputs(json ? "]" : "", file);
        before++;
    }
    if (json)
        fputs("}\n", file);
}

static gb_cli_code run(const gb_cli *cli)
{
    size_t count;
    const gb_cli_kind *const *const kinds = gb_cli_kinds(&count);
    const gb_cli_kind *const kind = cli->words > 0 ? gb_cli_kind_find(cli->word[0], false) : NULL;
    if (cli->words == 0 && cli->bundles == 0)
        return gb_cli_say(GB_CLI_USAGE, "list: a word is missing: grebe list %s", cli->command->words);
    if (cli->words > 0 && !kind)
        return GB_CLI_USAGE;
    gb_cli_page page;
    if (!gb_cli_page_begin(&page, stdout))
        return GB_CLI_IO;
    list_all(cli, kind ? 1 : count, kind ? &kind : kinds, page.file);
    gb_cli_page_end(&page);
    return GB_CLI_OK;
}

const gb_cli_command gb_cli_list_command = {
    .name = "list",
    .words = "KIND|./FILE.so... [--json]",
    .summary = "print what the library contains, with formulas",
    .help = "KIND is one of" GB_CLI_CHECKED_KINDS(GB_CLI_KIND_WORD)
        GB_CLI_OTHER_KINDS(GB_CLI_KIND_WORD) ".\n"
                                             "\n"
                                             "  grebe list estimators\n"
                                             "  grebe list ./mine.so\n"
                                             "  grebe list estimators ./mine.so\n"
                                             "\n" GB_CLI_FILE_WORDS,
    .most = 1,
    .loads = true,
    .options = {{"json", NULL, "as JSON"}},
    .run = run,
};
