/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums, maxima and logsumexp of arrays of all sizes and axes, against plain loops in long double. */
#include "support/close.h"

#include <stdio.h>

#include "core/gradient.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

/* ---- the plain way ---- */

/* x of [outer, reduced, inner] elements. */
typedef struct problem {
    size_t outer, reduced, inner;
    const double *x;
} problem;

static long double element(const problem *p, size_t o, size_t r, size_t i)
{
    return p->x[(o * p->reduced + r) * p->inner + i];
}

typedef struct plain {
    long double sum, size, maximum, logsumexp; /* size: Σ |x| */
} plain;

static plain reduce_plainly(const problem *p, size_t o, size_t i)
{
    plain result = {.maximum = -INFINITY};
    long double total = 0;
    for (size_t r = 0; r < p->reduced; r++) {
        const long double x = element(p, o, r, i);
        result.sum += x;
        result.size += fabsl(x);
        result.maximum = isnan(x) || x > result.maximum ? x : result.maximum;
    }
    for (size_t r = 0; r < p->reduced; r++)
        total += expl(element(p, o, r, i) - (isinf(result.maximum) ? 0 : result.maximum));
    result.logsumexp = logl(total) + (isinf(result.maximum) ? 0 : result.maximum);
    return result;
}

/* ---- one case ---- */

static double result[3][400000], values[1000000];
static const char *const name_of[] = {"sum", "maximum", "logsumexp"};

static void assert_result(double is, long double should, double allowed, const char *name, const problem *p,
                          size_t at)
{
    if (isnan(should) ? isnan(is) : is == (double)should || fabs(is - (double)should) <= allowed)
        return;
    fail_msg("%s of %zu × %zu × %zu, element %zu: %.17g, not %.17Lg", name, p->outer, p->reduced, p->inner,
             at, is, should);
}

/* The three reductions along the middle axis, in the order of memory, or moved there by a view. */
static void check(gb_real real, size_t outer, size_t reduced, size_t inner, bool fused)
{
    const size_t count = outer * reduced * inner;
    for (size_t i = 0; i < count; i++)
        values[i] = (double)(float)sin((double)i * 1.7 + 0.1);
    const problem p = {.outer = outer, .reduced = reduced, .inner = inner, .x = values};
    gb_tape *t = gb_tape_new(.real = real);
    const gb_shape shape = gb_shape((int64_t)outer, (int64_t)reduced, (int64_t)inner);
    const gb_node in = gb_input(t, "x", shape), x = fused ? gb_neg(gb_neg(in)) : in;
    gb_feed(in, values, 1);
    const gb_node roots[] = {gb_sum_along(x, gb_axis(1)), gb_maximum_along(x, gb_axis(1)),
                             gb_logsumexp_along(x, gb_axis(1))};
    gb_program *program = gb_compile(t, (gb_node_list){.count = 3, .node = roots}, gb_no_update);
    gb_run(program);
    for (int k = 0; k < 3; k++)
        gb_read(roots[k], result[k], outer * inner);
    assert_fine(t);
    const double epsilon = real == GB_FLOAT ? (double)FLT_EPSILON : DBL_EPSILON;
    for (size_t o = 0; o < outer; o++)
        for (size_t i = 0; i < inner; i++) {
            const size_t at = o * inner + i;
            const plain should = reduce_plainly(&p, o, i);
            /* double: 2n ε Σ|x| would be the worst case of any order;
             * float: one rounding of a sum of doubles */
            const double sum = real == GB_FLOAT
                                   ? fabs((double)should.sum) * epsilon + 1e-13 * (double)should.size
                                   : 8 * epsilon * (double)should.size;
            assert_result(result[0][at], should.sum, sum, name_of[0], &p, at);
            assert_result(result[1][at], should.maximum, 0, name_of[1], &p, at);
            assert_result(result[2][at], should.logsumexp,
                          16 * epsilon * (1 + fabs((double)should.logsumexp)), name_of[2], &p, at);
        }
    gb_tape_free(t);
}

TEST(reductions_of_all_sizes_are_those_of_plain_loops)
{
    static const size_t sizes[][3] = {
        {1, 1, 1},      {1, 7, 1},      {5, 3, 1},     {1, 3, 5},     {3, 4, 5},     {300, 3, 1},
        {1000, 7, 1},   {64, 64, 1},    {17, 257, 1},  {3, 4097, 1},  {2, 9000, 1},  {1, 300000, 1},
        {150000, 2, 1}, {100000, 3, 1}, {1, 3, 2047},  {1, 3, 2048},  {1, 3, 2049},  {2, 5, 3000},
        {1, 40, 5000},  {3, 2, 10001},  {7, 100, 3},   {1, 1000, 10}, {20, 30, 100}, {1, 300, 1000},
        {4096, 1, 1},   {1, 1, 5000},   {1, 4096, 1},  {1, 4095, 1},  {1, 8193, 1},  {9, 511, 2},
        {2, 2, 2500},   {50, 2, 1100},  {33, 129, 1},  {256, 256, 1}, {1, 256, 256}, {257, 1, 257},
        {5, 16, 1024},  {5, 16, 1025},  {1, 2, 100000}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int real = 0; real < 2; real++)
            check(real ? GB_FLOAT : GB_DOUBLE, sizes[i][0], sizes[i][1], sizes[i][2], i % 2);
}

