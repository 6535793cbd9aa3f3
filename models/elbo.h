/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The evidence lower bound, put together as a graph:
 *
 *     ELBO = E_q[ Σ log p(y | w) ] − Σ KL(q(w) ‖ p(w))  ≤  log Z = log ∫ p(y | w) p(w) dw
 *
 *     gb_elbo *e = gb_elbo_new(t, .data_size = N);
 *     gb_node w = gb_latent(e, "w", gb_mean_field(gb_shape(3)), gb_normal(zero, one), gb_pathwise());
 *     gb_observe(e, "y", gb_normal(gb_dot(x, w), sigma), y);
 *     gb_node loss = gb_elbo_loss(e);
 *
 * Each part of the sum is a term, with its value and its scale to be looked at. What carries rows is summed
 * over them and scaled by data_size / rows, so that a batch estimates the whole; what does not is taken as it
 * is.
 *
 * The tape owns an ELBO, until it is reset or ends. Errors go to the tape; NULL is taken as an error told
 * before. */
#ifndef GREBE_MODELS_ELBO_H
#define GREBE_MODELS_ELBO_H

#include "../core/program.h"
#include "../estimators/expect.h"
#include "bound.h"
#include "family.h"
#include "schedule.h"

GB_BEGIN_DECLS

typedef struct gb_elbo gb_elbo;

/* How KL(q ‖ p) is computed. */
typedef enum gb_kl_mode {
    GB_KL_AUTO, /* by a formula where there is a formula, but for estimators that need log q in the cost; else sampled */
    GB_KL_EXACT, /* by a formula, or it is an error; that of dropout is an approximation, which its term says */
    GB_KL_SAMPLED /* the mean of log q − log p over the draws */
} gb_kl_mode;

/* What the loss is counted in. The three are one objective, times 1, rows / N and 1 / N: a gradient step of any of them is
 * that of the first with a step size so many times as large. */
typedef enum gb_elbo_unit {
    GB_PER_DATA_SET, /* KL − (N / rows) Σ log p */
    GB_PER_BATCH,    /* (rows / N) KL − Σ log p */
    GB_PER_DATUM     /* KL / N − mean log p */
} gb_elbo_unit;

typedef struct gb_elbo_options {
    size_t size;
    double data_size; /* REQUIRED: rows of the whole data set, of which a run sees a batch or all */
    gb_kl_mode kl;
    /* Draws to a run; 0: leave it. It is gb_tape_set_samples, and so of the tape: it holds for all programs that are compiled
     * from then on, those of an ELBO that was made before included. gb_fit takes this ELBO's own, whatever another one has
     * said since; gb_program_set_samples gives any program a number of its own. */
    int64_t samples;
    /* What KL is multiplied by, and the prior of a point: a scalar, such as gb_num(t, 0.5), or a variable. No node: 1. It is
     * not learned. With a number below 1 the sum is no bound on the evidence, with one above 1 a looser one than the ELBO. */
    gb_node kl_weight;
    /* What that is multiplied by as training goes on; none: 1. gb_warm_up(1000, gb_steady()) lets KL in by and by (Bowman et
     * al. 2016; Sønderby et al. 2016), and is exactly 1 from step 1000 on. The steps are those of programs with
     * gb_minimise(loss), which count them in the variable "kl_schedule.step" ("kl_schedule_2.step" of the second ELBO of a
     * tape that has one, and so on); others see the weight that stands. */
    gb_schedule kl_schedule;
    gb_elbo_unit unit; /* of the loss; terms are told for the data set */
    gb_bound bound;    /* none: gb_evidence_bound() */
} gb_elbo_options;

/* gb_elbo_new(tape, .data_size = N, .samples = 1). Another number of samples for one program: gb_program_set_samples.
 * NULL on error. */
#define gb_elbo_new(...) GB_NEW_1(gb_elbo, __VA_ARGS__, .size = sizeof(gb_elbo_options))
GB_API gb_elbo *gb_elbo_new_with(gb_tape *tape, const gb_elbo_options *options);

