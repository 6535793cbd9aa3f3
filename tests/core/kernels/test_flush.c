/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Subnormal numbers: kept, or taken for 0 where the tape says so. */
#include "support/close.h"

#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/reduce.h"

#if defined(__x86_64__) || defined(__aarch64__)
static const bool can = true;
#else
static const bool can = false;
#endif

static bool keeps_subnormals(void)
{
    volatile double least = 0x1p-1022;
    volatile float least_float = 0x1p-126f;
    return least / 2 > 0 && least_float / 2 > 0;
}

/* The sum of many halves of the least normal number, on so many threads, and of
 * a product of matrices of such numbers. */
static void sums(gb_real real, int threads, bool flush, double *of_halves, double *of_products)
{
    enum { COUNT = 200000, SIDE = 40 };
    const double least = real == GB_FLOAT ? 0x1p-126 : 0x1p-1022;
    gb_tape *t = gb_tape_new(.real = real, .threads = threads, .flush_subnormals = flush);
    const gb_node x = gb_variable(t, "x", gb_shape(COUNT), gb_fill(least));
    const gb_node a = gb_variable(t, "a", gb_shape(SIDE, SIDE), gb_fill(least / 4));
    const gb_node b = gb_variable(t, "b", gb_shape(SIDE, SIDE), gb_fill(0x1p+20));
    const gb_node halves = gb_sum(gb_scale(gb_scale(x, 0.5), 0x1p+40)), products = gb_sum(gb_matmul(a, b));
    assert_int_equal(gb_run(gb_compile(t, gb_roots(halves, products), gb_no_update)), GB_OK);
    *of_halves = gb_value(halves) / (COUNT * 0x1p+40 * least);
    *of_products = gb_value(products) / (SIDE * SIDE * SIDE * 0x1p+20 * least);
    gb_tape_free(t);
}

TEST(subnormal_numbers_are_numbers)
{
    double halves, products;
    for (int real = GB_DOUBLE; real <= GB_FLOAT; real++) {
        sums((gb_real)real, 2, false, &halves, &products);
        assert_close(halves, 0.5, 1e10);
        assert_close(products, 0.25, 1e10);
    }
}

TEST(they_are_0_where_the_tape_says_so_on_every_thread)
{
    double halves, products;
    for (int real = GB_DOUBLE; real <= GB_FLOAT; real++)
        for (int threads = 1; threads <= 3; threads++) {
            sums((gb_real)real, threads, true, &halves, &products);
            assert_true(!can || (halves == 0 && products == 0));
            assert_true(keeps_subnormals());
        }
}

TEST(a_run_that_fails_leaves_the_caller_its_subnormals, .flush_subnormals = true)
{
    const gb_node x = gb_variable(t, "x", gb_shape(), gb_fill(-1));
    assert_int_equal(gb_run(gb_compile(t, gb_roots(x), gb_assign(x, gb_log(x)))), GB_ENONFINITE);
    assert_true(keeps_subnormals());
}
