/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ELBO over fixed draws, maximised by L-BFGS in coordinates in which it is round (Giordano et al. 2024),
 * with more and more draws (Burroni et al. 2024). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fitting/density/dense_impl.h"
#include "fitting/method/coordinates_impl.h"
#include "fitting/method/draws_impl.h"
#include "fitting/method/methods_impl.h"
#include "fitting/method/objective_impl.h"
#include "fitting/search/descent_impl.h"

enum {
    LEAST_DRAWS = 64,
    PAIRS = 15,
    ROUND = 60, /* steps until coordinates are chosen anew */
    MOST_ROUNDS = 60,
    MOST_IDLE = 3, /* rounds without a gain */
    FRESH = 1024,  /* draws that check the ELBO of so many fixed ones */
    AT_LAST = 4096 /* of the last check */
};

/* Further than that no posterior is meant to be: so many times the scale that Pathfinder found; or `wide`
 * times q's own start, if it is not Pathfinder's scale either. */
static const double far = 1e8, wide = 1e6, other = 30;
static const double near = 0.3;   /* from the centre of coordinates, in standard deviations and relative */
static const double steep = 0.01; /* a slope that no converged search has, in standard deviations */
static const double same = 0.02, most_same = 0.05; /* moves, in standard deviations and relative */
/* Gains, in nats, that are too small to go on for; where no Hessian leads, for each number. */
static const double rough = 1e-6, fine = 1e-9, exact = 1e-19, hidden = 1e-4;

typedef struct fixing {
    gb_search *search;
    gb_objective objective;
    gb_descent descent;
    double *numbers, *u, *gradient; /* of the descent; unknowns */
    double *width;                  /* of each free number: by Pathfinder */
    double *room;                   /* see gb_coordinates_centre */
    gb_member start, before;
    double value; /* F at the best member */
    gb_move moved;
    bool was_near;       /* the last doubling but one moved little, too */
    bool stands;         /* the last descent ended near the centre of its coordinates, which are still good */
    const char *runaway; /* why the ELBO seems to have no bound; NULL: it does not */
    char runaway_name[GB_DENSITY_TEXT];
} fixing;

/* ---- one number of draws ---- */

static bool centre(fixing *f, bool by_hessian)
{
    memset(f->u, 0, f->objective.unknowns * sizeof *f->u);
    return gb_coordinates_centre(f->search, &f->objective, by_hessian, f->room);
}

/* Halves the scales until all draws have a density. */
static bool find_footing(fixing *f)
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
static bool runs_off(fixing *f)
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
static bool descend(fixing *f, double enough)
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

/* Descends until no gain above `least` is left, in coordinates that are chosen anew on the way. */
static bool settle(fixing *f, double least)
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
            if (!find_footing(f))
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

static bool with_draws(fixing *f, size_t count)
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
           gb_search_goes_on(s, s->elbo) && (f->stands || find_footing(f)) &&
           settle(f, s->noise > 1e-9 ? 1e-3 : rough);
}

/* ---- more and more draws ---- */

static void measure_move(fixing *f)
{
    const gb_search *const s = f->search;
    f->moved = gb_member_move(&s->family, &f->before, &s->best, f->width, f->u);
}

/* F and what is left of the entropy of a normal: (1 + log 2π) / 2 for each number. */
static double elbo_of(const fixing *f)
{
    return f->value + 1.41893853320467274178 * (double)f->search->family.scaled;
}

static bool is_settled(fixing *f, bool *settled)
{
    gb_search *const s = f->search;
    if (!gb_search_elbo(s, &s->best, 3000 + f->objective.count, FRESH, &s->elbo, &s->error))
        return false;
    /* The largest of many moves is large. That of a few may be small by chance: then it is to be so twice. */
    const double numbers = (double)s->family.scaled,
                 allowed = fmin(same * fmax(1, sqrt(numbers / 100)), most_same),
                 moved = fmax(f->moved.mean, f->moved.scale) / allowed,
                 surely = f->was_near ? 1 : fmin(1, fmax(numbers, 4) / 16);
    *settled = moved < surely && elbo_of(f) - s->elbo < 4 * s->error + 0.05;
    f->was_near = moved < 1;
    return true;
}

static void tell_runaway(const fixing *f)
{
    f->search->ran_off = true;
    gb_search_stop(
        f->search, GB_FIT_UNFINISHED,
        "not converged: %s rises without end: %s's %s; the posterior is improper (what the data do not "
        "determine has a flat prior), or so far from q's start that .location and .scale are needed",
        f->search->family.scaled > 0 ? "the ELBO" : "log p", f->runaway_name, f->runaway);
}

