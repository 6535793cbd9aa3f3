/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that are written completely or not at all. Each is written under a temporary name beside its own;
 * gb_cli_files_keep renames all of them. A thread waits for SIGINT, SIGTERM, SIGHUP and SIGQUIT. It removes
 * unfinished files and ends the process with 128 + the signal. So no other code has to handle signals, and
 * long work need not poll for them. */
#ifndef GREBE_CLI_SHELL_FILES_H
#define GREBE_CLI_SHELL_FILES_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>

enum { GB_CLI_FILES = 8, GB_CLI_PATH = 1024 };

typedef struct gb_cli_file {
    FILE *file;
    char path[GB_CLI_PATH]; /* "": standard output, or a file that cannot be renamed, such as a pipe */
    char temporary[GB_CLI_PATH];
    const char *asked; /* for messages */
} gb_cli_file;

typedef struct gb_cli_files {
    pthread_mutex_t lock;
    sigset_t signals; /* signals that end the process */
    size_t count;
    gb_cli_file file[GB_CLI_FILES];
} gb_cli_files;

/* Call it before any other thread is started. Returns false if the system fails. */
bool gb_cli_files_begin(gb_cli_files *files);

/* Opens a file; "-" is standard output. Prints errors and returns NULL. */
FILE *gb_cli_files_open(gb_cli_files *files, const char *path);

/* Removes the last file that was opened. */
void gb_cli_files_drop(gb_cli_files *files);

/* gb_cli_files_keep closes and renames all files, or removes them. It prints errors and returns false.
 * gb_cli_files_discard removes all. */
bool gb_cli_files_keep(gb_cli_files *files);
void gb_cli_files_discard(gb_cli_files *files);

#endif
