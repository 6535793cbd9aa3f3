/* SPDX-License-Identifier: GPL-3.0-or-later */
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
