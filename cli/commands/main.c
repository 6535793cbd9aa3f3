/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command `grebe`: finds the command of the first word and runs it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/all.h"
#include "cli/commands/help.h"
#include "cli/commands/load.h"
#include "cli/shell/team.h"
#include "core/version.h"

static bool is_any(const char *word, const char *a, const char *b)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0;
}

/* --help anywhere before a lone "--" asks for help, whatever else is given. */
static bool asks_for_help(int count, char *const *argument)
{
    for (int i = 0; i < count && strcmp(argument[i], "--") != 0; i++)
        if (is_any(argument[i], "--help", "-h"))
            return true;
    return false;
}

static gb_cli_code run_command(gb_cli_files *files, gb_team *team, int count, char *const *argument)
{
    enum { KEEP = 0 }; /* what the user has set */
    gb_cli cli = {.command = gb_cli_command_find(argument[0]), .files = files, .team = team};
    if (!cli.command)
        return GB_CLI_USAGE;
    if (team && !cli.command->shares)
        return gb_cli_say(GB_CLI_USAGE, "%s: --team is for commands that share their work out: compare, fit",
                          cli.command->name);
    if (asks_for_help(count - 1, argument + 1)) {
        gb_cli_manual(cli.command, stdout);
        return GB_CLI_OK;
    }
    if (!gb_cli_read(&cli, count - 1, argument + 1)) {
        fprintf(stderr, "Try: grebe help %s\n", cli.command->name);
        return GB_CLI_USAGE;
    }
    if (!cli.command->measures)
        setenv("GREBE_NATIVE", "auto", KEEP);
    const gb_cli_code loaded = gb_cli_load(&cli);
    return loaded == GB_CLI_OK ? cli.command->run(&cli) : loaded;
}

static gb_cli_code run(gb_cli_files *files, gb_team *team, int count, char *const *argument)
{
    if (count == 0) {
        gb_cli_overview(stderr);
        return GB_CLI_USAGE;
    }
    if (is_any(argument[0], "--help", "-h")) {
        gb_cli_overview(stdout);
        return GB_CLI_OK;
    }
    if (strcmp(argument[0], "--version") == 0) {
        printf("grebe %s\n", gb_version());
        return GB_CLI_OK;
    }
    return run_command(files, team, count, argument);
}

int main(int count, char **argument)
{
    gb_cli_files files;
    if (!gb_cli_files_begin(&files))
        return GB_CLI_IO;
    gb_cli_team team;
    int left = count > 0 ? count - 1 : 0;
    char *const *at = argument + 1;
    gb_cli_code code = gb_cli_team_begin(&team, &left, &at);
    if (code == GB_CLI_OK)
        code = run(&files, team.team, left, at);
    gb_cli_team_end(&team);
    gb_cli_files_discard(&files);
    const int fault = gb_cli_files_fault(stdout);
    if (fault)
        code = fault == EPIPE ? GB_CLI_IO : gb_cli_say(GB_CLI_IO, "cannot write: %s", strerror(fault));
    return (int)code;
}
