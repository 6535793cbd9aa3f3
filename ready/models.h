/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ready models, for gb_analysis_new (analysis.h):
 *
 *     gb_analysis *a = gb_analysis_new(t, gb_poisson_model(.prior = gb_horseshoe()), .formula = "deaths ~ .",
 *                                      .table = d);
 *
 * docs/models.md shows each of them with data, and docs/add-a-model.md how to write one. */
#ifndef GREBE_READY_MODELS_H
#define GREBE_READY_MODELS_H

#include "coefficients.h"

GB_BEGIN_DECLS

/* All of them: name, and nothing else. Order: as listed by `grebe list`. */
#define GB_MODEL_LIST(do_)                                                                                   \
    do_(linear) do_(robust) do_(logistic) do_(multinomial) do_(ordinal) do_(poisson) do_(negative_binomial)  \
        do_(autoregressive) do_(local_level) do_(garch) do_(hidden_markov) do_(gaussian_process)             \
            do_(sparse_gaussian_process)
#define GB_MODEL_CODE(name) GB_API extern const gb_model_type gb_##name##_model_type;
GB_MODEL_LIST(GB_MODEL_CODE)
#undef GB_MODEL_CODE

/* ---- regressions: η = x·β + intercept + offset ---- */

/* With .group of the analysis each group has an intercept of its own, η + τ z, with z ~ N(0, 1) and τ ~
 * half-normal. Shown are the coefficients, and then "tau" and "group[NAME]", which is τ z. */

/* What the options of all regressions begin with. */
#define GB_REGRESSION_CHOICES                                                                                \
    gb_shrinkage prior;     /* of the standardised slopes; none: gb_normal_shrinkage() */                    \
    double intercept_scale; /* of the normal prior of the standardised intercept; 0: 2.5 */                  \
    double group_scale;     /* of the half-normal prior of the standardised τ; 0: 1 */                      \
    bool raw /* priors are of the coefficients of the columns, and of τ, as they are, around 0 */

/* y ~ N(η, σ²). Shown besides: "sigma". With .error of the analysis, the noise of each row is known, y ~ N(η,
 * error²), and there is no sigma: with groups too, this is the hierarchical normal model of eight schools. */
typedef struct gb_linear_model_options {
    size_t size;
    GB_REGRESSION_CHOICES;
    double sigma_scale; /* of the half-normal prior of σ, in standard deviations of y; 0: 2.5 */
} gb_linear_model_options;
#define gb_linear_model(...) GB_CALL_0(gb_linear_model, .size = sizeof(gb_linear_model_options), __VA_ARGS__)
GB_API gb_model gb_linear_model_with(const gb_linear_model_options *options);

/* y ~ t(ν, η, σ), against outliers. ν ~ gamma(2, 0.1) (Juárez and Steel 2010) unless it is given. Shown
 * besides: "nu". */
typedef struct gb_robust_model_options {
    size_t size;
    GB_REGRESSION_CHOICES;
    double sigma_scale; /* as above */
    double freedom;     /* ν; 0: it is learned */
} gb_robust_model_options;
#define gb_robust_model(...) GB_CALL_0(gb_robust_model, .size = sizeof(gb_robust_model_options), __VA_ARGS__)
GB_API gb_model gb_robust_model_with(const gb_robust_model_options *options);

/* y ~ Bernoulli(1 / (1 + exp(−η))): y is 0 or 1, or a factor of two levels, of which the second is 1. With
 * trials (`successes | trials(n)`, `cbind(a, b)`) it is binomial. */
typedef struct gb_logistic_model_options {
    size_t size;
    GB_REGRESSION_CHOICES;
} gb_logistic_model_options;
#define gb_logistic_model(...)                                                                               \
    GB_CALL_0(gb_logistic_model, .size = sizeof(gb_logistic_model_options), __VA_ARGS__)
GB_API gb_model gb_logistic_model_with(const gb_logistic_model_options *options);

