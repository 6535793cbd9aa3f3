/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Does p go on along one number, where no draw reaches?
 *
 * A narrow core on a wide and low slab is fitted by the core, and draws of q, or somewhat wider ones, end
 * long before the slab has a weight. So p is followed along lines, far out: through q's mean, in the
 * direction in which q moves all numbers with one of them. What p weighs there is summed as for a density of
 * one number, as if the others were as free everywhere as they are at q's mean. */
#include <math.h>
#include <string.h>

#include "fitting/judge/judging_impl.h"

/* Places of one side, in sd: evenly to 4, then ever further apart, to 4 · 1.25⁴⁴ = 73,000. */
enum { EVEN = 8, FAR = 44, SIDE = EVEN + FAR, PLACES = 2 * SIDE + 1, MOST_LINES = 32, MOST_DRAWS = 4000 };
static const double RATIO = 1.25;

/* The mean may move, and the sd grow, by so much of the sd within the core. */
static const double MOVED = 0.3, GROWN = 1.3;

/* Where there is no sd to compare, so much weight may be further out. */
static const double SHARE = 0.05;

static void find_places(double t[PLACES])
{
    t[SIDE] = 0;
    for (int k = 1; k <= SIDE; k++) {
        t[SIDE + k] = k <= EVEN ? 4. * k / EVEN : t[SIDE + k - 1] * RATIO;
        t[SIDE - k] = -t[SIDE + k];
    }
}

/* ---- which lines ---- */

/* The number along which a draw is farthest from the mean. */
static size_t farthest(const gb_own_judgement *j, const double *z)
{
    size_t at = 0;
    double most = -1;
    for (size_t i = 0; i < j->n; i++) {
        const double away = j->is_point[i] ? -1 : fabs(z[i] - j->judged[i].mean) / j->judged[i].sd;
        if (away > most)
            at = i, most = away;
    }
    return at;
}

static bool is_among(const size_t *number, size_t count, size_t i)
{
    for (size_t k = 0; k < count; k++)
        if (number[k] == i)
            return true;
    return false;
}

/* All numbers, if they are few; else those along which draws of large weights are far out. */
static size_t find_numbers(const gb_own_judgement *j, size_t number[MOST_LINES])
{
    size_t count = 0, draw[MOST_LINES];
    for (size_t i = 0; i < j->n && j->spread <= MOST_LINES; i++)
        if (!j->is_point[i])
            number[count++] = i;
    if (count > 0)
        return count;
    gb_judge_heaviest(j, MOST_LINES, draw);
    for (size_t k = 0; k < MOST_LINES; k++) {
        const size_t i = farthest(j, j->own.z + draw[k] * j->n);
        if (!is_among(number, count, i))
            number[count++] = i;
    }
    return count;
}

/* C eᵢ / sd: how q's numbers move if number i moves by one sd. */
static void find_direction(const gb_own_judgement *j, size_t i, double *to)
{
    const size_t draws = j->own.count < MOST_DRAWS ? j->own.count : MOST_DRAWS;
    memset(to, 0, j->n * sizeof *to);
    for (size_t s = 0; s < draws; s++) {
        const double *const z = j->own.z + s * j->n;
        const double by = (z[i] - j->judged[i].mean) / j->judged[i].sd / (double)draws;
        for (size_t k = 0; k < j->n; k++)
            to[k] += j->is_point[k] ? 0 : (z[k] - j->judged[k].mean) * by;
    }
}

/* ---- what is there ---- */

typedef struct sums {
    double weight, mean, sd;
} sums;

/* Of p along a line, from place `from` to place `to`. */
static sums sum_up(const double *t, const double *p, int from, int to)
{
    sums s = {0};
    for (int k = from; k <= to; k++) {
        const double width = (t[k < to ? k + 1 : k] - t[k > from ? k - 1 : k]) / 2, w = p[k] * width;
        s.weight += w;
        s.mean += w * t[k];
        s.sd += w * t[k] * t[k];
    }
    s.mean /= s.weight;
    s.sd = sqrt(fmax(0, s.sd / s.weight - s.mean * s.mean));
    return s;
}

/* The core: 4 sd, or as far as draws of q reach. */
static int core_of(const gb_own_judgement *j, size_t i, const double *t)
{
    double reach = 0;
    for (size_t s = 0; s < j->own.count; s++)
        reach = fmax(reach, fabs(j->own.z[s * j->n + i] - j->judged[i].mean));
    int last = SIDE + EVEN;
    while (last < PLACES - 1 && t[last] * j->judged[i].sd < reach)
        last++;
    return last;
}

static void look_along(gb_own_judgement *j, size_t i, const double *t, double *log_p)
{
    double most = -INFINITY;
    for (int k = 0; k < PLACES; k++)
        most = fmax(most, log_p[k]);
    if (!(most > -INFINITY))
        return;
    for (int k = 0; k < PLACES; k++)
        log_p[k] = exp(log_p[k] - most);
    const int last = core_of(j, i, t);
    const sums core = sum_up(t, log_p, PLACES - 1 - last, last), all = sum_up(t, log_p, 0, PLACES - 1);
    const double share = 1 - core.weight / all.weight;
    const bool goes_on =
        core.weight == 0 || (j->judged[i].by_quantiles
                                 ? share > SHARE
                                 : all.sd > GROWN * core.sd || fabs(all.mean - core.mean) > MOVED * core.sd);
    if (goes_on && share > j->beyond.share)
        j->beyond = (gb_beyond){.number = i, .share = share, .from = t[last], .mean = all.mean, .sd = all.sd};
}

bool gb_judge_look_along_lines(gb_own_judgement *j)
{
    const size_t n = j->n;
    double t[PLACES], log_p[PLACES];
    size_t number[MOST_LINES];
    double *const direction = gb_memory_resize(&j->memory, NULL, (PLACES + 1) * n * sizeof *direction),
                  *const z = direction ? direction + n : NULL;
    if (!z)
        return gb_fail(j->tape, GB_ENOMEM, "judge: out of memory for %zu numbers", n) == GB_OK;
    find_places(t);
    bool good = true;
    for (size_t line = find_numbers(j, number); good && line-- > 0;) {
        const size_t i = number[line];
        find_direction(j, i, direction);
        for (int k = 0; k < PLACES; k++)
            for (size_t m = 0; m < n; m++)
                z[(size_t)k * n + m] =
                    (j->is_point[m] ? j->own.z[m] : j->judged[m].mean) + t[k] * direction[m];
        good = gb_density_evaluate(j->shown.density, PLACES, z, log_p, NULL, NULL) == GB_OK;
        if (good)
            look_along(j, i, t, log_p);
    }
    gb_memory_release(&j->memory, direction);
    return good;
}