/* In place of a prior: none. Of a point it leaves the maximum likelihood. Any other family is left without a KL,
 * and nothing holds its q back; the ELBO remembers, to say so. Numbers are real then; a part of a block may say
 * otherwise. */
GB_API extern const gb_dist gb_no_prior;

/* A latent quantity: posterior family, prior, and the estimator of its draws. Returns the draw, one for each
 * sample. With gb_point it is the point itself, −KL becomes log p, and the estimator has nothing to do. The
 * prior may depend on latents drawn before; it broadcasts to the family's shape. Of a family without a density
 * (dropout) KL cannot be sampled, which is said in words where it would have to be. */
GB_API gb_node gb_latent(gb_elbo *e, const char *name, gb_family family, gb_dist prior,
                         gb_estimator estimator);

/* A part of a block. */
typedef struct gb_latent_part {
    const char *name; /* REQUIRED: new to the block; messages and nodes say BLOCK.NAME */
    gb_shape shape;
    gb_dist prior; /* of this tape, or gb_no_prior: no term of its own (gb_factor may add one) */
    const struct gb_domain *support; /* OPTIONAL, for gb_no_prior: what it lies in. NULL: real numbers */
} gb_latent_part;

/* Several latents with one joint posterior:
 *
 *     const gb_latent_part parts[] = {
 *         {.name = "slope", .shape = gb_shape(3), .prior = gb_normal(zero, one)},
 *         {.name = "noise", .shape = gb_shape(), .prior = gb_half_normal(one)}};
 *     gb_node w[2];
 *     gb_latent_block(e, "theta", gb_full_rank(gb_shape()), 2, parts, gb_pathwise(), w);
 *
 * The family is that of a vector of all free numbers (models/family.h), part after part; it is cut, and each piece
 * mapped onto its prior's support, with the Jacobian in log q. The family's shape is that of the vector, or () for
 * whatever there is. Variables are THETA.location …, gb_elbo_posterior gives q of the vector, starts are those of free
 * numbers. KL is exact if all priors are of one kind that q has it with, over real numbers. A point is mapped without
 * Jacobians.
 * `draws` receives the parts; returns the vector, inert on error. */
GB_API gb_node gb_latent_block(gb_elbo *e, const char *name, gb_family family, size_t count,
                               const gb_latent_part *parts, gb_estimator estimator, gb_node *draws);

/* q of a latent, to be asked what distributions can be: gb_icdf(gb_elbo_posterior(e, "w"), u) are its quantiles. Of a point it is
 * gb_point_mass. Of a block it is that of the vector of free numbers, and of a part ("theta.slope") that of each of its
 * numbers by itself; inert where that has no formula (vectors that are mapped as a whole), and for a name that is none's. */
GB_API gb_dist gb_elbo_posterior(const gb_elbo *e, const char *name);

/* The mean and the standard deviation of q of a latent, or of a part of a block, in its shape: 0 for a point. An error where
 * there is no closed form (a mean field on an interval or a simplex); gb_predict_mean and gb_predict_sd of the draw take
 * them from draws. */
GB_API gb_node gb_elbo_posterior_mean(const gb_elbo *e, const char *name);
GB_API gb_node gb_elbo_posterior_sd(const gb_elbo *e, const char *name);

/* The same as numbers, as variables stand now: `count` of each, as many as the latent has elements. Either may be NULL. It
 * runs a program of its own, made at the first call. Returns what went wrong, which the tape has too.
 *
 *     double mean[3], sd[3];
 *     gb_elbo_posterior_read(e, "w", mean, sd, 3); */
GB_API gb_status gb_elbo_posterior_read(gb_elbo *e, const char *name, double *mean, double *sd, size_t count);

/* Mean and standard deviation, over the draws of the latents, of what was made of them (gb_mean_of_draws): of a latent, of a
 * network's output. In a program of its own, with as many draws as one likes, they are a prediction:
 *
 *     gb_node mean = gb_predict_mean(e, f), sd = gb_predict_sd(e, f);
 *     gb_program *predict = gb_compile(t, gb_roots(mean, sd), gb_no_update);
 *     gb_program_set_samples(predict, 1000); */
