/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/commands/all.h"

#define GB_CLI_COMMAND_LIST(do_)                                                                             \
    do_(fit) do_(predict) do_(graph) do_(compare) do_(list) do_(check) do_(doctor) do_(help)

#define GB_CLI_DECLARE(name) extern const gb_cli_command gb_cli_##name##_command;
GB_CLI_COMMAND_LIST(GB_CLI_DECLARE)

#define GB_CLI_ADDRESS(name) &gb_cli_##name##_command,
static const gb_cli_command *const commands[] = {GB_CLI_COMMAND_LIST(GB_CLI_ADDRESS)};
#define GB_CLI_NAME(name) #name,
static const char *const names[] = {GB_CLI_COMMAND_LIST(GB_CLI_NAME)};
enum { COMMANDS = sizeof commands / sizeof *commands };

const gb_cli_command *const *gb_cli_commands(size_t *count)
{
    *count = COMMANDS;
    return commands;
}

const gb_cli_command *gb_cli_command_find(const char *name)
{
    size_t place;
    return gb_cli_find("command", name, COMMANDS, names, &place) ? commands[place] : NULL;
}
