/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Noise as nodes: draws from a stream (core/noise.h), fresh in every run. `axes` are the hidden axes along
 * which draws differ: GB_SAMPLES, GB_ROWS, sites, joined by |, or 0. Each call is another draw of the stream.
 *
 * Parameters are real nodes and broadcast with `shape`. The result also has the hidden axes of the
 * parameters, and every element of it is an independent draw. gb_bernoulli_noise is the exception: there
 * draws are shared along axes that only p has. No gradient flows to a parameter. A parameter outside its
 * range gives NaN.
 *
 * Instruction sets may differ in the last bits of exp and log. Then, very rarely, one accepts a proposal that
 * another rejects, and that draw differs. */
#ifndef GREBE_OPS_DRAWS_H
#define GREBE_OPS_DRAWS_H

#include "../core/gradient.h"
#include "../core/noise.h"
#include "../core/op.h"

GB_BEGIN_DECLS

/* Uniform on the open interval (0, 1). */
GB_API gb_node gb_uniform_noise(gb_noise noise, gb_shape shape, gb_axes axes);
/* Normal with mean 0 and variance 1. */
GB_API gb_node gb_normal_noise(gb_noise noise, gb_shape shape, gb_axes axes);
/* Exponential with mean 1: −log u for a uniform u. */
GB_API gb_node gb_exponential_noise(gb_noise noise, gb_shape shape, gb_axes axes);
/* Gumbel: −log(−log u). */
GB_API gb_node gb_gumbel_noise(gb_noise noise, gb_shape shape, gb_axes axes);
/* 1 or −1, each with probability 1/2. */
GB_API gb_node gb_rademacher_noise(gb_noise noise, gb_shape shape, gb_axes axes);
/* 1 with probability p, else 0; as a real, without gradient. p broadcasts with `shape`. */
GB_API gb_node gb_bernoulli_noise(gb_noise noise, gb_shape shape, gb_axes axes, gb_node p);

/* Gamma with shape alpha > 0 and scale 1 (Marsaglia and Tsang 2000): density ∝ x^(alpha − 1) e^−x. For a
 * small alpha most draws underflow to 0; gb_log_gamma_noise returns the logarithm of such a draw, which does
 * not underflow. gb_scaled_log_gamma_noise returns that logarithm minus gb_gamma_log_unit(alpha) (density.h):
 * for a large alpha, where the draw is near its mean, it has digits that the draw has not. */
GB_API gb_node gb_gamma_noise(gb_noise noise, gb_shape shape, gb_axes axes, gb_node alpha);
GB_API gb_node gb_log_gamma_noise(gb_noise noise, gb_shape shape, gb_axes axes, gb_node alpha);
GB_API gb_node gb_scaled_log_gamma_noise(gb_noise noise, gb_shape shape, gb_axes axes, gb_node alpha);

/* Poisson with a finite mean rate ≥ 0: 0, 1, 2 … as reals. By inversion, or by transformed rejection (Hörmann
 * 1993). */
GB_API gb_node gb_poisson_noise(gb_noise noise, gb_shape shape, gb_axes axes, gb_node rate);

/* Binomial: the number of successes in n trials with probability p each, as a real. n is a whole
 * number ≥ 0. */
GB_API gb_node gb_binomial_noise(gb_noise noise, gb_shape shape, gb_axes axes, gb_node n, gb_node p);

/* Von Mises around 0 with a finite concentration kappa ≥ 0 (Best and Fisher 1979): in [−π, π]. */
GB_API gb_node gb_von_mises_noise(gb_noise noise, gb_shape shape, gb_axes axes, gb_node kappa);

/* An index 0 … K − 1, as a real, with probability ∝ exp(log_probabilities) along the last axis. That axis
 * goes away; the axes before it broadcast with `shape`. −∞ is never drawn. The result is NaN if all are −∞,
 * or if one is NaN or +∞. */
GB_API gb_node gb_categorical_noise(gb_noise noise, gb_shape shape, gb_axes axes, gb_node log_probabilities);

/* A uniformly distributed permutation of 0 … n − 1, as integers of shape (n), for gb_gather. */
GB_API gb_node gb_permutation_noise(gb_noise noise, int64_t n, gb_axes axes);

/* Scrambled Sobol points in (0, 1)^d along the samples, which must be among the axes. d ≤ 1024 is the number
 * of elements of `shape`. Every element is uniform, and the samples together are spread more evenly than
 * independent ones, best if their number is a power of 2. Along other axes, and from run to run, the points
 * are independent. */
GB_API gb_node gb_sobol_noise(gb_noise noise, gb_shape shape, gb_axes axes);

/* Uniform draws in antithetic pairs along the samples, which must be among the axes: samples 2k and 2k + 1
 * add up to 1. Each draw is uniform, and the pairs are independent. */
GB_API gb_node gb_antithetic_noise(gb_noise noise, gb_shape shape, gb_axes axes);

GB_END_DECLS
#endif
