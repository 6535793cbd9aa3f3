/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "models/family.h"

gb_family gb_row_by_row(gb_family family)
{
    family.row_by_row = true;
    return family;
}

gb_family gb_family_of(const gb_family_type *type, gb_shape shape, const void *options)
{
    return (gb_family){.type = type,
                       .options = gb_options_pack(type, options),
                       .shape = gb_shape_of(shape.rank, shape.size)};
}

static const gb_option *option_named(const gb_family_type *type, const char *name, gb_option_form form)
{
    for (const gb_option *option = type->options; option && option->name; option++)
        if (option->form == form && strcmp(option->name, name) == 0)
            return option;
    return NULL;
}

void gb_family_spread(gb_family *family, double spread)
{
    gb_option_block block;
    char fault[8];
    if (!family->type || !gb_options_fit(family->type, &family->options, fault, sizeof fault))
        return;
    const gb_option *const own = option_named(family->type, "spread", GB_OPTION_IS_NUMBER),
                           *const each = option_named(family->type, "locations", GB_OPTION_IS_NODE);
    double given = 0;
    gb_node locations = {0};
    gb_options_unpack(family->type, &family->options, &block);
    if (own)
        memcpy(&given, block.bytes + own->offset, sizeof given);
    if (each)
        memcpy(&locations, block.bytes + each->offset, sizeof locations);
    if (!own || given > 0 || locations.tape)
        return;
    memcpy(block.bytes + own->offset, &spread, sizeof spread);
    family->options = gb_options_pack(family->type, &block);
}
