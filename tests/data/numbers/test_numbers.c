/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers of any type, and what they become on a tape. */
#include "support/close.h"

#include "data/numbers/convert_impl.h"

TEST(types_have_names_and_sizes)
{
    assert_int_equal(gb_number_bytes(GB_NUMBER_DOUBLE), 8);
    assert_int_equal(gb_number_bytes(GB_NUMBER_UINT16), 2);
    assert_string_equal(gb_number_name(GB_NUMBER_UINT64), "uint64");
    assert_int_equal(gb_number_bytes((gb_number)10), 0);
    assert_string_equal(gb_number_name((gb_number)-1), "unknown");
    assert_true(isnan(gb_numbers_at((gb_numbers){0}, 3)));
    const uint8_t byte = 7;
    assert_true(isnan(gb_numbers_at(gb_numbers_of((gb_number)10, &byte, 1), 0)));
}

/* Numbers that only some types have. */
static const double odd[] = {
    0,          1,      -1,     127,   128,   -128,       -129,       255,          256,          32767,
    32768,      -32768, -32769, 65535, 65536, 2147483647, 2147483648, -2147483648., -2147483649., 4294967295,
    4294967296, 0x1p53, 0x1p62, 0.5,   -0.5,  1e300,      -1e300,     0x1p63,       -0x1p63,      0x1p64};
enum { ODD = sizeof odd / sizeof *odd };

/* The limits of integers: [low, beyond). */
static bool is_integer(double x, double low, double beyond)
{
    return x >= low && x < beyond && !(floor(x) < x);
}

/* Stores a number of that type, if it is one. */
static bool store(gb_number type, double x, void *to)
{
    switch (type) {
#define INTEGER(code, c_type, low, beyond)                                                                   \
    case code: *(c_type *)to = is_integer(x, low, beyond) ? (c_type)x : 0; return is_integer(x, low, beyond);
        INTEGER(GB_NUMBER_UINT8, uint8_t, 0, 256)
        INTEGER(GB_NUMBER_INT8, int8_t, -128, 128)
        INTEGER(GB_NUMBER_INT16, int16_t, -32768, 32768)
        INTEGER(GB_NUMBER_UINT16, uint16_t, 0, 65536)
        INTEGER(GB_NUMBER_INT32, int32_t, -0x1p31, 0x1p31)
        INTEGER(GB_NUMBER_UINT32, uint32_t, 0, 0x1p32)
        INTEGER(GB_NUMBER_INT64, int64_t, -0x1p63, 0x1p63)
        INTEGER(GB_NUMBER_UINT64, uint64_t, 0, 0x1p64)
    case GB_NUMBER_DOUBLE: *(double *)to = x; return true;
    case GB_NUMBER_FLOAT: *(float *)to = (float)x; return !((double)(float)x < x) && !((double)(float)x > x);
    }
    return false;
}

typedef union any {
    double d;
    float f;
    int64_t i;
    int32_t j;
    uint64_t u;
} any;

static size_t convert_one(gb_number from, const any *x, gb_number to, any *y)
{
    return gb_conversion_of(from, to)(x, y, 1, false, 1, 0);
}

/* Each number of each type becomes the same number, or is rejected. */
TEST(numbers_become_the_same_numbers_or_are_rejected)
{
    int converted = 0;
    for (int type = GB_NUMBER_DOUBLE; type <= GB_NUMBER_UINT64; type++)
        for (int i = 0; i < ODD; i++) {
            any x, y;
            const double z = odd[i];
            if (!store((gb_number)type, z, &x))
                continue;
            assert_true(gb_numbers_at(gb_numbers_of((gb_number)type, &x, 1), 0) == z);
            assert_int_equal(convert_one((gb_number)type, &x, GB_NUMBER_DOUBLE, &y), 1);
            assert_true(y.d == z);
            assert_int_equal(convert_one((gb_number)type, &x, GB_NUMBER_FLOAT, &y), 1);
            assert_true(y.f == (float)z);
            assert_int_equal(convert_one((gb_number)type, &x, GB_NUMBER_INT64, &y),
                             is_integer(z, -0x1p63, 0x1p63));
            assert_true(!is_integer(z, -0x1p63, 0x1p63) || (double)y.i == z);
            assert_int_equal(convert_one((gb_number)type, &x, GB_NUMBER_INT32, &y),
                             is_integer(z, -0x1p31, 0x1p31));
            assert_true(!is_integer(z, -0x1p31, 0x1p31) || (double)y.j == z);
            converted++;
        }
    assert_int_equal(converted, 156);
    assert_null(gb_conversion_of(GB_NUMBER_INT8, GB_NUMBER_INT8));
    assert_null(gb_conversion_of((gb_number)10, GB_NUMBER_DOUBLE));
}

TEST(integers_of_64_bits_are_exact_and_the_largest_are_rejected)
{
    const int64_t large[] = {INT64_MAX, INT64_MIN, INT64_MAX - 1};
    const uint64_t larger[] = {INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX};
    int64_t y[3];
    assert_int_equal(gb_conversion_of(GB_NUMBER_INT64, GB_NUMBER_INT64)(large, y, 3, false, 1, 0), 3);
    assert_memory_equal(large, y, sizeof y);
    assert_int_equal(gb_conversion_of(GB_NUMBER_UINT64, GB_NUMBER_INT64)(larger, y, 3, false, 1, 0), 1);
    assert_true(y[0] == INT64_MAX);
    assert_int_equal(gb_conversion_of(GB_NUMBER_UINT64, GB_NUMBER_INT64)(larger + 2, y, 1, false, 1, 0), 0);
    const double no_integers[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    for (int i = 0; i < 3; i++)
        assert_int_equal(
            gb_conversion_of(GB_NUMBER_DOUBLE, GB_NUMBER_INT64)(no_integers + i, y, 1, false, 1, 0), 0);
}

TEST(scales_follow_each_other)
{
    const uint8_t bytes[] = {0, 51, 255};
    const gb_numbers once = gb_numbers_scaled(gb_bytes(bytes), 1. / 255, 0);
    const gb_numbers twice = gb_numbers_scaled(gb_numbers_scaled(gb_bytes(bytes), 2, 1), 10, -3);
    assert_true(gb_numbers_at(once, 2) == 1 && gb_numbers_at(once, 0) == 0);
    assert_true(gb_numbers_at(twice, 1) == 10 * (2 * 51 + 1) - 3);
    assert_true(isnan(gb_numbers_at(gb_numbers_scaled(gb_bytes(bytes), 0, 1), 1)));
    double y[3];
    int64_t k[3];
    assert_int_equal(gb_conversion_of(GB_NUMBER_UINT8, GB_NUMBER_DOUBLE)(bytes, y, 3, true, 0.5, -1), 3);
    assert_true(y[0] == -1 && y[1] == 24.5 && y[2] == 126.5);
    assert_int_equal(gb_conversion_of(GB_NUMBER_UINT8, GB_NUMBER_INT64)(bytes, k, 3, true, 1, -1), 3);
    assert_true(k[0] == -1 && k[2] == 254);
    assert_int_equal(gb_conversion_of(GB_NUMBER_UINT8, GB_NUMBER_INT64)(bytes, k, 3, true, 0.5, 0), 1);
}

TEST(a_negative_zero_stays_one_unless_it_is_scaled)
{
    const double zero = -0.0;
    double y;
    gb_conversion_of(GB_NUMBER_DOUBLE, GB_NUMBER_DOUBLE)(&zero, &y, 1, false, 1, 0);
    assert_true(signbit(y));
    assert_true(signbit(gb_numbers_at(gb_doubles(&zero), 0)));
}
