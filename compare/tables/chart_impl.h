/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pictures of lines with intervals, as SVG: side by side, with one legend. They can be told apart by colours
 * for the colour-blind (Okabe and Ito 2008), by dashes and by marks, so also in print without colours. */
#ifndef GREBE_COMPARE_TABLES_CHART_IMPL_H
#define GREBE_COMPARE_TABLES_CHART_IMPL_H

#include <stdbool.h>
#include <stdio.h>

#include "core/status.h"

typedef struct gb_chart_point {
    double x, y, low, high; /* y NaN: a gap; low, high NaN: no interval */
} gb_chart_point;

typedef struct gb_chart_line {
    size_t points;
    const gb_chart_point *point;
} gb_chart_line;

typedef struct gb_chart_panel {
    const char *x, *y;         /* what the axes are */
    bool log_x, log_y;         /* no place for numbers of 0 and below */
    bool from_zero;            /* the linear y axis begins at 0 */
    double from, to;           /* of the y axis: what is outside is cut; 0 and 0: all is shown */
    const gb_chart_line *line; /* one for each name; filled by gb_chart_svg */
} gb_chart_panel;

typedef struct gb_chart {
    const char *title, *note; /* the note stands below; "": none */
    size_t panels;
    const gb_chart_panel *panel;
    size_t names; /* both filled by gb_chart_svg */
    const char *const *name;
} gb_chart;

/* Where the lines of a chart come from: each has as many points in each panel. */
typedef struct gb_chart_source {
    size_t lines, points;
    const char *(*name)(const void *of, size_t line); /* NULL: the line is left out */
    gb_chart_point (*point)(const void *of, size_t panel, size_t line, size_t point);
    const void *of; /* passed to both */
} gb_chart_source;

/* Draws a chart of up to 4 panels with these lines, which it fills in, as their names. Returns GB_ENOMEM, and
 * GB_ESYSTEM if the file cannot be written. */
gb_status gb_chart_svg(gb_chart chart, const gb_chart_source *source, FILE *file);

#endif
