/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mpi/team.h"

#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Fewer numbers in all are gathered by everyone: one message instead of two. */
enum { MOST_GATHERED = 4096, MOST_AT_ONCE = 1 << 28, MOST_BROADCAST = 1 << 22, USUAL_TIMEOUT = 600 };

typedef struct mpi_team {
    gb_team team;
    MPI_Comm communicator; /* MPI_COMM_NULL: there is none */
    double timeout;
    double *gathered; /* [MOST_GATHERED] */
    char *piece;      /* what is received: late bytes, after a time limit, must not meet freed memory */
    size_t piece_bytes;
    size_t *from; /* [members + 1]: where the pieces begin, in bytes */
    pid_t process;
    bool is_open; /* a request did not end: what it may still write to is never freed */
} mpi_team;

static mpi_team *own(gb_team *team)
{
    return team->user;
}

static bool fail(gb_team *team, const char *why)
{
    snprintf(team->why, sizeof team->why, "%s", why);
    return false;
}

static bool worked(gb_team *team, int code)
{
    char text[MPI_MAX_ERROR_STRING] = "an error without text";
    int length;
    if (code == MPI_SUCCESS)
        return true;
    MPI_Error_string(code, text, &length);
    return fail(team, text);
}

/* MPI has no time limits of its own. A request that did not end stays open, and the team is used no more. */
static bool finish(gb_team *team, int code, MPI_Request *request)
{
    const double timeout = own(team)->timeout;
    double began = 0;
    for (int ended = 0, tries = 0; worked(team, code); tries++) {
        code = MPI_Test(request, &ended, MPI_STATUS_IGNORE);
        if (ended)
            return worked(team, code);
        if (tries % 64 != 0)
            continue;
        const double now = MPI_Wtime();
        began = tries == 0 ? now : began;
        if (now - began > timeout) {
            snprintf(team->why, sizeof team->why, "a member did not answer for %g s (.timeout)", timeout);
            own(team)->is_open = true;
            return false;
        }
        sched_yield(); /* there may be more members than processors */
    }
    return false;
}

static bool may_call(gb_team *team)
{
    int finalized = 0, level = 0, is_main = 0;
    if (own(team)->communicator == MPI_COMM_NULL || own(team)->is_open)
        return false;
    if (own(team)->process != getpid())
        return fail(team, "this process was forked from the member, and is none itself");
    MPI_Finalized(&finalized);
    if (finalized)
        return fail(team, "MPI_Finalize was called before the team was freed");
    MPI_Query_thread(&level);
    MPI_Is_thread_main(&is_main);
    return is_main || level >= MPI_THREAD_SERIALIZED ||
           fail(team, "MPI was initialised for calls of the main thread only (MPI_THREAD_FUNNELED), and this "
                      "is another thread");
}

/* Makes room for what is received. */
static bool has_room(gb_team *team, size_t bytes)
{
    mpi_team *const m = own(team);
    if (bytes <= m->piece_bytes)
        return true;
    char *const more = realloc(m->piece, bytes);
    if (!more)
        return fail(team, "there is no memory for what it receives");
    m->piece = more;
    m->piece_bytes = bytes;
    return true;
}

/* ---- gather and broadcast ---- */

static bool gather(gb_team *team, const void *mine, void *all, size_t bytes)
{
    MPI_Request request;
    const size_t members = (size_t)team->members;
    if (!may_call(team))
        return false;
    if (bytes > INT_MAX)
        return fail(team, "what each member gathers is longer than 2^31 - 1 bytes");
    if (!has_room(team, bytes * (members + 1) + 1))
        return false;
    char *const sent = own(team)->piece, *const received = sent + bytes;
    memcpy(sent, mine, bytes);
    const int code = MPI_Iallgather(sent, (int)bytes, MPI_BYTE, received, (int)bytes, MPI_BYTE,
                                    own(team)->communicator, &request);
    if (!finish(team, code, &request))
        return false;
    memcpy(all, received, bytes * members);
    return true;
}

static bool broadcast_piece(gb_team *team, char *bytes, size_t count, int from)
{
    MPI_Request request;
    char *const piece = own(team)->piece;
    if (team->rank == from)
        memcpy(piece, bytes, count);
    if (!finish(team, MPI_Ibcast(piece, (int)count, MPI_BYTE, from, own(team)->communicator, &request),
                &request))
        return false;
    memcpy(bytes, piece, count);
    return true;
}

