/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Noise: the generator, and the kernels that fill blocks with draws.
 *
 * Philox4x32-10 (Salmon, Moraes, Dror and Shaw 2011) is a function of a counter of four 32-bit words and a
 * key of two. Ten rounds of multiplication and exclusive or make four random words. An element's index e
 * alone decides which counter and which words make it. So draws depend neither on the width of vectors, nor
 * on blocks, nor on threads:
 *
 *     counter words   low and high half of c, low and high half of the step
 *     float           c = 16 (e / 64) + e % 16, from word (e % 64) / 16
 *     double          c = 16 (e / 32) + e % 16, from words 2w (low half) and 2w + 1 for w = (e % 32) / 16
 *
 * A group is the 64 floats or 32 doubles of 16 counters: four lines. One vector of a group needs one word of
 * successive counters, in the order in which vectorised Philox makes them. So nothing has to be transposed.
 *
 *     uniform     (k + 1/2) 2^-n, in the open interval (0, 1), with k the top n bits; n is 23, for double 52
 *     normal      Box and Muller 1958: r cos 2 pi v and r sin 2 pi v with r = sqrt(-2 log u), where
 *     float       u = (word + 1/2) 2^-32 and v = the top 24 bits of the next word times 2^-24; words 0 and 1
 *                 make the elements that have them, words 2 and 3 alike
 *     double      u is the uniform of words 0 and 1, v the top 52 bits of words 2 and 3 times 2^-52 */
#ifndef GREBE_CORE_KERNELS_NOISE_IMPL_H
#define GREBE_CORE_KERNELS_NOISE_IMPL_H

#include "core/kernels/block_impl.h"

/* Where the rows of a run are among more rows, which other runs or the members of a team have. */
typedef struct gb_rows_place {
    uint64_t first;  /* the number of the first row of the block that a program sees: first_row_impl.h */
    uint64_t before; /* rows of that block that earlier members of the team have */
    uint64_t others; /* rows that other members have */
} gb_rows_place;

/* The struct at block->extra of a noise kernel. */
typedef struct gb_noise_state {
    uint64_t key;         /* low word first */
    const uint64_t *step; /* read at every run */
    size_t count;         /* elements of the whole array; a single one is splatted */
    /* Of an array that varies over rows: the elements of a row, which are neighbours; those of one pass
     * through all its rows; and those of a row in all passes. 0 for others. */
    size_t of_row, of_pass, of_row_in_all;
    const gb_rows_place *rows;
} gb_noise_state;

/* Returns the index that decides the noise of element e of the array: its place in the array of all rows. */
static inline uint64_t gb_noise_element(const gb_noise_state *state, size_t e)
{
    if (!state->of_row)
        return e;
    const gb_rows_place *const at = state->rows;
    return e + state->of_row_in_all * at->first +
           state->of_row * (at->before + e / state->of_pass * at->others);
}

enum { GB_NOISE_GROUP_LINES = 4 };

/* The finaliser of SplitMix64 (Steele, Lea and Flood 2014): every bit of the input affects every bit of the
 * output. */
static inline uint64_t gb_noise_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* Returns the key of draw number `use` of a stream with this key. A draw that needs several independent keys
 * derives them from its own key in the same way. */
static inline uint64_t gb_noise_key_for(uint64_t key, uint64_t use)
{
    return gb_noise_mix(key + use * 0x9e3779b97f4a7c15u);
}

/* Noise kernels write whole groups. So `block->out` has room for its lines, rounded up to a multiple of
 * GB_NOISE_GROUP_LINES, and `first` is a multiple of 64. The arguments at `block->in` have no such room. */
GB_DECLARE_KERNELS(uniform)
GB_DECLARE_KERNELS(normal)

/* The generator for one counter: the reference for the kernels. */
void gb_philox(const uint32_t counter[4], uint64_t key, uint32_t out[4]);

/* Returns a random integer below `most`: the high half of a product. Its bias is less than most / 2⁶⁴. */
uint32_t gb_philox_below(const uint32_t counter[4], uint64_t key, uint32_t most);

/* Philox's constants: two multipliers, and two increments of the key from round to round. */
#define GB_PHILOX_ROUNDS 10
#define GB_PHILOX_M0 UINT32_C(0xD2511F53)
#define GB_PHILOX_M1 UINT32_C(0xCD9E8D57)
#define GB_PHILOX_W0 UINT32_C(0x9E3779B9) /* the golden ratio */
#define GB_PHILOX_W1 UINT32_C(0xBB67AE85) /* sqrt 3 - 1 */

#endif
