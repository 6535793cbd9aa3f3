/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers of any type become those of a tape. */
#ifndef GREBE_DATA_NUMBERS_CONVERT_IMPL_H
#define GREBE_DATA_NUMBERS_CONVERT_IMPL_H

#include "data/numbers/numbers_impl.h"

/* Stores `count` numbers, or scale · x + shift if they are scaled. Returns the index of the first that is no
 * integer of the type; `count`: all are converted. */
typedef size_t gb_conversion(const void *from, void *to, size_t count, bool is_scaled, double scale,
                             double shift);

/* To double, float, int64 or int32; NULL for other types. */
gb_conversion *gb_conversion_of(gb_number from, gb_number to);

/* Stores `count` numbers from `first` on as such a type, whatever they stand for. Returns how many fit, as a
 * conversion does; a finite number that is infinite as a float does not. */
size_t gb_numbers_convert(gb_numbers numbers, size_t first, size_t count, gb_number type, void *to);

#endif
