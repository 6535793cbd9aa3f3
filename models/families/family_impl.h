/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What grebe's own families share. */
#ifndef GREBE_MODELS_FAMILIES_FAMILY_IMPL_H
#define GREBE_MODELS_FAMILIES_FAMILY_IMPL_H

#include "models/family.h"

/* A scale that is left open, as 0, is 0.1. */
static inline double gb_scale_or_usual(double scale)
{
    return scale == 0 ? 0.1 : scale;
}

/* The same as a start; NaN, with an error, where it cannot be one. */
double gb_start_scale(const gb_slot *slot, double scale);

/* Two words as one name. False, with an error, where there is no room. */
enum { GB_PART_NAME = 256 };
bool gb_joined_name(gb_tape *tape, const char *first, const char *between, const char *last,
                    char name[GB_PART_NAME]);

/* Of the options of any family: their fields have the same names. */
#define gb_start_of(options)                                                                                 \
    ((gb_start){.location = (options)->location, .spread = (options)->spread, .each = (options)->locations})

/* All locations start at the same number. */
static inline bool gb_start_is_even(gb_start start)
{
    return start.spread == 0 && !start.each.data;
}

#endif
