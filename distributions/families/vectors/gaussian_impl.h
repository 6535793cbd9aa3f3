/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the multivariate normals share, however their covariance Σ is given. */
#ifndef GREBE_DISTRIBUTIONS_FAMILIES_VECTORS_GAUSSIAN_IMPL_H
#define GREBE_DISTRIBUTIONS_FAMILIES_VECTORS_GAUSSIAN_IMPL_H

#include "distributions/kl.h"

/* One way to give a covariance Σ = r rᵀ + diag v: r (…, n, k), v (…, n); NULL: there is none of the two. A divergence asks
 * for traces of Σ⁻¹ with each, so that the one of a low rank never sees a matrix of n columns. */
typedef struct gb_gaussian {
    const gb_dist_type *type;
    bool (*fits)(const gb_dist *d); /* whether a distribution of the type is normal; NULL: it is */
    gb_node (*loc)(const gb_dist *d);
    gb_node (*half_log_det)(const gb_dist *d);        /* ½ log |Σ| */
    gb_node (*squares)(const gb_dist *d, gb_node m);  /* tr(mᵀ Σ⁻¹ m) of m (…, n, k) */
    gb_node (*weighted)(const gb_dist *d, gb_node v); /* tr(Σ⁻¹ diag v); NULL: squares of diag √v */
    gb_node (*root)(const gb_dist *d);                /* r */
    gb_node (*diagonal)(const gb_dist *d);            /* v */
} gb_gaussian;

/* All of them: divergences are known between any two. The product is gb_independent of normals. */
extern const gb_gaussian gb_gaussian_by_factor, gb_gaussian_by_precision, gb_gaussian_by_low_rank,
    gb_gaussian_by_product;

/* A distribution whose first parameter is a vector of n elements, the others (…, n, n), (…, n, r) or (…, n). */
gb_dist gb_gaussian_new(const gb_dist_type *type, const gb_node *param);

/* −½ (x − loc)ᵀ Σ⁻¹ (x − loc) − ½ log |Σ| − (n / 2) log 2π, and its entropy. */
gb_node gb_gaussian_log_prob(const gb_gaussian *by, const gb_dist *d, gb_node x);
gb_node gb_gaussian_entropy(const gb_gaussian *by, const gb_dist *d);

/* loc + m ε for normal ε of k elements and m (…, n, k). */
gb_node gb_gaussian_draw(const gb_dist *d, const gb_source *from, gb_node m);

/* Vectors (…, n) as matrices of one column, and a product of matrix and vector. */
gb_node gb_as_column(gb_node x);
gb_node gb_matrix_vector(gb_node m, gb_node x);

/* A pair of them: both are normal, with vectors of one size; and the divergence then. */
#define GB_GAUSSIANS(from, to)                                                                               \
    {                                                                                                        \
        .q = &gb_##from##_type, .p = &gb_##to##_type, .kl = gb_gaussian_kl, .fits = gb_gaussians_fit         \
    }
bool gb_gaussians_fit(const gb_dist *q, const gb_dist *p);
gb_node gb_gaussian_kl(const gb_dist *q, const gb_dist *p);

#endif
