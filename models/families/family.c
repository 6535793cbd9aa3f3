/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/family.h"

gb_family gb_row_by_row(gb_family family)
{
    family.row_by_row = true;
    return family;
}

gb_family gb_family_of(const gb_family_type *type, gb_shape shape, const void *options)
{
    return (gb_family){.type = type, .options = gb_options_pack(type, options), .shape = shape};
}

gb_dist gb_family_posterior(gb_family family, const gb_slot *slot)
{
    gb_option_block block;
    const void *const options =
        gb_options_use(slot->tape, "latent", slot->name, family.type, &family.options, &block);
    return options ? family.type->posterior(slot, options) : (gb_dist){0};
}

gb_node gb_family_point(gb_family family, const gb_slot *slot)
{
    gb_option_block block;
    const void *const options =
        gb_options_use(slot->tape, "latent", slot->name, family.type, &family.options, &block);
    return options ? family.type->point(slot, options) : (gb_node){0};
}

bool gb_family_starts(gb_family family, const gb_slot *slot, gb_family_start *start)
{
    gb_option_block block;
    if (!family.type || !GB_HAS(family.type, start))
        return false;
    const void *const options =
        gb_options_use(slot->tape, "latent", slot->name, family.type, &family.options, &block);
    return options && family.type->start(slot, options, start);
}
