/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cholesky factors of n × n correlation matrices R = L Lᵀ, with density ∝ det(R)^(concentration − 1) in R
 * (Lewandowski, Kurowicka and Joe 2009). L_kk², the share of row k on the diagonal, is Beta(b_k, (k − 1) / 2)
 * with b_k = concentration + (n − k) / 2. The direction of the rest of the row is uniform. */
#include <math.h>

#include "distributions/families/shared/draw_impl.h"
#include "distributions/list.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/matrix.h"
#include "ops/special.h"

static void shape(const gb_dist *d, gb_shape *batch, gb_shape *event)
{
    *batch = gb_node_shape(d->param[0]);
    *event = gb_shape(d->count, d->count);
}

/* For the rows k = 2 … n: (k − 1) / 2 and b_k. */
static gb_node half_rank(const gb_dist *d)
{
    return gb_scale(gb_shift(gb_arange(d->tape, d->count - 1), 1), 0.5);
}

static gb_node concentration_of_rest(const gb_dist *d)
{
    const gb_node rows_left = gb_sub(gb_num(d->tape, (double)d->count - 1), gb_scale(half_rank(d), 2));
    return gb_add(gb_expand(d->param[0], -1), gb_scale(rows_left, 0.5));
}

/* Σ_k a_k log π + log Γ(b_k) − log Γ(b_k + a_k) with a_k = (k − 1) / 2 */
static gb_node log_normaliser(const gb_dist *d)
{
    const gb_node b = concentration_of_rest(d), a = half_rank(d);
    const gb_node log_spheres = gb_sub(gb_scale(a, log(GB_PI)), gb_lgamma(a));
    return gb_sum_event(gb_add(log_spheres, gb_lbeta(a, b)), 1);
}

/* Σ_k (n − k + 2 concentration − 2) log L_kk */
static gb_node log_prob(const gb_dist *d, gb_node x)
{
    const gb_node diagonal = gb_slice(gb_diagonal(x), -1, 1, d->count);
    const gb_node power = gb_scale(gb_shift(concentration_of_rest(d), -1), 2);
    return gb_sub(gb_sum_event(gb_xlogy(power, diagonal), 1), log_normaliser(d));
}

/* m, with n − 1 rows and columns, with a row of zeros above and a column of zeros on the right. */
static gb_node bordered(gb_node m, int64_t n)
{
    const gb_shape above = gb_shape_replace(gb_node_shape(m), -2, 1);
    const gb_shape right = gb_shape_replace(gb_shape_replace(gb_node_shape(m), -2, n), -1, 1);
    const gb_node tall = gb_concat(2, (const gb_node[]){gb_zeros(m.tape, above), m}, -2);
    return gb_concat(2, (const gb_node[]){tall, gb_zeros(m.tape, right)}, -1);
}

/* The rows of a triangle of normal numbers have half squared lengths that are Gamma((k − 1) / 2). Beside a
 * gamma draw of b_k, each row divided by the root of the sum has the law of L. */
static gb_node rsample(const gb_dist *d, const gb_source *from)
{
    gb_source rows = *from;
    gb_shape triangle = from->shape;
    triangle.size[triangle.rank - 2] = triangle.size[triangle.rank - 1] = d->count - 1;
    rows.shape = gb_shape_of(triangle.rank - 1, triangle.size);
    const gb_node normal = gb_tril(gb_normal_noise(from->noise, triangle, from->axes), 0);
    const gb_node rest = gb_scale(gb_exp(gb_log_gamma_draw(&rows, concentration_of_rest(d))), 2);
    const gb_node length = gb_sqrt(gb_add(gb_sum_event(gb_square(normal), 1), rest));
    const gb_shape first = gb_shape_replace(gb_node_shape(length), -1, 1);
    const gb_node diagonal =
        gb_concat(2, (const gb_node[]){gb_ones(d->tape, first), gb_div(gb_sqrt(rest), length)}, -1);
    return gb_add(bordered(gb_div(normal, gb_expand(length, -1)), d->count), gb_diag(diagonal));
}

/* E log L_kk = ½ (ψ(b_k) − ψ(b_k + (k − 1) / 2)) */
static gb_node entropy(const gb_dist *d)
{
    const gb_node b = concentration_of_rest(d), a = half_rank(d);
    const gb_node minus_twice_log = gb_digamma_difference(b, a);
    return gb_add(log_normaliser(d), gb_sum_event(gb_mul(gb_shift(b, -1), minus_twice_log), 1));
}

const gb_dist_type gb_lkj_cholesky_type = {
    .size = sizeof(gb_dist_type),
    .name = "lkj_cholesky",
    .formula = "sum_k (n - k + 2 concentration - 2) log L_kk - log Z",
    .param = {GB_PARAMETER("concentration", GB_POSITIVE)},
    .support = GB_CORRELATION_CHOLESKY,
    .log_prob = log_prob,
    .rsample = rsample,
    .shape = shape,
    .entropy = entropy,
};

gb_dist gb_lkj_cholesky(int64_t dimension, gb_node concentration)
{
    if (dimension < 2) {
        gb_fail(concentration.tape, GB_EARGUMENT, "lkj_cholesky: dimension is %lld, and must be at least 2",
                (long long)dimension);
        return (gb_dist){0};
    }
    return gb_dist_checked(
        (gb_dist){.type = &gb_lkj_cholesky_type, .param = {concentration}, .count = dimension});
}
