/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Is there another mode, where the largest weights point to?
 *
 * k may be large though all weights are nearly equal. Then either q lacks a little skew, which does no harm,
 * or it is one mode of several, of which its draws see the outermost tail. Which of the two, an ascent shows:
 * from beyond the draws with the largest weights, along C ∇log p, to a mode. */
#include <math.h>
#include <string.h>

#include "fitting/judge/judging_impl.h"

enum { RAYS = 8, STOPS = 4, POINTS = RAYS * STOPS, MOST_STEPS = 200, LEAST_COVARIANCE = 1000 };
static const double stops[STOPS] = {1.5, 2, 3, 4};

/* A mode so far from q's mean is another one. One that is lower by more than `NEGLIGIBLE` has no weight. */
static const double FAR = 4, NEGLIGIBLE = 20;

typedef struct climb {
    gb_own_judgement *j;
    size_t draws; /* of which C is the covariance */
    double *z, *log_p, *gradient, *next, *next_log_p, *next_gradient, *direction;
    double step[POINTS];
    bool is_done[POINTS];
    bool is_flat[POINTS]; /* a mode, or a plateau */
} climb;

static double mean_of(const climb *c, size_t i)
{
    return c->j->judged[i].mean;
}

static double sd_of(const climb *c, size_t i)
{
    return c->j->is_point[i] ? 1 : c->j->judged[i].sd;
}

/* ---- where to begin ---- */

void gb_judge_heaviest(const gb_weighed *of, size_t count, size_t *draw)
{
    for (size_t k = 0; k < count; k++) {
        size_t best = of->count;
        for (size_t s = 0; s < of->count; s++) {
            bool is_taken = false;
            for (size_t i = 0; i < k; i++)
                is_taken |= draw[i] == s;
            if (!is_taken && (best == of->count || of->log_ratio[s] > of->log_ratio[best]))
                best = s;
        }
        draw[k] = best;
    }
}

static void begin(climb *c)
{
    size_t ray[RAYS];
    const size_t n = c->j->n;
    gb_judge_heaviest(&c->j->own, RAYS, ray);
    for (size_t p = 0; p < POINTS; p++) {
        const double *const from = c->j->own.z + ray[p / STOPS] * n;
        c->step[p] = 1;
        for (size_t i = 0; i < n; i++)
            c->z[p * n + i] =
                c->j->is_point[i] ? from[i] : mean_of(c, i) + stops[p % STOPS] * (from[i] - mean_of(c, i));
    }
}

/* ---- steps ---- */

/* C g, made from half an sd to one sd long: on a plateau it is much shorter, and a mode may be far. */
static void aim(climb *c, size_t point)
{
    const size_t n = c->j->n;
    const double *const g = c->gradient + point * n;
    double *const to = c->direction + point * n, longest = 0;
    memset(to, 0, n * sizeof *to);
    for (size_t s = 0; s < c->draws; s++) {
        const double *const z = c->j->own.z + s * n;
        double along = 0;
        for (size_t i = 0; i < n; i++)
            along += (z[i] - mean_of(c, i)) * g[i];
        for (size_t i = 0; i < n; i++)
            to[i] += (z[i] - mean_of(c, i)) * along / (double)c->draws;
    }
    for (size_t i = 0; i < n; i++)
        longest = fmax(longest, c->j->is_point[i] ? 0 : fabs(to[i]) / sd_of(c, i));
    c->is_flat[point] = longest < 0.1;
    c->is_done[point] = !(longest > 0);
    const double by = longest > 1 ? longest : longest < 0.5 ? 2 * longest : 1;
    for (size_t i = 0; i < n; i++)
        to[i] = c->j->is_point[i] || c->is_done[point] ? 0 : to[i] / by;
}

/* Takes the step of a point if it rises; else the next one is shorter. */
static void take(climb *c, size_t p)
{
    const size_t n = c->j->n;
    if (c->next_log_p[p] > c->log_p[p]) {
        memcpy(c->z + p * n, c->next + p * n, n * sizeof *c->z);
        memcpy(c->gradient + p * n, c->next_gradient + p * n, n * sizeof *c->z);
        c->log_p[p] = c->next_log_p[p];
        c->step[p] = fmin(1, 2 * c->step[p]);
        aim(c, p);
    } else {
        c->step[p] /= 4;
        c->is_done[p] = c->step[p] < (c->is_flat[p] ? 0.02 : 1e-9);
    }
}

