/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws with parameters: how these broadcast, and that a draw depends on its
 * element's index and parameters alone. */
#include "support/close.h"

#include "core/gradient.h"
#include "ops/array.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

enum { LONGEST = 150000 };
static double parameter[LONGEST], whole[LONGEST], part[LONGEST];

/* Every law, of one parameter: shapes, rates, trials or concentrations. */
static gb_node binomial_half(gb_noise noise, gb_shape shape, gb_axes axes, gb_node n)
{
    const gb_node trials = gb_to_real(gb_greater(n, gb_num(n.tape, 1)));
    return gb_binomial_noise(noise, shape, axes, gb_scale(trials, 40), gb_num(n.tape, 0.4));
}

typedef gb_node law_of_one(gb_noise noise, gb_shape shape, gb_axes axes, gb_node x);
static law_of_one *const laws[] = {gb_gamma_noise, gb_log_gamma_noise, gb_poisson_noise, gb_von_mises_noise,
                                   binomial_half};
enum { LAWS = sizeof laws / sizeof *laws };

static const char *const isas[] = {"baseline", "avx2", "avx512"};

static void fill_parameters(void)
{
    for (int i = 0; i < LONGEST; i++)
        parameter[i] = i % 7 == 3 ? 0.4 : 0.25 * (1 + i % 97);
}

/* ---- a draw and its place ---- */

static void draw_with(law_of_one *law, int64_t count, gb_real real, int threads, double *draws)
{
    gb_tape *t = gb_tape_new(.seed = 4, .real = real, .threads = threads);
    const gb_node x = gb_variable(t, "x", gb_shape(count), gb_values_of(parameter, (size_t)count));
    gb_read(law(gb_stream(t, "z"), gb_shape(count), 0, x), draws, (size_t)count);
    assert_fine(t);
    gb_tape_free(t);
}

TEST(a_draw_does_not_depend_on_how_many_there_are)
{
    static const int64_t counts[] = {1, 2, 7, 64, 255, 1000, 5001};
    for (int law = 0; law < LAWS; law++)
        for (gb_real real = GB_DOUBLE; real <= GB_FLOAT; real++) {
            draw_with(laws[law], 9000, real, 1, whole);
            for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
                draw_with(laws[law], counts[i], real, 1, part);
                assert_memory_equal(part, whole, (size_t)counts[i] * sizeof *part);
            }
        }
}

TEST(a_draw_does_not_depend_on_threads)
{
    for (int law = 0; law < LAWS; law++) {
        draw_with(laws[law], LONGEST, GB_DOUBLE, 1, whole);
        for (int threads = 2; threads <= 4; threads += 2) {
            draw_with(laws[law], LONGEST, GB_DOUBLE, threads, part);
            assert_memory_equal(part, whole, sizeof part);
        }
    }
}

/* Up to rounding. A proposal on the very border may be accepted by one
 * and not by another: in float one may be. */
TEST(a_draw_does_not_depend_on_the_instruction_set)
{
    enum { COUNT = 20000 };
    for (int law = 0; law < LAWS; law++)
        for (gb_real real = GB_DOUBLE; real <= GB_FLOAT; real++) {
            draw_with(laws[law], COUNT, real, 1, whole);
            for (size_t isa = 0; isa < 3; isa++) {
                const double tolerance = real == GB_FLOAT ? 1e-5 : 1e-13;
                int others = 0;
                setenv("GREBE_ISA", isas[isa], 1);
                draw_with(laws[law], COUNT, real, 1, part);
                unsetenv("GREBE_ISA");
                for (int i = 0; i < COUNT; i++)
                    others += !(fabs(part[i] - whole[i]) <= tolerance * (1 + fabs(whole[i])));
                assert_true(others <= (real == GB_FLOAT));
            }
        }
}

