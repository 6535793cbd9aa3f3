/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Places where p is more than q covers: on rays through draws and lines along numbers, far out, and draws of
 * large weights. */
#include <math.h>
#include <string.h>

#include "fitting/judge/covered_impl.h"

/* Distances in sd are 4, 8 … 131,072, along rays through so many draws: the first, the heaviest, and the
 * heaviest of the wider ones. */
enum { RADII = 16, FIRST = 64, HEAVIEST = 32, RAYS = FIRST + 2 * HEAVIEST };

/* A place counts where p is more than twice what q covers. */
static const double MORE = 0.69314718055994530942; /* log 2 */

typedef struct search {
    const gb_own_judgement *j;
    gb_covered *q;
    size_t rays, places; /* the heaviest draws themselves come after the rays */
    double *x, *log_p, *direction;
} search;

/* Writes one ray, the farthest place last: from q's mean by `by` times a direction of length 1 sd. */
static void write_ray(search *a, const double *direction, double by)
{
    const gb_own_judgement *const j = a->j;
    double *const x = a->x + a->rays++ * RADII * j->n;
    for (size_t r = 0; r < RADII; r++)
        for (size_t i = 0; i < j->n; i++)
            x[r * j->n + i] =
                j->is_point[i] ? j->own.z[i] : j->judged[i].mean + by * 4 * (double)(1u << r) * direction[i];
}

/* Through a draw, whose distance from the mean in q's sd is about √m. */
static void write_ray_through(search *a, const double *draw)
{
    for (size_t i = 0; i < a->j->n; i++)
        a->direction[i] = draw[i] - a->j->judged[i].mean;
    write_ray(a, a->direction, 1 / sqrt((double)a->q->m));
}

/* Along each number, both ways. */
static void write_lines(search *a, size_t lines, const size_t *number)
{
    for (size_t l = 0; l < lines; l++) {
        gb_judge_direction(a->j, number[l], a->direction);
        write_ray(a, a->direction, 1);
        write_ray(a, a->direction, -1);
    }
}

static void write_places(search *a, size_t lines, const size_t *number)
{
    const gb_own_judgement *const j = a->j;
    const gb_weighed *const from[] = {&j->own, &j->wide};
    const size_t n = j->n;
    size_t heaviest[2][HEAVIEST];
    write_lines(a, lines, number);
    for (size_t s = 0; s < FIRST; s++)
        write_ray_through(a, j->own.z + s * n);
    for (size_t w = 0; w < 2; w++) {
        gb_judge_heaviest(from[w], HEAVIEST, heaviest[w]);
        for (size_t s = 0; s < HEAVIEST; s++)
            write_ray_through(a, from[w]->z + heaviest[w][s] * n);
    }
    a->places = a->rays * RADII;
    for (size_t w = 0; w < 2; w++)
        for (size_t s = 0; s < HEAVIEST; s++)
            memcpy(a->x + a->places++ * n, from[w]->z + heaviest[w][s] * n, n * sizeof *a->x);
}

static void take_if_more(const search *a, size_t p, gb_far_places *to)
{
    const size_t n = a->j->n;
    const double *const x = a->x + p * n;
    if (isfinite(a->log_p[p]) && a->log_p[p] > gb_covered_log(a->q, x) + MORE)
        memcpy(to->x + to->count++ * n, x, n * sizeof *x);
}

/* The farthest first, some at each distance; then the draws. */
static void choose(const search *a, size_t most, gb_far_places *to)
{
    for (size_t r = RADII; r-- > 0;)
        for (size_t s = 0; s < a->rays && to->count < most * (RADII - r) / RADII; s++)
            take_if_more(a, s * RADII + r, to);
    for (size_t p = a->rays * RADII; p < a->places; p++)
        take_if_more(a, p, to);
}

bool gb_judge_far_places(gb_covered *q, size_t most, gb_far_places *found)
{
    const gb_own_judgement *const j = q->j;
    size_t number[GB_JUDGE_LINES];
    const size_t n = j->n, lines = gb_judge_lines(j, number), single = 2 * HEAVIEST,
                 places = (RAYS + 2 * lines) * RADII + single, room = (most < RADII ? RADII : most) + single;
    search a = {
        .j = j, .q = q, .x = gb_memory_resize(&j->memory, NULL, (places * (n + 1) + n) * sizeof *a.x)};
    *found = (gb_far_places){.x = gb_memory_resize(&j->memory, NULL, room * (n + 1) * sizeof *found->x)};
    bool good = a.x && found->x;
    if (!good)
        gb_fail(j->tape, GB_ENOMEM, "judge: out of memory for %zu numbers", n);
    if (good) {
        found->log_p = found->x + room * n;
        a.log_p = a.x + places * n;
        a.direction = a.log_p + places;
        write_places(&a, lines, number);
        good = gb_density_evaluate(j->shown.density, places, a.x, a.log_p, NULL, NULL) == GB_OK;
    }
    if (good)
        choose(&a, room - single, found);
    gb_memory_release(&j->memory, a.x);
    return good;
}
