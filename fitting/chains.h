/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Have chains of draws mixed, and how exact are means over them? (Vehtari, Gelman, Simpson, Carpenter and
 * Bürkner 2021; Geyer 1992)
 *
 *     const gb_chains draws = {.x = x, .chains = 4, .length = 1000};
 *     gb_convergence c = gb_chains_convergence(&draws);
 *     if (c.status != GB_OK || c.words[0])
 *         puts(c.words);
 *
 * All numbers are those of R's package posterior, except where a comment says so. */
#ifndef GREBE_FITTING_CHAINS_H
#define GREBE_FITTING_CHAINS_H

#include <stddef.h>

#include "../core/memory.h"
#include "../core/status.h"

GB_BEGIN_DECLS

/* A number that was computed from draws. */
typedef struct gb_estimate {
    double value;
    double error;      /* its Monte Carlo standard error */
    double ess;        /* the number of independent draws that would have this error */
    double k;          /* for weighted draws (psis.h): the shape of the tail; NaN for chains */
    const char *words; /* what is wrong with it, a constant text; "" if nothing is */
} gb_estimate;

/* Draws of one number by several chains of one length: draw i of chain c is
 * x[c * chain_stride + i * draw_stride]. It points to the caller's array. */
typedef struct gb_chains {
    const double *x;
    size_t chains, length;
    /* Both 0: one chain after the other. For an array [draw][chain][number] of 4 chains and 10 numbers, x
     * points to the first draw of a number, .chain_stride = 10 and .draw_stride = 40. */
    size_t chain_stride, draw_stride;
    gb_memory memory; /* {0}: malloc */
} gb_chains;

/* Each chain is split into halves first (without its middle draw if the length is odd), so that a chain that
 * drifts disagrees with itself. */
typedef struct gb_convergence {
    /* GB_ENONFINITE: a draw is not finite. GB_EARGUMENT: NULL, no chain, or chains of fewer than 12 draws.
     * GB_ENOMEM. All numbers are then NaN, and `words` say why. */
    gb_status status;
    /* √(variance of all draws / variance within chains): 1 for chains that agree; below 1.01 is good. The
     * larger one of `rhat_bulk`, of draws replaced by normal scores of their ranks, and `rhat_folded`, of
     * distances from the median treated alike, which sees chains of different spread. `rhat_basic` is that of
     * the draws as they are. +∞ if all halves are constant, and not all are equal. If all distances
     * from the median are equal, `rhat_folded` is NaN and does not count. */
    double rhat, rhat_bulk, rhat_folded, rhat_basic;
    /* Effective sample sizes: of the mean of normal scores; of the 5 % or the 95 % quantile, whichever is
     * smaller; of the mean; of the standard deviation. They should be at least 100 for each chain. None
     * exceeds n log₁₀ n for n draws. A quantile that no draw exceeds does not count in `ess_tail`, and makes
     * it NA in R: the 95 % one of numbers that are 0 or 1, for example. */
    double ess_bulk, ess_tail, ess_mean, ess_sd;
    double mean, mean_error;
    double sd, sd_error; /* of all draws; with n − 1 */
    /* What is wrong or remarkable; "" if nothing is. If all draws are equal, sd and errors are 0, and what
     * does not exist is NaN. Draws near the largest number may have no mean and no sd: these are then NaN or
     * infinite, and the words say so. */
    char words[160];
} gb_convergence;

/* Computes all of them. */
GB_API gb_convergence gb_chains_convergence(const gb_chains *chains);

/* Quantiles (R's type 7) of probabilities[0 … count − 1], in [0, 1], into `out`. The error is half the
 * distance between the order statistics whose probabilities lie one standard error below and above, by a beta
 * distribution. Returns the status, as above; on failure all estimates are NaN, and their words say why. */
GB_API gb_status gb_chains_quantiles(const gb_chains *chains, size_t count, const double *probabilities,
                                     gb_estimate *out);

GB_END_DECLS
#endif
