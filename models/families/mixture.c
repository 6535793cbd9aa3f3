/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A mixture of mean fields, and its estimator. A draw that is a function of the noise would have to move mass
 * from mode to mode through the gap between them, with derivatives as large as the density there is small. So
 * the component is not drawn but summed over, and the draws of each component are pathwise. */
#include "distributions/list.h"
#include "distributions/transform.h"
#include "models/families/flow_impl.h"
#include "models/families/start_impl.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

/* ---- the estimator ---- */

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
        return "list of components (gb_mixture_posterior has one)";
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

static const gb_estimator_type components_type = {
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
    return gb_estimator_of(&components_type, NULL);
}

/* ---- the family ---- */

static gb_dist posterior(const gb_slot *slot, const void *bytes)
{
    const gb_mixture_posterior_options *const options = bytes;
    const gb_shape all = gb_shape(options->components, gb_slot_count(slot));
    gb_start start = gb_start_of(options);
    if (start.spread == 0)
        start.spread = options->scale;
    const gb_node centre = gb_slot_location(slot, "centre", all, start);
    const gb_node spread = gb_slot_scale(slot, "spread", all, options->scale, options->map);
    const gb_node logits =
        gb_part_variable(slot->tape, slot->name, "logits", gb_shape(options->components), 0);
    return gb_slot_reached(slot, gb_mixture(logits, gb_independent(gb_normal(centre, spread), 1)));
}

static const gb_option table[] = {GB_FAMILY_PLACE_ROWS(gb_mixture_posterior_options),
                                  GB_FAMILY_SCALE_ROWS(gb_mixture_posterior_options),
                                  GB_OPTION_WHOLE(gb_mixture_posterior_options, components, 2,
                                                  &gb_flow_count_domain, "normals in the mixture"),
                                  {0}};

const gb_family_type gb_mixture_family_type = {
    .size = sizeof(gb_family_type),
    .name = "mixture",
    .formula = "a mixture of independent normals",
    .options = table,
    .option_bytes = sizeof(gb_mixture_posterior_options),
    .posterior = posterior,
};

gb_family gb_mixture_posterior_with(gb_shape shape, const gb_mixture_posterior_options *options)
{
    return gb_family_of(&gb_mixture_family_type, shape, options);
}
