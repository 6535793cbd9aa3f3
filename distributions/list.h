/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The distributions that grebe has. A new one is a file and a line here: from the line come the declarations
 * of gb_NAME(parameters) and gb_NAME_type, look-up by name, listings, and the conformance tests. */
#ifndef GREBE_DISTRIBUTIONS_LIST_H
#define GREBE_DISTRIBUTIONS_LIST_H

#include "distribution.h"

GB_BEGIN_DECLS

/* clang-format off */
/* name, parameters */
#define GB_DISTRIBUTION_LIST(do_)                                                                            \
    do_(normal, (gb_node loc, gb_node scale))                                                                \
    do_(multivariate_normal, (gb_node loc, gb_node scale_tril))                                              \
    do_(multivariate_normal_precision, (gb_node loc, gb_node precision))                                     \
    do_(low_rank_normal, (gb_node loc, gb_node factor, gb_node diagonal))                                    \
    do_(lkj_cholesky, (int64_t dimension, gb_node concentration))                                            \
    do_(transformed, (gb_dist base, gb_transform transform))                                                 \
    do_(independent, (gb_dist base, int axes))                                                               \
    do_(mixture, (gb_node logits, gb_dist components))                                                       \
    do_(bernoulli, (gb_node prob))                                       /* of 0 and 1 */                    \
    do_(binomial, (gb_node total, gb_node prob))                         /* successes in total trials */     \
    do_(geometric, (gb_node prob))                                       /* failures before a success */     \
    do_(poisson, (gb_node rate))                                                                             \
    do_(negative_binomial, (gb_node total, gb_node prob))   /* successes before total failures; total real */ \
    do_(categorical, (gb_node probs))                                    /* of the numbers 0 ... K - 1 */    \
    do_(one_hot_categorical, (gb_node probs))                            /* of vectors: a 1 among zeros */   \
    do_(multinomial, (gb_node total, gb_node probs))                                                         \
    do_(relaxed_bernoulli, (gb_node temperature, gb_node prob))          /* of (0, 1) */                     \
    do_(relaxed_categorical, (gb_node temperature, gb_node probs))       /* of the simplex */                \
    do_(lognormal, (gb_node loc, gb_node scale))                                                             \
    do_(half_normal, (gb_node scale))                                                                        \
    do_(truncated_normal, (gb_node loc, gb_node scale, gb_node low, gb_node high))                           \
    do_(student_t, (gb_node df, gb_node loc, gb_node scale))                                                 \
    do_(cauchy, (gb_node loc, gb_node scale))                                                                \
    do_(half_cauchy, (gb_node scale))                                                                        \
    do_(laplace, (gb_node loc, gb_node scale))                                                               \
    do_(logistic, (gb_node loc, gb_node scale))                                                              \
    do_(gumbel, (gb_node loc, gb_node scale))                                                                \
    do_(uniform, (gb_node low, gb_node high))                                                                \
    do_(exponential, (gb_node rate))                                                                         \
    do_(scale_mixture, (gb_node prob, gb_node scale_1, gb_node scale_2))                                     \
    do_(spike_and_slab, (gb_node prob, gb_node loc, gb_node scale))                                          \
    do_(point_mass, (gb_node value))                                                                         \
    do_(bernoulli_dropout, (gb_node weight, gb_node keep))                                                   \
    do_(unit_dropout, (gb_node weight, gb_node keep))       /* of vectors, kept or dropped as a whole */     \
    do_(gamma, (gb_node concentration, gb_node rate))                                                        \
    do_(inverse_gamma, (gb_node concentration, gb_node scale))                                               \
    do_(chi_squared, (gb_node df))                                                                           \
    do_(beta, (gb_node alpha, gb_node beta))                                                                 \
    do_(kumaraswamy, (gb_node a, gb_node b))                                                                 \
    do_(weibull, (gb_node concentration, gb_node scale))                                                     \
    do_(pareto, (gb_node scale, gb_node concentration))                                                      \
    do_(von_mises, (gb_node loc, gb_node concentration))                                                     \
    do_(dirichlet, (gb_node concentration))

/* The same types, by other parameters: constructor, parameters */
#define GB_ALTERNATIVE_LIST(do_)                                                                             \
    do_(bernoulli_logits, (gb_node logits))                                                                  \
    do_(binomial_logits, (gb_node total, gb_node logits))                                                    \
    do_(geometric_logits, (gb_node logits))                                                                  \
    do_(negative_binomial_logits, (gb_node total, gb_node logits))                                           \
    do_(categorical_logits, (gb_node logits))                                                                \
    do_(one_hot_categorical_logits, (gb_node logits))                                                        \
    do_(multinomial_logits, (gb_node total, gb_node logits))                                                 \
    do_(relaxed_bernoulli_logits, (gb_node temperature, gb_node logits))                                     \
    do_(relaxed_categorical_logits, (gb_node temperature, gb_node logits))
/* clang-format on */

#define GB_DECLARE_CONSTRUCTOR(name, parameters) GB_API gb_dist gb_##name parameters;
#define GB_DECLARE_DISTRIBUTION(name, parameters)                                                            \
    GB_API extern const gb_dist_type gb_##name##_type;                                                       \
    GB_DECLARE_CONSTRUCTOR(name, parameters)
GB_DISTRIBUTION_LIST(GB_DECLARE_DISTRIBUTION)
GB_ALTERNATIVE_LIST(GB_DECLARE_CONSTRUCTOR)
#undef GB_DECLARE_DISTRIBUTION
#undef GB_DECLARE_CONSTRUCTOR

/* All of them; `count` receives how many. The list and what it points to are constants. */
GB_API const gb_dist_type *const *gb_distributions(size_t *count);

/* The distribution of that name, NULL if there is none. */
GB_API const gb_dist_type *gb_distribution_find(const char *name);

GB_END_DECLS
#endif
