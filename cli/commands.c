/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "cli/command.h"
#include "cli/say.h"

#define GB_CLI_COMMAND_LIST(do_) do_(compare) do_(list) do_(check) do_(doctor) do_(help)

#define GB_CLI_DECLARE(name) extern const gb_cli_command gb_cli_##name##_command;
GB_CLI_COMMAND_LIST(GB_CLI_DECLARE)

#define GB_CLI_ADDRESS(name) &gb_cli_##name##_command,
static const gb_cli_command *const commands[] = {GB_CLI_COMMAND_LIST(GB_CLI_ADDRESS)};
enum { COMMANDS = sizeof commands / sizeof *commands };

const gb_cli_command *const *gb_cli_commands(size_t *count)
{
    *count = COMMANDS;
    return commands;
}

const gb_cli_command *gb_cli_command_find(const char *name)
{
    const char *names[COMMANDS];
    for (size_t i = 0; i < COMMANDS; i++) {
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
        names[i] = commands[i]->name;
    }
    gb_cli_say_unknown("command", name, COMMANDS, names);
    return NULL;
}
