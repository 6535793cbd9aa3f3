/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Factors that may be meant as numbers. */
#ifndef GREBE_DATA_DESIGN_STRAYS_IMPL_H
#define GREBE_DATA_DESIGN_STRAYS_IMPL_H

#include "data/formula/formula_impl.h"

/* Adds a line for each factor whose levels are numbers for the most part. */
void gb_say_stray_texts(gb_packing *text, const gb_formula *formula);

#endif
