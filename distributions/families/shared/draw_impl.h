/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws that are no plain formula: with implicit gradients, and kept within range.
 *
 * Implicit gradients (Figurnov, Mohamed and Mnih 2018): a sampler that rejects is no smooth function of its
 * parameters, but the draw x at a fixed F(x; θ) is, with dx/dθ = −(∂F/∂θ) / density. First derivatives only: the
 * slopes have none of their own, and a second gradient is an error that names them. */
#ifndef GREBE_DISTRIBUTIONS_FAMILIES_SHARED_DRAW_IMPL_H
#define GREBE_DISTRIBUTIONS_FAMILIES_SHARED_DRAW_IMPL_H

#include "distributions/distribution.h"

/* The value of `draw`, without its gradient, and with the derivative slope[i] with respect to param[i]. A draw has the
 * shape and all the hidden axes of its parameters and slopes, or broadcasts them. */
gb_node gb_implicit_draw(gb_node draw, size_t count, const gb_node *param, const gb_node *slope);

/* The logarithm of a draw from Gamma(concentration, 1), for the distributions that are made of such draws: where the
 * concentration is small, most are too small for a real, but their logarithms are not. */
gb_node gb_log_gamma_draw(const gb_source *from, gb_node concentration);

/* e^log_x, kept from being 0 or infinite: a density may be infinite there, and draws are not there. */
gb_node gb_positive_draw(gb_node log_x);

/* x, kept from being infinite, and so far from it that differences and ratios near 1 are finite. */
gb_node gb_finite_draw(gb_node x);

/* x within the smallest and the greatest number below 1. */
gb_node gb_open_unit_draw(gb_node x);

#endif
