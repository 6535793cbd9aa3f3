/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compare/stored/rules_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- standard errors ---- */

static double member(gb_json of, const char *name)
{
    double number;
    return gb_json_read_number(gb_json_member(of, name), &number) ? number : (double)NAN;
}

static double element(gb_json of, size_t which)
{
    gb_json at = {0};
    double number;
    for (size_t i = 0; i <= which; i++)
        at = gb_json_next(of, at, NULL);
    return gb_json_read_number(at, &number) ? number : (double)NAN;
}

static double of_mean(gb_json of)
{
    return member(of, "stderr");
}

static double of_variance(gb_json of)
{
    return member(of, "variance_stderr");
}

/* Of the standard deviation, relative to it. */
static double of_deviation(gb_json of)
{
    const double variance = member(of, "variance");
    return variance > 0 ? member(of, "variance_stderr") / variance / 2 : 0;
}

/* The bias in standard errors: its own is 1, and that of the standard error is added. */
static double of_z(gb_json of)
{
    return hypot(1, member(of, "z") * of_deviation(of));
}

static double of_snr(gb_json of)
{
    return hypot(member(of, "stderr") / sqrt(member(of, "variance")), member(of, "snr") * of_deviation(of));
}

static double of_total(gb_json of)
{
    return member(of, "total_variance_stderr");
}

static double of_times_cost(gb_json of)
{
    return of_total(of) * member(of, "variance_times_cost") / member(of, "total_variance");
}

/* Its interval has 1.96 standard errors on both sides. */
static double of_ratio(gb_json of)
{
    return (member(of, "ratio_high") - member(of, "ratio_low")) / (2 * 1.959963984540054);
}

/* Of a figure: value, standard error, and the ends of an interval. */
static double of_figure(gb_json of)
{
    return element(of, 1);
}

/* That of the value, and that of the reach: at most the reach itself, which two trainings have. */
static double of_end(gb_json of)
{
    return hypot(element(of, 1), (element(of, 3) - element(of, 2)) / 2);
}

/* ---- the table ---- */

/* clang-format off */
#define PARAMETER "estimators[].parameters[]."
#define FIGURE "estimators[].points[].value"
static const gb_results_rule rules[] = {
    {"grebe", .how = GB_RESULTS_FREE},
    {"kernels", .how = GB_RESULTS_FREE},
    {"blas", .how = GB_RESULTS_FREE},
    {"threads", .how = GB_RESULTS_FREE},
    {"data.from", .how = GB_RESULTS_FREE},
    {"plugins[].from", .how = GB_RESULTS_FREE},
    {"estimators[].seconds_per_estimate", .how = GB_RESULTS_FREE, .is_size = true},
    {"estimators[].points[].seconds[]", .how = GB_RESULTS_FREE, .is_size = true},
    {PARAMETER "at", .how = GB_RESULTS_NEAR, .is_due = true},
    {PARAMETER "exact", .how = GB_RESULTS_NEAR, .is_gradient = true},
    {PARAMETER "mean", .how = GB_RESULTS_VALUE, .error = of_mean, .is_gradient = true},
    {PARAMETER "stderr", .how = GB_RESULTS_SPREAD, .is_size = true, .is_gradient = true},
    {PARAMETER "variance", .how = GB_RESULTS_VALUE, .error = of_variance, .is_size = true},
    {PARAMETER "variance_stderr", .how = GB_RESULTS_SPREAD, .is_size = true},
    {PARAMETER "kurtosis", .how = GB_RESULTS_SPREAD, .is_size = true},
    {PARAMETER "z", .how = GB_RESULTS_VALUE, .error = of_z},
    {PARAMETER "snr", .how = GB_RESULTS_VALUE, .error = of_snr, .is_size = true},
    {"estimators[].evaluations_per_estimate", .how = GB_RESULTS_EXACT, .is_size = true},
    {"estimators[].total_variance", .how = GB_RESULTS_VALUE, .error = of_total, .is_size = true},
    {"estimators[].total_variance_stderr", .how = GB_RESULTS_SPREAD, .is_size = true},
    {"estimators[].variance_times_cost", .how = GB_RESULTS_VALUE, .error = of_times_cost, .is_size = true},
    {"estimators[].ratio", .how = GB_RESULTS_VALUE, .error = of_ratio, .is_size = true},
    {"estimators[].ratio_low", .how = GB_RESULTS_VALUE, .error = of_ratio, .is_size = true},
    {"estimators[].ratio_high", .how = GB_RESULTS_VALUE, .error = of_ratio, .is_size = true},
    {FIGURE "[0]", .how = GB_RESULTS_VALUE, .error = of_figure},
    {FIGURE "[1]", .how = GB_RESULTS_SPREAD, .is_size = true},
    {FIGURE "[]", .how = GB_RESULTS_VALUE, .error = of_end},
};
/* clang-format on */

