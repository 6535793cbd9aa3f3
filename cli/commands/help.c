/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `grebe help`, printed from the tables of the commands. */
#include "cli/commands/help.h"

#include <string.h>

#include "cli/commands/all.h"
#include "core/version.h"

const char gb_cli_general_words[] =
    "Options are written --name VALUE or --name=VALUE; -- ends them. `grebe --team mpi fit …` under\n"
    "mpirun shares the work out among its processes (libgrebe-mpi).\n"
    "\n"
    "Exit status: 0 on success, 1 after a failed check, 2 for an unknown command, option or\n"
    "value, 3 for invalid data, 4 for values that are not finite, 5 if files or memory fail,\n"
    "130 or 143 if stopped (SIGINT, SIGTERM). Files are written completely or not at all.\n"
    "\n"
    "In the environment: GREBE_NATIVE=off keeps programs from being compiled where they run for long\n"
    "(`grebe doctor`); GREBE_NATIVE=now compiles all. NO_COLOR=1 is respected.\n";

void gb_cli_overview(FILE *file)
{
    size_t count;
    const gb_cli_command *const *const commands = gb_cli_commands(&count);
    fprintf(file, "grebe %s: gradient estimators for the Bayesian evidence\n\n", gb_version());
    for (size_t i = 0; i < count; i++)
        fprintf(file, "  grebe %-9s %s\n", commands[i]->name, commands[i]->summary);
    fprintf(file, "  grebe %-9s %s\n\n`grebe help COMMAND` describes a command.\n", "--version",
            "its version");
    fprintf(file, "\n%s", gb_cli_general_words);
}

void gb_cli_manual(const gb_cli_command *command, FILE *file)
{
    fprintf(file, "grebe %s%s%s\n\n%s.\n", command->name, *command->words ? " " : "", command->words,
            command->summary);
    if (command->options[0].name)
        fputs("\nOptions:\n", file);
    for (size_t i = 0; i < GB_CLI_OPTIONS && command->options[i].name; i++) {
        const gb_cli_option *const option = &command->options[i];
        char left[96];
        snprintf(left, sizeof left, "--%s%s%s", option->name, option->value ? " " : "",
                 option->value ? option->value : "");
        fprintf(file, "  %-28s%s%s\n", left, strlen(left) > 28 ? "\n                               " : " ",
                option->words);
    }
    if (command->help)
        fprintf(file, "\n%s", command->help);
}

static gb_cli_code run(const gb_cli *cli)
{
    if (cli->words == 0) {
        gb_cli_overview(stdout);
        return GB_CLI_OK;
    }
    const gb_cli_command *const command = gb_cli_command_find(cli->word[0]);
    if (!command)
        return GB_CLI_USAGE;
    gb_cli_manual(command, stdout);
    return GB_CLI_OK;
}

const gb_cli_command gb_cli_help_command = {
    .name = "help",
    .words = "[COMMAND]",
    .summary = "list the commands, or describe one of them",
    .help = "  grebe help fit\n",
    .most = 1,
    .run = run,
};
