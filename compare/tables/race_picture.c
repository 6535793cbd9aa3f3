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

static gb_chart_point point_of(const gb_racing *r, const gb_raced *one, size_t point, size_t panel,
                               double *scratch)
{
    const gb_race_point *const p = &one->point[point];
    return (gb_chart_point){.x = panel == STEPS ? (double)r->step[point] : seconds_of(r, one, point, scratch),
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

static gb_status draw(const gb_racing *r, FILE *file, gb_chart_line *line, gb_chart_point *point,
                      const char **name, double *scratch)
{
    gb_chart_panel panel[PANELS] = {[STEPS] = {.x = "step"}, [SECONDS] = {.x = "seconds", .log_x = true}};
    char title[256];
    size_t names = 0;
    double from, to;
    find_range(r, &from, &to);
    snprintf(title, sizeof title, "%s, where each estimator trains by itself", r->what);
    for (size_t i = 0; i < r->estimators; i++) {
        if (!r->estimator[i].point)
            continue;
        for (size_t which = 0; which < PANELS; which++) {
            gb_chart_point *const own = point + (which * r->estimators + names) * r->points;
            for (size_t p = 0; p < r->points; p++)
                own[p] = point_of(r, &r->estimator[i], p, which, scratch);
            line[which * r->estimators + names] = (gb_chart_line){.points = r->points, .point = own};
        }
        name[names++] = r->estimator[i].name;
    }
    for (size_t which = 0; which < PANELS; which++) {
        panel[which].y = r->rises ? "the bound (higher is better)" : "expected cost (lower is better)";
        panel[which].line = line + which * r->estimators;
        panel[which].from = from;
        panel[which].to = to;
    }
    const gb_chart chart = {.title = title,
                            .note = r->seeds > 1 ? "means over trainings, with 95 % intervals" : "",
                            .panels = PANELS,
                            .panel = panel,
                            .names = names,
                            .name = name};
    return gb_chart_svg(&chart, file);
}

gb_status gb_racing_svg(const gb_racing *r, FILE *file)
{
    if (!r || !file)
        return GB_EARGUMENT;
    gb_chart_line *const line = calloc(PANELS * r->estimators + 1, sizeof *line);
    gb_chart_point *const point = calloc(PANELS * r->estimators * r->points + 1, sizeof *point);
    const char **const name = calloc(r->estimators + 1, sizeof *name);
    double *const scratch = calloc((size_t)r->seeds + 1, sizeof *scratch);
    const gb_status status =
        line && point && name && scratch ? draw(r, file, line, point, name, scratch) : GB_ENOMEM;
    free(scratch);
    free(line);
    free(point);
    free(name);
    return status;
}
