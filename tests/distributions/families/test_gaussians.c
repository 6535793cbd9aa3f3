/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One normal vector, its covariance given in four ways: densities, draws and divergences agree. */
#include "support/close.h"

#include <stdio.h>

#include "core/gradient.h"
#include "distributions/kl.h"
#include "distributions/list.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/linear.h"
#include "ops/matmul.h"
#include "ops/matrix.h"
#include "ops/reduce.h"

enum { WAYS = 4, N = 3 };

/* The same law, by low rank plus diagonal, Cholesky factor, and precision; the last is a
 * product, and for it the low rank is 0. */
static void make(gb_tape *t, double rank_scale, double shift, gb_dist d[WAYS])
{
    const gb_node loc = gb_constant(t, gb_shape(N), GB_VALUES(0.5 + shift, -1, 2));
    const gb_node w =
        gb_scale(gb_constant(t, gb_shape(N, 2), GB_VALUES(1, 0.5, -0.3, 0.8, 2, 1)), rank_scale);
    const gb_node v = gb_constant(t, gb_shape(N), GB_VALUES(0.5, 1.5, 0.7));
    const gb_node covariance = gb_add(gb_matmul(w, w, .transpose_b = true), gb_diag(v));
    const gb_node factor = gb_cholesky(covariance);
    const gb_node inverse_factor = gb_triangular_solve(factor, gb_eye(t, N));
    const gb_node precision = gb_matmul(inverse_factor, inverse_factor, .transpose_a = true);
    d[0] = gb_low_rank_normal(loc, w, v);
    d[1] = gb_multivariate_normal(loc, factor);
    d[2] = gb_multivariate_normal_precision(loc, precision);
    d[3] = gb_independent(gb_normal(loc, gb_sqrt(v)), 1);
}

TEST(densities_agree)
{
    gb_dist d[WAYS];
    make(t, 1, 0, d);
    const gb_node x = gb_variable(t, "x", gb_shape(2, N), GB_VALUES(0, 0, 0, 3, -2, 1));
    double should[2], is[2], slope[2 * N], slope_is[2 * N];
    gb_read(gb_log_prob(d[1], x), should, 2);
    gb_read(gb_grad(gb_sum(gb_log_prob(d[1], x)), x), slope, 2 * N);
    const double entropy = gb_value(gb_dist_entropy(d[1]));
    for (int i = 0; i < 3; i++) {
        assert_int_equal(gb_read(gb_log_prob(d[i], x), is, 2), GB_OK);
        gb_read(gb_grad(gb_sum(gb_log_prob(d[i], x)), x), slope_is, 2 * N);
        for (int j = 0; j < 2; j++)
            assert_close(is[j], should[j], 64);
        for (int j = 0; j < 2 * N; j++)
            assert_true(fabs(slope_is[j] - slope[j]) < 1e-12);
        assert_close(gb_value(gb_dist_entropy(d[i])), entropy, 64);
        assert_true(gb_shape_same(gb_dist_event_shape(d[i]), gb_shape(N)));
    }
    assert_fine(t);
}

/* The mean and the covariance of draws are those of the law, within 6 standard errors. */
TEST(draws_have_the_covariance, .seed = 5)
{
    enum { DRAWS = 200000 };
    gb_tape_set_samples(t, DRAWS);
    gb_dist d[WAYS];
    make(t, 1, 0, d);
    double mean[N], should_mean[N], cov[N * N], should_cov[N * N];
    static const char *const names[] = {"a", "b", "c"};
    const gb_node w = d[0].param[1];
    gb_read(gb_add(gb_matmul(w, w, .transpose_b = true), gb_diag(d[0].param[2])), should_cov, N * N);
    gb_read(d[0].param[0], should_mean, N);
    for (int i = 0; i < 3; i++) {
        const gb_node z = gb_rsample(d[i], gb_stream(t, names[i]), GB_SAMPLES),
                      off = gb_sub(z, d[i].param[0]);
        gb_read(gb_mean_over(z, GB_SAMPLES), mean, N);
        assert_int_equal(gb_read(gb_mean_over(gb_outer(off, off), GB_SAMPLES), cov, N * N), GB_OK);
        for (int j = 0; j < N; j++)
            assert_true(fabs(mean[j] - should_mean[j]) < 6 * sqrt(should_cov[j * N + j] / DRAWS));
        for (int j = 0; j < N * N; j++) {
            const double a = should_cov[j / N * (N + 1)], b = should_cov[j % N * (N + 1)];
            assert_true(fabs(cov[j] - should_cov[j]) <
                        6 * sqrt((a * b + should_cov[j] * should_cov[j]) / DRAWS));
        }
    }
}