/* y ~ categorical(softmax(0, η₁ … η_{K−1})): y is a factor, or 0 … K − 1; the first class is the reference.
 * Shown are the coefficients of each other class, "mass: Gentoo". */
typedef struct gb_multinomial_model_options {
    size_t size;
    GB_REGRESSION_CHOICES;
} gb_multinomial_model_options;
#define gb_multinomial_model(...)                                                                            \
    GB_CALL_0(gb_multinomial_model, .size = sizeof(gb_multinomial_model_options), __VA_ARGS__)
GB_API gb_model gb_multinomial_model_with(const gb_multinomial_model_options *options);

/* P(y ≤ k) = 1 / (1 + exp(η − c_k)), with thresholds c₀ < c₁ …: y is a factor whose levels are in order, or
 * 0 … K − 1. Thresholds have the prior that makes the classes at the means of the columns equally likely a
 * priori: their probabilities are Dirichlet(1, …). Shown besides: "threshold[0]" … */
typedef struct gb_ordinal_model_options {
    size_t size;
    GB_REGRESSION_CHOICES; /* there is no intercept */
} gb_ordinal_model_options;
#define gb_ordinal_model(...)                                                                                \
    GB_CALL_0(gb_ordinal_model, .size = sizeof(gb_ordinal_model_options), __VA_ARGS__)
GB_API gb_model gb_ordinal_model_with(const gb_ordinal_model_options *options);

/* y ~ Poisson(exp(η)): counts. offset(log(exposure)) makes rates. The intercept's prior is around log(mean of
 * y). */
typedef struct gb_poisson_model_options {
    size_t size;
    GB_REGRESSION_CHOICES;
} gb_poisson_model_options;
#define gb_poisson_model(...)                                                                                \
    GB_CALL_0(gb_poisson_model, .size = sizeof(gb_poisson_model_options), __VA_ARGS__)
GB_API gb_model gb_poisson_model_with(const gb_poisson_model_options *options);

/* y ~ negative binomial with mean μ = exp(η) and variance μ + μ² / φ: counts that vary more. 1/√φ ~
 * half-normal(1), so that Poisson is the simpler model. Shown besides: "phi". */
typedef struct gb_negative_binomial_model_options {
    size_t size;
    GB_REGRESSION_CHOICES;
} gb_negative_binomial_model_options;
#define gb_negative_binomial_model(...)                                                                      \
    GB_CALL_0(gb_negative_binomial_model, .size = sizeof(gb_negative_binomial_model_options), __VA_ARGS__)
GB_API gb_model gb_negative_binomial_model_with(const gb_negative_binomial_model_options *options);

/* ---- series: rows in the order of time ---- */

/* A series is one datum, so there are no batches and no new rows. To predict the future, append rows whose
 * outcome is missing. gb_predictive(e, OUTCOME) predicts each outcome given those before it. A weight is the
 * number of copies of an outcome at its time.
 *
 * Priors are of the standardised series (y − mean) / sd, unless .raw. The formula's intercept is left out:
 * each model has a level of its own, so "y ~ 1", "y ~ 0" and the array .y alone are the same. Columns are
 * added to the mean of their row. */

/* What the options of series with columns begin with. */
#define GB_SERIES_CHOICES                                                                                    \
    gb_shrinkage prior;     /* of the standardised slopes; none: gb_normal_shrinkage() */                    \
    double intercept_scale; /* of the normal prior of the standardised level; 0: 2.5 */                      \
    bool raw                /* priors are of the series and of the columns as they are, around 0 */

/* y_t ~ N(α + x_t·β + Σ_k φ_k y_{t−k}, σ²), with lags 1 … K. The first K outcomes are given; one of them that
 * is missing has a normal prior with the mean and the sd of the series. Other missing outcomes are latents
 * too. φ may be outside the stationary region. Shown: "intercept", the columns, "lag[1]" …, "sigma", and
 * "missing" if some are. */
