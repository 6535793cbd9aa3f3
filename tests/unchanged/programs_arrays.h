/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reductions, arrangements, matrices, products, noise. */
#ifndef GREBE_TESTS_PROGRAMS_ARRAYS_H
#define GREBE_TESTS_PROGRAMS_ARRAYS_H

#include "probe.h"

#define INTS(t, shape, ...) gb_ints((t), (shape), (const int64_t[]){__VA_ARGS__})

/* ---- reductions ---- */

static void arrays_reductions(probe *p)
{
    static gb_node (*const all[])(gb_node) = {gb_sum, gb_mean, gb_maximum, gb_logsumexp, gb_prod};
    static gb_node (*const along[])(gb_node, gb_axis_list) = {gb_sum_along, gb_mean_along, gb_maximum_along,
                                                              gb_logsumexp_along, gb_prod_along};
    const gb_node x = variable(p, "x", gb_shape(5, 7, 11), -1.5, 1.5);
    for (int i = 0; i < 5; i++) {
        keep_two_gradients(p, all[i](x), 1, &x);
        keep_two_gradients(p, along[i](x, gb_axis(0)), 1, &x);
        keep_two_gradients(p, along[i](x, gb_axis(1)), 1, &x);
        keep_two_gradients(p, along[i](x, gb_axis(-1)), 1, &x);
        keep_two_gradients(p, along[i](x, gb_axis(0, 2)), 1, &x);
    }
    keep_two_gradients(p, gb_softmax(x, 1), 1, &x);
    keep_two_gradients(p, gb_log_softmax(x, -1), 1, &x);
    look_at_kept(p, 1);
}

/* Over samples, rows and a site, together and one by one. */
static void arrays_reductions_over_hidden_axes(probe *p)
{
    static gb_node (*const over[])(gb_node, gb_axes) = {gb_sum_over, gb_mean_over, gb_maximum_over,
                                                        gb_logsumexp_over};
    const gb_axes site = gb_site_axis(p->t, "site", 3);
    const gb_node x = variable(p, "x", gb_shape(4), -1, 1);
    const gb_node row = rows_of(p, "row", 6, gb_shape(4), -1, 1);
    const gb_node noise = gb_normal_noise(gb_stream(p->t, "noise"), gb_shape(4), GB_SAMPLES);
    const gb_node place = gb_axis_index(p->t, site);
    const gb_node here = gb_mul(gb_shift(place, 1), gb_add(x, row));
    const gb_node all = gb_add(here, gb_mul(noise, x));
    const gb_axes sets[] = {GB_SAMPLES,           GB_ROWS,        site,
                            GB_SAMPLES | GB_ROWS, site | GB_ROWS, GB_SAMPLES | site | GB_ROWS};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 6; j++)
            keep_two_gradients(p, over[i](all, sets[j]), 1, &x);
    keep_two_gradients(p, gb_leave_one_out_mean(all, GB_SAMPLES), 1, &x);
    keep_two_gradients(p, gb_leave_one_out_mean(all, GB_ROWS), 1, &x);
    keep_two_gradients(p, gb_select(all, site, 2), 1, &x);
    keep_two_gradients(p, gb_select(all, GB_SAMPLES, 1), 1, &x);
    keep(p, gb_axis_size(p->t, GB_ROWS));
    look_at_kept(p, 2);
}

static void arrays_scans(probe *p)
{
    const gb_node x = variable(p, "x", gb_shape(5, 9), -1.5, 1.5);
    keep_two_gradients(p, gb_cumsum(x, 1), 1, &x);
    keep_two_gradients(p, gb_cumsum(x, 0, .reverse = true), 1, &x);
    keep_two_gradients(p, gb_square(gb_cumsum(x, -1, .exclusive = true)), 1, &x);
    look_at_kept(p, 1);
}

/* ---- arrangements ---- */

static void arrays_views(probe *p)
{
    const gb_node x = variable(p, "x", gb_shape(4, 6), -1.5, 1.5);
    const gb_node y = gb_square(x), e = gb_exp(x);
    keep_two_gradients(p, gb_transpose(y, gb_axis(1, 0)), 1, &x);
    keep_two_gradients(p, gb_reshape(y, gb_shape(3, 8)), 1, &x);
    keep_two_gradients(p, gb_slice(y, 1, 1, -1), 1, &x);
    keep_two_gradients(p, gb_slice_step(y, 0, 0, 4, 2), 1, &x);
    keep_two_gradients(p, gb_concat(2, (const gb_node[]){y, e}, 1), 1, &x);
    keep_two_gradients(p, gb_stack(2, (const gb_node[]){y, e}, 0), 1, &x);
    keep_two_gradients(p, gb_flip(y, 1), 1, &x);
    keep_two_gradients(p, gb_repeat(y, 0, 3), 1, &x);
    keep_two_gradients(p, gb_broadcast(y, gb_shape(2, 4, 6)), 1, &x);
    keep_two_gradients(p, gb_squeeze(gb_expand(y, 1), 1), 1, &x);
    const gb_node turned = gb_transpose(e, gb_axis()), reshaped = gb_reshape(y, gb_shape(6, 4));
    keep_two_gradients(p, gb_mul(turned, reshaped), 1, &x);
    look_at_kept(p, 1);
}