TEST(a_draw_does_not_depend_on_how_its_parameters_lie)
{
    enum { ROWS = 40, COLUMNS = 30, COUNT = ROWS * COLUMNS };
    for (int law = 0; law < LAWS; law++) {
        static double row[COUNT], turned[COUNT];
        for (int i = 0; i < COUNT; i++) {
            row[i] = parameter[i % COLUMNS];
            turned[i % COLUMNS * ROWS + i / COLUMNS] = row[i];
        }
        for (int how = 0; how < 5; how++) {
            gb_tape *const tape = test_tape(.seed = 4);
            const gb_shape shape = gb_shape(ROWS, COLUMNS);
            const gb_node rows =
                gb_variable(tape, "row", gb_shape(COLUMNS), gb_values_of(parameter, COLUMNS));
            const gb_node all = gb_variable(tape, "all", shape, gb_values_of(row, COUNT));
            const gb_node x =
                how == 0   ? all
                : how == 1 ? rows
                : how == 2 ? gb_transpose(gb_variable(tape, "turned", gb_shape(COLUMNS, ROWS),
                                                      gb_values_of(turned, COUNT)),
                                          gb_axis())
                : how == 3 ? gb_exp(gb_log(gb_square(gb_sqrt(rows)))) /* computed in the same group */
                           : gb_reshape(gb_constant(tape, gb_shape(COUNT), gb_values_of(row, COUNT)), shape);
            assert_int_equal(gb_read(laws[law](gb_stream(tape, "z"), shape, 0, x), how ? part : whole, COUNT),
                             GB_OK);
            for (int i = 0; i < COUNT && how; i++)
                assert_true(fabs(part[i] - whole[i]) <= 1e-10 * (1 + fabs(whole[i])));
        }
    }
}

TEST(one_number_for_all_is_as_good_as_an_array_of_it)
{
    enum { COUNT = 1000 };
    for (int law = 0; law < LAWS; law++)
        for (int array = 0; array < 2; array++) {
            gb_tape *const tape = test_tape(.seed = 4);
            const gb_node x = gb_variable(tape, "x", array ? gb_shape(COUNT) : gb_shape(), gb_fill(2.25));
            gb_read(laws[law](gb_stream(tape, "z"), gb_shape(COUNT), 0, x), array ? part : whole, COUNT);
            assert_fine(tape);
            if (array)
                assert_memory_equal(part, whole, COUNT * sizeof *part);
        }
}

/* ---- shapes, axes, steps ---- */

TEST(shapes_and_hidden_axes_of_parameters_join_those_of_the_draws, .seed = 1, .samples = 3)
{
    const gb_node input = gb_input_rows(t, "x", gb_shape(2));
    gb_feed(input, (const double[]){1e9, 4e9, 9e9, 16e9}, 2);
    const gb_node draws = gb_gamma_noise(gb_stream(t, "z"), gb_shape(4, 1), GB_SAMPLES, input);
    assert_true(gb_shape_same(gb_node_shape(draws), gb_shape(4, 2)));
    assert_int_equal(gb_node_axes(draws), GB_SAMPLES | GB_ROWS);
    assert_int_equal(gb_value_count(draws), 3 * 2 * 4 * 2);
    gb_read(draws, whole, 48);
    for (int i = 0; i < 48; i++) {
        const double mean = (double[]){1e9, 4e9, 9e9, 16e9}[i / 8 % 2 * 2 + i % 2];
        assert_true(fabs(whole[i] - mean) < 8 * sqrt(mean) && whole[i] != mean);
        for (int j = 0; j < i; j++)
            assert_true(whole[i] != whole[j]);
    }
    gb_gamma_noise(gb_stream(t, "bad"), gb_shape(3), 0, gb_ones(t, gb_shape(2)));
    assert_rejected(t, GB_ESHAPE, "gamma_noise: draws of (3) and parameters of (2) do not broadcast");
    gb_gamma_noise(gb_stream(t, "worse"), gb_shape(3), 0, gb_ints(t, gb_shape(1), (const int64_t[]){1}));
    assert_rejected(t, GB_ETYPE, "not real");
}

