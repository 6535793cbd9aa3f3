/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/chains.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include "fitting/diagnostics/ess_impl.h"
#include "fitting/diagnostics/scores_impl.h"
#include "ops/special/beta_impl.h"

enum { LEAST_LENGTH = 12 };

/* ---- the draws, and room to work in ---- */

typedef struct draws {
    const gb_chains *of;
    size_t count;
    double *all;           /* chain after chain */
    double *work;          /* room for `count` and 8 more */
    gb_ranked *ranked;     /* room for `count` */
    size_t halves, length; /* of each half */
} draws;

static void free_draws(draws *d)
{
    gb_memory_release(&d->of->memory, d->all);
    gb_memory_release(&d->of->memory, d->ranked);
}

static GB_PRINTF(2, 3) void say(char words[160], const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, 160, format, arguments);
    va_end(arguments);
}

/* Copies draws that are finite, chain after chain. */
static gb_status copy(draws *d, char words[160])
{
    const gb_chains *const c = d->of;
    const size_t chain_stride = c->chain_stride || c->draw_stride ? c->chain_stride : c->length;
    const size_t draw_stride = c->chain_stride || c->draw_stride ? c->draw_stride : 1;
    for (size_t chain = 0; chain < c->chains; chain++)
        for (size_t i = 0; i < c->length; i++) {
            const double x = c->x[chain * chain_stride + i * draw_stride];
            if (!isfinite(x)) {
                say(words, "draw %zu of chain %zu (both from 0) is %g, not finite", i, chain, x);
                return GB_ENONFINITE;
            }
            d->all[chain * c->length + i] = x;
        }
    return GB_OK;
}

/* Sets `d`, which free_draws frees if GB_OK is returned. */
static gb_status take(draws *d, const gb_chains *c, char words[160])
{
    *d = (draws){.of = c};
    if (!c || !c->x || c->chains == 0 || c->length < LEAST_LENGTH) {
        say(words, "%zu chains of %zu draws at %s; 1 chain of %d draws is required", c ? c->chains : 0,
            c ? c->length : 0, c && c->x ? "an array" : "NULL", LEAST_LENGTH);
        return GB_EARGUMENT;
    }
    if (c->chains > SIZE_MAX / 64 / c->length) {
        say(words, "no memory for %zu chains of %zu draws", c->chains, c->length);
        return GB_ENOMEM;
    }
    d->count = c->chains * c->length;
    d->halves = 2 * c->chains;
    d->length = c->length / 2;
    d->all = gb_memory_resize(&c->memory, NULL, (2 * d->count + 8) * sizeof *d->all);
    d->ranked = d->all ? gb_memory_resize(&c->memory, NULL, d->count * sizeof *d->ranked) : NULL;
    if (!d->ranked)
        say(words, "no memory for %zu draws", d->count);
    const gb_status status = d->ranked ? copy(d, words) : GB_ENOMEM;
    if (status != GB_OK)
        free_draws(d);
    else
        d->work = d->all + d->count;
    return status;
}

/* ---- what is compared between halves of chains ---- */

typedef enum what { DRAWS, DISTANCES, SQUARES, NOT_ABOVE } what;

static double value_of(what which, double x, double centre)
{
    switch (which) {
    case DISTANCES: return fabs(x - centre);
    case SQUARES: return (x - centre) * (x - centre);
    case NOT_ABOVE: return x <= centre;
    case DRAWS:
    default: return x;
    }
}

static void split(draws *d, what which, double centre)
{
    const size_t whole = d->of->length;
    for (size_t half = 0; half < d->halves; half++) {
        const double *const from = d->all + half / 2 * whole + half % 2 * (whole - d->length);
        for (size_t i = 0; i < d->length; i++)
            d->work[half * d->length + i] = value_of(which, from[i], centre);
    }
}

static void split_and_rank(draws *d, what which, double centre)
{
    split(d, which, centre);
    gb_normal_scores(d->work, d->halves * d->length, d->ranked);
}

static bool ess_of(draws *d, double *ess)
{
    return gb_ess_of(d->work, d->halves, d->length, &d->of->memory, ess);
}

