/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The no-U-turn sampler (Hoffman and Gelman 2014; Betancourt 2017), as Stan has it: draws from the posterior
 * itself, where a fit has a family. For continuous latents.
 *
 *     gb_nuts *r = gb_sample_nuts(e);
 *     gb_nuts_print(r, stdout);
 *     gb_nuts_free(r);
 *
 * All chains ask for their gradients together, in one run of the model for all of them; none waits for
 * another. Random numbers come from Philox: a seed gives the same draws for any number of threads. With
 * matrix products, last digits may depend on how many chains there are and when others end. */
#ifndef GREBE_FITTING_NUTS_H
#define GREBE_FITTING_NUTS_H

#include <stdio.h>

#include "chains.h"
#include "density.h"

GB_BEGIN_DECLS

/* The form of the covariance by which steps are scaled. */
typedef enum gb_nuts_metric {
    GB_METRIC_DIAGONAL,
    GB_METRIC_DENSE, /* for correlated posteriors; a step costs n² operations more */
    GB_METRIC_UNIT   /* none: the free numbers have one scale */
} gb_nuts_metric;

/* Where the sampling stands. */
typedef struct gb_nuts_progress {
    int64_t transitions, of; /* of all chains together, warm-up included */
    int64_t gradients;
    int64_t divergences; /* after the warm-up */
    double seconds;
} gb_nuts_progress;

typedef struct gb_sample_nuts_options {
    size_t size;
    gb_density *density; /* NULL: gb_density_new(e, .data); else e is not used, and may be NULL */
    gb_batches *data;    /* see gb_density_options; for the density that is made here */
    int64_t chains;      /* 0: 4 */
    int64_t warmup;      /* transitions of each chain before its draws; 0: 1000. .no_warmup: none */
    int64_t draws;       /* of each chain; 0: 1000 */
    double target;     /* mean acceptance statistic; 0: 0.8. Nearer to 1: smaller steps, fewer divergences */
    int64_t max_depth; /* of a trajectory, which has at most 2^max_depth − 1 leaps; 0: 10; at most 20 */
    gb_nuts_metric metric;
    uint64_t seed; /* 0: that of the tape */
    bool no_warmup;
    /* Starts. By default each free number is uniform between −spread and spread, drawn again up to 100 times
     * until there is a density. With .from_q they are draws of q. `start` has n free numbers for each chain;
     * gb_density_free_numbers makes them from values. */
    double spread; /* 0: 2 */
    bool from_q;
    const double *start;
    /* Called about ten times a second. Returning false ends the sampling: the result has the draws that all
     * chains have. If that is none, it fails with GB_ESTOPPED. It may feed the inputs with rows and run
     * other programs: the sampling keeps the rows that it had. Rows that are fed, but not run before it
     * returns, are an error without batches. */
    bool (*each)(void *user, const gb_nuts_progress *progress);
    void *user;
} gb_sample_nuts_options;

/* A transition in which the energy changed by more than 1000: the steps are too large for the curvature
 * there, and draws near it are missing. */
typedef struct gb_nuts_divergence {
    size_t chain, draw;
    const double *z; /* where it was seen: free numbers */
} gb_nuts_divergence;

/* The result. Arrays are [chain][draw], then [number]. Only the library makes one; it may grow at its end. */
typedef struct gb_nuts {
    gb_density *density; /* names of numbers; lives as long as the tape */
    size_t chains, draws;
    size_t count, values; /* free numbers and values of a draw */
    const double *z;      /* free numbers */
    const double *value;
    const double *log_p;  /* of the density: up to a constant that of the posterior */
    const double *accept; /* mean acceptance statistic of the transition's leaps */
    const double *energy;
    const int *depth; /* of the trajectory */
    size_t divergences;
    const gb_nuts_divergence *divergence;
    size_t saturated;     /* draws whose trajectory was cut off at max_depth */
    const double *step;   /* of each chain */
    gb_nuts_metric kind;  /* of the metric */
    const double *metric; /* for each chain n variances, or a matrix n × n; NULL for GB_METRIC_UNIT */
    const double *e_bfmi; /* of each chain; below 0.3 energies change too slowly */
    const gb_convergence
        *convergence;  /* of each value, then of log_p: R̂, effective sizes, mean, sd, errors */
    int64_t gradients; /* evaluated, of all chains */
    double seconds, warmup_seconds;
    bool is_stopped;   /* by the callback */
    const char *words; /* warnings, one to a line; "" if there is none */
    gb_node origin;    /* of the density: other functions know by it which ELBO was sampled */
} gb_nuts;

/* Samples. Returns NULL on error, which is on the tape: what gb_density_new rejects; a chain without a
 * starting point (with what was rejected there); a density that does not fall off, so that steps grow without
 * end, or diverge where values pass 1e150: an improper posterior. One that is so along a ridge, as of a + b,
 * is not noticed but by R̂ and by warnings. */
#define gb_sample_nuts(...) GB_CALL_1(gb_sample_nuts, __VA_ARGS__, .size = sizeof(gb_sample_nuts_options))
GB_API gb_nuts *gb_sample_nuts_with(gb_elbo *e, const gb_sample_nuts_options *options);

/* Frees a result, before or after its tape. NULL is allowed. */
GB_API void gb_nuts_free(gb_nuts *nuts);

/* Returns the draws of value number i as chains, for the functions of chains.h; i = nuts->values: log_p. It
 * points into `nuts`. */
GB_API gb_chains gb_nuts_chains(const gb_nuts *nuts, size_t i);

/* Prints a table, also when the tape is gone: mean, error, sd, quantiles, effective sizes and R̂ of each
 * value, then the warnings. Returns GB_EARGUMENT for NULL, GB_ESYSTEM if writing failed. */
GB_API gb_status gb_nuts_print(const gb_nuts *nuts, FILE *file);

GB_END_DECLS
#endif
