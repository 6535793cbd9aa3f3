/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/tape/values_impl.h"

#include <math.h>

gb_values gb_values_of(const double *data, size_t count)
{
    return (gb_values){.data = data, .count = count};
}

gb_values gb_fill(double value)
{
    return (gb_values){.fill = value};
}

void gb_store_value(const gb_tape *tape, gb_type type, void *to, size_t i, double x)
{
    const bool wide = tape->options.real == GB_DOUBLE;
    const double whole = type == GB_TYPE_BOOL ? -(double)(x != 0) : x;
    if (type == GB_TYPE_REAL && wide)
        ((double *)to)[i] = x;
    else if (type == GB_TYPE_REAL)
        ((float *)to)[i] = (float)x;
    else if (wide)
        ((int64_t *)to)[i] = (int64_t)whole;
    else
        ((int32_t *)to)[i] = (int32_t)whole;
}

void gb_store_values(const gb_tape *tape, gb_type type, void *to, size_t count, gb_values values)
{
    const size_t filled = count == 1 ? GB_LINE_BYTES / gb_width(tape) : count;
    for (size_t i = 0; i < filled; i++)
        gb_store_value(tape, type, to, i, values.data ? values.data[count == 1 ? 0 : i] : values.fill);
}

size_t gb_first_too_large(const gb_tape *tape, size_t count, const double *values)
{
    size_t i = tape->options.real == GB_DOUBLE ? count : 0;
    while (i < count && (isinf(values[i]) || !isinf((float)values[i])))
        i++;
    return i;
}

void gb_load_values(const gb_tape *tape, gb_type type, const void *from, size_t count, double *values)
{
    const bool wide = tape->options.real == GB_DOUBLE;
    for (size_t i = 0; i < count; i++) {
        if (type == GB_TYPE_REAL)
            values[i] = wide ? ((const double *)from)[i] : (double)((const float *)from)[i];
        else
            values[i] = wide ? (double)((const int64_t *)from)[i] : (double)((const int32_t *)from)[i];
        if (type == GB_TYPE_BOOL)
            values[i] = values[i] != 0; /* true is −1 in memory: all bits */
    }
}
