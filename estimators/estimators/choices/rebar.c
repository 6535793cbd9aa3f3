/* SPDX-License-Identifier: GPL-3.0-or-later */
/* REBAR: the score function with the cost of a relaxed draw as control variate. z is logistic noise + logits,
 * b = [z > 0], and the relaxed draw is sigmoid(z / t). z̃ has the distribution of z given b. */
#include <stddef.h>

#include "estimators/list.h"

#include "estimators/estimators/choices/relaxed_impl.h"
#include "estimators/estimators/choices/shared/choice_impl.h"
#include "estimators/learn.h"
#include "ops/arrange.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

enum { HARD, RELAXED, CONDITIONAL, EVALUATIONS };

static int64_t evaluations(const gb_site *site)
{
    (void)site;
    return EVALUATIONS;
}

static const gb_rebar_options *options_of(const gb_site *site)
{
    return site->options;
}

/* The values are stopped here: `combine` adds the gradients of the relaxed draws. */
static gb_node draw(gb_site *site)
{
    const gb_choice_path path = gb_choice_path_of(site);
    const double temperature = options_of(site)->temperature;
    site->kept[0] = gb_choice_relaxed(&site->q, path.z, temperature);
    site->kept[1] = gb_choice_relaxed(&site->q, path.z_given_b, temperature);
    return gb_stop(gb_stack(3, (const gb_node[]){path.b, site->kept[0], site->kept[1]}, 0));
}

/* Returns `cost`, with `weight` times the pathwise gradient of one evaluation added, in the site's parameters
 * only. */
static gb_node with_path(const gb_site *site, gb_node cost, gb_node slopes, int64_t evaluation,
                         gb_node weight)
{
    return gb_site_inject(site, cost, site->kept[evaluation - 1],
                          gb_mul(weight, gb_evaluation(slopes, evaluation)));
}

static gb_node combine(const gb_site *site, gb_node costs)
{
    const gb_rebar_options *const options = options_of(site);
    const gb_node hard = gb_evaluation(costs, HARD);
    const gb_node slopes = gb_gradient_of_sum(costs, site->values);
    const gb_node eta = options->learn ? gb_site_variable(site, "eta", gb_shape(), options->eta)
                                       : gb_num(costs.tape, options->eta);
    gb_node off = hard, conditional = gb_evaluation(costs, CONDITIONAL);
    if (options->learn) {
        const gb_node level = gb_site_cost_scale(site, hard).mean;
        off = gb_sub(hard, level);
        conditional = gb_sub(conditional, level);
    }
    gb_node estimate = gb_inject(hard, gb_site_log_prob(site), gb_sub(off, gb_mul(eta, conditional)));
    estimate = with_path(site, estimate, slopes, RELAXED, eta);
    estimate = with_path(site, estimate, slopes, CONDITIONAL, gb_neg(eta));
    if (options->learn)
        gb_site_lowers_variance(site, estimate, 1, &eta);
    return estimate;
}

static const gb_domain eta = {
    .size = sizeof(gb_domain), .name = "eta", .must_be = "from -1000 to 1000", .low = -1e3, .high = 1e3};

static const gb_option table[] = {
    GB_OPTION_NUMBER(gb_rebar_options, temperature, 0.5, &gb_temperature_domain,
                     "temperature of the relaxation"),
    GB_OPTION_NUMBER(gb_rebar_options, eta, 1, &eta, "multiplier of the control variate"),
    GB_OPTION_FLAG(gb_rebar_options, learn, "learn eta, to minimise the variance"),
    {0}};

const gb_estimator_type gb_rebar_estimator_type = {
    .size = sizeof(gb_estimator_type),
    .name = "rebar",
    .cite = "Tucker, Mnih, Maddison, Lawson and Sohl-Dickstein 2017",
    .formula = "(f(b) - eta f(s(z'))) d log q(b) + eta d (f(s(z)) - f(s(z')))",
    .needs = GB_NEEDS_SEPARATE_SAMPLES | GB_NEEDS_SMOOTH_COST,
    .lacks = gb_lacks_choice,
    .expansion = GB_PROBES,
    .evaluations = evaluations,
    .first_order = true,
    .drops_own_path = true,
    .relaxes = true,
    .draw = draw,
    .combine = combine,
    .options = table,
    .option_bytes = sizeof(gb_rebar_options),
};

gb_estimator gb_rebar_with(const gb_rebar_options *options)
{
    return gb_estimator_of(&gb_rebar_estimator_type, options);
}
