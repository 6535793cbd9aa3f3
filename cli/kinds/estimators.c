/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Estimators, whose names may have options, and baselines. */
#include "cli/kinds/kind.h"
#include "cli/kinds/options.h"
#include "cli/shell/say.h"
#include "estimators/list.h"
#include "kit/check_baseline.h"
#include "kit/check_estimator.h"

static const char *const estimator_examples[][2] = {{NULL}};
GB_CLI_PLUGINS(gb_estimator, estimator_examples)

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
        {GB_NEEDS_SLOPES, "a cost with slopes at the draws"},
        {GB_NEEDS_OWN_LOG_PROB, "the draw's own log density in the cost"},
        {GB_NEEDS_BOUND, "a bound of several draws"},
        {GB_NEEDS_LATER_PATHS, "paths through the draws that depend on it"},
        {GB_NEEDS_MODEL, "a gb_elbo"}};
    size_t used = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words && used < bytes; i++)
        if (needs & words[i].bit)
            used += (size_t)snprintf(text + used, bytes - used, "%s%s", used ? ", " : "", words[i].words);
    return used ? text : NULL;
}

static void list_whole_estimator(gb_cli_listing *l, size_t i)
{
    char needs[512];
    const gb_estimator_type *const type = (const void *)gb_kind_at(&gb_estimator_kind, i);
    const unsigned asked = gb_estimator_needs(gb_estimator_of(type, NULL));
    list_gb_estimator(l, i);
    gb_cli_field(l, "needs", needs_words(asked, needs, sizeof needs));
    gb_cli_flag(l, "several_draws", asked & GB_NEEDS_BOUND,
                "only in a bound of several draws: grebe list bounds");
    gb_cli_field(l, "bias", type->bias);
    gb_cli_flag(l, "first_order", type->first_order, "no gradients of its gradients");
}

static bool check_estimator(const char *name, const gb_cli_checking *how, gb_report *report)
{
    gb_estimator estimator;
    return parse_gb_estimator(name, &estimator) &&
           gb_check_estimator(estimator, .report = report, .seed = how->seed, .thorough = how->thorough);
}

const gb_cli_kind gb_cli_estimators_kind = {
    .name = "estimators",
    .one = "estimator",
    .of = &gb_estimator_kind,
    .list = list_whole_estimator,
    .knows = is_gb_estimator,
    .example = example_gb_estimator,
    .check = check_estimator,
};

/* ---- baselines ---- */

static const char *const baseline_examples[][2] = {
    {"constant", "constant:1"}, {"sum", "sum:moving_average:leave_one_out"}, {NULL}};
GB_CLI_PLUGINS(gb_baseline, baseline_examples)

static const char *baseline_is_beyond(const char *name)
{
    return gb_baseline_find(name) == &gb_learned_baseline_type
               ? "it is whatever node gb_learned_baseline is given"
               : NULL;
}

static bool check_baseline(const char *name, const gb_cli_checking *how, gb_report *report)
{
    gb_baseline baseline;
    return parse_gb_baseline(name, &baseline) &&
           gb_check_baseline(baseline, .report = report, .seed = how->seed, .thorough = how->thorough);
}

const gb_cli_kind gb_cli_baselines_kind = {
    .name = "baselines",
    .one = "baseline",
    .of = &gb_baseline_kind,
    .list = list_gb_baseline,
    .knows = is_gb_baseline,
    .example = example_gb_baseline,
    .beyond = baseline_is_beyond,
    .check = check_baseline,
};
