/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the manual pages of the command, and the files by which bash and zsh complete its words, from the
 * tables of its commands: grebe_pages FOLDER writes FOLDER/man/grebe.1, one page for each command,
 * FOLDER/grebe.bash and FOLDER/grebe.zsh. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/all.h"
#include "cli/commands/help.h"
#include "cli/kinds/list.h"
#include "core/version.h"

static FILE *open_page(const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *const file = fopen(path, "w");
    if (!file) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        exit(1);
    }
    return file;
}

static void close_page(FILE *file)
{
    if (fclose(file) != 0) {
        perror("grebe_pages");
        exit(1);
    }
}

static size_t options_of(const gb_cli_command *command)
{
    size_t count = 0;
    while (count < GB_CLI_OPTIONS && command->options[count].name)
        count++;
    return count;
}

/* ---- manual pages ---- */

/* One line, as roff has it: a dash is a minus sign, and a line begins with no control character. */
static void put_roff(FILE *file, const char *text, size_t length)
{
    if (length > 0 && (*text == '.' || *text == '\''))
        fputs("\\&", file);
    for (size_t i = 0; i < length; i++)
        switch (text[i]) {
        case '\\': fputs("\\e", file); break;
        case '-': fputs("\\-", file); break;
        case '`': fputs("\\(ga", file); break;
        case '\'': fputs("\\(aq", file); break;
        default: fputc(text[i], file);
        }
}

static void put_word(FILE *file, const char *text)
{
    put_roff(file, text, strlen(text));
}

/* Indented lines are examples, and stay as they are. */
static void put_words(FILE *file, const char *text)
{
    bool is_example = false, is_new = true;
    while (*text) {
        const size_t length = strcspn(text, "\n");
        const bool was_example = is_example;
        is_example = strncmp(text, "  ", 2) == 0;
        if (was_example && !is_example)
            fputs(".fi\n.RE\n", file);
        if (length > 0 && is_new && !is_example)
            fputs(".PP\n", file);
        if (is_example && !was_example)
            fputs(".PP\n.RS 4\n.nf\n", file);
        is_new = length == 0;
        if (length > 0) {
            put_roff(file, text + (is_example ? 2 : 0), length - (is_example ? 2 : 0));
            fputc('\n', file);
        }
        text += length + (text[length] == '\n');
    }
    if (is_example)
        fputs(".fi\n.RE\n", file);
}

static void put_head(FILE *file, const char *title, const char *name, const char *summary)
{
    fprintf(
        file,
        ".\\\" SPDX-License-Identifier: GPL-3.0-or-later\n.TH %s 1 \"\" \"grebe %s\" \"grebe\"\n.SH NAME\n",
        title, gb_version());
    put_word(file, name);
    fputs(" \\- ", file);
    put_word(file, summary);
    fputc('\n', file);
}

static void put_option(FILE *file, const char *name, const char *value, const char *words)
{
    fputs(".TP\n\\fB", file);
    put_word(file, name);
    fputs("\\fR", file);
    if (value) {
        fputs(" \\fI", file);
        put_word(file, value);
        fputs("\\fR", file);
    }
    fputc('\n', file);
    put_word(file, words);
    fputc('\n', file);
}

static void write_command_page(const char *folder, const gb_cli_command *command)
{
    char name[64], title[64];
    snprintf(name, sizeof name, "man/grebe-%s.1", command->name);
    snprintf(title, sizeof title, "GREBE\\-%s", command->name);
    for (char *at = title; *at; at++)
        *at = (char)(*at >= 'a' && *at <= 'z' ? *at - 'a' + 'A' : *at);
    FILE *const file = open_page(folder, name);
    snprintf(name, sizeof name, "grebe-%s", command->name);
    put_head(file, title, name, command->summary);
    fprintf(file, ".SH SYNOPSIS\n\\fBgrebe %s\\fR ", command->name);
    put_word(file, command->words);
    fputc('\n', file);
    if (options_of(command) > 0)
        fputs(".SH OPTIONS\n", file);
    for (size_t i = 0; i < options_of(command); i++) {
        const gb_cli_option *const option = &command->options[i];
        snprintf(name, sizeof name, "--%s", option->name);
        put_option(file, name, option->value, option->words);
    }
    if (command->help)
        fputs(".SH DESCRIPTION\n", file), put_words(file, command->help);
    fputs(".SH SEE ALSO\n.BR grebe (1)\n", file);
    close_page(file);
}

