/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_DATA_DESIGN_FILL_IMPL_H
#define GREBE_DATA_DESIGN_FILL_IMPL_H

#include "data/design/filling_impl.h"

/* Evaluates the formula in the rows of a table. If it learns, the formula knows its columns then. */
bool gb_design_fill(gb_design *design, const gb_row_source *source);

#endif
