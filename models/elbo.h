/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The evidence lower bound (ELBO), as a graph:
 *
 *     ELBO = E_q[ Σ log p(y | w) ] − Σ KL(q(w) ‖ p(w))  ≤  log Z = log ∫ p(y | w) p(w) dw
 *
 *     gb_elbo *e = gb_elbo_new(t, .data_size = N);
 *     gb_node w = gb_latent(e, "w", gb_mean_field(gb_shape(3)), gb_normal(zero, one), gb_pathwise());
 *     gb_observe(e, "y", gb_normal(gb_dot(x, w), sigma), y);
 *     gb_node loss = gb_elbo_loss(e);
 *
 * Each part of the sum is a *term*, whose value and scale can be read. A term that varies over rows is summed
 * over them and multiplied by data_size / rows, so that a batch estimates the sum over the whole data set.
 * Other terms have scale 1.
 *
 * The tape owns an ELBO until the tape is reset or freed. Errors are recorded on the tape. A NULL argument
 * means that an earlier call failed; the function does nothing. */
#ifndef GREBE_MODELS_ELBO_H
#define GREBE_MODELS_ELBO_H

#include "../core/program.h"
#include "../estimators/expect.h"
#include "family.h"
#include "schedule.h"

GB_BEGIN_DECLS

typedef struct gb_elbo gb_elbo;

/* How KL(q ‖ p) is computed. */
typedef enum gb_kl_mode {
    /* By a formula if there is one; else sampled. Always sampled for estimators that need log q in the
     * cost. */
    GB_KL_AUTO,
    /* By a formula; an error if there is none. The formula of dropout is an approximation, which its term
     * names. */
    GB_KL_EXACT,
    GB_KL_SAMPLED /* the mean of log q − log p over the draws */
} gb_kl_mode;

/* The unit of the loss. The three losses are the same objective, multiplied by 1, rows / N and 1 / N. A
 * gradient step on one of them equals a step on the first, with the step size multiplied by the same
 * factor. */
typedef enum gb_elbo_unit {
    GB_PER_DATA_SET, /* KL − (N / rows) Σ log p */
    GB_PER_BATCH,    /* (rows / N) KL − Σ log p */
    GB_PER_DATUM     /* KL / N − mean log p */
} gb_elbo_unit;

typedef struct gb_elbo_options {
    size_t size;
    double data_size; /* REQUIRED: rows of the whole data set; a run sees a batch or all of them */
    gb_kl_mode kl;
    /* Samples of a run; 0: unchanged. This calls gb_tape_set_samples, so it holds for all programs of the
     * tape that are compiled later, also for other ELBOs. gb_fit uses the number of its own ELBO, whatever
     * was set later. gb_program_set_samples sets the number of one program. */
    int64_t samples;
    /* Weight of KL, of entropies and of priors, but not of factors: a scalar, such as gb_num(t, 0.5), or a
     * variable. No node: 1. It is not learned. With a weight below 1 the sum is not a bound on the evidence;
     * above 1 it is a looser bound than the ELBO. */
    gb_node kl_weight;
    /* Multiplies the weight of KL during training; none: 1. gb_warm_up(1000, gb_steady()) raises the weight
     * gradually to 1 (Bowman et al. 2016; Sønderby et al. 2016), which it has exactly from step 1000 on.
     * Programs with gb_minimise(loss) count the steps, in the variable "kl_schedule.step"
     * ("kl_schedule_2.step" for the second ELBO of a tape with a schedule, and so on). Other programs use the
     * current weight. */
    gb_schedule kl_schedule;
    gb_elbo_unit unit; /* unit of the loss; terms are always those of the whole data set */
    gb_bound bound;    /* none: gb_evidence_bound() */
} gb_elbo_options;

/* gb_elbo_new(tape, .data_size = N, .samples = 1). Returns NULL on error. For another number of samples in
 * one program: gb_program_set_samples. */
