/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expectations: E[cost] over draws, with a gradient in the parameters of their distributions.
 *
 *     gb_expect *e = gb_expect_new(t);
 *     gb_node z = gb_draw(e, "z", gb_normal(mu, sigma), gb_pathwise());
 *     gb_node loss = gb_expected(e, gb_square(z));
 *     gb_node g = gb_grad(loss, mu);
 *
 * A draw carries the hidden axis of the samples. The program sets the number of samples:
 * gb_program_set_samples, or .samples of gb_tape_new. Draws may depend on earlier draws; each has its own
 * estimator. A draw is *open* until gb_expected closes it. gb_grad rejects nodes that depend on an open draw:
 * in general, the gradient of one sample does not estimate the gradient of the mean.
 *
 * The tape owns an expectation until the tape is reset or freed. Errors are recorded on the tape. A NULL
 * expectation means that an earlier call failed; the function does nothing. */
#ifndef GREBE_ESTIMATORS_EXPECT_H
#define GREBE_ESTIMATORS_EXPECT_H

#include "bound.h"
#include "estimator.h"

GB_BEGIN_DECLS

typedef struct gb_expect_options {
    size_t size;
    int64_t samples; /* sets gb_tape_set_samples; 0: leaves it unchanged */
    gb_axes axes;    /* further hidden axes of all draws, besides the samples; 0: none */
    /* If it takes several draws (bound.h), all draws have a hidden axis of particles, and costs are closed by
     * gb_expected_bound. None: gb_evidence_bound(). */
    gb_bound bound;
} gb_expect_options;

/* gb_expect_new(tape), gb_expect_new(tape, .samples = 10). Returns NULL on error. */
#define gb_expect_new(...) GB_NEW_1(gb_expect, __VA_ARGS__, .size = sizeof(gb_expect_options))
GB_API gb_expect *gb_expect_new_with(gb_tape *tape, const gb_expect_options *options);

/* Returns a draw from q. The name must be new to the tape: it names the stream of noise. Fails if q lacks
 * what the estimator needs; the message lists the estimators that fit. */
GB_API gb_node gb_draw(gb_expect *e, const char *name, gb_dist q, gb_estimator estimator);

/* Like gb_draw, but the draws vary along further hidden axes: along GB_ROWS, each row has its own draw from
 * the one q. If the cost is a sum over rows, the expectation is unchanged and its gradient has less variance.
 * gb_draw_log_prob is then the sum of log q over the rows. */
GB_API gb_node gb_draw_over(gb_expect *e, const char *name, gb_dist q, gb_axes axes, gb_estimator estimator);

/* Returns weight · log q(z) of a draw of this expectation, one number for each sample, to be used in the
 * cost (as an entropy). The value is that of gb_log_prob. But where q is narrow, most distributions of
 * grebe, and transforms of these, compute it from the noise that made the draw: it keeps its digits where
 * the draws hardly differ. These are all with a location and a scale (but uniform and scale_mixture),
 * von_mises and the normals of vectors; gamma, inverse_gamma, chi_squared, beta and dirichlet with
 * concentrations above 4 (chi_squared: df above 8); weibull, pareto and kumaraswamy with shapes above 1.
 * Relaxed distributions do not: at a temperature of 1e6, floats lose all digits. And the estimator of the
 * draw recognises the term, and leaves out the part of its gradient that is only noise
 * (gb_site_drop_own_path). `weight` is one number, the same for all samples and rows. Fails if called twice
 * for one draw. */
GB_API gb_node gb_draw_log_prob(gb_expect *e, gb_node draw, gb_node weight);

/* The same with one number for each row, if the draw varies over rows: for the bound of each row. */
GB_API gb_node gb_draw_log_prob_of_rows(gb_expect *e, gb_node draw, gb_node weight);

/* Returns log p(z) of a draw of this expectation, as gb_log_prob does: one number for each of the batch. The
 * estimator of the draw recognises it as its prior: gb_gdreg differentiates it in the parameters of p by a
 * path. Others ignore that. Fails if called twice for one draw. */
GB_API gb_node gb_draw_log_prior(gb_expect *e, gb_node draw, gb_dist p);

/* Returns the mean of `cost` over the samples. `cost` is a real scalar that may vary over the samples, but
 * over no other hidden axis (sum over rows first). The gradient of the result estimates the gradient of the
 * expectation, in all nodes that it depends on. The function may be called for several costs of the same
 * draws. It rejects a cost that depends on open draws of another expectation. */
GB_API gb_node gb_expected(gb_expect *e, gb_node cost);

/* Returns the mean over the samples of the bound of the expectation, of log weights log p(data, z) − log q(z)
 * that depend on its draws. `log_weight` is a real scalar that may vary over samples, particles and rows. One
 * that varies over rows has a bound for each row (draws of each row are weighted on their own): they are
 * summed, times `scale`, the number of data that a row stands for (one number for all). The gradient of the
 * result estimates that of the expectation, in all nodes that the log weight depends on. log q of each draw
 * must be in the log weight by gb_draw_log_prob for the estimators that need it.
 *
 * A bound of several draws is not linear in log q. So no estimator leaves out the gradient through log q at a
 * fixed draw (gb_site_drop_own_path returns the cost as it is), and estimators that take a cost apart by rows
 * or draw by draw (enumerate, quadrature, measure) are rejected. */
GB_API gb_node gb_expected_bound(gb_expect *e, gb_node log_weight, gb_node scale);

/* Returns the cost at the draws, one number for each sample, without a gradient. For estimators that sum over
 * weighted values, it is the weighted sum. Over particles it is the mean. Its mean estimates the
 * expectation. */
GB_API gb_node gb_sample_values(gb_expect *e, gb_node cost);

/* Return the mean and the standard deviation of a real x over the draws, element by element and row by row,
 * without a gradient. x may have any shape; it may be a prediction. All estimators are supported: of several
 * evaluations, only the draw counts; weighted values count with their weights. Drawn weights
 * (gb_gumbel_top_k) need not sum to 1; the mean is unbiased all the same. The standard deviation is √(mean of
 * squared deviations), which is 0 for a single draw. */
GB_API gb_node gb_mean_of_draws(gb_expect *e, gb_node x);
GB_API gb_node gb_sd_of_draws(gb_expect *e, gb_node x);

/* Returns how many times `cost` is evaluated for each sample (and row): the product of the numbers of
 * evaluations along the axes of the sites that it depends on. It grows with each draw that is made later. 0
 * for an inert cost.
 *
 * Sites that probe and do not depend on each other add up: 1 + Σ (evaluations of a site − 1). So do sites
 * that depend on sites which probe with values only, as arm, disarm and measure do; and layers of rebar that
 * depend on each other, with .relax_later. All others multiply: sums over weighted values, also drawn ones;
 * rebar and score with gb_delta() with whatever depends on them. With L such layers, rebar takes 3^L, and
 * 1 + 2 L with .relax_later; muprop takes 2 for any L, since all are at their means together. gb_elbo_print
 * warns beyond 1000. */
GB_API double gb_expect_evaluations(const gb_expect *e, gb_node cost);

/* For gb_elbo: says that it adds losses for the draws of estimators with GB_NEEDS_MODEL, as sleep. Others
 * reject these. */
GB_API void gb_expect_has_model(gb_expect *e);

/* Returns whether the samples of a run are independent, so that their spread gives the standard error of
 * their mean. False for antithetic and Sobol draws. */
GB_API bool gb_expect_samples_independent(const gb_expect *e);

GB_END_DECLS
#endif
