/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A prediction as lines of named numbers, one for each row and element. */
#ifndef GREBE_PREDICTION_TABLES_COLUMNS_IMPL_H
#define GREBE_PREDICTION_TABLES_COLUMNS_IMPL_H

#include "prediction/predict/prediction_impl.h"

enum { GB_COLUMN_TEXT = 48 };

/* How many columns there are; of a line the name and the number of one. Columns of a datum stand in the line
 * of its first element; in others they are NaN. */
size_t gb_prediction_columns(const gb_prediction *p);
void gb_prediction_column(const gb_prediction *p, size_t column, char name[GB_COLUMN_TEXT]);
double gb_prediction_number(const gb_prediction *p, size_t row, size_t element, size_t column);

#endif
