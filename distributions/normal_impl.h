/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What distributions around the normal share. */
#ifndef GREBE_DISTRIBUTIONS_NORMAL_IMPL_H
#define GREBE_DISTRIBUTIONS_NORMAL_IMPL_H

#include "distributions/distribution.h"
#include "ops/elementwise.h"

static const double gb_half_log_two_pi = 0.918938533204672741780329736405617640;

/* ½ (r² − 1 − 2 log r) for the ratio r of two scales: the divergence of normals with the same mean. */
static inline gb_node gb_kl_of_scales(gb_node q, gb_node p)
{
    const gb_node off = gb_div(gb_sub(q, p), p);
    return gb_add(gb_scale(gb_square(off), 0.5), gb_ratio_excess(q, p));
}

/* Whether each number of a draw is normal by itself: of normals, of normal vectors, and of those in another shape. */
bool gb_has_normal_numbers(const gb_dist *d);

#endif