TEST(divergences_agree_in_every_pair)
{
    gb_dist q[WAYS], p[WAYS], flat[WAYS];
    make(t, 1, 0, q);
    make(t, 0.4, 1.5, p);
    make(t, 0, -1, flat);
    const double should = gb_value(gb_kl(q[1], p[1])), from_flat = gb_value(gb_kl(flat[1], p[1])),
                 to_flat = gb_value(gb_kl(q[1], flat[1]));
    for (int i = 0; i < WAYS; i++)
        for (int j = 0; j < WAYS; j++) {
            if (i < 3 && j < 3)
                assert_close(gb_value(gb_kl(q[i], p[j])), should, 256);
            if (i < 3 && j < 3)
                assert_true(fabs(gb_value(gb_kl(q[i], q[j]))) < 1e-13);
            if (j < 3)
                assert_close(gb_value(gb_kl(flat[i], p[j])), from_flat, 256);
            if (i < 3)
                assert_close(gb_value(gb_kl(q[i], flat[j])), to_flat, 256);
        }
    assert_close(gb_value(gb_kl(flat[3], flat[3])), 0, 0);
    assert_fine(t);
}

/* What a low rank costs: 20,000 elements would be 3.2 GB as one matrix. */
enum { MANY = 20000, RANK = 4 };

static gb_node waves(gb_tape *t, const char *name, gb_shape shape, double middle, double width)
{
    const size_t count = gb_shape_count(shape);
    double *values = malloc(count * sizeof *values);
    assert_non_null(values);
    for (size_t i = 0; i < count; i++)
        values[i] = middle + width * sin(0.7 * (double)i + (double)name[0]);
    const gb_node variable = gb_variable(t, name, shape, gb_values_of(values, count));
    free(values);
    return variable;
}

static gb_dist low_rank_of(gb_tape *t, const char *loc, const char *factor, const char *diagonal, int64_t n,
                           int64_t rank)
{
    return gb_low_rank_normal(waves(t, loc, gb_shape(n), 0.2, 1),
                              waves(t, factor, gb_shape(n, rank), 0.1, 0.7),
                              waves(t, diagonal, gb_shape(n), 0.8, 0.5));
}

static gb_dist with_cholesky_factor(gb_dist d)
{
    const gb_node w = d.param[1];
    return gb_multivariate_normal(
        d.param[0], gb_cholesky(gb_add(gb_matmul(w, w, .transpose_b = true), gb_diag(d.param[2]))));
}

/* Divergence and gradient in all of the variables. */
static void assert_same_divergence(gb_node is, gb_node should)
{
    double a[64], b[64];
    gb_node of[8];
    const size_t count = gb_tape_variables(is.tape, of, 8);
    assert_close(gb_value(is), gb_value(should), 256);
    for (size_t i = 0; i < count; i++) {
        const size_t n = gb_value_count(of[i]);
        assert_true(n <= 64);
        assert_int_equal(gb_read(gb_grad(is, of[i]), a, n), GB_OK);
        gb_read(gb_grad(should, of[i]), b, n);
        for (size_t j = 0; j < n; j++)
            if (!(fabs(a[j] - b[j]) <= 1e-12 * (1 + fabs(b[j]))))
                fail_msg("%s, number %zu: %.17g, not %.17g", gb_variable_name(of[i]), j, a[j], b[j]);
    }
}

TEST(divergences_of_low_ranks_are_the_dense_ones)
{
    for (int64_t n = 3; n <= 12; n += 9) {
        gb_tape *const tape = test_tape();
        const gb_dist q = low_rank_of(tape, "a", "b", "c", n, 2), p = low_rank_of(tape, "d", "e", "f", n, 3);
        const gb_dist flat = gb_independent(
            gb_normal(waves(tape, "g", gb_shape(n), 0, 1), waves(tape, "h", gb_shape(n), 1.5, 0.7)), 1);
        const gb_dist dense_q = with_cholesky_factor(q), dense_p = with_cholesky_factor(p),
                      dense_flat = gb_multivariate_normal(flat.base->param[0], gb_diag(flat.base->param[1]));
        assert_same_divergence(gb_kl(q, p), gb_kl(dense_q, dense_p));
        assert_same_divergence(gb_kl(q, flat), gb_kl(dense_q, dense_flat));
        assert_same_divergence(gb_kl(flat, p), gb_kl(dense_flat, dense_p));
        assert_same_divergence(gb_kl(q, dense_p), gb_kl(dense_q, dense_p));
        assert_same_divergence(gb_kl(dense_q, p), gb_kl(dense_q, dense_p));
        assert_fine(tape);
    }
}

TEST(a_low_rank_costs_no_square_of_its_elements, .samples = 1)
{
    const gb_dist q = low_rank_of(t, "a", "b", "c", MANY, RANK),
                  p = low_rank_of(t, "d", "e", "f", MANY, RANK);
    const gb_dist flat = gb_independent(gb_normal(gb_zeros(t, gb_shape(MANY)), gb_num(t, 1)), 1);
    const gb_node z = gb_rsample(q, gb_stream(t, "z"), GB_SAMPLES);
    const gb_node all = gb_add(gb_add(gb_kl(q, flat), gb_kl(q, p)),
                               gb_add(gb_kl(flat, p), gb_mean_over(gb_log_prob(q, z), GB_SAMPLES)));
    gb_node of[8], slope[8];
    const size_t count = gb_tape_variables(t, of, 8);
    assert_int_equal(gb_grads(all, of, count, slope), GB_OK);
    gb_program *run = gb_compile(t, (gb_node_list){.count = count, .node = slope}, gb_no_update);
    assert_int_equal(gb_run(run), GB_OK);
    gb_plan_facts facts;
    gb_program_plan(run, &facts);
    if (facts.bytes > (size_t)100 * MANY * RANK * sizeof(double))
        fail_msg("%zu bytes", facts.bytes);
}