/* Full rank with no more draws than numbers has no bound. Few numbers that are independent in q have enough
 * draws for an exact covariance, too. */
static size_t first_count(const gb_search *s)
{
    const size_t widest = s->n <= GB_SEARCH_DENSE ? s->family.scaled : s->family.widest;
    size_t count = LEAST_DRAWS;
    while (count < 4 * widest)
        count *= 2;
    return count;
}

static bool grow(fixing *f)
{
    gb_search *const s = f->search;
    size_t count = first_count(s);
    if (s->family.widest > 0 && (int64_t)count > s->most_draws &&
        2 * s->family.widest >= (size_t)s->most_draws)
        return gb_search_stop(
            s, GB_FIT_UNFINISHED,
            "not converged: full rank of %zu numbers needs %zu fixed draws, and .draws allows "
            "%lld",
            s->family.widest, count, (long long)s->most_draws);
    bool settled = false, has_before = false, is_compared = false, again = false;
    for (; !settled; count *= 2) {
        if ((int64_t)count > s->most_draws && !is_compared)
            return gb_search_stop(
                s, GB_FIT_UNFINISHED,
                "not converged: %zu fixed draws are needed, to compare with fewer, and .draws allows %lld",
                has_before ? count : 2 * count, (long long)s->most_draws);
        if ((int64_t)count > s->most_draws)
            return gb_search_stop(
                s, GB_FIT_UNFINISHED,
                "not converged: with %zu fixed draws in place of %zu, means still move by %.2g "
                "standard deviations, scales by %.2g %%, and the ELBO on fresh draws is %.6g, "
                "not %.6g; .draws = %lld allows no more",
                count / 2, count / 4, f->moved.mean, 100 * f->moved.scale, s->elbo, elbo_of(f),
                (long long)s->most_draws);
        if (!with_draws(f, count))
            return false;
        if (f->runaway && again) {
            tell_runaway(f);
            return false;
        }
        if (f->runaway) { /* few draws may have no bound where many have */
            again = true;
            has_before = is_compared = false;
            count *= 2;
            gb_member_copy(&s->family, &f->start, &s->best);
            continue;
        }
        if (has_before) {
            measure_move(f);
            is_compared = true;
            if (!is_settled(f, &settled))
                return false;
        }
        gb_member_copy(&s->family, &s->best, &f->before);
        has_before = true;
    }
    return true;
}

/* ---- points alone: log p itself ---- */

static bool climb(fixing *f)
{
    gb_search *const s = f->search;
    f->objective.count = 1;
    if (!find_footing(f) || !settle(f, s->noise > 1e-9 ? 1e-3 : exact))
        return false;
    if (f->runaway) {
        tell_runaway(f);
        return false;
    }
    gb_mode mode = {.z = s->best.mean};
    if (s->n <= GB_SEARCH_DENSE && !gb_search_mode(s, 0, NULL, &mode))
        return false;
    if (s->n <= GB_SEARCH_DENSE && mode.words[0] && !s->lacks_hessian)
        return gb_search_stop(s, GB_FIT_UNFINISHED, "not converged: log p is %.6g, but %s", f->value,
                              mode.words);
    s->elbo = f->value;
    s->error = 0;
    gb_search_stop(s, GB_FIT_CONVERGED, "converged: log p is highest here, as far as steps uphill lead");
    return true;
}

/* ---- the whole ---- */

