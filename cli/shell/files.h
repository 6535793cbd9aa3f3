/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that are written: whole, or not at all. Each grows under a temporary name beside its own; gb_cli_files_keep
 * gives all of them their names. SIGINT, SIGTERM, SIGHUP and SIGQUIT are waited for by a thread, which removes what is unfinished and ends
 * the process with 128 + the signal; so nothing else has to care, and long work need not be asked to stop. */
#ifndef GREBE_CLI_SHELL_FILES_H
#define GREBE_CLI_SHELL_FILES_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>

enum { GB_CLI_FILES = 8, GB_CLI_PATH = 1024 };

typedef struct gb_cli_file {
    FILE *file;
    char path[GB_CLI_PATH]; /* "": standard output, or what cannot be renamed, a pipe say */
    char temporary[GB_CLI_PATH];
    const char *asked; /* for messages */
} gb_cli_file;

typedef struct gb_cli_files {
    pthread_mutex_t lock;
    sigset_t signals; /* that end the process */
    size_t count;
    gb_cli_file file[GB_CLI_FILES];
} gb_cli_files;

/* Before any other thread is started. False where the system refuses. */
bool gb_cli_files_begin(gb_cli_files *files);

/* "-" is standard output. NULL: why was said. */
FILE *gb_cli_files_open(gb_cli_files *files, const char *path);

/* Removes the last file that was opened. */
void gb_cli_files_drop(gb_cli_files *files);

/* Closes all, and gives them their names; or removes them. False: what went wrong was said. */
bool gb_cli_files_keep(gb_cli_files *files);
void gb_cli_files_discard(gb_cli_files *files);

#endif
