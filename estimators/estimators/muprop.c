/* SPDX-License-Identifier: GPL-3.0-or-later */
/* MuProp: the first-order Taylor series of the cost at the mean is a control variate of the score function.
 * Its value and its slope do not depend on the draw, so E[(f(m) + f'(m) (z − m)) d log q] = f'(m) dm. In a
 * chain of sites the series is that of the mean-field network, with all of them at their means: f'(m) is the
 * whole slope, through the means of the sites that follow. dm is that of the draws before. */
#include <stddef.h>

#include "core/gradient.h"
#include "estimators/baselines/call_impl.h"
#include "estimators/list.h"
#include "ops/arrange.h"
#include "ops/control.h"
#include "ops/elementwise.h"

enum { DRAWN, MEAN, EVALUATIONS };

static int64_t evaluations(const gb_site *site)
{
    (void)site;
    return EVALUATIONS;
}

/* The mean passes the slopes of what follows on to the means before it. */
static gb_node draw(gb_site *site)
{
    const gb_node z = gb_sample(site->q, site->noise, site->axes);
    return gb_stack(EVALUATIONS, (const gb_node[]){z, gb_dist_mean(site->q)}, 0);
}

static gb_node combine(const gb_site *site, gb_node costs)
{
    const gb_muprop_options *const options = site->options;
    const gb_node f = gb_evaluation(costs, DRAWN), at_mean = gb_evaluation(costs, MEAN);
    const gb_node slope = gb_stop(gb_evaluation(gb_gradient_of_sum(at_mean, site->values), MEAN));
    const gb_node off = gb_sub(gb_site_value(site, DRAWN), gb_stop(gb_site_value(site, MEAN)));
    const gb_node series = gb_add(at_mean, gb_site_sum(site, gb_mul(slope, off))), rest = gb_sub(f, series);
    const gb_node b = gb_baseline_value_at_draw(options->baseline, site, rest, site->estimator.type->name);
    const gb_node by_score = gb_inject(f, gb_site_log_prob(site), gb_sub(rest, b));
    return gb_site_inject(site, by_score, gb_dist_mean(site->q), slope);
}

static const char *lacks(const gb_dist *q, const void *bytes)
{
    const gb_muprop_options *const options = bytes;
    return options && options->baseline.type ? gb_baseline_lacks(options->baseline, *q) : NULL;
}

static const gb_option table[] = {GB_OPTION_PLUGIN(gb_muprop_options, baseline, gb_baseline,
                                                   &gb_none_baseline_type,
                                                   "baseline that is subtracted from what the series leaves"),
                                  {0}};

const gb_estimator_type gb_muprop_estimator_type = {
    .size = sizeof(gb_estimator_type),
    .name = "muprop",
    .cite = "Gu, Levine, Sutskever and Mnih 2016",
    .formula = "(f(z) - f(m) - f'(m) (z - m) - b) d log q(z) + f'(m) dm, m the mean, of all sites together",
    .needs = GB_NEEDS(GB_CAN_MEAN) | GB_NEEDS_FIXED_SUPPORT | GB_NEEDS_SEPARATE_SAMPLES | GB_NEEDS_SLOPES,
    .lacks = lacks,
    .expansion = GB_PROBES_TOGETHER,
    .evaluations = evaluations,
    .first_order = true,
    .drops_own_path = true,
    .relaxes = true,
    .draw = draw,
    .combine = combine,
    .options = table,
    .option_bytes = sizeof(gb_muprop_options),
};

gb_estimator gb_muprop_with(const gb_muprop_options *options)
{
    return gb_estimator_of(&gb_muprop_estimator_type, options);
}
