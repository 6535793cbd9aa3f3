/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The start values in the options of families. */
#ifndef GREBE_MODELS_FAMILIES_START_IMPL_H
#define GREBE_MODELS_FAMILIES_START_IMPL_H

#include "models/family.h"

/* The gb_start of the options of any family: the fields have the same names. */
#define gb_start_of(options)                                                                                 \
    ((gb_start){.location = (options)->location, .spread = (options)->spread, .each = (options)->locations})

/* Returns whether all locations start at the same number. */
static inline bool gb_start_is_even(gb_start start)
{
    return start.spread == 0 && !start.each.tape;
}

#endif
