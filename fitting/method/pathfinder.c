/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pathfinder (Zhang et al. 2022): along paths to modes of log p, the normal with the highest ELBO. In a
 * funnel a path ends where log p is highest, but the normal is chosen before. */
#include <math.h>
#include <string.h>

#include "fitting/density/dense_impl.h"
#include "fitting/method/methods_impl.h"
#include "fitting/nuts/random_impl.h"
#include "fitting/search/inverse_impl.h"
#include "fitting/search/paths_impl.h"

enum { DRAWS = 16, FRESH = 1024, MOST_NORMALS = 64 /* of each path */, MOST_ROUNDS = 5 };

/* A path has not ended where its numbers, each for itself, could still gain so much, in nats. */
static const double left = 0.01;

/* A normal on trial: its mean, and a root of its covariance, n × n or n numbers. */
typedef struct finder {
    gb_search *search;
    size_t n;
    bool is_dense;
    size_t square; /* numbers of the covariance */
    double *mean, *root;
    double *draws, *z, *log_p;
    double best; /* the highest ELBO so far */
    double *best_mean, *best_root;
    bool has_best;        /* else the member that q was is the best */
    double *next, *scale; /* paths that go on from where they ended, with scales by the Hessian there */
    size_t going_on;
    gb_random random;
} finder;

/* ---- one normal ---- */

static double log_volume(const finder *f)
{
    double sum = 0;
    for (size_t i = 0; i < f->n; i++)
        sum += log(f->root[f->is_dense ? i * (f->n + 1) : i]);
    return sum;
}

/* Estimates the ELBO of the normal on trial, and keeps it if it is the best. */
static bool try_normal(finder *f)
{
    const size_t n = f->n;
    double elbo = log_volume(f), norm = 0;
    for (size_t i = 0; i < DRAWS * n; i++)
        f->draws[i] = gb_random_normal(&f->random);
    for (size_t s = 0; s < DRAWS; s++)
        for (size_t i = 0; i < n; i++)
            f->z[s * n + i] =
                f->mean[i] + (f->is_dense ? gb_dense_dot(i + 1, f->root + i * n, f->draws + s * n)
                                          : f->root[i] * f->draws[s * n + i]);
    if (!gb_search_evaluate(f->search, DRAWS, f->z, f->log_p, NULL))
        return false;
    norm = gb_dense_dot(DRAWS * n, f->draws, f->draws) / 2;
    for (size_t s = 0; s < DRAWS; s++)
        elbo += f->log_p[s] / DRAWS;
    elbo += norm / DRAWS + 0.91893853320467274178 * (double)n;
    if (elbo > f->best) {
        f->best = elbo;
        f->has_best = true;
        memcpy(f->best_mean, f->mean, n * sizeof *f->mean);
        memcpy(f->best_root, f->root, f->square * sizeof *f->root);
    }
    return true;
}

/* The normal at x with covariance H: its mean is a Newton step away. */
static bool try_inverse(finder *f, const gb_inverse *h, const double *x, const double *gradient)
{
    gb_inverse_times(h, gradient, f->mean);
    for (size_t i = 0; i < f->n; i++)
        f->mean[i] = x[i] - f->mean[i];
    if (f->is_dense && !gb_dense_factor(f->n, h->h, f->root))
        return true;
    for (size_t i = 0; i < f->n && !f->is_dense; i++)
        f->root[i] = sqrt(h->h[i]);
    return !isfinite(gb_dense_largest(f->n, f->mean)) || try_normal(f);
}

static bool try_path(finder *f, const gb_path *path, gb_inverse *h)
{
    const size_t n = f->n, places = path->places.count / (2 * n);
    const size_t by = places / MOST_NORMALS + 1;
    double *const pair = f->z; /* free here */
    for (size_t k = 0; k < places; k++) {
        const double *const x = path->places.at + 2 * n * k;
        for (size_t i = 0; k > 0 && i < 2 * n; i++)
            pair[i] = x[i] - x[(ptrdiff_t)i - 2 * (ptrdiff_t)n];
        if (k > 0)
            gb_inverse_add(h, pair, pair + n);
        if (((places - 1 - k) % by == 0) && h->has_pair && !try_inverse(f, h, x, x + n))
            return false;
    }
    return true;
}

/* A path whose numbers have scales that differ by many powers of ten ends early, since its first steps are as
 * long along each of them. It goes on in scales by the Hessian. */
static void go_on(finder *f, const double *x, const double *gradient, const double *precision)
{
    const size_t n = f->n;
    double *const scale = f->scale + f->going_on * n, gain = 0;
    for (size_t i = 0; i < n; i++) {
        const double curvature = fabs(precision[i * (n + 1)]);
        scale[i] = curvature > 0 ? 1 / sqrt(curvature) : 1;
        gain += gradient[i] * scale[i] * gradient[i] * scale[i] / 2;
    }
    if (!(gain > left) || !isfinite(gb_dense_largest(n, scale)))
        return;
    memcpy(f->next + f->going_on * n, x, n * sizeof *x);
    f->going_on++;
}

