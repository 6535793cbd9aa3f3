/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A watch as tables: a line for each point, a column for each estimator. */
#include <math.h>

#include "compare/tables/cells_impl.h"
#include "compare/watch.h"
#include "core/ground/text_impl.h"

enum { DIGITS = 4, STEP = 8, OF_FIGURE = 22, OF_INTERVAL = 32, MOST_PARAMETERS = 6 };

/* ---- cells ---- */

static int width_of(const gb_watching *w, size_t estimator, int least)
{
    const int width = gb_cell_width(w->name[estimator]) + 2;
    return width < least ? least : width;
}

static void write_interval(const gb_figure *f, char text[GB_CELL])
{
    if (isnan(f->value))
        snprintf(text, GB_CELL, "-");
    else
        snprintf(text, GB_CELL, "%.3g [%.3g, %.3g]", f->value, f->low, f->high);
}

/* The parts as shares of the whole. */
static void write_parts(const gb_watched *p, char text[GB_CELL])
{
    const double whole = p->variance.value, draws = p->of_draws.value, batches = p->of_batches.value;
    if (!(whole > 0) || isnan(draws) || isnan(batches))
        snprintf(text, GB_CELL, "-");
    else
        snprintf(text, GB_CELL, "%.0f %% %c %.0f %%", 100 * draws / whole, batches < 0 ? '-' : '+',
                 100 * fabs(batches) / whole);
}

/* ---- tables ---- */

/* What a table shows of one estimator at a point: in a parameter, or (their number) in all. */
typedef void write_cell(const gb_watched_estimator *e, size_t parameter, size_t draw, char text[GB_CELL]);

static void of_variance(const gb_watched_estimator *e, size_t parameter, size_t draw, char text[GB_CELL])
{
    (void)draw;
    gb_cell_figure(&e->parameter[parameter].variance, 1, DIGITS, text);
}

static void of_parts(const gb_watched_estimator *e, size_t parameter, size_t draw, char text[GB_CELL])
{
    (void)draw;
    write_parts(&e->parameter[parameter], text);
}

static void of_draw(const gb_watched_estimator *e, size_t parameter, size_t draw, char text[GB_CELL])
{
    gb_cell_figure(&e->parameter[parameter].of_draw[draw], 1, DIGITS, text);
}

static void of_signal(const gb_watched_estimator *e, size_t parameter, size_t draw, char text[GB_CELL])
{
    (void)draw;
    write_interval(&e->parameter[parameter].snr, text);
}

static void of_ratio(const gb_watched_estimator *e, size_t parameter, size_t draw, char text[GB_CELL])
{
    (void)parameter;
    (void)draw;
    write_interval(&e->ratio, text);
}

static void print_head(const gb_watching *w, FILE *file, int width)
{
    fprintf(file, "%*s", STEP, "step");
    for (size_t i = 0; i < w->estimators; i++)
        if (!*w->why[i])
            gb_cell_put(file, w->name[i], width_of(w, i, width));
    fputc('\n', file);
}

static void print_table(const gb_watching *w, FILE *file, size_t parameter, size_t draw, write_cell *write)
{
    const int width = write == of_signal || write == of_ratio ? OF_INTERVAL : OF_FIGURE;
    print_head(w, file, width);
    for (size_t p = 0; p < w->points; p++) {
        fprintf(file, "%*llu", STEP, (unsigned long long)w->point[p].step);
        for (size_t i = 0; i < w->estimators; i++) {
            const gb_watched_estimator *const e = &w->point[p].estimator[i];
            char text[GB_CELL] = "-";
            if (e->parameter)
                write(e, parameter, draw, text);
            if (!*w->why[i])
                gb_cell_put(file, text, width_of(w, i, width));
        }
        fputc('\n', file);
    }
}

static void print_bounds(const gb_watching *w, FILE *file)
{
    fputs("\nthe bound\n", file);
    for (size_t p = 0; p < w->points; p++) {
        char text[GB_CELL] = "-";
        for (size_t i = 0; i < w->estimators && *text == '-' && !text[1]; i++)
            gb_cell_figure(&w->point[p].estimator[i].bound, 1, DIGITS, text);
        fprintf(file, "%*llu", STEP, (unsigned long long)w->point[p].step);
        gb_cell_put(file, text, OF_FIGURE);
        fputc('\n', file);
    }
}

