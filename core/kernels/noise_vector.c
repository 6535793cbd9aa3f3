/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernels that fill blocks with uniform and normal draws by vectorised Philox4x32-10. noise_impl.h defines
 * which counter makes which element. */
#include "core/kernels/noise_impl.h"
#include "core/kernels/vector_impl.h"
#include "core/kernels/vector_math_impl.h"

#include <stdbool.h>
#include <string.h>

/* A 64-bit lane for each counter. The low half is a word; the high half is arbitrary and never read. So
 * multiplying low halves into 64 bits needs no shuffle, and the low half of the product no mask. */
typedef uint64_t W __attribute__((vector_size(GB_VECTOR_BYTES), aligned(8), may_alias));

enum {
    W_LANES = GB_VECTOR_BYTES / 8,
    COUNTERS = 16,                      /* of a group */
    GROUP = 4 * 64 / (int)sizeof(real), /* elements of a group */
    ROWS = GROUP / COUNTERS             /* 4 floats or 2 doubles are made of each counter */
};

GB_INLINE W w_splat(uint64_t x)
{
    return x - (W){0};
}

/* The product of the low halves. */
GB_INLINE W w_multiply(W a, W b)
{
#if GB_VECTOR_AVX512
    return (W)_mm512_mul_epu32((__m512i)a, (__m512i)b);
#elif GB_VECTOR_AVX2
    return (W)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#elif GB_VECTOR_SSE2
    return (W)_mm_mul_epu32((__m128i)a, (__m128i)b);
#else
    return (a & UINT32_MAX) * (b & UINT32_MAX);
#endif
}

/* Returns the high half as a word. Shuffles instead of shifts, since shifts share a port with
 * multiplications. */
GB_INLINE W w_high(W a)
{
#if GB_VECTOR_AVX512
    return (W)_mm512_shuffle_epi32((__m512i)a, (_MM_PERM_ENUM)0xF5);
#elif GB_VECTOR_AVX2
    return (W)_mm256_shuffle_epi32((__m256i)a, 0xF5);
#elif GB_VECTOR_SSE2
    return (W)_mm_shuffle_epi32((__m128i)a, 0xF5);
#else
    return a >> 32;
#endif
}

/* The low half of `low` below the low half of `high`; for floats, in the lane before. */
GB_INLINE U w_join(W low, W high)
{
#if GB_VECTOR_AVX512
    return (U)_mm512_mask_shuffle_epi32((__m512i)low, 0xAAAA, (__m512i)high, (_MM_PERM_ENUM)0xA0);
#elif GB_VECTOR_AVX2
    return (U)_mm256_blend_epi32((__m256i)low, (__m256i)(high << 32), 0xAA);
#elif GB_REAL_BITS == 32 && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return (U)((low << 32) | (high & UINT32_MAX)); /* the first lane is the high half */
#else
    return (U)((low & UINT32_MAX) | (high << 32));
#endif
}

/* ------------------------------------------------------------------------------------------------- Philox */

/* The words that all counters of a call share. */
typedef struct philox {
    W key[GB_PHILOX_ROUNDS][2];
    W step[2];
} philox;

GB_INLINE philox philox_of(const gb_noise_state *state)
{
    philox p;
    uint32_t key0 = (uint32_t)state->key, key1 = (uint32_t)(state->key >> 32);
    for (int round = 0; round < GB_PHILOX_ROUNDS; round++) {
        p.key[round][0] = w_splat(key0);
        p.key[round][1] = w_splat(key1);
        key0 += GB_PHILOX_W0;
        key1 += GB_PHILOX_W1;
    }
    p.step[0] = w_splat(*state->step);
    p.step[1] = w_splat(*state->step >> 32);
    return p;
}

typedef struct words {
    W word[4];
} words;

GB_INLINE words philox_start(const philox *p, W counter)
{
    return (words){{counter, counter >> 32, p->step[0], p->step[1]}};
}

GB_INLINE words philox_round(words x, const W key[2])
{
    W product0 = w_multiply(x.word[0], w_splat(GB_PHILOX_M0)),
      product1 = w_multiply(x.word[2], w_splat(GB_PHILOX_M1));
    return (words){
        {w_high(product1) ^ x.word[1] ^ key[0], product1, w_high(product0) ^ x.word[3] ^ key[1], product0}};
}

/* Emits no instruction, but no instruction of a or b may move across it. Compilers tend to finish the ten
 * rounds of one before they begin the other, and the machine then sees one long chain at a time. Saves a
 * fifth of a normal draw. */
GB_INLINE void hold_order(words *a, words *b)
{
#if defined(GB_X86_PREFIX)
    __asm__("" : "+v"(a->word[0]), "+v"(a->word[2]), "+v"(b->word[0]), "+v"(b->word[2]));
#else
    (void)a;
    (void)b;
#endif
}

/* Two vectors of counters at a time, because each round waits for the one before. */
GB_INLINE void philox_run(const philox *p, words *a, words *b)
{
    GB_UNROLL
    for (int round = 0; round < GB_PHILOX_ROUNDS; round++) {
        *a = philox_round(*a, p->key[round]);
        *b = philox_round(*b, p->key[round]);
        hold_order(a, b);
    }
}

/* ------------------------------------------------------------------------------------------ distributions */

/* (k + 1/2) 2^-n. The bits under the exponent of 1 are 1 + k 2^-n, and no step rounds. */
GB_INLINE V open_unit(U bits)
{
    const real below_one = 1 - (GB_REAL_BITS == 64 ? (real)0x1p-53 : (real)0x1p-24);
    return (V)((bits >> (GB_REAL_BITS - GB_MANTISSA_BITS)) | (U)v_splat(1)) - below_one;
}