/* KL between one-dimensional ones is that of normals. */
TEST(in_one_dimension_it_is_the_normal)
{
    const gb_node one = gb_ones(t, gb_shape(1)), two = gb_scale(one, 2);
    const gb_dist q = gb_multivariate_normal(one, gb_reshape(two, gb_shape(1, 1)));
    const gb_dist p = gb_multivariate_normal(two, gb_reshape(one, gb_shape(1, 1)));
    assert_close(gb_value(gb_kl(q, p)), gb_value(gb_kl(gb_normal(one, two), gb_normal(two, one))), 8);
}

TEST(misuse_is_rejected_in_words)
{
    const gb_node loc = gb_zeros(t, gb_shape(2)), eye = gb_eye(t, 3);
    gb_multivariate_normal(loc, eye);
    assert_rejected(t, GB_ESHAPE, "multivariate_normal: loc has shape (2), but scale_tril (3×3)");
    gb_multivariate_normal(gb_num(t, 0), eye);
    assert_rejected(t, GB_ESHAPE, "multivariate_normal: loc has shape (), and must have at least 1 axis");
    gb_multivariate_normal(loc, gb_constant(t, gb_shape(2, 2), GB_VALUES(1, 0.5, 0, 1)));
    assert_rejected(t, GB_EARGUMENT, "multivariate_normal: scale_tril must be lower triangular");
    gb_multivariate_normal(loc, gb_constant(t, gb_shape(2, 2), GB_VALUES(1, 0, 0, -1)));
    assert_rejected(t, GB_EARGUMENT, "multivariate_normal: scale_tril must be lower triangular");
    gb_multivariate_normal_precision(loc, gb_constant(t, gb_shape(2, 2), GB_VALUES(1, 2, 2, 1)));
    assert_rejected(t, GB_EARGUMENT, "precision must be symmetric and positive definite");
    gb_multivariate_normal_precision(loc, gb_constant(t, gb_shape(2, 2), GB_VALUES(1, 0.5, 0, 1)));
    assert_rejected(t, GB_EARGUMENT, "precision must be symmetric and positive definite");
    const gb_node l = gb_variable(t, "l", gb_shape(2, 2), GB_VALUES(1, 0, 0, -1));
    const gb_node log_p = gb_log_prob(gb_multivariate_normal(loc, l), loc);
    assert_true(isnan(gb_value(log_p)));
    assert_rejected(t, GB_EARGUMENT, "multivariate_normal: scale_tril must be lower triangular");
}

/* ---- a plain step of gradients keeps the parameter a triangle, or symmetric ---- */

enum { QUANTITIES = 6 };

static gb_node quantity(gb_dist d, gb_dist other, int which)
{
    char stream[32];
    snprintf(stream, sizeof stream, "z %zu", gb_tape_length(d.tape)); /* new to the tape */
    const gb_node x = gb_constant(d.tape, gb_shape(N), GB_VALUES(0.3, -2, 1));
    switch (which) {
    case 0: return gb_log_prob(d, x);
    case 1: return gb_dist_entropy(d);
    case 2: return gb_kl(d, other);
    case 3: return gb_kl(other, d);
    case 4: return gb_sum(gb_dist_variance(d));
    default: return gb_sum(gb_square(gb_rsample(d, gb_stream(d.tape, stream), 0)));
    }
}

TEST(gradients_keep_a_triangle_and_a_symmetry)
{
    gb_dist d[WAYS];
    make(t, 1, 0.25, d);
    const gb_node loc = gb_zeros(t, gb_shape(N));
    const gb_node l = gb_variable(t, "l", gb_shape(N, N), GB_VALUES(1, 0, 0, 0.5, 2, 0, -0.3, 0.7, 1.5));
    const gb_node p = gb_variable(t, "p", gb_shape(N, N), GB_VALUES(2, 0.5, 0.1, 0.5, 1, 0.2, 0.1, 0.2, 3));
    const gb_dist by_factor = gb_multivariate_normal(loc, l),
                  by_precision = gb_multivariate_normal_precision(loc, p);
    for (int which = 0; which < QUANTITIES; which++)
        for (int other = 0; other < WAYS; other++) {
            double of_l[N * N], of_p[N * N];
            const gb_node in_l = gb_grad(quantity(by_factor, d[other], which), l);
            const gb_node in_p = gb_grad(quantity(by_precision, d[other], which), p);
            gb_read(in_l, of_l, N * N);
            gb_read(in_p, of_p, N * N);
            assert_fine(t);
            for (int i = 0; i < N; i++)
                for (int j = i + 1; j < N; j++) {
                    assert_true(of_l[i * N + j] == 0);
                    assert_near(of_p[i * N + j], of_p[j * N + i], 1e-13 * (1 + fabs(of_p[j * N + i])));
                }
        }
}
