/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Does p go on along one number, where no draw reaches?
 *
 * A narrow core on a wide and low slab is fitted by the core, and draws of q, or somewhat wider ones, end
 * long before the slab has a weight. So p is followed along lines, far out: through q's mean, in the
 * direction in which q moves all numbers with one of them. What p weighs there is summed as for a density of
 * one number, as if the others were as free everywhere as they are at q's mean. Constrained values are looked
 * at on the same lines: what is next to nothing for log x may be most of the mean of x. */
#include <math.h>
#include <string.h>

#include "fitting/judge/judging_impl.h"

/* Places of one side, in sd: evenly to 4, then ever further apart, to 4 · 1.25⁴⁴ = 73,000. */
enum { EVEN = 8, FAR = 44, SIDE = EVEN + FAR, PLACES = 2 * SIDE + 1, MOST_DRAWS = 4000, MOST_VALUES = 4096 };
static const double RATIO = 1.25;

/* The mean may move, and the sd grow, by so much of the sd within the core. */
static const double MOVED = 0.3, GROWN = 1.3;

/* Where there is no sd to compare, so much weight may be further out. */
static const double SHARE = 0.05;

/* A value that varies by less is constant. */
static const double ROUNDING = 1e-12;

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
size_t gb_judge_lines(const gb_own_judgement *j, size_t number[GB_JUDGE_LINES])
{
    size_t count = 0, draw[GB_JUDGE_LINES];
    for (size_t i = 0; i < j->n && j->spread <= GB_JUDGE_LINES; i++)
        if (!j->is_point[i])
            number[count++] = i;
    if (count > 0)
        return count;
    gb_judge_heaviest(&j->own, GB_JUDGE_LINES, draw);
    for (size_t k = 0; k < GB_JUDGE_LINES; k++) {
        const size_t i = farthest(j, j->own.z + draw[k] * j->n);
        if (!is_among(number, count, i))
            number[count++] = i;
    }
    return count;
}

void gb_judge_direction(const gb_own_judgement *j, size_t i, double *to)
{
    const size_t draws = j->own.count < MOST_DRAWS ? j->own.count : MOST_DRAWS;
    memset(to, 0, j->n * sizeof *to);
    for (size_t s = 0; s < draws; s++) {
        const double *const z = j->own.z + s * j->n;
        const double by = (z[i] - j->judged[i].mean) / j->judged[i].sd / (double)draws;
        for (size_t k = 0; k < j->n; k++)
            to[k] += j->is_point[k] ? 0 : (z[k] - j->judged[k].mean) * by;
    }
    /* Far out, a correlation by chance would lead away from the line. */
    const double chance = 4 / sqrt((double)draws);
    for (size_t k = 0; k < j->n; k++)
        if (k != i && fabs(to[k]) < chance * j->judged[k].sd)
            to[k] = 0;
}

/* ---- what is there ---- */

/* Of p along a line, in the units of what is followed: its own sd along the line, or those of a value. */
typedef struct sums {
    double weight, mean, sd;
} sums;

typedef struct line {
    gb_own_judgement *j;
    double t[PLACES];
    double *z, *value, *direction; /* of the places; of the places, NULL: not followed; (n) */
    double log_p[PLACES], p[PLACES];
    double x[PLACES]; /* what is followed, from where it is at q's mean */
} line;

/* From place `from` to place `to`. */
static sums sum_up(const line *l, int from, int to)
{
    sums s = {0};
    for (int k = from; k <= to; k++) {
        const double width = (l->t[k < to ? k + 1 : k] - l->t[k > from ? k - 1 : k]) / 2, w = l->p[k] * width;
        if (!(w > 0)) /* a value may overflow there */
            continue;
        s.weight += w;
        s.mean += w * l->x[k];
        s.sd += w * l->x[k] * l->x[k];
    }
    s.mean /= s.weight;
    s.sd = sqrt(fmax(0, s.sd / s.weight - s.mean * s.mean));
    return s;
}

