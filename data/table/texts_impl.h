/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_DATA_TABLE_TEXTS_IMPL_H
#define GREBE_DATA_TABLE_TEXTS_IMPL_H

#include "data/table/reading_impl.h"

/* Reads the columns of texts once more from the first row, and completes all columns. */
bool gb_reading_columns(gb_reading *reading, gb_csv rows);

#endif
