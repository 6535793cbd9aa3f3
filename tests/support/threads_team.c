/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support/threads_team.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 16, LONGEST = 40 /* seconds that a member waits for the others: a test must end */ };

/* Each call is: everyone shows where its bytes are, all look, all go on. */
typedef struct meeting {
    int members;
    team_fault fault;
    pthread_mutex_t lock;
    pthread_cond_t door;
    int waiting, passed; /* members at the door; how often it was opened */
    bool is_over;        /* a member did not come */
    const void *shown[MOST];
    size_t call[MOST]; /* of what, with how many bytes */
} meeting;

typedef struct place {
    gb_team team;
    meeting *at;
    int calls;
    void (*run)(gb_team *team, void *user);
    void *user;
} place;

static place *place_of(gb_team *team)
{
    return team->user;
}

/* Returns whether all came to the door. */
static bool wait_for_all(gb_team *team)
{
    meeting *const m = place_of(team)->at;
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += LONGEST;
    pthread_mutex_lock(&m->lock);
    const int before = m->passed;
    if (++m->waiting == m->members) {
        m->waiting = 0;
        m->passed++;
        pthread_cond_broadcast(&m->door);
    }
    while (m->passed == before && !m->is_over)
        if (pthread_cond_timedwait(&m->door, &m->lock, &end) != 0) {
            m->is_over = true;
            pthread_cond_broadcast(&m->door);
        }
    const bool good = m->passed != before;
    pthread_mutex_unlock(&m->lock);
    if (!good)
        strcpy(team->why, "a member did not come");
    return good;
}

/* Returns whether all came to a call. All count alike, so nobody waits for one who has left; once all have
 * come they stay until the end of the call, since each reads what the others show. */
static bool meet(gb_team *team)
{
    place *const p = place_of(team);
    if (p->at->fault.call > 0 && ++p->calls >= p->at->fault.call) {
        strcpy(team->why, "a member has left");
        return false;
    }
    return wait_for_all(team);
}

/* A network would wait for ever, or mix up bytes, where members call different functions. */
static bool show(gb_team *team, const void *bytes, char what, size_t count)
{
    meeting *const m = place_of(team)->at;
    m->shown[team->rank] = bytes;
    m->call[team->rank] = count * 256 + (size_t)what;
    if (!meet(team))
        return false;
    for (int r = 0; r < m->members; r++)
        if (m->call[r] != m->call[team->rank]) {
            strcpy(team->why, "members call different functions");
            return false;
        }
    return true;
}

static double number_of(const void *numbers, size_t i, gb_real real)
{
    return real == GB_FLOAT ? (double)((const float *)numbers)[i] : ((const double *)numbers)[i];
}

static bool reduce(gb_team *team, void *numbers, size_t count, gb_real real, gb_reduction by)
{
    const meeting *const m = place_of(team)->at;
    double *const all = malloc((count + 1) * sizeof *all);
    bool good = all && show(team, numbers, 'r', count);
    for (size_t i = 0; good && i < count; i++) {
        all[i] = number_of(m->shown[0], i, real);
        for (int r = 1; r < m->members; r++) {
            const double next = number_of(m->shown[r], i, real);
            all[i] = by == GB_REDUCE_SUM ? all[i] + next : next > all[i] ? next : all[i];
        }
    }
    good = good && wait_for_all(team);
    for (size_t i = 0; good && i < count; i++) {
        if (real == GB_FLOAT)
            ((float *)numbers)[i] = (float)all[i];
        else
            ((double *)numbers)[i] = all[i];
    }
    free(all);
    return good;
}

static bool gather(gb_team *team, const void *mine, void *all, size_t bytes)
{
    const meeting *const m = place_of(team)->at;
    if (!show(team, mine, 'g', bytes))
        return false;
    for (int r = 0; r < m->members; r++)
        memcpy((char *)all + (size_t)r * bytes, m->shown[r], bytes);
    return wait_for_all(team);
}

static bool broadcast(gb_team *team, void *bytes, size_t count, int from)
{
    const meeting *const m = place_of(team)->at;
    if (!show(team, bytes, 'b', count))
        return false;
    if (team->rank != from)
        memcpy(bytes, m->shown[from], count);
    return wait_for_all(team);
}

static void *begin(void *of)
{
    place *const p = of;
    p->run(&p->team, p->user);
    return NULL;
}

void threads_team_run(int members, team_fault fault, void (*member)(gb_team *team, void *user), void *user)
{
    meeting m = {.members = members, .fault = fault};
    place places[MOST];
    pthread_t thread[MOST];
    assert(members >= 1 && members <= MOST);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&m.door, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pthread_mutex_init(&m.lock, NULL);
    for (int i = 0; i < members; i++) {
        places[i] = (place){.team = {.size = sizeof(gb_team),
                                     .rank = i,
                                     .members = members,
                                     .reduce = reduce,
                                     .gather = gather,
                                     .broadcast = broadcast},
                            .at = &m,
                            .run = member,
                            .user = user};
        places[i].team.user = &places[i];
        const bool started = pthread_create(&thread[i], NULL, begin, &places[i]) == 0;
        assert(started);
        (void)started;
    }
    for (int i = 0; i < members; i++)
        pthread_join(thread[i], NULL);
    pthread_mutex_destroy(&m.lock);
    pthread_cond_destroy(&m.door);
}
