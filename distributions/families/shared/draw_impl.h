/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws that are not a plain formula: implicit gradients, and draws that are kept within range.
 *
 * Implicit gradients (Figurnov, Mohamed and Mnih 2018): a sampler that rejects is not a smooth function of
 * its parameters. But at a fixed F(x; θ) the draw x is, with dx/dθ = −(∂F/∂θ) / density. Only first
 * derivatives exist: the slopes have none, and a second gradient is an error that names them. */
#ifndef GREBE_DISTRIBUTIONS_FAMILIES_SHARED_DRAW_IMPL_H
#define GREBE_DISTRIBUTIONS_FAMILIES_SHARED_DRAW_IMPL_H

#include "distributions/distribution.h"

/* The value of `draw` without its gradient, and with the derivative slope[i] in param[i]. The draw must have
 * the shape and all hidden axes of the parameters and slopes, or broadcast them. */
gb_node gb_implicit_draw(gb_node draw, size_t count, const gb_node *param, const gb_node *slope);

/* The logarithm of a draw from Gamma(concentration, 1). For a small concentration most draws underflow, but
 * their logarithms do not. */
gb_node gb_log_gamma_draw(const gb_source *from, gb_node concentration);

/* The same minus gb_gamma_log_unit(concentration): the m of gb_gamma_log_body. */
gb_node gb_scaled_log_gamma_draw(const gb_source *from, gb_node concentration);

/* e^log_x, but neither 0 nor infinite: a density may be infinite there, and no draw should be. */
gb_node gb_positive_draw(gb_node log_x);

/* x > 0, but neither 0 nor infinite. */
gb_node gb_positive_number(gb_node x);

/* x, but finite, and small enough that differences and ratios near 1 are finite. */
gb_node gb_finite_draw(gb_node x);

/* x, but at least the smallest positive number and at most the largest number below 1. */
gb_node gb_open_unit_draw(gb_node x);

#endif
