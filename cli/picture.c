/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/picture.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/say.h"

enum { PANELS = 4, WIDTH = 430, HEIGHT = 330 };

/* Okabe and Ito's, told apart by the colour-blind. */
static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                      "#E69F00", "#56B4E9", "#000000"};
enum { COLOURS = sizeof colours / sizeof *colours };

bool gb_cli_has_gnuplot(void)
{
    return system("command -v gnuplot >/dev/null 2>&1") == 0;
}

static const char *ending_of(const char *path)
{
    const char *const dot = strrchr(path, '.');
    return dot ? dot + 1 : "";
}

bool gb_cli_picture_fits(const char *path)
{
    const char *const ending = ending_of(path);
    return strcmp(ending, "svg") == 0 || strcmp(ending, "png") == 0 ||
           gb_cli_say(false, "--plot %s: a picture ends in .svg or .png", path);
}

static size_t panels_of(const gb_cli_series *s)
{
    const size_t parameters = s->comparison[0]->parameters;
    return parameters < PANELS ? parameters : PANELS;
}

/* Nothing of a name may end a text of gnuplot's. */
static void write_name(FILE *out, const char *name)
{
    for (; *name; name++)
        if (*name != '\'' && *name != '"' && *name != '\\' && *name != '\n')
            fputc(*name, out);
}

static void write_head(FILE *out, const char *path, const char *to, const gb_cli_series *s)
{
    const size_t panels = panels_of(s);
    const bool svg = strcmp(ending_of(path), "svg") == 0;
    fprintf(out, "set terminal %s size %zu,%d font '%s' background '#ffffff'\n", svg ? "svg" : "pngcairo",
            WIDTH * panels, HEIGHT, svg ? "sans-serif,11" : "sans,10");
    fprintf(out, "set output '%s'\n", to);
    fprintf(out, "set multiplot layout 1,%zu title '", panels);
    write_name(out, s->comparison[0]->problem->formula);
    fprintf(out,
            "' noenhanced\nset logscale y\nset format y '10^{%%L}'\nset border 3\nset tics nomirror out\n"
            "set key noenhanced bmargin center horizontal font ',9'\nset grid y lc rgb '#dddddd'\n");
}

static void write_line(FILE *out, const gb_cli_series *s, size_t estimator, size_t parameter)
{
    fprintf(out, "$e%zu_%zu << END\n", estimator, parameter);
    for (size_t i = 0; i < s->count; i++) {
        const gb_measured *const all = s->comparison[i]->estimator[estimator].parameter;
        const gb_measured *const m = all ? &all[parameter] : NULL;
        if (m && m->variance > 0)
            fprintf(out, "%.9g %.6g %.6g\n", s->setting ? s->value[i] : (double)estimator, m->variance,
                    m->variance_stderr);
    }
    fprintf(out, "END\n");
}

/* An exact one has no variance, and no place on a logarithmic scale. */
static bool is_drawn(const gb_cli_series *s, size_t estimator, size_t parameter)
{
    for (size_t i = 0; i < s->count; i++) {
        const gb_measured *const all = s->comparison[i]->estimator[estimator].parameter;
        if (all && all[parameter].variance > 0)
            return true;
    }
    return false;
}

static void write_panel(FILE *out, const gb_cli_series *s, size_t parameter)
{
    const gb_comparison *const c = s->comparison[0];
    const char *separator = "plot ";
    for (size_t e = 0; e < c->estimators; e++)
        write_line(out, s, e, parameter);
    fprintf(out, "set ylabel 'variance of the gradient in ");
    write_name(out, c->parameter[parameter]);
    fprintf(out, "' noenhanced\n");
    if (s->setting)
        fprintf(out, "set xlabel '%s'\n", s->setting);
    else
        fprintf(out, "set xrange [-0.6:%g]\nunset xtics\nset boxwidth 0.7\nset style fill solid 0.5\n",
                (double)c->estimators - 0.4);
    for (size_t e = 0; e < c->estimators; e++) {
        if (!is_drawn(s, e, parameter))
            continue;
        fprintf(out, "%s$e%zu_%zu with %s lc rgb '%s' title '", separator, e, parameter,
                s->setting ? "yerrorlines pt 7 ps 0.4 lw 1.5" : "boxerrorbars", colours[e % COLOURS]);
        write_name(out, c->estimator[e].name);
        fputc('\'', out);
        separator = ", ";
    }
    fprintf(out, strcmp(separator, ", ") == 0 ? "\n" : "plot [0:1][1:10] NaN notitle\n");
}

gb_cli_code gb_cli_picture(gb_cli_files *files, const char *path, const gb_cli_series *series)
{
    if (!gb_cli_has_gnuplot())
        return gb_cli_say(GB_CLI_OK, "there is no gnuplot here, and so no picture in %s; all else goes on",
                          path);
    if (!gb_cli_files_open(files, path))
        return GB_CLI_IO;
    const gb_cli_file *const file = &files->file[files->count - 1];
    FILE *const out = popen("gnuplot", "w");
    if (!out)
        return gb_cli_say(GB_CLI_IO, "cannot run gnuplot: %s", strerror(errno));
    write_head(out, path, file->temporary[0] ? file->temporary : path, series);
    for (size_t i = 0; i < panels_of(series); i++)
        write_panel(out, series, i);
    fprintf(out, "unset multiplot\n");
    return pclose(out) == 0 ? GB_CLI_OK : gb_cli_say(GB_CLI_IO, "gnuplot could not draw %s", path);
}
