/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stddef.h>

#include "estimators/estimators/shared/together_impl.h"
#include "estimators/list.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"

static const gb_score_options *options_of(const gb_site *site)
{
    return site->options;
}

static int64_t evaluations(const gb_site *site)
{
    return 1 + gb_baseline_evaluations(options_of(site)->baseline, site);
}

static gb_node draw(gb_site *site)
{
    const gb_score_options *const options = options_of(site);
    const gb_node z = options->draws == GB_INDEPENDENT
                          ? gb_sample(site->q, site->noise, site->axes)
                          : gb_stop(gb_site_drawn_together(site, options->draws));
    if (site->evaluations == 1)
        return z;
    return gb_concat(2, (const gb_node[]){gb_expand(z, 0), gb_baseline_values(options->baseline, site, z)},
                     0);
}

/* The coefficient is the whole cost and is not stopped, so that second gradients are right. */
static gb_node combine(const gb_site *site, gb_node cost)
{
    const gb_baseline baseline = options_of(site)->baseline;
    const gb_node f = site->evaluations == 1 ? cost : gb_evaluation(cost, 0);
    const gb_node b = gb_baseline_value(baseline, site, cost), l = gb_site_log_prob(site);
    const gb_node estimate = gb_inject_score(gb_site_drop_own_path(site, f), l, gb_sub(f, b));
    const gb_node expected = gb_baseline_expected(baseline, site, cost);
    return gb_node_ok(expected) ? gb_add(estimate, gb_gradient_only(expected)) : estimate;
}

/* A baseline with evaluations of its own may differentiate the cost at them. */
static unsigned needs_with(const void *options)
{
    const gb_score_options *const score = options;
    const gb_baseline_type *const baseline = score->baseline.type;
    return gb_draws_need(score->draws) | (baseline && GB_HAS(baseline, evaluations) ? GB_NEEDS_SLOPES : 0);
}

static const char *lacks(const gb_dist *q, const void *options)
{
    const gb_score_options *const score = options;
    const char *const lack = score && score->baseline.type ? gb_baseline_lacks(score->baseline, *q) : NULL;
    return !score || lack ? lack : gb_draws_lack(q, score->draws);
}

static const gb_option table[] = {GB_OPTION_PLUGIN(gb_score_options, baseline, gb_baseline,
                                                   &gb_none_baseline_type,
                                                   "baseline that is subtracted from the cost"),
                                  GB_OPTION_DRAWS(gb_score_options),
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
