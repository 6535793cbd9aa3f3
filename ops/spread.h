/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values side by side along a hidden axis that several sites share. */
#ifndef GREBE_OPS_SPREAD_H
#define GREBE_OPS_SPREAD_H

#include "../core/gradient.h"
#include "../core/op.h"

GB_BEGIN_DECLS

/* For x of shape (n, …), returns a node of the shape of x[0] that varies along `axis`, a site's. Places
 * `first` … `first` + n − 2 of the axis have x[1] … x[n − 1]; all others have x[0]. The axis may still grow
 * (gb_site_axis_grow), but not after a gradient was recorded. On error the result is inert. */
GB_API gb_node gb_spread(gb_node x, gb_axes axis, int64_t first);

GB_END_DECLS
#endif
