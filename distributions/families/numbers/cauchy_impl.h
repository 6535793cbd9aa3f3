/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_DISTRIBUTIONS_FAMILIES_NUMBERS_CAUCHY_IMPL_H
#define GREBE_DISTRIBUTIONS_FAMILIES_NUMBERS_CAUCHY_IMPL_H

#include "core/tape.h"

/* tan(π v) for v in [−½, ½]. from_pole is ½ − |v|, which is exact near the poles. */
gb_node gb_tan_pi(gb_node v, gb_node from_pole);

#endif
