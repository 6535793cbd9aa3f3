/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/families/start_impl.h"

static gb_node point(const gb_family *family, const gb_slot *slot)
{
    const gb_point_options *const options = gb_family_options(family);
    const bool is_free = !gb_transform_ok(slot->reach);
    const gb_node x = gb_slot_location(slot, is_free ? NULL : "location", slot->free, gb_start_of(options));
    return is_free ? x : gb_transform_forward(slot->reach, x);
}

static bool start(const gb_family *family, const gb_slot *slot, gb_family_start *to)
{
    (void)slot;
    const gb_point_options *const options = gb_family_options(family);
    *to = (gb_family_start){.location = options->location};
    return gb_start_is_even(gb_start_of(options));
}

const gb_family_type gb_point_family_type = {
    .size = sizeof(gb_family_type),
    .name = "point",
    .formula = "one value, the most probable",
    .point = point,
    .start = start,
};

gb_family gb_point_with(gb_point_options options)
{
    return gb_family_of(&gb_point_family_type, options.shape, &options, sizeof options);
}
