/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mpi/world.h"

#include "mpi/team.h"

gb_team *gb_mpi_world_begin(void)
{
    int is_begun = 0, level;
    MPI_Initialized(&is_begun);
    if (!is_begun)
        MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level);
    return gb_mpi_team_new(MPI_COMM_WORLD);
}

void gb_mpi_world_end(gb_team *team)
{
    int is_begun = 0, is_ended = 0;
    gb_mpi_team_free(team);
    MPI_Initialized(&is_begun);
    MPI_Finalized(&is_ended);
    if (is_begun && !is_ended)
        MPI_Finalize();
}
