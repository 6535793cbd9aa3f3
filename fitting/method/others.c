/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Searches from other points, spread far wider than q: do they end at the same place?
 *
 * Many paths to modes of log p are cheap, since all of them take a step in one run. Each end that differs is
 * a place where a search of its own begins; so do three at least, from points that are far apart. The best
 * member may also lie across several modes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fitting/density/dense_impl.h"
#include "fitting/method/methods_impl.h"
#include "fitting/nuts/random_impl.h"
#include "fitting/search/paths_impl.h"

/* Whether an end is the same within a fifth of a standard deviation, fewer draws tell. */
enum { SCOUTS = 32, FEW_SCOUTS = 8, MANY_NUMBERS = 64, FEWER = 4 };

/* Ends of paths nearer than that, in standard deviations, are one. */
static const double same_end = 0.5;

/* Ends that are lower by so many nats are no part of a normal across several. */
static const double low_by = 20;

typedef struct looking {
    gb_search *search; /* whose best member is compared with */
    gb_search scout;
    gb_paths paths;
    size_t count;
    double *starts;
    size_t end_of[SCOUTS]; /* of each path: the first path with the same end; SCOUTS: it never began */
    bool is_taken[SCOUTS];
} looking;

/* ---- where to begin ---- */

/* Numbers around 0, as for the first search; and around q, by so many of its standard deviations, on both
 * sides. */
static const double spread[] = {4, 10, 30};

static bool place_scouts(looking *l)
{
    gb_search *const s = l->search;
    const size_t n = s->n;
    double *const draw = gb_search_numbers(&l->scout, n);
    l->starts = gb_search_numbers(&l->scout, l->count * n);
    if (!draw || !l->starts)
        return false;
    for (size_t k = 0; k < l->count; k++) {
        gb_random random = gb_random_of(s->seed, 4000 + k / 8 * 4 + k % 4);
        const double side = k / 4 % 2 ? -1 : 1, by = side * (k % 4 == 0 ? 2 : spread[k % 4 - 1]);
        double *const start = l->starts + k * n;
        for (size_t i = 0; i < n; i++)
            draw[i] = by * (k % 4 == 0 ? 2 * gb_random_uniform(&random) - 1 : gb_random_normal(&random));
        if (k % 4 == 0)
            memcpy(start, draw, n * sizeof *draw);
        else
            gb_member_place(&s->family, &s->best, 1, draw, start);
    }
    return true;
}

/* ---- which ends differ ---- */

static bool is_same(const looking *l, const double *x, const double *y)
{
    gb_search *const s = l->search;
    for (size_t i = 0; i < s->n; i++) {
        const double sd = gb_member_sd(&s->family, &s->best, i),
                     width = sd > 0 ? sd : 1 + fabs(s->best.mean[i]);
        if (!(fabs(x[i] - y[i]) < same_end * width))
            return false;
    }
    return true;
}

static double height_of(const looking *l, size_t i)
{
    return -l->paths.path[i].descent.value;
}

static void compare_ends(looking *l)
{
    for (size_t i = 0; i < l->count; i++) {
        l->end_of[i] = l->paths.path[i].descent.steps > 0 ? i : SCOUTS;
        for (size_t k = 0; k < i && l->end_of[i] == i; k++)
            if (l->end_of[k] == k && is_same(l, l->paths.path[i].descent.x, l->paths.path[k].descent.x))
                l->end_of[i] = k;
    }
}

/* Returns the path to search from next: the highest of new ends, or else, until three searches have found an
 * optimum, any that is left. SCOUTS: none. */
static size_t next_path(const looking *l, size_t found)
{
    size_t best = SCOUTS;
    bool best_is_new = false;
    for (size_t i = 0; i < l->count; i++) {
        const bool is_new = l->end_of[i] == i;
        if (l->end_of[i] == SCOUTS || l->is_taken[i] ||
            (!is_new && (best_is_new || found >= GB_SEARCH_OTHERS)))
            continue;
        if (best == SCOUTS || (is_new && !best_is_new) || (is_new && height_of(l, i) > height_of(l, best))) {
            best = i;
            best_is_new = is_new;
        }
    }
    return best;
}

/* ---- one search ---- */

/* A limit that ends a part ends the whole; what was found before stands. */
static bool goes_on(gb_search *s, const gb_search *part)
{
    const size_t used = strlen(s->words);
    if (!part->is_limited)
        return true;
    if (part->end == GB_FIT_CALLBACK)
        s->end = GB_FIT_CALLBACK;
    snprintf(s->words + used, sizeof s->words - used, "; but other starts were cut short (%s)", part->words);
    return false;
}

