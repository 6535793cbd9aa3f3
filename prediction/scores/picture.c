/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The picture of a calibration: observed over predicted, beside the diagonal. */
#include <math.h>

#include "core/ground/text_impl.h"
#include "prediction/scores/scores_impl.h"

static gb_status status_of(const gb_reliability *r, const FILE *file)
{
    if (!r || !file)
        return GB_EARGUMENT;
    return r->score.status != GB_OK ? r->score.status : r->bins > GB_MOST_BINS ? GB_EARGUMENT : GB_OK;
}

static double chance_of(const gb_reliability_bin *bin)
{
    return sqrt(fmax(0, bin->predicted * (1 - bin->predicted)) / (double)bin->count);
}

/* ---- as text ---- */

enum { BAR = 40, LABEL = 24 };

static int along(double probability, int length)
{
    return (int)(fmin(fmax(probability, 0), 1) * length + 0.5);
}

/* The bar is as long as what is observed. */
static void put_bar(FILE *file, const gb_reliability_bin *bin)
{
    const int observed = along(bin->observed, BAR), predicted = along(bin->predicted, BAR);
    for (int i = 0; i <= predicted || i < observed; i++)
        fputc(i == predicted ? '|' : i < observed ? '#' : ' ', file);
    fputc('\n', file);
}

static void put_bin(FILE *file, const gb_reliability *r, size_t b)
{
    const gb_reliability_bin *const bin = &r->bin[b];
    const double bins = (double)r->bins;
    char label[LABEL];
    if (r->of_intervals)
        snprintf(label, sizeof label, "%.4g %%", 100 * (double)(b + 1) / bins);
    else
        snprintf(label, sizeof label, "%.3f to %.3f", (double)b / bins, (double)(b + 1) / bins);
    fprintf(file, "%14s %5.1f %% %9.3f %8.3f %+7.3f %7.3f  ", label,
            100 * (double)bin->count / (double)r->score.count, bin->predicted, bin->observed,
            bin->observed - bin->predicted, chance_of(bin));
    put_bar(file, bin);
}

gb_status gb_reliability_print(const gb_reliability *r, FILE *file)
{
    const gb_status status = status_of(r, file);
    if (status != GB_OK)
        return status;
    fprintf(file, "%s %.4g ± %.2g over %zu rows: %s\n", r->score.name, r->score.value, r->score.error,
            r->score.count,
            r->of_intervals ? "how many outcomes central intervals have"
                            : "how often the most probable class comes");
    fprintf(file, "%14s %7s %9s %8s %7s %7s  0%*s%*s\n", r->of_intervals ? "interval" : "probability", "rows",
            "predicted", "observed", "gap", "chance", BAR / 2 + 1, "0.5", BAR / 2 - 1, "1");
    for (size_t b = 0; b < r->bins; b++)
        if (r->bin[b].count > 0)
            put_bin(file, r, b);
    fprintf(file, "# is observed, | is predicted: %s that end before | are too %s.\n",
            r->of_intervals ? "intervals" : "bars", r->of_intervals ? "narrow" : "confident");
    return gb_flushed(file) ? GB_OK : GB_ESYSTEM;
}

/* ---- as SVG ---- */

/* Tenths of a pixel, as whole numbers: no language writes them with a comma. */
enum {
    SIDE = 3200,
    LEFT = 640,
    TOP = 480,
    WIDTH = 4200,
    HEIGHT = 4720,
    WORDS = 240,
    LARGEST = 120,
    LEAST = 25,
    LEVEL = 40
};

static int x_of(double probability)
{
    return LEFT + along(probability, SIDE);
}

static int y_of(double probability)
{
    return TOP + SIDE - along(probability, SIDE);
}

