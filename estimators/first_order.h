/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gradients that have no gradient in some parameters: not because there is no formula to differentiate, but because
 * the result would silently be no gradient of the expectation. */
#ifndef GREBE_ESTIMATORS_FIRST_ORDER_H
#define GREBE_ESTIMATORS_FIRST_ORDER_H

#include "../distributions/distribution.h"

GB_BEGIN_DECLS

/* What a guard and its fence share; the tape owns it. `estimator` and `site` name it in messages and must live as
 * long. NULL on error. */
typedef struct gb_first_order gb_first_order;
GB_API gb_first_order *gb_first_order_new(gb_tape *tape, const char *estimator, const char *site);

/* q with parameters in which a gradient of what a gradient through the fence made is an error. */
GB_API gb_dist gb_guarded(gb_first_order *first, gb_dist q);

/* cost, whose gradients are the ones that are meant. */
GB_API gb_node gb_fenced(gb_first_order *first, gb_node cost);

GB_END_DECLS
#endif