/* Whether the path is one of the pattern's. */
static bool fits(const char *pattern, const char *path)
{
    while (*pattern && (*pattern == *path || (*pattern == ']' && pattern[-1] == '['))) {
        if (*pattern == ']' && pattern[-1] == '[')
            path += strspn(path, "0123456789");
        if (*pattern++ != *path++)
            return false;
    }
    return !*pattern && !*path;
}

const gb_results_rule *gb_results_rule_of(const gb_results_path *path)
{
    static const gb_results_rule exact = {.how = GB_RESULTS_EXACT};
    static const char sweep[] = "comparisons[";
    const char *at = path->text;
    if (path->length >= sizeof path->text)
        return &exact;
    if (strncmp(at, sweep, sizeof sweep - 1) == 0 && strchr(at, '.'))
        at = strchr(at, '.') + 1;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (fits(rules[i].path, at))
            return &rules[i];
    return &exact;
}

/* ---- paths ---- */

static void add(gb_results_path *path, const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++, path->length++)
        if (path->length + 1 < sizeof path->text)
            path->text[path->length] = text[i];
    gb_results_path_back(path, path->length);
}

void gb_results_path_key(gb_results_path *path, gb_json key)
{
    if (path->length > 0)
        add(path, ".", 1);
    add(path, key.at + 1, gb_json_bytes(key) - 2);
}

void gb_results_path_element(gb_results_path *path, size_t element)
{
    char text[32];
    add(path, text, (size_t)snprintf(text, sizeof text, "[%zu]", element));
}

void gb_results_path_back(gb_results_path *path, size_t before)
{
    path->length = before;
    path->text[before < sizeof path->text ? before : sizeof path->text - 1] = '\0';
}

/* ---- values ---- */

typedef struct check {
    gb_results_path path;
    size_t bytes;
    char *words;
} check;

static bool is_wrong(check *c, gb_json value)
{
    const gb_results_rule *const rule = gb_results_rule_of(&c->path);
    double number;
    if (!gb_json_read_number(value, &number))
        return false;
    if (rule->is_due && isnan(number))
        snprintf(c->words, c->bytes, "%s is null, and must be a number", c->path.text);
    else if (rule->is_size && number < 0)
        snprintf(c->words, c->bytes, "%s is %g, and must be 0 or more", c->path.text, number);
    else
        return false;
    return true;
}

static bool has_fault(check *c, gb_json value)
{
    const bool is_object = gb_json_kind(value) == '{';
    const size_t before = c->path.length;
    gb_json key, one = {0};
    bool found = is_wrong(c, value);
    for (size_t i = 0; !found && (one = gb_json_next(value, one, &key)).at; i++) {
        if (is_object)
            gb_results_path_key(&c->path, key);
        else
            gb_results_path_element(&c->path, i);
        found = has_fault(c, one);
        gb_results_path_back(&c->path, before);
    }
    return found;
}

bool gb_results_fault(gb_json whole, size_t bytes, char *words)
{
    check c = {.bytes = bytes, .words = words};
    return has_fault(&c, whole);
}
