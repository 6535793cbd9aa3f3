/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pareto-smoothed importance sampling (Vehtari, Simpson, Gelman, Yao and Gabry 2024): means under a density p
 * from draws of another density q, and a number, k, that says whether they can be trusted.
 *
 *     double log_weights[4000];
 *     gb_psis w = gb_psis_smooth(4000, log_ratios, log_weights);
 *     if (w.status != GB_OK || w.words[0])
 *         puts(w.words);
 *     gb_estimate mean = gb_psis_mean(&w, draws, 1);
 *
 * The log ratios are log p − log q of each draw, up to a constant. The largest weights are replaced by the
 * order statistics of a generalised Pareto distribution that is fitted to them. With a shape k above 0, the
 * distribution has moments up to order 1/k: a variance if k < 1/2, a mean if k < 1. Estimates are reliable if
 * k is below min(1 − 1/log₁₀ S, 0.7) for S draws.
 *
 * k says nothing about a part of p that no draw has reached, and nothing if all draws are the same point. All
 * functions here are pure: arrays in, numbers out. None of them keeps or frees an array of the caller's. */
#ifndef GREBE_FITTING_PSIS_H
#define GREBE_FITTING_PSIS_H

#include <stdint.h>

#include "../core/memory.h"
#include "../core/options.h"
#include "../core/status.h"
#include "chains.h"

GB_BEGIN_DECLS

/* ---- smoothed weights ---- */

/* Normalised weights, and what is known about them. It points to the caller's two arrays, which must live as
 * long as it is used. */
typedef struct gb_psis {
    /* GB_ENONFINITE: a log ratio is NaN or +∞. GB_EARGUMENT: no draws, NULL arrays, the same array twice, all
     * log ratios −∞, or an impossible option. GB_ENOMEM. All numbers below are then NaN, log_weights is
     * unchanged, and `words` say why. */
    gb_status status;
    size_t count;             /* S, the number of draws */
    const double *log_ratios; /* the caller's: as they were */
    double *log_weights;      /* the caller's: smoothed, and such that Σ exp(log_weights) = 1 */
    gb_memory memory;
    double r_eff;
    size_t tail;  /* how many of the largest weights were fitted; they were replaced if k is finite */
    size_t zeros; /* draws of weight 0. They count as draws */
    /* The shape of the fitted tail, drawn towards 0.5 by a prior worth 10 draws. Two cases have no fit:
     *     −∞   the largest weights are all equal. They are bounded as far as the draws show, and smoothing
     *          would change nothing. (R's loo returns Inf, since it has no fit.)
     *     +∞   nothing can be said: fewer than 5 draws are in the tail, or stand out from those below it; or
     *          the largest weights exceed the rest by more than numbers can hold */
    double k;
    double threshold; /* gb_psis_threshold(count); estimates are reliable for k below it */
    double needed;    /* gb_psis_needed(k): how many draws would be enough for this k */
    double ess;       /* effective sample size r_eff / Σ w²; it is an overestimate if k > threshold */
    double largest;   /* the largest weight: the share of one draw */
    /* log of the mean weight, and its standard error: log p(data), if the ratios are p(data, w) / q(w). The
     * error is too small if k > threshold. */
    double log_evidence, log_evidence_error;
    char words[160]; /* what is wrong or remarkable; "" if nothing is */
} gb_psis;

typedef struct gb_psis_smooth_options {
    size_t size;
    /* The relative efficiency of the draws: effective sample size / S. 0: 1, independent draws. */
    double r_eff;
    /* The number of largest weights to fit, less than `count`. 0: min(0.2 S, 3 √(S / r_eff)), rounded up. */
    size_t tail;
    gb_memory memory; /* {0}: malloc. Also for the functions that take the result */
} gb_psis_smooth_options;

/* Smooths `count` weights exp(log_ratios[i]) and normalises them, all in logarithms: the ratios may have any
 * size, and span any range. −∞ is a weight of 0. Writes `log_weights`, which is another array. No smoothed
 * weight exceeds the largest raw one. Smoothing keeps the order of weights; equal ones stay in the order of
 * their places. Allocates 24 bytes for each draw, and frees them. */
#define gb_psis_smooth(...) GB_CALL_3(gb_psis_smooth, __VA_ARGS__, .size = sizeof(gb_psis_smooth_options))
GB_API gb_psis gb_psis_smooth_with(size_t count, const double *log_ratios, double *log_weights,
                                   const gb_psis_smooth_options *options);

/* ---- estimates under the weights ---- */

