/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The picture of a watch: variance and signal-to-noise ratio of each estimator over the steps. */
#include <math.h>

#include "compare/tables/chart_impl.h"
#include "compare/watch.h"

enum { VARIANCE, SIGNAL, PANELS };

static const char *name_of(const void *of, size_t estimator)
{
    const gb_watching *const w = of;
    return *w->why[estimator] ? NULL : w->name[estimator];
}

static gb_chart_point point_of(const void *of, size_t panel, size_t estimator, size_t point)
{
    const gb_watching *const w = of;
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

gb_status gb_watching_svg(const gb_watching *w, FILE *file)
{
    static const gb_chart_panel panel[PANELS] = {
        [VARIANCE] = {.x = "step", .y = "variance of a gradient", .log_y = true},
        [SIGNAL] = {.x = "step", .y = "signal-to-noise ratio", .from_zero = true}};
    char note[160] = "";
    if (!w || !file)
        return GB_EARGUMENT;
    if (w->left_out > 0)
        snprintf(note, sizeof note, "%zu of %zu points were left out, for the watch's share of the time",
                 w->left_out, w->left_out + w->points);
    const gb_chart chart = {.title = "Gradients along a training, with 95 % intervals",
                            .note = note,
                            .panels = PANELS,
                            .panel = panel};
    const gb_chart_source lines = {
        .lines = w->estimators, .points = w->points, .name = name_of, .point = point_of, .of = w};
    return gb_chart_svg(chart, &lines, file);
}