static bool begin(fixing *f, gb_search *s)
{
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
    f->before = gb_member_new(&s->family, &s->arena);
    if (!f->numbers || !f->room || !f->start.mean || !f->before.mean)
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

/* As exact as it is worth: a hundredth of what other draws would move it. */
static bool finish(fixing *f)
{
    gb_search *const s = f->search;
    const double moved = fmax(f->moved.mean, f->moved.scale) / 100,
                 least = fmax(moved * moved, f->objective.is_dense ? exact : fine);
    if (s->noise < 1e-9 && !settle(f, least))
        return false;
    if (f->runaway) {
        tell_runaway(f);
        return false;
    }
    if (!gb_search_elbo(s, &s->best, 2999, AT_LAST, &s->elbo, &s->error))
        return false;
    if (!isfinite(s->elbo))
        return gb_search_stop(
            s, GB_FIT_UNFINISHED,
            "not converged: the ELBO is highest here for %lld fixed draws, and %g for fresh "
            "ones: log p is not finite at some of them; has a latent an end that it was not "
            "given (.support, .above, .below)?",
            (long long)s->draws, s->elbo);
    gb_search_stop(
        s, GB_FIT_CONVERGED,
        "converged: from %lld to %lld fixed draws, means moved by %.2g standard deviations and scales "
        "by %.2g %%",
        (long long)s->draws / 2, (long long)s->draws, f->moved.mean, 100 * f->moved.scale);
    return true;
}

/* A search that did not converge has an ELBO too. */
static void look_at_what_there_is(const fixing *f)
{
    gb_search *const s = f->search;
    const uint64_t stream = 2998;
    if (gb_error(s->tape) != GB_OK)
        return;
    if (s->family.scaled > 0)
        gb_search_elbo(s, &s->best, stream, FRESH, &s->elbo, &s->error);
    else
        s->elbo = f->value, s->error = 0;
}

bool gb_search_optimum(gb_search *s, size_t count, double **draws)
{
    fixing f = {.search = s};
    s->end = GB_FIT_CONVERGED;
    const bool good = begin(&f, s) && with_draws(&f, count) && !f.runaway && settle(&f, exact);
    *draws = f.objective.draws;
    if (good && !f.runaway)
        return true;
    if (f.runaway)
        tell_runaway(&f);
    return false;
}

/* Returns the first of the `count` places that was here over the few draws: from there both searches are one.
 * NULL: none was. */
static const gb_search_place *same_place(const fixing *f, const gb_search_place *place, size_t count)
{
    const gb_search *const s = f->search;
    for (size_t k = 0; k < count; k++) {
        if (!place[k].has_few)
            continue;
        const gb_move move = gb_member_move(&s->family, &place[k].few, &s->best, f->width, f->u);
        if (move.mean < same && move.scale < same)
            return &place[k];
    }
    return NULL;
}

bool gb_search_nearby(gb_search *s, size_t count, gb_search_place *place, size_t at)
{
    fixing f = {.search = s};
    const size_t few = first_count(s);
    const gb_search_place *known = NULL;
    s->end = GB_FIT_CONVERGED;
    bool good = begin(&f, s) && with_draws(&f, few);
    if (good && f.runaway) /* few draws may have no bound where many have */
        gb_member_copy(&s->family, &f.start, &s->best);
    else if (good) {
        known = same_place(&f, place, at);
        gb_member_copy(&s->family, &s->best, &place[at].few);
        place[at].has_few = true;
    }
    if (known) {
        gb_member_copy(&s->family, &known->member, &s->best);
        s->end = known->end, s->elbo = known->elbo, s->error = known->error;
    } else if (good && (f.runaway || few < count))
        good = with_draws(&f, few < count ? count : 4 * few);
    if (good && f.runaway)
        tell_runaway(&f);
    else if (good && !known)
        gb_search_elbo(s, &s->best, 2997, AT_LAST, &s->elbo, &s->error);
    gb_memory_release(&s->memory, f.objective.draws);
    return gb_error(s->tape) == GB_OK;
}

bool gb_search_settle(gb_search *s)
{
    fixing f = {.search = s};
    s->end = GB_FIT_CONVERGED;
    if (!begin(&f, s))
        return false;
    if (s->family.scaled > 0 ? !grow(&f) || !finish(&f) : !climb(&f))
        look_at_what_there_is(&f);
    gb_memory_release(&s->memory, f.objective.draws);
    return gb_error(s->tape) == GB_OK;
}

/* Whether q, as it was given, is better than what was found. */
static bool given_is_better(gb_search *s)
{
    double elbo, error;
    return gb_search_elbo(s, &s->given, 2996, AT_LAST, &elbo, &error) &&
           elbo > s->elbo + 2 * (error + s->error);
}

/* From Pathfinder's best normal; once more from where that led, if it ran off. */
static bool from_paths(gb_search *s)
{
    enum { TRIES = 3 };
    for (int tries = 1;; tries++) {
        const double *const starts = gb_search_starts(s, s->best.mean);
        s->ran_off = false;
        if (!starts || !gb_search_start(s, GB_SEARCH_STARTS, starts) || s->end != GB_FIT_CONVERGED)
            return gb_error(s->tape) == GB_OK;
        if (!gb_search_settle(s))
            return false;
        /* Far away, Pathfinder's scales may be wrong where there are too many numbers for a Hessian: it looks
         * again from where the search ran to. */
        if (!s->ran_off || tries == TRIES || !isfinite(gb_dense_largest(s->n, s->best.mean)))
            return true;
    }
}

bool gb_search_fixed_draws(gb_search *s)
{
    if (s->family.scaled == 0)
        return gb_search_settle(s);
    if (!from_paths(s) || s->end != GB_FIT_CONVERGED || !given_is_better(s))
        return gb_error(s->tape) == GB_OK;
    gb_member_copy(&s->family, &s->given, &s->best);
    return gb_search_settle(s);
}
