/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a reader should know about the draws: warnings, and the table. */
#include "fitting/nuts/words_impl.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/ground/text_impl.h"
#include "fitting/density/density_impl.h"

static const double MOST_RHAT = 1.01, LEAST_ESS = 100 /* for each chain */, LEAST_BFMI = 0.3;

/* ---- warnings ---- */

typedef struct writer {
    char *text;
    size_t room, used;
} writer;

static void write_words(writer *w, const char *format, ...) GB_PRINTF(2, 3);
static void write_words(writer *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int wrote =
        vsnprintf(w->text ? w->text + w->used : NULL, w->text ? w->room - w->used : 0, format, arguments);
    va_end(arguments);
    w->used += wrote > 0 ? (size_t)wrote : 0;
}

static void write_name(const gb_nuts *shown, size_t i, char name[GB_DENSITY_TEXT])
{
    const gb_own_nuts *const r = (const void *)shown;
    if (i < shown->values)
        gb_density_value_name_of(r->parts, r->part, i, name);
    else
        snprintf(name, GB_DENSITY_TEXT, "log_p");
}

/* The numbers for which `measure` is beyond its limit: how many, and which is the worst. */
static void write_worst(writer *w, const gb_nuts *shown, size_t offset, bool is_above, double limit,
                        const char *words, const char *advice)
{
    size_t count = 0, worst = 0;
    double extreme = limit;
    for (size_t i = 0; i <= shown->values; i++) {
        double x;
        memcpy(&x, (const char *)&shown->convergence[i] + offset, sizeof x);
        if (is_above ? !(x > limit) : !(x < limit)) /* NaN: all draws are equal */
            continue;
        count++;
        if (is_above ? x > extreme : x < extreme) {
            extreme = x;
            worst = i;
        }
    }
    char name[GB_DENSITY_TEXT];
    write_name(shown, worst, name);
    if (count > 0)
        write_words(w, "%s %s %g for %zu of %zu numbers (%s has %.3g): %s\n", words,
                    is_above ? "above" : "below", limit, count, shown->values + 1, name, extreme, advice);
}

/* Numbers that cannot be judged, since a draw of them is not finite (a value that overflows). */
static void write_infinite(writer *w, const gb_nuts *shown)
{
    size_t count = 0, last = 0;
    for (size_t i = 0; i <= shown->values; i++)
        if (shown->convergence[i].status == GB_ENONFINITE) {
            count++;
            last = i;
        }
    char name[GB_DENSITY_TEXT];
    write_name(shown, last, name);
    if (count > 0)
        write_words(w, "draws of %zu of %zu numbers are not finite (such as %s): they have no mean\n", count,
                    shown->values + 1, name);
}

static void write_all(writer *w, const gb_own_nuts *r)
{
    const gb_nuts *const shown = &r->shown;
    const size_t all = shown->chains * shown->draws;
    size_t low = 0;
    for (size_t c = 0; c < shown->chains; c++)
        low += shown->e_bfmi[c] < LEAST_BFMI;
    if (shown->is_stopped)
        write_words(w, "stopped on request: %zu of %zu draws of each chain\n", shown->draws, r->room);
    if (shown->divergences > 0)
        write_words(
            w,
            "%zu of %zu transitions diverged: draws are missing where the density is strongly curved, and "
            "means may be wrong; raise .target, or write the model with other latents\n",
            shown->divergences, all);
    if (shown->saturated > 0)
        write_words(w,
                    "%zu of %zu transitions were cut off at depth %d: sampling is slow, but not wrong; raise "
                    ".max_depth, or take .metric = GB_METRIC_DENSE\n",
                    shown->saturated, all, r->max_depth);
    if (low > 0)
        write_words(
            w,
            "E-BFMI below %g for %zu of %zu chains: energies change too slowly to reach the tails; write "
            "the model with other latents\n",
            LEAST_BFMI, low, shown->chains);
    write_infinite(w, shown);
    if (shown->draws < 12) {
        write_words(w, "chains of %zu draws are too short to be judged\n", shown->draws);
        return;
    }
    write_worst(w, shown, offsetof(gb_convergence, rhat), true, MOST_RHAT, "R-hat",
                "the chains have not mixed; take more draws, or look for several modes");
    write_worst(w, shown, offsetof(gb_convergence, ess_bulk), false, LEAST_ESS * (double)shown->chains,
                "bulk effective size", "means are not exact enough; take more draws");
    write_worst(w, shown, offsetof(gb_convergence, ess_tail), false, LEAST_ESS * (double)shown->chains,
                "tail effective size", "quantiles are not exact enough; take more draws");
}

bool gb_result_warn(gb_own_nuts *r)
{
    writer count = {0};
    write_all(&count, r);
    writer w = {.room = count.used + 1};
    r->words = w.text = gb_memory_resize(&r->memory, NULL, w.room);
    if (!w.text)
        return gb_fail(gb_density_tape(r->shown.density), GB_ENOMEM,
                       "nuts: out of memory for the warnings") == GB_OK;
    w.text[0] = '\0';
    write_all(&w, r);
    if (w.used > 0)
        w.text[w.used - 1] = '\0'; /* the last end of line */
    r->shown.words = w.text;
    return true;
}

/* ---- the table ---- */

static bool print_row(const gb_nuts *nuts, size_t i, int width, FILE *file)
{
    static const double probabilities[] = {0.05, 0.5, 0.95};
    const gb_convergence *const c = &nuts->convergence[i];
    const gb_chains chains = gb_nuts_chains(nuts, i);
    gb_estimate quantile[3];
    char name[GB_DENSITY_TEXT];
    if (gb_chains_quantiles(&chains, 3, probabilities, quantile) == GB_ENOMEM)
        return false;
    write_name(nuts, i, name);
    fprintf(file, "%-*s %10.4g %9.2g %9.3g %10.4g %10.4g %10.4g %9.0f %9.0f %7.4f\n", width, name, c->mean,
            c->mean_error, c->sd, quantile[0].value, quantile[1].value, quantile[2].value, c->ess_bulk,
            c->ess_tail, c->rhat);
    return true;
}

gb_status gb_nuts_print(const gb_nuts *nuts, FILE *file)
{
    if (!nuts || !file)
        return GB_EARGUMENT;
    int width = 5;
    char name[GB_DENSITY_TEXT];
    for (size_t i = 0; i < nuts->values; i++) {
        write_name(nuts, i, name);
        width = (int)strlen(name) > width ? (int)strlen(name) : width;
    }
    fprintf(file, "%zu chains of %zu draws, %lld gradients, %.3g s\n", nuts->chains, nuts->draws,
            (long long)nuts->gradients, nuts->seconds);
    fprintf(file, "%-*s %10s %9s %9s %10s %10s %10s %9s %9s %7s\n", width, "", "mean", "error", "sd", "5%",
            "50%", "95%", "ess_bulk", "ess_tail", "R-hat");
    for (size_t i = 0; i <= nuts->values; i++)
        if (!print_row(nuts, i, width, file))
            return GB_ENOMEM;
    if (nuts->words[0]) {
        fputs("warning: ", file);
        gb_put_lines(file, nuts->words);
        fputc('\n', file);
    }
    return gb_flushed(file) ? GB_OK : GB_ESYSTEM;
}
