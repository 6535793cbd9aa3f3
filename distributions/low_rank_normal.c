/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Normal vectors, by a covariance of low rank and a diagonal, Σ = W Wᵀ + diag v: what costs n³ elsewhere costs n r² here,
 * for W (n, r), by the identities of Woodbury and of Sylvester. */
#include "distributions/gaussian_impl.h"
#include "distributions/list.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/linear.h"
#include "ops/matmul.h"
#include "ops/matrix.h"
#include "ops/reduce.h"

static gb_node loc(const gb_dist *d)
{
    return d->param[0];
}

static gb_node factor(const gb_dist *d)
{
    return d->param[1];
}

/* The rows of a matrix, each divided by the standard deviation of its element. */
static gb_node scaled(const gb_dist *d, gb_node m)
{
    return gb_mul(m, gb_as_column(gb_rsqrt(d->param[2])));
}

/* The Cholesky factor of I + Wᵀ diag(v)⁻¹ W. */
static gb_node capacitance(const gb_dist *d)
{
    const gb_node w = scaled(d, factor(d));
    const gb_node one = gb_eye(d->tape, gb_shape_size(gb_node_shape(w), -1));
    return gb_cholesky(gb_add(one, gb_matmul_with(w, w, .transpose_a = true)));
}

static gb_node half_log_det(const gb_dist *d)
{
    const gb_node of_diagonal = gb_sum_along(gb_log(d->param[2]), gb_axis(-1));
    return gb_add(gb_scale(of_diagonal, 0.5), gb_triangular_log_det(capacitance(d)));
}

/* By least squares, |r|² + |z|² with r = m / √v − (W / √v) z for the best z: nothing cancels in the sum. */
static gb_node squares(const gb_dist *d, gb_node m)
{
    const gb_node white = scaled(d, m), w = scaled(d, factor(d)), l = capacitance(d);
    const gb_node along = gb_triangular_solve(l, gb_matmul_with(w, white, .transpose_a = true));
    const gb_node best = gb_triangular_solve_with(l, along, .transpose = true);
    const gb_node rest = gb_sub(white, gb_matmul(w, best));
    return gb_add(gb_sum_event(gb_square(rest), 2), gb_sum_event(gb_square(best), 2));
}

/* W beside diag √v, for every batch that either has. */
static gb_node root(const gb_dist *d)
{
    const gb_node diagonal = gb_diag(gb_sqrt(d->param[2])), w = factor(d);
    gb_shape wide;
    if (!gb_shape_broadcast(gb_shape_with(gb_node_shape(w), -1, 1), gb_node_shape(diagonal), &wide))
        return w;
    const gb_shape narrow = gb_shape_with(wide, -1, gb_shape_size(gb_node_shape(w), -1));
    return gb_concat(2, (const gb_node[]){gb_broadcast(w, narrow), gb_broadcast(diagonal, wide)}, -1);
}

const gb_gaussian gb_gaussian_by_low_rank = {loc, half_log_det, squares, root};

static gb_node log_prob(const gb_dist *d, gb_node x)
{
    return gb_gaussian_log_prob(&gb_gaussian_by_low_rank, d, x);
}

static gb_node rsample(const gb_dist *d, const gb_source *from)
{
    const gb_node own = gb_normal_noise(from->noise, from->shape, from->axes);
    return gb_add(gb_gaussian_draw(d, from, factor(d)), gb_mul(gb_sqrt(d->param[2]), own));
}

static gb_node variance(const gb_dist *d)
{
    return gb_add(gb_sum_along(gb_square(factor(d)), gb_axis(-1)), d->param[2]);
}

static gb_node entropy(const gb_dist *d)
{
    return gb_gaussian_entropy(&gb_gaussian_by_low_rank, d);
}

const gb_dist_type gb_low_rank_normal_type = {
    .size = sizeof(gb_dist_type),
    .name = "low_rank_normal",
    .formula = "-(x - loc)' S^-1 (x - loc) / 2 - log det S / 2 - n log(2 pi) / 2, S = W W' + diag v",
    .param = {{"loc", GB_REAL_VECTOR}, {"factor", GB_REAL_MATRIX}, {"diagonal", GB_POSITIVE_VECTOR}},
    .support = GB_REAL_VECTOR,
    .log_prob = log_prob,
    .rsample = rsample,
    .mean = loc,
    .variance = variance,
    .mode = loc,
    .entropy = entropy,
    .kl = gb_gaussian_pairs_by_low_rank,
};

gb_dist gb_low_rank_normal(gb_node mean, gb_node low_rank, gb_node diagonal)
{
    return gb_gaussian_new(&gb_low_rank_normal_type, (const gb_node[]){mean, low_rank, diagonal});
}