#define gb_elbo_new(...) GB_NEW_1(gb_elbo, __VA_ARGS__, .size = sizeof(gb_elbo_options))
GB_API gb_elbo *gb_elbo_new_with(gb_tape *tape, const gb_elbo_options *options);

/* No prior, in place of a prior: the density 1 over the support that is declared, in the latent's own units.
 * The term is then −E log q, the entropy of q, in place of −KL; with a point there is no term, and the result
 * is the maximum likelihood. gb_prior and gb_factor may add a prior, which may depend on any latents. If they
 * add none, or no normalised density, the sum is a bound on the evidence up to a constant; and it has no
 * bound itself if the posterior is improper. */
GB_API extern const gb_dist gb_no_prior;

/* Records a latent: posterior family, prior, and the estimator of its draws. Returns the draw, one for each
 * sample. With gb_point the draw is the point itself, the term is log p in place of −KL, and the estimator
 * has no effect. The prior may depend on earlier latents, and broadcasts to the shape of the family. Fails if
 * KL would have to be sampled and the family has no density (dropout). */
typedef struct gb_latent_options {
    size_t size;
    const struct gb_domain *support; /* for gb_no_prior: GB_POSITIVE … NULL: real numbers */
    /* How often each row counts, for a latent of each row (gb_posterior_of): one number, which multiplies the
     * row's term of KL or entropy. Data of the row have the same .weight (gb_observe), and so has gb_prior. A
     * row of weight 2 is then two rows with the same numbers, each with a latent of its own; gb_density
     * rejects the model, since it has one. No node: each counts once. */
    gb_node weight;
} gb_latent_options;
#define gb_latent(...) GB_CALL_5(gb_latent, __VA_ARGS__, .size = sizeof(gb_latent_options))
GB_API gb_node gb_latent_with(gb_elbo *e, const char *name, gb_family family, gb_dist prior,
                              gb_estimator estimator, const gb_latent_options *options);

/* A part of a block. */
typedef struct gb_latent_part {
    const char *name; /* REQUIRED: new to the block; messages and nodes use BLOCK.NAME */
    gb_shape shape;
    gb_dist prior;                   /* of this tape; or gb_no_prior, and gb_prior adds one */
    const struct gb_domain *support; /* OPTIONAL, for gb_no_prior: the support. NULL: real numbers */
    /* OPTIONAL, for gb_no_prior without `support`: names of earlier parts. Each number is above, or below,
     * their values, which broadcast to the shape. */
    const char *above, *below;
} gb_latent_part;

/* Several latents with one joint posterior:
 *
 *     const gb_latent_part parts[] = {
 *         {.name = "slope", .shape = gb_shape(3), .prior = gb_normal(zero, one)},
 *         {.name = "noise", .shape = gb_shape(), .prior = gb_half_normal(one)}};
 *     gb_node w[2];
 *     gb_latent_block(e, "theta", gb_full_rank(gb_shape()), 2, parts, gb_pathwise(), w);
 *
 * The family is the posterior of one vector: the free numbers (models/family.h) of all parts, in order. The
 * vector is cut into pieces, and each piece is mapped onto the support of its prior, with the Jacobian in log
 * q. The shape of the family is that of the vector, or () for the length that results. Variables are
 * THETA.location …; gb_elbo_posterior returns q of the vector; start values are those of the free numbers. KL
 * is exact if all priors are over real numbers and of one type that has a formula with q. A point is mapped
 * without Jacobians.
 *
 * Writes the draws of the parts to `draws`. Returns the draw of the vector; an inert node on error. */
GB_API gb_node gb_latent_block(gb_elbo *e, const char *name, gb_family family, size_t count,
                               const gb_latent_part *parts, gb_estimator estimator, gb_node *draws);

/* Returns q of a latent, for the functions of distributions: gb_icdf(gb_elbo_posterior(e, "w"), u) returns
 * its quantiles. For a point it is gb_point_mass; for a block, q of the vector of free numbers; for a part
 * ("theta.slope"), the distribution of each of its numbers by itself. Returns an inert distribution, without
 * an error, if the name is unknown, or if a part has no such formula (a vector that is mapped as a whole). */
