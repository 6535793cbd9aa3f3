/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "fitting/density/dense_impl.h"
#include "fitting/method/ascent_impl.h"
#include "fitting/method/coordinates_impl.h"
#include "fitting/method/draws_impl.h"

enum {
    PAIRS = 15,
    ROUND = 60, /* steps until coordinates are chosen anew */
    MOST_ROUNDS = 60,
    MOST_IDLE = 3 /* rounds without a gain */
};

/* Further than that no posterior is meant to be: so many times the scale that Pathfinder found; or `wide`
 * times q's own start, if it is not Pathfinder's scale either. */
static const double far = 1e8, wide = 1e6, other = 30;
static const double near = 0.3;   /* from the centre of coordinates, in standard deviations and relative */
static const double steep = 0.01; /* a slope that no converged search has, in standard deviations */
/* Gains, in nats, that are too small to go on for; where no Hessian leads, for each number. */
static const double rough = 1e-6, hidden = 1e-4;

bool gb_ascent_new(gb_ascent *f, gb_search *s)
{
    *f = (gb_ascent){.search = s};
    const size_t n = s->n;
    const bool is_dense = n <= GB_SEARCH_DENSE;
    if (!gb_objective_new(&f->objective, s->density, &s->family, is_dense, &s->arena)) {
        gb_fail(s->tape, GB_ENOMEM, "fit: out of memory for %zu numbers", n);
        return false;
    }
    const size_t unknowns = f->objective.unknowns;
    f->numbers = gb_search_numbers(s, gb_descent_numbers(unknowns, PAIRS) + 2 * unknowns + n);
    f->room = gb_search_numbers(s, is_dense ? 2 * n * n : 0);
    f->start = gb_member_new(&s->family, &s->arena);
    if (!f->numbers || !f->room || !f->start.mean)
        return gb_fail(s->tape, GB_ENOMEM, "fit: out of memory for %zu numbers", n) == GB_OK;
    f->u = f->numbers + gb_descent_numbers(unknowns, PAIRS);
    f->gradient = f->u + unknowns;
    f->width = f->gradient + unknowns;
    gb_member_copy(&s->family, &s->best, &f->start);
    for (size_t i = 0; i < n; i++) {
        const double sd = gb_member_sd(&s->family, &s->best, i);
        f->width[i] = sd > 0 ? sd : 1 + fabs(s->best.mean[i]);
    }
    return true;
}

static bool centre(gb_ascent *f, bool by_hessian)
{
    memset(f->u, 0, f->objective.unknowns * sizeof *f->u);
    return gb_coordinates_centre(f->search, &f->objective, by_hessian, f->room);
}

bool gb_ascent_find_footing(gb_ascent *f)
{
    gb_search *const s = f->search;
    for (int tries = 0; tries < 40; tries++) {
        if (!centre(f, false) || gb_objective_evaluate(&f->objective, f->u, &f->value, f->gradient) != GB_OK)
            return false;
        if (isfinite(f->value))
            return true;
        if (!gb_search_goes_on(s, f->value))
            return false;
        for (size_t i = 0; i < s->family.roots; i++)
            s->best.root[i] /= 2;
    }
    char why[GB_SEARCH_WORDS];
    return gb_search_stop(
        s, GB_FIT_UNFINISHED,
        "not converged: log p is not finite at draws of q, however narrow q is; start elsewhere "
        "(.location), or declare the support: %s",
        gb_search_reason(s, s->best.mean, why));
}

/* Does a mean or a scale run off? Names it. */
static bool runs_off(gb_ascent *f)
{
    gb_search *const s = f->search;
    f->runaway = NULL;
    for (size_t i = 0; i < s->n && !f->runaway; i++) {
        const double sd = gb_member_sd(&s->family, &s->best, i), grown = sd / f->width[i],
                     moved = fabs(s->best.mean[i] - f->start.mean[i]);
        if (grown > far || (grown > other && sd > wide * s->own[i]))
            f->runaway = "scale grows";
        else if (sd > 0 && grown < 1 / (far * far))
            f->runaway = "scale falls to 0";
        else if (moved > far * f->width[i])
            f->runaway = "mean runs off";
        if (f->runaway)
            gb_density_free_name(s->density, i, f->runaway_name);
    }
    return f->runaway != NULL;
}

