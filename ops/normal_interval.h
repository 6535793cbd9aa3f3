/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The standard normal on an interval, as three numbers: `near`, the end that is nearer to 0, on the negative side where
 * the interval has 0 (mirrored, if necessary); `width`, which says what near and far cannot where they are close; and
 * `far`. near and width are the variables that derivatives are taken in; far = near + width has its own rounding, and
 * is +∞ where width is.
 *
 * All is relative to the point of greatest density in it, r = max(near, 0), so that nothing under- or overflows in a
 * tail. By quadrature with positive weights, so that nothing cancels in a narrow interval. */
#ifndef GREBE_OPS_NORMAL_INTERVAL_H
#define GREBE_OPS_NORMAL_INTERVAL_H

#include "../core/gradient.h"
#include "../core/op.h"

GB_BEGIN_DECLS

typedef struct gb_normal_interval {
    gb_node near, width, far;
} gb_normal_interval;

/* log ∫ e^((r² − x²)/2) dx over it: relative error of the integral below 1e-14. Derivatives up to the third. */
GB_API gb_node gb_normal_interval_mass(gb_normal_interval in);
/* E[x] − r. */
GB_API gb_node gb_normal_interval_mean(gb_normal_interval in);
/* E[(x − E[x])²] and E[(x − E[x])³]. The second has no derivative. */
GB_API gb_node gb_normal_interval_variance(gb_normal_interval in);
GB_API gb_node gb_normal_interval_third_moment(gb_normal_interval in);

GB_END_DECLS
#endif
