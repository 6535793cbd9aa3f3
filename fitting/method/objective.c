/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/method/objective_impl.h"

#include <math.h>
#include <string.h>

#include "fitting/density/dense_impl.h"

enum { AT_ONCE = 256 };
static const double root_half = 0.70710678118654752440;

static size_t unknowns_of(const gb_group *g)
{
    switch (g->form) {
    case GB_GROUP_POINT: break;
    case GB_GROUP_DIAGONAL: return g->count;
    case GB_GROUP_TRIANGLE: return g->count * (g->count + 1) / 2;
    }
    return 0;
}

bool gb_objective_new(gb_objective *o, gb_density *density, const gb_family_of_normals *family, bool is_dense,
                      gb_arena *arena)
{
    const size_t n = family->n;
    *o = (gb_objective){.density = density, .family = family, .is_dense = is_dense, .unknowns = n};
    for (size_t k = 0; k < family->groups; k++)
        o->unknowns += unknowns_of(&family->group[k]);
    o->centre = gb_member_new(family, arena);
    o->at = gb_member_new(family, arena);
    o->turn = gb_arena_take(arena, (is_dense ? n * n : n) * sizeof(double));
    o->z = gb_arena_take(arena, AT_ONCE * (2 * n + 1) * sizeof(double));
    o->slope = gb_arena_take(arena, (n + family->roots) * sizeof(double));
    if (!o->centre.mean || !o->at.mean || !o->turn || !o->z || !o->slope)
        return false;
    o->gradient = o->z + AT_ONCE * n;
    o->log_p = o->gradient + AT_ONCE * n;
    return true;
}

/* ---- from u to a member ---- */

/* L = C T. */
static void triangle_at(size_t c, const double *centre, const double *t, double *root)
{
    const double *const below = t + c;
    memset(root, 0, c * c * sizeof *root);
    for (size_t i = 0; i < c; i++)
        for (size_t k = 0; k <= i; k++) {
            gb_dense_add(k, centre[i * c + k], below + k * (k - 1) / 2 * (k > 0), root + i * c);
            root[i * c + k] += centre[i * c + k] * exp(root_half * t[k]);
        }
}

void gb_objective_member(const gb_objective *o, const double *u, const gb_member *to)
{
    const gb_family_of_normals *const family = o->family;
    const size_t n = family->n;
    for (size_t i = 0; i < n; i++)
        to->mean[i] =
            o->centre.mean[i] + (o->is_dense ? gb_dense_dot(n, o->turn + i * n, u) : o->turn[i] * u[i]);
    const double *t = u + n;
    for (size_t k = 0; k < family->groups; k++) {
        const gb_group *const g = &family->group[k];
        const double *const centre = o->centre.root + g->root;
        double *const root = to->root + g->root;
        if (g->form == GB_GROUP_TRIANGLE)
            triangle_at(g->count, centre, t, root);
        for (size_t i = 0; i < g->count && g->form == GB_GROUP_DIAGONAL; i++)
            root[i] = centre[i] * exp(root_half * t[i]);
        t += unknowns_of(g);
    }
}

/* ---- values ---- */

/* Adds the slopes of some draws: of log p in the means, and in the elements of L. */
static void add_slopes(gb_objective *o, size_t count, const double *draws)
{
    const gb_family_of_normals *const family = o->family;
    const double *gradient = o->gradient;
    const double weight = 1 / (double)o->count;
    for (size_t s = 0; s < count; s++, gradient += family->n) {
        gb_dense_add(family->n, weight, gradient, o->slope);
        for (size_t k = 0; draws && k < family->groups; k++) {
            const gb_group *const g = &family->group[k];
            const double *const up = gradient + g->first, *const from = draws + s * family->n + g->first;
            double *const slope = o->slope + family->n + g->root;
            for (size_t i = 0; i < g->count && g->form == GB_GROUP_DIAGONAL; i++)
                slope[i] += weight * up[i] * from[i];
            for (size_t i = 0; i < g->count && g->form == GB_GROUP_TRIANGLE; i++)
                gb_dense_add(i + 1, weight * up[i], from, slope + i * g->count);
        }
    }
}

/* The slope in T is Cᵀ times that in L. */
static void triangle_slope(size_t c, const double *centre, const double *slope, const double *t, double *to)
{
    double *const below = to + c;
    for (size_t i = 0; i < c; i++) {
        double own = 0;
        double *const row = below + i * (i - 1) / 2 * (i > 0);
        memset(row, 0, i * sizeof *row);
        for (size_t k = i; k < c; k++) {
            gb_dense_add(i, centre[k * c + i], slope + k * c, row);
            own += centre[k * c + i] * slope[k * c + i];
        }
        to[i] = root_half * (own * exp(root_half * t[i]) + 1);
    }
}

static void turn_slopes(const gb_objective *o, const double *u, double *gradient)
{
    const gb_family_of_normals *const family = o->family;
    const size_t n = family->n;
    memset(gradient, 0, n * sizeof *gradient);
    for (size_t i = 0; i < n; i++) {
        if (o->is_dense)
            gb_dense_add(n, o->slope[i], o->turn + i * n, gradient);
        else
            gradient[i] = o->turn[i] * o->slope[i];
    }
    size_t at = n;
    for (size_t k = 0; k < family->groups; k++) {
        const gb_group *const g = &family->group[k];
        const double *const slope = o->slope + n + g->root;
        if (g->form == GB_GROUP_TRIANGLE)
            triangle_slope(g->count, o->centre.root + g->root, slope, u + at, gradient + at);
        for (size_t i = 0; i < g->count && g->form == GB_GROUP_DIAGONAL; i++)
            gradient[at + i] = root_half * (slope[i] * o->at.root[g->root + i] + 1);
        at += unknowns_of(g);
    }
}

gb_status gb_objective_evaluate(gb_objective *o, const double *u, double *value, double *gradient)
{
    const gb_family_of_normals *const family = o->family;
    const size_t n = family->n;
    double sum = 0;
    gb_objective_member(o, u, &o->at);
    memset(o->slope, 0, (n + family->roots) * sizeof *o->slope);
    for (size_t at = 0, now; at < o->count && isfinite(sum); at += now) {
        const double *const draws = o->draws ? o->draws + at * n : NULL;
        now = o->count - at < AT_ONCE ? o->count - at : AT_ONCE;
        if (draws)
            gb_member_place(family, &o->at, now, draws, o->z);
        else
            memcpy(o->z, o->at.mean, n * sizeof *o->z);
        if (gb_density_evaluate(o->density, now, o->z, o->log_p, o->gradient, NULL) != GB_OK)
            return gb_error(gb_density_tape(o->density));
        for (size_t s = 0; s < now; s++)
            sum += o->log_p[s] / (double)o->count;
        o->gradients += (int64_t)now;
        add_slopes(o, now, draws);
    }
    *value = sum + gb_member_log_volume(family, &o->at);
    if (isnan(*value))
        *value = -INFINITY;
    turn_slopes(o, u, gradient);
    return GB_OK;
}
