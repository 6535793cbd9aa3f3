/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The distributions that grebe has. A new one is a file and a line here. From the line come the declarations
 * of gb_NAME(parameters) and gb_NAME_type, the definition of the constructor, look-up by name, listings, and
 * the conformance tests. */
#ifndef GREBE_DISTRIBUTIONS_LIST_H
#define GREBE_DISTRIBUTIONS_LIST_H

#include "distribution.h"

GB_BEGIN_DECLS

/* clang-format off */
/* Name, how many nodes its constructor passes to gb_dist_of (0: its file defines it), parameters. */
#define GB_DIST_LIST(do_)                                                                            \
    do_(normal, 2, (gb_node loc, gb_node scale))                                                             \
    do_(multivariate_normal, 0, (gb_node loc, gb_node scale_tril))                                           \
    do_(multivariate_normal_precision, 0, (gb_node loc, gb_node precision))                                  \
    do_(low_rank_normal, 0, (gb_node loc, gb_node factor, gb_node diagonal))                                 \
    do_(lkj_cholesky, 0, (int64_t dimension, gb_node concentration))                                         \
    do_(transformed, 0, (gb_dist base, gb_transform transform))                                              \
    do_(independent, 0, (gb_dist base, int axes))                                                            \
    do_(mixture, 0, (gb_node logits, gb_dist components))                                                    \
    do_(bernoulli, 1, (gb_node prob))  /* 0 or 1 */                                                          \
    do_(binomial, 2, (gb_node total, gb_node prob))  /* successes in `total` trials */                       \
    do_(geometric, 1, (gb_node prob))  /* failures before the first success */                               \
    do_(poisson, 1, (gb_node rate))                                                                          \
    do_(beta_binomial, 3, (gb_node total, gb_node alpha, gb_node beta))  /* its prob is a beta draw */       \
    do_(negative_binomial, 2, (gb_node total, gb_node prob))  /* successes before `total` failures */        \
    do_(zero_inflated, 0, (gb_node prob, gb_dist base))  /* 0 with probability prob, else of base */         \
    do_(ordered_logistic, 2, (gb_node eta, gb_node cutpoints))  /* a level 0 … K of K cutpoints */           \
    do_(categorical, 1, (gb_node probs))  /* a category, as a number 0 … K − 1 */                            \
    do_(one_hot_categorical, 1, (gb_node probs))  /* a category, as a vector with one 1 */                   \
    do_(multinomial, 2, (gb_node total, gb_node probs))                                                      \
    do_(relaxed_bernoulli, 2, (gb_node temperature, gb_node prob))  /* a number in (0, 1) */                 \
    do_(relaxed_categorical, 2, (gb_node temperature, gb_node probs))  /* a point of the simplex */          \
    do_(lognormal, 2, (gb_node loc, gb_node scale))                                                          \
    do_(half_normal, 1, (gb_node scale))                                                                     \
    do_(truncated_normal, 4, (gb_node loc, gb_node scale, gb_node low, gb_node high))                        \
    do_(skew_normal, 3, (gb_node loc, gb_node scale, gb_node shape))                                         \
    do_(student_t, 3, (gb_node df, gb_node loc, gb_node scale))                                              \
    do_(cauchy, 2, (gb_node loc, gb_node scale))                                                             \
    do_(half_cauchy, 1, (gb_node scale))                                                                     \
    do_(laplace, 2, (gb_node loc, gb_node scale))                                                            \
    do_(logistic, 2, (gb_node loc, gb_node scale))                                                           \
    do_(gumbel, 2, (gb_node loc, gb_node scale))                                                             \
    do_(uniform, 2, (gb_node low, gb_node high))                                                             \
    do_(exponential, 1, (gb_node rate))                                                                      \
    do_(scale_mixture, 3, (gb_node prob, gb_node scale_1, gb_node scale_2))                                  \
    do_(spike_and_slab, 3, (gb_node prob, gb_node loc, gb_node scale))                                       \
    do_(point_mass, 1, (gb_node value))                                                                      \
    do_(bernoulli_dropout, 2, (gb_node weight, gb_node keep))                                                \
    do_(unit_dropout, 2, (gb_node weight, gb_node keep))  /* a vector, kept or dropped as a whole */         \
    do_(gamma, 2, (gb_node concentration, gb_node rate))                                                     \
    do_(inverse_gamma, 2, (gb_node concentration, gb_node scale))                                            \
    do_(chi_squared, 1, (gb_node df))                                                                        \
    do_(inverse_gaussian, 2, (gb_node mean, gb_node shape))                                                  \
    do_(beta, 2, (gb_node alpha, gb_node beta))                                                              \
    do_(kumaraswamy, 2, (gb_node a, gb_node b))                                                              \
    do_(weibull, 2, (gb_node concentration, gb_node scale))                                                  \
    do_(pareto, 2, (gb_node scale, gb_node concentration))                                                   \
    do_(von_mises, 2, (gb_node loc, gb_node concentration))                                                  \
    do_(dirichlet, 1, (gb_node concentration))

/* The same types with other parameters: constructor, type, how many nodes it passes on, parameters. */
#define GB_ALTERNATIVE_LIST(do_)                                                                             \
    do_(bernoulli_logits, bernoulli, 1, (gb_node logits))                                                    \
    do_(binomial_logits, binomial, 2, (gb_node total, gb_node logits))                                       \
    do_(geometric_logits, geometric, 1, (gb_node logits))                                                    \
    do_(poisson_log, poisson, 1, (gb_node log_rate))                                                         \
    do_(zero_inflated_logits, zero_inflated, 0, (gb_node logits, gb_dist base))                              \
    do_(negative_binomial_logits, negative_binomial, 2, (gb_node total, gb_node logits))                     \
    do_(categorical_logits, categorical, 1, (gb_node logits))                                                \
    do_(one_hot_categorical_logits, one_hot_categorical, 1, (gb_node logits))                                \
    do_(multinomial_logits, multinomial, 2, (gb_node total, gb_node logits))                                 \
    do_(relaxed_bernoulli_logits, relaxed_bernoulli, 2, (gb_node temperature, gb_node logits))               \
    do_(relaxed_categorical_logits, relaxed_categorical, 2, (gb_node temperature, gb_node logits))
/* clang-format on */

#define GB_DECLARE_DISTRIBUTION(name, nodes, parameters)                                                     \
    GB_API extern const gb_dist_type gb_##name##_type;                                                       \
    GB_API gb_dist gb_##name parameters;
#define GB_DECLARE_ALTERNATIVE(name, type, nodes, parameters) GB_API gb_dist gb_##name parameters;
GB_DIST_LIST(GB_DECLARE_DISTRIBUTION)
GB_ALTERNATIVE_LIST(GB_DECLARE_ALTERNATIVE)
#undef GB_DECLARE_DISTRIBUTION
#undef GB_DECLARE_ALTERNATIVE

GB_DECLARE_KIND_LIST(gb_dist, gb_dists)

GB_END_DECLS
#endif
