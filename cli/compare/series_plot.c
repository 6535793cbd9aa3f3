/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the picture of a comparison as a script for gnuplot. For a sweep: variances as lines with error
 * bars, a panel for each parameter. Else: a bar for each parameter and estimator. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/series.h"
#include "cli/results/style.h"
#include "core/ground/text_impl.h"

enum { MOST_PANELS = 4, PANEL = 460, HEIGHT = 400 };

static size_t panels_of(const gb_comparison *c)
{
    return c->parameters < MOST_PANELS ? c->parameters : MOST_PANELS;
}

static void write_head(FILE *file, const gb_comparison *c, bool png, size_t panels)
{
    const int rows = (int)(c->estimators + 3) / 4;
    gb_cli_style_head(file, png, (int)panels * PANEL, HEIGHT + 20 * rows);
}

static void write_title(FILE *file, const gb_comparison *c)
{
    fputs(" title '", file);
    gb_cli_style_text(file, c->problem->formula);
    fprintf(file, ",  %lld %s'\n", (long long)c->samples, c->samples == 1 ? "sample" : "samples");
}

/* The first with results: it has the names of the parameters. */
static const gb_comparison *first_measured(const gb_cli_series *series)
{
    size_t i = 0;
    while (i + 1 < series->count && !gb_comparison_has_results(series->point[i]))
        i++;
    return series->point[i];
}

/* ---- over a sweep ---- */

/* A logarithmic axis has no place for 0, and rounding errors beside larger variances would only stretch
 * it. */
static bool shown(double variance, double largest)
{
    return variance > 1e-20 * largest && isfinite(variance);
}

static double largest_variance(const gb_cli_series *series, size_t parameter)
{
    double largest = 0;
    for (size_t i = 0; i < series->count; i++)
        for (size_t e = 0; e < series->point[i]->estimators; e++) {
            const gb_compared *const one = &series->point[i]->estimator[e];
            if (one->parameter && one->parameter[parameter].variance > largest)
                largest = one->parameter[parameter].variance;
        }
    return largest;
}

/* Returns how many points of a line can be drawn. */
static size_t write_line(FILE *file, const gb_cli_series *series, size_t parameter, size_t estimator,
                         double largest)
{
    size_t count = 0;
    fprintf(file, "$d%zu_%zu << end\n", parameter, estimator);
    for (size_t i = 0; i < series->count; i++) {
        const gb_compared *const e = &series->point[i]->estimator[estimator];
        const gb_measured *const m = e->parameter ? &e->parameter[parameter] : NULL;
        if (!m || !shown(m->variance, largest)) {
            fputc('\n', file); /* a gap */
            continue;
        }
        const double low = fmax(m->variance - m->variance_stderr, m->variance / 10);
        gb_cli_style_numbers(
            file, 4,
            (const double[]){series->swept->value[i], m->variance, low, m->variance + m->variance_stderr});
        fputc('\n', file);
        count++;
    }
    fputs("end\n", file);
    return count;
}

static void write_panel(FILE *file, const gb_cli_series *series, size_t parameter)
{
    const gb_comparison *const first = first_measured(series);
    const double largest = largest_variance(series, parameter);
    size_t count[GB_CLI_ESTIMATORS_MOST];
    for (size_t e = 0; e < first->estimators; e++)
        count[e] = write_line(file, series, parameter, e, largest);
    gb_cli_style_quoted(file, "set xlabel ", series->swept->setting,
                        "\nset ylabel 'variance of the gradient in '.");
    gb_cli_style_quoted(file, "", first->parameter[parameter], "\n");
    /* gnuplot finds no range if there is no point. */
    fputs(largest > 0 ? "set yrange [*:*]\nplot " : "set yrange [0.1:10]\nplot ", file);
    for (size_t e = 0; e < first->estimators; e++) {
        const char *const name = first->estimator[e].name;
        const int look = (int)(e % GB_CLI_COLOURS);
        if (count[e] > 0)
            fprintf(file, "%s$d%zu_%zu using 1:2:3:4 with yerrorlines lc rgb '%s' pt %d ps 0.6 lw 1.5 title ",
                    e ? ", " : "", parameter, e, gb_cli_colour[look], gb_cli_mark[look]);
        else
            fprintf(file, "%sNaN with lines lc rgb '%s' title ", e ? ", " : "", gb_cli_colour[look]);
        gb_cli_style_quoted(file, "", name, count[e] > 0 ? "" : ".' (0: not shown)'");
    }
    fputc('\n', file);
}

