/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The domains of grebe, parameters that must lie in domains, and the axes of an event. plugins/domain.h says
 * what a domain is. */
#ifndef GREBE_DISTRIBUTIONS_DOMAIN_H
#define GREBE_DISTRIBUTIONS_DOMAIN_H

#include "../plugins/plugin.h"

GB_BEGIN_DECLS

/* π. */
#define GB_PI 3.141592653589793238462643383279502884

/* The domains of the library, which the short names below point to. */
GB_API extern const gb_domain gb_real_domain, gb_non_zero_domain, gb_extended_domain, gb_positive_domain,
    gb_non_negative_domain, gb_unit_domain, gb_signed_unit_domain, gb_open_unit_domain, gb_count_domain,
    gb_binary_domain, gb_circle_domain, gb_real_vector_domain, gb_positive_vector_domain, gb_ordered_domain,
    gb_positive_ordered_domain, gb_simplex_domain, gb_logits_domain, gb_one_hot_domain,
    gb_count_vector_domain, gb_real_matrix_domain, gb_covariance_cholesky_domain,
    gb_correlation_cholesky_domain, gb_positive_definite_domain, gb_correlation_domain;

/* Pointers to them. Vectors and matrices have elements as their names say; others are explained. */
#define GB_REAL (&gb_real_domain)                 /* the finite numbers */
#define GB_NON_ZERO (&gb_non_zero_domain)         /* but 0 */
#define GB_EXTENDED (&gb_extended_domain)         /* numbers and infinities */
#define GB_POSITIVE (&gb_positive_domain)         /* finite and above 0 */
#define GB_NON_NEGATIVE (&gb_non_negative_domain) /* 0 too */
#define GB_UNIT (&gb_unit_domain)                 /* 0 and 1 too */
#define GB_SIGNED_UNIT (&gb_signed_unit_domain)
#define GB_OPEN_UNIT (&gb_open_unit_domain)
#define GB_COUNT (&gb_count_domain)   /* 0, 1, 2 ... */
#define GB_BINARY (&gb_binary_domain) /* 0 and 1 */
#define GB_CIRCLE (&gb_circle_domain) /* from -pi to pi */
#define GB_REAL_VECTOR (&gb_real_vector_domain)
#define GB_POSITIVE_VECTOR (&gb_positive_vector_domain)
#define GB_ORDERED (&gb_ordered_domain)
#define GB_POSITIVE_ORDERED (&gb_positive_ordered_domain)
#define GB_SIMPLEX (&gb_simplex_domain) /* probabilities; their sum is 1 to 1e-6, on a float tape to 1e-5 */
#define GB_LOGITS (&gb_logits_domain)   /* -infinity stands for a probability of 0 */
#define GB_ONE_HOT (&gb_one_hot_domain)
#define GB_COUNT_VECTOR (&gb_count_vector_domain)
#define GB_REAL_MATRIX (&gb_real_matrix_domain)
#define GB_COVARIANCE_CHOLESKY (&gb_covariance_cholesky_domain) /* lower triangles with a positive diagonal */
#define GB_CORRELATION_CHOLESKY (&gb_correlation_cholesky_domain) /* the same, with rows of length 1 */
#define GB_POSITIVE_DEFINITE (&gb_positive_definite_domain) /* covariances; symmetric to 1e-8, float 1e-5 */
#define GB_CORRELATION (&gb_correlation_domain) /* the same, with a diagonal of ones to 1e-6, float 1e-5 */

/* Returns a boolean for each element of x: true if no member of the domain has that element, whatever its
 * other elements are. In all else like gb_domain_outside. */
GB_API gb_node gb_domain_elements_outside(const gb_domain *domain, gb_node x);

/* Where x is no member: a boolean for each event of x (false where x is NaN). Inert, without error, where all
 * numbers are members. */
GB_API gb_node gb_domain_outside(const gb_domain *domain, gb_node x);

/* ---- parameters ---- */

enum { GB_MAX_PARAMS = 4 };

/* A parameter in the table of a distribution: a node of that domain. In a text, one with a default may be
 * omitted. */
#define GB_PARAMETER(name_, domain_)                                                                         \
    {                                                                                                        \
        .name = (name_), .domain = (domain_), .is_argument = true                                            \
    }
#define GB_PARAMETER_OR(name_, domain_, default_)                                                            \
    {                                                                                                        \
        .name = (name_), .domain = (domain_), .fallback = (default_), .is_argument = true,                   \
        .is_optional = true                                                                                  \
    }

/* What one parameter (of numbers) must be with respect to the others. */
typedef struct gb_relation {
    size_t which;        /* parameter */
    const char *must_be; /* "above low" */
    /* Of the parameters: true for each of the batch where it is not. NULL: no relation. */
    gb_node (*outside)(const gb_node *param);
} gb_relation;

/* ---- axes of an event, for authors of distributions and transforms ---- */

/* The sum over the last `rank` axes. Fails if x has fewer. */
GB_API gb_node gb_sum_event(gb_node x, int rank);

/* Returns x with `count` axes of size 1 added at its end, but with GB_MAX_RANK axes at most. If some did
 * not fit, the result does not broadcast with what it is used with. */
GB_API gb_node gb_add_axes(gb_node x, int count);

GB_END_DECLS
#endif
