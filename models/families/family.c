/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/family.h"

#include <string.h>

gb_family gb_row_by_row(gb_family family)
{
    family.row_by_row = true;
    return family;
}

gb_family gb_family_of(const gb_family_type *type, gb_shape shape, const void *options, size_t bytes)
{
    gb_family family = {.type = bytes <= GB_FAMILY_OPTIONS ? type : NULL, .shape = shape};
    if (family.type && bytes > 0)
        memcpy(family.options.bytes, options, bytes);
    return family;
}
