/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Normal vectors with a covariance given by its Cholesky factor, Σ = L Lᵀ. */
#include "distributions/families/shared/slots_impl.h"
#include "distributions/families/vectors/gaussian_impl.h"
#include "distributions/list.h"
#include "ops/elementwise.h"
#include "ops/linear.h"
#include "ops/matrix.h"
#include "ops/reduce.h"

/* Zeros above the diagonal have no gradient, so a step of gradients keeps the triangle. */
static gb_node root(const gb_dist *d)
{
    return gb_tril(d->param[1], 0);
}

static gb_node half_log_det(const gb_dist *d)
{
    return gb_triangular_log_det(d->param[1]);
}

static gb_node squares(const gb_dist *d, gb_node m)
{
    return gb_sum_event(gb_square(gb_triangular_solve(d->param[1], m)), 2);
}

const gb_gaussian gb_gaussian_by_factor = {.type = &gb_multivariate_normal_type,
                                           .loc = gb_first_parameter,
                                           .half_log_det = half_log_det,
                                           .squares = squares,
                                           .root = root};

static gb_node log_prob(const gb_dist *d, gb_node x)
{
    return gb_gaussian_log_prob(&gb_gaussian_by_factor, d, x);
}

static gb_node rsample(const gb_dist *d, const gb_source *from)
{
    return gb_gaussian_draw(d, from, root(d));
}

static gb_node variance(const gb_dist *d)
{
    return gb_sum_along(gb_square(d->param[1]), gb_axis(-1));
}

static gb_node entropy(const gb_dist *d)
{
    return gb_gaussian_entropy(&gb_gaussian_by_factor, d);
}

static const gb_kl_pair pairs[] = {GB_GAUSSIANS(multivariate_normal, multivariate_normal), {0}};

const gb_dist_type gb_multivariate_normal_type = {
    .size = sizeof(gb_dist_type),
    .name = "multivariate_normal",
    .formula = "-|L^-1 (x - loc)|^2 / 2 - log det L - n log(2 pi) / 2",
    .param = {GB_PARAMETER("loc", GB_REAL_VECTOR), GB_PARAMETER("scale_tril", GB_COVARIANCE_CHOLESKY)},
    .support = GB_REAL_VECTOR,
    .log_prob = log_prob,
    .rsample = rsample,
    .mean = gb_first_parameter,
    .variance = variance,
    .mode = gb_first_parameter,
    .entropy = entropy,
    .kl = pairs,
};

gb_dist gb_multivariate_normal(gb_node loc, gb_node scale_tril)
{
    return gb_gaussian_new(&gb_multivariate_normal_type, (const gb_node[]){loc, scale_tril});
}
