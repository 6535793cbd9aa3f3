/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "distributions/list.h"
#include "models/families/start_impl.h"

static gb_dist posterior(const gb_family *family, const gb_slot *slot)
{
    const gb_mean_field_options *const options = gb_family_options(family);
    const gb_node location = gb_slot_location(slot, "location", slot->free, gb_start_of(options));
    const gb_node scale = gb_slot_scale(slot, "scale", slot->free, options->scale, options->map);
    return gb_slot_reached(slot, gb_normal(location, scale));
}

static bool start(const gb_family *family, const gb_slot *slot, gb_family_start *to)
{
    (void)slot;
    const gb_mean_field_options *const options = gb_family_options(family);
    *to = (gb_family_start){options->location, gb_scale_or_usual(options->scale), false};
    return gb_start_is_even(gb_start_of(options));
}

const gb_family_type gb_mean_field_family_type = {
    .size = sizeof(gb_family_type),
    .name = "mean_field",
    .formula = "independent normals",
    .posterior = posterior,
    .start = start,
};

gb_family gb_mean_field_with(gb_mean_field_options options)
{
    return gb_family_of(&gb_mean_field_family_type, options.shape, &options, sizeof options);
}
