/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two baselines, the second of what the first leaves of the cost. The sum of two values that do not depend on
 * the draw does not either. Each part has variables of its own: "SITE.first.PART", "SITE.rest.PART". */
#include <stdio.h>
#include <string.h>

#include "estimators/estimator.h"
#include "ops/control.h"
#include "ops/elementwise.h"

/* The site of one part, with a name of its own. Without evaluations of its own it has the draw only. */
static gb_site site_of(const gb_site *site, const char *part, bool evaluates)
{
    gb_site own = *site;
    const size_t bytes = strlen(site->name) + strlen(part) + 2;
    char *const name = gb_tape_keep(site->q.tape, bytes);
    if (name) {
        snprintf(name, bytes, "%s.%s", site->name, part);
        own.name = name;
    }
    if (!evaluates && site->evaluations > 1) {
        own.values = gb_site_value(site, 0);
        own.evaluations = 1;
    }
    return own;
}

/* Only the first part may evaluate: the cost of its evaluations is the one that the site has. */
static int64_t evaluations(const gb_site *site, const void *options)
{
    const gb_sum_baseline_options *const o = options;
    if (gb_baseline_evaluations(o->rest, site) == 0)
        return gb_error(site->q.tape) == GB_OK ? gb_baseline_evaluations(o->first, site) : 0;
    gb_fail(site->q.tape, GB_EARGUMENT,
            "draw %s: of the baselines in a sum, only the first may evaluate the cost at values of its own, "
            "and %s is the second; exchange them",
            site->name, o->rest.type->name);
    return 0;
}

static gb_node values(const gb_site *site, const void *options, gb_node draw)
{
    return gb_baseline_values(((const gb_sum_baseline_options *)options)->first, site, draw);
}

/* A mean of `rest` would be one of what `first` leaves, which only `value` has. */
static bool is_free_of_draw(const gb_site *site, gb_baseline rest, gb_node left)
{
    if (!gb_node_ok(gb_baseline_expected(rest, site, left)))
        return true;
    gb_fail(
        site->q.tape, GB_EARGUMENT,
        "draw %s: of the baselines in a sum, only the first may depend on the draw, and %s is the second; "
        "exchange them",
        site->name, rest.type->name);
    return false;
}

static gb_node value(const gb_site *site, const void *options, gb_node cost)
{
    const gb_sum_baseline_options *const o = options;
    const bool evaluates = site->evaluations > 1;
    const gb_site of_first = site_of(site, "first", evaluates), of_rest = site_of(site, "rest", false);
    const gb_node first = gb_baseline_value(o->first, &of_first, cost);
    const gb_node left = gb_sub(evaluates ? gb_evaluation(cost, 0) : cost, first);
    const gb_node rest = gb_baseline_value(o->rest, &of_rest, left);
    return is_free_of_draw(&of_rest, o->rest, left) ? gb_add(first, rest) : (gb_node){0};
}

static gb_node expected(const gb_site *site, const void *options, gb_node cost)
{
    const gb_site of_first = site_of(site, "first", site->evaluations > 1);
    return gb_baseline_expected(((const gb_sum_baseline_options *)options)->first, &of_first, cost);
}

static const char *lacks(const gb_dist *q, const void *options)
{
    const gb_sum_baseline_options *const o = options;
    const char *const lack = gb_baseline_lacks(o->first, *q);
    return lack ? lack : gb_baseline_lacks(o->rest, *q);
}

#define GB_PART(field, words_)                                                                               \
    {                                                                                                        \
        .name = #field, .form = GB_OPTION_IS_PLUGIN, .offset = offsetof(gb_sum_baseline_options, field),     \
        .kind = &gb_baseline_kind, .fallback_type = &gb_none_baseline_type, .words = (words_),               \
        .is_argument = true                                                                                  \
    }
static const gb_option table[] = {
    GB_PART(first, "baseline of the cost"), GB_PART(rest, "baseline of the cost less the first one"), {0}};

const gb_baseline_type gb_sum_baseline_type = {
    .size = sizeof(gb_baseline_type),
    .name = "sum",
    .cite = "Mnih and Gregor 2014",
    .formula = "b1 + b2, b1 of f, b2 of f - b1",
    .options = table,
    .option_bytes = sizeof(gb_sum_baseline_options),
    .value = value,
    .expected = expected,
    .evaluations = evaluations,
    .values = values,
    .lacks = lacks,
};

gb_baseline gb_baseline_sum(gb_baseline first, gb_baseline rest)
{
    return gb_baseline_of(
        &gb_sum_baseline_type,
        &(gb_sum_baseline_options){.size = sizeof(gb_sum_baseline_options), .first = first, .rest = rest});
}
