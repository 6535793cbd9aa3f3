/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Permutations, and scrambled Sobol points: how evenly they spread, and that each is uniform. */
#include "support/close.h"

#include <gsl/gsl_cdf.h>

#include "ops/array.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

enum { MOST = 1 << 20 };
static double points[MOST];

/* ---- permutations ---- */

TEST(permutations_have_every_number_once)
{
    enum { N = 1000, SAMPLES = 3 };
    for (gb_real real = GB_DOUBLE; real <= GB_FLOAT; real++) {
        gb_tape *const tape = test_tape(.seed = 1, .samples = SAMPLES, .real = real);
        const gb_node p = gb_permutation_noise(gb_stream(tape, "p"), N, GB_SAMPLES);
        assert_int_equal(gb_node_type(p), GB_TYPE_INT);
        assert_true(gb_shape_same(gb_node_shape(p), gb_shape(N)));
        gb_read(p, points, N * SAMPLES);
        assert_memory_not_equal(points, points + N, N * sizeof *points);
        for (int s = 0; s < SAMPLES; s++) {
            bool seen[N] = {false};
            for (int i = 0; i < N; i++)
                seen[(int)points[s * N + i]] = true;
            for (int i = 0; i < N; i++)
                assert_true(seen[i]);
        }
        assert_fine(tape);
    }
}

TEST(all_permutations_are_equally_likely)
{
    enum { N = 4, ALL = 24, SAMPLES = 48000 };
    for (gb_real real = GB_DOUBLE; real <= GB_FLOAT; real++) {
        gb_tape *const tape = test_tape(.seed = 1, .samples = SAMPLES, .real = real);
        double seen[N * N * N * N] = {0}, statistic = 0;
        gb_read(gb_permutation_noise(gb_stream(tape, "p"), N, GB_SAMPLES), points, SAMPLES * N);
        for (int s = 0; s < SAMPLES; s++)
            seen[(int)(points[s * N] + 4 * points[s * N + 1] + 16 * points[s * N + 2] +
                       64 * points[s * N + 3])]++;
        for (int i = 0; i < N * N * N * N; i++)
            if (seen[i] > 0)
                statistic += pow(seen[i] - SAMPLES / ALL, 2) / (SAMPLES / ALL);
        assert_true(gsl_cdf_chisq_Q(statistic, ALL - 1) > 1e-9);
    }
}

TEST(a_permutation_shuffles_what_is_gathered_by_it, .seed = 1)
{
    const gb_node x = gb_constant(t, gb_shape(4), GB_VALUES(1, 10, 100, 1000));
    assert_values(gb_sum(gb_gather(x, 0, gb_permutation_noise(gb_stream(t, "p"), 4, 0))), 1111);
    gb_node none = gb_permutation_noise(gb_stream(t, "none"), 0, 0);
    assert_int_equal(gb_value_count(none), 0);
    gb_permutation_noise(gb_stream(t, "bad"), -1, 0);
    assert_rejected(t, GB_EARGUMENT, "permutation_noise: n = -1 is not");
}

/* ---- Sobol ---- */

static void draw_sobol(uint64_t seed, gb_real real, int threads, int64_t samples, int64_t dimensions)
{
    gb_tape *t = gb_tape_new(.seed = seed, .threads = threads, .samples = samples, .real = real);
    const gb_node x = gb_sobol_noise(gb_stream(t, "x"), gb_shape(dimensions), GB_SAMPLES);
    gb_read(x, points, (size_t)(samples * dimensions));
    assert_fine(t);
    gb_tape_free(t);
}

TEST(every_projection_to_one_dimension_has_one_point_in_each_interval)
{
    static const int m_of[] = {0, 1, 2, 5, 10};
    enum { DIMENSIONS = 1024 };
    for (gb_real real = GB_DOUBLE; real <= GB_FLOAT; real++)
        for (size_t k = 0; k < sizeof m_of / sizeof *m_of; k++) {
            const int count = 1 << m_of[k];
            draw_sobol(17, real, 1, count, DIMENSIONS);
            for (int d = 0; d < DIMENSIONS; d++) {
                bool seen[1 << 10] = {false};
                for (int i = 0; i < count; i++) {
                    const double x = points[i * DIMENSIONS + d];
                    assert_true(x > 0 && x < 1);
                    assert_false(seen[(int)(x * count)]);
                    seen[(int)(x * count)] = true;
                }
            }
        }
}

