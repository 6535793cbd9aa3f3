/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which numbers of a latent depend on each other, by the second derivatives of log p. */
#include <math.h>
#include <string.h>

#include "fitting/density/density_impl.h"

/* Two draws: at one, a second derivative may be 0 by chance. A row of H is made of sums, so what cancels
 * leaves rounding errors. */
enum { LOOKS = 2, AT_ONCE = 64 };
static const double rounding = 1e-9;

/* The numbers of a latent, of a part of a block, or of a block. */
typedef struct range {
    size_t first, count;
} range;

static bool is_named(const gb_density *d, size_t part, const char *latent)
{
    const gb_placed *const of_block = d->placed[part].vector;
    return strcmp(d->part[part].name, latent) == 0 || (of_block && strcmp(of_block->slot.name, latent) == 0);
}

static range range_of(const gb_density *d, const char *latent)
{
    range r = {0};
    for (size_t i = 0; latent && i < d->parts; i++)
        if (is_named(d, i, latent)) {
            r.first = r.count > 0 ? r.first : d->part[i].first;
            r.count += d->part[i].count;
        }
    return r;
}

/* The largest distance between number i and another one of the range that row i of H couples it with. */
static size_t reach_of(const double *row, size_t i, range r)
{
    double most = 0;
    size_t far = 0;
    for (size_t k = 0; k < r.count; k++)
        most = fmax(most, fabs(row[r.first + k]));
    for (size_t k = 0; k < r.count; k++) {
        const size_t away = k > i ? k - i : i - k;
        if (fabs(row[r.first + k]) > rounding * most && away > far)
            far = away;
    }
    return far;
}

/* `room` has 3 · AT_ONCE · n numbers. */
static gb_status look(gb_density *d, const double *z, range r, double *room, int64_t *band)
{
    const size_t n = d->count;
    double *const points = room, *const direction = points + AT_ONCE * n,
                  *const row = direction + AT_ONCE * n;
    for (size_t i = 0; i < AT_ONCE; i++)
        memcpy(points + i * n, z, n * sizeof *z);
    for (size_t at = 0, now; at < r.count; at += now) {
        now = r.count - at < AT_ONCE ? r.count - at : AT_ONCE;
        memset(direction, 0, now * n * sizeof *direction);
        for (size_t i = 0; i < now; i++)
            direction[i * n + r.first + at + i] = 1;
        if (gb_density_hessian_times(d, now, points, direction, row) != GB_OK)
            return gb_error(d->tape);
        for (size_t i = 0; i < now; i++) {
            if (isnan(row[i * n]))
                return gb_fail(d->tape, GB_ENONFINITE,
                               "density_band: a second derivative of log p is not finite at a draw of q");
            const size_t far = reach_of(row + i * n, at + i, r);
            *band = (int64_t)far > *band ? (int64_t)far : *band;
        }
    }
    return GB_OK;
}

gb_status gb_density_band(gb_density *d, const char *latent, int64_t *band)
{
    if (band)
        *band = 0;
    if (!d || !band)
        return d ? gb_fail(d->tape, GB_EARGUMENT, "density_band: the place for it is NULL") : GB_EARGUMENT;
    const range r = range_of(d, latent);
    if (r.count == 0)
        return gb_fail(d->tape, GB_ENAME, "density_band: there is no latent %s with free numbers",
                       latent ? latent : "(NULL)");
    const gb_memory memory = gb_tape_memory(d->tape);
    double *const room = gb_memory_resize(&memory, NULL, (LOOKS + 3 * AT_ONCE) * d->count * sizeof *room);
    if (!room)
        return gb_fail(d->tape, GB_ENOMEM, "density_band: out of memory");
    gb_status status = gb_density_draw(d, 0, LOOKS, room, NULL);
    for (size_t i = 0; i < LOOKS && status == GB_OK; i++)
        status = look(d, room + i * d->count, r, room + LOOKS * d->count, band);
    gb_memory_release(&memory, room);
    if (status != GB_OK)
        *band = 0;
    return status;
}
