/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What no good fit has. */
#include "fitting/judge/pathology_impl.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "estimators/visit.h"
#include "fitting/density/density_impl.h"
#include "models/elbo/elbo_impl.h"
#include "models/families/name_impl.h"

static const double LEAST_DIGIT = 0.05;

/* A scale so small that draws are one number, or so large that their squares overflow. */
static void look_at_scales(gb_own_judgement *j, gb_judge_reason *reason)
{
    char name[GB_DENSITY_TEXT];
    for (size_t i = 0; i < j->n; i++) {
        const gb_judged *const x = &j->judged[i];
        if (j->is_point[i])
            continue;
        if (x->sd <= 1e-13 * fabs(x->mean) || x->sd < 1e-150)
            reason(j, GB_VERDICT_NOT_CONVERGED, "the scale of %s is at 0: its sd is %.2g at %.2g",
                   gb_judge_name(j, i, name), x->sd, x->mean);
        else if (!(x->sd < 1e150))
            reason(j, GB_VERDICT_NOT_CONVERGED, "the scale of %s is at infinity: its sd is %.2g",
                   gb_judge_name(j, i, name), x->sd);
        else
            continue;
        return;
    }
}

/* Whether no gradient of the first batch depends on a part. */
static bool is_unused(const gb_own_judgement *j, const gb_density_part *part, size_t draws)
{
    for (size_t s = 0; s < draws; s++)
        for (size_t i = part->first; i < part->first + part->count; i++)
            if (j->gradient[s * j->n + i] != 0)
                return false;
    return !part->is_point && part->count > 0;
}

/* Whether all locations of a latent are what they were when it was recorded. */
static bool stands_still(gb_own_judgement *j, const gb_kept *kept)
{
    const gb_memory memory = gb_watched_memory(&j->watched);
    gb_family_start start;
    char name[GB_PART_NAME];
    const size_t count = (size_t)gb_slot_count(&kept->slot);
    if (!gb_dist_ok(kept->q) || !gb_family_starts(kept->family, &kept->slot, &start) ||
        !gb_joined_name(j->tape, kept->slot.name, ".", "location", name) ||
        !gb_tape_has_variable(j->tape, name))
        return false;
    const gb_node location = gb_variable_named(j->tape, name);
    bool still = gb_value_count(location) == count;
    double *const value = still ? gb_memory_resize(&memory, NULL, count * sizeof *value) : NULL;
    still = value && gb_read(location, value, count) == GB_OK;
    for (size_t i = 0; i < count && still; i++)
        still = value[i] == start.location;
    gb_memory_release(&memory, value);
    return still;
}

/* Where log p is 1e16, neighbours of it are 2 apart: differences between draws are roundings. */
static void look_at_digits(gb_own_judgement *j, gb_judge_reason *reason)
{
    double most = -INFINITY;
    for (size_t s = 0; s < j->own.count; s++)
        most = fmax(most, j->own.log_ratio[s]);
    const double digit = fabs(most) * (gb_tape_real(j->tape) == GB_DOUBLE ? DBL_EPSILON : FLT_EPSILON);
    if (isfinite(most) && digit > LEAST_DIGIT)
        reason(j, GB_VERDICT_NOT_TRUSTED,
               "log p is about %.2g, where its last digit is worth %.2g: weights of draws are roundings",
               most, digit);
}

void gb_judge_look_for_pathologies(gb_own_judgement *j, gb_judge_reason *reason)
{
    const gb_density *const d = j->shown.density;
    if (j->broken) {
        reason(j, GB_VERDICT_NOT_CONVERGED,
               "draws of %s are not finite: a scale is at infinity or at 0, or a location is lost",
               j->broken);
        return;
    }
    look_at_scales(j, reason);
    look_at_digits(j, reason);
    if (gb_node_ok(d->elbo->loss) && gb_elbo_is_impossible(d->elbo, j->shown.elbo, 1))
        reason(j, GB_VERDICT_NOT_CONVERGED,
               "the ELBO is %.3g, and must be below 0, since all data are discrete: a density, a draw or a "
               "support is wrong, or q has collapsed",
               j->shown.elbo);
    for (size_t i = 0; i < d->parts; i++)
        if (j->gradient && is_unused(j, &d->part[i], j->gradients))
            reason(j, GB_VERDICT_NOT_CONVERGED,
                   "log p does not depend on %s: no term has it, or all its gradients are 0",
                   d->part[i].name);
}

void gb_judge_look_for_standstill(gb_own_judgement *j, gb_judge_reason *reason)
{
    const gb_density *const d = j->shown.density;
    for (size_t i = 0; i < d->places; i++)
        if (stands_still(j, d->placed[i].kept))
            reason(j, GB_VERDICT_GOOD, "%s never moved: its location is where it started",
                   d->placed[i].kept->slot.name);
}
