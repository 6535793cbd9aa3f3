/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers in memory, of the type in which they are stored:
 *
 *     GB_COLUMNS({x, gb_numbers_scaled(gb_bytes(pixels), 1. / 255, 0)}, {label, gb_bytes(labels)})
 *
 * Nothing is converted before it is needed: 60,000 images of bytes stay 47 MB. */
#ifndef GREBE_DATA_NUMBERS_H
#define GREBE_DATA_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../core/export.h"

GB_BEGIN_DECLS

/* The types, with the type of C and a name for messages. */
#define GB_NUMBER_LIST(do_)                                                                                  \
    do_(GB_NUMBER_DOUBLE, double, "double") do_(GB_NUMBER_FLOAT, float, "float")                             \
        do_(GB_NUMBER_UINT8, uint8_t, "uint8") do_(GB_NUMBER_INT8, int8_t, "int8")                           \
            do_(GB_NUMBER_INT16, int16_t, "int16") do_(GB_NUMBER_UINT16, uint16_t, "uint16")                 \
                do_(GB_NUMBER_INT32, int32_t, "int32") do_(GB_NUMBER_UINT32, uint32_t, "uint32")             \
                    do_(GB_NUMBER_INT64, int64_t, "int64") do_(GB_NUMBER_UINT64, uint64_t, "uint64")

/* The types of numbers in memory and in files. */
typedef enum gb_number {
#define GB_NUMBER_CODE(code, type, name) code,
    GB_NUMBER_LIST(GB_NUMBER_CODE)
#undef GB_NUMBER_CODE
} gb_number;

/* Returns the bytes of one number, and the name of a type. 0 and "unknown" for other values. */
GB_API size_t gb_number_bytes(gb_number type);
GB_API const char *gb_number_name(gb_number type);

/* Borrowed: the memory stays the caller's, and must stay valid as long as something reads it. {0} has no
 * numbers, as those of a table or an array that could not be read. */
typedef struct gb_numbers {
    gb_number type;
    const void *at;
    size_t count; /* how many there are; 0: not known, and not checked */
    double scale; /* a number stands for scale · (what is stored) + shift; 0: 1 */
    double shift;
    /* If `columns` is not 0, number i stands for that less mean[i % columns], over sd[i % columns]:
     * gb_standard_numbers. Borrowed. */
    size_t columns;
    const double *mean, *sd;
} gb_numbers;

/* Each takes a pointer of its own type only, so the compiler rejects another. The count is not known. */
GB_API gb_numbers gb_doubles(const double *values);
GB_API gb_numbers gb_floats(const float *values);
GB_API gb_numbers gb_bytes(const uint8_t *values);
GB_API gb_numbers gb_int32s(const int32_t *values);
GB_API gb_numbers gb_int64s(const int64_t *values);

/* Any type, with the count. */
GB_API gb_numbers gb_numbers_of(gb_number type, const void *values, size_t count);

/* Returns the same numbers, each of which then stands for scale · x + shift. The scale is not 0, and the
 * numbers are not standardised. */
GB_API gb_numbers gb_numbers_scaled(gb_numbers numbers, double scale, double shift);

/* Returns number `index` as a double, scaled; NaN without numbers. Integers above 2^53 are rounded. */
GB_API double gb_numbers_at(gb_numbers numbers, size_t index);

/* Some rows of a data set, counted from 0. Borrowed too. {0}: all rows. */
typedef struct gb_rows {
    size_t count;
    const int64_t *row;
} gb_rows;
GB_API gb_rows gb_rows_of(size_t count, const int64_t *rows);

GB_END_DECLS
#endif
