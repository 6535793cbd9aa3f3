/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Splits the arguments of a command into words and values of options. */
#include "cli/shell/command.h"

#include <string.h>

/* Finds the option whose name is the first `length` letters; prints an error and returns false if there is
 * none. */
static bool find_option(const gb_cli_command *command, const char *word, size_t length, size_t *place)
{
    const char *names[GB_CLI_OPTIONS];
    char what[64], name[64];
    size_t count = 0;
    for (; count < GB_CLI_OPTIONS && command->options[count].name; count++)
        names[count] = command->options[count].name;
    snprintf(what, sizeof what, "option of %s called", command->name);
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), word);
    return gb_cli_find(what, name, count, names, place);
}

/* `--name value` also takes the next argument: then `*rest` moves on. */
static bool read_option(gb_cli *cli, const char *word, int *rest, int count, char *const *argument)
{
    const gb_cli_command *const command = cli->command;
    const size_t length = strcspn(word, "=");
    const bool has_value = word[length] == '=';
    size_t which;
    if (!find_option(command, word, length, &which))
        return false;
    const gb_cli_option *const option = &command->options[which];
    if (cli->value[which])
        return gb_cli_reject("--%s is given twice", option->name);
    if (!option->value && has_value)
        return gb_cli_reject("--%s takes no value", option->name);
    if (option->value && !has_value && *rest == count)
        return gb_cli_reject("--%s takes a value: %s", option->name, option->value);
    const char *const value = has_value ? word + length + 1 : option->value ? argument[(*rest)++] : "";
    if (option->value && !*value)
        return gb_cli_reject("--%s is empty; it takes a value: %s", option->name, option->value);
    cli->value[which] = value;
    return true;
}

static bool read_path(gb_cli *cli, const char *path)
{
    if (cli->bundles == GB_CLI_BUNDLES)
        return gb_cli_reject("%s: more than %d files of plug-ins", cli->command->name, GB_CLI_BUNDLES);
    cli->path[cli->bundles++] = path;
    return true;
}

static bool read_word(gb_cli *cli, const char *word)
{
    if (cli->command->loads && strchr(word, '/'))
        return read_path(cli, word);
    if (cli->words == cli->command->most)
        return gb_cli_reject("%s: unexpected word \"%s\"", cli->command->name, word);
    cli->word[cli->words++] = word;
    return true;
}

bool gb_cli_read(gb_cli *cli, int count, char *const *argument)
{
    bool options = true;
    for (int i = 0; i < count;) {
        const char *const word = argument[i++];
        if (options && strcmp(word, "--") == 0) {
            options = false;
            continue;
        }
        const bool dashes = options && word[0] == '-' && word[1] != '\0';
        if (dashes && word[1] != '-')
            return gb_cli_reject("%s: options begin with two dashes; \"%s\" has one", cli->command->name,
                                 word);
        if (dashes ? !read_option(cli, word + 2, &i, count, argument) : !read_word(cli, word))
            return false;
    }
    if (cli->words < cli->command->least)
        return gb_cli_reject("%s: a word is missing: grebe %s %s", cli->command->name, cli->command->name,
                             cli->command->words);
    return true;
}
