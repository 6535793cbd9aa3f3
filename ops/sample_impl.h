/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws one at a time, in double, each with as much randomness of its own as rejection takes. */
#ifndef GREBE_OPS_SAMPLE_IMPL_H
#define GREBE_OPS_SAMPLE_IMPL_H

#include <stdbool.h>

#include "core/noise_impl.h"

/* The random numbers of one element: Philox with the element's index as the counter, and another key for every four
 * words. The keys that gb_noise_key_for gives for uses below GB_SAMPLE_USES are left to kernels. */
typedef struct gb_sample_source {
    uint64_t key, step, element, use;
    double kept;
    bool has_kept;
} gb_sample_source;

enum { GB_SAMPLE_USES = 16 };

gb_sample_source gb_sample_source_of(const gb_noise_state *state, uint64_t element);
double gb_sample_uniform(gb_sample_source *source); /* in (0, 1), a multiple of 2^-53 */
double gb_sample_normal(gb_sample_source *source);

/* With parameters as in ops/draws.h; NaN for those that are not allowed. */
double gb_sample_gamma(gb_sample_source *source, double alpha, bool logarithm);
double gb_sample_poisson(gb_sample_source *source, double rate);
double gb_sample_binomial(gb_sample_source *source, double n, double p);
double gb_sample_von_mises(gb_sample_source *source, double kappa);

#endif
