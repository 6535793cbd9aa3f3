/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Teams of processes, by MPI: a library of its own, grebe-mpi, which links grebe.
 *
 *     MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
 *     gb_team *team = gb_mpi_team(MPI_COMM_WORLD);
 *     gb_tape *t = gb_tape_new(.seed = 1, .team = team);
 *     … the program of one process; gb_batches and gb_fit share out the rows …
 *     gb_tape_free(t);
 *     gb_mpi_team_free(team);
 *     MPI_Finalize();
 *
 * core/team.h says what a team is. MPI is called by the thread that uses the tape, and by no other. The team
 * has a communicator of its own, so the program may send what it likes. MPI's errors are errors of the tape
 * ("member 1 of the team's 4 cannot reach the others: …"); nothing ends the process. A process that a member
 * forks is no member: there the team's functions fail.
 *
 * All members have the same bits, and the same number of members gives the same bits with every MPI and every
 * network: a few numbers are sent to every member, which adds them up in the order of ranks; of many, each
 * member adds up one piece, in an order of its own, and tells it to the others. */
#ifndef GREBE_MPI_TEAM_H
#define GREBE_MPI_TEAM_H

#include <mpi.h>

#include "../core/options.h"
#include "../core/team.h"

GB_BEGIN_DECLS

typedef struct gb_mpi_team_options {
    size_t size;
    /* Seconds that a member waits for the others before it gives up; 0: 600; INFINITY: for ever. It must be
     * more than what one member may take between two runs, to read its data, say. mpirun ends all processes
     * as soon as one of them dies; this is for those that live and do not answer. After it the team is used
     * no more, and what it may still receive is never freed. */
    double timeout;
} gb_mpi_team_options;

/* Returns the team of all processes of a communicator, which all of them call together. If something is wrong
 * (MPI is not initialised, no memory), the tape that uses the team says so at its first run; NULL is
 * never returned, since a tape without a team runs alone. The caller frees the team after the tapes that use
 * it, and before MPI_Finalize; all members do so together. */
#define gb_mpi_team(...) GB_CALL_1(gb_mpi_team, __VA_ARGS__, .size = sizeof(gb_mpi_team_options))
GB_API gb_team *gb_mpi_team_with(MPI_Comm communicator, const gb_mpi_team_options *options);
GB_API void gb_mpi_team_free(gb_team *team);

GB_END_DECLS
#endif
