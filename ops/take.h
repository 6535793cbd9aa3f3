/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Single elements by index, along an axis (gb_gather and gb_scatter_add in array.h move whole slices). */
#ifndef GREBE_OPS_TAKE_H
#define GREBE_OPS_TAKE_H

#include "../core/gradient.h"
#include "../core/op.h"

GB_BEGIN_DECLS

/* Elements of x by number along an axis, each line by its own numbers: x (…, n) and integers `index` (…, k) to (…, k),
 * where the other axes broadcast, and hidden axes join. `axis` is one of x; of `index` it is the one that stands as far
 * from the end. An index that is out of range is an error where it is a constant; where it comes from an input, the
 * result is NaN there, and the run refuses it. An inert node on error. */
GB_API gb_node gb_take_along(gb_node x, gb_node index, int axis);

/* The other way round: zeros of `size` places along the axis, to which the elements of x are added at the places that
 * `index` says. An index that is out of range makes its whole line NaN. */
GB_API gb_node gb_scatter_along(gb_node x, gb_node index, int axis, int64_t size);

GB_END_DECLS
#endif
