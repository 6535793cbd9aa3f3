/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two baselines, the second of what the first leaves of the cost. The sum of two values that do not depend on
 * the draw does not either. Each part has variables of its own: "SITE.first.PART", "SITE.rest.PART". */
#include <stdio.h>
#include <string.h>

#include "estimators/baselines/call_impl.h"
#include "ops/elementwise.h"

/* The site of one part, with a name of its own. */
static gb_site site_of(const gb_site *site, const char *part)
{
    gb_site own = *site;
    const size_t bytes = strlen(site->name) + strlen(part) + 2;
    char *const name = gb_tape_keep(site->q.tape, bytes);
    if (name) {
        snprintf(name, bytes, "%s.%s", site->name, part);
        own.name = name;
    }
    return own;
}

/* All evaluations are those of the first part. */
static int64_t evaluations(const gb_site *site, const void *options)
{
    return gb_baseline_evaluations(((const gb_sum_baseline_options *)options)->first, site);
}

static gb_node values(const gb_site *site, const void *options, gb_node draw)
{
    return gb_baseline_values(((const gb_sum_baseline_options *)options)->first, site, draw);
}

static gb_node value(const gb_site *site, const void *options, gb_node cost)
{
    const gb_sum_baseline_options *const o = options;
    const gb_site of_first = site_of(site, "first"), of_rest = site_of(site, "rest");
    const gb_node first = gb_baseline_value(o->first, &of_first, cost);
    const gb_node left = gb_sub(site->evaluations > 1 ? gb_evaluation(cost, 0) : cost, first);
    return gb_add(first, gb_baseline_value_at_draw(o->rest, &of_rest, left, "the rest of a sum"));
}

static gb_node expected(const gb_site *site, const void *options, gb_node cost)
{
    const gb_site of_first = site_of(site, "first");
    return gb_baseline_expected(((const gb_sum_baseline_options *)options)->first, &of_first, cost);
}

static const char *lacks(const gb_dist *q, const void *options)
{
    const gb_sum_baseline_options *const o = options;
    const char *const lack = gb_baseline_lacks(o->first, *q);
    return lack ? lack : gb_baseline_lacks(o->rest, *q);
}

static const gb_option table[] = {{.name = "first",
                                   .form = GB_OPTION_IS_PLUGIN,
                                   .offset = offsetof(gb_sum_baseline_options, first),
                                   .kind = &gb_baseline_kind,
                                   .fallback_type = &gb_none_baseline_type,
                                   .words = "baseline of the cost",
                                   .is_argument = true},
                                  {.name = "rest",
                                   .form = GB_OPTION_IS_PLUGIN,
                                   .offset = offsetof(gb_sum_baseline_options, rest),
                                   .kind = &gb_baseline_kind,
                                   .fallback_type = &gb_none_baseline_type,
                                   .words = "baseline of the cost less the first one",
                                   .is_argument = true},
                                  {0}};

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

gb_baseline gb_sum_baseline(gb_baseline first, gb_baseline rest)
{
    return gb_baseline_of(
        &gb_sum_baseline_type,
        &(gb_sum_baseline_options){.size = sizeof(gb_sum_baseline_options), .first = first, .rest = rest});
}