GB_API gb_dist gb_elbo_posterior(const gb_elbo *e, const char *name);

/* Return the mean and the standard deviation of q of a latent, or of a part of a block, in its shape; the
 * latter is 0 for a point. Fail if there is no closed form (a mean field on an interval or a simplex).
 * gb_predict_mean and gb_predict_sd of the draw estimate them from samples. */
GB_API gb_node gb_elbo_posterior_mean(const gb_elbo *e, const char *name);
GB_API gb_node gb_elbo_posterior_sd(const gb_elbo *e, const char *name);

/* Like gb_elbo_posterior_mean and gb_elbo_posterior_sd, as numbers for the current values of the variables.
 * Writes `count` numbers to each of `mean` and `sd`: as many as the latent has elements. Either may be NULL.
 * The first call compiles a program. Returns the error code of the tape.
 *
 *     double mean[3], sd[3];
 *     gb_elbo_posterior_read(e, "w", mean, sd, 3); */
GB_API gb_status gb_elbo_posterior_read(gb_elbo *e, const char *name, double *mean, double *sd, size_t count);

/* Return the mean and the standard deviation of x over the draws of the latents (gb_mean_of_draws). x may be
 * a latent, or the output of a network. In a program of its own, with many samples, they are a prediction:
 *
 *     gb_node mean = gb_predict_mean(e, f), sd = gb_predict_sd(e, f);
 *     gb_program *predict = gb_compile(t, gb_roots(mean, sd), gb_no_update);
 *     gb_program_set_samples(predict, 1000); */
GB_API gb_node gb_predict_mean(gb_elbo *e, gb_node x);
GB_API gb_node gb_predict_sd(gb_elbo *e, gb_node x);

/* Adds the prior log p(x) of latents that were declared with gb_no_prior. x is a draw, or any function of
 * draws with the density p. Both may depend on other latents and parts, so a hierarchy fits into one block:
 *
 *     gb_prior(e, "effects", gb_normal(w[MEAN], w[SPREAD]), w[EFFECTS]);
 *
 * The term is sampled and is multiplied by the weight of KL. Fails like gb_observe. */
typedef struct gb_prior_options {
    size_t size;
    gb_node weight; /* as that of gb_observe, of latents of each row */
} gb_prior_options;
#define gb_prior(...) GB_CALL_4(gb_prior, __VA_ARGS__, .size = sizeof(gb_prior_options))
GB_API gb_node gb_prior_with(gb_elbo *e, const char *name, gb_dist p, gb_node x,
                             const gb_prior_options *options);

typedef struct gb_observe_options {
    size_t size;
    /* How often each datum counts: a node that broadcasts to the shape of the log density, and depends on no
     * draw. A datum of weight 0 is missing: give it any value within the support. Scores of predictions and
     * of held-out rows leave it out, and so does PSIS-LOO. No node: each counts once. */
    gb_node weight;
    /* No datum of the training: p is a law that gb_predictive knows by this name, of rows that are not seen
     * by the likelihood. There is no term; `data` and `weight` are only what predictions are scored by. The
     * name may be that of an outcome that is one. */
    bool is_foreseen;
} gb_observe_options;

/* Adds the term log p(data) of observed data. Returns log p of each datum (and sample), not scaled and
 * without its weight. Fails if the distribution varies over rows and the data do not, or if the shapes would
 * count a datum twice. If data outside the support make a run fail, the message has the name, the row
 * (counted from 0, in the data set of gb_batches), the value and the support. */
#define gb_observe(...) GB_CALL_4(gb_observe, __VA_ARGS__, .size = sizeof(gb_observe_options))
GB_API gb_node gb_observe_with(gb_elbo *e, const char *name, gb_dist p, gb_node data,
                               const gb_observe_options *options);

/* Adds any log likelihood: a real node, preferably with one value for each datum. */
GB_API void gb_log_likelihood(gb_elbo *e, const char *name, gb_node log_p);

