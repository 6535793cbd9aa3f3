/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a factor of n levels becomes n − 1 columns. */
#ifndef GREBE_DATA_DESIGN_CONTRASTS_IMPL_H
#define GREBE_DATA_DESIGN_CONTRASTS_IMPL_H

#include "data/formula/formula_impl.h"

/* Checks the levels of a factor, and prepares its contrasts. */
bool gb_contrasts_prepare(gb_formula *formula, gb_formula_variable *factor);

/* What contrast `column` is for a level, from 0 to count − 2; and what follows the name of the variable in
 * that of the column. */
double gb_contrast(const gb_factor_levels *levels, size_t level, size_t column);
enum { GB_CONTRAST_NAME = 24 };
const char *gb_contrast_name(const gb_factor_levels *levels, size_t column, char text[GB_CONTRAST_NAME]);

#endif
