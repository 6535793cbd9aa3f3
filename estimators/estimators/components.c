/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The components of a mixture. A draw that is a function of the noise would have to move mass from mode to
 * mode through the gap between them, with derivatives as large as the density there is small. So the
 * component is not drawn but summed over, and the draws of each component are pathwise. */
#include "distributions/list.h"
#include "distributions/transform.h"
#include "estimators/list.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

/* The mixture within transforms; NULL: there is none. */
static const gb_dist *mixture_in(const gb_dist *q)
{
    while (q && q->type == &gb_transformed_type)
        q = q->base;
    return q && q->type == &gb_mixture_type ? q : NULL;
}

static const char *lacks(const gb_dist *q, const void *options)
{
    (void)options;
    const gb_dist *const mixture = mixture_in(q);
    if (!mixture || gb_dist_batch_shape(*mixture).rank > 0)
        return "list of components (gb_mixture has one)";
    return gb_dist_can(*mixture->base, GB_CAN_RSAMPLE) ? NULL : "reparameterised sampler of its components";
}

static int64_t evaluations(const gb_site *site)
{
    return gb_dist_batch_shape(*mixture_in(&site->q)->base).size[0];
}

/* Components lie along the first axis, before and after the transforms. */
static gb_node through_transforms(const gb_dist *q, gb_node each)
{
    return q->type == &gb_mixture_type
               ? each
               : gb_transform_forward(*q->transform, through_transforms(q->base, each));
}

static gb_node draw(gb_site *site)
{
    const gb_dist *const mixture = mixture_in(&site->q);
    return through_transforms(&site->q, gb_rsample(*mixture->base, site->noise, site->axes));
}

static gb_node weights(const gb_site *site)
{
    return gb_softmax(mixture_in(&site->q)->param[0], -1);
}

static gb_node combine(const gb_site *site, gb_node costs)
{
    return gb_sum(gb_chain(weights(site), costs));
}

const gb_estimator_type gb_components_estimator_type = {
    .size = sizeof(gb_estimator_type),
    .name = "components",
    .formula = "d of the sum of w f(g(theta, e)) over the components",
    .needs = GB_NEEDS_SEPARATE_SAMPLES | GB_NEEDS_SEPARATE_ROWS | GB_NEEDS_SMOOTH_COST,
    .lacks = lacks,
    .expansion = GB_WEIGHTS,
    .evaluations = evaluations,
    .draw = draw,
    .combine = combine,
    .weights = weights,
};

gb_estimator gb_components(void)
{
    return gb_estimator_of(&gb_components_estimator_type, NULL);
}