/* The uniforms of Box and Muller: in (0, 1] for the radius and in [0, 1) for the angle. For floats the radius
 * uses all 32 bits of a word, to reach further into the tail. */
GB_INLINE V radius_unit(U bits)
{
#if GB_REAL_BITS == 64
    return open_unit(bits);
#else
    return (__builtin_convertvector(bits, V) + 0.5f) * 0x1p-32f;
#endif
}

GB_INLINE V angle_unit(U bits)
{
#if GB_REAL_BITS == 64
    return (V)((bits >> 12) | (U)v_splat(1)) - 1;
#else
    return v_from_int((M)(bits >> 8)) * 0x1p-24f;
#endif
}

/* Makes two normals from two uniforms. The argument of log is never subnormal, so none of its special cases
 * is needed. */
GB_INLINE void box_muller(U radius_bits, U angle_bits, real *cosine, real *sine)
{
    V k, m = v_log_split(radius_unit(radius_bits), &k), s, c;
    V radius = v_sqrt(-2 * v_log_of_parts(m - 1, k));
    v_sincos_turn(angle_unit(angle_bits), &s, &c);
    v_store(cosine, radius * c);
    v_store(sine, radius * s);
}

/* ------------------------------------------------------------------------------------------------ kernels */

/* Stores the elements of LANES counters, one vector in each of the first `rows` rows. */
GB_INLINE void store_column(real *out, const U bits[ROWS], int rows, bool normal)
{
    for (int row = 0; row < rows; row += 2) {
        real *even = out + row * COUNTERS, *odd = even + COUNTERS;
        if (normal) {
            box_muller(bits[row], bits[row + 1], even, odd);
        } else {
            v_store(even, open_unit(bits[row]));
            v_store(odd, open_unit(bits[row + 1]));
        }
    }
}

/* Fills a group, or as much of it as the first `lines` lines need. */
GB_INLINE void fill_group(real *out, const philox *p, uint64_t group, size_t lines, bool normal)
{
    static const uint64_t lane[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    W counter = *(const W *)lane;
#if GB_REAL_BITS == 32
    counter *= 2;
    int rows = lines > 2 ? 4 : 2;
    for (int column = 0; column < COUNTERS; column += LANES) {
        W even = counter + (group * COUNTERS + (uint64_t)column);
        words a = philox_start(p, even), b = philox_start(p, even | 1);
        philox_run(p, &a, &b);
        U bits[ROWS] = {w_join(a.word[0], b.word[0]), w_join(a.word[1], b.word[1]),
                        w_join(a.word[2], b.word[2]), w_join(a.word[3], b.word[3])};
        store_column(out + column, bits, rows, normal);
    }
#else
    int columns = lines > 1 ? COUNTERS : COUNTERS / 2;
    for (int column = 0; column < columns; column += 2 * LANES) {
        W first = counter + (group * COUNTERS + (uint64_t)column);
        words a = philox_start(p, first), b = philox_start(p, first + LANES);
        philox_run(p, &a, &b);
        U bits[2][ROWS] = {{w_join(a.word[0], a.word[1]), w_join(a.word[2], a.word[3])},
                           {w_join(b.word[0], b.word[1]), w_join(b.word[2], b.word[3])}};
        store_column(out + column, bits[0], ROWS, normal);
        if (column + LANES < columns)
            store_column(out + column + LANES, bits[1], ROWS, normal);
    }
#endif
}

/* Fills a block whose elements do not begin a group: each stretch of one group is copied from there. */
static void fill_apart(const gb_noise_state *state, const philox *p, real *out, size_t count, size_t first,
                       bool normal)
{
    real group[GROUP] __attribute__((aligned(64)));
    for (size_t i = 0, n; i < count; i += n) {
        const uint64_t element = gb_noise_element(state, first + i);
        const size_t at = (size_t)(element % GROUP), pass = state->of_pass - (first + i) % state->of_pass;
        n = GROUP - at;
        n = n < pass ? n : pass;
        n = n < count - i ? n : count - i;
        fill_group(group, p, element / GROUP, GB_NOISE_GROUP_LINES, normal);
        memcpy(out + i, group + at, n * sizeof *out);
    }
}

GB_INLINE void fill(const gb_block *block, size_t lines, size_t first, bool normal)
{
    const gb_noise_state *state = block->extra;
    philox p = philox_of(state);
    real *out = block->out;
    const bool is_apart = state->of_row && (state->rows->before | state->rows->others);
    const uint64_t element = gb_noise_element(state, first);
    if (is_apart)
        fill_apart(state, &p, out, lines * (GB_LINE_BYTES / sizeof *out), first, normal);
    for (size_t line = 0; !is_apart && line < lines; line += GB_NOISE_GROUP_LINES)
        fill_group(out + line * (GROUP / GB_NOISE_GROUP_LINES), &p,
                   (element + line * (GROUP / GB_NOISE_GROUP_LINES)) / GROUP, lines - line, normal);
    for (int i = 0; state->count == 1 && i < GROUP / GB_NOISE_GROUP_LINES; i += LANES)
        v_store(out + i, v_splat(out[0]));
}

void GB_BLOCK(uniform)(const gb_block *block, size_t lines, size_t first)
{
    fill(block, lines, first, false);
}

void GB_BLOCK(normal)(const gb_block *block, size_t lines, size_t first)
{
    fill(block, lines, first, true);
}
