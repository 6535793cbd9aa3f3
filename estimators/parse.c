/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "estimators/parse.h"

#include <stdio.h>
#include <string.h>

#include "core/ground/text_impl.h"
#include "estimators/list.h"

enum { MOST_NAME = 64 };

const char *gb_nearest_name(const char *text, size_t count, const char *const *names)
{
    return gb_nearest_text(text, count, names);
}

/* ---- names ---- */

typedef struct parser {
    char *error;
    size_t bytes;
} parser;

static bool unknown(const parser *p, const char *what, const char *word, size_t count,
                    const char *const *names)
{
    const char *const nearest = gb_nearest_text(word, count, names);
    if (nearest)
        snprintf(p->error, p->bytes, "there is no %s %s; did you mean %s?", what, word, nearest);
    else
        snprintf(p->error, p->bytes, "there is no %s %s", what, word);
    return false;
}

/* Shorter words for some. */
static const char *in_full(const char *word)
{
    static const char *const shorter[][2] = {{"loo", "leave_one_out"},
                                             {"loro", "leave_one_row_out"},
                                             {"moving", "moving_average"},
                                             {"stl", "sticking_the_landing"},
                                             {"st", "straight_through"}};
    for (size_t i = 0; i < sizeof shorter / sizeof *shorter; i++)
        if (strcmp(word, shorter[i][0]) == 0)
            return shorter[i][1];
    return word;
}

/* ---- values ---- */

static bool number(const parser *p, const char *name, const char *text, double low, double high,
                   double *value)
{
    char *end;
    *value = gb_get_number(text, &end);
    if (end == text || *end != '\0') {
        snprintf(p->error, p->bytes, "%s takes a number, not \"%s\"", name, text);
        return false;
    }
    if (!(*value >= low && *value <= high)) {
        snprintf(p->error, p->bytes, "%s is %g, and must be from %g to %g", name, *value, low, high);
        return false;
    }
    return true;
}

/* In options 0 stands for what is usual, so it cannot be asked for. */
static bool is_said(const parser *p, const char *name, double value)
{
    if (value != 0)
        return true;
    snprintf(p->error, p->bytes,
             "%s: 0 stands for the usual number; leave it out, or take one that is near 0", name);
    return false;
}

/* NAME, or NAME(NUMBER). */
static bool baseline(const parser *p, const char *text, gb_baseline *value)
{
    char word[MOST_NAME + 1];
    const size_t length = strcspn(text, "(");
    snprintf(word, sizeof word, "%.*s", (int)length, text);
    *value = (gb_baseline){.type = gb_baseline_find(in_full(word))};
    if (!value->type) {
        const char *names[64];
        size_t count;
        const gb_baseline_type *const *const all = gb_baselines(&count);
        for (size_t i = 0; i < count && i < 64; i++)
            names[i] = all[i]->name;
        return unknown(p, "baseline", word, count, names);
    }
    if (value->type == &gb_learned_baseline_type) {
        snprintf(p->error, p->bytes, "the learned baseline is a graph, and cannot be given as text");
        return false;
    }
    if (text[length] == '\0') {
        if (value->type->needs_number)
            snprintf(p->error, p->bytes, "baseline %s needs %s: %s(NUMBER)", word, value->type->number, word);
        return !value->type->needs_number;
    }
    if (!value->type->number) {
        snprintf(p->error, p->bytes, "baseline %s takes no number", word);
        return false;
    }
    char figure[MOST_NAME + 1];
    snprintf(figure, sizeof figure, "%s", text + length + 1);
    const size_t last = strlen(figure);
    if (last < 2 || figure[last - 1] != ')') {
        snprintf(p->error, p->bytes, "baseline %s: NAME or NAME(NUMBER) is expected", text);
        return false;
    }
    figure[last - 1] = '\0';
    if (!number(p, word, figure, -1e300, 1e300, &value->number))
        return false;
    return value->type->needs_number || is_said(p, word, value->number);
}

static bool choice(const parser *p, const gb_estimator_option *option, const char *text, int *value)
{
    size_t count = 0;
    while (option->choices[count])
        count++;
    for (*value = 0; *value < (int)count; ++*value)
        if (strcmp(option->choices[*value], text) == 0)
            return true;
    return unknown(p, option->name, text, count, option->choices);
}

static bool flag(const parser *p, const char *name, const char *text, bool *value)
{
    *value = strcmp(text, "yes") == 0;
    if (*value || strcmp(text, "no") == 0)
        return true;
    snprintf(p->error, p->bytes, "%s takes yes or no, not \"%s\"", name, text);
    return false;
}

static bool find_estimator(const parser *p, const char *word, const gb_estimator_type **type)
{
    const char *names[64];
    size_t count;
    const gb_estimator_type *const *const all = gb_estimators(&count);
    *type = gb_estimator_find(in_full(word));
    for (size_t i = 0; i < count && i < 64; i++)
        names[i] = all[i]->name;
    return *type || unknown(p, "estimator", word, count, names);
}

static bool set(const parser *p, const gb_estimator_option *option, const char *text, void *options)
{
    void *const at = (char *)options + option->offset;
    switch (option->kind) {
    case GB_OPTION_NUMBER:
        return number(p, option->name, text, option->low, option->high, at) &&
               is_said(p, option->name, *(const double *)at);
    case GB_OPTION_FLAG: return flag(p, option->name, *text ? text : "yes", at);
    case GB_OPTION_CHOICE: return choice(p, option, text, at);
    case GB_OPTION_BASELINE: return baseline(p, text, at);
    case GB_OPTION_ESTIMATOR: return find_estimator(p, text, at);
    }
    return false;
}

/* ---- the whole ---- */

static const gb_estimator_option no_options[] = {{0}};

static bool option(const parser *p, const gb_estimator_type *type, char *text, void *options)
{
    const gb_estimator_option *const all = GB_HAS(type, options) ? type->options : no_options;
    char *const sign = strchr(text, '=');
    const char *names[32];
    size_t count = 0;
    if (sign)
        *sign = '\0';
    for (; all[count].name && count < 32; count++) {
        if (strcmp(all[count].name, text) == 0)
            return set(p, &all[count], sign ? sign + 1 : "", options);
        names[count] = all[count].name;
    }
    char what[MOST_NAME + 16];
    snprintf(what, sizeof what, "option of %s called", type->name);
    return unknown(p, what, text, count, names);
}

bool gb_estimator_parse(const char *text, gb_estimator *estimator, char *error, size_t bytes)
{
    const parser p = {.error = error, .bytes = bytes};
    gb_estimator made = {0};
    char copy[256], *rest = copy;
    *estimator = made;
    if (!text || !*text || strlen(text) >= sizeof copy) {
        snprintf(error, bytes, "an estimator is expected: NAME or NAME:OPTION=VALUE");
        return false;
    }
    snprintf(copy, sizeof copy, "%s", text);
    rest += strcspn(copy, ":");
    const bool more = *rest == ':';
    *rest = '\0';
    if (!find_estimator(&p, copy, &made.type))
        return false;
    for (bool again = more; again;) {
        char *const word = rest + 1;
        rest = word + strcspn(word, ":");
        again = *rest == ':';
        *rest = '\0';
        if (!option(&p, made.type, word, made.options.bytes))
            return false;
    }
    if (GB_HAS(made.type, complete))
        made.type->complete(made.options.bytes);
    *estimator = made;
    return true;
}
