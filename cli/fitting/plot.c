/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The picture of a fit, as a script for gnuplot. With one input: the data, the mean, and two bands. Else
 * each number that the model shows, its posterior beside its prior. What shows the fit itself follows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/fitting/panels.h"
#include "cli/fitting/prior.h"
#include "cli/results/style.h"

enum { PANEL = 460, HEIGHT = 400, GRID = 201, MOST = 6, DRAWS = 2000 };

/* ---- the band ---- */

/* The input of a model that has but one: predictions need no other column. */
typedef struct curve {
    const char *input;
    const double *x;
    gb_table *grid;
    gb_prediction *p;
} curve;

static gb_table *grid_of(gb_tape *t, const gb_table *table, const gb_table_column *c)
{
    double low = INFINITY, high = -INFINITY, at[GRID];
    for (int64_t i = 0; i < gb_table_rows(table); i++) {
        low = fmin(low, c->number[i]);
        high = fmax(high, c->number[i]);
    }
    const double more = 0.3 * (high - low);
    for (int i = 0; i < GRID; i++)
        at[i] = low - more + (high - low + 2 * more) * i / (GRID - 1);
    gb_table *const grid = high > low ? gb_table_new(t, "the grid of the picture", GRID) : NULL;
    if (grid)
        gb_table_add(grid, c->name, gb_doubles(at));
    return grid;
}

static bool try_input(curve *to, const gb_cli_fitted *f, const gb_table_column *c)
{
    to->grid = grid_of(f->tape, f->table, c);
    gb_batches *const rows = to->grid ? gb_analysis_rows(f->analysis, to->grid) : NULL;
    to->p = rows ? gb_predictive(f->elbo, gb_analysis_outcome(f->analysis), .data = rows,
                                 .judgement = f->judgement, .nuts = f->nuts)
                 : NULL;
    gb_forgive(f->tape);
    if (to->p && to->p->rows == GRID && to->p->elements == 1) {
        to->input = c->name;
        to->x = gb_table_find(to->grid, c->name)->number;
        return true;
    }
    gb_prediction_free(to->p);
    gb_table_free(to->grid);
    *to = (curve){0};
    return false;
}

/* Many columns cannot be one input; the outcome has to be a column of numbers, to be drawn. */
static bool find_curve(curve *to, const gb_cli_fitted *f)
{
    const char *const outcome = gb_analysis_outcome(f->analysis);
    const gb_table_column *const y = gb_table_find(f->table, outcome);
    const gb_model_site *const site = gb_analysis_site(f->analysis);
    *to = (curve){0};
    if (!y || !y->number || site->columns - site->has_intercept < 1 || site->classes > 2)
        return false;
    for (size_t i = 0; i < gb_table_columns(f->table); i++) {
        const gb_table_column *const c = gb_table_column_at(f->table, i);
        if (c->number && strcmp(c->name, outcome) != 0 && try_input(to, f, c))
            return true;
    }
    return false;
}

static void write_points(FILE *file, const char *name, const gb_table *table, const char *x, const char *y)
{
    const double *const at = gb_table_find(table, x)->number, *const out = gb_table_find(table, y)->number;
    fprintf(file, "$%s << end\n", name);
    for (int64_t i = 0; i < gb_table_rows(table); i++)
        if (isfinite(at[i]) && isfinite(out[i])) {
            gb_cli_style_numbers(file, 2, (const double[]){at[i], out[i]});
            fputc('\n', file);
        }
    fputs("end\n", file);
}

/* Of an outcome of 0 and 1 the noise is no band: it is drawn without. */
static void write_curve(FILE *file, const gb_cli_fitted *f, const curve *c)
{
    const gb_prediction *const p = c->p;
    const char *const y = gb_analysis_outcome(f->analysis);
    const double wide = 1.6448536269514722; /* 5 % of a normal lie above */
    fputs("$band << end\n", file);
    for (size_t i = 0; i < GRID; i++) {
        const double *const q = p->quantile + i * p->quantiles;
        gb_cli_style_numbers(file, 6,
                             (const double[]){c->x[i], p->mean[i], p->mean[i] - wide * p->epistemic[i],
                                              p->mean[i] + wide * p->epistemic[i], q[0],
                                              q[p->quantiles - 1]});
        fputc('\n', file);
    }
    fputs("end\n", file);
    write_points(file, "data", f->train, c->input, y);
    if (f->held)
        write_points(file, "held", f->held, c->input, y);
    gb_cli_style_quoted(file, "set xlabel ", c->input, "\n");
    gb_cli_style_quoted(file, "set ylabel ", y, "\nset style fill solid 1 noborder\nplot ");
    if (!p->is_discrete)
        fputs("$band using 1:5:6 with filledcurves lc rgb '#d6e9f5' title 'noise besides: 90 %', ", file);
    fputs("$band using 1:3:4 with filledcurves lc rgb '#7fb8dc' title 'epistemic: 90 %', "
          "$band using 1:2 with lines lc rgb '#00436b' lw 2 title 'mean', "
          "$data using 1:2 with points pt 7 ps 0.45 lc rgb '#333333' title 'data'",
          file);
    fputs(f->held ? ", $held using 1:2 with points pt 6 ps 0.5 lc rgb '#D55E00' title 'held out'\n" : "\n",
          file);
}

