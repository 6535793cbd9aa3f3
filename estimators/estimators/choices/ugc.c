/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Unbiased gradient variance clipping: the gradient of bitflip-1 for elements whose probability is within
 * 1 / 2n of 0 or 1, that of DisARM for all others. */
#include "estimators/estimators/choices/shared/binary_impl.h"
#include "estimators/list.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

enum { DRAW, TWIN, FLIPPED, EVALUATIONS };

static int64_t evaluations(const gb_site *site)
{
    (void)site;
    return EVALUATIONS;
}

static gb_node draw(gb_site *site)
{
    const gb_node pair = gb_binary_pair_draw(site);
    const gb_node flipped = gb_binary_flipped(site, gb_evaluation(pair, DRAW));
    return gb_stop(gb_concat(2, (const gb_node[]){pair, gb_expand(flipped, 0)}, 0));
}

static gb_node combine(const gb_site *site, gb_node costs)
{
    const gb_node logits = gb_binary_logits(&site->q), none = gb_num(costs.tape, 0);
    const double count = (double)gb_shape_count(gb_dist_shape(site->q));
    const gb_node rarer = gb_sigmoid(gb_neg(gb_abs(logits)));
    const gb_node is_near = gb_less(rarer, gb_num(costs.tape, 0.5 / count));
    const gb_node by_flip = gb_where(is_near, gb_binary_flip_slope(site, costs, FLIPPED), none);
    const gb_node by_pair = gb_where(is_near, none, gb_binary_pair_slope(site, costs));
    const gb_node mean = gb_mean_along(gb_slice(costs, 0, DRAW, FLIPPED), gb_axis(0));
    return gb_site_inject(site, gb_site_inject(site, mean, logits, by_pair), gb_dist_mean(site->q), by_flip);
}

const gb_estimator_type gb_ugc_estimator_type = {
    .size = sizeof(gb_estimator_type),
    .name = "ugc",
    .cite = "Kunes, Yin, Land, Haviv, Pe'er and Tavare 2023",
    .formula = "of bitflip where p or 1 - p is below 1 / 2n, else of disarm",
    .needs = GB_NEEDS_SEPARATE_SAMPLES | GB_NEEDS_SEPARATE_ROWS,
    .lacks = gb_lacks_bernoulli,
    .expansion = GB_PROBES,
    .evaluations = evaluations,
    .first_order = true,
    .drops_own_path = true,
    .draw = draw,
    .combine = combine,
};

gb_estimator gb_ugc(void)
{
    return gb_estimator_of(&gb_ugc_estimator_type, NULL);
}
