/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A mixture of mean fields. Its estimator is gb_components(). */
#include "distributions/list.h"
#include "models/families/flow_impl.h"
#include "models/families/start_impl.h"

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
