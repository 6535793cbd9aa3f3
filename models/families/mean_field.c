/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "distributions/list.h"
#include "models/families/start_impl.h"

static gb_dist posterior(const gb_slot *slot, const void *bytes)
{
    const gb_mean_field_options *const options = bytes;
    const gb_node location = gb_slot_location(slot, "location", slot->free, gb_start_of(options));
    const gb_node scale = gb_slot_scale(slot, "scale", slot->free, options->scale, options->map);
    return gb_slot_reached(slot, gb_normal(location, scale));
}

static bool start(const gb_slot *slot, const void *bytes, gb_family_start *to)
{
    (void)slot;
    const gb_mean_field_options *const options = bytes;
    *to = (gb_family_start){options->location, options->scale, false};
    return gb_start_is_even(gb_start_of(options));
}

static const gb_option table[] = {
    GB_FAMILY_PLACE_ROWS(gb_mean_field_options), GB_FAMILY_SCALE_ROWS(gb_mean_field_options), {0}};

const gb_family_type gb_mean_field_family_type = {
    .size = sizeof(gb_family_type),
    .name = "mean_field",
    .formula = "independent normals",
    .options = table,
    .option_bytes = sizeof(gb_mean_field_options),
    .posterior = posterior,
    .start = start,
};

gb_family gb_mean_field_with(gb_shape shape, const gb_mean_field_options *options)
{
    return gb_family_of(&gb_mean_field_family_type, shape, options);
}
