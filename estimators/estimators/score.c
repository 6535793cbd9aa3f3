/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stddef.h>

#include "estimators/list.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"

static const gb_baseline *baseline_of(const gb_site *site)
{
    const gb_score_options *const options = gb_site_options(site);
    return &options->baseline;
}

static int64_t evaluations(const gb_site *site)
{
    const gb_baseline_type *const type = baseline_of(site)->type;
    return GB_HAS(type, evaluations) ? 1 + type->evaluations(site) : 1;
}

static gb_node draw(gb_site *site)
{
    const gb_node z = gb_sample(site->q, site->noise, site->axes);
    const gb_baseline_type *const type = baseline_of(site)->type;
    if (site->evaluations == 1)
        return z;
    return gb_concat(2, (const gb_node[]){gb_expand(z, 0), gb_stop(type->values(site, z))}, 0);
}

/* The coefficient of the score is the whole cost: it stays live, for gradients of gradients. */
static gb_node combine(const gb_site *site, gb_node cost)
{
    const gb_baseline *const baseline = baseline_of(site);
    const gb_node f = site->evaluations == 1 ? cost : gb_evaluation(cost, 0);
    const gb_node b = gb_stop(baseline->type->value(site, baseline, cost)), l = gb_site_log_prob(site);
    const gb_node estimate = gb_inject_score(gb_site_drop_own_path(site, f), l, gb_sub(f, b));
    if (!GB_HAS(baseline->type, expected))
        return estimate;
    return gb_add(estimate, gb_gradient_only(baseline->type->expected(site, baseline, cost)));
}

static const char *lacks(const gb_dist *q, const void *options)
{
    const gb_score_options *const score = options;
    return score && score->baseline.type && GB_HAS(score->baseline.type, lacks)
               ? score->baseline.type->lacks(q)
               : NULL;
}

static void complete(void *options)
{
    gb_score_options *const score = options;
    if (!score->baseline.type)
        score->baseline = gb_no_baseline;
}

static const gb_estimator_option in_text[] = {{.name = "baseline",
                                               .kind = GB_OPTION_BASELINE,
                                               .offset = offsetof(gb_score_options, baseline),
                                               .words = "what is subtracted from the cost; none"},
                                              {0}};

const gb_estimator_type gb_score_type = {
    .size = sizeof(gb_estimator_type),
    .name = "score",
    .cite = "Williams 1992",
    .formula = "(f - b) d log q(z)",
    .needs = GB_NEEDS_FIXED_SUPPORT | GB_NEEDS_SEPARATE_SAMPLES,
    .lacks = lacks,
    .expansion = GB_PROBES,
    .evaluations = evaluations,
    .draw = draw,
    .combine = combine,
    .complete = complete,
    .options = in_text,
};

gb_estimator gb_score_with(gb_score_options options)
{
    return gb_estimator_of(&gb_score_type, &options, sizeof options);
}
