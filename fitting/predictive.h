/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Does the model predict data like those that there are?
 *
 *     gb_loo l = gb_elbo_loo(e, gb_roots(log_likelihood), .judgement = j); // from gb_observe
 *     gb_predictive_p_value p = gb_predictive_check(e, gb_maximum_along(replicated, gb_axis(0)),
 *                                           gb_maximum_along(y, gb_axis(0)), .judgement = j);
 *
 * Both take the draws of a judgement, with its weights, or those of NUTS. If neither is given,
 * gb_judge(e, .data) is made. Points alone (gb_point) and ensembles have no draws to judge, and are rejected;
 * chains of NUTS take points, too, and gb_predictive scores held-out rows of either. */
#ifndef GREBE_FITTING_PREDICTIVE_H
#define GREBE_FITTING_PREDICTIVE_H

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

/* PSIS-LOO with k for each datum (loo.h). Weights of data are those of gb_observe, or of gb_elbo_weigh: a
 * datum of weight w is w of which one is left out, and one of weight 0 is not in the result.
 * `log_likelihood` has the nodes that gb_observe returned, or others with the log likelihood of each datum;
 * each element of each node is a datum, rows first. Nodes of rows have those rows that were fed last: all of
 * them, so data in several batches are rejected, and so are those of a team (core/team.h). On failure the
 * status is not GB_OK, all numbers are NaN, and the error is on the tape. */
#define gb_elbo_loo(...) GB_CALL_2(gb_elbo_loo, __VA_ARGS__, .size = sizeof(gb_elbo_loo_options))
GB_API gb_loo gb_elbo_loo_with(gb_elbo *e, gb_node_list log_likelihood, const gb_elbo_loo_options *options);

/* ---- posterior predictive checks ---- */

/* How often a statistic of replicated data reaches that of the data. Near 0 or 1: the model does not make
 * data like these. (It is not uniform if the model is right, but nearer to 1/2.) */
typedef struct gb_predictive_p_value {
    gb_status status;
    double p, error;           /* P(T(replicated) ≥ T(data)), ties by half; its Monte Carlo error */
    double mean, sd, observed; /* of T(replicated); T(data), its mean if it depends on latents */
    double k;                  /* of the weights; NaN for NUTS */
    const char *words;         /* what is wrong, also with the draws, one line for each; "" if nothing is */
} gb_predictive_p_value;

typedef struct gb_predictive_check_options {
    size_t size;
    const gb_judgement *judgement;
    const gb_nuts *nuts;
    gb_batches *data; /* for the judgement that is made here */
} gb_predictive_check_options;

/* Both nodes have one number for each draw. `replicated` is a statistic of data drawn from the likelihood at
 * the draws, as gb_maximum_along(replicated, gb_axis(0)) for the largest of a vector
 *
 *     gb_node replicated = gb_sample(likelihood, gb_stream(t, "replicated"), GB_SAMPLES);
 *
 * `observed` is that of the data. Either may depend on latents. */
#define gb_predictive_check(...)                                                                             \
    GB_CALL_3(gb_predictive_check, __VA_ARGS__, .size = sizeof(gb_predictive_check_options))
GB_API gb_predictive_p_value gb_predictive_check_with(gb_elbo *e, gb_node replicated, gb_node observed,
                                                      const gb_predictive_check_options *options);

GB_END_DECLS
#endif