static bool climb_all(climb *c)
{
    const size_t n = c->j->n;
    gb_density *const d = c->j->shown.density;
    if (gb_density_evaluate(d, POINTS, c->z, c->log_p, c->gradient, NULL) != GB_OK)
        return false;
    for (size_t p = 0; p < POINTS; p++) {
        aim(c, p);
        c->is_done[p] |= c->log_p[p] == -INFINITY;
    }
    for (int step = 0; step < MOST_STEPS; step++) {
        bool is_some = false;
        for (size_t p = 0; p < POINTS; p++) {
            is_some |= !c->is_done[p];
            for (size_t i = p * n; i < (p + 1) * n; i++)
                c->next[i] = c->z[i] + (c->is_done[p] ? 0 : c->step[p] * c->direction[i]);
        }
        if (!is_some)
            return true;
        if (gb_density_evaluate(d, POINTS, c->next, c->next_log_p, c->next_gradient, NULL) != GB_OK)
            return false;
        for (size_t p = 0; p < POINTS; p++)
            if (!c->is_done[p])
                take(c, p);
    }
    return true;
}

/* ---- where it ended ---- */

/* The free number along which a point is farthest from q's mean, in sd. */
static size_t farthest(const climb *c, const double *z, double *away)
{
    size_t at = 0;
    *away = 0;
    for (size_t i = 0; i < c->j->n; i++) {
        const double d = (z[i] - mean_of(c, i)) / sd_of(c, i);
        if (!c->j->is_point[i] && fabs(d) > fabs(*away)) {
            *away = d;
            at = i;
        }
    }
    return at;
}

/* Whether log p has a valley between q's mean and the end of point p. A ridge has none: q is narrow there. */
static bool is_beyond_a_valley(climb *c, size_t p, bool *beyond)
{
    enum { PLACES = POINTS };
    const size_t n = c->j->n;
    for (size_t k = 0; k < PLACES; k++)
        for (size_t i = 0; i < n; i++) {
            const double to = (double)k / (PLACES - 1),
                         from = c->j->is_point[i] ? c->z[p * n + i] : mean_of(c, i);
            c->next[k * n + i] = from + to * (c->z[p * n + i] - from);
        }
    if (gb_density_evaluate(c->j->shown.density, PLACES, c->next, c->next_log_p, NULL, NULL) != GB_OK)
        return false;
    double least = INFINITY;
    for (size_t k = 1; k + 1 < PLACES; k++)
        least = fmin(least, c->next_log_p[k]);
    *beyond = least < fmin(c->next_log_p[0], c->next_log_p[PLACES - 1]) - 0.5;
    return true;
}

static bool look_at_ends(climb *c)
{
    gb_own_judgement *const j = c->j;
    double highest = -INFINITY;
    for (size_t p = 0; p < POINTS; p++)
        highest = fmax(highest, c->log_p[p]);
    for (size_t p = 0; p < POINTS; p++) {
        double away;
        bool is_other = false;
        const size_t at = farthest(c, c->z + p * j->n, &away);
        if (!(c->log_p[p] > highest - NEGLIGIBLE) || fabs(away) <= FAR || fabs(away) <= fabs(j->far_away))
            continue;
        if (!is_beyond_a_valley(c, p, &is_other))
            return false;
        if (is_other) {
            j->far_away = away;
            j->far_number = at;
        }
    }
    return true;
}

bool gb_judge_climb(gb_own_judgement *j)
{
    const size_t n = j->n, fewest = 4 * n > LEAST_COVARIANCE ? 4 * n : LEAST_COVARIANCE;
    double *const room = gb_memory_resize(&j->memory, NULL, POINTS * (5 * n + 2) * sizeof *room);
    if (!room)
        return gb_fail(j->tape, GB_ENOMEM, "judge: out of memory for %zu numbers", n) == GB_OK;
    climb c = {.j = j, .draws = fewest < j->own.count ? fewest : j->own.count};
    double **const arrays[] = {&c.z, &c.gradient, &c.next, &c.next_gradient, &c.direction};
    for (size_t k = 0; k < 5; k++)
        *arrays[k] = room + k * POINTS * n;
    c.log_p = room + 5 * POINTS * n;
    c.next_log_p = c.log_p + POINTS;
    begin(&c);
    const bool good = climb_all(&c) && look_at_ends(&c);
    j->has_climbed = good;
    gb_memory_release(&j->memory, room);
    return good;
}
