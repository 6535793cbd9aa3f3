/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The settings of the pictures: name, values of the parameters. A distribution of numbers without a line is
 * drawn with typical values of its domains. */
#ifndef GREBE_DOCS_GENERATE_PICTURES_OF_DISTRIBUTIONS_TABLE_H
#define GREBE_DOCS_GENERATE_PICTURES_OF_DISTRIBUTIONS_TABLE_H

#define PICTURE_LIST(do_)                    \
    do_(normal,            0, 1)             \
    do_(normal,            2, 0.5)           \
    do_(lognormal,         0, 0.5)           \
    do_(lognormal,         0.5, 0.25)        \
    do_(half_normal,       1)                \
    do_(half_normal,       2)                \
    do_(truncated_normal,  0, 1, -1, 2)      \
    do_(truncated_normal,  2, 2, -1, 2)      \
    do_(skew_normal,       0, 1, 4)          \
    do_(skew_normal,       1, 0.5, -2)       \
    do_(student_t,         2, 0, 1)          \
    do_(student_t,         30, 1, 0.5)       \
    do_(cauchy,            0, 1)             \
    do_(cauchy,            1, 0.5)           \
    do_(half_cauchy,       1)                \
    do_(half_cauchy,       2)                \
    do_(laplace,           0, 1)             \
    do_(laplace,           1, 0.5)           \
    do_(logistic,          0, 1)             \
    do_(logistic,          2, 0.5)           \
    do_(gumbel,            0, 1)             \
    do_(gumbel,            2, 0.5)           \
    do_(uniform,           0, 1)             \
    do_(uniform,           -1, 2)            \
    do_(exponential,       1)                \
    do_(exponential,       0.5)              \
    do_(scale_mixture,     0.5, 2, 0.3)      \
    do_(spike_and_slab,    0.5, 1, 1)        \
    do_(gamma,             2, 1)             \
    do_(gamma,             5, 2)             \
    do_(inverse_gamma,     3, 2)             \
    do_(inverse_gamma,     5, 6)             \
    do_(inverse_gaussian,  1, 1)             \
    do_(inverse_gaussian,  2, 10)            \
    do_(chi_squared,       3)                \
    do_(chi_squared,       6)                \
    do_(beta,              2, 5)             \
    do_(beta,              0.5, 0.5)         \
    do_(kumaraswamy,       2, 5)             \
    do_(kumaraswamy,       0.5, 0.5)         \
    do_(weibull,           1.5, 1)           \
    do_(weibull,           4, 2)             \
    do_(pareto,            1, 3)             \
    do_(pareto,            2, 6)             \
    do_(von_mises,         0, 2)             \
    do_(von_mises,         2, 8)             \
    do_(relaxed_bernoulli, 0.5, 0.5)         \
    do_(relaxed_bernoulli, 1, 0.7)           \
    do_(bernoulli,         0.3)              \
    do_(bernoulli,         0.8)              \
    do_(binomial,          10, 0.3)          \
    do_(binomial,          20, 0.7)          \
    do_(geometric,         0.3)              \
    do_(geometric,         0.7)              \
    do_(poisson,           2)                \
    do_(poisson,           8)                \
    do_(beta_binomial,     10, 2, 3)         \
    do_(beta_binomial,     20, 0.5, 0.5)     \
    do_(negative_binomial, 3, 0.5)           \
    do_(negative_binomial, 10, 0.4)          \
    do_(point_mass,        1)                \
    do_(bernoulli_dropout, 1.5, 0.8)

#endif
