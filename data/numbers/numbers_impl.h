/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_DATA_NUMBERS_NUMBERS_IMPL_H
#define GREBE_DATA_NUMBERS_NUMBERS_IMPL_H

#include "data/numbers.h"

/* The scale of numbers, which is 1 if they have none. */
static inline double gb_numbers_scale(gb_numbers numbers)
{
    return numbers.scale < 0 || numbers.scale > 0 || numbers.scale != numbers.scale ? numbers.scale : 1;
}

/* Whether numbers stand for others than those that are stored. */
static inline bool gb_numbers_are_scaled(gb_numbers numbers)
{
    return gb_numbers_scale(numbers) != 1 || numbers.shift != 0 || numbers.columns > 0;
}

#endif
