/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of one elementwise operation on a chosen instruction set, and how far they are off. */
#ifndef GREBE_TESTS_ULPS_H
#define GREBE_TESTS_ULPS_H

#include "support/close.h"

/* |is − should| in units in the last place of `size`, in that type. */
static inline double ulps_off(double is, long double should, long double size, gb_real real, double early)
{
    const double largest = real == GB_FLOAT ? (double)FLT_MAX : DBL_MAX;
    const int digits = real == GB_FLOAT ? FLT_MANT_DIG : DBL_MANT_DIG;
    const int least = real == GB_FLOAT ? FLT_MIN_EXP : DBL_MIN_EXP;
    const double rounded = real == GB_FLOAT ? (double)(float)should : (double)should;
    int exponent;
    if (isnan(should) || isnan(is))
        return isnan(should) && isnan(is) ? 0 : INFINITY;
    if (isinf(rounded) || isinf(is)) { /* next to the largest number both are right */
        const long double from = (long double)largest * (1 - (long double)early - ldexpl(1, 1 - digits));
        return is == rounded || (fabsl(should) > from && fabs(is) >= largest) ? 0 : INFINITY;
    }
    frexpl(size, &exponent);
    if (exponent < least)
        exponent = least;
    return (double)(fabsl((long double)is - should) / ldexpl(1, exponent - digits));
}

static const char *const isa_name[] = {"baseline", "avx2", "avx512"};

/* op(x, y) of `count` numbers, as this instruction set computes it. */
static inline void compute(const gb_op *op, const char *isa, gb_real real, size_t count, const double *x,
                           const double *y, double *result)
{
    setenv("GREBE_ISA", isa, 1);
    gb_tape *t = gb_tape_new(.real = real, .threads = 1);
    unsetenv("GREBE_ISA");
    const gb_node arg[] = {gb_input(t, "x", gb_shape((int64_t)count)),
                           gb_input(t, "y", gb_shape((int64_t)count))};
    gb_feed(arg[0], x, 1);
    gb_feed(arg[1], y, 1);
    const gb_node node = gb_apply(NULL, op, op->arguments, arg, NULL, 0);
    gb_read(node, result, count);
    assert_fine(t);
    gb_tape_free(t);
}

#endif
