/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ready models, for gb_analysis_new (analysis.h):
 *
 *     gb_analysis *a = gb_analysis_new(t, gb_poisson_model(.prior = gb_horseshoe()), .formula = "deaths ~ .",
 *                                      .table = d);
 *
 * docs/models.md shows each of them with data, and docs/add-a-model.md how to write one. */
#ifndef GREBE_READY_MODELS_H
#define GREBE_READY_MODELS_H

#include "covariances.h"
#include "networks.h"
#include "series.h"

GB_BEGIN_DECLS

/* All of them: name, and nothing else. Order: as listed by `grebe list`. */
#define GB_MODEL_LIST(do_)                                                                                   \
    do_(linear) do_(robust) do_(logistic) do_(multinomial) do_(ordinal) do_(poisson) do_(negative_binomial)  \
        do_(autoregressive) do_(local_level) do_(garch) do_(hidden_markov) do_(gaussian_process)             \
            do_(sparse_gaussian_process) do_(mixture) do_(factor) do_(network) do_(network_class)            \
                do_(variational_autoencoder) do_(belief_network)
#define GB_MODEL_CODE(name) GB_API extern const gb_model_type gb_##name##_model_type;
GB_MODEL_LIST(GB_MODEL_CODE)
#undef GB_MODEL_CODE

/* docs/models.md, "Where there is no posterior", says for which data each has one, and what is rejected. */

/* ---- regressions: η = x·β + intercept + offset; multinomial takes no offset ---- */

/* With .group of the analysis each group has an intercept of its own, η + τ z, with z ~ N(0, 1) and τ ~
 * half-normal. Shown are the coefficients, and then "tau" and "group[NAME]", which is τ z. The multinomial
 * model takes no .group, and its .group_scale does nothing. */

/* y ~ N(η, σ²). Shown besides: "sigma". With .error of the analysis, the noise of each row is known, y ~
 * N(η, error²), and there is no sigma: with groups too, this is the hierarchical normal model of eight
 * schools. Without it, outcomes that the predictor gives exactly, in more rows than it has numbers for them,
 * leave no posterior, and are rejected (gb_model_has_residue). */
typedef struct gb_linear_model_options {
    size_t size;
    GB_REGRESSION_CHOICES;
    double sigma_scale; /* of the half-normal prior of σ, in standard deviations of y; 0: 2.5 */
} gb_linear_model_options;
#define gb_linear_model(...) GB_CALL_0(gb_linear_model, .size = sizeof(gb_linear_model_options), __VA_ARGS__)
GB_API gb_model gb_linear_model_with(const gb_linear_model_options *options);

/* y ~ t(ν, η, σ), against outliers. Unless ν is given, ν − 1 ~ gamma(2, 0.1): the prior of Juárez and Steel
 * (2010), moved by 1, since near ν = 0 any few rows that lie on a plane leave no posterior. Above 1 it takes
 * more than half of all; such data are rejected (gb_model_has_residue). Shown besides: "nu". */
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
    GB_REGRESSION_CHOICES; /* there is no intercept; a formula with "- 1" or "0 +" is rejected */
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

/* y_t ~ N(α + x_t·β + Σ_k φ_k y_{t−k}, σ²), with lags 1 … K. The first K outcomes are given; one of them that
 * is missing has a normal prior with the mean and the sd of the series. Other missing outcomes are latents
 * too. φ may be outside the stationary region. A series that the lags and columns give exactly is rejected,
 * as in a linear regression; where an outcome among the first K is missing that is not looked at. Shown:
 * "intercept", the columns, "lag[1]" …, "sigma", and "missing" if some are. */
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
 * .intercept_scale. Rejected are weights whose sum is the number of rows that count plus 1, or more, since
 * each of these has a level of its own; and three rows or more that a level gives exactly which stands still,
 * with columns as many more as these are. Shown: the columns, "sigma", "sigma.level". gb_analysis_node_named
 * has "level" and "level.sd" besides: mean and sd of each level given all rows. */
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
 * Rejected are some six outcomes or more at the end that μ and the columns give exactly: there h may fall to
 * 0. Shown: "intercept", which is μ, the columns, "omega", "alpha", "beta", and "missing" if some are.
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
 * numbered by their means, 0 the lowest; the first is any of them with equal probability. σ is half-normal a
 * priori, but avoids 0 (gb_model_sd_prior), and rows of the matrix are Dirichlet(1, …). A missing
 * outcome needs no latent; there are no columns. Shown: "mean", "sigma", "transition". gb_analysis_node_named
 * has "states" besides: the probabilities of the states of each row given all rows, (rows, K). */
