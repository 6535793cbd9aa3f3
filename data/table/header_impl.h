/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_DATA_TABLE_HEADER_IMPL_H
#define GREBE_DATA_TABLE_HEADER_IMPL_H

#include "data/table/reading_impl.h"

/* Makes the columns by the first line, and goes behind it if it has names. */
bool gb_reading_header(gb_reading *reading);

#endif
