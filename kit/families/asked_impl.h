/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_KIT_FAMILIES_ASKED_IMPL_H
#define GREBE_KIT_FAMILIES_ASKED_IMPL_H

#include "kit/families/case_impl.h"

/* Checks ASKED and FAR: the options of a family that say where it starts, those that its table has of
 * `location`, `spread`, `locations`, `scale` and `map`. */
void gb_family_check_asked(gb_kit *kit, gb_family family);

/* Returns the family that starts elsewhere: at location 0.35, with scale 0.2 = exp of a variable, as far as
 * its table has these options. */
gb_family gb_family_elsewhere(gb_family family);

#endif
