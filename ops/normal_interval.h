/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Moments of the standard normal on an interval. Three numbers describe the interval: `near` is the end
 * nearer to 0; mirror the interval if necessary, so that near is negative if the interval contains 0. `width`
 * keeps its digits where the ends are close to each other. far = near + width has its own rounding, and is +∞
 * where width is. Derivatives are with respect to near and width.
 *
 * All results are relative to the point of greatest density in the interval, r = max(near, 0), so that tails
 * neither underflow nor overflow. They come from quadrature with positive weights, which has no cancellation
 * in a narrow interval. Each function returns an inert node on error. */
#ifndef GREBE_OPS_NORMAL_INTERVAL_H
#define GREBE_OPS_NORMAL_INTERVAL_H

#include "../core/gradient.h"
#include "../core/op.h"

GB_BEGIN_DECLS

/* An interval of a normal distribution. */
typedef struct gb_normal_interval {
    gb_node near, width, far;
} gb_normal_interval;

/* log ∫ e^((r² − x²)/2) dx over the interval. The relative error of the integral is below 1e-14. Has
 * derivatives up to the third. */
GB_API gb_node gb_normal_interval_mass(gb_normal_interval in);
/* E[x] − r. */
GB_API gb_node gb_normal_interval_mean(gb_normal_interval in);
/* E[(x − E[x])²] and E[(x − E[x])³]. The third moment has no derivative. */
GB_API gb_node gb_normal_interval_variance(gb_normal_interval in);
GB_API gb_node gb_normal_interval_third_moment(gb_normal_interval in);

GB_END_DECLS
#endif