static bool broadcast(gb_team *team, void *bytes, size_t count, int from)
{
    if (!may_call(team) || !has_room(team, count < MOST_BROADCAST ? count + 1 : MOST_BROADCAST))
        return false;
    for (size_t at = 0; at < count; at += MOST_BROADCAST) {
        const size_t left = count - at, now = left < MOST_BROADCAST ? left : MOST_BROADCAST;
        if (!broadcast_piece(team, (char *)bytes + at, now, from))
            return false;
    }
    return true;
}

/* ---- sums and maxima ---- */

static void take(double *into, double x, gb_reduction by)
{
    if (by == GB_REDUCE_SUM)
        *into += x;
    else if (x > *into || isnan(x))
        *into = x;
}

/* Everyone has all numbers, and takes them together in the order of ranks. */
static bool reduce_few(gb_team *team, void *numbers, size_t count, gb_real real, gb_reduction by)
{
    const size_t width = real == GB_FLOAT ? sizeof(float) : sizeof(double);
    char *const all = (char *)own(team)->gathered;
    if (!gather(team, numbers, all, count * width))
        return false;
    for (size_t i = 0; i < count; i++) {
        double sum = 0;
        for (size_t r = 0; r < (size_t)team->members; r++) {
            const char *const at = all + (r * count + i) * width;
            const double x = real == GB_FLOAT ? (double)*(const float *)(const void *)at
                                              : *(const double *)(const void *)at;
            if (r == 0)
                sum = x;
            else
                take(&sum, x, by);
        }
        if (real == GB_FLOAT)
            ((float *)numbers)[i] = (float)sum;
        else
            ((double *)numbers)[i] = sum;
    }
    return true;
}

static void take_floats(float *into, const float *from, size_t count, gb_reduction by)
{
    for (size_t i = 0; by == GB_REDUCE_SUM && i < count; i++)
        into[i] += from[i];
    for (size_t i = 0; by == GB_REDUCE_MAX && i < count; i++)
        into[i] = from[i] > into[i] || isnan(from[i]) ? from[i] : into[i];
}

static void take_doubles(double *into, const double *from, size_t count, gb_reduction by)
{
    for (size_t i = 0; by == GB_REDUCE_SUM && i < count; i++)
        into[i] += from[i];
    for (size_t i = 0; by == GB_REDUCE_MAX && i < count; i++)
        take(&into[i], from[i], by);
}

/* Sends bytes to one member while it receives from another. */
static bool exchange(gb_team *team, const void *send, size_t bytes, int to, void *receive, size_t more,
                     int from)
{
    const MPI_Comm communicator = own(team)->communicator;
    MPI_Request request[2];
    if (!worked(team, MPI_Irecv(receive, (int)more, MPI_BYTE, from, 0, communicator, &request[0])) ||
        !worked(team, MPI_Isend(send, (int)bytes, MPI_BYTE, to, 0, communicator, &request[1])))
        return false;
    if (finish(team, MPI_SUCCESS, &request[0]))
        return finish(team, MPI_SUCCESS, &request[1]);
    if (own(team)->is_open)
        MPI_Cancel(&request[0]); /* nothing arrives in the tape's memory any more */
    return false;
}

/* Piece r of the numbers is taken together by member r, in the order r, r − 1, r − 2 …, and told to the
 * others: one piece travels at a time, so each member sends every number twice at most. */
static bool reduce_many(gb_team *team, void *numbers, size_t count, gb_real real, gb_reduction by)
{
    const size_t width = real == GB_FLOAT ? sizeof(float) : sizeof(double);
    const int members = team->members, rank = team->rank;
    char *const at = numbers;
    size_t *const from = own(team)->from;
    for (int r = 0; r <= members; r++)
        from[r] = width * (count * (size_t)r / (size_t)members);
    const size_t mine = from[rank + 1] - from[rank];
    if (!may_call(team) || !has_room(team, mine + 1))
        return false;
    for (int step = 1; step < members; step++) {
        const int to = (rank + step) % members, of = (rank - step + members) % members;
        if (!exchange(team, at + from[to], from[to + 1] - from[to], to, own(team)->piece, mine, of))
            return false;
        if (real == GB_FLOAT)
            take_floats((float *)(void *)(at + from[rank]), (const float *)(void *)own(team)->piece,
                        mine / width, by);
        else
            take_doubles((double *)(void *)(at + from[rank]), (const double *)(void *)own(team)->piece,
                         mine / width, by);
    }
    for (int step = 1; step < members; step++) {
        const int to = (rank + step) % members, of = (rank - step + members) % members;
        if (!exchange(team, at + from[rank], mine, to, at + from[of], from[of + 1] - from[of], of))
            return false;
    }
    return true;
}