static bool ess_of_split(draws *d, what which, double centre, double *ess)
{
    split(d, which, centre);
    return ess_of(d, ess);
}

static void order(draws *d)
{
    for (size_t i = 0; i < d->count; i++)
        d->ranked[i] = (gb_ranked){d->all[i], i};
    gb_ranked_sort(d->ranked, d->count);
}

/* ---- everything about one number ---- */

/* Sums of powers of the distances from the mean, in units of the largest. */
typedef struct moments {
    double mean, scale, second, fourth;
} moments;

static moments moments_of(const draws *d)
{
    moments m = {.mean = d->all[0]};
    const double n = (double)d->count, from = d->all[0];
    for (size_t i = 0; i < d->count; i++)
        m.mean += (d->all[i] - from) / n;
    for (size_t i = 0; i < d->count; i++)
        m.scale = fmax(m.scale, fabs(d->all[i] - m.mean));
    for (size_t i = 0; m.scale > 0 && i < d->count; i++) {
        const double s = (d->all[i] - m.mean) / m.scale;
        m.second += s * s;
        m.fourth += s * s * s * s;
    }
    return m;
}

static bool compute(draws *d, gb_convergence *c)
{
    const moments m = moments_of(d);
    const double n = (double)d->count;
    order(d);
    const double median = gb_ranked_quantile(d->ranked, d->count, 0.5);
    const double low = gb_ranked_quantile(d->ranked, d->count, 0.05);
    const double high = gb_ranked_quantile(d->ranked, d->count, 0.95);
    double ess_low, ess_high, ess_squares;

    split_and_rank(d, DISTANCES, median);
    c->rhat_folded = gb_rhat_of(d->work, d->halves, d->length);
    split_and_rank(d, DRAWS, 0);
    c->rhat_bulk = gb_rhat_of(d->work, d->halves, d->length);
    if (!ess_of(d, &c->ess_bulk))
        return false;
    split(d, DRAWS, 0);
    for (size_t i = 0; m.scale > 0 && i < d->halves * d->length; i++)
        d->work[i] = (d->work[i] - m.mean) / m.scale;
    c->rhat_basic = gb_rhat_of(d->work, d->halves, d->length);
    c->rhat = fmax(c->rhat_bulk, c->rhat_folded); /* NaN does not count */
    if (!ess_of_split(d, DRAWS, 0, &c->ess_mean) || !ess_of_split(d, DISTANCES, m.mean, &c->ess_sd) ||
        !ess_of_split(d, NOT_ABOVE, low, &ess_low) || !ess_of_split(d, NOT_ABOVE, high, &ess_high))
        return false;
    for (size_t i = 0; m.scale > 0 && i < d->count; i++) /* so that squares do not overflow */
        d->all[i] = (d->all[i] - m.mean) / m.scale;
    if (!ess_of_split(d, SQUARES, 0, &ess_squares))
        return false;
    c->ess_tail = fmin(ess_low, ess_high);
    c->mean = m.mean;
    c->sd = m.scale * sqrt(m.second / (n - 1));
    c->mean_error = c->sd > 0 ? c->sd / sqrt(c->ess_mean) : 0;
    const double variance = m.second / n,
                 of_variance = fmax(m.fourth / n - variance * variance, 0) / ess_squares;
    c->sd_error = c->sd > 0 ? m.scale * sqrt(of_variance / variance / 4) : 0;
    return true;
}

/* The first chain that never moved; the number of chains if there is none. */
static size_t constant_chain(const draws *d)
{
    const size_t length = d->of->length;
    for (size_t c = 0; c < d->of->chains; c++) {
        size_t same = 1;
        while (same < length && d->all[c * length + same] == d->all[c * length])
            same++;
        if (same == length)
            return c;
    }
    return d->of->chains;
}

