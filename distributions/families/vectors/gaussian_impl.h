/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the multivariate normals, however their covariance Σ is given. */
#ifndef GREBE_DISTRIBUTIONS_FAMILIES_VECTORS_GAUSSIAN_IMPL_H
#define GREBE_DISTRIBUTIONS_FAMILIES_VECTORS_GAUSSIAN_IMPL_H

#include "distributions/kl.h"

/* One way to give a covariance Σ = r rᵀ + diag v with r (…, n, k) and v (…, n). NULL: that part is 0. A
 * divergence asks for the traces of Σ⁻¹ with r rᵀ and with diag v separately, so that a low rank never makes
 * a matrix of n columns. */
typedef struct gb_gaussian {
    const gb_dist_type *type;
    bool (*fits)(const gb_dist *d); /* NULL: every distribution of the type is normal */
    gb_node (*loc)(const gb_dist *d);
    gb_node (*half_log_det)(const gb_dist *d);        /* ½ log |Σ| */
    gb_node (*squares)(const gb_dist *d, gb_node m);  /* tr(mᵀ Σ⁻¹ m) of m (…, n, k) */
    gb_node (*weighted)(const gb_dist *d, gb_node v); /* tr(Σ⁻¹ diag v); NULL: squares of diag √v */
    /* (x − loc)ᵀ Σ⁻¹ (x − loc) of a draw x, by the standard normals that it was made from */
    gb_node (*of_noise)(const gb_dist *d, gb_node noise);
    /* the same with the gradient at a fixed x; NULL: that of squares, which has fewer digits */
    gb_node (*held)(const gb_dist *d, gb_node noise, gb_node x);
    gb_node (*root)(const gb_dist *d);     /* r */
    gb_node (*diagonal)(const gb_dist *d); /* v */
} gb_gaussian;

/* All ways. There are divergences between any two. The product is gb_independent of normals. */
extern const gb_gaussian gb_gaussian_by_factor, gb_gaussian_by_precision, gb_gaussian_by_low_rank,
    gb_gaussian_by_product;

/* A distribution whose first parameter is loc (…, n), and the others (…, n, n), (…, n, r) or (…, n). */
gb_dist gb_gaussian_new(const gb_dist_type *type, const gb_node *param);

/* −½ (x − loc)ᵀ Σ⁻¹ (x − loc) − ½ log |Σ| − (n / 2) log 2π, and its entropy. */
gb_node gb_gaussian_log_prob(const gb_gaussian *by, const gb_dist *d, gb_node x);
gb_node gb_gaussian_entropy(const gb_gaussian *by, const gb_dist *d);

/* For `of_noise`: Σ ε². */
gb_node gb_noise_squares(const gb_dist *d, gb_node noise);

/* k standard normal numbers ε for m (…, n, k); loc + m ε. */
gb_node gb_gaussian_noise(const gb_source *from, gb_node m);
gb_node gb_gaussian_draw(const gb_dist *d, const gb_source *from, gb_node m);

/* Vectors (…, n) as matrices of one column; the product of a matrix and a vector. */
gb_node gb_as_column(gb_node x);
gb_node gb_matrix_vector(gb_node m, gb_node x);

/* A pair of two types above, for normals with vectors of the same size. */
#define GB_GAUSSIANS(from, to)                                                                               \
    {                                                                                                        \
        .q = &gb_##from##_type, .p = &gb_##to##_type, .kl = gb_gaussian_kl, .fits = gb_gaussians_fit         \
    }
bool gb_gaussians_fit(const gb_dist *q, const gb_dist *p);
gb_node gb_gaussian_kl(const gb_dist *q, const gb_dist *p);

#endif
