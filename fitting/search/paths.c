/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Descents of −log p from several points at once: each round evaluates one point of each, in one run. */
#include "fitting/search/paths_impl.h"

#include <math.h>
#include <string.h>

#include "core/ground/memory_impl.h"
#include "fitting/density/dense_impl.h"

enum { PAIRS = 12, MOST_STEPS = 1000, MOST_ROUNDS = 3000 };

bool gb_paths_begin(gb_paths *p, gb_search *s, size_t count, const double *starts, const double *scales)
{
    const size_t n = s->n, each = gb_descent_numbers(n, PAIRS);
    *p = (gb_paths){.search = s, .count = count};
    p->path = gb_arena_take(&s->arena, count * sizeof *p->path);
    double *const numbers = gb_search_numbers(s, count * (each + 2 * n + 1) + 2 * n),
                  *const start = numbers ? numbers + count * (each + 2 * n + 1) : NULL,
                  *const one = start ? start + n : NULL;
    if (!p->path || !numbers)
        return false;
    p->z = numbers + count * each;
    p->gradient = p->z + count * n;
    p->log_p = p->gradient + count * n;
    for (size_t k = 0; k < n; k++)
        one[k] = 1;
    for (size_t i = 0; i < count; i++) {
        gb_descent *const d = &p->path[i].descent;
        const double *const scale = p->path[i].scale = scales ? scales + i * n : one;
        for (size_t k = 0; k < n; k++)
            start[k] = starts[i * n + k] / scale[k];
        gb_descent_begin(d, n, PAIRS, numbers + i * each, start);
        d->enough = 1e-8;
        d->noise = s->noise;
    }
    return true;
}

void gb_paths_end(gb_paths *p)
{
    for (size_t i = 0; i < p->count && p->path; i++)
        gb_memory_release(&p->search->memory, p->path[i].places.at);
}

static bool keep(gb_paths *p, gb_path *path)
{
    const size_t n = p->search->n;
    if (!GB_LIST_GROW(&p->search->memory, &path->places, 2 * n))
        return gb_fail(p->search->tape, GB_ENOMEM, "fit: out of memory for a path") == GB_OK;
    double *const to = path->places.at + path->places.count;
    for (size_t i = 0; i < n; i++) {
        to[i] = path->descent.x[i] * path->scale[i];
        to[n + i] = path->descent.gradient[i] / path->scale[i];
    }
    path->places.count += 2 * n;
    return true;
}

static bool goes_on(const gb_path *path)
{
    return gb_descent_asks(&path->descent) && path->descent.steps < MOST_STEPS;
}

static bool take(gb_paths *p, gb_path *path, double log_p, double *gradient)
{
    const size_t n = p->search->n;
    for (size_t i = 0; i < n; i++)
        gradient[i] *= -path->scale[i];
    return !gb_descent_take(&path->descent, -log_p, gradient) || keep(p, path);
}

static void put_trial(size_t n, const gb_path *path, double *z)
{
    for (size_t i = 0; i < n; i++)
        z[i] = path->descent.trial[i] * path->scale[i];
}

const double *gb_path_last(const gb_paths *p, size_t path)
{
    const size_t n = p->search->n, count = p->path[path].places.count;
    return count ? p->path[path].places.at + count - 2 * n : NULL;
}

bool gb_paths_follow(gb_paths *p)
{
    gb_search *const s = p->search;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        size_t points = 0;
        double best = -INFINITY;
        for (size_t i = 0; i < p->count; i++)
            if (goes_on(&p->path[i]))
                put_trial(s->n, &p->path[i], p->z + s->n * points++);
        if (points == 0)
            return true;
        for (size_t i = points; i < p->count; i++) /* one number of points, so one plan */
            memcpy(p->z + s->n * i, p->z, s->n * sizeof *p->z);
        if (!gb_search_evaluate(s, p->count, p->z, p->log_p, p->gradient))
            return false;
        for (size_t i = 0, at = 0; i < p->count; i++) {
            if (goes_on(&p->path[i])) {
                if (!take(p, &p->path[i], p->log_p[at], p->gradient + s->n * at))
                    return false;
                at++;
            }
            if (p->path[i].descent.steps > 0 && -p->path[i].descent.value > best)
                best = -p->path[i].descent.value;
        }
        if (!gb_search_goes_on(s, best))
            return false;
    }
    return true;
}
