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

/* ---- files ---- */

static bool ends_with(const char *text, const char *ending)
{
    const size_t length = strlen(text), end = strlen(ending);
    return length > end && strcmp(text + length - end, ending) == 0;
}

static bool form_fits(const gb_cli_option *o, const char *path)
{
    const bool is_picture = o->use == GB_CLI_PICTURE, has_png = is_picture && strstr(o->value, "png");
    if (o->use == GB_CLI_KEEPS && strcmp(path, "-") == 0)
        return gb_cli_reject("--%s takes a file, and - is none", o->name);
    return !is_picture || ends_with(path, ".svg") || (has_png && ends_with(path, ".png")) ||
           gb_cli_reject("--%s is \"%s\", and must end in .svg%s", o->name, path, has_png ? " or .png" : "");
}

/* Whether two options may name what they do, `i` a file that is written. Standard output counts as one. */
static bool is_apart(const gb_cli *cli, size_t i, size_t k)
{
    const gb_cli_option *const o = cli->command->options;
    const char *const path = cli->value[i], *const other = cli->value[k];
    if (!other || o[k].use == GB_CLI_NO_FILE || k == i)
        return true;
    if (o[k].use == GB_CLI_READS)
        return !gb_cli_files_same(other, path) ||
               gb_cli_reject("--%s would replace %s, which --%s reads", o[i].name, path, o[k].name);
    return k > i || strcmp(path, other) != 0 ||
           gb_cli_reject("--%s and --%s both write to %s; each needs a file of its own", o[k].name, o[i].name,
                         path);
}

static bool files_fit(const gb_cli *cli)
{
    const gb_cli_option *const option = cli->command->options;
    for (size_t i = 0; i < GB_CLI_OPTIONS && option[i].name; i++) {
        if (!cli->value[i] || option[i].use <= GB_CLI_READS)
            continue;
        for (size_t k = 0; k < GB_CLI_OPTIONS && option[k].name; k++)
            if (!is_apart(cli, i, k))
                return false;
        for (size_t k = 0; k < cli->bundles; k++)
            if (gb_cli_files_same(cli->path[k], cli->value[i]))
                return gb_cli_reject("--%s would replace %s, which is loaded", option[i].name, cli->path[k]);
        if (!form_fits(&option[i], cli->value[i]))
            return false;
    }
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
    return files_fit(cli);
}
