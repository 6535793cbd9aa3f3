/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Double control variates: the score function with the mean cost of the other samples as baseline, of the
 * cost less its linear part c = g · (b − p). The slope g is the mean of that of the cost at the other
 * samples, so E[c d log q] = g · dp is known. */
#include <stddef.h>

#include "estimators/estimators/choices/shared/choice_impl.h"
#include "estimators/estimators/choices/shared/taylor_impl.h"
#include "estimators/learn.h"
#include "estimators/list.h"
#include "ops/control.h"
#include "ops/elementwise.h"

static gb_node draw(gb_site *site)
{
    return gb_stop(gb_sample(site->q, site->noise, site->axes));
}

/* The cost of another sample less its linear part has this sample's slope in it, times a number whose mean is
 * 0 whatever this sample is. */
static gb_node combine(const gb_site *site, gb_node cost)
{
    const gb_double_cv_options *const options = site->options;
    const char *const who = site->estimator.type->name;
    if (!(gb_node_axes(cost) & GB_SAMPLES))
        return cost;
    const gb_taylor taylor = gb_site_taylor(site, cost, who);
    const gb_node alpha = gb_site_multiplier(site, "alpha", options->alpha, options->learn);
    const gb_node rest = gb_sub(cost, gb_mul(alpha, taylor.linear));
    const gb_node off = gb_sub(rest, gb_site_others(rest, who));
    const gb_node by_score = gb_inject(cost, gb_site_log_prob(site), off);
    const gb_node estimate =
        gb_site_inject(site, by_score, gb_dist_mean(site->q), gb_mul(alpha, taylor.slope));
    if (options->learn)
        gb_site_lowers_variance(site, estimate, 1, &alpha);
    return estimate;
}

static const gb_option table[] = {
    GB_OPTION_NUMBER(gb_double_cv_options, alpha, 1, &gb_multiplier_domain, "multiplier of the linear part"),
    GB_OPTION_FLAG(gb_double_cv_options, learn, "learn alpha, to minimise the variance"),
    {0}};

const gb_estimator_type gb_double_cv_estimator_type = {
    .size = sizeof(gb_estimator_type),
    .name = "double_cv",
    .cite = "Titsias and Shi 2022",
    .formula =
        "(f - alpha c - mean (f - alpha c) of others) d log q(b) + alpha g dp, c = g (b - p), g = mean f' of "
        "others",
    .needs = GB_NEEDS_SEPARATE_SAMPLES | GB_NEEDS_SLOPES,
    .lacks = gb_lacks_choice,
    .first_order = true,
    .drops_own_path = true,
    .relaxes = true,
    .draw = draw,
    .combine = combine,
    .options = table,
    .option_bytes = sizeof(gb_double_cv_options),
};

gb_estimator gb_double_cv_with(const gb_double_cv_options *options)
{
    return gb_estimator_of(&gb_double_cv_estimator_type, options);
}
