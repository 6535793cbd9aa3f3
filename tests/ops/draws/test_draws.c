/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Noise as nodes: shapes and hidden axes, laws, and independence. (Their
 * kernels: tests/core/kernels/test_philox.c.) */
#include "support/close.h"

#include "core/gradient.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

enum { COUNT = 100000 };
static double a[COUNT], b[COUNT];

static double mean_of(const double *x)
{
    double sum = 0;
    for (int i = 0; i < COUNT; i++)
        sum += x[i];
    return sum / COUNT;
}

static double product_of(const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < COUNT; i++)
        sum += x[i] * y[i];
    return sum / COUNT;
}

TEST(draws_have_the_shape_and_axes_that_were_asked_for, .samples = 4)
{
    const gb_node z = gb_normal_noise(gb_stream(t, "z"), gb_shape(2, 3), GB_SAMPLES);
    const gb_node m = gb_bernoulli_noise(gb_stream(t, "m"), gb_shape(2, 3), 0,
                                         gb_constant(t, gb_shape(3), GB_VALUES(0, 1, 0.5)));
    double mask[6];
    assert_true(gb_shape_same(gb_node_shape(z), gb_shape(2, 3)));
    assert_int_equal(gb_node_axes(z), GB_SAMPLES);
    assert_int_equal(gb_value_count(z), 24);
    assert_int_equal(gb_node_axes(m), 0);
    gb_read(m, mask, 6);
    for (int i = 0; i < 6; i++)
        assert_true(i % 3 == 0 ? mask[i] == 0 : i % 3 == 1 ? mask[i] == 1 : mask[i] == 0 || mask[i] == 1);
}

TEST(noise_has_no_gradient)
{
    const gb_node p = gb_variable(t, "p", gb_shape(), gb_fill(0.5));
    const gb_node m = gb_bernoulli_noise(gb_stream(t, "m"), gb_shape(5), 0, p);
    assert_values(gb_grad(gb_sum(m), p), 0);
    assert_values(gb_grad(gb_sum(gb_mul(m, p)), p), gb_value(gb_sum(m)));
    assert_fine(t);
}

TEST(draws_follow_their_laws)
{
    for (int real = 0; real < 2; real++) {
        gb_tape *const tape = test_tape(.seed = 8, .real = real ? GB_FLOAT : GB_DOUBLE, .threads = 2);
        const double bound = 5 / sqrt(COUNT);
        gb_read(gb_normal_noise(gb_stream(tape, "z"), gb_shape(COUNT), 0), a, COUNT);
        assert_true(fabs(mean_of(a)) < bound);
        assert_true(fabs(product_of(a, a) - 1) < sqrt(2) * bound);
        gb_read(gb_uniform_noise(gb_stream(tape, "u"), gb_shape(COUNT), 0), a, COUNT);
        for (int i = 0; i < COUNT; i++)
            assert_true(a[i] > 0 && a[i] < 1);
        assert_true(fabs(mean_of(a) - 0.5) < bound);
        assert_true(fabs(product_of(a, a) - 1. / 3) < bound);
        gb_read(gb_bernoulli_noise(gb_stream(tape, "m"), gb_shape(COUNT), 0, gb_num(tape, 0.3)), a, COUNT);
        assert_true(fabs(mean_of(a) - 0.3) < bound);
    }
}

/* Reads two arrays of draws, and asserts that they are not correlated. */
static void assert_independent(gb_node x, gb_node y)
{
    gb_read(x, a, COUNT);
    gb_read(y, b, COUNT);
    assert_memory_not_equal(a, b, sizeof a);
    assert_true(fabs(product_of(a, b)) < 5 / sqrt(COUNT));
}

TEST(draws_of_one_stream_of_two_streams_and_of_two_seeds_are_independent, .threads = 2, .seed = 8)
{
    gb_tape *const other = test_tape(.seed = 9, .threads = 2);
    const gb_noise z = gb_stream(t, "z");
    const gb_node first = gb_normal_noise(z, gb_shape(COUNT), 0);
    assert_independent(first, gb_normal_noise(z, gb_shape(COUNT), 0));
    assert_independent(first, gb_normal_noise(gb_stream(t, "zz"), gb_shape(COUNT), 0));
    assert_independent(first, gb_normal_noise(gb_stream(t, "y"), gb_shape(COUNT), 0)); /* as long a name */
    assert_independent(first, gb_normal_noise(gb_stream(other, "z"), gb_shape(COUNT), 0));
}

TEST(draws_of_neighbouring_steps_are_independent, .threads = 2, .seed = 8)
{
    const gb_node z = gb_normal_noise(gb_stream(t, "z"), gb_shape(COUNT), 0);
    gb_program *p = gb_compile(t, gb_roots(z), gb_no_update);
    gb_run(p);
    gb_read(z, a, COUNT);
    gb_run(p);
    gb_read(z, b, COUNT);
    assert_true(fabs(product_of(a, b)) < 5 / sqrt(COUNT));
}

/* After a reset, the same recording draws the same. */
TEST(the_same_recording_draws_the_same_again, .seed = 8)
{
    for (int again = 0; again < 2; again++) {
        const gb_noise z = gb_stream(t, "z");
        gb_uniform_noise(z, gb_shape(), 0);
        gb_read(gb_normal_noise(z, gb_shape(100), 0), again ? b : a, 100);
        gb_tape_reset(t);
    }
    assert_memory_equal(a, b, 100 * sizeof *a);
}