static void arrays_by_index(probe *p)
{
    const gb_node x = variable(p, "x", gb_shape(5, 3), -1.5, 1.5), y = gb_square(x);
    const gb_node which = INTS(p->t, gb_shape(2, 2), 4, 0, 0, 2);
    keep_two_gradients(p, gb_gather(y, 0, which), 1, &x);
    keep_two_gradients(p, gb_scatter_add(y, 0, INTS(p->t, gb_shape(5), 1, 1, 0, 3, 1), 4), 1, &x);
    keep_two_gradients(p, gb_take_along(y, INTS(p->t, gb_shape(5, 2), 0, 2, 1, 1, 2, 0, 0, 0, 1, 2), 1), 1,
                       &x);
    keep_two_gradients(p, gb_scatter_along(y, INTS(p->t, gb_shape(3), 3, 0, 3), 1, 4), 1, &x);
    const gb_node places = gb_arange(p->t, 3);
    keep(p, places);
    keep(p, gb_eye(p->t, 3));
    keep(p, gb_one_hot(which, 6));
    look_at_kept(p, 1);
}

static void arrays_orders(probe *p)
{
    const gb_node x = variable(p, "x", gb_shape(6, 5), -1.5, 1.5);
    keep(p, gb_argmax(x, 0));
    keep(p, gb_argmax(x, 1));
    keep(p, gb_argsort(x, 1));
    keep_two_gradients(p, gb_square(gb_sort(x, 0)), 1, &x);
    look_at_kept(p, 1);
}

/* Visible axes that become hidden, and back; values side by side along a site's axis. */
static void arrays_hidden_and_revealed(probe *p)
{
    const gb_axes site = gb_site_axis(p->t, "site", 4);
    const gb_node x = variable(p, "x", gb_shape(4, 3), -1.5, 1.5);
    const gb_node hidden = gb_hide(gb_square(x), site);
    const gb_node place = gb_axis_index(p->t, site);
    const gb_node there = gb_mul(hidden, gb_shift(place, 0.5));
    keep_two_gradients(p, there, 1, &x);
    keep_two_gradients(p, gb_reveal(there, site), 1, &x);
    keep_two_gradients(p, gb_spread(gb_slice(x, 0, 0, 3), site, 2), 1, &x);
    look_at_kept(p, 1);
}

/* ---- matrices ---- */

static void arrays_matrices(probe *p)
{
    const gb_node x = variable(p, "x", gb_shape(2, 4, 4), -1.5, 1.5), y = gb_square(x);
    const gb_node v = gb_slice(x, 1, 0, 1), row = gb_reshape(v, gb_shape(2, 4));
    keep_two_gradients(p, gb_matrix_transpose(y), 1, &x);
    keep_two_gradients(p, gb_outer(row, gb_exp(row)), 1, &x);
    keep_two_gradients(p, gb_diagonal(y), 1, &x);
    keep_two_gradients(p, gb_diag(row), 1, &x);
    keep_two_gradients(p, gb_tril(y, -1), 1, &x);
    keep_two_gradients(p, gb_triu(y, 1), 1, &x);
    look_at_kept(p, 1);
}

static void arrays_cholesky(probe *p)
{
    const gb_node x = variable(p, "x", gb_shape(2, 5, 5), -1, 1), b = variable(p, "b", gb_shape(5, 3), -1, 1);
    const gb_node v = variable(p, "v", gb_shape(5), -1, 1), of[] = {x, b, v};
    const gb_node square = gb_matmul(x, x, .transpose_b = true);
    const gb_node a = gb_add(square, gb_eye(p->t, 5)), l = gb_cholesky(a);
    keep_two_gradients(p, l, 1, &x);
    keep_two_gradients(p, gb_triangular_solve(l, b), 3, of);
    keep_two_gradients(p, gb_triangular_solve(l, b, .transpose = true), 2, of);
    keep_two_gradients(p, gb_triangular_solve_vector(l, v), 3, of);
    keep_two_gradients(p, gb_triangular_solve_vector(gb_matrix_transpose(l), v, .upper = true), 3, of);
    keep_two_gradients(p, gb_triangular_log_det(l), 1, &x);
    keep_two_gradients(p, gb_log_det(a), 1, &x);
    keep_two_gradients(p, gb_quadratic_form(l, v), 3, of);
    look_at_kept(p, 1);
}

