/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/families/start_impl.h"

static gb_node point(const gb_slot *slot, const void *bytes)
{
    const gb_point_options *const options = bytes;
    const bool is_free = !gb_transform_ok(slot->reach);
    const gb_node x = gb_slot_location(slot, is_free ? NULL : "location", slot->free, gb_start_of(options));
    return is_free ? x : gb_transform_forward(slot->reach, x);
}

static bool start(const gb_slot *slot, const void *bytes, gb_family_start *to)
{
    (void)slot;
    const gb_point_options *const options = bytes;
    *to = (gb_family_start){.location = options->location};
    return gb_start_is_even(gb_start_of(options));
}

static const gb_option table[] = {GB_FAMILY_PLACE_ROWS(gb_point_options), {0}};

const gb_family_type gb_point_family_type = {
    .size = sizeof(gb_family_type),
    .name = "point",
    .formula = "one value, the most probable",
    .options = table,
    .option_bytes = sizeof(gb_point_options),
    .point = point,
    .start = start,
};

gb_family gb_point_with(gb_shape shape, const gb_point_options *options)
{
    return gb_family_of(&gb_point_family_type, shape, options);
}