static void write_swept(FILE *file, const gb_cli_series *series, bool png)
{
    const gb_comparison *const c = first_measured(series);
    const gb_sweep *const swept = series->swept;
    const size_t panels = panels_of(c);
    write_head(file, c, png, panels);
    const bool is_path = !series->sweep->setting;
    const double from = is_path ? swept->value[0] : series->sweep->from,
                 to = is_path ? fmax(swept->value[swept->points - 1], from + 1) : series->sweep->to;
    fprintf(file, "set logscale y\n%sset xrange [", series->sweep->logarithmic ? "set logscale x\n" : "");
    gb_put_number(file, from);
    fputc(':', file);
    gb_put_number(file, to);
    fputs("]\n", file);
    fprintf(file, "set multiplot layout 1,%zu", panels);
    write_title(file, c);
    for (size_t p = 0; p < panels; p++)
        write_panel(file, series, p);
    fputs("unset multiplot\n", file);
}

/* ---- bars ---- */

static void write_bars(FILE *file, const gb_comparison *c)
{
    fputs("$d << end\n", file);
    for (size_t p = 0; p < c->parameters; p++) {
        fprintf(file, "%zu", p);
        for (size_t e = 0; e < c->estimators; e++) {
            const gb_measured *const m = c->estimator[e].parameter ? &c->estimator[e].parameter[p] : NULL;
            if (m && m->variance > 0)
                gb_cli_style_numbers(file, 2, (const double[]){m->variance, m->variance_stderr});
            else
                fputs(" 0 0", file);
        }
        fputc('\n', file);
    }
    fputs("end\n", file);
}

static void write_ticks(FILE *file, const gb_comparison *c)
{
    fputs(c->parameters > 8 ? "set xtics rotate by -60 (" : "set xtics (", file);
    for (size_t p = 0; p < c->parameters; p++) {
        gb_cli_style_quoted(file, p ? ", " : "", c->parameter[p], "");
        fprintf(file, " %zu", p);
    }
    fputs(")\n", file);
}

/* Bars of equal length are useless if one variance is a hundred times larger: then the axis is
 * logarithmic. */
static bool spreads(const gb_comparison *c)
{
    double least = INFINITY, most = 0;
    for (size_t e = 0; e < c->estimators; e++)
        for (size_t p = 0; c->estimator[e].parameter && p < c->parameters; p++) {
            const double variance = c->estimator[e].parameter[p].variance;
            if (variance > 0)
                least = fmin(least, variance);
            most = fmax(most, variance);
        }
    return most > 50 * least;
}

static bool has_bar(const gb_comparison *c, size_t estimator)
{
    const gb_measured *const m = c->estimator[estimator].parameter;
    for (size_t p = 0; m && p < c->parameters; p++)
        if (m[p].variance > 0)
            return true;
    return !m;
}

static void write_one(FILE *file, const gb_comparison *c, bool png)
{
    const bool logarithmic = spreads(c);
    write_head(file, c, png, c->parameters > 8 ? 3 : 2);
    fputs("set", file);
    write_title(file, c);
    fprintf(file,
            "set ylabel 'variance of the gradient'\nset yrange [%s:*]\n%sset style data histogram\n"
            "set style histogram errorbars gap 2 lw 1\nset style fill solid 0.9 border -1\n",
            logarithmic ? "*" : "0", logarithmic ? "set logscale y\n" : "");
    write_ticks(file, c);
    write_bars(file, c);
    fputs("plot ", file);
    for (size_t e = 0; e < c->estimators; e++) {
        fprintf(file, "%s$d using %zu:%zu lc rgb '%s' title ", e ? ", " : "", 2 * e + 2, 2 * e + 3,
                gb_cli_colour[e % GB_CLI_COLOURS]);
        gb_cli_style_quoted(file, "", c->estimator[e].name, has_bar(c, e) ? "" : ".' (0: not shown)'");
    }
    fputc('\n', file);
}

void gb_cli_series_plot(const void *of, bool png, FILE *file)
{
    const gb_cli_series *const series = of;
    if (series->swept)
        write_swept(file, series, png);
    else
        write_one(file, first_measured(series), png);
}
