/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws of one element at a time, in double, each with as many random numbers as rejection needs. */
#ifndef GREBE_OPS_DRAWS_SAMPLE_IMPL_H
#define GREBE_OPS_DRAWS_SAMPLE_IMPL_H

#include <stdbool.h>

#include "core/kernels/noise_impl.h"

/* The random numbers of one element: Philox with the element's index as the counter, and another key for
 * every four words. The keys that gb_noise_key_for returns for uses below GB_SAMPLE_USES are reserved for
 * kernels. */
typedef struct gb_sample_source {
    uint64_t key, step, element, use;
    double kept;
    bool has_kept;
} gb_sample_source;

enum { GB_SAMPLE_USES = 16 };

gb_sample_source gb_sample_source_of(const gb_noise_state *state, uint64_t element);
double gb_sample_uniform(gb_sample_source *source); /* in (0, 1), a multiple of 2^-53 */
double gb_sample_normal(gb_sample_source *source);

/* Hörmann's transformed rejection for counts with a mean of at least GB_SAMPLE_MEAN (1993: PTRS, BTRS). For
 * uniform u and v, w = 1/2 − |u − 1/2|, and the law's standard deviation s, the proposed count is the integer
 * part of
 *
 *     (2 a / w + b) (u − 1/2) + mean + shift, b = b_start + b_slope s, a = a_start + a_slope b + a_chance p.
 *
 * It is accepted if w ≥ wide and v ≤ inside_most − inside_slope / (b − inside_start). Otherwise its
 * probability decides. */
typedef struct gb_sample_hat {
    double b_start, b_slope, a_start, a_slope, a_chance, shift, wide, inside_most, inside_slope, inside_start;
} gb_sample_hat;

static const gb_sample_hat gb_poisson_hat = {.b_start = 0.931,
                                             .b_slope = 2.53,
                                             .a_start = -0.059,
                                             .a_slope = 0.02483,
                                             .shift = 0.43,
                                             .wide = 0.07,
                                             .inside_most = 0.9277,
                                             .inside_slope = 3.6224,
                                             .inside_start = 2};
static const gb_sample_hat gb_binomial_hat = {.b_start = 1.15,
                                              .b_slope = 2.53,
                                              .a_start = -0.0873,
                                              .a_slope = 0.0248,
                                              .a_chance = 0.01,
                                              .shift = 0.5,
                                              .wide = 0.07,
                                              .inside_most = 0.92,
                                              .inside_slope = 4.2};
enum { GB_SAMPLE_MEAN = 10 };

/* What of a gamma draw is wanted: the draw, its logarithm, or that minus gb_gamma_log_unit(alpha). */
typedef enum gb_gamma_form { GB_GAMMA_DRAW, GB_GAMMA_LOG, GB_GAMMA_SCALED_LOG } gb_gamma_form;
double gb_sample_gamma(gb_sample_source *source, double alpha, gb_gamma_form form);
/* Counts by rejection. u and v are the uniforms of the first attempt. p ≤ 1/2. */
double gb_sample_poisson(gb_sample_source *source, double rate, double u, double v);
double gb_sample_binomial(gb_sample_source *source, double n, double p, double u, double v);
/* kappa > 0 */
double gb_sample_von_mises(gb_sample_source *source, double kappa);

#endif
