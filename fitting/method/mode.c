/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The highest mode that paths from several points lead to, and the Hessian there. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fitting/density/dense_impl.h"
#include "fitting/method/methods_impl.h"
#include "fitting/search/paths_impl.h"

enum { MOST_NEWTON = 30, MOST_HALVES = 30 };
static const double stationary = 1e-6, stationary_in_floats = 1e-2;

static bool begin(gb_search *s, gb_mode *mode, double **room)
{
    const size_t n = s->n;
    mode->words = "";
    mode->gain = NAN;
    if (!mode->z)
        mode->z = gb_search_numbers(s, n);
    mode->root = gb_search_numbers(s, n * n);
    *room = gb_search_numbers(s, 2 * n * n + 2 * n);
    return mode->z && mode->root && *room;
}

/* The end of the highest path. */
static bool follow(gb_search *s, size_t count, const double *starts, gb_mode *mode)
{
    gb_paths p;
    const bool good = gb_paths_begin(&p, s, count, starts, NULL) && gb_paths_follow(&p);
    mode->log_p = -INFINITY;
    for (size_t i = 0; i < count && p.path; i++) {
        const gb_descent *const d = &p.path[i].descent;
        if (d->steps == 0 || -d->value <= mode->log_p)
            continue;
        mode->log_p = -d->value;
        memcpy(mode->z, d->x, s->n * sizeof *mode->z);
    }
    gb_paths_end(&p);
    return good;
}

/* Moves along the step as far as log p rises. Returns false where it does not. */
static bool move(gb_search *s, gb_mode *mode, const double *step, double *next)
{
    double by = 1, log_p;
    for (int i = 0; i < MOST_HALVES; i++, by /= 2) {
        for (size_t k = 0; k < s->n; k++)
            next[k] = mode->z[k] + by * step[k];
        if (!gb_search_evaluate(s, 1, next, &log_p, NULL))
            return false;
        if (log_p > mode->log_p - s->noise * (1 + fabs(log_p))) {
            memcpy(mode->z, next, s->n * sizeof *next);
            mode->log_p = log_p;
            return true;
        }
    }
    return false;
}

/* Finds the Newton step at mode->z, what it gains, and the factor of the precision. Returns false, with
 * words, where there is none. */
static bool find_step(gb_search *s, gb_mode *mode, double *factor, double *step)
{
    const size_t n = s->n;
    mode->gain = NAN;
    if (!gb_search_evaluate(s, 1, mode->z, &mode->log_p, step))
        return false;
    if (!isfinite(mode->log_p))
        mode->words = gb_search_reason(s, mode->z, mode->room);
    else if (!gb_search_precision(s, 1, mode->z, factor))
        mode->words = s->lacks_hessian ? "an operation of the model has no second derivative"
                                       : "second derivatives of log p are not finite there";
    else if (!gb_dense_factor(n, factor, factor))
        mode->words = "the Hessian is not negative definite: a saddle, or log p is flat there";
    else {
        gb_dense_solve(n, factor, step);
        mode->gain = gb_dense_dot(n, step, step) / 2;
        gb_dense_solve_transposed(n, factor, step);
    }
    return !mode->words[0];
}

static void climb(gb_search *s, gb_mode *mode, bool moves, double *factor, double *step)
{
    for (int i = 0; i <= MOST_NEWTON; i++)
        if (!find_step(s, mode, factor, step) || mode->gain < 1e-18 || !moves || i == MOST_NEWTON ||
            !move(s, mode, step, step + s->n))
            break;
    if (!mode->words[0] && !(mode->gain < (s->noise > 1e-9 ? stationary_in_floats : stationary)))
        mode->words = "the place is not stationary: log p still rises, perhaps without end";
}

/* At a mode, log p falls by about 1/2 one standard deviation away, along each column of the root. It does not
 * where it only levels off on the way to infinity. */
static bool check_fall(gb_search *s, gb_mode *mode, double *place)
{
    const size_t n = s->n;
    for (size_t k = 0; k < 2 * n; k++) {
        double log_p;
        for (size_t i = 0; i < n; i++)
            place[i] = mode->z[i] + (k % 2 ? -1 : 1) * mode->root[i * n + k / 2];
        if (!gb_search_evaluate(s, 1, place, &log_p, NULL))
            return false;
        if (!(log_p < mode->log_p - 0.02)) {
            mode->words =
                "log p levels off there, and does not fall beyond: its highest point may be infinitely "
                "far away";
            return true;
        }
    }
    return true;
}

bool gb_search_mode(gb_search *s, size_t count, const double *starts, gb_mode *mode)
{
    double *room;
    const size_t n = s->n;
    if (!begin(s, mode, &room))
        return false;
    double *const factor = room, *const rest = factor + n * n, *const vectors = rest + n * n;
    if (count > 0 && !follow(s, count, starts, mode))
        return false;
    if (count > 0 && !isfinite(mode->log_p)) {
        char why[GB_SEARCH_WORDS];
        snprintf(mode->room, sizeof mode->room, "log p is not finite at any starting point: %.300s",
                 gb_search_reason(s, starts, why));
        mode->words = mode->room;
        return gb_error(s->tape) == GB_OK;
    }
    climb(s, mode, count > 0, factor, vectors);
    if (mode->words[0] || gb_error(s->tape) != GB_OK)
        return gb_error(s->tape) == GB_OK;
    gb_dense_inverse(n, factor, mode->root, rest);
    if (!gb_dense_factor(n, mode->root, mode->root))
        mode->words = "the covariance has no root in double precision: the scales are too far apart";
    return mode->words[0] || check_fall(s, mode, vectors);
}