static void write_overview_page(const char *folder)
{
    size_t count;
    const gb_cli_command *const *const commands = gb_cli_commands(&count);
    FILE *const file = open_page(folder, "man/grebe.1");
    put_head(file, "GREBE", "grebe", "gradient estimators for the Bayesian evidence");
    fputs(".SH SYNOPSIS\n\\fBgrebe\\fR \\fICOMMAND\\fR [\\fIWORDS\\fR] [\\fIOPTIONS\\fR]\n.SH COMMANDS\n",
          file);
    for (size_t i = 0; i < count; i++)
        put_option(file, commands[i]->name, *commands[i]->words ? commands[i]->words : NULL,
                   commands[i]->summary);
    put_option(file, "--help", NULL, "what help prints; after a command: what it does");
    put_option(file, "--version", NULL, "its version");
    put_option(file, "--team", "mpi", "before a command: this process is one of those that mpirun started");
    fputs(".SH DESCRIPTION\n", file);
    put_words(file, gb_cli_general_words);
    fputs(".SH SEE ALSO\n", file);
    for (size_t i = 0; i < count; i++)
        fprintf(file, ".BR grebe\\-%s (1)%s\n", commands[i]->name, i + 1 < count ? "," : "");
    close_page(file);
}

/* ---- words that stand for others in the tables ---- */

typedef void word_writer(FILE *file);

static void put_rows(FILE *file, const char *name)
{
    const gb_cli_kind *const kind = gb_cli_kind_find(name, false);
    for (size_t i = 0; kind && i < gb_cli_kind_count(kind); i++)
        fprintf(file, "%s%s", i ? " " : "", gb_cli_kind_row(kind, i));
}

static void put_problems(FILE *file)
{
    put_rows(file, "problems");
}

static void put_models(FILE *file)
{
    put_rows(file, "models");
}

static void put_kinds_of(FILE *file, bool with_kit)
{
    size_t count;
    const gb_cli_kind *const *const kinds = gb_cli_kinds(&count);
    for (size_t i = 0; i < count; i++)
        if (kinds[i]->check || !with_kit)
            fprintf(file, "%s%s", i ? " " : "", kinds[i]->name);
}

static void put_kinds(FILE *file)
{
    put_kinds_of(file, false);
}

static void put_checked_kinds(FILE *file)
{
    put_kinds_of(file, true);
}

static void put_commands(FILE *file)
{
    size_t count;
    const gb_cli_command *const *const commands = gb_cli_commands(&count);
    for (size_t i = 0; i < count; i++)
        fprintf(file, "%s%s", i ? " " : "", commands[i]->name);
}

/* What the words of a command's line of help begin with, and what may stand there. */
static const struct {
    const char *words;
    word_writer *put;
} stand_for[] = {
    {"PROBLEM", put_problems}, {"MODEL", put_models},       {"KIND [NAME]", put_checked_kinds},
    {"KIND", put_kinds},       {"[COMMAND]", put_commands},
};

static word_writer *first_words(const gb_cli_command *command)
{
    for (size_t i = 0; i < sizeof stand_for / sizeof *stand_for; i++)
        if (strncmp(command->words, stand_for[i].words, strlen(stand_for[i].words)) == 0)
            return stand_for[i].put;
    return NULL;
}

static bool has_second(const gb_cli_command *command)
{
    return first_words(command) == put_checked_kinds;
}

/* ---- values of options ---- */

typedef enum form { IS_FLAG, IS_FILE, IS_CHOICE, IS_LIST, IS_OTHER } form;

