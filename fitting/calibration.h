/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Does a method find the posterior of models like this one?
 *
 *     gb_calibration *c = gb_calibrate(.make = make, .parameters = 3);
 *     gb_calibration_print(c, stdout);
 *     gb_calibration_free(c);
 *
 * If parameters are drawn from the prior, data from the model, and draws from the posterior of the data, then
 * the rank of the parameter among the draws is uniform (Talts et al. 2018). For q in place of the posterior,
 * VSBC asks less: are its errors symmetric, that is, is it biased over such data (Yao et al. 2018)? */
#ifndef GREBE_FITTING_CALIBRATION_H
#define GREBE_FITTING_CALIBRATION_H

#include <stdio.h>

#include "density.h"

GB_BEGIN_DECLS

/* A number. */
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
    /* REQUIRED. For simulation `number`: draws parameters from the prior and data from them, records the
     * model on the tape, and fits it. Writes the parameters to `truth`: values of all latents, in the order
     * of recording. Returns the ELBO; NULL on failure, which ends all. The tape's seed differs each time. */
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
