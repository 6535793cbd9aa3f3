/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `grebe --team mpi COMMAND`: one process among several that mpirun started. libgrebe-mpi is loaded then, and
 * only then. */
#ifndef GREBE_CLI_SHELL_TEAM_H
#define GREBE_CLI_SHELL_TEAM_H

#include "cli/shell/say.h"
#include "core/team.h"

typedef struct gb_cli_team {
    gb_team *team; /* NULL: there is none */
    void *library;
    void (*end)(gb_team *team);
} gb_cli_team;

/* Takes `--team KIND` or `--team=KIND` from the front of the arguments, if it is there, and begins the team.
 * All members but the first say nothing from then on. Prints errors. gb_cli_team_end must follow. */
gb_cli_code gb_cli_team_begin(gb_cli_team *team, int *count, char *const **argument);
void gb_cli_team_end(gb_cli_team *team);

#endif
