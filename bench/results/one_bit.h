/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exact variances of estimators of the gradient of E (b − t)² in φ, b ~ Bernoulli(sigmoid φ): closed forms,
 * and integrals over the noise of relaxed draws. Only in toys.c. */
#ifndef GREBE_BENCH_ONE_BIT_H
#define GREBE_BENCH_ONE_BIT_H

#include <stdbool.h>

typedef struct one_bit {
    double phi, t;
} one_bit;

double one_bit_chance(const one_bit *bit); /* of b = 1 */

/* The score function with a constant baseline: 0, the mean cost, and the best one, with which a single bit
 * has no variance. */
double one_bit_mean_cost(const one_bit *bit);
double one_bit_best_baseline(const one_bit *bit);
double one_bit_score(const one_bit *bit, double baseline);

double one_bit_arm(const one_bit *bit);
double one_bit_disarm(const one_bit *bit);

/* How REBAR is made. z is logit u + φ, and z̃ has the distribution of z given b. */
typedef struct one_bit_rebar {
    double temperature;
    double level; /* is subtracted from all costs; it matters unless η is 1 */
    /* True: z̃ is made from the noise of z, such that both are the same number, with different derivatives.
     * False: from noise of its own. */
    bool coupled;
} one_bit_rebar;

/* The variance of REBAR is quadratic in η. */
typedef struct one_bit_quadratic {
    double constant, linear, square;
} one_bit_quadratic;
one_bit_quadratic one_bit_rebar_of(const one_bit *bit, const one_bit_rebar *how);
double one_bit_at(one_bit_quadratic variance, double eta);
double one_bit_best_eta(one_bit_quadratic variance);

/* The least variance over η and temperatures from a fifth to five times that of `how`. */
double one_bit_rebar_best(const one_bit *bit, const one_bit_rebar *how);

#endif
