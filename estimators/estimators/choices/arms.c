/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Antithetic-REINFORCE-multi-sample: K draws that depend on each other by a Dirichlet copula. The values come
 * from d ~ Dirichlet(1, …, 1), all elements at once: draw k has the rarer of 0 and 1, whose probability is r,
 * where 1 − d_k < r^(1/(K − 1)). So two draws are rarely both of the rarer value. */
#include "estimators/estimators/choices/shared/binary_impl.h"
#include "estimators/list.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

static int64_t draws_of(const gb_site *site)
{
    return ((const gb_arms_options *)site->options)->draws;
}

static double others_of(const gb_site *site)
{
    return (double)(draws_of(site) - 1);
}

/* log r / (K − 1) */
static gb_node log_root(const gb_site *site)
{
    const gb_node log_rarer = gb_neg(gb_softplus(gb_abs(gb_binary_logits(&site->q))));
    return gb_scale(log_rarer, 1 / others_of(site));
}

/* 1 − d_k is a sum of positive numbers, so that it keeps its digits where r is tiny. */
static gb_node draw(gb_site *site)
{
    const int64_t draws = draws_of(site);
    const gb_shape shape = gb_dist_shape(site->q), all = gb_shape_join(gb_shape(draws), shape);
    const gb_node e = gb_neg(gb_log(gb_uniform_noise(site->noise, all, site->axes)));
    const gb_node is_other = gb_shift(gb_neg(gb_eye(e.tape, draws)), 1);
    const gb_node others =
        gb_sum_along(gb_mul(gb_add_axes(is_other, shape.rank), gb_expand(e, 0)), gb_axis(1));
    const gb_node limit = gb_mul(gb_exp(log_root(site)), gb_sum_along(e, gb_axis(0)));
    const gb_node is_rarer = gb_to_real(gb_less(others, gb_expand(limit, 0)));
    const gb_node common = gb_to_real(gb_greater(gb_binary_logits(&site->q), gb_num(e.tape, 0)));
    return gb_stop(gb_abs(gb_sub(is_rarer, gb_expand(common, 0))));
}

/* σ(|logit|) / (1 − c) is 1 / (1 − correlation of two draws). c is the probability that a second draw has the
 * rarer value if the first one has it. */
static gb_node combine(const gb_site *site, gb_node costs)
{
    const gb_node logits = gb_binary_logits(&site->q), zero = gb_num(costs.tape, 0);
    const gb_node base = gb_max(gb_shift(gb_neg(gb_exp(gb_neg(log_root(site)))), 2), zero);
    const gb_node chance = gb_pow(base, gb_num(costs.tape, others_of(site)));
    const gb_node apart = gb_div(gb_sigmoid(gb_abs(logits)), gb_shift(gb_neg(chance), 1));
    const gb_node mean = gb_mean_along(costs, gb_axis(0));
    const gb_node off = gb_add_axes(gb_sub(costs, mean), gb_dist_shape(site->q).rank);
    const gb_node sum = gb_sum_along(gb_mul(off, site->values), gb_axis(0));
    return gb_site_inject(site, mean, logits, gb_mul(sum, gb_scale(apart, 1 / others_of(site))));
}

static const gb_domain draws = {.size = sizeof(gb_domain),
                                .name = "draws",
                                .must_be = "a whole number from 2 to 1024",
                                .low = 2,
                                .high = 1024,
                                .whole = true};

static const gb_option table[] = {
    GB_OPTION_WHOLE(gb_arms_options, draws, 4, &draws, "evaluations: draws that depend on each other"), {0}};

const gb_estimator_type gb_arms_estimator_type = {
    .size = sizeof(gb_estimator_type),
    .name = "arms",
    .cite = "Dimitriev and Zhou 2021",
    .formula = "sum_k (f(b_k) - mean f) b_k / ((K - 1) (1 - correlation)) d logits",
    .needs = GB_NEEDS_SEPARATE_SAMPLES,
    .lacks = gb_lacks_bernoulli,
    .expansion = GB_PROBES,
    .evaluations = draws_of,
    .first_order = true,
    .drops_own_path = true,
    .draw = draw,
    .combine = combine,
    .options = table,
    .option_bytes = sizeof(gb_arms_options),
};

gb_estimator gb_arms_with(const gb_arms_options *options)
{
    return gb_estimator_of(&gb_arms_estimator_type, options);
}