/* ---- posteriors beside priors ---- */

static void write_draws(FILE *file, const char *name, size_t number, const gb_prediction *p)
{
    fprintf(file, "$%s%zu << end\n", name, number);
    for (size_t i = 0; i < p->draws; i++) {
        gb_cli_style_numbers(file, 1, &p->draw[i * p->elements]);
        fputc('\n', file);
    }
    fputs("end\n", file);
}

static size_t shown_of(const gb_analysis *a, gb_node node[MOST])
{
    const gb_node_list all = gb_analysis_nodes(a);
    size_t count = 0;
    for (size_t i = 0; i < all.count && count < MOST; i++)
        if (gb_shape_count(gb_node_shape(all.node[i])) == 1)
            node[count++] = all.node[i];
    return count;
}

static gb_prediction *draws_of_prior(const gb_cli_prior *prior, size_t number)
{
    gb_node node[MOST];
    const bool is_there = prior->nuts && number < shown_of(prior->analysis, node);
    return is_there ? gb_predictive_node(gb_analysis_elbo(prior->analysis), node[number], .nuts = prior->nuts,
                                         .draws = DRAWS, .keep_draws = true)
                    : NULL;
}

/* The prior is shown where the posterior is, and as far around it again. */
static bool write_density(FILE *file, const gb_cli_fitted *f, const gb_cli_prior *prior, gb_node node,
                          size_t number)
{
    gb_prediction *const q = gb_predictive_node(f->elbo, node, .judgement = f->judgement, .nuts = f->nuts,
                                                .draws = DRAWS, .keep_draws = true),
                         *const p = draws_of_prior(prior, number);
    const double sd = q ? q->epistemic[0] : 0;
    if (q && sd > 0) {
        write_draws(file, "posterior", number, q);
        if (p)
            write_draws(file, "prior", number, p);
        gb_cli_style_quoted(file, "set xlabel ", q->name, "\nset ylabel 'density'\nset xrange [");
        gb_cli_style_numbers(file, 1, (const double[]){q->mean[0] - 6 * sd});
        fputc(':', file);
        gb_cli_style_numbers(file, 1, (const double[]){q->mean[0] + 6 * sd});
        fprintf(
            file,
            "]\nset yrange [0:*]\nset samples 400\nplot $posterior%zu using 1:(1.0/%zu) smooth kdensity with "
            "lines lw 2 lc rgb '%s' title 'posterior%s'",
            number, q->draws, gb_cli_colour[0], p ? "" : " (no draws of its prior)");
        if (p)
            fprintf(file,
                    ", $prior%zu using 1:(1.0/%zu) smooth kdensity with lines lw 2 dt 2 lc rgb '%s' "
                    "title 'prior'",
                    number, p->draws, gb_cli_colour[1]);
        fputs("\nset xrange [*:*]\nset yrange [*:*]\n", file);
    }
    gb_prediction_free(q);
    gb_prediction_free(p);
    return sd > 0;
}

/* ---- all ---- */

static void write_panels(FILE *file, const gb_cli_fitted *f, bool png, const curve *c)
{
    gb_node node[MOST];
    gb_cli_prior prior = {0};
    const size_t shown = c->input ? 0 : shown_of(f->analysis, node),
                 panels = shown + (c->input != NULL) + gb_cli_panels_count(f);
    const size_t columns = panels > 4   ? 3
                           : panels > 1 ? 2
                                        : 1,
                 rows = panels > 0 ? (panels + columns - 1) / columns : 1;
    gb_tape *const t = gb_cli_asked_tape(&f->fit->asked, f->cli);
    gb_table *const table = t && shown > 0 ? gb_cli_table_read(t, f->cli) : NULL;
    if (table)
        gb_cli_prior_draw(&prior, &f->fit->asked, f->cli, table, DRAWS / 4);
    const int wide = panels == 1 ? PANEL + PANEL / 2 : PANEL;
    gb_cli_style_head(file, png, (int)columns * wide, (int)rows * HEIGHT);
    fprintf(file, "set key outside top center horizontal maxrows 2\nset multiplot layout %zu,%zu\n", rows,
            columns);
    if (c->input)
        write_curve(file, f, c);
    for (size_t i = 0; i < shown; i++)
        write_density(file, f, &prior, node[i], i);
    gb_cli_panels_write(f, file);
    if (panels == 0)
        fputs("set title 'no single input, and no numbers to show'\nset key off\nplot [0:1][0:1] NaN\n",
              file);
    fputs("unset multiplot\n", file);
    gb_forgive(f->tape);
    gb_cli_prior_end(&prior);
    gb_table_free(table);
    gb_tape_free(t);
}

void gb_cli_fitted_plot(const void *of, bool png, FILE *file)
{
    const gb_cli_fitted *const f = of;
    curve c;
    find_curve(&c, f);
    write_panels(file, f, png, &c);
    gb_prediction_free(c.p);
    gb_table_free(c.grid);
}
