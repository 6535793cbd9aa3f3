/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Noise, inside: the generator, and the kernels that fill blocks with it.
 *
 * Philox4x32-10 (Salmon, Moraes, Dror and Shaw 2011) is a function of a counter of four 32-bit words and a
 * key of two: ten rounds of multiplication and exclusive or make four random words of them. Which counter and
 * which words make an element of an array is fixed by the element's index e alone, so that the draws depend
 * neither on the machine's vectors nor on blocks nor on threads:
 *
 *     counter words   low and high half of c, low and high half of the step
 *     float           c = 16 (e / 64) + e % 16, from word (e % 64) / 16
 *     double          c = 16 (e / 32) + e % 16, from words 2w (low half) and 2w + 1 for w = (e % 32) / 16
 *
 * A group is the 64 floats or 32 doubles of 16 counters: four lines. One vector of a group needs one word of
 * successive counters, which is what vectorised Philox makes: nothing has to be transposed.
 *
 *     uniform     (k + 1/2) 2^-n, in the open interval (0, 1), with k the top n bits; n is 23, for double 52
 *     normal      Box and Muller 1958: r cos 2 pi v and r sin 2 pi v with r = sqrt(-2 log u), where
 *     float       u = (word + 1/2) 2^-32 and v = the top 24 bits of the next word times 2^-24; words 0 and 1
 *                 make the elements that have them, words 2 and 3 alike
 *     double      u is the uniform of words 0 and 1, v the top 52 bits of words 2 and 3 times 2^-52 */
#ifndef GREBE_CORE_KERNELS_NOISE_IMPL_H
#define GREBE_CORE_KERNELS_NOISE_IMPL_H

#include "core/kernels/block_impl.h"

/* What a noise kernel finds at block->extra. */
typedef struct gb_noise_state {
    uint64_t key;         /* low word first */
    const uint64_t *step; /* read at every run */
    size_t count;         /* elements in the whole array; when it is 1, the kernel splats it over its line */
} gb_noise_state;

enum { GB_NOISE_GROUP_LINES = 4 };

/* The finaliser of SplitMix64 (Steele, Lea and Flood 2014): every bit of the input moves every bit of the output. */
static inline uint64_t gb_noise_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* The key of one of a stream's draws, or for one of several independent uses that a draw makes of its own key. */
static inline uint64_t gb_noise_key_for(uint64_t key, uint64_t use)
{
    return gb_noise_mix(key + use * 0x9e3779b97f4a7c15u);
}

/* Kernels write whole groups: `block->out` has room for its lines rounded up to a multiple of
 * GB_NOISE_GROUP_LINES. `first` is a multiple of 64. A noise operation with arguments finds these at `block->in`,
 * without such room. */
GB_DECLARE_KERNELS(uniform)
GB_DECLARE_KERNELS(normal)

/* The generator itself, one counter at a time: the reference of the kernels. */
void gb_philox(const uint32_t counter[4], uint64_t key, uint32_t out[4]);

/* Philox's constants: two multipliers, and two increments of the key from round to round. */
#define GB_PHILOX_ROUNDS 10
#define GB_PHILOX_M0 UINT32_C(0xD2511F53)
#define GB_PHILOX_M1 UINT32_C(0xCD9E8D57)
#define GB_PHILOX_W0 UINT32_C(0x9E3779B9) /* the golden ratio */
#define GB_PHILOX_W1 UINT32_C(0xBB67AE85) /* sqrt 3 - 1 */

#endif
