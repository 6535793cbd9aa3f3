/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a comparison that was made again gives the same. JSON has no infinite numbers: all that are not
 * finite count as the same. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "compare/stored.h"

enum { MOST_ERRORS = 5 };

typedef struct comparing {
    const gb_comparison *before, *now;
    gb_agreement *a;
    bool is_within;  /* all means and variances so far are within their intervals */
    char first[256]; /* the first number that differs */
    char other[256]; /* the first difference that no interval allows */
} comparing;

static void GB_PRINTF(2, 3) note(char (*to)[256], const char *format, ...)
{
    va_list words;
    if (**to)
        return;
    va_start(words, format);
    vsnprintf(*to, sizeof *to, format, words);
    va_end(words);
}

/* ---- bits ---- */

static bool is_same_number(double a, double b)
{
    return a == b || (!isfinite(a) && !isfinite(b));
}

/* `of` is the parameter; NULL: the sum over all. */
static void compare(comparing *c, const char *what, const gb_compared *e, const char *of, double before,
                    double now)
{
    c->a->numbers++;
    if (is_same_number(before, now))
        return;
    c->a->differing++;
    note(&c->first, "%s of %.60s by %.80s: %.9g, and now %.9g", what, of ? of : "all parameters", e->name,
         before, now);
}

/* ---- intervals ---- */

/* Differences of rounding errors count for nothing. */
static void hold(comparing *c, const char *what, const gb_compared *e, const char *of, double before,
                 double before_error, double now, double now_error, double scale)
{
    const bool is_float = c->before->real == GB_FLOAT || c->now->real == GB_FLOAT;
    const double least = (is_float ? 1e-3 : 1e-8) * scale + 1e-15;
    const double gap = fabs(now - before), error = hypot(before_error, now_error);
    if (!isfinite(before) || !isfinite(now) || !(gap > least))
        return;
    const double errors = error > 0 ? gap / error : (double)INFINITY;
    c->a->worst = fmax(c->a->worst, errors);
    if (errors <= MOST_ERRORS)
        return;
    c->is_within = false;
    note(&c->other, "%s of %.60s by %.80s: %.6g ± %.2g, and now %.6g ± %.2g", what, of, e->name, before,
         before_error, now, now_error);
}

/* The largest mean: rounding errors of all are about as large. */
static double scale_of(const gb_comparison *c, const gb_compared *e)
{
    double scale = 0;
    for (size_t p = 0; e->parameter && p < c->parameters; p++)
        scale = fmax(scale, fabs(e->parameter[p].mean));
    return scale;
}

static void compare_parameter(comparing *c, const gb_compared *e, const char *of, const gb_measured *a,
                              const gb_measured *b, double scale)
{
    compare(c, "mean", e, of, a->mean, b->mean);
    compare(c, "standard error", e, of, a->stderr_, b->stderr_);
    compare(c, "variance", e, of, a->variance, b->variance);
    compare(c, "standard error of the variance", e, of, a->variance_stderr, b->variance_stderr);
    compare(c, "kurtosis", e, of, a->kurtosis, b->kurtosis);
    compare(c, "exact gradient", e, of, a->exact, b->exact);
    compare(c, "z", e, of, a->z, b->z);
    compare(c, "snr", e, of, a->snr, b->snr);
    compare(c, "unseen", e, of, a->unseen, b->unseen);
    compare(c, "moving", e, of, a->moving, b->moving);
    hold(c, "mean", e, of, a->mean, a->stderr_, b->mean, b->stderr_, scale);
    hold(c, "exact gradient", e, of, a->exact, 0, b->exact, 0, scale);
    if (!a->unseen && !b->unseen)
        hold(c, "variance", e, of, a->variance, a->variance_stderr, b->variance, b->variance_stderr,
             fmax(a->variance, b->variance));
}

