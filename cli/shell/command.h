/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a command of `grebe` is: a const struct in a file of its own, and a line in commands.c. Its options are a table,
 * from which parsing, messages and help are made. */
#ifndef GREBE_CLI_SHELL_COMMAND_H
#define GREBE_CLI_SHELL_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cli/shell/files.h"

/* What the process ends with. Signals give 128 + their number. */
typedef enum gb_cli_code {
    GB_CLI_OK,
    GB_CLI_FAILED,  /* a check */
    GB_CLI_USAGE,   /* words that were not understood, or do not go together */
    GB_CLI_DATA,    /* what was read makes no sense */
    GB_CLI_NUMERIC, /* a value that is not finite */
    GB_CLI_IO       /* files, memory, other services of the system */
} gb_cli_code;

typedef struct gb_cli_option {
    const char *name;  /* without the dashes; NULL: the table ends here */
    const char *value; /* what it takes, for help: "FILE"; NULL: nothing, it is there or not */
    const char *words;
} gb_cli_option;

enum { GB_CLI_OPTIONS = 24, GB_CLI_WORDS = 2 };

typedef struct gb_cli gb_cli;

typedef struct gb_cli_command {
    const char *name;
    const char *words;   /* that follow the name, for help: "PROBLEM --estimators LIST" */
    const char *summary; /* one line */
    const char *help;    /* more, with examples; NULL: the summary says it all */
    size_t least, most;  /* words that it takes besides options */
    gb_cli_option options[GB_CLI_OPTIONS];
    gb_cli_code (*run)(const gb_cli *cli);
} gb_cli_command;

/* A command that was given. */
struct gb_cli {
    const gb_cli_command *command;
    gb_cli_files *files; /* to write to */
    size_t words;
    const char *word[GB_CLI_WORDS];
    const char *value[GB_CLI_OPTIONS]; /* of the options, in the order of the table; NULL: it is not there */
};

/* All of them; `count` receives how many. */
const gb_cli_command *const *gb_cli_commands(size_t *count);
/* The one of that name; NULL: there is none, which was said. */
const gb_cli_command *gb_cli_command_find(const char *name);

/* Fills words and values from the arguments after the command's name. False: what is wrong was said. */
bool gb_cli_read(gb_cli *cli, int count, char *const *argument);

/* The pages of `grebe help` and `grebe help COMMAND`. */
void gb_cli_overview(FILE *file);
void gb_cli_manual(const gb_cli_command *command, FILE *file);

#endif