typedef struct gb_autoregressive_model_options {
    size_t size;
    GB_SERIES_CHOICES;
    int64_t order;      /* K; 0: 1 */
    double sigma_scale; /* of the half-normal prior of σ, in standard deviations of y; 0: 2.5 */
    double lag_scale;   /* of the normal prior of φ; 0: 1 */
} gb_autoregressive_model_options;
#define gb_autoregressive_model(...)                                                                         \
    GB_CALL_0(gb_autoregressive_model, .size = sizeof(gb_autoregressive_model_options), __VA_ARGS__)
GB_API gb_model gb_autoregressive_model_with(const gb_autoregressive_model_options *options);

/* y_t ~ N(μ_t + x_t·β, σ²), and the level is a random walk, μ_{t+1} ~ N(μ_t, σ_level²). The levels are
 * integrated out by the Kalman filter, so a missing outcome needs no latent. The prior of the first level has
 * .intercept_scale. Shown: the columns, "sigma", "sigma.level". gb_analysis_node_named has "level" and
 * "level.sd" besides: mean and sd of each level given all rows. */
typedef struct gb_local_level_model_options {
    size_t size;
    GB_SERIES_CHOICES;
    double sigma_scale; /* of the half-normal prior of σ, in standard deviations of y; 0: 2.5 */
    double level_scale; /* of the half-normal prior of σ_level, in standard deviations of y; 0: 1 */
} gb_local_level_model_options;
#define gb_local_level_model(...)                                                                            \
    GB_CALL_0(gb_local_level_model, .size = sizeof(gb_local_level_model_options), __VA_ARGS__)
GB_API gb_model gb_local_level_model_with(const gb_local_level_model_options *options);

/* GARCH(1,1): y_t = μ + x_t·b + e_t, e_t ~ N(0, h_t), h_{t+1} = ω + α e_t² + β h_t. It is stationary: (α, β)
 * is uniform where α + β < 1. h of the first row is the variance of the series. Missing outcomes are latents.
 * Shown: "intercept", which is μ, the columns, "omega", "alpha", "beta", and "missing" if some are.
 * gb_analysis_node_named has "sd" besides, √h of each row. */
typedef struct gb_garch_model_options {
    size_t size;
    GB_SERIES_CHOICES;
    double omega_scale; /* of the half-normal prior of ω, in variances of y; 0: 1 */
} gb_garch_model_options;
#define gb_garch_model(...) GB_CALL_0(gb_garch_model, .size = sizeof(gb_garch_model_options), __VA_ARGS__)
GB_API gb_model gb_garch_model_with(const gb_garch_model_options *options);

/* A hidden Markov model: y_t ~ N(mean_z, σ_z²) for the state z of its time, and states follow each other by
 * the matrix "transition", whose row i has the probabilities after state i. States are summed out. They are
 * numbered by their means, 0 the lowest; the first is any of them with equal probability. σ ~ gamma(2, 2 /
 * .sigma_scale), which avoids 0, and rows of the matrix are Dirichlet(1, …) a priori. A missing outcome
 * needs no latent; there are no columns. Shown: "mean", "sigma", "transition". gb_analysis_node_named has
 * "states" besides: the probabilities of the states of each row given all rows, (rows, K). */
typedef struct gb_hidden_markov_model_options {
    size_t size;
    int64_t states;         /* K; 0: 2 */
    double intercept_scale; /* of the normal prior of the standardised means; 0: 2.5 */
    double sigma_scale;     /* the mean of the prior of σ, in standard deviations of y; 0: 2.5 */
    double stay;            /* added to the prior count of a state that follows itself */
    bool same_sigma;        /* one σ for all states */
    bool raw;               /* priors are of the series as it is, around 0 */
} gb_hidden_markov_model_options;
#define gb_hidden_markov_model(...)                                                                          \
    GB_CALL_0(gb_hidden_markov_model, .size = sizeof(gb_hidden_markov_model_options), __VA_ARGS__)
GB_API gb_model gb_hidden_markov_model_with(const gb_hidden_markov_model_options *options);