/* The normal by the Hessian at a point: Laplace's where the point is a mode. */
static bool try_hessian(finder *f, const double *x, bool is_end, double *precision, double *room)
{
    const size_t n = f->n;
    double log_p;
    if (!f->is_dense || !gb_search_precision(f->search, 1, x, precision))
        return gb_error(f->search->tape) == GB_OK;
    if (is_end)
        go_on(f, x, x + n, precision);
    if (!gb_dense_factor(n, precision, f->root))
        return true;
    if (!gb_search_evaluate(f->search, 1, x, &log_p, f->mean))
        return false;
    gb_dense_solve(n, f->root, f->mean);
    gb_dense_solve_transposed(n, f->root, f->mean);
    gb_dense_add(n, 1, x, f->mean);
    gb_dense_inverse(n, f->root, precision, room);
    return !gb_dense_factor(n, precision, f->root) || !isfinite(gb_dense_largest(n, f->mean)) ||
           try_normal(f);
}

/* ---- all ---- */

static bool begin(finder *f, gb_search *s, size_t count)
{
    const size_t n = s->n, square = n <= GB_SEARCH_DENSE ? n * n : n;
    *f = (finder){.search = s, .n = n, .is_dense = n <= GB_SEARCH_DENSE, .square = square};
    f->random = gb_random_of(s->seed, 2000);
    double *const numbers = gb_search_numbers(s, 2 * (n + square) + (2 * n + 1) * DRAWS);
    f->next = gb_search_numbers(s, 2 * count * n);
    f->scale = f->next + count * n;
    if (!numbers || !f->next)
        return false;
    f->mean = numbers, f->root = f->mean + n;
    f->best_mean = f->root + square, f->best_root = f->best_mean + n;
    f->draws = f->best_root + square, f->z = f->draws + DRAWS * n, f->log_p = f->z + DRAWS * n;
    return true;
}

static bool try_all(finder *f, const gb_paths *p)
{
    gb_search *const s = f->search;
    const size_t n = s->n;
    double *const numbers = gb_search_numbers(s, gb_inverse_numbers(n, f->is_dense) + 2 * f->square),
                  *const precision = numbers + gb_inverse_numbers(n, f->is_dense);
    if (!numbers)
        return false;
    for (size_t i = 0; i < p->count; i++) {
        const double *const end = gb_path_last(p, i);
        gb_inverse h;
        gb_inverse_begin(&h, n, f->is_dense, numbers);
        if (!try_path(f, &p->path[i], &h) ||
            (end && !try_hessian(f, end, true, precision, precision + f->square)))
            return false;
    }
    if (!f->has_best)
        return true;
    double *const mean = p->z; /* free here */
    memcpy(mean, f->best_mean, n * sizeof *mean);
    return try_hessian(f, mean, false, precision, precision + f->square);
}

/* Brings the best normal into the family. */
static bool project(finder *f)
{
    gb_search *const s = f->search;
    const size_t n = f->n;
    if (f->is_dense) {
        double *const precision = gb_search_numbers(s, 2 * n * n);
        if (!precision)
            return false;
        gb_dense_inverse(n, f->best_root, precision, precision + n * n);
        return gb_search_project(s, f->best_mean, precision) || gb_error(s->tape) == GB_OK;
    }
    memcpy(s->best.mean, f->best_mean, n * sizeof *f->best_mean);
    for (size_t k = 0; k < s->family.groups; k++) {
        const gb_group *const g = &s->family.group[k];
        double *const root = s->best.root + g->root;
        const bool is_triangle = g->form == GB_GROUP_TRIANGLE;
        if (is_triangle)
            memset(root, 0, g->count * g->count * sizeof *root);
        for (size_t i = 0; i < g->count && g->form != GB_GROUP_POINT; i++)
            root[is_triangle ? i * (g->count + 1) : i] = f->best_root[g->first + i];
    }
    return true;
}

/* Whether any path began: log p is finite at a start. */
static bool some_began(const gb_paths *p)
{
    for (size_t i = 0; i < p->count; i++)
        if (gb_path_last(p, i))
            return true;
    return false;
}

static bool follow(finder *f, size_t count, const double *starts, const double *scales)
{
    gb_search *const s = f->search;
    gb_paths p;
    f->going_on = 0;
    const bool good = gb_paths_begin(&p, s, count, starts, scales) && gb_paths_follow(&p) && try_all(f, &p);
    if (good && !some_began(&p) && !isfinite(f->best)) {
        char why[GB_SEARCH_WORDS];
        gb_search_stop(
            s, GB_FIT_UNFINISHED,
            "not converged: log p is not finite at q's start, nor at points around 0; give .location: %s",
            gb_search_reason(s, starts, why));
    }
    gb_paths_end(&p);
    return good;
}

bool gb_search_start(gb_search *s, size_t count, const double *starts)
{
    finder f;
    double error;
    s->end = GB_FIT_CONVERGED;
    if (!begin(&f, s, count) || !gb_search_elbo(s, &s->best, 2001, DRAWS, &f.best, &error))
        return false;
    bool good = follow(&f, count, starts, NULL);
    for (int round = 1; good && f.going_on > 0 && round < MOST_ROUNDS; round++)
        good = follow(&f, f.going_on, f.next, f.scale);
    return gb_error(s->tape) == GB_OK && (!f.has_best || project(&f));
}

bool gb_search_pathfinder(gb_search *s)
{
    const double *const starts = gb_search_starts(s, s->best.mean);
    if (!starts || !gb_search_start(s, GB_SEARCH_STARTS, starts) || s->end != GB_FIT_CONVERGED ||
        !gb_search_elbo(s, &s->best, 2998, FRESH, &s->elbo, &s->error))
        return gb_error(s->tape) == GB_OK;
    gb_search_stop(
        s, GB_FIT_CONVERGED,
        "converged: q is the best normal along %d paths, brought into its family; a start for better methods",
        GB_SEARCH_STARTS);
    return true;
}
