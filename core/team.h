/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Teams. The members of a team are processes, on one machine or on several. Each has a tape of its own and
 * records the same program, but feeds only some of the rows: its *part* of the batch. What depends on a datum
 * carries the hidden axis of rows, so the engine knows every place where rows are summed up; there the
 * members add up what they have:
 *
 *     gb_tape *t = gb_tape_new(.seed = 1, .team = team);
 *     … record, compile …
 *     gb_feed(x, of_mine, 40);          this member's rows
 *     gb_run(train);                    the same new variables in all members
 *
 * A run is the one that a single process makes of all rows: of the first member's, then of the second's, and
 * so on. The number of rows (gb_axis_size, and so N / rows in an ELBO) is that of all. Draws that rows share
 * are the same everywhere, and those of a row are the ones that the single process gives it. Sums have the
 * same terms, in another order; so results differ from those of one process in their last digits. Members
 * have the same bits. A member may have no row in a batch: it feeds 0 of them.
 *
 * What all members call together, in the same order: gb_run, reading before the first run, and what calls
 * these. Programs that differ, in operations, names, shapes, axes, places or constants, are an error of the
 * first run in all members, and so are tapes with other seeds, types of reals or instruction sets; variables
 * are compared then and every 1,000 runs. An error in one member's run, such as an input that it did not
 * feed, is an error in all, and its words name the member. Like any other run, one that fails changes no
 * variable.
 *
 * gb_tape_free is the last of these calls: a member that is still in a run hears the error of the one that
 * goes, such as a NULL that it was returned, or else that it has freed its tape. A member whose gb_tape_new
 * returns NULL, since there is no memory, has left in the same way, before it returns: the others hear that
 * in their first run. (In a team of more than 1,024 they do not, and wait until their time limit.)
 *
 * Rejected, when a run is planned: what mixes rows in another way than by a sum or a maximum over them, and
 * what names them by their places (gb_select, gb_hide). gb_axis_index has the places among all rows. */
#ifndef GREBE_CORE_TEAM_H
#define GREBE_CORE_TEAM_H

#include "kernel.h"

GB_BEGIN_DECLS

typedef struct gb_team gb_team;
struct gb_tape;

/* How the members reach each other. grebe has an implementation by MPI (libgrebe-mpi); another one is a
 * struct of these functions. The caller owns it, and it must outlive the tapes that use it. Only the thread
 * that uses the tape calls the functions. Each is called by all members, in the same order and with the same
 * sizes. They return false if that is not possible any more, as when a member has died, with the reason in
 * `why`. Then they must return false from then on. */
struct gb_team {
    size_t size; /* REQUIRED: sizeof(gb_team) */
    int rank;    /* REQUIRED: this member's number, from 0 */
    int members; /* REQUIRED: how many there are, from 1 */
    void *user;  /* OPTIONAL: of the implementation */
    /* REQUIRED. Puts the sum (or the maximum) over the members of each of `count` numbers in their place:
     * doubles or floats. All members must receive the same bits. NaN and infinities pass through sums. */
    bool (*reduce)(gb_team *team, void *numbers, size_t count, gb_real real, gb_reduction by);
    /* REQUIRED. Stores the `bytes` bytes of every member in `all`, in the order of ranks. */
    bool (*gather)(gb_team *team, const void *mine, void *all, size_t bytes);
    /* REQUIRED. Copies the bytes of member `from` to the others. */
    bool (*broadcast)(gb_team *team, void *bytes, size_t count, int from);
    char why[200];
    GB_RESERVE(8);
};

/* Returns the tape's team; NULL if it has none. */
GB_API gb_team *gb_tape_team(const struct gb_tape *tape);

/* ---- besides runs ---- */

/* All members call these together. Without a team they concern this tape alone. An error of a member, such as
 * a file that it cannot write, becomes one of all here too.
 *
 * gb_tape_any returns whether `mine` is true in any member, and true after an error: a loop that one of them
 * leaves all leave. gb_tape_add_up puts the sum over the members in the place of each number, with the same
 * bits in all. gb_tape_tell copies the bytes of member 0 to the others. Both return false on error. */
GB_API bool gb_tape_any(struct gb_tape *tape, bool mine);
GB_API bool gb_tape_add_up(struct gb_tape *tape, double *numbers, size_t count);
GB_API bool gb_tape_tell(struct gb_tape *tape, void *bytes, size_t count);

/* Returns whether this tape is the only one of its team, or its member 0: who writes files, and what people
 * read. */
GB_API bool gb_tape_is_first(const struct gb_tape *tape);

/* What a tape sent since gb_tape_new: this member's part. */
typedef struct gb_team_traffic {
    int64_t messages; /* calls of the team's functions */
    int64_t bytes;    /* that this member gave them */
} gb_team_traffic;
GB_API gb_team_traffic gb_tape_traffic(const struct gb_tape *tape);

GB_END_DECLS
#endif
