/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gradients that have no gradient in some parameters: not because there is no formula to differentiate, but because
 * the result would silently be no gradient of the expectation. */
#ifndef GREBE_ESTIMATORS_FIRST_ORDER_H
#define GREBE_ESTIMATORS_FIRST_ORDER_H

#include "estimator.h"

GB_BEGIN_DECLS

/* cost, with its gradient; of what that gradient is used for, a gradient in a parameter of the site is an error that
 * names it. */
GB_API gb_node gb_site_fenced(const gb_site *site, gb_node cost);

GB_END_DECLS
#endif
