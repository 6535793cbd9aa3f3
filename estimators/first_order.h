/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fences: gradients that must not be differentiated again in some parameters. The second gradient could be
 * computed, but would not be the gradient of the expectation. A fence makes it an error. */
#ifndef GREBE_ESTIMATORS_FIRST_ORDER_H
#define GREBE_ESTIMATORS_FIRST_ORDER_H

#include "estimator.h"

GB_BEGIN_DECLS

/* Returns `cost` with its gradient unchanged. A gradient of that gradient in a parameter of the site is an
 * error that names the site. */
GB_API gb_node gb_site_fenced(const gb_site *site, gb_node cost);

/* Returns whether the node is such a cost. */
GB_API bool gb_is_fence(gb_node node);

/* Returns a site whose parameters depend on `draw`, and whose fence `cost` contains: a second gradient of the
 * cost in the draw is an error. NULL: there is none. */
GB_API const gb_site *gb_fenced_after(gb_node cost, gb_node draw);

GB_END_DECLS
#endif