/* Boxes of 2^-i times 2^-(m-i), each of which should have one point; how many of all have not. */
static int uneven_boxes(int m, int dimensions, int a, int b)
{
    const int count = 1 << m;
    int wrong = 0;
    for (int i = 0; i <= m; i++) {
        static int seen[1 << 12];
        memset(seen, 0, sizeof seen);
        for (int k = 0; k < count; k++) {
            const int x = (int)ldexp(points[k * dimensions + a], i),
                      y = (int)ldexp(points[k * dimensions + b], m - i);
            seen[x << (m - i) | y]++;
        }
        for (int k = 0; k < count; k++)
            wrong += seen[k] != 1;
    }
    return wrong;
}

TEST(the_first_two_dimensions_have_one_point_in_each_elementary_interval)
{
    for (uint64_t seed = 1; seed < 6; seed++)
        for (int m = 1; m <= 12; m++) {
            draw_sobol(seed, GB_DOUBLE, 1, (int64_t)1 << m, 2);
            assert_int_equal(uneven_boxes(m, 2, 0, 1), 0);
        }
}

/* A pair of dimensions of polynomials of degrees s and s' is a (t, 2)-sequence with t = s + s' − 2 at most:
 * each box of 2^(t-m) has 2^t points. (van der Corput's counts as of degree 1.) */
TEST(pairs_of_the_first_dimensions_are_as_even_as_theory_has_it)
{
    enum { DIMENSIONS = 8, M = 10 };
    static const int degree[DIMENSIONS] = {1, 1, 2, 3, 3, 4, 4, 5};
    draw_sobol(3, GB_DOUBLE, 1, 1 << M, DIMENSIONS);
    for (int a = 0; a < DIMENSIONS; a++)
        for (int b = a + 1; b < DIMENSIONS; b++) {
            const int quality = degree[a] + degree[b] - 2, boxes = M - quality;
            for (int i = 0; i <= boxes; i++) {
                int seen[1 << M] = {0};
                for (int k = 0; k < 1 << M; k++)
                    seen[(int)ldexp(points[k * DIMENSIONS + a], i) << (boxes - i) |
                         (int)ldexp(points[k * DIMENSIONS + b], boxes - i)]++;
                for (int k = 0; k < 1 << boxes; k++)
                    assert_int_equal(seen[k], 1 << quality);
            }
        }
}

/* The same program, run again and again: scrambles are new in each run. Means must be right (the
 * z-test has an error rate of 1e-9 for each), and the variance of a smooth integrand's estimate
 * far less than that of independent draws. */
