/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/shell/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "core/ground/clock_impl.h"

void gb_cli_progress_begin(gb_cli_progress *progress)
{
    *progress = (gb_cli_progress){.begin = gb_seconds(), .terminal = isatty(STDERR_FILENO), .shown = -1};
}

bool gb_cli_progress_show(void *user, double done)
{
    gb_cli_progress *const progress = user;
    const int percent = (int)(100 * done);
    if (!progress->terminal || percent == progress->shown || gb_seconds() - progress->begin < 1)
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
