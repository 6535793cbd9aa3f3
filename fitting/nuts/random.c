/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/nuts/random_impl.h"

#include <math.h>

#include "core/kernels/noise_impl.h"

gb_random gb_random_of(uint64_t seed, uint64_t chain)
{
    return (gb_random){.key = gb_noise_key_for(gb_noise_mix(seed + 0x6e757473u), chain)};
}

static double open_unit(uint32_t low, uint32_t high)
{
    const uint64_t bits = ((uint64_t)high << 32 | low) >> 12;
    return ((double)bits + 0.5) * 0x1p-52;
}

static void next(gb_random *random, double pair[2])
{
    const uint32_t counter[4] = {(uint32_t)random->counter, (uint32_t)(random->counter >> 32)};
    uint32_t word[4];
    gb_philox(counter, random->key, word);
    random->counter++;
    pair[0] = open_unit(word[0], word[1]);
    pair[1] = open_unit(word[2], word[3]);
}

double gb_random_uniform(gb_random *random)
{
    double pair[2];
    next(random, pair);
    return pair[0];
}

/* Box and Muller 1958. */
double gb_random_normal(gb_random *random)
{
    const double turn = 6.283185307179586476925;
    double pair[2];
    random->has_spare = !random->has_spare;
    if (!random->has_spare)
        return random->spare;
    next(random, pair);
    const double radius = sqrt(-2 * log(pair[0]));
    random->spare = radius * sin(turn * pair[1]);
    return radius * cos(turn * pair[1]);
}
