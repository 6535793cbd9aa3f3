/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Estimators, whose names may have options, and baselines. */
#include <math.h>

#include "cli/kinds/kind.h"
#include "cli/shell/say.h"
#include "estimators/list.h"
#include "estimators/parse.h"
#include "kit/check_baseline.h"
#include "kit/check_estimator.h"

GB_CLI_NAMES_OF(estimators, gb_estimators)

/* "reparameterised sampler, …" */
static const char *needs_words(unsigned needs, char *text, size_t bytes)
{
    static const struct {
        unsigned bit;
        const char *words;
    } words[] = {
#define GB_ABILITY_WORDS(slot, name, words) {GB_NEEDS(name), words},
        GB_ABILITY_LIST(GB_ABILITY_WORDS){GB_NEEDS_FIXED_SUPPORT, "a support that does not move"},
        {GB_NEEDS_SEPARATE_SAMPLES, "samples whose costs do not depend on each other"},
        {GB_NEEDS_SEPARATE_ROWS, "a cost that is a sum over rows"},
        {GB_NEEDS_SMOOTH_COST, "a cost without jumps"},
        {GB_NEEDS_OWN_LOG_PROB, "the draw's own log density in the cost"}};
    size_t used = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words && used < bytes; i++)
        if (needs & words[i].bit)
            used += (size_t)snprintf(text + used, bytes - used, "%s%s", used ? ", " : "", words[i].words);
    return used ? text : NULL;
}

static const char *const kind_names[] = {[GB_OPTION_NUMBER] = "number",
                                         [GB_OPTION_FLAG] = "flag",
                                         [GB_OPTION_CHOICE] = "choice",
                                         [GB_OPTION_BASELINE] = "baseline",
                                         [GB_OPTION_ESTIMATOR] = "estimator"};

/* "a number from 0.001 to 1000", "flat or sharp" */
static void values_words(const gb_estimator_option *option, char *text, size_t bytes)
{
    static const char *const others[] = {[GB_OPTION_FLAG] = "yes or no",
                                         [GB_OPTION_BASELINE] = "a baseline: NAME or NAME(NUMBER)",
                                         [GB_OPTION_ESTIMATOR] = "the name of an estimator"};
    size_t used = 0;
    if (option->kind == GB_OPTION_NUMBER)
        snprintf(text, bytes, "a number from %g to %g", option->low, option->high);
    else if (option->kind != GB_OPTION_CHOICE)
        snprintf(text, bytes, "%s", others[option->kind]);
    else
        for (size_t i = 0; option->choices[i] && used < bytes; i++)
            used += (size_t)snprintf(text + used, bytes - used, "%s%s", i ? " or " : "", option->choices[i]);
}

static void list_option(gb_cli_listing *l, const gb_estimator_option *option)
{
    char values[160], text[400];
    const bool is_number = option->kind == GB_OPTION_NUMBER;
    values_words(option, values, sizeof values);
    snprintf(text, sizeof text, "%s (%s)", option->words, values);
    gb_cli_row_begin(l, option->name);
    gb_cli_field(l, "words", l->json ? option->words : text);
    if (l->json)
        gb_cli_field(l, "kind", kind_names[option->kind]);
    gb_cli_number_field(l, "low", is_number ? option->low : (double)NAN);
    gb_cli_number_field(l, "high", is_number ? option->high : (double)NAN);
    gb_cli_texts_field(l, "choices", option->kind == GB_OPTION_CHOICE ? option->choices : NULL);
    gb_cli_row_end(l);
}

static void list_estimator(gb_cli_listing *l, size_t i)
{
    char needs[512];
    const gb_estimator_type *const type = gb_estimators(NULL)[i];
    gb_cli_field(l, "formula", type->formula);
    gb_cli_field(l, "cite", type->cite);
    gb_cli_field(l, "needs", needs_words(type->needs, needs, sizeof needs));
    gb_cli_field(l, "bias", type->bias);
    gb_cli_flag(l, "first_order", type->first_order, "no gradients of its gradients");
    gb_cli_rows_begin(l, "options");
    for (size_t o = 0; GB_HAS(type, options) && type->options[o].name; o++)
        list_option(l, &type->options[o]);
    gb_cli_rows_end(l);
}

static bool parse(const char *name, gb_estimator *estimator)
{
    char error[256];
    return gb_estimator_parse(name, estimator, error, sizeof error) || gb_cli_refuse("%s", error);
}

static bool is_estimator(const char *name)
{
    gb_estimator estimator;
    return parse(name, &estimator);
}

static bool check_estimator(const char *name, const gb_cli_checking *how, gb_report *report)
{
    gb_estimator estimator;
    return parse(name, &estimator) &&
           gb_check_estimator(estimator, .report = report, .seed = how->seed, .thorough = how->thorough);
}

const gb_cli_kind gb_cli_estimators_kind = {
    .name = "estimators",
    .one = "estimator",
    .count = count_estimators,
    .row = name_of_estimators,
    .list = list_estimator,
    .knows = is_estimator,
    .check = check_estimator,
};

/* ---- baselines ---- */

GB_CLI_NAMES_OF(baselines, gb_baselines)

static void list_baseline(gb_cli_listing *l, size_t i)
{
    const gb_baseline_type *const type = gb_baselines(NULL)[i];
    gb_cli_field(l, "formula", type->formula);
    gb_cli_field(l, "cite", type->cite);
    gb_cli_field(l, "number", type->number);
    gb_cli_flag(l, "needs_number", type->needs_number, "needs that number");
}

static const char *baseline_is_beyond(const char *name)
{
    return gb_baseline_find(name) == &gb_learned_baseline_type
               ? "it is whatever node gb_learned_baseline is given"
               : NULL;
}

/* Where there is no usual number, 1. */
static bool check_baseline(const char *name, const gb_cli_checking *how, gb_report *report)
{
    const gb_baseline_type *const type = gb_baseline_find(name);
    const gb_baseline baseline = {.type = type, .number = type->needs_number ? 1 : 0};
    return gb_check_baseline(baseline, .report = report, .seed = how->seed, .thorough = how->thorough);
}

const gb_cli_kind gb_cli_baselines_kind = {
    .name = "baselines",
    .one = "baseline",
    .count = count_baselines,
    .row = name_of_baselines,
    .list = list_baseline,
    .beyond = baseline_is_beyond,
    .check = check_baseline,
};
