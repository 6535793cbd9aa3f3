/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/shell/team.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#ifndef GB_MPI_LIBRARY
#define GB_MPI_LIBRARY "libgrebe-mpi.so"
#endif

/* The value of --team, and how many arguments it takes; NULL: it is not there, or has none. */
static const char *kind_of(int count, char *const *argument, int *takes)
{
    static const char option[] = "--team";
    const size_t length = sizeof option - 1;
    *takes = 0;
    if (count == 0 || strncmp(argument[0], option, length) != 0)
        return NULL;
    *takes = argument[0][length] == '=' ? 1 : argument[0][length] ? 0 : 2;
    return *takes == 1 ? argument[0] + length + 1 : *takes == 2 && count > 1 ? argument[1] : NULL;
}

/* MPI finds parts of itself by the names that it made known to all. */
static bool load(gb_cli_team *t)
{
    gb_team *(*begin)(void) = NULL;
    t->library = dlopen(GB_MPI_LIBRARY, RTLD_NOW | RTLD_GLOBAL);
    if (!t->library)
        return gb_cli_reject("--team mpi: %s (is libgrebe-mpi installed?)", dlerror());
    *(void **)&begin = dlsym(t->library, "gb_mpi_world_begin");
    *(void **)&t->end = dlsym(t->library, "gb_mpi_world_end");
    if (!begin || !t->end)
        return gb_cli_reject("--team mpi: %s is not of this version", GB_MPI_LIBRARY);
    t->team = begin();
    return true;
}

static bool be_silent(void)
{
    return freopen("/dev/null", "w", stdout) && freopen("/dev/null", "w", stderr);
}

gb_cli_code gb_cli_team_begin(gb_cli_team *t, int *count, char *const **argument)
{
    int takes;
    const char *const kind = kind_of(*count, *argument, &takes);
    *t = (gb_cli_team){0};
    if (takes == 0)
        return GB_CLI_OK;
    if (!kind || strcmp(kind, "mpi") != 0)
        return gb_cli_say(GB_CLI_USAGE, "--team takes a kind of team, and there is one: mpi");
    if (!load(t) || (t->team->rank > 0 && !be_silent()))
        return GB_CLI_IO;
    *count -= takes;
    *argument += takes;
    return GB_CLI_OK;
}

void gb_cli_team_end(gb_cli_team *t)
{
    if (t->team)
        t->end(t->team);
}
