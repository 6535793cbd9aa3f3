/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/family.h"

static gb_node point(const gb_family *family, gb_tape *tape, const char *name)
{
    const gb_point_options *const options = gb_family_options(family);
    return gb_variable(tape, name, family->shape, gb_fill(options->location));
}

const gb_family_type gb_point_type = {
    .size = sizeof(gb_family_type),
    .name = "point",
    .formula = "one value, the most probable",
    .point = point,
};

gb_family gb_point_with(gb_point_options options)
{
    return gb_family_of(&gb_point_type, options.shape, &options, sizeof options);
}
