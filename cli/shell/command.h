/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A command of `grebe`: a const struct in a file of its own, and a word in commands/all.c. Parsing, messages
 * and help use its table of options. */
#ifndef GREBE_CLI_SHELL_COMMAND_H
#define GREBE_CLI_SHELL_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/shell/files.h"
#include "cli/shell/say.h"
#include "core/team.h"
#include "plugins/bundle.h"

/* What a file is for whose name is the value of an option. No two that are written may be one file, and none
 * that is read is replaced. */
typedef enum gb_cli_use {
    GB_CLI_NO_FILE,
    GB_CLI_READS,
    GB_CLI_WRITES,  /* results, when the work is done (cli/results/outputs.h) */
    GB_CLI_PICTURE, /* the same, for a picture: .svg, or .png if the help of the value has it */
    GB_CLI_KEEPS    /* written by the library, and never "-" */
} gb_cli_use;

typedef struct gb_cli_option {
    const char *name;  /* without the dashes; NULL ends the table */
    const char *value; /* the value, for help: "FILE"; NULL: a flag */
    const char *words;
    gb_cli_use use;
} gb_cli_option;

enum { GB_CLI_OPTIONS = 32, GB_CLI_WORDS = 2, GB_CLI_BUNDLES = 16 };

typedef struct gb_cli gb_cli;

typedef struct gb_cli_command {
    const char *name;
    const char *words;   /* words after the name, for help: "PROBLEM --estimators LIST" */
    const char *summary; /* one line */
    const char *help;    /* more, with examples; NULL: the summary suffices */
    size_t least, most;  /* numbers of words besides options and files */
    bool loads;          /* a word with a slash is a file of plug-ins, which is loaded */
    bool shares;         /* it can share its work out among the members of a team */
    bool measures;       /* how long programs take is a result: they are not compiled while they run */
    gb_cli_option options[GB_CLI_OPTIONS];
    gb_cli_code (*run)(const gb_cli *cli);
} gb_cli_command;

/* A command as it was called. */
struct gb_cli {
    const gb_cli_command *command;
    gb_cli_files *files; /* output files */
    gb_team *team;       /* NULL: one process */
    size_t words;
    const char *word[GB_CLI_WORDS];
    size_t bundles; /* files of plug-ins */
    const char *path[GB_CLI_BUNDLES];
    const gb_bundle *bundle[GB_CLI_BUNDLES]; /* filled by gb_cli_load */
    const char *value[GB_CLI_OPTIONS];       /* of the options, in the order of the table; NULL: not given */
};

/* Fills words and values from the arguments after the command's name, and checks the files that options name.
 * Prints errors and returns false. */
bool gb_cli_read(gb_cli *cli, int count, char *const *argument);

#endif
