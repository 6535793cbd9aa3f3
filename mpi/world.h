/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The team of all processes, for programs that load this library at run time (`grebe --team mpi`) and do not
 * know MPI themselves. */
#ifndef GREBE_MPI_WORLD_H
#define GREBE_MPI_WORLD_H

#include "../core/team.h"

GB_BEGIN_DECLS

/* Begins MPI, unless that was done, and returns the team of all its processes (gb_mpi_team_new). To be called
 * by the main thread. */
GB_API gb_team *gb_mpi_world_begin(void);

/* Frees the team, and ends MPI. */
GB_API void gb_mpi_world_end(gb_team *team);

GB_END_DECLS
#endif