/* ---- Gaussian processes: y is a smooth function of the columns ---- */

/* The covariance of two rows, of standardised columns and a standardised outcome, is the sum of
 *
 *     rbf         a² exp(−Σ_k (x_k − x'_k)² / (2 length_k²))
 *     periodic    a_p² exp(−2 sin²(π (x₁ − x'₁) / period) / length_p²), of the first column
 *     the mean    mean_scale², since the mean is N(0, mean_scale²) and integrated out
 *
 * A length for each column says how far one has to go for f to change (automatic relevance determination).
 * Amplitudes a and σ are half-normal a priori, and lengths lognormal. The formula's intercept is left out.
 * gb_predictive of new rows has the mean and the sd of the outcome there. Shown: "amplitude",
 * "length[COLUMN]", "amplitude.periodic", "length.periodic", "period" if it is learned, "sigma": in the
 * units of y and of the columns, but for length.periodic, which has none. */
typedef enum gb_kernel { GB_KERNEL_RBF, GB_KERNEL_PERIODIC, GB_KERNEL_SUM } gb_kernel;

/* What the options of processes begin with. */
#define GB_PROCESS_CHOICES                                                                                   \
    gb_kernel kernel;                                                                                        \
    double period;          /* REQUIRED for a periodic kernel: in units of the first column */               \
    double period_spread;   /* the period is lognormal around it, with this sd of its log; 0: it is known */ \
    double amplitude_scale; /* in standard deviations of y; 0: 1 */                                          \
    double length_scale;    /* the median, in standard deviations of the column; 0: 1 */                     \
    double length_spread;   /* sd of log length; 0: 1 */                                                     \
    double mean_scale;      /* in standard deviations of y; 0: 2.5 */                                        \
    double sigma_scale      /* of the noise, in standard deviations of y; 0: 1 */

/* y ~ N(f(x), σ²), with f integrated out: exact. A step takes a time that grows as rows³, and memory as
 * rows²; for more than some 1,000 rows take the sparse model. */
typedef struct gb_gaussian_process_model_options {
    size_t size;
    GB_PROCESS_CHOICES;
} gb_gaussian_process_model_options;
#define gb_gaussian_process_model(...)                                                                       \
    GB_CALL_0(gb_gaussian_process_model, .size = sizeof(gb_gaussian_process_model_options), __VA_ARGS__)
GB_API gb_model gb_gaussian_process_model_with(const gb_gaussian_process_model_options *options);

/* The law of the outcome of a row, given f: y ~ N(f, σ²); Bernoulli with log odds f; Poisson with mean
 * exp(f). For the latter two f is not scaled by y, so "standard deviations of y" are units of f. */
typedef enum gb_process_outcome {
    GB_PROCESS_NORMAL,
    GB_PROCESS_BERNOULLI,
    GB_PROCESS_POISSON
} gb_process_outcome;

/* The values of f at some inducing places are latents ("inducing", whitened), and given them rows are
 * independent, so data may come in batches. The log likelihood is a bound, which is exact where each row has
 * an inducing place. Places are cluster centres of the rows; all rows, if they are few. The usual posterior
 * is full rank for up to 100 numbers; for more places, .posterior = gb_full_rank(gb_shape()) of the analysis
 * keeps covariances of f. */
typedef struct gb_sparse_gaussian_process_model_options {
    size_t size;
    GB_PROCESS_CHOICES;
    int64_t inducing; /* number of places, at most; 0: 20 */
    gb_process_outcome outcome;
} gb_sparse_gaussian_process_model_options;
#define gb_sparse_gaussian_process_model(...)                                                                \
    GB_CALL_0(gb_sparse_gaussian_process_model, .size = sizeof(gb_sparse_gaussian_process_model_options),    \
              __VA_ARGS__)
GB_API gb_model
gb_sparse_gaussian_process_model_with(const gb_sparse_gaussian_process_model_options *options);

GB_END_DECLS
#endif
