/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Normal vectors with a covariance of low rank plus a diagonal, Σ = W Wᵀ + diag v with W (n, r). By the
 * identities of Woodbury and Sylvester they cost n r² where others cost n³. */
#include "distributions/families/shared/slots_impl.h"
#include "distributions/families/vectors/gaussian_impl.h"
#include "distributions/law/own_draw_impl.h"
#include "distributions/list.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/linear.h"
#include "ops/matmul.h"
#include "ops/matrix.h"
#include "ops/reduce.h"

static gb_node factor(const gb_dist *d)
{
    return d->param[1];
}

static gb_node diagonal(const gb_dist *d)
{
    return d->param[2];
}

/* The rows of m, each divided by the standard deviation √v of its element. */
static gb_node scaled(const gb_dist *d, gb_node m)
{
    return gb_mul(m, gb_as_column(gb_rsqrt(d->param[2])));
}

/* The Cholesky factor of I + Wᵀ diag(v)⁻¹ W. */
static gb_node capacitance(const gb_dist *d)
{
    const gb_node w = scaled(d, factor(d));
    const gb_node one = gb_eye(d->tape, gb_shape_size(gb_node_shape(w), -1));
    return gb_cholesky(gb_add(one, gb_matmul(w, w, .transpose_a = true)));
}

static gb_node half_log_det(const gb_dist *d)
{
    const gb_node of_diagonal = gb_sum_along(gb_log(d->param[2]), gb_axis(-1));
    return gb_add(gb_scale(of_diagonal, 0.5), gb_triangular_log_det(capacitance(d)));
}

/* By least squares: |r|² + |z|² with r = m / √v − (W / √v) z for the best z. Nothing cancels in the sum. */
static gb_node squares(const gb_dist *d, gb_node m)
{
    const gb_node white = scaled(d, m), w = scaled(d, factor(d)), l = capacitance(d);
    const gb_node along = gb_triangular_solve(l, gb_matmul(w, white, .transpose_a = true));
    const gb_node best = gb_triangular_solve(l, along, .transpose = true);
    const gb_node rest = gb_sub(white, gb_matmul(w, best));
    return gb_add(gb_sum_event(gb_square(rest), 2), gb_sum_event(gb_square(best), 2));
}

/* The draw is loc + W e + √v u with the noise (e, u). Then it is |u − W z / √v|² + |e + z|² for the best z.
 * W and √v may be of any size against each other. */
static gb_node squares_of_noise(const gb_dist *d, gb_node noise)
{
    const int64_t r = gb_shape_size(gb_node_shape(factor(d)), -1), n = gb_dist_event_shape(*d).size[0];
    const gb_node e = gb_as_column(gb_slice(noise, -1, 0, r)),
                  u = gb_as_column(gb_slice(noise, -1, r, r + n));
    const gb_node w = scaled(d, factor(d)), l = capacitance(d);
    const gb_node slope = gb_sub(gb_matmul(w, u, .transpose_a = true), e);
    const gb_node best = gb_triangular_solve(l, gb_triangular_solve(l, slope), .transpose = true);
    const gb_node rest = gb_sub(u, gb_matmul(w, best));
    return gb_add(gb_sum_event(gb_square(rest), 2), gb_sum_event(gb_square(gb_add(e, best)), 2));
}

/* tr(Σ⁻¹ diag u) = Σ (uᵢ / vᵢ) (1 − hᵢ), where hᵢ is the share of element i that W explains. The hᵢ add up to
 * less than r. If n is not much larger than r, 1 − hᵢ would cancel, and diag √u are columns for `squares`. */
static gb_node weighted(const gb_dist *d, gb_node u)
{
    const gb_shape shape = gb_node_shape(factor(d));
    if (gb_shape_size(shape, -2) <= 2 * gb_shape_size(shape, -1))
        return squares(d, gb_diag(gb_sqrt(u)));
    const gb_node rows = gb_matrix_transpose(scaled(d, factor(d)));
    const gb_node share = gb_sum_along(gb_square(gb_triangular_solve(capacitance(d), rows)), gb_axis(-2));
    return gb_sum_along(gb_mul(gb_div(u, d->param[2]), gb_shift(gb_neg(share), 1)), gb_axis(-1));
}

const gb_gaussian gb_gaussian_by_low_rank = {.type = &gb_low_rank_normal_type,
                                             .loc = gb_first_parameter,
                                             .half_log_det = half_log_det,
                                             .squares = squares,
                                             .of_noise = squares_of_noise,
                                             .weighted = weighted,
                                             .root = factor,
                                             .diagonal = diagonal};

static gb_node log_prob(const gb_dist *d, gb_node x)
{
    return gb_gaussian_log_prob(&gb_gaussian_by_low_rank, d, x);
}

static gb_node rsample(const gb_dist *d, const gb_source *from)
{
    const gb_node own = gb_normal_noise(from->noise, from->shape, from->axes);
    const gb_node apart = gb_mul(gb_sqrt(d->param[2]), own), common = gb_gaussian_noise(from, factor(d));
    const gb_node along = gb_add(d->param[0], gb_matrix_vector(factor(d), common));
    const gb_node noise = gb_concat(2, (const gb_node[]){common, own}, -1);
    return gb_drawn(d, gb_add(along, apart), noise);
}

static gb_node variance(const gb_dist *d)
{
    return gb_add(gb_sum_along(gb_square(factor(d)), gb_axis(-1)), d->param[2]);
}

static gb_node entropy(const gb_dist *d)
{
    return gb_gaussian_entropy(&gb_gaussian_by_low_rank, d);
}

static const gb_kl_pair pairs[] = {GB_GAUSSIANS(low_rank_normal, low_rank_normal),
                                   GB_GAUSSIANS(low_rank_normal, multivariate_normal),
                                   GB_GAUSSIANS(multivariate_normal, low_rank_normal),
                                   GB_GAUSSIANS(low_rank_normal, multivariate_normal_precision),
                                   GB_GAUSSIANS(multivariate_normal_precision, low_rank_normal),
                                   {0}};

const gb_dist_type gb_low_rank_normal_type = {
    .size = sizeof(gb_dist_type),
    .name = "low_rank_normal",
    .formula = "-(x - loc)' S^-1 (x - loc) / 2 - log det S / 2 - n log(2 pi) / 2, S = W W' + diag v",
    .param = {GB_PARAMETER("loc", GB_REAL_VECTOR), GB_PARAMETER("factor", GB_REAL_MATRIX),
              GB_PARAMETER("diagonal", GB_POSITIVE_VECTOR)},
    .support = GB_REAL_VECTOR,
    .log_prob = log_prob,
    .rsample = rsample,
    .mean = gb_first_parameter,
    .variance = variance,
    .mode = gb_first_parameter,
    .entropy = entropy,
    .kl = pairs,
};

gb_dist gb_low_rank_normal(gb_node loc, gb_node factor, gb_node diagonal)
{
    return gb_gaussian_new(&gb_low_rank_normal_type, (const gb_node[]){loc, factor, diagonal});
}