static bool reduce(gb_team *team, void *numbers, size_t count, gb_real real, gb_reduction by)
{
    const size_t width = real == GB_FLOAT ? sizeof(float) : sizeof(double);
    if (count * (size_t)team->members <= MOST_GATHERED)
        return reduce_few(team, numbers, count, real, by);
    for (size_t at = 0; at < count; at += MOST_AT_ONCE / width) {
        const size_t left = count - at, now = left < MOST_AT_ONCE / width ? left : MOST_AT_ONCE / width;
        if (!reduce_many(team, (char *)numbers + at * width, now, real, by))
            return false;
    }
    return true;
}

/* ---- life ---- */

static gb_team functions(void)
{
    return (gb_team){
        .size = sizeof(gb_team), .members = 1, .reduce = reduce, .gather = gather, .broadcast = broadcast};
}

static bool never_reduces(gb_team *team, void *numbers, size_t count, gb_real real, gb_reduction by)
{
    (void)team, (void)numbers, (void)count, (void)real, (void)by;
    return false;
}

static bool never_gathers(gb_team *team, const void *mine, void *all, size_t bytes)
{
    (void)team, (void)mine, (void)all, (void)bytes;
    return false;
}

static bool never_broadcasts(gb_team *team, void *bytes, size_t count, int from)
{
    (void)team, (void)bytes, (void)count, (void)from;
    return false;
}

/* What is returned without memory. Nobody writes to it. */
static gb_team nobody = {.size = sizeof(gb_team),
                         .members = 1,
                         .reduce = never_reduces,
                         .gather = never_gathers,
                         .broadcast = never_broadcasts,
                         .why = "there was no memory for the team"};

static bool join(mpi_team *m, MPI_Comm communicator)
{
    gb_team *const team = &m->team;
    int initialized = 0;
    MPI_Initialized(&initialized);
    if (!initialized)
        return fail(team, "MPI is not initialised: call MPI_Init_thread first");
    if (communicator == MPI_COMM_NULL)
        return fail(team, "the communicator is MPI_COMM_NULL");
    if (!worked(team, MPI_Comm_dup(communicator, &m->communicator)))
        return false;
    MPI_Comm_set_errhandler(m->communicator, MPI_ERRORS_RETURN);
    MPI_Comm_rank(m->communicator, &team->rank);
    MPI_Comm_size(m->communicator, &team->members);
    m->process = getpid();
    m->from = malloc(((size_t)team->members + 1) * sizeof *m->from);
    return m->from || fail(team, "there was no memory for the team");
}

gb_team *gb_mpi_team_with(MPI_Comm communicator, const gb_mpi_team_options *given)
{
    gb_mpi_team_options options;
    mpi_team *const m = calloc(1, sizeof *m);
    double *const gathered = malloc(MOST_GATHERED * sizeof *gathered);
    if (!m || !gathered) {
        free(m);
        free(gathered);
        return &nobody;
    }
    m->team = functions();
    m->team.user = m;
    m->communicator = MPI_COMM_NULL;
    m->gathered = gathered;
    const bool is_read = gb_options_copy(&options, sizeof options, given);
    m->timeout = options.timeout == 0 ? USUAL_TIMEOUT : options.timeout;
    if (!is_read)
        fail(&m->team, "the options of gb_mpi_team have no size, or one of a newer header");
    else if (!(m->timeout > 0))
        fail(&m->team, "the .timeout of gb_mpi_team is not positive");
    else if (!join(m, communicator) && m->communicator != MPI_COMM_NULL)
        MPI_Comm_free(&m->communicator);
    return &m->team;
}

void gb_mpi_team_free(gb_team *team)
{
    int finalized = 1;
    if (!team || team == &nobody)
        return;
    mpi_team *const m = own(team);
    if (m->is_open || (m->communicator != MPI_COMM_NULL && m->process != getpid()))
        return;
    if (m->communicator != MPI_COMM_NULL) {
        MPI_Finalized(&finalized);
        if (!finalized)
            MPI_Comm_free(&m->communicator);
    }
    free(m->gathered);
    free(m->piece);
    free(m->from);
    free(m);
}
