/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random numbers of one chain: Philox (core/kernels/noise_impl.h), counted from 0. They depend on the seed
 * and the number of the chain only. */
#ifndef GREBE_FITTING_NUTS_RANDOM_IMPL_H
#define GREBE_FITTING_NUTS_RANDOM_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gb_random {
    uint64_t key, counter;
    double spare; /* the second normal of a pair */
    bool has_spare;
} gb_random;

gb_random gb_random_of(uint64_t seed, uint64_t chain);

/* A number in the open interval (0, 1), with 52 bits. */
double gb_random_uniform(gb_random *random);
double gb_random_normal(gb_random *random);

#endif
