/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_ESTIMATORS_EXPECTATION_LEARN_IMPL_H
#define GREBE_ESTIMATORS_EXPECTATION_LEARN_IMPL_H

#include "estimators/expectation/sites_impl.h"

/* Returns x, and carries the rules in `learned`. */
gb_node gb_with_learned(gb_node x, const own_learned *learned);

#endif