static void put_axes(FILE *file, const gb_reliability *r)
{
    fprintf(file,
            "<path d=\"M%d %dV%dH%d\" fill=\"none\" stroke=\"#333\" stroke-width=\"10\"/>\n"
            "<path d=\"M%d %dL%d %d\" stroke=\"#333\" stroke-width=\"10\" stroke-dasharray=\"60 40\"/>\n",
            x_of(0), y_of(1), y_of(0), x_of(1), x_of(0), y_of(0), x_of(1), y_of(1));
    for (int tick = 0; tick <= 10; tick += 2) {
        const int x = x_of(tick / 10.0), y = y_of(tick / 10.0);
        const char *const text[] = {"0", "0.2", "0.4", "0.6", "0.8", "1"};
        fprintf(file,
                "<path d=\"M%d %dv60M%d %dh-60\" stroke=\"#333\" stroke-width=\"10\"/>\n"
                "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>"
                "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n",
                x, y_of(0), x_of(0), y, x, y_of(0) + 200, text[tick / 2], x_of(0) - 90, y + 42,
                text[tick / 2]);
    }
    fprintf(file,
            "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">predicted: %s</text>\n"
            "<text transform=\"translate(180 %d) rotate(-90)\" text-anchor=\"middle\">observed: %s</text>\n",
            x_of(0.5), y_of(0) + 400,
            r->of_intervals ? "probability of the central interval" : "probability of the likeliest class",
            y_of(0.5), r->of_intervals ? "share of outcomes in it" : "how often it comes");
}

static void put_words(FILE *file, const gb_reliability *r)
{
    fprintf(
        file,
        "<text x=\"%d\" y=\"220\" text-anchor=\"middle\" font-size=\"140\">%s %.3g ± %.1g, %zu rows</text>\n"
        "<text x=\"%d\" y=\"%d\" fill=\"#555\">grey: right predictions, ± 2 standard deviations</text>\n"
        "<text x=\"%d\" y=\"%d\" fill=\"#555\">%s</text>\n",
        x_of(0.5), r->score.name, r->score.value, r->score.error, r->score.count, WORDS, y_of(0) + 680, WORDS,
        y_of(0) + 860,
        r->of_intervals ? "below the diagonal: intervals are too narrow"
                        : "area of a circle: rows; below the diagonal: too confident");
}

static void put_chance(FILE *file, const gb_reliability_bin *bin)
{
    const double off = 2 * chance_of(bin);
    fprintf(file, "<path d=\"M%d %dV%d\" stroke=\"#bbb\" stroke-width=\"90\"/>\n", x_of(bin->predicted),
            y_of(bin->predicted - off), y_of(bin->predicted + off));
}

static void put_circle(FILE *file, const gb_reliability_bin *bin, int radius)
{
    fprintf(file,
            "<circle cx=\"%d\" cy=\"%d\" r=\"%d\" fill=\"#0072B2\" fill-opacity=\".7\" stroke=\"#003a5c\" "
            "stroke-width=\"10\"/>\n",
            x_of(bin->predicted), y_of(bin->observed), radius);
}

static int radius_of(const gb_reliability *r, size_t b)
{
    size_t most = 1;
    for (size_t i = 0; i < r->bins; i++)
        most = r->bin[i].count > most ? r->bin[i].count : most;
    const double radius = LARGEST * sqrt((double)r->bin[b].count / (double)most);
    return r->of_intervals ? LEVEL : radius > LEAST ? (int)radius : LEAST;
}

gb_status gb_reliability_svg(const gb_reliability *r, FILE *file)
{
    const gb_status status = status_of(r, file);
    if (status != GB_OK)
        return status;
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
            "font-family=\"sans-serif\" font-size=\"120\" fill=\"#000\">\n"
            "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
            WIDTH / 10, HEIGHT / 10, WIDTH, HEIGHT, WIDTH, HEIGHT);
    for (size_t b = 0; b < r->bins; b++)
        if (r->bin[b].count > 0)
            put_chance(file, &r->bin[b]);
    put_axes(file, r);
    for (size_t b = 0; b < r->bins; b++)
        if (r->bin[b].count > 0)
            put_circle(file, &r->bin[b], radius_of(r, b));
    put_words(file, r);
    fputs("</svg>\n", file);
    return gb_flushed(file) ? GB_OK : GB_ESYSTEM;
}
