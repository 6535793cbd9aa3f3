/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/numbers/convert_impl.h"

#include <float.h>
#include <math.h>

/* A loop for each pair of types, so that the compiler makes vectors of it. */
#define LOOP(from_type, to_type)                                                                             \
    static size_t from_type##_to_##to_type(const void *from, void *to, size_t count, bool is_scaled,         \
                                           double scale, double shift)                                       \
    {                                                                                                        \
        const from_type *const x = from;                                                                     \
        to_type *const y = to;

#define TO_REAL(from_type, to_type)                                                                          \
    LOOP(from_type, to_type)                                                                                 \
    for (size_t i = 0; is_scaled && i < count; i++)                                                          \
        y[i] = (to_type)(scale * (double)x[i] + shift);                                                      \
    for (size_t i = 0; !is_scaled && i < count; i++)                                                         \
        y[i] = (to_type)x[i];                                                                                \
    return count;                                                                                            \
    }

/* Of reals, those that are integers. */
#define INTEGER_OF(to_type, beyond)                                                                          \
    static bool to_type##_of(double number, to_type *to)                                                     \
    {                                                                                                        \
        const bool fits = number >= -(beyond) && number < (beyond);                                          \
        *to = fits ? (to_type)number : 0;                                                                    \
        return fits && !((double)*to < number || (double)*to > number);                                      \
    }
INTEGER_OF(int64_t, 0x1p63)
INTEGER_OF(int32_t, 0x1p31)

#define REAL_TO(from_type, to_type)                                                                          \
    LOOP(from_type, to_type)                                                                                 \
    for (size_t i = 0; i < count; i++)                                                                       \
        if (!to_type##_of(is_scaled ? scale * (double)x[i] + shift : (double)x[i], &y[i]))                   \
            return i;                                                                                        \
    return count;                                                                                            \
    }

/* Signed numbers that come back are the same; unsigned ones may have become negative besides. */
#define INTEGER_TO(from_type, to_type, is_wrong)                                                             \
    LOOP(from_type, to_type)                                                                                 \
    for (size_t i = 0; i < count; i++) {                                                                     \
        y[i] = (to_type)x[i];                                                                                \
        const bool is_good = is_scaled ? to_type##_of(scale * (double)x[i] + shift, &y[i])                   \
                                       : (from_type)y[i] == x[i] && !(is_wrong);                             \
        if (!is_good)                                                                                        \
            return i;                                                                                        \
    }                                                                                                        \
    return count;                                                                                            \
    }
#define SIGNED_TO(from_type, to_type) INTEGER_TO(from_type, to_type, false)
#define UNSIGNED_TO(from_type, to_type) INTEGER_TO(from_type, to_type, y[i] < 0)

/* clang-format off */
#define FROM_REALS(do_, to_type) do_(double, to_type) do_(float, to_type)
#define FROM_SIGNED(do_, to_type)                                                                            \
    do_(int8_t, to_type) do_(int16_t, to_type) do_(int32_t, to_type) do_(int64_t, to_type)
#define FROM_UNSIGNED(do_, to_type)                                                                          \
    do_(uint8_t, to_type) do_(uint16_t, to_type) do_(uint32_t, to_type) do_(uint64_t, to_type)

FROM_REALS(TO_REAL, double) FROM_SIGNED(TO_REAL, double) FROM_UNSIGNED(TO_REAL, double)
FROM_REALS(TO_REAL, float) FROM_SIGNED(TO_REAL, float) FROM_UNSIGNED(TO_REAL, float)
FROM_REALS(REAL_TO, int64_t) FROM_SIGNED(SIGNED_TO, int64_t) FROM_UNSIGNED(UNSIGNED_TO, int64_t)
FROM_REALS(REAL_TO, int32_t) FROM_SIGNED(SIGNED_TO, int32_t) FROM_UNSIGNED(UNSIGNED_TO, int32_t)
    /* clang-format on */

    gb_conversion *gb_conversion_of(gb_number from, gb_number to)
{
    typedef struct conversions {
        gb_conversion *to_double, *to_float, *to_int64, *to_int32;
    } conversions;
#define ROW(code, type, name)                                                                                \
    [code] = {type##_to_double, type##_to_float, type##_to_int64_t, type##_to_int32_t},
    static const conversions rows[] = {GB_NUMBER_LIST(ROW)};
#undef ROW
    if (gb_number_bytes(from) == 0)
        return NULL;
    const conversions *const row = &rows[from];
    return to == GB_NUMBER_DOUBLE  ? row->to_double
           : to == GB_NUMBER_FLOAT ? row->to_float
           : to == GB_NUMBER_INT64 ? row->to_int64
           : to == GB_NUMBER_INT32 ? row->to_int32
                                   : NULL;
}

/* Standardised numbers, in double whatever the type is: 1e9 ± 1e-3 keeps its digits. */
static size_t standardise(gb_numbers v, size_t first, size_t count, gb_number type, char *to)
{
    enum { AT_ONCE = 256 };
    double x[AT_ONCE];
    gb_conversion *const read = gb_conversion_of(v.type, GB_NUMBER_DOUBLE), *const write = gb_conversion_of(
                                                                                GB_NUMBER_DOUBLE, type);
    const bool is_scaled = gb_numbers_scale(v) != 1 || v.shift != 0;
    size_t column = first % v.columns;
    for (size_t done = 0; done < count; done += AT_ONCE) {
        const size_t now = count - done < AT_ONCE ? count - done : AT_ONCE;
        read((const char *)v.at + (first + done) * gb_number_bytes(v.type), x, now, is_scaled,
             gb_numbers_scale(v), v.shift);
        for (size_t i = 0; i < now; i++, column = column + 1 == v.columns ? 0 : column + 1)
            x[i] = (x[i] - v.mean[column]) / v.sd[column];
        const size_t good = write(x, to + done * gb_number_bytes(type), now, false, 1, 0);
        if (good < now)
            return done + good;
    }
    return count;
}

static size_t convert(gb_numbers v, size_t first, size_t count, gb_number type, void *to)
{
    if (v.columns > 0)
        return standardise(v, first, count, type, to);
    return gb_conversion_of(v.type, type)((const char *)v.at + first * gb_number_bytes(v.type), to, count,
                                          gb_numbers_are_scaled(v), gb_numbers_scale(v), v.shift);
}

/* A float is infinite where a finite number was too large. The first is looked for only if there is any: a
 * loop that may end early is no vector loop. */
static size_t first_too_large(gb_numbers v, size_t first, size_t count, const float *y)
{
    uint32_t infinite = 0;
    size_t i = 0;
    for (size_t k = 0; k < count; k++)
        infinite |= fabsf(y[k]) > FLT_MAX;
    while (infinite && i < count && (!isinf(y[i]) || isinf(gb_numbers_at(v, first + i))))
        i++;
    return infinite ? i : count;
}

/* Integers are below 2⁶⁴. */
static bool may_be_too_large(gb_numbers v)
{
    const bool is_real = v.type == GB_NUMBER_DOUBLE || v.type == GB_NUMBER_FLOAT;
    return is_real || v.columns > 0 ||
           !(fabs(gb_numbers_scale(v)) * 0x1p64 + fabs(v.shift) <= (double)FLT_MAX);
}

size_t gb_numbers_convert(gb_numbers v, size_t first, size_t count, gb_number type, void *to)
{
    const size_t good = convert(v, first, count, type, to);
    return type == GB_NUMBER_FLOAT && may_be_too_large(v) ? first_too_large(v, first, good, to) : good;
}
