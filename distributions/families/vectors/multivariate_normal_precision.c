/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Normal vectors with a covariance given by its inverse, P = Σ⁻¹ = C Cᵀ. */
#include "distributions/families/shared/slots_impl.h"
#include "distributions/families/vectors/gaussian_impl.h"
#include "distributions/list.h"
#include "ops/arrange.h"
#include "ops/elementwise.h"
#include "ops/linear.h"
#include "ops/matmul.h"
#include "ops/reduce.h"

static gb_node factor(const gb_dist *d)
{
    return gb_cholesky(d->param[1]);
}

static gb_node half_log_det(const gb_dist *d)
{
    return gb_neg(gb_triangular_log_det(factor(d)));
}

static gb_node squares(const gb_dist *d, gb_node m)
{
    return gb_sum_event(gb_square(gb_matmul(factor(d), m, .transpose_a = true)), 2);
}

/* C⁻ᵀ */
static gb_node root(const gb_dist *d)
{
    const gb_node one = gb_eye(d->tape, gb_dist_event_shape(*d).size[0]);
    return gb_triangular_solve(factor(d), one, .transpose = true);
}

const gb_gaussian gb_gaussian_by_precision = {.type = &gb_multivariate_normal_precision_type,
                                              .loc = gb_first_parameter,
                                              .half_log_det = half_log_det,
                                              .squares = squares,
                                              .of_noise = gb_noise_squares,
                                              .root = root};

static gb_node log_prob(const gb_dist *d, gb_node x)
{
    return gb_gaussian_log_prob(&gb_gaussian_by_precision, d, x);
}

static gb_node rsample(const gb_dist *d, const gb_source *from)
{
    return gb_gaussian_draw(d, from, root(d));
}

static gb_node variance(const gb_dist *d)
{
    return gb_sum_along(gb_square(root(d)), gb_axis(-1));
}

static gb_node entropy(const gb_dist *d)
{
    return gb_gaussian_entropy(&gb_gaussian_by_precision, d);
}

static const gb_kl_pair pairs[] = {GB_GAUSSIANS(multivariate_normal_precision, multivariate_normal_precision),
                                   GB_GAUSSIANS(multivariate_normal_precision, multivariate_normal),
                                   GB_GAUSSIANS(multivariate_normal, multivariate_normal_precision),
                                   {0}};

const gb_dist_type gb_multivariate_normal_precision_type = {
    .size = sizeof(gb_dist_type),
    .name = "multivariate_normal_precision",
    .formula = "-(x - loc)' P (x - loc) / 2 + log det P / 2 - n log(2 pi) / 2",
    .param = {GB_PARAMETER("loc", GB_REAL_VECTOR), GB_PARAMETER("precision", GB_POSITIVE_DEFINITE)},
    .support = GB_REAL_VECTOR,
    .log_prob = log_prob,
    .rsample = rsample,
    .mean = gb_first_parameter,
    .variance = variance,
    .mode = gb_first_parameter,
    .entropy = entropy,
    .kl = pairs,
};

gb_dist gb_multivariate_normal_precision(gb_node loc, gb_node precision)
{
    return gb_gaussian_new(&gb_multivariate_normal_precision_type, (const gb_node[]){loc, precision});
}
