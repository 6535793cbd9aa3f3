/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A team whose members are threads of one process. */
#ifndef GREBE_TESTS_THREADS_TEAM_H
#define GREBE_TESTS_THREADS_TEAM_H

#include "core/team.h"

/* What can go wrong: from call number `call`, from 1, the members do not meet any more. 0: never. */
typedef struct team_fault {
    int call;
} team_fault;

/* Runs `member` in as many threads at once, each with its place in one team. */
void threads_team_run(int members, team_fault fault, void (*member)(gb_team *team, void *user), void *user);

#endif
