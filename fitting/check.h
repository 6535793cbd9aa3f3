/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Does the model fit the data, and does the method fit models like this one?
 *
 *     gb_loo l = gb_elbo_loo(e, gb_roots(log_likelihood), .judgement = j);       // from gb_observe
 *     gb_predictive p = gb_predictive_check(e, gb_max(replicated), gb_max(y), .judgement = j);
 *     gb_calibration *c = gb_calibrate(.make = make, .parameters = 3);
 *
 * The first two take the draws of a judgement, with its weights, or those of NUTS. If neither is given,
 * gb_judge(e, .data) is made. */
#ifndef GREBE_FITTING_CHECK_H
#define GREBE_FITTING_CHECK_H

#include "judge.h"
#include "loo.h"

GB_BEGIN_DECLS

/* ---- leave-one-out cross-validation ---- */

typedef struct gb_elbo_loo_options {
    size_t size;
    const gb_judgement *judgement;
    const gb_nuts *nuts;
    gb_batches *data; /* for the judgement that is made here */
    /* OPTIONAL: room for one of each datum, and how many there is room for. */
    gb_loo_datum *pointwise;
    size_t room;
} gb_elbo_loo_options;

/* PSIS-LOO with k for each datum (loo.h). `log_likelihood` has the nodes that gb_observe returned, or others
 * with the log likelihood of each datum; each element of each node is a datum, rows first. Nodes of rows have
 * those rows that were fed last: all of them, so data in several batches are rejected. On failure the status is
 * not GB_OK, all numbers are NaN, and the error is on the tape. */
#define gb_elbo_loo(...) GB_CALL_2(gb_elbo_loo, __VA_ARGS__, .size = sizeof(gb_elbo_loo_options))
GB_API gb_loo gb_elbo_loo_with(gb_elbo *e, gb_node_list log_likelihood, const gb_elbo_loo_options *options);

/* ---- posterior predictive checks ---- */

/* How often a statistic of replicated data reaches that of the data. Near 0 or 1: the model does not make data
 * like these. (It is not uniform if the model is right, but nearer to 1/2.) */
typedef struct gb_predictive {
    gb_status status;
    double p, error;           /* P(T(replicated) ≥ T(data)), ties by half; its Monte Carlo error */
    double mean, sd, observed; /* of T(replicated); T(data), its mean if it depends on latents */
    double k;                  /* of the weights; NaN for NUTS */
    const char *words;         /* what is wrong; "" if nothing is */
} gb_predictive;

typedef struct gb_predictive_check_options {
    size_t size;
    const gb_judgement *judgement;
    const gb_nuts *nuts;
    gb_batches *data; /* for the judgement that is made here */
} gb_predictive_check_options;

/* Both nodes have one number for each draw. `replicated` is a statistic of data drawn from the likelihood at
 * the draws, as gb_max(gb_sample(likelihood, gb_stream(t, "replicated"), GB_SAMPLES)); `observed` that of the
 * data. Either may depend on latents. */
#define gb_predictive_check(...)                                                                             \
    GB_CALL_3(gb_predictive_check, __VA_ARGS__, .size = sizeof(gb_predictive_check_options))
GB_API gb_predictive gb_predictive_check_with(gb_elbo *e, gb_node replicated, gb_node observed,
                                              const gb_predictive_check_options *options);

/* ---- simulation-based calibration ---- */

/* If parameters are drawn from the prior, data from the model, and draws from the posterior of the data, then
 * the rank of the parameter among the draws is uniform (Talts et al. 2018). For q in place of the posterior,
 * VSBC asks less: are its errors symmetric, that is, is it biased over such data (Yao et al. 2018)? */
typedef struct gb_calibrated {
    const char *name;
    double chi2, p;      /* of the ranks in .bins bins, against uniform ones; p-value */
    double asymmetry;    /* the largest distance of the distributions of u and 1 − u, u = rank / draws */
    double asymmetry_p;  /* how often random reflections of each u give as much: small if q is biased */
    double mean;         /* of u; above 1/2: q is too low */
    double dispersion;   /* 12 × the variance of u: above 1 q is too narrow, below 1 too wide */
    const size_t *ranks; /* of each simulation, from 0 to .draws */
} gb_calibrated;

/* Only the library makes one; it may grow at its end. */
typedef struct gb_calibration {
    gb_status status;
    size_t simulations, parameters, draws, bins;
    const gb_calibrated *parameter;
    char words[320]; /* what is wrong or remarkable; "" if nothing is */
} gb_calibration;

typedef struct gb_calibrate_options {
    size_t size;
    /* REQUIRED. For simulation `number`: draws parameters from the prior and data from them, records the model
     * on the tape, and fits it. Writes the parameters to `truth`: values of all latents, in the order of
     * recording. Returns the ELBO; NULL on failure, which ends all. The tape's seed differs each time. */
    gb_elbo *(*make)(void *user, gb_tape *tape, size_t number, double *truth);
    void *user;
    size_t parameters;           /* REQUIRED: values of all latents */
    size_t simulations;          /* 0: 200 */
    size_t draws;                /* of q, for ranks; 0: 199. draws + 1 must be a multiple of bins */
    size_t bins;                 /* 0: 20 */
    uint64_t seed;               /* 0: 1 */
    const gb_tape_options *tape; /* OPTIONAL; the seed is replaced. NULL: all defaults */
    gb_memory memory;            /* {0}: malloc */
} gb_calibrate_options;

/* Makes all simulations. Returns NULL if memory runs out or the options have no size; else the result says in
 * `status` and `words` what failed. The caller frees it. */
#define gb_calibrate(...) GB_CALL_0(gb_calibrate, .size = sizeof(gb_calibrate_options), __VA_ARGS__)
GB_API gb_calibration *gb_calibrate_with(const gb_calibrate_options *options);
GB_API void gb_calibration_free(gb_calibration *calibration);

/* Prints a table. Returns GB_EARGUMENT for NULL, GB_ESYSTEM if writing failed. */
GB_API gb_status gb_calibration_print(const gb_calibration *calibration, FILE *file);

GB_END_DECLS
#endif