TEST(nothing_is_drawn_of_nothing)
{
    const gb_node draws = gb_poisson_noise(gb_stream(t, "z"), gb_shape(0, 3), 0, gb_ones(t, gb_shape(3)));
    assert_int_equal(gb_value_count(draws), 0);
    assert_values(gb_sum(draws), 0);
}

TEST(every_run_draws_anew_and_a_step_can_be_repeated)
{
    enum { COUNT = 500 };
    for (int law = 0; law < LAWS; law++) {
        gb_tape *const tape = test_tape(.seed = 2);
        const gb_noise stream = gb_stream(tape, "z");
        const gb_node x = gb_variable(tape, "x", gb_shape(), gb_fill(30));
        const gb_node draws = laws[law](stream, gb_shape(COUNT), 0, x);
        const gb_node others = laws[law](stream, gb_shape(COUNT), 0, x);
        gb_program *look = gb_compile(tape, gb_roots(draws, others), gb_no_update);
        gb_program *train = gb_compile(tape, gb_roots(draws), gb_assign(x, x));
        gb_run(look);
        gb_read(draws, whole, COUNT);
        gb_read(others, part, COUNT);
        assert_memory_not_equal(whole, part, COUNT * sizeof *whole);
        gb_run(look);
        gb_read(draws, part, COUNT);
        assert_memory_not_equal(whole, part, COUNT * sizeof *whole);
        gb_run(train); /* the other half of the stream */
        gb_read(draws, part, COUNT);
        assert_memory_not_equal(whole, part, COUNT * sizeof *whole);
        gb_program_set_step(look, 0);
        gb_run(look);
        gb_read(draws, part, COUNT);
        assert_memory_equal(whole, part, COUNT * sizeof *whole);
        assert_fine(tape);
    }
}

TEST(no_gradient_flows_to_a_parameter)
{
    for (int law = 0; law < LAWS; law++) {
        gb_tape *const tape = test_tape(.seed = 2);
        const gb_node x = gb_variable(tape, "x", gb_shape(), gb_fill(2));
        const gb_node draws = laws[law](gb_stream(tape, "z"), gb_shape(9), 0, x);
        const gb_node gradient = gb_grad(gb_sum(gb_mul(draws, x)), x);
        const gb_node sum = gb_sum(draws);
        gb_program *p = gb_compile(tape, gb_roots(gradient, sum), gb_no_update);
        gb_run(p);
        assert_close(gb_value(gradient), gb_value(sum), 8);
    }
    const gb_node x = gb_variable(t, "x", gb_shape(3), gb_fill(2));
    assert_values(gb_grad(gb_sum(gb_categorical_noise(gb_stream(t, "k"), gb_shape(5), 0, x)), x), 0, 0, 0);
    assert_fine(t);
}

/* ---- what is not allowed ---- */

TEST(parameters_that_are_not_allowed_give_nan)
{
    const double bad[] = {-1, NAN, INFINITY, -INFINITY};
    for (gb_real real = GB_DOUBLE; real <= GB_FLOAT; real++)
        for (size_t isa = 0; isa < 3; isa++) {
            setenv("GREBE_ISA", isas[isa], 1);
            gb_tape *const tape = test_tape(.real = real);
            unsetenv("GREBE_ISA");
            const gb_noise z = gb_stream(tape, "z");
            const gb_node x = gb_constant(tape, gb_shape(4), gb_values_of(bad, 4)), half = gb_num(tape, 0.5);
            assert_values(gb_gamma_noise(z, gb_shape(4), 0, x), NAN, NAN, NAN, NAN);
            assert_values(gb_log_gamma_noise(z, gb_shape(4), 0, x), NAN, NAN, NAN, NAN);
            assert_values(gb_gamma_noise(z, gb_shape(), 0, gb_num(tape, 0)), NAN);
            assert_values(gb_poisson_noise(z, gb_shape(4), 0, x), NAN, NAN, NAN, NAN);
            assert_values(gb_von_mises_noise(z, gb_shape(4), 0, x), NAN, NAN, NAN, NAN);
            assert_values(gb_binomial_noise(z, gb_shape(4), 0, x, half), NAN, NAN, NAN, NAN);
            assert_values(gb_binomial_noise(z, gb_shape(4), 0, gb_num(tape, 5), x), NAN, NAN, NAN, NAN);
            assert_values(gb_binomial_noise(z, gb_shape(), 0, gb_num(tape, 2.5), half), NAN);
            assert_values(gb_binomial_noise(z, gb_shape(), 0, gb_num(tape, 5), gb_num(tape, 1.5)), NAN);
            const gb_node none = gb_constant(tape, gb_shape(2), GB_VALUES(-INFINITY, -INFINITY));
            assert_values(gb_categorical_noise(z, gb_shape(), 0, none), NAN);
            assert_values(gb_categorical_noise(z, gb_shape(), 0, x), NAN);
        }
}

