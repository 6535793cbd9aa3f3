/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The picture of a race: what is followed, over steps and over seconds. */
#include <math.h>
#include <stdlib.h>

#include "compare/race.h"
#include "compare/tables/chart_impl.h"

enum { STEPS, SECONDS, PANELS };

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median over the trainings: other processes may hold one up. The start takes no time, which has no place
 * on a logarithmic axis. */
static double seconds_of(const gb_racing *r, const gb_raced *one, size_t point, double *scratch)
{
    size_t count = 0;
    if (!one->seconds)
        return r->step[point] > 0 ? one->point[point].seconds.value : (double)NAN;
    for (size_t s = 0; s < (size_t)r->seeds; s++)
        if (isfinite(one->seconds[s * r->points + point]))
            scratch[count++] = one->seconds[s * r->points + point];
    qsort(scratch, count, sizeof *scratch, ascending);
    return count > 0 && r->step[point] > 0 ? scratch[count / 2] : (double)NAN;
}

typedef struct source {
    const gb_racing *race;
    double *scratch; /* one number for each training */
} source;

static const char *name_of(const void *of, size_t estimator)
{
    const gb_raced *const one = &((const source *)of)->race->estimator[estimator];
    return one->point ? one->name : NULL;
}

static gb_chart_point point_of(const void *of, size_t panel, size_t estimator, size_t point)
{
    const source *const s = of;
    const gb_raced *const one = &s->race->estimator[estimator];
    const gb_race_point *const p = &one->point[point];
    const double step = (double)s->race->step[point];
    return (gb_chart_point){.x = panel == STEPS ? step : seconds_of(s->race, one, point, s->scratch),
                            .y = p->value.value,
                            .low = p->value.low,
                            .high = p->value.high};
}

/* From the best value on, as far as the worst one after the first fifth of the training: the start would take
 * all the room. */
static void find_range(const gb_racing *r, double *from, double *to)
{
    *from = HUGE_VAL;
    *to = -HUGE_VAL;
    for (size_t i = 0; i < r->estimators; i++)
        for (size_t p = 0; r->estimator[i].point && p < r->points; p++) {
            const double value = r->estimator[i].point[p].value.value;
            if (!isfinite(value) || p < r->points / 5)
                continue;
            *from = fmin(*from, value);
            *to = fmax(*to, value);
        }
    const double room = (*to - *from) / 4;
    *from -= r->rises ? room : room / 4;
    *to += r->rises ? room / 4 : room;
}

static gb_status draw(const gb_racing *r, FILE *file, const source *s)
{
    const char *const y = r->rises ? "the bound (higher is better)" : "expected cost (lower is better)";
    gb_chart_panel panel[PANELS] = {
        [STEPS] = {.x = "step", .y = y}, [SECONDS] = {.x = "seconds", .y = y, .log_x = true}};
    char title[256];
    find_range(r, &panel[STEPS].from, &panel[STEPS].to);
    panel[SECONDS].from = panel[STEPS].from;
    panel[SECONDS].to = panel[STEPS].to;
    snprintf(title, sizeof title, "%s, where each estimator trains by itself", r->what);
    const gb_chart chart = {.title = title,
                            .note = r->seeds > 1 ? "means over trainings, with 95 % intervals" : "",
                            .panels = PANELS,
                            .panel = panel};
    const gb_chart_source lines = {
        .lines = r->estimators, .points = r->points, .name = name_of, .point = point_of, .of = s};
    return gb_chart_svg(chart, &lines, file);
}

gb_status gb_racing_svg(const gb_racing *r, FILE *file)
{
    if (!r || !file)
        return GB_EARGUMENT;
    double *const scratch = calloc((size_t)r->seeds + 1, sizeof *scratch);
    const gb_status status = scratch ? draw(r, file, &(source){.race = r, .scratch = scratch}) : GB_ENOMEM;
    free(scratch);
    return status;
}
