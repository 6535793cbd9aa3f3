/* SPDX-License-Identifier: GPL-3.0-or-later */
/* a/b − 1 − log(a/b) ≥ 0 for positive a and b: what most divergences between distributions of scales are made of.
 * Near a = b, where it is of second order, nothing larger than a/b − 1 is subtracted. */
#ifndef GREBE_DISTRIBUTIONS_EXCESS_IMPL_H
#define GREBE_DISTRIBUTIONS_EXCESS_IMPL_H

#include "ops/elementwise.h"

static inline gb_node gb_ratio_excess(gb_node a, gb_node b)
{
    const gb_node off = gb_div(gb_sub(a, b), b), ratio = gb_div(a, b);
    const gb_node is_near = gb_less(gb_abs(off), gb_num(a.tape, 0.5));
    const gb_node far = gb_shift(gb_sub(ratio, gb_sub(gb_log(a), gb_log(b))), -1);
    return gb_where(is_near, gb_sub(off, gb_log1p(off)), far);
}

#endif