typedef struct gb_hidden_markov_model_options {
    size_t size;
    int64_t states;         /* K; 0: 2 */
    double intercept_scale; /* of the normal prior of the standardised means; 0: 2.5 */
    double sigma_scale;     /* of the prior of σ, in standard deviations of y; 0: 2.5 */
    double stay;            /* added to the prior count of a state that follows itself */
    bool same_sigma;        /* one σ for all states */
    bool raw;               /* priors are of the series as it is, around 0 */
    double sigma_floor;     /* below it σ is unlikely, in standard deviations of y, also if raw; 0: 0.1 */
} gb_hidden_markov_model_options;
#define gb_hidden_markov_model(...)                                                                          \
    GB_CALL_0(gb_hidden_markov_model, .size = sizeof(gb_hidden_markov_model_options), __VA_ARGS__)
GB_API gb_model gb_hidden_markov_model_with(const gb_hidden_markov_model_options *options);

/* ---- Gaussian processes: y is a smooth function of the columns ---- */

/* σ is half-normal a priori, but avoids 0 (gb_model_sd_prior): else there would be no posterior where
 * a row is there twice, or outcomes repeat after a period. Equal outcomes at one place, such as copies by a
 * weight, say that there is no noise; divide weights that are not copies by their mean. */

/* y ~ N(f(x), σ²), with f integrated out: exact. A step takes a time that grows as rows³, and memory as
 * rows²; for more than some 1,000 rows take the sparse model. */