/* The functions below take draws x[0], x[stride], x[2 stride] … of a number, one for each weight. The x of
 * draws of weight 0 are not read. `k` of the result is that of the estimate: the largest of the weights' own
 * and those of both tails of raw weight times number. `ess` is the number of independent draws of p with the
 * same error. If k is not below the threshold of the weights, `words` say that the value is unreliable and
 * the error too small. On failure (a NULL argument, weights that were rejected, a number that is not finite,
 * lack of memory) all is NaN, and `words` say why. */

/* Σ w x; error √(Σ w² (x − mean)² / r_eff). */
GB_API gb_estimate gb_psis_mean(const gb_psis *weights, const double *x, size_t stride);

/* √(Σ w (x − mean)² / (1 − Σ w²)); its error by the delta method; k is that of (x − mean)². NaN if one draw
 * has all the weight. */
GB_API gb_estimate gb_psis_sd(const gb_psis *weights, const double *x, size_t stride);

/* Quantiles of probabilities[0 … count − 1], in [0, 1], into `out`: linear between draws, at the sums of
 * weights up to them, and R's type 7 if all weights are equal. The error is half the distance between the
 * quantiles whose probabilities lie one standard error below and above, by a beta distribution; k is that of
 * the weights. Returns the status: GB_OK, GB_EARGUMENT, GB_ENONFINITE or GB_ENOMEM. */
GB_API gb_status gb_psis_quantiles(const gb_psis *weights, const double *x, size_t stride, size_t count,
                                   const double *probabilities, gb_estimate *out);

/* ---- draws of p ---- */

/* How draws are taken in proportion to their weights. */
typedef enum gb_resampling {
    GB_RESAMPLE_STRATIFIED,  /* one uniform number in each of n equal strata */
    GB_RESAMPLE_SYSTEMATIC,  /* the same uniform number in all strata */
    GB_RESAMPLE_INDEPENDENT, /* n independent draws: a multinomial */
    /* One after the other, each with the weights of those left. No draw comes twice. Their distribution lies
     * between p and q, and nearer to q the larger n is. */
    GB_RESAMPLE_WITHOUT_REPLACEMENT
} gb_resampling;

typedef struct gb_psis_resample_options {
    size_t size;
    uint64_t seed; /* the same seed: the same places */
    gb_resampling method;
} gb_psis_resample_options;

/* Writes `count` places of draws, in ascending order, each chosen with probability proportional to its
 * smoothed weight. Returns the status of weights that were rejected; GB_EARGUMENT for NULL arguments, an
 * unknown method, or, without replacement, if fewer than `count` draws have a weight above 0; GB_ENOMEM. */
#define gb_psis_resample(...)                                                                                \
    GB_CALL_3(gb_psis_resample, __VA_ARGS__, .size = sizeof(gb_psis_resample_options))
GB_API gb_status gb_psis_resample_with(const gb_psis *weights, size_t count, size_t *places,
                                       const gb_psis_resample_options *options);

/* ---- the tails of any numbers ---- */

/* Generalised Pareto distributions fitted to both tails. A mean needs k < 1, its standard error k < 1/2. */
typedef struct gb_tails {
    gb_status status;   /* GB_ENONFINITE, GB_EARGUMENT or GB_ENOMEM: all numbers are NaN */
    double k;           /* the larger one */
    double left, right; /* −∞ and +∞ as in gb_psis */
    size_t tail;        /* how many numbers were fitted on each side */
    const char *words;  /* what is wrong; "" if nothing is */
} gb_tails;

typedef struct gb_tails_fit_options {
    size_t size;
    size_t stride; /* of x; 0: 1 */
    double r_eff;  /* 0: 1 */
    size_t tail;   /* at most count / 2. 0: min(0.2 S, 3 √(S / r_eff)), rounded up */
    gb_memory memory;
} gb_tails_fit_options;

/* Fits both tails of `count` numbers, by the posterior mean of Zhang and Stephens 2009. */
#define gb_tails_fit(...) GB_CALL_2(gb_tails_fit, __VA_ARGS__, .size = sizeof(gb_tails_fit_options))
GB_API gb_tails gb_tails_fit_with(size_t count, const double *x, const gb_tails_fit_options *options);

/* min(1 − 1/log₁₀ draws, 0.7). Estimates from so many draws are reliable if k is below it. */
GB_API double gb_psis_threshold(double draws);

/* 10^(1 / (1 − max(k, 0))), the number of draws for which k is the threshold; +∞ for k ≥ 1. For k > 0.7 there
 * are practical limits below it: errors fall too slowly. */
GB_API double gb_psis_needed(double k);

GB_END_DECLS
#endif