/* Small products of matrices and vectors, which the library's own kernels carry out. */
static void arrays_products(probe *p)
{
    gb_node x[2];
    x[0] = variable(p, "x", gb_shape(3, 5, 7), -1, 1);
    x[1] = variable(p, "y", gb_shape(7, 6), -1, 1);
    keep_two_gradients(p, gb_matmul(x[0], x[1]), 2, x);
    const gb_node turned = gb_transpose(x[1], gb_axis(1, 0));
    keep_two_gradients(p, gb_matmul(x[0], turned, .transpose_b = true), 2, x);
    keep_two_gradients(p, gb_matmul(x[1], x[0], .transpose_a = true, .transpose_b = true), 2, x);
    const gb_node vector = gb_reshape(gb_slice(x[1], 1, 2, 3), gb_shape(7));
    keep_two_gradients(p, gb_matmul(x[0], vector), 2, x);
    keep_two_gradients(p, gb_dot(vector, gb_exp(vector)), 2, x);
    const gb_node bias = gb_reshape(gb_slice(x[1], 0, 0, 1), gb_shape(6));
    keep_two_gradients(p, gb_affine(x[0], x[1], bias), 2, x);
    look_at_kept(p, 1);
}

/* Weights that all rows share, and weights that differ from sample to sample. */
static void arrays_products_over_hidden_axes(probe *p)
{
    gb_node w[2];
    const gb_node row = rows_of(p, "row", 9, gb_shape(5), -1, 1);
    w[0] = variable(p, "first", gb_shape(5, 8), -1, 1);
    w[1] = variable(p, "second", gb_shape(8, 2), -1, 1);
    const gb_node noise = gb_normal_noise(gb_stream(p->t, "noise"), gb_shape(5, 8), GB_SAMPLES);
    const gb_node drawn = gb_add(w[0], gb_scale(noise, 0.25));
    const gb_node hidden = gb_tanh(gb_matmul(row, drawn)), out = gb_matmul(hidden, w[1]);
    keep_two_gradients(p, out, 2, w);
    const gb_node row_column = gb_expand(row, -1), hidden_row = gb_expand(hidden, 0);
    const gb_node outer = gb_matmul(row_column, hidden_row, .sum_over = GB_ROWS);
    keep_two_gradients(p, outer, 2, w);
    look_at_kept(p, 2);
}

/* All forms of kernels and their odd ends, by many small sizes. Sums over nothing are among them. */
static void arrays_products_of_many_sizes(probe *p)
{
    static const int64_t ROWS_OF[] = {1, 2, 3, 4, 7}, SUMS[] = {0, 1, 3, 8, 17},
                         WIDTHS[] = {1, 3, 8, 17, 25, 41};
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++)
            for (int l = 0; l < 6; l++) {
                const int64_t m = ROWS_OF[i], k = SUMS[j], n = WIDTHS[l];
                const gb_node a = constant(p, "a", gb_shape(m, k), -1, 1);
                const gb_node b = constant(p, "b", gb_shape(k, n), -1, 1);
                const gb_node c = constant(p, "c", gb_shape(n, k), -1, 1);
                const gb_node repeated = gb_broadcast(gb_expand(b, 0), gb_shape(3, k, n));
                keep(p, gb_matmul(a, b));
                if (n < 41) /* OpenBLAS is faster for more of these */
                    keep(p, gb_matmul(a, c, .transpose_b = true));
                keep(p, gb_matmul(a, repeated));
                if (p->count + 3 > KEPT)
                    look_at_kept(p, 1);
            }
    look_at_kept(p, 1);
}

/* Products that OpenBLAS carries out: a large one, and one with a transposed argument, where OpenBLAS is
 * faster from smaller sizes on. */
static void arrays_large_products(probe *p)
{
    const gb_node x = variable(p, "x", gb_shape(220, 240), -1, 1);
    const gb_node y = variable(p, "y", gb_shape(240, 230), -1, 1);
    const gb_node z = variable(p, "z", gb_shape(64, 72), -1, 1);
    const gb_node product = gb_matmul(x, y), with_itself = gb_matmul(z, z, .transpose_b = true);
    const gb_node sum = weighted_sum(p, product), other_sum = weighted_sum(p, gb_tanh(with_itself));
    keep(p, product);
    keep(p, with_itself);
    keep_gradient(p, sum, x);
    keep_gradient(p, sum, y);
    keep_gradient(p, other_sum, z);
    look_at_kept(p, 1);
}

/* ---- noise ---- */

