/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expectations: E over draws of a cost, with a gradient in the parameters of what was drawn.
 *
 *     gb_expect *e = gb_expect_new(t);
 *     gb_node z = gb_draw(e, "z", gb_normal(mu, sigma), gb_pathwise());
 *     gb_node loss = gb_expected(e, gb_square(z));
 *     gb_node g = gb_grad(loss, mu);
 *
 * A draw carries the hidden axis of the samples. How many there are is the program's to say: gb_program_set_samples,
 * or .samples of gb_tape_new. Draws may depend on earlier draws, each with an estimator of its own. A draw is
 * open until gb_expected closes it: gb_grad refuses what depends on an open one, since the gradient of one
 * sample is in general not an estimate of the gradient of the mean.
 *
 * The tape owns an expectation, until it is reset or ends. Errors go to the tape. A NULL expectation means that
 * an earlier call failed; the function does nothing. */
#ifndef GREBE_ESTIMATORS_EXPECT_H
#define GREBE_ESTIMATORS_EXPECT_H

#include "estimator.h"

GB_BEGIN_DECLS

typedef struct gb_expect_options {
    size_t size;
    int64_t samples; /* as gb_tape_set_samples; 0: leave it */
    gb_axes axes;    /* hidden axes that all draws vary along, as they do along the samples; 0: none */
} gb_expect_options;

/* gb_expect_new(tape), gb_expect_new(tape, .samples = 10). NULL on error. */
#define gb_expect_new(...) GB_NEW_1(gb_expect, __VA_ARGS__, .size = sizeof(gb_expect_options))
GB_API gb_expect *gb_expect_new_with(gb_tape *tape, const gb_expect_options *options);

/* A draw from q. The name must be new to the tape: it is that of the stream of noise. An estimator that q has
 * not what it takes for is an error, which lists those that fit. */
GB_API gb_node gb_draw(gb_expect *e, const char *name, gb_dist q, gb_estimator estimator);

/* The same, with draws that vary along more hidden axes than q does: along GB_ROWS each row has a draw of its own from the
 * one q. For a cost that is a sum over rows the expectation is the same, and its gradient less noisy. gb_draw_log_prob
 * then is a sum over the rows, of which there is one log q each. */
GB_API gb_node gb_draw_over(gb_expect *e, const char *name, gb_dist q, gb_axes axes, gb_estimator estimator);

/* weight · log q(z) of a draw of this expectation, one number for each sample, as a part of the cost (an
 * entropy). What gb_log_prob gives is as right, but here the estimator of the draw knows about it, and leaves
 * out what would only be noise in the gradient (see gb_site_drop_own_path). Once for each draw; weight is one
 * number, the same for all samples and rows. */
GB_API gb_node gb_draw_log_prob(gb_expect *e, gb_node draw, gb_node weight);

/* The mean over the samples of `cost`, a real scalar that may vary over the samples and over nothing else
 * (sum over rows first). Its gradient estimates the gradient of the expectation, with respect to everything.
 * May be called for several costs of the same draws; a cost that depends on open draws of another expectation
 * is refused. */
GB_API gb_node gb_expected(gb_expect *e, gb_node cost);

/* For looking: the cost at the draws, one number for each sample, where it is not a sum over weighted values, which
 * takes their place. Its mean estimates the expectation. It has no gradient. */
GB_API gb_node gb_sample_values(gb_expect *e, gb_node cost);

/* For looking: mean and standard deviation over the draws of a real x of any shape, element by element and row by row; that
 * of a prediction, say. Under every estimator: of several evaluations the one at the draw counts, of weighted values all by
 * their weights. The deviation is the root of the mean square, 0 for a single draw. They have no gradient. */
GB_API gb_node gb_mean_of_draws(gb_expect *e, gb_node x);
GB_API gb_node gb_sd_of_draws(gb_expect *e, gb_node x);

/* Whether the samples of a run are independent, so that their spread tells the error of their mean: not so for antithetic
 * and Sobol draws. */
GB_API bool gb_expect_samples_independent(const gb_expect *e);

GB_END_DECLS
#endif
