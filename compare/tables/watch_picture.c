/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The picture of a watch: variance and signal-to-noise ratio of each estimator over the steps. */
#include <math.h>
#include <stdlib.h>

#include "compare/tables/chart_impl.h"
#include "compare/watch.h"

enum { VARIANCE, SIGNAL, PANELS };

static gb_chart_point point_of(const gb_watching *w, size_t point, size_t estimator, size_t panel)
{
    const gb_watch_point *const p = &w->point[point];
    const gb_watched *const parameter = p->estimator[estimator].parameter;
    gb_chart_point made = {.x = (double)p->step, .y = (double)NAN, .low = (double)NAN, .high = (double)NAN};
    if (!parameter)
        return made;
    const gb_watched *const all = &parameter[w->parameters];
    const gb_figure *const f = panel == VARIANCE ? &all->variance : &all->snr;
    made.y = f->value;
    made.low = f->low;
    made.high = f->high;
    return made;
}

static gb_status draw(const gb_watching *w, FILE *file, gb_chart_line *line, gb_chart_point *point,
                      const char **name)
{
    gb_chart_panel panel[PANELS] = {
        [VARIANCE] = {.x = "step", .y = "variance of a gradient", .log_y = true},
        [SIGNAL] = {.x = "step", .y = "signal-to-noise ratio", .from_zero = true}};
    char note[160] = "";
    size_t names = 0;
    for (size_t e = 0; e < w->estimators; e++) {
        if (*w->why[e])
            continue;
        for (size_t which = 0; which < PANELS; which++) {
            gb_chart_point *const own = point + (which * w->estimators + names) * w->points;
            for (size_t i = 0; i < w->points; i++)
                own[i] = point_of(w, i, e, which);
            line[which * w->estimators + names] = (gb_chart_line){.points = w->points, .point = own};
        }
        name[names++] = w->name[e];
    }
    panel[VARIANCE].line = line;
    panel[SIGNAL].line = line + w->estimators;
    if (w->left_out > 0)
        snprintf(note, sizeof note, "%zu of %zu points were left out, for the watch's share of the time",
                 w->left_out, w->left_out + w->points);
    const gb_chart chart = {.title = "Gradients along a training, with 95 % intervals",
                            .note = note,
                            .panels = PANELS,
                            .panel = panel,
                            .names = names,
                            .name = name};
    return gb_chart_svg(&chart, file);
}

gb_status gb_watching_svg(const gb_watching *w, FILE *file)
{
    if (!w || !file)
        return GB_EARGUMENT;
    gb_chart_line *const line = calloc(PANELS * w->estimators + 1, sizeof *line);
    gb_chart_point *const point = calloc(PANELS * w->estimators * w->points + 1, sizeof *point);
    const char **const name = calloc(w->estimators + 1, sizeof *name);
    const gb_status status = line && point && name ? draw(w, file, line, point, name) : GB_ENOMEM;
    free(line);
    free(point);
    free(name);
    return status;
}
