/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws of q, and wider ones, with their weights. */
#include <math.h>
#include <string.h>

#include "fitting/judge/judging_impl.h"

static bool resize(const gb_own_judgement *j, double **array, size_t count)
{
    double *const larger = gb_memory_resize(&j->memory, *array, count * sizeof **array);
    if (larger)
        *array = larger;
    return larger;
}

static bool make_room(const gb_own_judgement *j, gb_weighed *w, size_t count)
{
    if (count <= w->room)
        return true;
    if (!resize(j, &w->z, count * j->n) || !resize(j, &w->value, count * j->values) ||
        !resize(j, &w->log_ratio, count) || !resize(j, &w->log_weight, count))
        return gb_fail(j->tape, GB_ENOMEM, "judge: out of memory for %zu draws", count) == GB_OK;
    w->room = count;
    return true;
}

/* Returns the name of a latent whose draws are no numbers; NULL if all are. */
static const char *broken_part(const gb_own_judgement *j, size_t count, const double *z)
{
    size_t parts;
    const gb_density_part *const part = gb_density_parts(j->shown.density, &parts);
    for (size_t s = 0; s < count; s++)
        for (size_t k = 0; k < parts; k++)
            for (size_t i = part[k].first; i < part[k].first + part[k].count; i++)
                if (!isfinite(z[s * j->n + i]))
                    return part[k].name;
    return NULL;
}

/* Spreads draws around the centre. Points stay: they have no spread, and the volume does not count them. */
static void widen(const gb_own_judgement *j, double factor, size_t count, double *z, double *log_q)
{
    for (size_t s = 0; s < count; s++) {
        for (size_t i = 0; i < j->n; i++)
            if (!j->is_point[i])
                z[s * j->n + i] = j->centre[i] + factor * (z[s * j->n + i] - j->centre[i]);
        log_q[s] -= (double)j->spread * log(factor);
    }
}

/* Log ratios that differ by rounding only become equal: else the tail of rounding errors would be judged.
 * Those of log p, a sum of many terms, are about its last digits. */
static void forget_rounding(const gb_own_judgement *j, gb_weighed *w)
{
    const double digits = gb_tape_real(j->tape) == GB_DOUBLE ? 0x1p-34 : 0x1p-16;
    double least = INFINITY, most = -INFINITY;
    for (size_t s = 0; s < w->count; s++) {
        least = fmin(least, w->log_ratio[s]);
        most = fmax(most, w->log_ratio[s]);
    }
    if (most - least <= digits * fmax(1, j->height))
        for (size_t s = 0; s < w->count; s++)
            w->log_ratio[s] = most;
}

static bool weigh(gb_own_judgement *j, gb_weighed *w)
{
    forget_rounding(j, w);
    const gb_psis_smooth_options options = {.size = sizeof options, .memory = gb_watched_memory(&j->watched)};
    w->weights = gb_psis_smooth_with(w->count, w->log_ratio, w->log_weight, &options);
    if (w->weights.status == GB_ENOMEM)
        gb_fail(j->tape, GB_ENOMEM, "judge: %s", w->weights.words);
    return gb_error(j->tape) == GB_OK;
}

bool gb_judge_draw(gb_own_judgement *j, gb_weighed *w, size_t count)
{
    const size_t more = count - w->count;
    if (more == 0)
        return true;
    if (!make_room(j, w, count) || !resize(j, &j->log_q, more))
        return gb_error(j->tape) != GB_OK
                   ? false
                   : gb_fail(j->tape, GB_ENOMEM, "judge: out of memory for %zu draws", count) == GB_OK;
    double *const z = w->z + w->count * j->n, *const log_ratio = w->log_ratio + w->count;
    if (gb_density_draw(j->shown.density, j->step + j->batches++, more, z, j->log_q) != GB_OK)
        return false;
    j->broken = broken_part(j, more, z);
    for (size_t s = 0; s < more && !j->broken; s++)
        if (!isfinite(j->log_q[s]))
            j->broken = "q";
    if (j->broken)
        return true;
    if (w->factor != 1)
        widen(j, w->factor, more, z, j->log_q);
    double *const gradient = w->count == 0 && w->factor == 1 ? j->gradient : NULL;
    if (gb_density_evaluate(j->shown.density, more, z, log_ratio, gradient, NULL) != GB_OK ||
        gb_density_values(j->shown.density, more, z, w->value + w->count * j->values) != GB_OK)
        return false;
    for (size_t s = 0; s < more; s++) {
        j->height = fmax(j->height, isfinite(log_ratio[s]) ? fabs(log_ratio[s]) : 0);
        log_ratio[s] -= j->log_q[s];
    }
    w->count = count;
    return weigh(j, w);
}
