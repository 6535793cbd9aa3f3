/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_KIT_FAMILIES_LAW_IMPL_H
#define GREBE_KIT_FAMILIES_LAW_IMPL_H

#include "kit/families/case_impl.h"

enum { GB_FAMILY_BY_INTEGRALS = 2 }; /* the most free numbers */

/* Returns log q as a density of the free numbers u. */
gb_node gb_family_log_density(const gb_family_case *c, gb_node u);

/* Checks START (if `at_start`), SUPPORT, MASS, DRAWS and GRADIENT of a recorded case with a q. */
void gb_family_check_law(gb_family_case *c, bool at_start);

/* Checks DRAWS, MASS and GRADIENT of a recorded case with a q of any number of free numbers, by draws. */
void gb_family_check_many(gb_family_case *c);

/* Evaluates log q in free numbers at a few points, for FLOATS. */
enum { GB_FAMILY_LOOKS = 9 };
bool gb_family_look(gb_family_case *c, double log_q[GB_FAMILY_LOOKS]);

#endif
