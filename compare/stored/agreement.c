/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether what was made again is the same: a walk over both texts at once. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "compare/stored/rules_impl.h"
#include "compare/stored/stored_impl.h"

enum { MOST_ERRORS = 5, MOST_FACTOR = 2, SHOWN = 40 };

/* Two values at the same place, and the object or list that has the second one. */
typedef struct both {
    gb_json before, now, now_in;
} both;

typedef struct walk {
    gb_agreement *a;
    gb_results_path path;
    bool is_promised; /* the same bits, in this comparison */
    bool is_broken;   /* a promise, in any */
    bool is_float;
    double scale;                   /* the largest mean of this estimator */
    char before[2][64], now[2][64]; /* version and kernels of the first comparison without that promise */
    char first[400];                /* the first number that differs */
    char other[400];                /* the first difference that nothing allows */
    char damage[400];               /* the first value that should be a number */
} walk;

static void GB_PRINTF(2, 3) note(char (*to)[400], const char *format, ...)
{
    va_list words;
    if (**to)
        return;
    va_start(words, format);
    vsnprintf(*to, sizeof *to, format, words);
    va_end(words);
}

static int shown(gb_json value)
{
    const size_t bytes = gb_json_bytes(value);
    return bytes < SHOWN ? (int)bytes : SHOWN;
}

static void note_both(walk *w, char (*to)[400], const both *b)
{
    note(to, "%s is %.*s, and now %.*s", w->path.text, shown(b->before), b->before.at, shown(b->now),
         b->now.at);
}

/* ---- numbers ---- */

static bool is_same_number(gb_json a, gb_json b, double x, double y)
{
    uint64_t one, other;
    if (gb_json_read_whole(a, &one) && gb_json_read_whole(b, &other))
        return one == other;
    return x == y && !signbit(x) == !signbit(y);
}

static double known(double error)
{
    return isfinite(error) ? error : 0;
}

/* Differences of rounding errors count for nothing. */
static double roundings(const walk *w, const gb_results_rule *rule, double x, double y)
{
    const double own = fmax(fabs(x), fabs(y)), scale = rule->is_gradient ? fmax(own, w->scale) : own;
    return (w->is_float ? 1e-3 : 1e-8) * scale + 1e-15;
}

/* By the standard errors of now: those of a file are compared themselves. */
static void hold(walk *w, const gb_results_rule *rule, const both *b, double x, double y)
{
    const double error = rule->error(b->now_in), both_error = isfinite(error) ? sqrt(2) * error : 0,
                 errors = both_error > 0 ? fabs(x - y) / both_error : (double)INFINITY;
    w->a->worst = fmax(w->a->worst, errors);
    if (!(errors <= MOST_ERRORS))
        note(&w->other, "%s is %.*s, and now %.*s ± %.2g", w->path.text, shown(b->before), b->before.at,
             shown(b->now), b->now.at, known(error));
}

static void compare_numbers(walk *w, const gb_results_rule *rule, const both *b)
{
    double x, y;
    w->a->numbers++;
    if (gb_json_read_number(b->before, &x) && gb_json_read_number(b->now, &y) &&
        is_same_number(b->before, b->now, x, y))
        return;
    w->a->differing++;
    w->is_broken |= w->is_promised;
    note_both(w, &w->first, b);
    if (rule->how == GB_RESULTS_EXACT || isnan(x) || isnan(y))
        note_both(w, &w->other, b);
    else if (fabs(x - y) <= roundings(w, rule, x, y))
        return;
    else if (rule->how == GB_RESULTS_VALUE)
        hold(w, rule, b, x, y);
    else if (rule->how == GB_RESULTS_NEAR || !(x <= MOST_FACTOR * y && y <= MOST_FACTOR * x))
        note_both(w, &w->other, b);
}

/* ---- other values ---- */

/* One letter for each kind. */
static char kind_of(gb_json value)
{
    const char kind = gb_json_kind(value);
    return kind == '-' || (kind >= '0' && kind <= '9') ? '0' : kind == 'f' ? 't' : kind;
}

static void compare_leaves(walk *w, const both *b)
{
    const gb_results_rule *const rule = gb_results_rule_of(&w->path);
    const char before = kind_of(b->before), now = kind_of(b->now);
    if (before == 'n' && now == '0')
        note(&w->damage, "%s is null, where a number is due: now it is %.*s", w->path.text, shown(b->now),
             b->now.at);
    else if (rule->how == GB_RESULTS_FREE && (before == now || before == 'n' || now == 'n'))
        return;
    else if (before == '0' && now == '0')
        compare_numbers(w, rule, b);
    else if (before != now || (before == '"' && !gb_json_same_text(b->before, b->now)) ||
             (before == 't' && *b->before.at != *b->now.at))
        note_both(w, &w->other, b);
}

/* ---- objects ---- */

static bool is_same_member(const both *b, const char *name)
{
    const gb_json one = gb_json_member(b->before, name), other = gb_json_member(b->now, name);
    return kind_of(one) == kind_of(other) && (kind_of(one) != '"' || gb_json_same_text(one, other));
}

