/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/commands/load.h"

#include <string.h>

#include "cli/commands/trial.h"
#include "cli/kinds/list.h"

/* Such a word was meant as a file, but would be looked up as a name. */
static bool lacks_slash(const char *word)
{
    const size_t length = strlen(word);
    return length > 3 && strcmp(word + length - 3, ".so") == 0;
}

static gb_cli_code load(const char *path, const gb_bundle **bundle)
{
    char error[1024];
    const gb_status status = gb_bundle_load(path, bundle, error, sizeof error);
    if (status != GB_OK)
        return gb_cli_say(gb_cli_code_of(status), "%s", error);
    for (size_t i = 0; i < (*bundle)->count; i++) {
        const gb_bundle_member *const m = &(*bundle)->member[i];
        const gb_plugin *const type = m->type;
        if (!gb_cli_kind_of(m->kind))
            return gb_cli_say(GB_CLI_USAGE, "%s: %s %s: the command knows no such kind", path, m->kind->name,
                              type->name);
    }
    return GB_CLI_OK;
}

gb_cli_code gb_cli_load(gb_cli *cli)
{
    gb_cli_code code = GB_CLI_OK;
    for (size_t i = 0; cli->command->loads && i < cli->words; i++)
        if (lacks_slash(cli->word[i]))
            return gb_cli_say(GB_CLI_USAGE, "%s is a name; a file of plug-ins is given with a slash: ./%s",
                              cli->word[i], cli->word[i]);
    for (size_t i = 0; i < cli->bundles && code == GB_CLI_OK; i++)
        code = gb_cli_try(load, cli->path[i], &cli->bundle[i]);
    return code;
}