typedef struct gb_gaussian_process_model_options {
    size_t size;
    GB_PROCESS_CHOICES;
    double sigma_floor; /* below it σ is unlikely a priori, in standard deviations of y; 0: 0.01 */
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
 * independent, so data may come in batches. The log likelihood is a bound, which is exact where each row
 * has an inducing place. Places are cluster centres of the rows; all rows, if they are few. The usual
 * posterior is full rank for up to 100 numbers; for more places, as gb_analysis_warnings says, .posterior =
 * gb_full_rank(gb_shape()) of the analysis keeps covariances of f. */
typedef struct gb_sparse_gaussian_process_model_options {
    size_t size;
    GB_PROCESS_CHOICES;
    int64_t inducing; /* number of places, at most; 0: 20 */
    gb_process_outcome outcome;
    double sigma_floor; /* as above */
} gb_sparse_gaussian_process_model_options;
#define gb_sparse_gaussian_process_model(...)                                                                \
    GB_CALL_0(gb_sparse_gaussian_process_model, .size = sizeof(gb_sparse_gaussian_process_model_options),    \
              __VA_ARGS__)
GB_API gb_model
gb_sparse_gaussian_process_model_with(const gb_sparse_gaussian_process_model_options *options);
/* ---- densities: models of columns, without an outcome ---- */

/* Formulas have no left side, "~ a + b"; weights of rows are .weight of the analysis. A missing number (an
 * empty cell, NaN in arrays) does not count: a row says what its other numbers say. Priors are of columns in
 * standard units.
 *
 * gb_predictive(e, "x") predicts whole rows. If numbers of the training were missing, it predicts each
 * number, a missing one too, given the others of its row that are there, also of new rows without gaps;
 * scores of the two kinds are not comparable. "imputed" (gb_analysis_node_named, gb_predictive_node) are the
 * rows with the expected values of missing numbers. */

/* A mixture of normals with independent columns, x ~ Σ w_k N(m_k, diag s_k²), w ~ Dirichlet(concentration,
 * …), m ~ N(0, mean_scale²). s is half-normal(sd_scale), but avoids 0 (gb_model_sd_prior), which
 * keeps components from collapsing onto equal rows. Shown: "weight", "mean of COLUMN", "sd of COLUMN", one
 * number for each component; for rows "component", the probabilities of each.
 *
 * Components could be exchanged without any change of the density. So they are ordered by their means of one
 * column. If these do not tell them apart, order by another column, or take .unordered: q then describes one
 * of the orders, and which one depends on the start. */
typedef struct gb_mixture_model_options {
    size_t size;
    int64_t components; /* 0: 2 */
    int64_t order_by;   /* number of the column by which they are ordered, from 0 */
    bool unordered;
    double concentration; /* 0: 1 */
    double mean_scale;    /* 0: 2 */
    double sd_scale;      /* 0: 1 */
    /* None: the components of rows are summed out by a formula. Else they are latents, "component", which
     * this estimator draws from their posterior given all else: gb_enumerated() is the same sum, gb_score()
     * draws. */
    gb_estimator classes;
    double sd_floor; /* below it sds are unlikely a priori, in sds of columns; 0: 0.1 */
} gb_mixture_model_options;
#define gb_mixture_model(...)                                                                                \
    GB_CALL_0(gb_mixture_model, .size = sizeof(gb_mixture_model_options), __VA_ARGS__)
GB_API gb_model gb_mixture_model_with(const gb_mixture_model_options *options);

/* Factor analysis, x ~ N(W z + mean, diag sd²), z ~ N(0, I) of each row: W ~ N(0, loading_scale²), mean ~
 * N(0, mean_scale²). sd ~ half-normal(sd_scale), but away from 0 (gb_model_sd_prior). W is 0 above its
 * diagonal and positive on it, so that factors can be neither rotated nor reflected: the first column of the
 * data has the first factor alone, and so on. Put columns first that are unlike each other. Shown: "loadings
 * of factor 0" …, "mean", "sd"; for rows "scores", the means of z given the row. */
typedef struct gb_factor_model_options {
    size_t size;
    int64_t factors;      /* fewer than columns; 0: 1 */
    double loading_scale; /* 0: 1 */
    double mean_scale;    /* 0: 2.5 */
    double sd_scale;      /* 0: 1 */
    /* None: z is integrated out by a formula. Else it is a latent of each row, "factors", which this
     * estimator draws from its posterior given all else. */
    gb_estimator scores;
    double sd_floor; /* below it sds are unlikely a priori, in sds of columns; 0: 0.1 */
} gb_factor_model_options;
#define gb_factor_model(...) GB_CALL_0(gb_factor_model, .size = sizeof(gb_factor_model_options), __VA_ARGS__)
GB_API gb_model gb_factor_model_with(const gb_factor_model_options *options);

/* ---- networks (models/networks.h, docs/networks.md) ---- */

/* How the weights are learned is .posterior of the analysis, or .dropout here:
 *
 *     weight uncertainty    none, or gb_mean_field(gb_shape()), gb_full_rank(gb_shape()) …; .sharing
 *     maximum a posteriori  gb_point(gb_shape())
 *     ensemble              gb_ensemble(gb_shape(), .members = 5), with .samples = 5 of the analysis
 *     MC dropout            none, and .dropout = 0.1; with .learned_dropout concrete dropout
 *
 * With many more weights than rows, a mean field may end at a constant: its ELBO is higher than that of a
 * network that fits (docs/networks.md). Fewer units, a given σ, dropout or an ensemble help.
 *
 * With a posterior, .dropout is noise beside it. Columns enter in standard units; biases take the place of an
 * intercept. Train with steps: gb_fit(e, .optimiser = gb_adam(.lr = 0.01), .data = gb_analysis_data(a),
 * .epochs = 500). */

/* y ~ N(f(x), σ²), f a network. In standard units σ ~ half-normal(sigma_scale), but away from 0
 * (gb_model_sd_prior), since a network may give all outcomes exactly. It is shown as "sigma", unless
 * it is given, or a second output of the network (.heteroscedastic). For rows there are "mean" and "sigma".
 * */
typedef struct gb_network_model_options {
    size_t size;
    GB_NETWORK_CHOICES;
    bool heteroscedastic; /* σ depends on x: at least 0.001, in standard units */
    double sigma;         /* in the unit of y; 0: it is learned */
    double sigma_scale;   /* 0: 1 */
    double sigma_floor;   /* below it σ is unlikely a priori, in standard units; 0: 0.01 */
} gb_network_model_options;
#define gb_network_model(...)                                                                                \
    GB_CALL_0(gb_network_model, .size = sizeof(gb_network_model_options), __VA_ARGS__)
GB_API gb_model gb_network_model_with(const gb_network_model_options *options);

/* y ~ categorical(softmax(f(x))): y is a factor, or 0 … K − 1. For rows there are the "logits". */
typedef struct gb_network_class_model_options {
    size_t size;
    GB_NETWORK_CHOICES;
} gb_network_class_model_options;
#define gb_network_class_model(...)                                                                          \
    GB_CALL_0(gb_network_class_model, .size = sizeof(gb_network_class_model_options), __VA_ARGS__)
GB_API gb_model gb_network_class_model_with(const gb_network_class_model_options *options);

/* The variational autoencoder (Kingma and Welling 2014): z of each row, x ~ p(x | decoder(z)), and q(z) by an
 * encoder of the row. Columns are numbers, x ~ N(decoder(z), sd²) with an sd of each column, shown as "sd";
 * or, with .binary, 0 and 1. .posterior of the analysis is that of the decoder (none: gb_point); .estimator
 * that of z (none: gb_pathwise(), for binary z gb_disarm()). The encoder belongs to q, and has no prior. For
 * rows there are "code", the mean of q(z), and "reconstruction"; and missing numbers as in densities. */
typedef struct gb_variational_autoencoder_model_options {
    size_t size;
    int64_t codes;    /* numbers of z; 0: 2 */
    bool binary_code; /* z is 0 or 1, with the prior ½; else normal */
    bool binary;      /* the columns are 0 or 1 */
    int64_t units;    /* of each hidden layer of both networks; 0: 50 */
    int64_t layers;   /* hidden ones; 0: 1 */
    gb_activation activation;
    gb_noise_sharing sharing; /* of the decoder's weights */
    double prior_scale;       /* of the decoder, as above; 0: 2 */
    /* In sds of columns: sd ~ half-normal(sd_scale), but avoids 0 (gb_model_sd_prior). 0: 1; 0.1 */
    double sd_scale, sd_floor;
} gb_variational_autoencoder_model_options;
#define gb_variational_autoencoder_model(...)                                                                \
    GB_CALL_0(gb_variational_autoencoder_model, .size = sizeof(gb_variational_autoencoder_model_options),    \
              __VA_ARGS__)
GB_API gb_model
gb_variational_autoencoder_model_with(const gb_variational_autoencoder_model_options *options);

/* The sigmoid belief network (Neal 1992): columns are 0 or 1, and so are the hidden units of each row. Each
 * layer is drawn from the one above, h_l ~ Bernoulli(sigmoid(h_{l+1} W + b)), the highest from a learned
 * prior, the columns from the lowest. q draws upwards, from the columns (Mnih and Gregor 2014), and has no
 * prior. .estimator of the analysis is that of the hidden units; none: gb_disarm(), which is unbiased.
 * .posterior is that of the weights of the model (none: gb_point). For rows: "code", the probabilities of the
 * lowest layer, and "reconstruction". */
typedef struct gb_belief_network_model_options {
    size_t size;
    int64_t units;            /* of each hidden layer; 0: 20 */
    int64_t layers;           /* 0: 1 */
    gb_noise_sharing sharing; /* of the weights */
    double prior_scale;       /* of the weights of the model, as above; 0: 2 */
} gb_belief_network_model_options;
#define gb_belief_network_model(...)                                                                         \
    GB_CALL_0(gb_belief_network_model, .size = sizeof(gb_belief_network_model_options), __VA_ARGS__)
GB_API gb_model gb_belief_network_model_with(const gb_belief_network_model_options *options);

GB_END_DECLS
#endif