/* The kind of which T is a member. */
static const char *kind_of(const gb_cli_option *option)
{
    static const char *const kinds[][2] = {{"prior", "shrinkages"},     {"posterior", "families"},
                                           {"estimator", "estimators"}, {"optimiser", "optimisers"},
                                           {"bound", "bounds"},         {"estimators", "estimators"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(option->name, kinds[i][0]) == 0)
            return kinds[i][1];
    return NULL;
}

/* "FILE.json", "f64|f32", "LIST" */
static form form_of(const gb_cli_option *option)
{
    if (!option->value)
        return IS_FLAG;
    if (strncmp(option->value, "FILE", 4) == 0)
        return IS_FILE;
    if (strcmp(option->value, "LIST") == 0 || kind_of(option))
        return IS_LIST;
    return strchr(option->value, '|') ? IS_CHOICE : IS_OTHER;
}

static void put_choices(FILE *file, const char *value)
{
    for (; *value; value++)
        fputc(*value == '|' ? ' ' : *value, file);
}

/* ---- bash ---- */

static const char bash_head[] =
    "# SPDX-License-Identifier: GPL-3.0-or-later\n"
    "# Completes the words of grebe in bash. It is made from the tables of the command.\n"
    "_grebe_words()\n"
    "{\n"
    "    mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$2\")\n"
    "}\n"
    "\n"
    "_grebe_files()\n"
    "{\n"
    "    compopt -o filenames 2>/dev/null\n"
    "    mapfile -t COMPREPLY < <(compgen -f -- \"$1\")\n"
    "}\n"
    "\n"
    "# The last one of words with commas between them.\n"
    "_grebe_list()\n"
    "{\n"
    "    local before=''\n"
    "    [[ $2 == *,* ]] && before=${2%,*},\n"
    "    compopt -o nospace 2>/dev/null\n"
    "    mapfile -t COMPREPLY < <(compgen -P \"$before\" -W \"$1\" -- \"${2##*,}\")\n"
    "}\n"
    "\n"
    "_grebe()\n"
    "{\n"
    "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "    local command=${COMP_WORDS[1]} options='' words='' place=$COMP_CWORD\n"
    "    COMPREPLY=()\n"
    "    # grebe --team mpi COMMAND\n"
    "    if [[ $command == --team ]] && ((place > 2)); then\n"
    "        command=${COMP_WORDS[3]}\n"
    "        place=$((place - 2))\n"
    "    fi\n"
    "    # --name=VALUE is three words.\n"
    "    if [[ $word == = ]]; then\n"
    "        word=\n"
    "    elif [[ $before == = ]]; then\n"
    "        before=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    fi\n"
    "    if [[ $before == --team ]]; then\n"
    "        _grebe_words mpi \"$word\"\n"
    "        return\n"
    "    fi\n"
    "    if ((place == 1)); then\n"
    "        _grebe_words \"";

static void bash_value(FILE *file, const gb_cli_command *command, const gb_cli_option *option)
{
    const form is = form_of(option);
    if (is == IS_FLAG)
        return;
    fprintf(file, "    %s:--%s) ", command->name, option->name);
    if (is == IS_FILE)
        fputs("_grebe_files \"$word\"; return ;;\n", file);
    else if (is == IS_OTHER)
        fputs("return ;;\n", file);
    else {
        fputs(is == IS_LIST ? "_grebe_list \"" : "_grebe_words \"", file);
        if (is == IS_LIST)
            put_rows(file, kind_of(option));
        else
            put_choices(file, option->value);
        fputs("\" \"$word\"; return ;;\n", file);
    }
}

/* Names of a kind, after the kind. */
static void bash_names(FILE *file, const gb_cli_command *command)
{
    size_t count;
    const gb_cli_kind *const *const kinds = gb_cli_kinds(&count);
    for (size_t i = 0; i < count; i++)
        if (kinds[i]->check) {
            fprintf(file, "    %s:%s) words=\"", command->name, kinds[i]->name);
            put_rows(file, kinds[i]->name);
            fputs("\" ;;\n", file);
        }
}

static void bash_words(FILE *file, const gb_cli_command *command)
{
    fprintf(file, "    %s)\n        options=\"", command->name);
    for (size_t i = 0; i < options_of(command); i++)
        fprintf(file, "--%s ", command->options[i].name);
    fputs("--help\"\n        words=\"", file);
    if (first_words(command))
        first_words(command)(file);
    fputs("\"\n        ;;\n", file);
}

static void write_bash(const char *folder)
{
    size_t count;
    const gb_cli_command *const *const commands = gb_cli_commands(&count);
    FILE *const file = open_page(folder, "grebe.bash");
    fputs(bash_head, file);
    put_commands(file);
    fputs(" --help --version --team\" \"$word\"\n        return\n    fi\n    case $command:$before in\n",
          file);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < options_of(commands[i]); k++)
            bash_value(file, commands[i], &commands[i]->options[k]);
    fputs("    esac\n    case $command in\n", file);
    for (size_t i = 0; i < count; i++)
        bash_words(file, commands[i]);
    fputs("    esac\n    case $command:$before in\n", file);
    for (size_t i = 0; i < count; i++)
        if (has_second(commands[i]))
            bash_names(file, commands[i]);
    fputs("    esac\n"
          "    case $word in\n"
          "    -*) _grebe_words \"$options\" \"$word\" ;;\n"
          "    */*) _grebe_files \"$word\" ;;\n"
          "    *) _grebe_words \"$words\" \"$word\" ;;\n"
          "    esac\n"
          "}\n"
          "complete -F _grebe grebe\n",
          file);
    close_page(file);
}

