/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Normal vectors, by the inverse of their covariance, P = Σ⁻¹ = C Cᵀ. */
#include "distributions/families/vectors/gaussian_impl.h"
#include "distributions/list.h"
#include "ops/arrange.h"
#include "ops/elementwise.h"
#include "ops/linear.h"
#include "ops/matmul.h"
#include "ops/reduce.h"

static gb_node loc(const gb_dist *d)
{
    return d->param[0];
}

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
    return gb_sum_event(gb_square(gb_matmul_with(factor(d), m, .transpose_a = true)), 2);
}

/* C⁻ᵀ */
static gb_node root(const gb_dist *d)
{
    const gb_node one = gb_eye(d->tape, gb_dist_event_shape(*d).size[0]);
    return gb_triangular_solve_with(factor(d), one, .transpose = true);
}

const gb_gaussian gb_gaussian_by_precision = {.type = &gb_multivariate_normal_precision_type,
                                              .next = &gb_gaussian_by_factor,
                                              .loc = loc,
                                              .half_log_det = half_log_det,
                                              .squares = squares,
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

static bool fits(const gb_dist *q, const gb_dist *p)
{
    return gb_gaussians_fit(&gb_gaussian_by_precision, q, p);
}

static gb_node kl(const gb_dist *q, const gb_dist *p)
{
    return gb_gaussian_kl(&gb_gaussian_by_precision, q, p);
}

static const gb_kl_pair pairs[] = {
    {.q = &gb_multivariate_normal_precision_type,
     .p = &gb_multivariate_normal_precision_type,
     .kl = kl,
     .fits = fits},
    {.q = &gb_multivariate_normal_precision_type, .p = &gb_multivariate_normal_type, .kl = kl, .fits = fits},
    {.q = &gb_multivariate_normal_type, .p = &gb_multivariate_normal_precision_type, .kl = kl, .fits = fits},
    {0}};

const gb_dist_type gb_multivariate_normal_precision_type = {
    .size = sizeof(gb_dist_type),
    .name = "multivariate_normal_precision",
    .formula = "-(x - loc)' P (x - loc) / 2 + log det P / 2 - n log(2 pi) / 2",
    .param = {{"loc", GB_REAL_VECTOR}, {"precision", GB_POSITIVE_DEFINITE}},
    .support = GB_REAL_VECTOR,
    .log_prob = log_prob,
    .rsample = rsample,
    .mean = loc,
    .variance = variance,
    .mode = loc,
    .entropy = entropy,
    .kl = pairs,
};

gb_dist gb_multivariate_normal_precision(gb_node loc, gb_node precision)
{
    return gb_gaussian_new(&gb_multivariate_normal_precision_type, (const gb_node[]){loc, precision});
}
