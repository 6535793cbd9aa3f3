/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/fitting/panels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/results/style.h"

/* ---- the ELBO along a training ---- */

static bool has_trace(const gb_cli_fitted *f)
{
    return f->result.points > 2 && f->fit->optimiser.type;
}

static void write_trace(const gb_cli_fitted *f, FILE *file)
{
    fputs("$trace << end\n", file);
    for (size_t i = 0; i < f->result.points; i++) {
        const gb_fit_point *const p = &f->result.point[i];
        const double error = isfinite(p->error) ? p->error : 0;
        gb_cli_style_numbers(
            file, 4, (const double[]){(double)p->step, p->elbo, p->elbo - 2 * error, p->elbo + 2 * error});
        fputc('\n', file);
    }
    /* The first steps would hide all others. */
    fputs("end\nset xlabel 'step'\nset ylabel 'ELBO'\n"
          "stats $trace using 2 nooutput\n"
          "set yrange [STATS_lo_quartile - 2 * (STATS_max - STATS_lo_quartile) : *]\n"
          "plot $trace using 1:3:4 with filledcurves fc rgb '#d6e9f5' title '± 2 standard errors', "
          "$trace using 1:2 with lines lw 1.5 lc rgb '#0072B2' title 'ELBO, mean of a window'\n"
          "set yrange [*:*]\n",
          file);
}

/* ---- importance weights ---- */

static bool has_weights(const gb_cli_fitted *f)
{
    return f->judgement && f->judgement->weights.status == GB_OK && f->judgement->weights.count > 1;
}

static int from_large(const void *a, const void *b)
{
    const double one = *(const double *)a, other = *(const double *)b;
    return (one < other) - (one > other);
}

/* log (mean of exp) of sorted numbers */
static double log_mean(const double *sorted, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += exp(sorted[i] - sorted[0]);
    return sorted[0] + log(sum / (double)count);
}

/* Weights from the largest on, in units of the mean; few ranks suffice, since the axis is logarithmic. */
static void write_ranked(FILE *file, const char *name, size_t count, const double *logs)
{
    double *const sorted = malloc(count * sizeof *sorted);
    fprintf(file, "$%s << end\n", name);
    if (sorted) {
        memcpy(sorted, logs, count * sizeof *sorted);
        qsort(sorted, count, sizeof *sorted, from_large);
        const double mean = log_mean(sorted, count);
        for (size_t i = 0; i < count && isfinite(sorted[i]); i += 1 + i / 20) {
            gb_cli_style_numbers(file, 2, (const double[]){(double)(i + 1), (sorted[i] - mean) / log(10)});
            fputc('\n', file);
        }
    }
    fputs("end\n", file);
    free(sorted);
}

static void write_weights(const gb_cli_fitted *f, FILE *file)
{
    const gb_psis *const w = &f->judgement->weights;
    write_ranked(file, "ratios", w->count, w->log_ratios);
    write_ranked(file, "smoothed", w->count, w->log_weights);
    fprintf(file,
            "set xlabel 'draws of q, from the largest weight on'\nset ylabel 'log10 (weight / mean)'\n"
            "set label 1 'k̂ = %.2f, %s %.2f' at graph 0.05, graph 0.1\nset logscale x\n"
            "plot $ratios using 1:2 with points pt 7 ps 0.4 lc rgb '%s' title 'p / q', "
            "$smoothed using 1:2 with lines lw 1.5 lc rgb '%s' title 'smoothed (PSIS)', "
            "0 with lines dt 2 lc rgb '#7F7F7F' title 'all equal: q is p'\nunset logscale x\nunset label 1\n",
            w->k, w->k < w->threshold ? "reliable below" : "not reliable from", w->threshold,
            gb_cli_colour[0], gb_cli_colour[1]);
}

/* ---- the signal-to-noise ratios of a network's weights ---- */

enum { LAYERS = GB_CLI_COLOURS, BINS = 40, LEAST = -40, MOST = 40 };