/* ---- zsh ---- */

static void put_zsh(FILE *file, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '\'': fputs("'\\''", file); break;
        case '[':
        case ']':
        case ':':
        case '\\': fprintf(file, "\\%c", *text); break;
        default: fputc(*text, file);
        }
}

/* "FILE.svg|png": files that end so, and folders */
static void zsh_files(FILE *file, const char *value)
{
    const char *const ending = strrchr(value, '.');
    if (ending)
        fprintf(file, "_files -g \"*.(%s)\"", ending + 1);
    else
        fputs("_files", file);
}

static void zsh_option(FILE *file, const gb_cli_option *option)
{
    const form is = form_of(option);
    fprintf(file, "        '--%s%s[", option->name, is == IS_FLAG ? "" : "=");
    put_zsh(file, option->words);
    fputc(']', file);
    if (is != IS_FLAG) {
        fputc(':', file);
        put_zsh(file, option->value);
        fputc(':', file);
    }
    if (is == IS_FILE)
        zsh_files(file, option->value);
    if (is == IS_OTHER)
        fputc(' ', file);
    if (is == IS_CHOICE) {
        fputc('(', file);
        put_choices(file, option->value);
        fputc(')', file);
    }
    if (is == IS_LIST) {
        fprintf(file, "_values -s , %s ", option->name);
        put_rows(file, kind_of(option));
    }
    fputs("' \\\n", file);
}

static void zsh_words(FILE *file, const gb_cli_command *command)
{
    if (first_words(command)) {
        fputs("        '1:word:{ _alternative \"words:word:(", file);
        first_words(command)(file);
        fputs(")\" \"files:file of plug-ins:_files -g \\\"*.so\\\"\" }' \\\n", file);
    }
    if (has_second(command))
        fputs("        '2:name:_grebe_names' \\\n", file);
    if (command->loads)
        fputs("        '*:file of plug-ins:_files -g \"*.so\"' \\\n", file);
}

static void zsh_names(FILE *file)
{
    size_t count;
    const gb_cli_kind *const *const kinds = gb_cli_kinds(&count);
    fputs("_grebe_names() {\n  case $line[1] in\n", file);
    for (size_t i = 0; i < count; i++)
        if (kinds[i]->check) {
            fprintf(file, "    %s) compadd -- ", kinds[i]->name);
            put_rows(file, kinds[i]->name);
            fputs(" ;;\n", file);
        }
    fputs("  esac\n}\n\n", file);
}

static void write_zsh(const char *folder)
{
    size_t count;
    const gb_cli_command *const *const commands = gb_cli_commands(&count);
    FILE *const file = open_page(folder, "grebe.zsh");
    fputs("#compdef grebe\n"
          "# SPDX-License-Identifier: GPL-3.0-or-later\n"
          "# Completes the words of grebe in zsh. It is made from the tables of the command.\n",
          file);
    zsh_names(file);
    fputs("_grebe() {\n"
          "  local state line\n"
          "  _arguments -C '--help[what help prints]' '--version[its version]' "
          "'--team[one of several processes]:team:(mpi)' '1:command:->command' "
          "'*::word:->words'\n"
          "  case $state in\n"
          "  command)\n"
          "    local -a commands=(\n",
          file);
    for (size_t i = 0; i < count; i++) {
        fprintf(file, "      '%s:", commands[i]->name);
        put_zsh(file, commands[i]->summary);
        fputs("'\n", file);
    }
    fputs("    )\n    _describe command commands\n    ;;\n  words)\n    case $line[1] in\n", file);
    for (size_t i = 0; i < count; i++) {
        fprintf(file, "    %s)\n      _arguments \\\n", commands[i]->name);
        for (size_t k = 0; k < options_of(commands[i]); k++)
            zsh_option(file, &commands[i]->options[k]);
        zsh_words(file, commands[i]);
        fputs("        '--help[what it does]'\n      ;;\n", file);
    }
    fputs("    esac\n    ;;\n  esac\n}\n\n_grebe \"$@\"\n", file);
    close_page(file);
}

int main(int count, char **argument)
{
    size_t commands;
    const gb_cli_command *const *const command = gb_cli_commands(&commands);
    if (count != 2) {
        fputs("usage: grebe_pages FOLDER\n", stderr);
        return 2;
    }
    write_overview_page(argument[1]);
    for (size_t i = 0; i < commands; i++)
        write_command_page(argument[1], command[i]);
    write_bash(argument[1]);
    write_zsh(argument[1]);
    return 0;
}