TEST(scrambled_means_are_right_and_vary_little, .seed = 6)
{
    enum { RUNS = 2000, SAMPLES = 64, DIMENSIONS = 5 };
    gb_tape_set_samples(t, SAMPLES);
    const gb_node x = gb_sobol_noise(gb_stream(t, "x"), gb_shape(DIMENSIONS), GB_SAMPLES);
    const gb_node u = gb_uniform_noise(gb_stream(t, "u"), gb_shape(DIMENSIONS), GB_SAMPLES);
    gb_node f[2];
    for (int i = 0; i < 2; i++) /* of mean 1 */
        f[i] = gb_mean_over(gb_exp(gb_sum(gb_log(gb_shift(gb_square(i ? u : x), 2. / 3)))), GB_SAMPLES);
    const gb_node first = gb_select(x, GB_SAMPLES, 0), last = gb_select(x, GB_SAMPLES, SAMPLES - 1);
    gb_program *p = gb_compile(t, gb_roots(f[0], f[1], first, last), gb_no_update);
    double sum[2] = {0}, square[2] = {0}, corner[2 * DIMENSIONS], mean[2 * DIMENSIONS] = {0}, product = 0;
    for (int run = 0; run < RUNS; run++) {
        gb_run(p);
        for (int i = 0; i < 2; i++) {
            const double error = gb_value(f[i]) - 1;
            sum[i] += error;
            square[i] += error * error;
        }
        gb_read(first, corner, DIMENSIONS);
        gb_read(last, corner + DIMENSIONS, DIMENSIONS);
        for (int i = 0; i < 2 * DIMENSIONS; i++)
            mean[i] += (corner[i] - 0.5) * sqrt(12. / RUNS);
        product += (corner[0] - 0.5) * (corner[1] - 0.5) * 12 / sqrt(RUNS);
    }
    assert_fine(t);
    for (int i = 0; i < 2; i++)
        assert_true(fabs(sum[i]) < 6.2 * sqrt(square[i]));
    for (int i = 0; i < 2 * DIMENSIONS; i++)
        assert_true(fabs(mean[i]) < 6.2);
    assert_true(fabs(product) < 6.2);
    assert_true(square[0] < square[1] / 20);
}

/* Of one point over many scrambles, each digit is a fair coin, and so is
 * its agreement with the one before it. */
TEST(digits_of_a_scrambled_point_are_fair_coins, .seed = 9, .samples = 4)
{
    enum { SITES = 20000, DIGITS = 20 };
    const gb_axes site = gb_site_axis(t, "scrambles", SITES);
    gb_read(gb_sobol_noise(gb_stream(t, "x"), gb_shape(), GB_SAMPLES | site), points, 4 * SITES);
    for (int sample = 0; sample < 4; sample++) {
        int ones[DIGITS] = {0}, same[DIGITS] = {0};
        for (int i = 0; i < SITES; i++) {
            const int digits = (int)ldexp(points[sample * SITES + i], DIGITS);
            for (int d = 0; d < DIGITS; d++) {
                ones[d] += digits >> d & 1;
                same[d] += (digits >> d & 1) == (digits >> (d + 1) % DIGITS & 1);
            }
        }
        for (int d = 0; d < DIGITS; d++) {
            assert_true(abs(2 * ones[d] - SITES) < 6.2 * sqrt(SITES));
            assert_true(abs(2 * same[d] - SITES) < 6.2 * sqrt(SITES));
        }
    }
}

TEST(points_do_not_depend_on_threads_or_on_how_many_there_are)
{
    enum { DIMENSIONS = 70 };
    static double before[2000 * DIMENSIONS];
    draw_sobol(5, GB_DOUBLE, 1, 2000, DIMENSIONS);
    memcpy(before, points, sizeof before);
    draw_sobol(5, GB_DOUBLE, 2, 2000, DIMENSIONS);
    assert_memory_equal(before, points, sizeof before);
    draw_sobol(5, GB_DOUBLE, 1, 300, DIMENSIONS);
    assert_memory_equal(before, points, 300 * DIMENSIONS * sizeof *points);
    draw_sobol(5, GB_DOUBLE, 1, 1, DIMENSIONS);
    assert_memory_equal(before, points, DIMENSIONS * sizeof *points);
}

TEST(what_cannot_be_is_rejected_by_name, .samples = 2)
{
    const gb_noise z = gb_stream(t, "z");
    gb_sobol_noise(z, gb_shape(3), GB_ROWS);
    assert_rejected(t, GB_EARGUMENT, "GB_SAMPLES is not among the axes");
    gb_sobol_noise(z, gb_shape(5, 300), GB_SAMPLES);
    assert_rejected(t, GB_ELIMIT, "sobol_noise: 1500 dimensions are requested, the table has 1024");
    assert_int_equal(gb_value_count(gb_sobol_noise(z, gb_shape(0), GB_SAMPLES)), 0);
    gb_sobol_noise(z, gb_shape(-1), GB_SAMPLES);
    assert_rejected(t, GB_ELIMIT, "the shape is invalid");
}
