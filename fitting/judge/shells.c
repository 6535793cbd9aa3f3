/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Does p go on in all directions, where no draw reaches?
 *
 * A broad part of p may have next to no density at q's mean, and yet most of the weight: in 9 numbers, a
 * normal four times as wide has 4⁹ times the volume. So p is integrated in polar coordinates: along rays
 * from q's mean through its draws, whose directions are as q's, p(r) rⁿ⁻¹ is summed over the distance r (in
 * q's sd). Beside what lies within q's reach, that gives what lies beyond. */
#include <math.h>
#include <stdlib.h>

#include "fitting/judge/judging_impl.h"

/* Places along a ray: evenly around √n, where draws of q are, then ever further apart. */
enum { RAYS = 32, EVEN = 24, FAR = 168, PLACES = EVEN + FAR, LOOKED_AT = 100 };

/* E r² may grow by so much: an sd by 1.3. The rays that weigh most are left out, since a few may mislead. */
static const double GROWN = 1.69;
enum { LEFT_OUT = 2 };

/* A broad part is a shell of relative width 0.7 / √n. */
static void find_places(size_t n, double r[PLACES])
{
    const double root = sqrt((double)n), least = fmax(0, root - 4), most = root + 4,
                 ratio = 1 + fmin(0.25, 0.5 / root);
    for (int k = 0; k < PLACES; k++)
        r[k] = k < EVEN ? least + (most - least) * (k + 1) / EVEN : r[k - 1] * ratio;
}

/* Of a ray, as logarithms: ∫ p rⁿ⁻¹ and ∫ p rⁿ⁺¹ within q's reach, and along all of it. */
typedef struct ray {
    double core, core_square, all, all_square;
} ray;

static double log_add(double a, double b)
{
    const double most = fmax(a, b);
    return most == -INFINITY ? most : most + log(exp(a - most) + exp(b - most));
}

static ray sum_along(size_t n, const double *r, const double *log_p)
{
    ray s = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
    for (int k = 0; k < PLACES; k++) {
        const double width = (r[k + 1 < PLACES ? k + 1 : k] - r[k > 0 ? k - 1 : k]) / 2,
                     w = log_p[k] + ((double)n - 1) * log(r[k]) + log(width);
        if (!(w > -INFINITY))
            continue;
        s.all = log_add(s.all, w);
        s.all_square = log_add(s.all_square, w + 2 * log(r[k]));
        if (k < EVEN)
            s.core = s.all, s.core_square = s.all_square;
    }
    return s;
}

static int heavier(const void *a, const void *b)
{
    const ray *const x = a, *const y = b;
    return x->all_square < y->all_square ? 1 : x->all_square > y->all_square ? -1 : 0;
}

static void compare(gb_own_judgement *j, ray *of, const double *r)
{
    ray sum = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
    qsort(of, RAYS, sizeof *of, heavier);
    for (int k = LEFT_OUT; k < RAYS; k++) {
        sum.core = log_add(sum.core, of[k].core);
        sum.core_square = log_add(sum.core_square, of[k].core_square);
        sum.all = log_add(sum.all, of[k].all);
        sum.all_square = log_add(sum.all_square, of[k].all_square);
    }
    const double core = exp(sum.core_square - sum.core), all = exp(sum.all_square - sum.all);
    if (all > GROWN * core)
        j->beyond = (gb_beyond){.is_around = true,
                                .share = 1 - exp(sum.core - sum.all),
                                .from = r[EVEN - 1],
                                .sd = sqrt(all / (double)j->spread)};
}

/* The distances of the first draws from q's mean, in sd: log q = height − r² / 2, where r² has the mean n. */
static bool find_distances(const gb_own_judgement *j, double log_p[LOOKED_AT], double *distance)
{
    double mean = 0;
    if (gb_density_evaluate(j->shown.density, LOOKED_AT, j->own.z, log_p, NULL, NULL) != GB_OK)
        return false;
    for (int s = 0; s < LOOKED_AT; s++)
        mean += (log_p[s] - j->own.log_ratio[s]) / LOOKED_AT;
    for (int s = 0; s < RAYS; s++)
        distance[s] = sqrt(fmax(0.1, (double)j->spread + 2 * (mean - (log_p[s] - j->own.log_ratio[s]))));
    return true;
}

/* Draws whose log q is known, of a q that is normal in its free numbers. */
static bool has_shells(const gb_own_judgement *j)
{
    for (size_t i = 0; i < j->n; i++)
        if (!j->is_point[i] && isnan(j->judged[i].move))
            return false;
    for (int s = 0; s < LOOKED_AT; s++)
        if (!isfinite(j->own.log_ratio[s]))
            return false;
    return j->spread > 1;
}

static bool follow(gb_own_judgement *j, double *z)
{
    double r[PLACES], log_p[PLACES + LOOKED_AT], distance[RAYS];
    ray of[RAYS];
    find_places(j->spread, r);
    if (!find_distances(j, log_p, distance))
        return false;
    for (size_t s = 0; s < RAYS; s++) {
        const double *const draw = j->own.z + s * j->n;
        for (size_t k = 0; k < PLACES; k++)
            for (size_t i = 0; i < j->n; i++)
                z[k * j->n + i] =
                    j->is_point[i] ? draw[i]
                                   : j->judged[i].mean + r[k] / distance[s] * (draw[i] - j->judged[i].mean);
        if (gb_density_evaluate(j->shown.density, PLACES, z, log_p, NULL, NULL) != GB_OK)
            return false;
        of[s] = sum_along(j->spread, r, log_p);
    }
    compare(j, of, r);
    return true;
}

bool gb_judge_look_at_shells(gb_own_judgement *j)
{
    if (!has_shells(j))
        return true;
    double *const z = gb_memory_resize(&j->memory, NULL, PLACES * j->n * sizeof *z);
    if (!z)
        return gb_fail(j->tape, GB_ENOMEM, "judge: out of memory for %zu numbers", j->n) == GB_OK;
    const bool good = follow(j, z);
    gb_memory_release(&j->memory, z);
    return good;
}