TEST(reductions_of_random_sizes_are_those_of_plain_loops)
{
    uint64_t random = 12345;
    for (int i = 0; i < 200; i++) {
        size_t size[3];
        for (int k = 0; k < 3; k++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            const unsigned scale = (unsigned)(random >> 60) % 4;
            size[k] = 1 + (size_t)(random >> 33) % (scale == 0 ? 2 : scale == 1 ? 9 : scale == 2 ? 70 : 700);
        }
        if (size[0] * size[1] * size[2] <= 300000)
            check(i % 3 ? GB_DOUBLE : GB_FLOAT, size[0], size[1], size[2], i % 2);
    }
}

/* ---- several axes ---- */

TEST(any_set_of_axes_can_be_summed)
{
    enum { A = 3, B = 4, C = 5, D = 2, COUNT = A * B * C * D };
    double x[COUNT];
    for (int i = 0; i < COUNT; i++)
        x[i] = i * i % 17 - 8;
    const gb_node v = gb_variable(t, "x", gb_shape(A, B, C, D), gb_values_of(x, COUNT));
    for (unsigned set = 1; set < 16; set++) {
        static const int size[] = {A, B, C, D};
        double should[COUNT] = {0}, is[COUNT];
        gb_axis_list axes = {0};
        for (int axis = 0; axis < 4; axis++)
            if (set >> axis & 1u)
                axes.axis[axes.count++] = axis % 2 ? axis : axis - 4;
        size_t count = 1;
        for (int i = 0; i < COUNT; i++) {
            int rest = i, place = 0, step = 1;
            for (int axis = 3; axis >= 0; rest /= size[axis], axis--)
                if (!(set >> axis & 1u)) {
                    place += rest % size[axis] * step;
                    step *= size[axis];
                }
            should[place] += x[i];
            count = (size_t)step;
        }
        const gb_node sum = gb_sum_along(v, axes);
        assert_int_equal(gb_read(sum, is, count), GB_OK);
        assert_memory_equal(is, should, count * sizeof *is);
        for (int i = 0; i < axes.count; i++) /* the same of a view */
            axes.axis[i] = 3 - (axes.axis[i] + 4) % 4;
        const gb_node turned = gb_sum_along(gb_transpose(v, gb_axis()), axes);
        assert_int_equal(gb_read(gb_transpose(turned, gb_axis()), is, count), GB_OK);
        assert_memory_equal(is, should, count * sizeof *is);
    }
}

/* ---- precision ---- */

TEST(ten_million_floats_are_summed_in_double, .threads = 2, .real = GB_FLOAT)
{
    enum { COUNT = 10000000 };
    const gb_node one = gb_input(t, "one", gb_shape());
    gb_feed(one, (const double[]){0.1}, 1);
    const gb_node many = gb_exp(gb_broadcast(gb_log(one), gb_shape(COUNT / 4, 4)));
    const double rounded = (double)(float)exp((double)logf(0.1f));
    const gb_node sum = gb_sum(many), columns = gb_sum(gb_sum_along(many, gb_axis(0))), mean = gb_mean(many);
    gb_program *p = gb_compile(t, gb_roots(sum, columns, mean), gb_no_update);
    assert_int_equal(gb_run(p), GB_OK);
    assert_true(fabs(gb_value(sum) / (COUNT * rounded) - 1) < 4 * (double)FLT_EPSILON);
    assert_true(fabs(gb_value(columns) / (COUNT * rounded) - 1) < 4 * (double)FLT_EPSILON);
    assert_true(fabs(gb_value(mean) / rounded - 1) < 4 * (double)FLT_EPSILON);
}

TEST(a_large_number_does_not_swallow_small_ones_of_a_float_tape, .real = GB_FLOAT)
{
    enum { COUNT = 1000 };
    double x[COUNT];
    for (int i = 0; i < COUNT; i++)
        x[i] = i == 0 ? 0x1p30 : i == COUNT - 1 ? -0x1p30 : 1;
    const gb_node v = gb_variable(t, "x", gb_shape(COUNT), gb_values_of(x, COUNT));
    assert_values(gb_sum(v), COUNT - 2);
}

/* ---- what is not a plain number ---- */

