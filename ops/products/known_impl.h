/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values that are known otherwise than by the expression whose gradient they have. None costs anything in a
 * run. */
#ifndef GREBE_OPS_PRODUCTS_KNOWN_IMPL_H
#define GREBE_OPS_PRODUCTS_KNOWN_IMPL_H

#include "core/op.h"

/* Returns the value of one node with the gradient of another, of the same shape. */
gb_node gb_with_value(gb_node value, gb_node like);

/* Return the value of z with the gradient of (x - loc) / scale, or of the vector L^-1 (x - loc), which z
 * equals. */
gb_node gb_standard_at(gb_node z, gb_node x, gb_node loc, gb_node scale);
gb_node gb_whitened_at(gb_node z, gb_node x, gb_node loc, gb_node l);

/* Returns whether the node is of one of these; its value is its first argument's. */
bool gb_is_known(gb_node x);

/* Returns x, marked as a draw whose own density is taken (distributions/law/own_draw_impl.h); whether it has
 * the mark itself. */
gb_node gb_mark_own_draw(gb_node x);
bool gb_is_own_draw(gb_node x);

#endif
