/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_COMPARE_MEASURING_PLACE_IMPL_H
#define GREBE_COMPARE_MEASURING_PLACE_IMPL_H

#include "compare/measuring/work_impl.h"

/* Finds the parameters of each place, and the exact gradients there. Returns false on error. */
bool gb_compare_find_places(gb_compare_work *c);

#endif
