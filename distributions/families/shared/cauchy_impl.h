/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What cauchy and half_cauchy share. */
#ifndef GREBE_DISTRIBUTIONS_FAMILIES_SHARED_CAUCHY_IMPL_H
#define GREBE_DISTRIBUTIONS_FAMILIES_SHARED_CAUCHY_IMPL_H

#include "distributions/domain.h"
#include "ops/elementwise.h"

/* tan(π v) for v in [−½, ½], from v and from ½ − |v|: the second says it near the poles. */
static inline gb_node gb_tan_pi(gb_node v, gb_node from_pole)
{
    const gb_node a = gb_scale(v, GB_PI), b = gb_scale(from_pole, GB_PI);
    const gb_node inner = gb_div(gb_sin(a), gb_cos(a)), is_pole = gb_less(b, gb_num(v.tape, 1e-9));
    const gb_node outer = gb_where(is_pole, gb_reciprocal(b), gb_div(gb_cos(b), gb_sin(b)));
    return gb_where(gb_less(gb_abs(v), gb_num(v.tape, 0.25)), inner, gb_mul(gb_sign(v), outer));
}

#endif