TEST(infinities_and_nan_go_through_as_they_should)
{
    for (int real = 0; real < 2; real++)
        for (size_t count = 1; count < 1200; count = count * 3 + 1)
            for (size_t place = 0; place < count; place += 1 + count / 5) {
                gb_tape *const tape = test_tape(.real = real ? GB_FLOAT : GB_DOUBLE);
                double *x = calloc(count, sizeof *x);
                const gb_node in = gb_input(tape, "x", gb_shape((int64_t)count));
                const gb_node sum = gb_sum(in), max = gb_maximum(in), lse = gb_logsumexp(in);
                gb_program *p = gb_compile(tape, gb_roots(sum, max, lse), gb_no_update);
                x[place] = NAN;
                gb_feed(in, x, 1);
                gb_run(p);
                assert_true(isnan(gb_value(sum)) && isnan(gb_value(max)) && isnan(gb_value(lse)));
                x[place] = INFINITY;
                gb_feed(in, x, 1);
                gb_run(p);
                assert_true(gb_value(sum) == INFINITY && gb_value(max) == INFINITY &&
                            gb_value(lse) == INFINITY);
                x[place] = -INFINITY;
                gb_feed(in, x, 1);
                gb_run(p);
                assert_true(gb_value(sum) == -INFINITY);
                assert_true(gb_value(max) == (count > 1 ? 0 : -INFINITY));
                assert_true(fabs(gb_value(lse) - log((double)count - 1)) < (real ? 1e-6 : 1e-14) ||
                            count == 1);
                for (size_t i = 0; i < count; i++)
                    x[i] = -INFINITY;
                gb_feed(in, x, 1);
                gb_run(p);
                assert_true(gb_value(max) == -INFINITY && gb_value(lse) == -INFINITY);
                free(x);
            }
}

TEST(of_nothing_a_sum_is_0_a_mean_nan_and_logsumexp_minus_infinity, .samples = 2)
{
    const gb_node none = gb_variable(t, "none", gb_shape(2, 0), gb_fill(0)),
                  x = gb_input_rows(t, "x", gb_shape(2));
    gb_feed(x, NULL, 0);
    const gb_node sums = gb_sum_over(x, GB_ROWS), means = gb_mean_over(x, GB_ROWS),
                  largest = gb_maximum_over(x, GB_ROWS);
    const gb_node logs = gb_logsumexp_over(x, GB_ROWS);
    assert_values(gb_sum_along(none, gb_axis(1)), 0, 0);
    assert_values(gb_sum(none), 0);
    assert_values(gb_mean(none), NAN);
    assert_int_equal(gb_value_count(gb_sum_along(none, gb_axis(0))), 0);
    assert_int_equal(gb_value_count(gb_grad(gb_sum(none), none)), 0);
    assert_values(sums, 0, 0);
    assert_values(means, NAN, NAN);
    assert_values(largest, -INFINITY, -INFINITY);
    assert_values(logs, -INFINITY, -INFINITY);
    assert_fine(t);
}

TEST(what_does_not_vary_along_a_hidden_axis_counts_as_constant_along_it, .samples = 5)
{
    const gb_node x = gb_variable(t, "x", gb_shape(2), GB_VALUES(1, 2));
    assert_values(gb_sum_over(x, GB_SAMPLES), 5, 10);
    assert_values(gb_mean_over(x, GB_SAMPLES), 1, 2);
    assert_values(gb_maximum_over(x, GB_SAMPLES), 1, 2);
    assert_values(gb_logsumexp_over(x, GB_SAMPLES), 1 + log(5), 2 + log(5));
    assert_values(gb_grad(gb_sum(gb_sum_over(x, GB_SAMPLES)), x), 5, 5);
    const gb_node index = gb_axis_index(t, GB_SAMPLES);
    assert_values(gb_leave_one_out_mean(index, GB_SAMPLES), 2.5, 2.25, 2, 1.75, 1.5);
    assert_values(gb_select(gb_mul(index, x), GB_SAMPLES, 3), 3, 6);
}

/* A large number that all elements share, exact in a float, changes neither probabilities nor gradients. */
TEST(softmax_keeps_its_digits_beside_a_common_part)
{
    static const double common[] = {0, 1e4, -1e4, 0x1p21, -0x1p21, -0x1p100}, apart[] = {0, 1, 0.5, -3};
    enum { COUNT = sizeof apart / sizeof *apart };
    for (size_t k = 0; k < 2 * (sizeof common / sizeof *common); k++) {
        gb_tape *const tape = test_tape(.real = k % 2 ? GB_FLOAT : GB_DOUBLE);
        const double epsilon = k % 2 ? (double)FLT_EPSILON : DBL_EPSILON;
        double x[COUNT], is[3][COUNT], sum = 0;
        for (size_t i = 0; i < COUNT; i++) {
            const double rest = fabs(common[k / 2]) > 1e9 ? 0 : apart[i];
            x[i] = common[k / 2] + rest;
            sum += exp(rest);
        }
        const gb_node in = gb_variable(tape, "x", gb_shape(COUNT), gb_values_of(x, COUNT));
        const gb_node p = gb_softmax(in, 0), log_p = gb_log_softmax(in, 0);
        const gb_node slope = gb_grad(gb_logsumexp(in), in);
        assert_int_equal(gb_read(p, is[0], COUNT), GB_OK);
        assert_int_equal(gb_read(log_p, is[1], COUNT), GB_OK);
        assert_int_equal(gb_read(slope, is[2], COUNT), GB_OK);
        for (size_t i = 0; i < COUNT; i++) {
            const double should = exp(x[i] - common[k / 2]) / sum;
            assert_near(is[0][i], should, 16 * epsilon * should);
            assert_near(is[1][i], log(should), 16 * epsilon * (1 + fabs(log(should))));
            assert_near(is[2][i], should, 16 * epsilon * should);
        }
    }
}