static void noise_plain(probe *p)
{
    static gb_node (*const draw[])(gb_noise, gb_shape, gb_axes) = {
        gb_uniform_noise, gb_normal_noise, gb_exponential_noise, gb_gumbel_noise, gb_rademacher_noise};
    const gb_noise stream = gb_stream(p->t, "noise");
    rows_of(p, "row", 3, gb_shape(), 0, 1);
    for (int i = 0; i < 5; i++) {
        keep(p, draw[i](stream, gb_shape(13), GB_SAMPLES));
        keep(p, draw[i](stream, gb_shape(3, 5), 0));
    }
    look_at_kept(p, 3);
}

/* Programs that assign and programs that only look have draws of their own; a step can be repeated. */
static void noise_of_steps(probe *p)
{
    const gb_node x = variable(p, "x", gb_shape(7), -1, 1);
    const gb_node noise = gb_normal_noise(gb_stream(p->t, "noise"), gb_shape(7), GB_SAMPLES | GB_ROWS);
    const gb_node row = rows_of(p, "row", 4, gb_shape(7), -1, 1);
    const gb_node moved = gb_mean_over(gb_mul(noise, row), GB_SAMPLES | GB_ROWS);
    gb_program *const walk = gb_compile(p->t, gb_roots(moved), gb_assign(x, gb_add(x, moved)));
    gb_program *const look_only = gb_compile(p->t, gb_roots(noise, moved), gb_no_update);
    gb_program_set_samples(look_only, 5);
    for (int i = 0; i < 4; i++) {
        gb_run(walk);
        look(p, moved);
        gb_run(look_only);
        look(p, noise);
    }
    gb_program_set_step(walk, 1);
    gb_run(walk);
    look(p, moved);
    look_at_variables(p);
}

static void noise_with_parameters(probe *p)
{
    const gb_noise s = gb_stream(p->t, "noise");
    const gb_shape shape = gb_shape(17);
    const gb_axes axes = GB_SAMPLES;
    const gb_node probability = constant(p, "probability", shape, 0, 1);
    const gb_node alpha = constant(p, "alpha", shape, 0.125, 6), rate = constant(p, "rate", shape, 0, 60);
    const gb_node total = gb_to_real(gb_to_int(constant(p, "total", shape, 0, 80)));
    const gb_node kappa = constant(p, "kappa", shape, 0, 8),
                  logits = constant(p, "logits", gb_shape(17, 5), -2, 2);
    keep(p, gb_bernoulli_noise(s, shape, axes, probability));
    keep(p, gb_gamma_noise(s, shape, axes, alpha));
    keep(p, gb_log_gamma_noise(s, shape, axes, alpha));
    keep(p, gb_poisson_noise(s, shape, axes, rate));
    keep(p, gb_binomial_noise(s, shape, axes, total, probability));
    keep(p, gb_von_mises_noise(s, shape, axes, kappa));
    keep(p, gb_categorical_noise(s, shape, axes, logits));
    look_at_kept(p, 3);
}

/* Draws that depend on each other along the samples, and permutations. */
static void noise_joined(probe *p)
{
    const gb_noise s = gb_stream(p->t, "noise");
    keep(p, gb_sobol_noise(s, gb_shape(3, 2), GB_SAMPLES));
    keep(p, gb_antithetic_noise(s, gb_shape(9), GB_SAMPLES));
    keep(p, gb_permutation_noise(s, 12, GB_SAMPLES));
    look_at_kept(p, 3);
}

/* clang-format off */
#define ARRAY_PROGRAMS                                                                                       \
    PROGRAM("arrays/reductions", arrays_reductions),                                                         \
    SAMPLED("arrays/reductions-over-hidden-axes", arrays_reductions_over_hidden_axes, 5),                    \
    PROGRAM("arrays/scans", arrays_scans),                                                                   \
    PROGRAM("arrays/views", arrays_views),                                                                   \
    PROGRAM("arrays/by-index", arrays_by_index),                                                             \
    PROGRAM("arrays/orders", arrays_orders),                                                                 \
    PROGRAM("arrays/hidden-and-revealed", arrays_hidden_and_revealed),                                       \
    PROGRAM("arrays/matrices", arrays_matrices),                                                             \
    PROGRAM("arrays/cholesky", arrays_cholesky),                                                             \
    PROGRAM("arrays/products", arrays_products),                                                             \
    PROGRAM("arrays/products-of-many-sizes", arrays_products_of_many_sizes),                                 \
    SAMPLED("arrays/products-over-hidden-axes", arrays_products_over_hidden_axes, 3),                        \
    MULTIPLIED("arrays/large-products", arrays_large_products),                                              \
    SAMPLED("noise/plain", noise_plain, 6),                                                                  \
    SAMPLED("noise/of-steps", noise_of_steps, 2),                                                            \
    SAMPLED("noise/with-parameters", noise_with_parameters, 6),                                              \
    SAMPLED("noise/joined", noise_joined, 8)
/* clang-format on */

#endif