static void describe(gb_convergence *c, const gb_chains *of, size_t constant)
{
    const double least = 100 * (double)of->chains, ess = fmin(c->ess_bulk, c->ess_tail);
    if (!isfinite(c->mean) || !isfinite(c->sd))
        say(c->words, "the draws are too large for a mean and a standard deviation; rescale them");
    else if (c->sd == 0)
        say(c->words, "all draws are equal: there are no R-hat and no effective sample sizes");
    else if (isnan(c->rhat))
        say(c->words, "all draws but the middle ones, which belong to no half, are equal");
    else if (constant < of->chains)
        say(c->words, "chain %zu (from 0) is constant: it never moved", constant);
    else if (!(c->rhat < 1.01))
        say(c->words, "R-hat is %.3f, not below 1.01: the chains have not mixed", c->rhat);
    else if (ess < least)
        say(c->words, "the effective sample size is %.0f (bulk %.0f, tail %.0f), below 100 per chain", ess,
            c->ess_bulk, c->ess_tail);
}

static gb_convergence unknown(void)
{
    const double nan = (double)NAN;
    return (gb_convergence){.rhat = nan,
                            .rhat_bulk = nan,
                            .rhat_folded = nan,
                            .rhat_basic = nan,
                            .ess_bulk = nan,
                            .ess_tail = nan,
                            .ess_mean = nan,
                            .ess_sd = nan,
                            .mean = nan,
                            .mean_error = nan,
                            .sd = nan,
                            .sd_error = nan};
}

gb_convergence gb_chains_convergence(const gb_chains *chains)
{
    gb_convergence c = unknown();
    draws d;
    c.status = take(&d, chains, c.words);
    if (c.status != GB_OK)
        return c;
    const size_t constant = constant_chain(&d);
    if (!compute(&d, &c)) {
        c = unknown();
        c.status = GB_ENOMEM;
        say(c.words, "no memory for autocovariances of %zu draws", d.count);
    } else {
        describe(&c, chains, constant);
    }
    free_draws(&d);
    return c;
}

/* ---- quantiles ---- */

static gb_estimate estimate_quantile(const draws *d, double p, double value, double ess)
{
    gb_estimate e = {.value = value, .ess = ess, .k = (double)NAN, .words = ""};
    const double one_sd = 0.1586553, n = (double)d->count, a = ess * p + 1, b = ess * (1 - p) + 1;
    if (isnan(ess)) {
        e.error = (double)NAN;
        e.words = "all draws are equal to the quantile or below it: there is no error of it";
        return e;
    }
    const double below = floor(gb_beta_i_inverse_at(a, b, one_sd) * n);
    const double above = ceil(gb_beta_i_upper_inverse_at(a, b, one_sd) * n);
    const double low = d->ranked[(size_t)fmax(below, 1) - 1].value;
    e.error = (d->ranked[(size_t)fmin(above, n) - 1].value - low) / 2;
    return e;
}

gb_status gb_chains_quantiles(const gb_chains *chains, size_t count, const double *probabilities,
                              gb_estimate *out)
{
    char words[160];
    draws d;
    const char *why = "the draws were rejected: NULL, too few in a chain, or one is not finite";
    gb_status status = out && probabilities ? take(&d, chains, words) : GB_EARGUMENT;
    if (status == GB_ENOMEM)
        why = "no memory";
    const bool taken = status == GB_OK;
    if (taken)
        order(&d);
    for (size_t i = 0; status == GB_OK && i < count; i++) {
        const double p = probabilities[i], n = (double)d.count;
        double ess;
        if (!(p >= 0 && p <= 1)) {
            status = GB_EARGUMENT;
            why = "a probability is not in [0, 1]";
            break;
        }
        const double value = gb_ranked_quantile(d.ranked, d.count, p);
        const double centre = p == 1 ? gb_ranked_quantile(d.ranked, d.count, (n - 0.5) / n) : value;
        if (!ess_of_split(&d, NOT_ABOVE, centre, &ess)) {
            status = GB_ENOMEM;
            why = "no memory";
            break;
        }
        out[i] = estimate_quantile(&d, p, value, ess);
    }
    if (taken)
        free_draws(&d);
    const double nan = (double)NAN;
    for (size_t i = 0; status != GB_OK && out && i < count; i++)
        out[i] = (gb_estimate){nan, nan, nan, nan, why};
    return status;
}
