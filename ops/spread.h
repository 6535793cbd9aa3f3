/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values side by side along a hidden axis that has places for those of others too. */
#ifndef GREBE_OPS_SPREAD_H
#define GREBE_OPS_SPREAD_H

#include "../core/gradient.h"
#include "../core/op.h"

GB_BEGIN_DECLS

/* x has shape (n, …). The result has the shape of x[0] and varies along `axis`, a site's: x[1] … x[n − 1] at the places
 * `first` … `first` + n − 2, and x[0] at all others. The axis may still grow (gb_site_axis_grow), but not after a
 * gradient was asked for. Inert on error. */
GB_API gb_node gb_spread(gb_node x, gb_axes axis, int64_t first);

GB_END_DECLS
#endif