/* Begins at a point by Pathfinder, or at a member. Without an error, returns false at a limit. */
static bool search_from(gb_search *s, const double *start, const gb_member *member, gb_search_place *places,
                        size_t at)
{
    gb_search branch;
    gb_search_place *const place = &places[at];
    *place = (gb_search_place){.member = gb_member_new(&s->family, &s->arena),
                               .few = gb_member_new(&s->family, &s->arena),
                               .sd = gb_search_numbers(s, s->n)};
    if (!place->member.mean || !place->few.mean || !place->sd)
        return gb_fail(s->tape, GB_ENOMEM, "fit: out of memory for %zu numbers", s->n) == GB_OK;
    bool good = gb_search_branch(&branch, s, member ? member->mean : start);
    if (good && member) {
        gb_member_copy(&s->family, member, &branch.best);
        branch.end = GB_FIT_CONVERGED;
    } else
        good = good && gb_search_start(&branch, 1, start);
    if (good && branch.end == GB_FIT_CONVERGED)
        good = gb_search_nearby(&branch, (size_t)s->draws / FEWER, places, at);
    good = good && goes_on(s, &branch);
    if (good) {
        gb_member_copy(&s->family, &branch.best, &place->member);
        for (size_t i = 0; i < s->n; i++)
            place->sd[i] = gb_member_sd(&s->family, &branch.best, i);
        place->end = branch.end;
        place->elbo = branch.elbo;
        place->error = branch.error;
        s->gradients = branch.gradients;
    }
    gb_search_end(&branch);
    return good;
}

/* ---- a member that no path leads to ---- */

/* A normal across the ends that are not far below the highest: their mean, and their spread besides q's own.
 * Returns false if there is only one. */
static bool place_across(const looking *l, const gb_member *across)
{
    gb_search *const s = l->search;
    size_t ends = 0;
    double highest = -INFINITY;
    for (size_t i = 0; i < l->count; i++)
        highest = l->end_of[i] == i ? fmax(highest, height_of(l, i)) : highest;
    memset(across->mean, 0, s->n * sizeof *across->mean);
    for (size_t i = 0; i < l->count; i++) {
        if (l->end_of[i] != i || height_of(l, i) < highest - low_by)
            continue;
        gb_dense_add(s->n, 1, l->paths.path[i].descent.x, across->mean);
        ends++;
    }
    for (size_t k = 0; k < s->n && ends > 0; k++)
        across->mean[k] /= (double)ends;
    memset(across->root, 0, s->family.roots * sizeof *across->root);
    for (size_t k = 0; k < s->family.groups; k++) {
        const gb_group *const g = &s->family.group[k];
        for (size_t i = 0; i < g->count && g->form != GB_GROUP_POINT; i++) {
            const size_t at = g->first + i;
            double squares = 0;
            for (size_t e = 0; e < l->count; e++)
                if (l->end_of[e] == e && height_of(l, e) >= highest - low_by)
                    squares += pow(l->paths.path[e].descent.x[at] - across->mean[at], 2);
            across->root[g->root + i * (g->form == GB_GROUP_TRIANGLE ? g->count + 1 : 1)] =
                hypot(gb_member_sd(&s->family, &s->best, at), sqrt(squares / (double)(ends + !ends)));
        }
    }
    return ends > 1;
}

static bool search_across(looking *l, gb_search_place *place, size_t *count)
{
    gb_search *const s = l->search;
    const gb_member across = gb_member_new(&s->family, &l->scout.arena);
    if (!across.mean)
        return gb_fail(s->tape, GB_ENOMEM, "fit: out of memory for %zu numbers", s->n) == GB_OK;
    if (place_across(l, &across)) {
        if (!search_from(s, NULL, &across, place, *count))
            return false;
        *count += place[*count].end == GB_FIT_CONVERGED;
    }
    return true;
}

/* ---- the whole ---- */

bool gb_search_others(gb_search *s, gb_search_place place[GB_SEARCH_PLACES], size_t *count)
{
    looking l = {.search = s, .count = s->n > MANY_NUMBERS ? FEW_SCOUTS : SCOUTS};
    memset(place, 0, GB_SEARCH_PLACES * sizeof *place);
    *count = 0;
    bool good = gb_search_branch(&l.scout, s, s->best.mean) && place_scouts(&l);
    if (good) {
        good = gb_paths_begin(&l.paths, &l.scout, l.count, l.starts, NULL) && gb_paths_follow(&l.paths);
        good = goes_on(s, &l.scout) && good;
        s->gradients = l.scout.gradients;
        if (good)
            compare_ends(&l);
        good = good && search_across(&l, place, count);
        size_t found = 0;
        for (size_t i; good && *count < GB_SEARCH_PLACES && (i = next_path(&l, found)) < SCOUTS;) {
            l.is_taken[i] = true;
            good = search_from(s, l.starts + i * s->n, NULL, place, *count);
            found += good && place[*count].end == GB_FIT_CONVERGED;
            *count += good;
        }
        gb_paths_end(&l.paths);
    }
    gb_search_end(&l.scout);
    return gb_error(s->tape) == GB_OK;
}