/* Says how often each datum of a log likelihood counts where gb_elbo_loo leaves it out. gb_observe with
 * .weight has done so for the node that it returned. Adds no term. Fails as .weight of gb_observe does. */
GB_API void gb_elbo_weigh(gb_elbo *e, gb_node log_likelihood, gb_node weight);

/* Adds another term of the log joint density: the sum over shape and rows, where rows are scaled as data
 * are. */
GB_API void gb_factor(gb_elbo *e, const char *name, gb_node log_factor);

/* Returns the loss, −ELBO in its unit; its gradients are those of the estimators. No terms can be added
 * afterwards. With a gb_point among the latents, the loss is minus a log joint density at the point, and not
 * a bound. */
GB_API gb_node gb_elbo_loss(gb_elbo *e);

/* ---- the terms ---- */

/* What a term of an ELBO is. */
typedef enum gb_term_kind {
    GB_TERM_DATA,
    GB_TERM_FACTOR,
    GB_TERM_KL,
    GB_TERM_PRIOR,
    GB_TERM_TOTAL,
    GB_TERM_ENTROPY /* of q of a latent with gb_no_prior */
} gb_term_kind;

/* A term. Its nodes are for reading: they have no gradient, unlike the loss. */
typedef struct gb_elbo_term {
    const char *name;
    gb_term_kind kind;
    bool exact; /* true: computed without sampling, so the error is 0 */
    /* Name of the approximation that replaces a KL without a formula; NULL: none. That of dropout is by Gal
     * and Ghahramani; it may be negative, and then the sum is not a bound. The sum has the approximation of
     * the first term that has one. */
    const char *approximation;
    gb_node value; /* contribution to the ELBO: scaled, mean over the samples */
    /* Standard error over the samples of a run. 0 if exact. NaN for one sample, and if the samples are not
     * independent (antithetic and Sobol draws). */
    gb_node error;
    gb_node scale;       /* factor of the sum over rows; 1 without rows */
    gb_node weight;      /* further factor of KL, entropies and priors; 1 for other terms */
    const char *warning; /* likely mistake, described for a reader. NULL: none found */
} gb_elbo_term;

/* Returns the terms in the order of their creation, and last their sum, as "ELBO". `count` receives their
 * number, the sum included. Returns NULL on error. No terms can be added afterwards. */
GB_API const gb_elbo_term *gb_elbo_terms(gb_elbo *e, size_t *count);

/* Returns the first term of that name, "ELBO" for the sum: gb_elbo_term_named(e, "w").value is −KL of latent
 * w. With a bound of several draws (.bound) the terms are those of a single one: their sum is the ELBO, and
 * the loss is minus the bound. Returns inert nodes, and records an error, if there is none. */
GB_API gb_elbo_term gb_elbo_term_named(gb_elbo *e, const char *name);

/* Returns the roots of a program for gb_elbo_print: values, errors, scales and weights of all terms, the
 * weight of KL, and the nodes that gb_elbo_print reads.
 *
 *     gb_program *look = gb_compile(t, gb_elbo_roots(e), gb_no_update);
 *     gb_run(look), gb_elbo_print(e, stdout); */
GB_API gb_node_list gb_elbo_roots(gb_elbo *e);

/* Prints each term: value, standard error, scale, exact or Monte Carlo; then the bound, if it is not the
 * ELBO; then KL, KL/N and the mean log likelihood; then why the sum is not an ELBO, and warnings: likely
 * mistakes, and a sum above 0 if all data are discrete, which is impossible. On error it prints nothing.
 *
 * The numbers are those of one run: of the last run of a program with all of gb_elbo_roots. If no program has
 * run on the tape, the terms are evaluated first. If only other programs have run (gb_fit), it is an error.
 * Returns the error code of the tape. */
GB_API gb_status gb_elbo_print(gb_elbo *e, FILE *file);

GB_END_DECLS
#endif
