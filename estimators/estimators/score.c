/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stddef.h>

#include "estimators/list.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"

/* The baseline's type, and its options in `block`. */
static const gb_baseline_type *baseline_of(const gb_site *site, gb_option_block *block)
{
    const gb_score_options *const options = site->options;
    gb_options_unpack(options->baseline.type, &options->baseline.options, block);
    return options->baseline.type;
}

static int64_t evaluations(const gb_site *site)
{
    gb_option_block options;
    const gb_baseline_type *const baseline = baseline_of(site, &options);
    return GB_HAS(baseline, evaluations) ? 1 + baseline->evaluations(site, &options) : 1;
}

static gb_node draw(gb_site *site)
{
    gb_option_block options;
    const gb_node z = gb_sample(site->q, site->noise, site->axes);
    const gb_baseline_type *const baseline = baseline_of(site, &options);
    if (site->evaluations == 1)
        return z;
    return gb_concat(2, (const gb_node[]){gb_expand(z, 0), gb_stop(baseline->values(site, &options, z))}, 0);
}

/* The coefficient is the whole cost and is not stopped, so that second gradients are right. */
static gb_node combine(const gb_site *site, gb_node cost)
{
    gb_option_block options;
    const gb_baseline_type *const baseline = baseline_of(site, &options);
    const gb_node f = site->evaluations == 1 ? cost : gb_evaluation(cost, 0);
    const gb_node b = gb_stop(baseline->value(site, &options, cost)), l = gb_site_log_prob(site);
    const gb_node estimate = gb_inject_score(gb_site_drop_own_path(site, f), l, gb_sub(f, b));
    if (!GB_HAS(baseline, expected))
        return estimate;
    return gb_add(estimate, gb_gradient_only(baseline->expected(site, &options, cost)));
}

/* A baseline with evaluations of its own may differentiate the cost at them. */
static unsigned needs_with(const void *options)
{
    const gb_score_options *const score = options;
    const gb_baseline_type *const baseline = score->baseline.type;
    return baseline && GB_HAS(baseline, evaluations) ? GB_NEEDS_SLOPES : 0;
}

static const char *lacks(const gb_dist *q, const void *options)
{
    gb_option_block block;
    const gb_score_options *const score = options;
    const gb_baseline *const baseline = score ? &score->baseline : NULL;
    return baseline && baseline->type && GB_HAS(baseline->type, lacks)
               ? baseline->type->lacks(q, gb_options_unpack(baseline->type, &baseline->options, &block))
               : NULL;
}

static const gb_option table[] = {GB_OPTION_PLUGIN(gb_score_options, baseline, gb_baseline,
                                                   &gb_none_baseline_type,
                                                   "baseline that is subtracted from the cost"),
                                  {0}};

const gb_estimator_type gb_score_estimator_type = {
    .size = sizeof(gb_estimator_type),
    .name = "score",
    .cite = "Williams 1992",
    .formula = "(f - b) d log q(z)",
    .needs = GB_NEEDS_FIXED_SUPPORT | GB_NEEDS_SEPARATE_SAMPLES,
    .lacks = lacks,
    .needs_with = needs_with,
    .expansion = GB_PROBES,
    .evaluations = evaluations,
    .draw = draw,
    .combine = combine,
    .options = table,
    .option_bytes = sizeof(gb_score_options),
};

gb_estimator gb_score_with(const gb_score_options *options)
{
    return gb_estimator_of(&gb_score_estimator_type, options);
}