/* Where one comparison was made. */
static void enter_comparison(walk *w, const both *b)
{
    static const char *const names[] = {"grebe", "kernels"};
    w->is_promised = is_same_member(b, "grebe") && is_same_member(b, "kernels") &&
                     is_same_member(b, "blas") && is_same_member(b, "dtype");
    w->is_float = gb_json_is_text(gb_json_member(b->now, "dtype"), "f32");
    for (size_t i = 0; i < 2 && (w->a->promised || !**w->now); i++)
        if (!gb_json_read_text(gb_json_member(b->before, names[i]), w->before[i], sizeof *w->before) ||
            !gb_json_read_text(gb_json_member(b->now, names[i]), w->now[i], sizeof *w->now))
            note(&w->other, "%s is no short text", names[i]);
    w->a->promised = w->a->promised && w->is_promised;
}

static void enter_estimator(walk *w, gb_json parameters)
{
    gb_json one = {0};
    w->scale = 0;
    while ((one = gb_json_next(parameters, one, NULL)).at) {
        double mean;
        if (gb_json_read_number(gb_json_member(one, "mean"), &mean))
            w->scale = fmax(w->scale, fabs(mean)); /* NaN is none */
    }
}

static void compare(walk *w, const both *b);

static void compare_objects(walk *w, const both *b)
{
    const size_t length = w->path.length;
    gb_json key, one = {0};
    if (gb_json_member(b->now, "kernels").at)
        enter_comparison(w, b);
    if (gb_json_member(b->now, "parameters").at)
        enter_estimator(w, gb_json_member(b->now, "parameters"));
    while ((one = gb_json_next(b->now, one, &key)).at) {
        const gb_json before = gb_json_like(b->before, key);
        gb_results_path_key(&w->path, key);
        if (before.at)
            compare(w, &(both){before, one, b->now});
        else
            note(&w->other, "%s is missing in the file, and now is %.*s", w->path.text, shown(one), one.at);
        gb_results_path_back(&w->path, length);
    }
    while ((one = gb_json_next(b->before, one, &key)).at) {
        gb_results_path_key(&w->path, key);
        if (!gb_json_like(b->now, key).at)
            note(&w->other, "%s is %.*s, and now is not there", w->path.text, shown(one), one.at);
        gb_results_path_back(&w->path, length);
    }
}

static void compare_lists(walk *w, const both *b)
{
    const size_t length = w->path.length, before = gb_json_count(b->before), now = gb_json_count(b->now);
    gb_json one = {0}, other = {0};
    if (before != now)
        note(&w->other, "%s has %zu elements, and now %zu", w->path.text, before, now);
    for (size_t i = 0; before == now && i < now; i++) {
        one = gb_json_next(b->before, one, NULL);
        other = gb_json_next(b->now, other, NULL);
        gb_results_path_element(&w->path, i);
        compare(w, &(both){one, other, b->now});
        gb_results_path_back(&w->path, length);
    }
}

static void compare(walk *w, const both *b)
{
    const char kind = kind_of(b->before);
    if (kind != kind_of(b->now) || (kind != '{' && kind != '['))
        compare_leaves(w, b);
    else
        (kind == '{' ? compare_objects : compare_lists)(w, b);
}

/* ---- the whole ---- */

static void say(walk *w)
{
    gb_agreement *const a = w->a;
    char how[64] = "by roundings only";
    if (a->worst > 0)
        snprintf(how, sizeof how, "by at most %.2g standard errors", a->worst);
    if (*w->damage)
        snprintf(a->words, sizeof a->words, "the file is damaged: %s", w->damage);
    else if (a->same_bits)
        snprintf(a->words, sizeof a->words, "the same: all %zu numbers have the same bits", a->numbers);
    else if (*w->other)
        snprintf(a->words, sizeof a->words, "NOT the same: %s", w->other);
    else if (!a->is_same)
        snprintf(a->words, sizeof a->words,
                 "NOT the same: grebe %s and its %s kernels made both, so all bits should be; but %zu of %zu "
                 "numbers differ, %s: %.250s",
                 w->now[0], w->now[1], a->differing, a->numbers, how, w->first);
    else
        snprintf(
            a->words, sizeof a->words,
            "the same within intervals: %zu of %zu numbers have other bits, and differ %s (made by grebe "
            "%s, %s; here %s, %s)",
            a->differing, a->numbers, how, w->before[0], w->before[1], w->now[0], w->now[1]);
}

gb_agreement gb_stored_agreement(const gb_stored *before, const char *now, size_t bytes)
{
    gb_agreement a = {.status = GB_EARGUMENT, .words = "there are not two files of results"};
    size_t wrong;
    const char *why;
    const both whole = {.before = gb_stored_json(before),
                        .now = now ? gb_json_of(now, bytes, &wrong, &why) : (gb_json){0}};
    if (!whole.before.at || !whole.now.at)
        return a;
    walk w = {.a = &a};
    a.promised = true;
    compare(&w, &whole);
    a.status = *w.damage ? GB_EFILE : GB_OK;
    a.same_bits = !*w.first && !*w.other && !*w.damage;
    a.is_same = a.same_bits || (!w.is_broken && !*w.other && !*w.damage);
    say(&w);
    return a;
}
