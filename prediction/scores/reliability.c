/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calibration: what was predicted, and what came, bin by bin. */
#include <math.h>

#include "prediction/scores/scores_impl.h"

enum { USUAL_CLASS_BINS = 15, USUAL_LEVELS = 10 };

static gb_reliability without(const char *name, size_t count, gb_status status)
{
    return (gb_reliability){.score = gb_score_without(name, count, status)};
}

/* ---- classes ---- */

static size_t bin_of(double confidence, size_t bins)
{
    const double at = floor(confidence * (double)bins);
    return !(at > 0) ? 0 : at < (double)bins ? (size_t)at : bins - 1;
}

static void finish(gb_reliability_bin *bin)
{
    const double n = (double)bin->count, p = bin->observed / n;
    bin->predicted = bin->predicted / n;
    bin->observed = p;
    bin->error = sqrt(p * (1 - p) / n);
}

/* What a row adds to the score: its difference, with the sign of its bin's. */
typedef struct signs {
    const gb_reliability *of;
    size_t classes;
    const double *probability, *outcome;
} signs;

static double signed_difference(const void *user, size_t i)
{
    const signs *const s = user;
    const double *const p = s->probability + i * s->classes;
    const size_t chosen = gb_class_chosen(s->classes, p);
    const gb_reliability_bin *const bin = &s->of->bin[bin_of(p[chosen], s->of->bins)];
    const double off = ((double)chosen == s->outcome[i]) - p[chosen];
    return bin->observed >= bin->predicted ? off : -off;
}

gb_reliability gb_reliability_of_classes(size_t count, size_t classes, const double *probability,
                                         const double *outcome, size_t bins)
{
    static const char name[] = "calibration error";
    const gb_status status =
        bins > GB_MOST_BINS ? GB_EARGUMENT : gb_classes_fit(count, classes, probability, outcome);
    if (status != GB_OK)
        return without(name, count, status);
    gb_reliability r = {.bins = bins ? bins : USUAL_CLASS_BINS};
    for (size_t i = 0; i < count; i++) {
        const double *const p = probability + i * classes;
        const size_t chosen = gb_class_chosen(classes, p);
        gb_reliability_bin *const bin = &r.bin[bin_of(p[chosen], r.bins)];
        bin->count++;
        bin->predicted += p[chosen];
        bin->observed += (double)chosen == outcome[i];
    }
    for (size_t b = 0; b < r.bins; b++)
        finish(&r.bin[b]);
    const signs s = {&r, classes, probability, outcome};
    r.score = gb_score_of_mean(name, count, outcome, signed_difference, &s);
    return r;
}

/* ---- intervals ---- */

gb_reliability gb_reliability_of_intervals(size_t count, const double *below, const double *up_to,
                                           size_t bins)
{
    static const char name[] = "calibration error";
    if (bins > GB_MOST_BINS)
        return without(name, count, GB_EARGUMENT);
    gb_reliability r = {.bins = bins ? bins : USUAL_LEVELS, .of_intervals = true};
    r.score = (gb_score){.name = name, .count = count};
    double variance = 0;
    for (size_t b = 0; b < r.bins; b++) {
        const double level = (double)(b + 1) / (double)r.bins;
        const gb_score covered = gb_score_coverage(count, below, up_to, level);
        if (covered.status != GB_OK)
            return without(name, count, covered.status);
        r.bin[b] = (gb_reliability_bin){
            .count = count, .predicted = level, .observed = covered.value, .error = covered.error};
        r.score.value += fabs(covered.value - level) / (double)r.bins;
        variance = fmax(variance, covered.error * covered.error);
    }
    /* The levels share their rows: the error of a mean of them is at most the largest. */
    r.score.error = count > 1 ? sqrt(variance) : (double)NAN;
    return r;
}
