/* SPDX-License-Identifier: GPL-3.0-or-later */
/* RODEO, by discrete Stein operators: for any h, the function (A h)(b) = Σ_i q(1 − b_i) (h(b with b_i
 * flipped) − h(b)) has the mean 0. A of one function corrects the costs in the leave-one-out baseline, and A
 * of another one times the score corrects the gradient. Here both are multiples of l = g · (b − p), the
 * linear part of the cost with the slopes g of the other samples. So A needs no evaluation: A l = −l. */
#include <stddef.h>

#include "estimators/estimators/choices/shared/binary_impl.h"
#include "estimators/estimators/choices/shared/taylor_impl.h"
#include "estimators/learn.h"
#include "estimators/list.h"
#include "ops/control.h"
#include "ops/elementwise.h"

static gb_node draw(gb_site *site)
{
    return gb_stop(gb_sample(site->q, site->noise, site->axes));
}

/* A (l d log q) is −l d log q + Σ_i (p_i − b_i) l(b with b_i flipped) d logits_i. */
static gb_node combine(const gb_site *site, gb_node cost)
{
    const gb_rodeo_options *const options = site->options;
    const char *const who = site->estimator.type->name;
    if (!(gb_node_axes(cost) & GB_SAMPLES))
        return cost;
    const gb_node alpha = gb_site_multiplier(site, "alpha", options->alpha, options->learn);
    const gb_node beta = gb_site_multiplier(site, "beta", options->beta, options->learn);
    const gb_taylor taylor = gb_site_taylor(site, cost, who);
    const gb_node rest = gb_sub(cost, gb_mul(alpha, taylor.linear));
    const gb_node off = gb_sub(gb_sub(cost, gb_site_others(rest, who)), gb_mul(beta, taylor.linear));
    const gb_node turn = gb_shift(gb_scale(site->values, -2), 1);
    const gb_node flipped = gb_mul(beta, gb_add(taylor.linear, gb_mul(turn, taylor.slope)));
    const gb_node back = gb_sub(gb_dist_mean(site->q), site->values);
    const gb_node by_score = gb_inject(cost, gb_site_log_prob(site), off);
    const gb_node estimate =
        gb_site_inject(site, by_score, gb_binary_logits(&site->q), gb_mul(back, flipped));
    if (options->learn)
        gb_site_lowers_variance(site, estimate, 2, (const gb_node[]){alpha, beta});
    return estimate;
}

static const gb_option table[] = {
    GB_OPTION_NUMBER(gb_rodeo_options, alpha, 1, &gb_multiplier_domain,
                     "multiplier of the control variate in the baseline"),
    GB_OPTION_NUMBER(gb_rodeo_options, beta, 0.5, &gb_multiplier_domain,
                     "multiplier of the control variate of the gradient"),
    GB_OPTION_FLAG(gb_rodeo_options, learn, "learn both, to minimise the variance"),
    {0}};

const gb_estimator_type gb_rodeo_estimator_type = {
    .size = sizeof(gb_estimator_type),
    .name = "rodeo",
    .cite = "Shi, Zhou, Hwang, Titsias and Mackey 2022",
    .formula = "(f - mean of (f + alpha A l) of others) d log q(b) + beta A (l d log q), A of Gibbs steps",
    .needs = GB_NEEDS_SEPARATE_SAMPLES | GB_NEEDS_SLOPES,
    .lacks = gb_lacks_bernoulli,
    .first_order = true,
    .drops_own_path = true,
    .relaxes = true,
    .draw = draw,
    .combine = combine,
    .options = table,
    .option_bytes = sizeof(gb_rodeo_options),
};

gb_estimator gb_rodeo_with(const gb_rodeo_options *options)
{
    return gb_estimator_of(&gb_rodeo_estimator_type, options);
}