GB_API gb_node gb_predict_mean(gb_elbo *e, gb_node x);
GB_API gb_node gb_predict_sd(gb_elbo *e, gb_node x);

/* Data: adds log p(data). Returns log p of each datum (and sample), unscaled. A distribution that varies over
 * rows with data that do not is an error, and so are shapes that would count a datum twice. */
GB_API gb_node gb_observe(gb_elbo *e, const char *name, gb_dist p, gb_node data);

/* The same for any log likelihood: a real node, best with one value for each datum. */
GB_API void gb_log_likelihood(gb_elbo *e, const char *name, gb_node log_p);

/* Any other part of the log joint density: its sum over shape and rows, the latter scaled as data are. */
GB_API void gb_factor(gb_elbo *e, const char *name, gb_node log_factor);

/* −ELBO in its unit, to be minimised: its gradients are those of its estimators. Nothing can be added afterwards. With a
 * gb_point among the latents it is minus a log joint density at the point, and no bound. */
GB_API gb_node gb_elbo_loss(gb_elbo *e);

/* ---- the terms ---- */

typedef enum gb_term_kind {
    GB_TERM_DATA,
    GB_TERM_FACTOR,
    GB_TERM_KL,
    GB_TERM_PRIOR,
    GB_TERM_TOTAL
} gb_term_kind;

/* Nodes for reading; they have no gradient (the loss has). */
typedef struct gb_elbo_term {
    const char *name;
    gb_term_kind kind;
    bool exact; /* no sampling: without error */
    /* What stands in place of a KL that no formula has: that of dropout is Gal and Ghahramani's, which may be negative, and the
     * sum is no bound then. The sum has that of the first term with one. NULL: it is KL itself. */
    const char *approximation;
    gb_node value; /* what it adds to the ELBO, scaled, a mean over the samples */
    /* Its standard error over the samples of a run: 0 where exact, NaN for one sample, and for samples that are not
     * independent (antithetic and Sobol draws). */
    gb_node error;
    gb_node scale;       /* what a sum over the rows was multiplied by; 1 without rows */
    gb_node weight;      /* what KL and the prior of a point were multiplied by besides; 1 of other terms */
    const char *warning; /* what looks like a mistake, for a reader; NULL: nothing does */
} gb_elbo_term;

/* The terms in the order they were made, and their sum after the last, as "ELBO". Ends the adding of terms,
 * as gb_elbo_loss does. `count` receives how many, the sum included; NULL on error. */
GB_API const gb_elbo_term *gb_elbo_terms(gb_elbo *e, size_t *count);

/* The first of that name, "ELBO" for the sum: gb_elbo_term_named(e, "w").value is −KL of latent w. Its nodes are inert, with
 * an error, where there is none. */
GB_API gb_elbo_term gb_elbo_term_named(gb_elbo *e, const char *name);

/* The roots of a program that gb_elbo_print is to print after: values, errors, scales and weights of all terms, the weight of
 * KL, and what gb_elbo_print reads of them.
 *
 *     gb_program *look = gb_compile(t, gb_elbo_roots(e), gb_no_update);
 *     gb_run(look), gb_elbo_print(e, stdout); */
GB_API gb_node_list gb_elbo_roots(gb_elbo *e);

/* Writes each term: value, standard error, scale, exact or Monte Carlo; a bound that is not the ELBO; then KL, KL/N and the mean log likelihood, in what way
 * the sum is no ELBO, and what looks like a mistake: all of it, or nothing and an error. It is of one run: that of the
 * program with all of gb_elbo_roots that ran last. Where no program ran on the tape it is evaluated for the purpose; where only
 * others did (gb_fit) it is an error. Returns the tape's code. */
GB_API gb_status gb_elbo_print(gb_elbo *e, FILE *file);

GB_END_DECLS
#endif