/* One descent, from the best member. In the coordinates of the one before it has that one's pairs. */
static bool descend(gb_ascent *f, double enough)
{
    gb_search *const s = f->search;
    gb_objective *const o = &f->objective;
    gb_descent *const d = &f->descent;
    if (f->stands)
        gb_descent_again(d);
    else
        gb_descent_begin(d, o->unknowns, PAIRS, f->numbers, f->u);
    d->longest = 2;
    d->enough = enough;
    d->noise = s->noise;
    while (gb_descent_asks(d) && d->steps <= ROUND) {
        double value;
        const int64_t before = o->gradients;
        if (gb_objective_evaluate(o, d->trial, &value, f->gradient) != GB_OK)
            return false;
        s->gradients += o->gradients - before;
        for (size_t i = 0; i < o->unknowns; i++)
            f->gradient[i] = -f->gradient[i];
        if (gb_descent_take(d, -value, f->gradient)) {
            gb_objective_member(o, d->x, &s->best);
            f->value = -d->value;
            if (runs_off(f))
                break;
        }
        if (!gb_search_goes_on(s, f->value))
            break;
    }
    return gb_error(s->tape) == GB_OK && s->end == GB_FIT_CONVERGED;
}

bool gb_ascent_settle(gb_ascent *f, double least)
{
    gb_search *const s = f->search;
    const double by = f->objective.is_dense ? 1 : (double)s->n, enough = by * least;
    const gb_family_of_normals *const q = &s->family;
    const bool by_hessian = q->groups > 1 || q->group[0].form != GB_GROUP_TRIANGLE;
    int idle = 0;
    for (int round = 0; round < MOST_ROUNDS && idle < MOST_IDLE; round++) {
        const double before = round ? f->value : -INFINITY;
        const bool stood = f->stands;
        if (!(stood || centre(f, by_hessian)) || !descend(f, enough))
            return false;
        f->stands = false;
        if (stood && f->descent.phase == GB_DESCENT_LOST) { /* other draws reach further */
            if (!gb_ascent_find_footing(f))
                return false;
            continue;
        }
        if (f->runaway)
            return true;
        const double moved = gb_dense_largest(f->objective.unknowns, f->descent.x),
                     flat = s->noise > 1e-9 ? 10 * steep : steep;
        if (!gb_descent_asks(&f->descent) && moved < 1 &&
            gb_dense_largest(f->objective.unknowns, f->descent.gradient) < flat &&
            (f->descent.phase == GB_DESCENT_DONE || f->descent.gain < fmax(by * rough, 1e3 * s->noise))) {
            f->stands = moved < near && f->descent.steps > 0;
            return true;
        }
        /* Rounding errors of log p may hide what is left. */
        if (idle + 1 == MOST_IDLE && f->descent.gain < hidden && moved < 1)
            return true;
        idle = f->value > before + s->noise * (1 + fabs(before)) ? 0 : idle + 1;
    }
    if (!f->objective.draws)
        return gb_search_stop(
            s, GB_FIT_UNFINISHED,
            "not converged: log p still rises; it is %.6g; does it have a highest point? A scale "
            "of 0 may give points a density without end",
            f->value);
    return gb_search_stop(
        s, GB_FIT_UNFINISHED,
        "not converged: with %zu fixed draws the ELBO still rises%s; is log p smooth, and the posterior "
        "proper?",
        f->objective.count,
        idle < MOST_IDLE ? "" : ", but no step along its slope does: log p may end there");
}

bool gb_ascent_over(gb_ascent *f, size_t count)
{
    gb_search *const s = f->search;
    gb_objective *const o = &f->objective;
    o->count = count;
    gb_memory_release(&s->memory, o->draws);
    o->draws = gb_memory_resize(&s->memory, NULL, count * s->n * sizeof *o->draws);
    if (!o->draws)
        return gb_fail(s->tape, GB_ENOMEM, "fit: out of memory for %zu draws", count) == GB_OK;
    s->draws = (int64_t)count;
    /* Of many numbers, making the draws takes long. */
    return gb_search_goes_on(s, s->elbo) &&
           gb_draws_fixed(&s->family, s->tape, s->seed + count, count, o->draws) == GB_OK &&
           gb_search_goes_on(s, s->elbo) && (f->stands || gb_ascent_find_footing(f)) &&
           gb_ascent_settle(f, s->noise > 1e-9 ? 1e-3 : rough);
}

void gb_ascent_tell_runaway(const gb_ascent *f)
{
    f->search->ran_off = true;
    gb_search_stop(
        f->search, GB_FIT_UNFINISHED,
        "not converged: %s rises without end: %s's %s; the posterior is improper (what the data do not "
        "determine has a flat prior), or so far from q's start that .location and .scale are needed",
        f->search->family.scaled > 0 ? "the ELBO" : "log p", f->runaway_name, f->runaway);
}
