/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "data/numbers/numbers_impl.h"

/* The number of types. */
enum {
#define COUNT(code, type, name) +1
    TYPES = 0 GB_NUMBER_LIST(COUNT)
#undef COUNT
};

size_t gb_number_bytes(gb_number type)
{
#define SIZE(code, type, name) sizeof(type),
    static const uint8_t sizes[] = {GB_NUMBER_LIST(SIZE)};
#undef SIZE
    return (unsigned)type < TYPES ? sizes[type] : 0;
}

const char *gb_number_name(gb_number type)
{
#define NAME(code, type, name) name,
    static const char *const names[] = {GB_NUMBER_LIST(NAME)};
#undef NAME
    return (unsigned)type < TYPES ? names[type] : "unknown";
}

gb_numbers gb_numbers_of(gb_number type, const void *values, size_t count)
{
    return (gb_numbers){.type = type, .at = values, .count = count, .scale = 1};
}

gb_numbers gb_numbers_scaled(gb_numbers numbers, double scale, double shift)
{
    numbers.shift = scale * numbers.shift + shift;
    const bool can = (scale < 0 || scale > 0) && numbers.columns == 0;
    numbers.scale = can ? scale * gb_numbers_scale(numbers) : (double)NAN;
    return numbers;
}

gb_numbers gb_doubles(const double *values)
{
    return gb_numbers_of(GB_NUMBER_DOUBLE, values, 0);
}

gb_numbers gb_floats(const float *values)
{
    return gb_numbers_of(GB_NUMBER_FLOAT, values, 0);
}

gb_numbers gb_bytes(const uint8_t *values)
{
    return gb_numbers_of(GB_NUMBER_UINT8, values, 0);
}

gb_numbers gb_int32s(const int32_t *values)
{
    return gb_numbers_of(GB_NUMBER_INT32, values, 0);
}

gb_numbers gb_int64s(const int64_t *values)
{
    return gb_numbers_of(GB_NUMBER_INT64, values, 0);
}

static double stored(gb_numbers numbers, size_t index)
{
    switch (numbers.type) {
#define AT(code, type, name)                                                                                 \
    case code: return (double)((const type *)numbers.at)[index];
        GB_NUMBER_LIST(AT)
#undef AT
    }
    return (double)NAN;
}

double gb_numbers_at(gb_numbers numbers, size_t index)
{
    if (!numbers.at)
        return (double)NAN;
    double x = stored(numbers, index);
    if (gb_numbers_are_scaled(numbers))
        x = gb_numbers_scale(numbers) * x + numbers.shift;
    if (numbers.columns == 0)
        return x;
    const size_t column = index % numbers.columns;
    return (x - numbers.mean[column]) / numbers.sd[column];
}

gb_rows gb_rows_of(size_t count, const int64_t *rows)
{
    return (gb_rows){.count = count, .row = rows};
}
