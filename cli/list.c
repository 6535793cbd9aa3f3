/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `grebe list`: what the library has, from its own structs. */
#include <math.h>
#include <string.h>

#include "cli/command.h"
#include "cli/listing.h"
#include "cli/say.h"
#include "distributions/kl.h"
#include "distributions/list.h"
#include "estimators/list.h"
#include "estimators/parse.h"
#include "estimators/problem.h"
#include "ops/list.h"

/* ---- estimators ---- */

static size_t count_estimators(void)
{
    size_t count;
    gb_estimators(&count);
    return count;
}

static const char *estimator_name(size_t i)
{
    return gb_estimators(NULL)[i]->name;
}

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

/* ---- baselines ---- */

static size_t count_baselines(void)
{
    size_t count;
    gb_baselines(&count);
    return count;
}

static const char *baseline_name(size_t i)
{
    return gb_baselines(NULL)[i]->name;
}

static void list_baseline(gb_cli_listing *l, size_t i)
{
    const gb_baseline_type *const type = gb_baselines(NULL)[i];
    gb_cli_field(l, "formula", type->formula);
    gb_cli_field(l, "cite", type->cite);
    gb_cli_field(l, "number", type->number);
    gb_cli_flag(l, "needs_number", type->needs_number, "needs that number");
}

/* ---- distributions ---- */

static size_t count_distributions(void)
{
    size_t count;
    gb_distributions(&count);
    return count;
}

static const char *distribution_name(size_t i)
{
    return gb_distributions(NULL)[i]->name;
}

static void list_parameters(gb_cli_listing *l, const gb_dist_type *type)
{
    gb_cli_rows_begin(l, "parameters");
    for (size_t p = 0; p < GB_MAX_PARAMS && type->param[p].name; p++) {
        gb_cli_row_begin(l, type->param[p].name);
        gb_cli_field(l, "domain", type->param[p].domain ? type->param[p].domain->must_be : NULL);
        gb_cli_row_end(l);
    }
    gb_cli_rows_end(l);
}

static void list_distribution(gb_cli_listing *l, size_t i)
{
    const gb_dist_type *const type = gb_distributions(NULL)[i];
    gb_cli_field(l, "formula", type->formula);
    gb_cli_field(l, "support", type->support ? type->support->name : NULL);
    gb_cli_flag(l, "discrete", type->discrete, "discrete");
    gb_cli_flag(l, "reparameterised", type->rsample != NULL, "reparameterised");
    list_parameters(l, type);
}

/* ---- problems ---- */

static size_t count_problems(void)
{
    size_t count;
    gb_problems(&count);
    return count;
}

static const char *problem_name(size_t i)
{
    return gb_problems(NULL)[i]->name;
}

static void list_setting(gb_cli_listing *l, const gb_setting *setting)
{
    char text[256];
    gb_cli_row_begin(l, setting->name);
    if (l->json)
        gb_cli_field(l, "words", setting->words);
    else {
        snprintf(text, sizeof text, "%s: %g, from %g to %g", setting->words, setting->value, setting->low,
                 setting->high);
        gb_cli_field(l, "words", text);
    }
    gb_cli_number_field(l, "value", setting->value);
    gb_cli_number_field(l, "low", setting->low);
    gb_cli_number_field(l, "high", setting->high);
    gb_cli_row_end(l);
}

static void list_problem(gb_cli_listing *l, size_t i)
{
    const gb_problem *const problem = gb_problems(NULL)[i];
    gb_cli_field(l, "formula", problem->formula);
    gb_cli_flag(l, "needs_data", problem->needs_data, "needs data");
    gb_cli_rows_begin(l, "settings");
    for (size_t s = 0; s < GB_PROBLEM_SETTINGS && problem->settings[s].name; s++)
        list_setting(l, &problem->settings[s]);
    gb_cli_rows_end(l);
}

/* ---- ops ---- */

static size_t count_ops(void)
{
    size_t count;
    gb_ops(&count);
    return count;
}

static const char *op_name(size_t i)
{
    return gb_ops(NULL)[i]->name;
}

static void list_op(gb_cli_listing *l, size_t i)
{
    static const char *const form[] = {"leaf",   "alias", "view",   "elementwise",
                                       "reduce", "noise", "kernel", "composite"};
    const gb_op *const op = gb_ops(NULL)[i];
    gb_cli_field(l, "formula", op->formula);
    if (l->json)
        gb_cli_field(l, "form", form[op->form]);
    gb_cli_flag(l, "once_differentiable", op->once_differentiable, "differentiable once");
}

/* ---- divergences: the pairs of all types in turn ---- */

static const gb_kl_pair *find_pair(size_t i)
{
    size_t count;
    const gb_dist_type *const *const types = gb_distributions(&count);
    for (size_t t = 0; t < count; t++)
        for (const gb_kl_pair *pair = types[t]->kl; pair && pair->kl; pair++)
            if (i-- == 0)
                return pair;
    return NULL;
}

static size_t count_kl(void)
{
    size_t count = 0;
    while (find_pair(count))
        count++;
    return count;
}

static const char *kl_name(size_t i)
{
    return find_pair(i)->q->name;
}

static void list_kl(gb_cli_listing *l, size_t i)
{
    const gb_kl_pair *const pair = find_pair(i);
    if (l->json)
        gb_cli_field(l, "q", pair->q->name);
    gb_cli_field(l, "p", pair->p ? pair->p->name : "any");
    gb_cli_field(l, "note", pair->note);
}

/* ---- the command ---- */

typedef struct topic {
    const char *name;
    size_t (*count)(void);
    const char *(*row)(size_t i);
    void (*list)(gb_cli_listing *l, size_t i);
} topic;

static const topic topics[] = {{"estimators", count_estimators, estimator_name, list_estimator},
                               {"baselines", count_baselines, baseline_name, list_baseline},
                               {"distributions", count_distributions, distribution_name, list_distribution},
                               {"problems", count_problems, problem_name, list_problem},
                               {"ops", count_ops, op_name, list_op},
                               {"kl", count_kl, kl_name, list_kl}};
enum { TOPICS = sizeof topics / sizeof *topics };

static const topic *find_topic(const char *name)
{
    const char *names[TOPICS];
    for (size_t i = 0; i < TOPICS; i++) {
        if (strcmp(topics[i].name, name) == 0)
            return &topics[i];
        names[i] = topics[i].name;
    }
    gb_cli_say_unknown("list of", name, TOPICS, names);
    return NULL;
}

static int widest(const topic *t)
{
    size_t width = 0;
    for (size_t i = 0, count = t->count(); i < count; i++)
        width = strlen(t->row(i)) > width ? strlen(t->row(i)) : width;
    return (int)width;
}

static gb_cli_code run(const gb_cli *cli)
{
    const topic *const t = find_topic(cli->word[0]);
    if (!t)
        return GB_CLI_USAGE;
    gb_cli_listing listing = {.file = stdout, .json = cli->value[0] != NULL, .width = widest(t)};
    if (listing.json)
        printf("{\"%s\": [", t->name);
    for (size_t i = 0, count = t->count(); i < count; i++) {
        listing.rows = i;
        gb_cli_row_begin(&listing, t->row(i));
        t->list(&listing, i);
        gb_cli_row_end(&listing);
    }
    if (listing.json)
        puts("]}");
    return GB_CLI_OK;
}

const gb_cli_command gb_cli_list_command = {
    .name = "list",
    .words = "estimators|baselines|distributions|problems|ops|kl [--json]",
    .summary = "what the library has, with formulas",
    .least = 1,
    .most = 1,
    .options = {{"json", NULL, "as JSON"}},
    .run = run,
};
