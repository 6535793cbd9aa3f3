/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_KIT_FAMILIES_LAW_IMPL_H
#define GREBE_KIT_FAMILIES_LAW_IMPL_H

#include "kit/families/case_impl.h"

/* Checks START (if `at_start`), SUPPORT, MASS, DRAWS and GRADIENT of a recorded case with a q. */
void gb_family_check_law(gb_family_case *c, bool at_start);

/* Evaluates log q in free numbers at a few points, for FLOATS. */
enum { GB_FAMILY_LOOKS = 9 };
bool gb_family_look(gb_family_case *c, double log_q[GB_FAMILY_LOOKS]);

#endif
