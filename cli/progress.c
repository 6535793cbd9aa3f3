/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/progress.h"

#include <stdio.h>
#include <unistd.h>

void gb_cli_progress_begin(gb_cli_progress *progress)
{
    *progress = (gb_cli_progress){.terminal = isatty(STDERR_FILENO), .shown = -1, .part = 1};
    clock_gettime(CLOCK_MONOTONIC, &progress->begin);
}

static double seconds_since(const struct timespec *begin)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - begin->tv_sec) + 1e-9 * (double)(now.tv_nsec - begin->tv_nsec);
}

bool gb_cli_progress_tell(void *context, double done)
{
    gb_cli_progress *const progress = context;
    const int percent = (int)(100 * (progress->before + progress->part * done));
    if (!progress->terminal || percent == progress->shown || seconds_since(&progress->begin) < 1)
        return true;
    progress->shown = percent;
    fprintf(stderr, "\r%3d %%", percent);
    fflush(stderr);
    return true;
}

void gb_cli_progress_end(gb_cli_progress *progress)
{
    if (progress->shown >= 0)
        fputs("\r     \r", stderr);
    progress->shown = -1;
}
