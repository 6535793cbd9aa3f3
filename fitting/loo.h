/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Leave-one-out cross-validation without refitting: PSIS-LOO (Vehtari, Gelman and Gabry 2017). How well would
 * the model have predicted each datum from all the others?
 *
 *     gb_loo l = gb_loo(draws, data, log_likelihood);                            // draws of the posterior
 *     gb_loo l = gb_loo(draws, data, log_likelihood, .log_ratios = log_p_over_q); // draws of q
 *
 * The draws are weighted by 1 / p(y_i | draw), and Pareto-smoothed, for each datum i. */
#ifndef GREBE_FITTING_LOO_H
#define GREBE_FITTING_LOO_H

#include "../core/options.h"
#include "psis.h"

GB_BEGIN_DECLS

/* One datum. */
typedef struct gb_loo_datum {
    double elpd;  /* log p(y_i | all data but y_i) */
    double error; /* its Monte Carlo standard error; too small if k is above the threshold */
    double p;     /* log p(y_i | all data) − elpd: its share of the effective number of parameters */
    double k;     /* as in gb_psis. A large one also marks a datum that alone moves the posterior */
    double ess;
} gb_loo_datum;

/* Sums over all data. Each `_error` but the Monte Carlo one is √(data × variance over data): how far the sum
 * would vary with other data. It is NaN for one datum. With weights, a datum of weight w counts w times in
 * all of these, and data of weight 0 are left out. */
typedef struct gb_loo {
    /* GB_ENONFINITE: a log likelihood is not finite (or a log ratio NaN or +∞). GB_EARGUMENT: NULL arrays, no
     * draws, no data, or an impossible option. GB_ENOMEM. All numbers are then NaN, `pointwise` is not to be
     * used, and `words` say why. */
    gb_status status;
    double elpd, elpd_error; /* expected log predictive density: larger is better */
    double p, p_error;       /* effective number of parameters */
    double ic, ic_error;     /* −2 elpd */
    /* Monte Carlo standard error of elpd; +∞, unknown, if a k is not below the threshold. */
    double monte_carlo_error;
    double threshold;  /* gb_psis_threshold(draws) */
    size_t unreliable; /* data whose k is not below the threshold */
    size_t worst;      /* the datum with the largest k */
    double largest_k;
    /* What is wrong, and how many data are left out, one line for each; "" if all are in it and nothing is.
     * gb_elbo_loo adds the warnings of the draws. */
    char words[480];
} gb_loo;

typedef struct gb_loo_options {
    size_t size;
    gb_loo_datum *pointwise; /* OPTIONAL: room for one of each datum; all NaN for one of weight 0 */
    /* log p(draw, data) − log q(draw), up to a constant, of each draw: the draws are those of q. NULL: they
     * are draws of the posterior. −∞ is a weight of 0. With them p takes log p(y_i | all data) from the
     * smoothed ratios. (R's loo_approximate_posterior takes it from equal weights; its p_loo differs.) */
    const double *log_ratios;
    /* The relative efficiency of the draws for each datum. NULL: computed from `chains`. */
    const double *r_eff;
    /* How many chains made the draws, one chain after the other and of one length: the relative efficiency
     * of a datum is then that of its likelihood. 0: the draws are independent. */
    size_t chains;
    /* The log likelihood of datum i at draw s is log_likelihood[s * draw_stride + i * datum_stride]. Both 0:
     * an array [draw][datum]. */
    size_t draw_stride, datum_stride;
    gb_memory memory; /* {0}: malloc */
    /* How often each datum counts. NULL: once. A datum of weight w stands for w equal ones, of which one is
     * left out: the draws are weighted by 1 / p(y_i | draw), whatever w is, and the result counts w times.
     * The log likelihood is that of one of them. That of a datum of weight 0, which is left out, is not
     * looked at. */
    const double *weights;
} gb_loo_options;

/* Computes it from the log likelihood of each datum for each draw. */
#define gb_loo(...) GB_CALL_3(gb_loo, __VA_ARGS__, .size = sizeof(gb_loo_options))
GB_API gb_loo gb_loo_with(size_t draws, size_t data, const double *log_likelihood,
                          const gb_loo_options *options);

GB_END_DECLS
#endif