static void compare_totals(comparing *c, const gb_compared *a, const gb_compared *b)
{
    compare(c, "evaluations", a, NULL, a->evaluations, b->evaluations);
    compare(c, "variance", a, NULL, a->total_variance, b->total_variance);
    compare(c, "standard error of the variance", a, NULL, a->total_variance_stderr, b->total_variance_stderr);
    compare(c, "variance times cost", a, NULL, a->variance_times_cost, b->variance_times_cost);
    compare(c, "ratio", a, NULL, a->ratio, b->ratio);
    compare(c, "low end of the ratio", a, NULL, a->ratio_low, b->ratio_low);
    compare(c, "high end of the ratio", a, NULL, a->ratio_high, b->ratio_high);
}

/* ---- what was measured at all ---- */

static bool is_comparable(comparing *c)
{
    const gb_comparison *const a = c->before, *const b = c->now;
    if (a->estimators != b->estimators)
        note(&c->other, "%zu estimators, and now %zu", a->estimators, b->estimators);
    else if ((a->status == GB_OK) != (b->status == GB_OK))
        note(&c->other, "%s%.150s, and now %.80s",
             a->status == GB_OK ? "no error" : "the error: ", a->status == GB_OK ? "" : a->error,
             b->status == GB_OK ? "none" : b->error);
    for (size_t i = 0; i < a->estimators && !*c->other; i++) {
        const gb_compared *const before = &a->estimator[i], *const now = &b->estimator[i];
        if (!before->parameter != !now->parameter)
            note(&c->other, "%.80s was %s, and now is %s", before->name,
                 before->parameter ? "measured" : "not measured", now->parameter ? "measured" : "not");
        else if (before->samples != now->samples)
            note(&c->other, "%.80s had %lld samples, and now has %lld", before->name,
                 (long long)before->samples, (long long)now->samples);
        else if (before->parameter && a->parameters != b->parameters)
            note(&c->other, "%zu parameters, and now %zu", a->parameters, b->parameters);
    }
    return !*c->other;
}

static bool is_same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* ---- the whole ---- */

static void say(comparing *c)
{
    gb_agreement *const a = c->a;
    char how[64] = "by roundings only";
    if (a->worst > 0)
        snprintf(how, sizeof how, "by at most %.2g standard errors", a->worst);
    if (a->same_bits)
        snprintf(a->words, sizeof a->words, "the same: all %zu numbers have the same bits", a->numbers);
    else if (*c->other)
        snprintf(a->words, sizeof a->words, "NOT the same: %s", c->other);
    else if (a->promised)
        snprintf(a->words, sizeof a->words,
                 "NOT the same: grebe %s and its %s kernels made both, so all bits should be; but %zu of %zu "
                 "numbers differ, means and variances %s: %s",
                 c->now->version, c->now->kernels, a->differing, a->numbers, how, c->first);
    else
        snprintf(a->words, sizeof a->words,
                 "the same within intervals: %zu of %zu numbers have other bits, and means and variances "
                 "differ %s (made by grebe %s, %s; here %s, %s)",
                 a->differing, a->numbers, how, c->before->version, c->before->kernels, c->now->version,
                 c->now->kernels);
}

gb_agreement gb_comparison_agreement(const gb_comparison *before, const gb_comparison *now)
{
    gb_agreement a = {.words = "there are not two comparisons"};
    if (!before || !now)
        return a;
    comparing c = {.before = before, .now = now, .a = &a, .is_within = true};
    a.promised = before->real == now->real && is_same_text(before->version, now->version) &&
                 is_same_text(before->kernels, now->kernels) && is_same_text(before->blas, now->blas);
    const bool comparable = is_comparable(&c);
    for (size_t i = 0; comparable && i < before->estimators; i++) {
        const gb_compared *const e = &before->estimator[i], *const f = &now->estimator[i];
        compare_totals(&c, e, f);
        for (size_t p = 0; e->parameter && p < before->parameters; p++)
            compare_parameter(&c, e, before->parameter[p], &e->parameter[p], &f->parameter[p],
                              scale_of(before, e));
    }
    a.same_bits = comparable && a.differing == 0;
    a.is_same = a.same_bits || (comparable && c.is_within && !a.promised);
    say(&c);
    return a;
}
