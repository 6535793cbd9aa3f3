/* SPDX-License-Identifier: GPL-3.0-or-later */
/* VarGrad: half the gradient of the variance of the costs over the samples. Sample by sample, it equals the
 * score function with the mean of the other samples as baseline. */
#include "estimators/list.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

static gb_node draw(gb_site *site)
{
    return gb_sample(site->q, site->noise, site->axes);
}

/* (f − mean f) S / (S − 1), so that the mean over the S samples is the sum divided by S − 1. */
static gb_node combine(const gb_site *site, gb_node cost)
{
    const gb_node own = gb_site_drop_own_path(site, cost);
    if (!(gb_node_axes(cost) & GB_SAMPLES))
        return own;
    const gb_node samples = gb_axis_size(cost.tape, GB_SAMPLES);
    const gb_node weight =
        gb_if_others(gb_div(samples, gb_shift(gb_widen(samples, GB_SAMPLES), -1)), GB_SAMPLES, "vargrad");
    const gb_node off = gb_sub(cost, gb_mean_over(cost, GB_SAMPLES));
    return gb_inject(own, gb_site_log_prob(site), gb_mul(weight, off));
}

const gb_estimator_type gb_vargrad_estimator_type = {
    .size = sizeof(gb_estimator_type),
    .name = "vargrad",
    .cite = "Richter, Boustati, Nuesken, Ruiz and Akyildiz 2020",
    .formula = "(f - mean f) d log q(z) / (S - 1), summed over the S samples",
    .needs = GB_NEEDS_FIXED_SUPPORT | GB_NEEDS_SEPARATE_SAMPLES,
    .first_order = true,
    .draw = draw,
    .combine = combine,
};

gb_estimator gb_vargrad(void)
{
    return gb_estimator_of(&gb_vargrad_estimator_type, NULL);
}
