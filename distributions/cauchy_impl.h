/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What cauchy and half_cauchy share. */
#ifndef GREBE_DISTRIBUTIONS_CAUCHY_IMPL_H
#define GREBE_DISTRIBUTIONS_CAUCHY_IMPL_H

#include "core/tape.h"

/* The angle of the point (x, y), from −π to π: atan2(y, x). */
gb_node gb_angle(gb_node y, gb_node x);

/* tan(π v) for v in [−½, ½], from v and from ½ − |v|: the second says it near the poles. */
gb_node gb_tan_pi(gb_node v, gb_node from_pole);

#endif
