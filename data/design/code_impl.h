/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How variables become columns. */
#ifndef GREBE_DATA_DESIGN_CODE_IMPL_H
#define GREBE_DATA_DESIGN_CODE_IMPL_H

#include "data/formula/formula_impl.h"

/* Decides which factors of which terms are coded by contrasts, and names the columns. */
bool gb_formula_code(gb_formula *formula);

/* How many columns a variable has in a term. */
size_t gb_coded_width(const gb_formula_variable *variable, bool is_full);

#endif