/* The core: 4 sd, or as far as draws of q reach. */
static int core_of(const line *l, size_t i)
{
    const gb_own_judgement *const j = l->j;
    double reach = 0;
    for (size_t s = 0; s < j->own.count; s++)
        reach = fmax(reach, fabs(j->own.z[s * j->n + i] - j->judged[i].mean));
    int last = SIDE + EVEN;
    while (last < PLACES - 1 && l->t[last] * j->judged[i].sd < reach)
        last++;
    return last;
}

/* Number i, or the value of number i ≥ n, whose x is set. */
static void compare(const line *l, size_t i, int last)
{
    gb_own_judgement *const j = l->j;
    const sums core = sum_up(l, PLACES - 1 - last, last), all = sum_up(l, 0, PLACES - 1);
    const double share = 1 - core.weight / all.weight;
    const bool goes_on =
        core.weight == 0 || (j->judged[i].by_quantiles
                                 ? share > SHARE
                                 : all.sd > GROWN * core.sd || fabs(all.mean - core.mean) > MOVED * core.sd);
    if (goes_on && share > j->beyond.share)
        j->beyond = (gb_beyond){.number = i,
                                .share = share,
                                .from = l->t[last],
                                .mean = all.mean / j->judged[i].sd,
                                .sd = all.sd / j->judged[i].sd};
}

static bool find_height(line *l)
{
    double most = -INFINITY;
    for (int k = 0; k < PLACES; k++)
        most = fmax(most, l->log_p[k]);
    for (int k = 0; k < PLACES; k++)
        l->p[k] = exp(l->log_p[k] - most);
    return most > -INFINITY;
}

static void look_along(line *l, size_t i)
{
    const gb_own_judgement *const j = l->j;
    if (!find_height(l))
        return;
    const int last = core_of(l, i);
    for (int k = 0; k < PLACES; k++)
        l->x[k] = l->t[k] * j->judged[i].sd;
    compare(l, i, last);
    for (size_t v = 0; l->value && v < j->values; v++) {
        const double middle = l->value[SIDE * j->values + v];
        if (j->is_point[j->n + v] || !(j->judged[j->n + v].sd > ROUNDING * fabs(middle)))
            continue;
        for (int k = 0; k < PLACES; k++)
            l->x[k] = l->value[(size_t)k * j->values + v] - middle;
        compare(l, j->n + v, last);
    }
}

static bool evaluate(line *l, size_t i)
{
    const gb_own_judgement *const j = l->j;
    gb_judge_direction(j, i, l->direction);
    for (size_t k = 0; k < PLACES; k++)
        for (size_t m = 0; m < j->n; m++)
            l->z[k * j->n + m] =
                (j->is_point[m] ? j->own.z[m] : j->judged[m].mean) + l->t[k] * l->direction[m];
    return gb_density_evaluate(j->shown.density, PLACES, l->z, l->log_p, NULL, NULL) == GB_OK &&
           (!l->value || gb_density_values(j->shown.density, PLACES, l->z, l->value) == GB_OK);
}

bool gb_judge_look_along_lines(gb_own_judgement *j)
{
    const size_t followed = j->values <= MOST_VALUES ? j->values : 0;
    const size_t numbers = (PLACES + 1) * j->n + PLACES * followed;
    size_t number[GB_JUDGE_LINES];
    line l = {.j = j, .direction = gb_memory_resize(&j->memory, NULL, numbers * sizeof(double))};
    if (!l.direction)
        return gb_fail(j->tape, GB_ENOMEM, "judge: out of memory for %zu numbers", j->n) == GB_OK;
    l.z = l.direction + j->n;
    l.value = followed > 0 ? l.z + PLACES * j->n : NULL;
    find_places(l.t);
    bool good = true;
    for (size_t lines = gb_judge_lines(j, number); good && lines-- > 0;) {
        good = evaluate(&l, number[lines]);
        if (good)
            look_along(&l, number[lines]);
    }
    gb_memory_release(&j->memory, l.direction);
    return good;
}
