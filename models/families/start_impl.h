/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the options of grebe's own families say of their start. */
#ifndef GREBE_MODELS_FAMILIES_START_IMPL_H
#define GREBE_MODELS_FAMILIES_START_IMPL_H

#include "models/family.h"

/* Of the options of any family: their fields have the same names. */
#define gb_start_of(options)                                                                                 \
    ((gb_start){.location = (options)->location, .spread = (options)->spread, .each = (options)->locations})

/* Whether all locations start at the same number. */
static inline bool gb_start_is_even(gb_start start)
{
    return start.spread == 0 && !start.each.tape;
}

#endif
