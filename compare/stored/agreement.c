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
static void compare(comparing *c, const char *what, const char *by, const char *of, double before, double now)
{
    c->a->numbers++;
    if (is_same_number(before, now))
        return;
    c->a->differing++;
    note(&c->first, "%s of %.60s by %.80s: %.9g, and now %.9g", what, of ? of : "all parameters", by, before,
         now);
}

/* ---- intervals ---- */

/* Differences of rounding errors count for nothing. */
static void hold(comparing *c, const char *what, const char *by, const char *of, double before,
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
    note(&c->other, "%s of %.60s by %.80s: %.6g ± %.2g, and now %.6g ± %.2g", what, of, by, before,
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

static void compare_parameter(comparing *c, const char *by, const char *of, const gb_measured *a,
                              const gb_measured *b, double scale)
{
    compare(c, "mean", by, of, a->mean, b->mean);
    compare(c, "standard error", by, of, a->stderr_, b->stderr_);
    compare(c, "variance", by, of, a->variance, b->variance);
    compare(c, "standard error of the variance", by, of, a->variance_stderr, b->variance_stderr);
    compare(c, "kurtosis", by, of, a->kurtosis, b->kurtosis);
    compare(c, "exact gradient", by, of, a->exact, b->exact);
    compare(c, "z", by, of, a->z, b->z);
    compare(c, "snr", by, of, a->snr, b->snr);
    compare(c, "unseen", by, of, a->unseen, b->unseen);
    compare(c, "moving", by, of, a->moving, b->moving);
    hold(c, "mean", by, of, a->mean, a->stderr_, b->mean, b->stderr_, scale);
    hold(c, "exact gradient", by, of, a->exact, 0, b->exact, 0, scale);
    if (!a->unseen && !b->unseen)
        hold(c, "variance", by, of, a->variance, a->variance_stderr, b->variance, b->variance_stderr,
             fmax(a->variance, b->variance));
}

static void compare_totals(comparing *c, const gb_compared *a, const gb_compared *b)
{
    compare(c, "evaluations", a->name, NULL, a->evaluations, b->evaluations);
    compare(c, "variance", a->name, NULL, a->total_variance, b->total_variance);
    compare(c, "standard error of the variance", a->name, NULL, a->total_variance_stderr,
            b->total_variance_stderr);
    compare(c, "variance times cost", a->name, NULL, a->variance_times_cost, b->variance_times_cost);
    compare(c, "ratio", a->name, NULL, a->ratio, b->ratio);
    compare(c, "low end of the ratio", a->name, NULL, a->ratio_low, b->ratio_low);
    compare(c, "high end of the ratio", a->name, NULL, a->ratio_high, b->ratio_high);
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

static bool is_promised(const gb_comparison *before, const gb_comparison *now)
{
    return before->real == now->real && is_same_text(before->version, now->version) &&
           is_same_text(before->kernels, now->kernels) && is_same_text(before->blas, now->blas);
}

static void conclude(comparing *c, bool comparable)
{
    gb_agreement *const a = c->a;
    a->same_bits = comparable && a->differing == 0;
    a->is_same = a->same_bits || (comparable && c->is_within && !a->promised);
    say(c);
}

gb_agreement gb_comparison_agreement(const gb_comparison *before, const gb_comparison *now)
{
    gb_agreement a = {.words = "there are not two comparisons"};
    if (!before || !now)
        return a;
    comparing c = {.before = before, .now = now, .a = &a, .is_within = true};
    a.promised = is_promised(before, now);
    const bool comparable = is_comparable(&c);
    for (size_t i = 0; comparable && i < before->estimators; i++) {
        const gb_compared *const e = &before->estimator[i], *const f = &now->estimator[i];
        compare_totals(&c, e, f);
        for (size_t p = 0; e->parameter && p < before->parameters; p++)
            compare_parameter(&c, e->name, before->parameter[p], &e->parameter[p], &f->parameter[p],
                              scale_of(before, e));
    }
    conclude(&c, comparable);
    return a;
}

/* ---- races ---- */

static bool are_comparable(comparing *c, const gb_racing *a, const gb_racing *b)
{
    if (a->estimators != b->estimators || a->points != b->points || a->seeds != b->seeds)
        note(&c->other, "%lld trainings of %zu estimators at %zu points, and now %lld of %zu at %zu",
             (long long)a->seeds, a->estimators, a->points, (long long)b->seeds, b->estimators, b->points);
    for (size_t i = 0; i < a->estimators && !*c->other; i++) {
        const gb_raced *const before = &a->estimator[i], *const now = &b->estimator[i];
        if (!before->point != !now->point || before->failed != now->failed)
            note(&c->other, "%.80s had %lld trainings, and now has %lld", before->name,
                 (long long)(before->point ? a->seeds - before->failed : 0),
                 (long long)(now->point ? b->seeds - now->failed : 0));
    }
    return !*c->other;
}

static void compare_point(comparing *c, const char *by, int64_t step, const gb_figure *a, const gb_figure *b)
{
    char of[32];
    snprintf(of, sizeof of, "step %lld", (long long)step);
    compare(c, "mean", by, of, a->value, b->value);
    compare(c, "standard error", by, of, a->error, b->error);
    hold(c, "mean", by, of, a->value, isfinite(a->error) ? a->error : 0, b->value,
         isfinite(b->error) ? b->error : 0, fmax(fabs(a->value), fabs(b->value)));
}

gb_agreement gb_racing_agreement(const gb_racing *before, const gb_racing *now)
{
    gb_agreement a = {.words = "there are not two races of a problem"};
    if (!before || !now || !before->asked || !now->asked)
        return a;
    comparing c = {.before = before->asked, .now = now->asked, .a = &a, .is_within = true};
    a.promised = is_promised(before->asked, now->asked);
    const bool comparable = are_comparable(&c, before, now);
    for (size_t i = 0; comparable && i < before->estimators; i++)
        for (size_t p = 0; before->estimator[i].point && p < before->points; p++)
            compare_point(&c, before->estimator[i].name, before->step[p],
                          &before->estimator[i].point[p].value, &now->estimator[i].point[p].value);
    conclude(&c, comparable);
    return a;
}
