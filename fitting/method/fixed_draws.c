/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The optimum over more and more fixed draws (Burroni et al. 2024), until they are enough. */
#include <math.h>

#include "fitting/density/dense_impl.h"
#include "fitting/method/ascent_impl.h"
#include "fitting/method/methods_impl.h"

enum {
    LEAST_DRAWS = 64,
    FRESH = 1024,  /* draws that check the ELBO of so many fixed ones */
    AT_LAST = 4096 /* of the last check */
};

static const double same = 0.02, most_same = 0.05; /* moves, in standard deviations and relative */
/* Gains, in nats, that are too small to go on for; where no Hessian leads, for each number. */
static const double fine = 1e-9, exact = 1e-19;

typedef struct growing {
    gb_ascent ascent;
    gb_member before; /* the optimum over half as many draws */
    gb_move moved;    /* from there */
    bool was_near;    /* the last doubling but one moved little, too */
} growing;

/* ---- more and more draws ---- */

/* F and what is left of the entropy of a normal: (1 + log 2π) / 2 for each number. */
static double elbo_of(const gb_ascent *f)
{
    return f->value + 1.41893853320467274178 * (double)f->search->family.scaled;
}

static bool is_settled(growing *g, bool *settled)
{
    const gb_ascent *const f = &g->ascent;
    gb_search *const s = f->search;
    if (!gb_search_elbo(s, &s->best, 3000 + f->objective.count, FRESH, &s->elbo, &s->error))
        return false;
    /* The largest of many moves is large. That of a few may be small by chance: then it is to be so twice. */
    const double numbers = (double)s->family.scaled,
                 allowed = fmin(same * fmax(1, sqrt(numbers / 100)), most_same),
                 moved = fmax(g->moved.mean, g->moved.scale) / allowed,
                 surely = g->was_near ? 1 : fmin(1, fmax(numbers, 4) / 16);
    *settled = moved < surely && elbo_of(f) - s->elbo < 4 * s->error + 0.05;
    g->was_near = moved < 1;
    return true;
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

static bool grow(growing *g)
{
    gb_ascent *const f = &g->ascent;
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
                count / 2, count / 4, g->moved.mean, 100 * g->moved.scale, s->elbo, elbo_of(f),
                (long long)s->most_draws);
        if (!gb_ascent_over(f, count))
            return false;
        if (f->runaway && again) {
            gb_ascent_tell_runaway(f);
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
            g->moved = gb_member_move(&s->family, &g->before, &s->best, f->width, f->u);
            is_compared = true;
            if (!is_settled(g, &settled))
                return false;
        }
        gb_member_copy(&s->family, &s->best, &g->before);
        has_before = true;
    }
    return true;
}

/* ---- points alone: log p itself ---- */

static bool climb(gb_ascent *f)
{
    gb_search *const s = f->search;
    f->objective.count = 1;
    if (!gb_ascent_find_footing(f) || !gb_ascent_settle(f, s->noise > 1e-9 ? 1e-3 : exact))
        return false;
    if (f->runaway) {
        gb_ascent_tell_runaway(f);
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

/* As exact as it is worth: a hundredth of what other draws would move it. */
static bool finish(growing *g)
{
    gb_ascent *const f = &g->ascent;
    gb_search *const s = f->search;
    const double moved = fmax(g->moved.mean, g->moved.scale) / 100,
                 least = fmax(moved * moved, f->objective.is_dense ? exact : fine);
    if (s->noise < 1e-9 && !gb_ascent_settle(f, least))
        return false;
    if (f->runaway) {
        gb_ascent_tell_runaway(f);
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
        (long long)s->draws / 2, (long long)s->draws, g->moved.mean, 100 * g->moved.scale);
    return true;
}

/* A search that did not converge has an ELBO too. */
static void look_at_what_there_is(const gb_ascent *f)
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
    gb_ascent f;
    s->end = GB_FIT_CONVERGED;
    const bool good =
        gb_ascent_new(&f, s) && gb_ascent_over(&f, count) && !f.runaway && gb_ascent_settle(&f, exact);
    *draws = f.objective.draws;
    if (good && !f.runaway)
        return true;
    if (f.runaway)
        gb_ascent_tell_runaway(&f);
    return false;
}

/* Returns the first of the `count` places that was here over the few draws: from there both searches are one.
 * NULL: none was. */
static const gb_search_place *same_place(const gb_ascent *f, const gb_search_place *place, size_t count)
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
    gb_ascent f;
    const size_t few = first_count(s);
    const gb_search_place *known = NULL;
    s->end = GB_FIT_CONVERGED;
    bool good = gb_ascent_new(&f, s) && gb_ascent_over(&f, few);
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
        good = gb_ascent_over(&f, few < count ? count : 4 * few);
    if (good && f.runaway)
        gb_ascent_tell_runaway(&f);
    else if (good && !known)
        gb_search_elbo(s, &s->best, 2997, AT_LAST, &s->elbo, &s->error);
    gb_memory_release(&s->memory, f.objective.draws);
    return gb_error(s->tape) == GB_OK;
}

bool gb_search_settle(gb_search *s)
{
    growing g = {0};
    s->end = GB_FIT_CONVERGED;
    if (!gb_ascent_new(&g.ascent, s))
        return false;
    g.before = gb_member_new(&s->family, &s->arena);
    if (!g.before.mean)
        return gb_fail(s->tape, GB_ENOMEM, "fit: out of memory for %zu numbers", s->n) == GB_OK;
    if (s->family.scaled > 0 ? !grow(&g) || !finish(&g) : !climb(&g.ascent))
        look_at_what_there_is(&g.ascent);
    gb_memory_release(&s->memory, g.ascent.objective.draws);
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
