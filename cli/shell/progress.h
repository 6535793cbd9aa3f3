/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shows the progress of long work on standard error, if that is a terminal, from its second second on. */
#ifndef GREBE_CLI_SHELL_PROGRESS_H
#define GREBE_CLI_SHELL_PROGRESS_H

#include <stdbool.h>

typedef struct gb_cli_progress {
    double begin; /* in seconds */
    bool terminal;
    int shown; /* per cent; -1: nothing yet */
} gb_cli_progress;

void gb_cli_progress_begin(gb_cli_progress *progress);
/* The callback for gb_compare: `user` is the struct. Returns true. */
bool gb_cli_progress_show(void *user, double done);
/* Clears the line. */
void gb_cli_progress_end(gb_cli_progress *progress);

#endif