/* The mean over the points. */
static void print_costs(const gb_watching *w, FILE *file)
{
    fputs("\ncost of a gradient\n", file);
    for (size_t i = 0; i < w->estimators; i++) {
        double seconds = 0, squares = 0, count = 0;
        for (size_t p = 0; p < w->points; p++) {
            const gb_figure *const s = &w->point[p].estimator[i].seconds;
            if (isnan(s->value))
                continue;
            seconds += s->value;
            squares += s->error * s->error;
            count++;
        }
        if (count > 0)
            fprintf(file, "    %s: %g %s, %.3g ± %.1g µs\n", w->name[i], w->point[0].estimator[i].evaluations,
                    w->point[0].estimator[i].evaluations == 1 ? "evaluation" : "evaluations",
                    1e6 * seconds / count, 1e6 * sqrt(squares) / count);
    }
}

/* ---- words ---- */

static void print_words(const gb_watching *w, FILE *file)
{
    for (size_t i = 0; i < w->estimators; i++) {
        if (*w->why[i])
            fprintf(file, "\n%s is left out: %s\n", w->name[i], w->why[i]);
        else
            gb_cell_put_bias(file, w->name[i]);
    }
    for (size_t i = 0; i < w->draws; i++)
        if (*w->draw_why[i])
            fprintf(file, "\nwhat draw %s brings alone is not known: %s\n", w->draw[i], w->draw_why[i]);
    if (w->status != GB_OK && *w->error)
        fprintf(file, "\n%s: %s\n", gb_status_text(w->status), w->error);
    if (w->left_out > 0)
        fprintf(file,
                "\n%zu of %zu points were left out: they would have taken more than the watch's share of the "
                "time (.share, .seconds); it took %.2g s beside a training of %.2g s\n",
                w->left_out, w->left_out + w->points, w->seconds, w->training_seconds);
    if (w->points == 0 && w->left_out == 0)
        fputs("no point was measured: no training ran (gb_fit with .optimiser, or gb_watching_look)\n", file);
}

/* ---- the whole ---- */

static void print_summary(const gb_watching *w, FILE *file)
{
    int64_t numbers = 0;
    for (size_t i = 0; i < w->parameters; i++)
        numbers += w->numbers[i];
    fprintf(file, "%lld gradients by each estimator at each point, in %lld %s together, ",
            (long long)w->gradients, (long long)numbers, numbers == 1 ? "number" : "numbers");
    if (w->batches > 1)
        fprintf(file, "%lld on each of %lld batches\n", (long long)(w->gradients / w->batches),
                (long long)w->batches);
    else
        fputs("on the same data\n", file);
}

static bool has_parts(const gb_watching *w)
{
    return w->batches > 1;
}

static bool has_draws(const gb_watching *w)
{
    for (size_t i = 0; w->points > 0 && i < w->estimators; i++)
        if (w->point[0].estimator[i].parameter && w->point[0].estimator[i].parameter->of_draw)
            return true;
    return false;
}

static size_t measured(const gb_watching *w)
{
    size_t count = 0;
    for (size_t i = 0; i < w->estimators; i++)
        count += !*w->why[i];
    return count;
}

static void print_parameters(const gb_watching *w, FILE *file)
{
    for (size_t i = 0; w->parameters > 1 && i < w->parameters && i < MOST_PARAMETERS; i++) {
        fprintf(file, "\nvariance in %s", w->parameter[i]);
        fprintf(file, w->numbers[i] == 1 ? "\n" : ", %lld numbers together\n", (long long)w->numbers[i]);
        print_table(w, file, i, 0, of_variance);
    }
    if (w->parameters > MOST_PARAMETERS)
        fprintf(file, "\n… and %zu more variables (gb_watching_csv has all)\n",
                w->parameters - MOST_PARAMETERS);
}

static void print_points(const gb_watching *w, FILE *file)
{
    const size_t all = w->parameters;
    print_summary(w, file);
    fputs("\nvariance of a gradient ± standard error\n", file);
    print_table(w, file, all, 0, of_variance);
    if (has_parts(w)) {
        fputs("\nof this by the draws + by the batches\n", file);
        print_table(w, file, all, 0, of_parts);
    }
    for (size_t i = 0; has_draws(w) && i < w->draws; i++) {
        fprintf(file, "\nof this by draw %s alone\n", w->draw[i]);
        print_table(w, file, all, i, of_draw);
    }
    fputs("\nsignal-to-noise ratio [95 %]\n", file);
    print_table(w, file, all, 0, of_signal);
    if (measured(w) > 1) {
        fputs("\nvariance × evaluations, over that of the first [95 %]\n", file);
        print_table(w, file, all, 0, of_ratio);
    }
    print_parameters(w, file);
    print_bounds(w, file);
    print_costs(w, file);
}

gb_status gb_watching_print(const gb_watching *w, FILE *file)
{
    if (!w || !file)
        return GB_EARGUMENT;
    if (w->points > 0)
        print_points(w, file);
    print_words(w, file);
    return gb_flushed(file) ? GB_OK : GB_ESYSTEM;
}
