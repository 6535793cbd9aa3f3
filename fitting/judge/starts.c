/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Did another start end at the same place?
 *
 * exp(ELBO) is a lower bound on the mass of p near a member. Two places of the masses a and b hold the shares
 * a / (a + b) and b / (a + b) of the posterior, if there are no others. */
#include "fitting/judge/starts_impl.h"

#include <math.h>

/* The bounds of two places may be loose by different amounts. */
static const double SLACK = 3;

/* What a place moves, if it has a share of the posterior: nothing below a tenth of an sd counts. */
static const double LEAST_MOVE = 0.1;

/* So many draws of q within so many of the place's standard deviations, in each number, count it, if it is no
 * wider than q. */
enum { ENOUGH = 20 };
static const double NEAR = 3;

static bool is_covered(const gb_own_judgement *j, const gb_judge_start *start)
{
    size_t near = 0;
    if (j->own.weights.status != GB_OK || !(j->own.weights.k < j->own.weights.threshold))
        return false;
    for (size_t i = 0; i < j->n; i++)
        if (!j->is_point[i] && start->sd[i] > (1 + GB_SD_BOUND) * j->judged[i].sd)
            return false;
    for (size_t s = 0; s < j->own.count && near < ENOUGH; s++) {
        const double *const z = j->own.z + s * j->n;
        bool is_near = true;
        for (size_t i = 0; i < j->n && is_near; i++)
            is_near = j->is_point[i] || fabs(z[i] - start->mean[i]) <= NEAR * start->sd[i];
        near += is_near;
    }
    return near == ENOUGH;
}

gb_start_found gb_judge_start_look(const gb_own_judgement *j, const gb_judge_start *start)
{
    gb_start_found found = {.kind = GB_START_AGREES, .higher = start->elbo - j->shown.elbo};
    double most = 0, moved = 0;
    bool is_other = false;
    const double share = isnan(found.higher) ? 1 : 1 / (1 + exp(-found.higher - SLACK));
    for (size_t i = 0; i < j->n; i++) {
        if (start->is_unfinished || !isfinite(start->mean[i]) || !(start->sd[i] >= 0) || isinf(start->sd[i]))
            return (gb_start_found){.kind = GB_START_LOST};
        if (j->is_point[i])
            continue;
        const double off = (start->mean[i] - j->judged[i].mean) / j->judged[i].sd,
                     ratio = start->sd[i] / j->judged[i].sd, size = fabs(off) + fabs(ratio - 1);
        is_other |= fabs(off) > GB_MEAN_BOUND || fabs(ratio - 1) > GB_SD_BOUND;
        /* The shift of the mean, and of the variance by the place's own and its distance. */
        moved = fmax(moved, fmax(share * fabs(off), share * fabs(ratio * ratio - 1 + off * off) / 2));
        if (size > most) {
            most = size;
            found.number = i;
            found.mean_off = off;
            found.sd_off = ratio - 1;
        }
    }
    const double own = isnan(j->shown.elbo_error) ? 0 : j->shown.elbo_error,
                 sure = GB_MEAN_BOUND + 4 * hypot(own, start->error);
    if (found.higher > sure)
        found.kind = GB_START_HIGHER;
    else if (is_other)
        found.kind = moved <= LEAST_MOVE    ? GB_START_NEGLIGIBLE
                     : is_covered(j, start) ? GB_START_COVERED
                                            : GB_START_OTHER;
    return found;
}
