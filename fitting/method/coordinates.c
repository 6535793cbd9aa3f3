/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/method/coordinates_impl.h"

#include <string.h>

#include "fitting/density/dense_impl.h"

enum { CURVED = 8 /* draws over which the Hessian is averaged */ };

/* A root of what Λ⁻¹ is to be, from K with Λ = K Kᵀ: P = K⁻ᵀ. */
static void turn_by(size_t n, const double *k, double *room, double *turn)
{
    for (size_t j = 0; j < n; j++) {
        memset(room, 0, n * sizeof *room);
        room[j] = 1;
        gb_dense_solve_transposed(n, k, room);
        for (size_t i = 0; i < n; i++)
            turn[i * n + j] = room[i];
    }
}

/* P from the Hessian, averaged over some draws. Where that is not definite, it is raised by parts of the
 * precision of the centre. */
static bool turn_by_hessian(gb_search *s, gb_objective *o, double *room)
{
    const size_t n = s->n, draws = o->draws ? CURVED : 1;
    double *const precision = room, *const root = precision + n * n;
    if (!o->is_dense || s->lacks_hessian)
        return false;
    if (o->draws)
        gb_member_place(&s->family, &o->centre, draws, o->draws, o->z);
    else
        memcpy(o->z, o->centre.mean, n * sizeof *o->z);
    if (!gb_search_precision(s, draws, o->z, precision))
        return false;
    for (double raise = 0; raise<1e7; raise = raise> 0 ? 10 * raise : 0.01) {
        for (size_t i = 0; i < n; i++) {
            const double sd = gb_member_sd(&s->family, &o->centre, i);
            precision[i * (n + 1)] += (raise - raise / 10) / (sd > 0 ? sd * sd : 1);
        }
        if (gb_dense_factor(n, precision, root)) {
            turn_by(n, root, precision, o->turn);
            return true;
        }
    }
    return false;
}

/* P from L itself, which is right at the optimum of one full-rank q. */
static void turn_by_centre(const gb_search *s, gb_objective *o)
{
    const size_t n = s->n;
    memset(o->turn, 0, (o->is_dense ? n * n : n) * sizeof *o->turn);
    for (size_t k = 0; k < s->family.groups; k++) {
        const gb_group *const g = &s->family.group[k];
        for (size_t i = 0; i < g->count; i++) {
            const size_t at = g->first + i;
            const double sd = gb_member_sd(&s->family, &o->centre, at);
            o->turn[o->is_dense ? at * (n + 1) : at] = sd > 0 ? sd : 1;
            if (o->is_dense && g->form == GB_GROUP_TRIANGLE)
                memcpy(o->turn + at * n + g->first, o->centre.root + g->root + i * g->count,
                       (i + 1) * sizeof *o->turn);
        }
    }
}

bool gb_coordinates_centre(gb_search *s, gb_objective *o, bool by_hessian, double *room)
{
    gb_member_copy(&s->family, &s->best, &o->centre);
    if (!by_hessian || !turn_by_hessian(s, o, room))
        turn_by_centre(s, o);
    return gb_error(s->tape) == GB_OK;
}