static bool is_layer(const gb_elbo_term *term)
{
    static const char end[] = ".weight";
    const size_t length = strlen(term->name);
    return term->kind == GB_TERM_KL && !term->approximation && length > sizeof end &&
           strcmp(term->name + length + 1 - sizeof end, end) == 0;
}

/* A histogram of 20 log₁₀ (|mean| / sd), whose ends have all beyond. */
static bool count_bins(const gb_cli_fitted *f, const char *name, double bin[BINS])
{
    const size_t count = (size_t)gb_shape_count(gb_node_shape(gb_elbo_posterior_mean(f->elbo, name)));
    double *const mean = calloc(2 * count + 1, sizeof *mean), *const sd = mean ? mean + count : NULL;
    bool good = mean && gb_elbo_posterior_read(f->elbo, name, mean, sd, count) == GB_OK;
    memset(bin, 0, BINS * sizeof *bin);
    for (size_t i = 0; i < count && good; i++) {
        const double ratio = 20 * log10(fabs(mean[i]) / sd[i]);
        good = sd[i] > 0;
        if (good)
            bin[(size_t)((fmin(fmax(ratio, LEAST), MOST - 1e-9) - LEAST) / (MOST - LEAST) * BINS)] +=
                1 / (double)count;
    }
    free(mean);
    gb_forgive(f->tape);
    return good;
}

/* Returns how many layers have weights with means and deviations, and writes these unless `file` is NULL. */
static size_t each_layer(const gb_cli_fitted *f, FILE *file, const char *names[LAYERS])
{
    size_t terms = 0, count = 0;
    double bin[BINS];
    const gb_elbo_term *const term = f->nuts ? NULL : gb_elbo_terms(f->elbo, &terms);
    for (size_t i = 0; i < terms && count < LAYERS; i++) {
        if (!is_layer(&term[i]) || !count_bins(f, term[i].name, bin))
            continue;
        if (file)
            fprintf(file, "$layer%zu << end\n", count);
        for (size_t b = 0; file && b < BINS; b++)
            fprintf(file, "%d %.4f\n", LEAST + (int)b * (MOST - LEAST) / BINS, bin[b]);
        if (file)
            fputs("end\n", file);
        names[count++] = term[i].name;
    }
    return count;
}

static bool has_layers(const gb_cli_fitted *f)
{
    const char *names[LAYERS];
    return each_layer(f, NULL, names) > 0;
}

static void write_layers(const gb_cli_fitted *f, FILE *file)
{
    const char *names[LAYERS];
    const size_t layers = each_layer(f, file, names);
    fputs(
        "set xlabel 'signal-to-noise ratio of a weight: |mean| / sd, in dB'\n"
        "set ylabel 'share of the weights'\nset yrange [0:*]\nset xtics add ('≤ −40' -40, '≥ 40' 40)\nplot ",
        file);
    for (size_t i = 0; i < layers; i++) {
        fprintf(file, "%s$layer%zu using 1:2 with steps lw 1.5 dt %zu lc rgb '%s' title ", i ? ", " : "", i,
                i + 1, gb_cli_colour[i]);
        gb_cli_style_quoted(file, "", names[i], "");
    }
    fputs("\nset yrange [*:*]\nset xtics autofreq\n", file);
}

/* ---- all ---- */

static const struct panel {
    bool (*is_there)(const gb_cli_fitted *f);
    void (*write)(const gb_cli_fitted *f, FILE *file);
} panels[] = {{has_trace, write_trace}, {has_weights, write_weights}, {has_layers, write_layers}};
enum { PANELS = sizeof panels / sizeof *panels };

size_t gb_cli_panels_count(const gb_cli_fitted *f)
{
    size_t count = 0;
    for (size_t i = 0; i < PANELS; i++)
        count += panels[i].is_there(f);
    return count;
}

void gb_cli_panels_write(const gb_cli_fitted *f, FILE *file)
{
    for (size_t i = 0; i < PANELS; i++)
        if (panels[i].is_there(f))
            panels[i].write(f, file);
}
