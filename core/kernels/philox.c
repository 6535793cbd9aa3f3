/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Philox4x32-10, as in Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (SC 2011). */
#include "core/kernels/noise_impl.h"

void gb_philox(const uint32_t counter[4], uint64_t key, uint32_t out[4])
{
    uint32_t x0 = counter[0], x1 = counter[1], x2 = counter[2], x3 = counter[3];
    uint32_t key0 = (uint32_t)key, key1 = (uint32_t)(key >> 32);
    for (int round = 0; round < GB_PHILOX_ROUNDS; round++) {
        uint64_t product0 = (uint64_t)x0 * GB_PHILOX_M0, product1 = (uint64_t)x2 * GB_PHILOX_M1;
        x0 = (uint32_t)(product1 >> 32) ^ x1 ^ key0;
        x1 = (uint32_t)product1;
        x2 = (uint32_t)(product0 >> 32) ^ x3 ^ key1;
        x3 = (uint32_t)product0;
        key0 += GB_PHILOX_W0;
        key1 += GB_PHILOX_W1;
    }
    out[0] = x0;
    out[1] = x1;
    out[2] = x2;
    out[3] = x3;
}

uint32_t gb_philox_below(const uint32_t counter[4], uint64_t key, uint32_t most)
{
    uint32_t bits[4];
    gb_philox(counter, key, bits);
    const uint64_t high = bits[0], low = bits[1];
    return (uint32_t)((high * most + ((low * most) >> 32)) >> 32);
}
