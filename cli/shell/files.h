/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that are written completely or not at all. Each is written under a temporary name beside its own;
 * gb_cli_files_keep renames all of them. A thread waits for the signals that would end the process. It
 * removes unfinished files, ends the program that this one runs, and ends the process with 128 + the signal.
 * So no other code has to handle signals, and long work need not poll for them. */
#ifndef GREBE_CLI_SHELL_FILES_H
#define GREBE_CLI_SHELL_FILES_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>

enum { GB_CLI_FILES = 8, GB_CLI_PATH = 4096 };

typedef struct gb_cli_file {
    FILE *file;
    char path[GB_CLI_PATH];      /* of the file that is replaced, with links followed */
    char temporary[GB_CLI_PATH]; /* "": a file that cannot be renamed, such as a pipe */
    char before[GB_CLI_PATH];    /* a second name of the file that is replaced; "": none */
    const char *asked;           /* for messages */
    bool replaces;               /* a file was there: `old` */
    struct stat old;
} gb_cli_file;

typedef struct gb_cli_files {
    pthread_mutex_t lock;     /* of all below */
    sigset_t signals;         /* signals that end the process */
    bool waits;               /* gb_cli_files_wait */
    volatile int interrupted; /* read without the lock */
    pid_t child; /* leads the process group of a program that is run (cli/shell/child.h); 0: none */
    size_t count;
    gb_cli_file file[GB_CLI_FILES];
} gb_cli_files;

/* Call it before any other thread is started, and before any file is opened. A standard file that is closed
 * is held open, so that no other file takes its number; using it still fails. Prints an error and returns
 * false if the system fails. */
bool gb_cli_files_begin(gb_cli_files *files);

/* While it waits, a first SIGINT does not end the process: `interrupted` is 1 from then on, and the work is
 * expected to finish what it does and to save. Any further signal ends it as usual. */
void gb_cli_files_wait(gb_cli_files *files, bool waits);

/* Opens a file; "-" is standard output. Follows links, also to a file that does not exist yet. A file that is
 * replaced passes its mode on, and its owner and group where the process may. Prints an error and returns
 * NULL if it cannot be written, also if it is write-protected. */
FILE *gb_cli_files_open(gb_cli_files *files, const char *path);

/* Returns whether two paths name one regular file. "-" is standard input for `input`, standard output for
 * `output`. */
bool gb_cli_files_same(const char *input, const char *output);

/* gb_cli_files_keep closes all files, and then renames all, or removes all. It prints errors and returns
 * false. gb_cli_files_discard removes all. */
bool gb_cli_files_keep(gb_cli_files *files);
void gb_cli_files_discard(gb_cli_files *files);

/* Writes out what is buffered. Returns the errno of what has failed, now or earlier; 0 if nothing has. */
int gb_cli_files_fault(FILE *file);

#endif