TEST(what_is_not_a_node_is_rejected)
{
    const gb_noise z = gb_stream(t, "z");
    const gb_node inert = {0};
    gb_gamma_noise(z, gb_shape(), 0, inert);
    assert_rejected(t, GB_ENODE, "gamma_noise");
    gb_categorical_noise(z, gb_shape(), 0, inert);
    assert_rejected(t, GB_ENODE, "draw_category");
    assert_false(gb_node_ok(gb_gamma_noise((gb_noise){0}, gb_shape(), 0, gb_num(t, 1))));
    assert_false(gb_node_ok(gb_categorical_noise((gb_noise){0}, gb_shape(), 0, gb_zeros(t, gb_shape(2)))));
    assert_rejected(t, GB_ENODE, "no node");
    assert_false(gb_node_ok(gb_permutation_noise((gb_noise){0}, 3, 0)));
    assert_false(gb_node_ok(gb_sobol_noise((gb_noise){0}, gb_shape(2), GB_SAMPLES)));
    assert_false(gb_node_ok(gb_antithetic_noise((gb_noise){0}, gb_shape(2), GB_SAMPLES)));
    assert_fine(t);
}

TEST(a_draw_that_is_not_a_number_is_found_by_name)
{
    const gb_node x = gb_variable(t, "x", gb_shape(3), GB_VALUES(1, 2, -3));
    const gb_node draws = gb_gamma_noise(gb_stream(t, "z"), gb_shape(3), 0, gb_exp(gb_log(gb_shift(x, 0.5))));
    const gb_node negative = gb_gamma_noise(gb_stream(t, "y"), gb_shape(3), 0, gb_shift(x, 1));
    gb_program *sound = gb_compile(t, gb_roots(draws), gb_no_update);
    assert_int_equal(gb_run(sound), GB_OK); /* nothing is assigned: NaN may be looked at */
    gb_program *p = gb_compile(t, gb_roots(negative), gb_assign(x, gb_add(x, negative)));
    assert_int_equal(gb_run(p), GB_ENONFINITE);
    assert_rejected(t, GB_ENONFINITE, "gamma_noise");
}

TEST(categories_need_an_axis_of_them)
{
    const gb_noise z = gb_stream(t, "z");
    gb_categorical_noise(z, gb_shape(3), 0, gb_num(t, 0));
    assert_rejected(t, GB_ESHAPE, "no categories along a last axis");
    gb_categorical_noise(z, gb_shape(3), 0, gb_zeros(t, gb_shape(2, 4)));
    assert_rejected(t, GB_ESHAPE, "draws of (3) and categories for (2) do not broadcast");
    const gb_node k = gb_categorical_noise(z, gb_shape(3, 1), 0, gb_zeros(t, gb_shape(2, 4)));
    assert_true(gb_shape_same(gb_node_shape(k), gb_shape(3, 2)));
    assert_fine(t);
    gb_read(k, whole, 6);
    for (int i = 0; i < 6; i++)
        assert_true(whole[i] >= 0 && whole[i] <= 3 && whole[i] == floor(whole[i]));
}

void test_begin(int argc, char **argv)
{
    (void)argc, (void)argv;
    fill_parameters();
}
