/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Single elements by index along an axis. gb_gather and gb_scatter_add in array.h move whole slices. */
#ifndef GREBE_OPS_TAKE_H
#define GREBE_OPS_TAKE_H

#include "../core/gradient.h"
#include "../core/op.h"

GB_BEGIN_DECLS

/* Selects elements of x along an axis by number, each line by its own numbers: x (…, n) and integers `index`
 * (…, k) give (…, k). The other axes broadcast, and hidden axes join. `axis` counts in x; in `index` it is
 * the axis as far from the end. A constant index out of range is an error. One from an input makes its
 * element NaN, and a run that uses it fails. On error the result is inert. */
GB_API gb_node gb_take_along(gb_node x, gb_node index, int axis);

/* The reverse: adds the elements of x to zeros with `size` places along the axis, at the places that `index`
 * names. An index out of range makes its whole line NaN. */
GB_API gb_node gb_scatter_along(gb_node x, gb_node index, int axis, int64_t size);

GB_END_DECLS
#endif
