/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compare/measuring/together_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/team.h"

/* What a member says of its part. */
typedef struct part {
    int64_t is_good, is_stopped, parameters;
    char words[256];
} part;

bool gb_compare_is_mine(const gb_compare_work *c, int64_t block)
{
    const gb_team *const team = c->with.team;
    return !team || block % team->members == team->rank;
}

static bool hear(gb_compare_work *c, const void *mine, void *all, size_t bytes)
{
    gb_team *const team = c->with.team;
    if (team->gather(team, mine, all, bytes))
        return true;
    c->stopped = true;
    return gb_compare_fail(c, GB_ESYSTEM, "compare: member %d of the team's %d cannot reach the others: %s",
                           team->rank, team->members, team->why);
}

/* Where one of them was stopped, all stop. */
static bool all_are_good(gb_compare_work *c, part *mine, part *all)
{
    bool good = true;
    snprintf(mine->words, sizeof mine->words, "%s", c->it.error[0] ? c->it.error : "it has no results");
    mine->is_stopped = c->stopped;
    mine->parameters = (int64_t)c->it.parameters;
    if (!hear(c, mine, all, sizeof *mine))
        return false;
    for (int i = 0; i < c->with.team->members; i++) {
        all[i].words[sizeof all[i].words - 1] = '\0';
        c->stopped |= all[i].is_stopped;
        if (all[i].is_good && all[i].parameters == mine->parameters)
            continue;
        if (mine->is_good && good)
            gb_compare_fail(c, GB_ESYSTEM, "compare: member %d of the team: %s", i,
                            all[i].is_good ? "it compares something else" : all[i].words);
        good = false;
    }
    return good;
}

bool gb_compare_meet(gb_compare_work *c, bool good)
{
    const gb_team *const team = c->with.team;
    part mine = {.is_good = good}, *const all = team ? malloc((size_t)team->members * sizeof *all) : NULL;
    if (team)
        good = all ? all_are_good(c, &mine, all) && good : gb_compare_fail(c, GB_ENOMEM, "out of memory");
    free(all);
    return good;
}

static void join(const gb_compare_work *c, gb_compare_tally *tally, const gb_moments *all)
{
    const size_t each = c->it.parameters + 1;
    for (size_t j = 0; j < each; j++) {
        gb_moments sum = {0};
        for (int i = 0; i < c->with.team->members; i++)
            gb_moments_join(&sum, &all[(size_t)i * each + j]);
        *(j < c->it.parameters ? &tally->element[j] : &tally->total) = sum;
    }
}

void gb_compare_join(gb_compare_work *c, gb_compare_tally *tally, bool good)
{
    const gb_team *const team = c->with.team;
    if (!team)
        return;
    const size_t members = (size_t)team->members, each = c->it.parameters + 1;
    gb_moments *const moments = malloc((members + 1) * each * sizeof *moments);
    if (gb_compare_meet(c, good && moments)) {
        gb_moments *const own = moments + members * each;
        memcpy(own, tally->element, c->it.parameters * sizeof *own);
        own[c->it.parameters] = tally->total;
        if (hear(c, own, moments, each * sizeof *own))
            join(c, tally, moments);
    }
    free(moments);
}
