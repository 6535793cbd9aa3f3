/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/families/name_impl.h"

#include <stdio.h>

#include "models/family.h"

bool gb_joined_name(gb_tape *tape, const char *first, const char *between, const char *last,
                    char name[GB_PART_NAME])
{
    const int length = snprintf(name, GB_PART_NAME, "%s%s%s", first, between, last);
    if (length >= 0 && length < GB_PART_NAME)
        return true;
    gb_fail(tape, GB_ENAME, "variable %.40s… %s%.40s: the name is too long", first, between, last);
    return false;
}

gb_node gb_part_variable(gb_tape *tape, const char *owner, const char *part, gb_shape shape, double start)
{
    char name[GB_PART_NAME];
    return gb_joined_name(tape, owner, ".", part, name) ? gb_variable(tape, name, shape, gb_fill(start))
                                                        : (gb_node){0};
}
