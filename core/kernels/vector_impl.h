/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Vectors: the small language in which block kernels are written.
 *
 * Every file named `*_vector.c` is compiled once for each instruction set and each real type. Its macros are:
 *
 *     GB_ISA         baseline, avx2 or avx512, used in names only; the compiler's flags decide which
 *                    instructions the code may use (__AVX2__ with __FMA__; __AVX512F__ and DQ)
 *     GB_REAL_BITS   64 (double) or 32 (float)
 *
 * On machines that are not named here, and with -DGB_PLAIN on any, vectors of 16 bytes are computed by C's
 * operators alone, and lane by lane where those do not suffice.
 *
 * This header defines the types `real`, `V` (a vector of reals), `U` (unsigned integers in lanes of the same
 * width), `M` (the same, signed: integer nodes, booleans and results of comparisons, which are 0 or -1) and
 * `D` (a vector of doubles as wide as V). The C operators + - * / < == & | ~ << work on them lane by lane,
 * and a scalar operand is splatted (GCC's vector extensions, which clang has too). The functions below add
 * what C lacks.
 *
 * Vectors are declared with the alignment of one lane and may alias anything. So `*(const V *)pointer` is an
 * unaligned load, which costs nothing if the address happens to be aligned. */
#ifndef GREBE_CORE_KERNELS_VECTOR_IMPL_H
#define GREBE_CORE_KERNELS_VECTOR_IMPL_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if !defined(GB_REAL_BITS) || !defined(GB_ISA)
#error "a *_vector.c file is compiled with GB_ISA and GB_REAL_BITS defined"
#endif

#if defined(GB_PLAIN)
#define GB_VECTOR_AVX512 0
#define GB_VECTOR_AVX2 0
#define GB_VECTOR_SSE2 0
#define GB_VECTOR_BYTES 16
#elif defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__AVX512BW__)
#define GB_VECTOR_AVX512 1
#define GB_VECTOR_AVX2 0
#define GB_VECTOR_SSE2 0
#define GB_VECTOR_BYTES 64
/* gcc 12 warns about the idiom for "any value" in its own header (GCC bug 105593). */
#pragma GCC diagnostic push
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <immintrin.h>
#pragma GCC diagnostic pop
#elif defined(__AVX2__) && defined(__FMA__)
#define GB_VECTOR_AVX512 0
#define GB_VECTOR_AVX2 1
#define GB_VECTOR_SSE2 0
#define GB_VECTOR_BYTES 32
#include <immintrin.h>
#elif defined(__SSE2__)
#define GB_VECTOR_AVX512 0
#define GB_VECTOR_AVX2 0
#define GB_VECTOR_SSE2 1
#define GB_VECTOR_BYTES 16
#include <emmintrin.h>
#else
#define GB_VECTOR_AVX512 0
#define GB_VECTOR_AVX2 0
#define GB_VECTOR_SSE2 0
#define GB_VECTOR_BYTES 16
#endif

#if GB_REAL_BITS == 64
typedef double real;
typedef int64_t lane_int;
typedef uint64_t lane_unsigned;
#define GB_MANTISSA_BITS 52
#define GB_EXPONENT_BIAS 1023
#define GB_REAL_MAX 0x1.fffffffffffffp1023
#define GB_REAL_MIN 0x1p-1022 /* the smallest normal number */
#elif GB_REAL_BITS == 32
typedef float real;
typedef int32_t lane_int;
typedef uint32_t lane_unsigned;
#define GB_MANTISSA_BITS 23
#define GB_EXPONENT_BIAS 127
#define GB_REAL_MAX 0x1.fffffep127f
#define GB_REAL_MIN 0x1p-126f
#else
#error "GB_REAL_BITS is 64 or 32"
#endif

/* gcc and clang agree on these attributes. Both document under-aligned vector types as the way to unaligned
 * loads. */
#define GB_VECTOR_OF(type) __attribute__((vector_size(GB_VECTOR_BYTES), aligned(sizeof(type)), may_alias))
typedef real V GB_VECTOR_OF(real);
typedef lane_int M GB_VECTOR_OF(lane_int);
typedef lane_unsigned U GB_VECTOR_OF(lane_unsigned);
typedef double D GB_VECTOR_OF(double);
#undef GB_VECTOR_OF

enum {
    LANES = GB_VECTOR_BYTES / (int)sizeof(real),
    D_LANES = GB_VECTOR_BYTES / 8,
    GB_VECTORS_PER_LINE = 64 / GB_VECTOR_BYTES
};

/* In a kernel: straight code consists of calls for one line, most of them for single numbers. There the
 * overhead of loops is greater than the operation. The further arguments declare what `value` is made of. */
#define GB_ONE_LINE(value, ...)                                                                              \
    if (lines == 1) {                                                                                        \
        for (size_t i = 0; i < GB_VECTORS_PER_LINE; i++) {                                                   \
            __VA_ARGS__;                                                                                     \
            out[i] = value;                                                                                  \
        }                                                                                                    \
        return;                                                                                              \
    }

/* Picks the intrinsic of this compilation: GB_X86(sqrt) is _mm512_sqrt_pd, _mm256_sqrt_ps, ... */
#if GB_VECTOR_AVX512
#define GB_X86_PREFIX _mm512_
#elif GB_VECTOR_AVX2
#define GB_X86_PREFIX _mm256_
#elif GB_VECTOR_SSE2
#define GB_X86_PREFIX _mm_
#endif
#if GB_REAL_BITS == 64
#define GB_X86_SUFFIX _pd
#define GB_X86_MASK _pd_mask
#else
#define GB_X86_SUFFIX _ps
#define GB_X86_MASK _ps_mask
#endif
#define GB_X86_PASTE_(prefix, name, suffix) prefix##name##suffix
#define GB_X86_PASTE(prefix, name, suffix) GB_X86_PASTE_(prefix, name, suffix)
#define GB_X86(name) GB_X86_PASTE(GB_X86_PREFIX, name, GB_X86_SUFFIX)

#define GB_INLINE static inline __attribute__((always_inline, unused))

/* ----------------------------------------------------------------------------------- making, reading bits */

/* A bit for each lane whose mask is -1, lane 0 the lowest. */
GB_INLINE unsigned m_bits(M mask)
{
#if GB_VECTOR_AVX512 && GB_REAL_BITS == 64
    return _mm512_movepi64_mask((__m512i)mask);
#elif GB_VECTOR_AVX512
    return _mm512_movepi32_mask((__m512i)mask);
#elif defined(GB_X86_PREFIX)
    return (unsigned)GB_X86(movemask)((V)mask);
#else
    unsigned bits = 0;
    for (int i = 0; i < LANES; i++)
        bits |= (unsigned)(mask[i] != 0) << i;
    return bits;
#endif
}

/* Takes any number, since it casts it to real. */
#define v_splat(x) v_splat_real((real)(x))
GB_INLINE V v_splat_real(real x)
{
    return x - (V){0}; /* x - 0, not x + 0: -0 stays -0 */
}

GB_INLINE M v_splat_int(lane_int x)
{
    return x - (M){0};
}

GB_INLINE V v_load(const void *p)
{
    return *(const V *)p;
}

GB_INLINE void v_store(void *p, V a)
{
    *(V *)p = a;
}

GB_INLINE M m_load(const void *p)
{
    return *(const M *)p;
}

GB_INLINE void m_store(void *p, M a)
{
    *(M *)p = a;
}

/* Vectors at the end of a row, of `count` lanes: those beyond are neither read nor written. Read, they are
 * 0. */
#if GB_VECTOR_AVX512 && GB_REAL_BITS == 64
GB_INLINE __mmask8 v_first_lanes(int64_t count)
{
    return (__mmask8)((1u << count) - 1);
}
#elif GB_VECTOR_AVX512
GB_INLINE __mmask16 v_first_lanes(int64_t count)
{
    return (__mmask16)((1u << count) - 1);
}
#elif GB_VECTOR_AVX2
GB_INLINE __m256i v_first_lanes(int64_t count)
{
    static const lane_int index[] = {0, 1, 2, 3, 4, 5, 6, 7};
    return (__m256i)(m_load(index) < v_splat_int((lane_int)count));
}
#endif

GB_INLINE V v_load_part(const real *p, int64_t count)
{
#if GB_VECTOR_AVX512
    return GB_X86(maskz_loadu)(v_first_lanes(count), p);
#elif GB_VECTOR_AVX2
    return GB_X86(maskload)(p, v_first_lanes(count));
#else
    V x = {0};
    for (int i = 0; i < (int)count; i++)
        x[i] = p[i];
    return x;
#endif
}

GB_INLINE void v_store_part(real *p, int64_t count, V x)
{
#if GB_VECTOR_AVX512
    GB_X86(mask_storeu)(p, v_first_lanes(count), x);
#elif GB_VECTOR_AVX2
    GB_X86(maskstore)(p, v_first_lanes(count), x);
#else
    for (int i = 0; i < (int)count; i++)
        p[i] = x[i];
#endif
}

/* The same bits as another type. */
GB_INLINE M v_bits(V a)
{
    return (M)a;
}

GB_INLINE U v_unsigned_bits(V a)
{
    return (U)a;
}

GB_INLINE V v_from_bits(M a)
{
    return (V)a;
}

/* ----------------------------------------------------------------------------------------------- choosing */

/* True if the mask is -1 in some lane. */
GB_INLINE int v_any(M mask)
{
#if GB_VECTOR_AVX512
    return _mm512_test_epi64_mask((__m512i)mask, (__m512i)mask) != 0;
#elif defined(GB_X86_PREFIX)
    return GB_X86(movemask)((V)mask) != 0;
#else
    lane_int any = 0;
    for (int i = 0; i < LANES; i++)
        any |= mask[i];
    return any != 0;
#endif
}

/* Lane by lane, `yes` where the mask is -1 and `no` where it is 0. */
GB_INLINE M m_select(M mask, M yes, M no)
{
#if GB_VECTOR_AVX2
    return (M)_mm256_blendv_epi8((__m256i)no, (__m256i)yes, (__m256i)mask);
#else
    return (mask & yes) | (~mask & no); /* one ternary-logic instruction with AVX-512 */
#endif
}

GB_INLINE V v_select(M mask, V yes, V no)
{
#if GB_VECTOR_AVX2
    return GB_X86(blendv)(no, yes, (V)mask);
#else
    return (V)m_select(mask, (M)yes, (M)no);
#endif
}

/* a < b ? yes : no. Like v_select, but with AVX-512 the comparison's bit mask need not become a vector. */
GB_INLINE V v_if_less(V a, V b, V yes, V no)
{
#if GB_VECTOR_AVX512
    return GB_X86(mask_blend)(GB_X86_PASTE(_mm512_, cmp, GB_X86_MASK)(a, b, _CMP_LT_OQ), no, yes);
#else
    return v_select(a < b, yes, no);
#endif
}

/* `a` where the mask is -1, else +0. */
GB_INLINE V v_where(M mask, V a)
{
    return (V)(mask & (M)a);
}

/* The product of an adjoint x and a derivative y: it is 0 where the adjoint is, whatever the other is. */
GB_INLINE V v_chain(V x, V y)
{
    return v_select(x == 0, v_splat(0), x * y);
}

/* 1 where the mask is -1, else 0: a boolean as a real. */
GB_INLINE V v_of_mask(M mask)
{
    return v_where(mask, v_splat(1));
}

GB_INLINE M v_is_nan(V a)
{
    return a != a;
}

GB_INLINE V v_abs(V a)
{
    return (V)((M)a & ~(M)v_splat(-0.0));
}

GB_INLINE M v_is_finite(V a)
{
    return v_abs(a) <= GB_REAL_MAX;
}

/* The magnitude of `a` with the sign of `b`. */
GB_INLINE V v_copysign(V a, V b)
{
    M sign = (M)v_splat(-0.0);
    return (V)((~sign & (M)a) | (sign & (M)b));
}

/* -1 or 1; zeros and NaN are returned unchanged. */
GB_INLINE V v_sign(V a)
{
    return v_select(v_abs(a) > 0, v_copysign(v_splat(1), a), a);
}

/* The smaller and the larger; NaN if either is NaN. Of -0 and +0 either may result. */
GB_INLINE V v_min(V a, V b)
{
#if defined(GB_X86_PREFIX)
    return v_select(v_is_nan(a), a, GB_X86(min)(a, b)); /* the instruction returns b if either is NaN */
#else
    return v_select((a < b) | v_is_nan(a), a, b);
#endif
}

GB_INLINE V v_max(V a, V b)
{
#if defined(GB_X86_PREFIX)
    return v_select(v_is_nan(a), a, GB_X86(max)(a, b));
#else
    return v_select((a > b) | v_is_nan(a), a, b);
#endif
}

/* `a` limited by one number: v_min and v_max for a limit that is not NaN. */
GB_INLINE V v_at_least(V a, real low)
{
#if defined(GB_X86_PREFIX)
    return GB_X86(max)(v_splat(low), a);
#else
    return v_select(a < low, v_splat(low), a);
#endif
}

GB_INLINE V v_at_most(V a, real high)
{
#if defined(GB_X86_PREFIX)
    return GB_X86(min)(v_splat(high), a);
#else
    return v_select(a > high, v_splat(high), a);
#endif
}

/* --------------------------------------------------------------------------------------------- arithmetic */

/* a b + c: rounded once where the machine has the instruction, else twice. */
GB_INLINE V v_fma(V a, V b, V c)
{
#if GB_VECTOR_AVX512 || GB_VECTOR_AVX2
    return GB_X86(fmadd)(a, b, c);
#else
    return a * b + c;
#endif
}

GB_INLINE V v_sqrt(V a)
{
#if defined(GB_X86_PREFIX)
    return GB_X86(sqrt)(a);
#else
    for (int i = 0; i < LANES; i++)
        a[i] = (real)sqrt(a[i]);
    return a;
#endif
}

/* Rounds to the nearest integer, halves to even. Without an instruction: after adding 2^mantissa bits there
 * is no room for a fraction. Larger numbers are integers already. */
GB_INLINE V v_round(V a)
{
#if GB_VECTOR_AVX512
    return GB_X86(roundscale)(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#elif GB_VECTOR_AVX2
    return GB_X86(round)(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#else
    const real big = (real)((lane_int)1 << GB_MANTISSA_BITS);
    V magnitude = v_abs(a), rounded = (magnitude + big) - big;
    return v_copysign(v_select(magnitude < big, rounded, a), a);
#endif
}

GB_INLINE V v_floor(V a)
{
#if GB_VECTOR_AVX512
    return GB_X86(roundscale)(a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
#elif GB_VECTOR_AVX2
    return GB_X86(floor)(a);
#else
    V rounded = v_round(a);
    return v_copysign(rounded - v_of_mask(rounded > a), a);
#endif
}

/* Converts towards zero, as C does. */
GB_INLINE M v_to_int(V a)
{
    return __builtin_convertvector(a, M);
}

/* The same integers, of which the compiler knows nothing. gcc makes one rounding of the way to an integer and
 * back, in native code for instance; that would keep the sign of a zero. */
GB_INLINE M m_opaque(M a)
{
#if GB_VECTOR_AVX512
    __asm__("" : "+v"(a));
#elif defined(GB_X86_PREFIX)
    __asm__("" : "+x"(a));
#else
    __asm__("" : "+m"(a));
#endif
    return a;
}

/* Rounds to nearest, limited to the least and the largest integer that is a real; 0 for NaN. */
GB_INLINE M v_nearest_int(V a)
{
    const real beyond = GB_REAL_BITS == 64 ? 0x1p63 : 0x1p31;
    const real largest = beyond * (1 - (real)(GB_REAL_BITS == 64 ? 0x1p-53 : 0x1p-24));
    V rounded = v_where(a == a, v_round(a));
    return m_opaque(v_to_int(v_at_most(v_at_least(rounded, -beyond), largest)));
}

GB_INLINE V v_from_int(M a)
{
    return __builtin_convertvector(a, V);
}

/* ----------------------------------------------------------------------------------------- sums in double */

/* The first half of the lanes, and the second, as doubles. If reals are doubles, v_low is the vector itself
 * and v_high does not exist: write `#if GB_REAL_BITS == 32` around its use, or call v_add_to. */
GB_INLINE D v_low(V a)
{
#if GB_REAL_BITS == 64
    return a;
#elif GB_VECTOR_AVX512
    return (D)_mm512_cvtps_pd(_mm512_castps512_ps256(a));
#elif GB_VECTOR_AVX2
    return (D)_mm256_cvtps_pd(_mm256_castps256_ps128(a));
#elif GB_VECTOR_SSE2
    return (D)_mm_cvtps_pd(a);
#else
    D wide;
    for (int i = 0; i < D_LANES; i++)
        wide[i] = (double)a[i];
    return wide;
#endif
}

#if GB_REAL_BITS == 32
GB_INLINE D v_high(V a)
{
#if GB_VECTOR_AVX512
    return (D)_mm512_cvtps_pd(_mm512_extractf32x8_ps(a, 1));
#elif GB_VECTOR_AVX2
    return (D)_mm256_cvtps_pd(_mm256_extractf128_ps(a, 1));
#elif GB_VECTOR_SSE2
    return (D)_mm_cvtps_pd(_mm_movehl_ps(a, a));
#else
    D wide;
    for (int i = 0; i < D_LANES; i++)
        wide[i] = (double)a[i + D_LANES];
    return wide;
#endif
}
#endif

/* sum + a, in doubles: one step of a running sum that v_sum_wide finishes. */
GB_INLINE D v_add_to(D sum, V a)
{
#if GB_REAL_BITS == 64
    return sum + a;
#else
    return sum + (v_low(a) + v_high(a));
#endif
}

/* The sum of the lanes, in halves: ((0 + 4) + (2 + 6)) + ((1 + 5) + (3 + 7)) for eight. */
GB_INLINE double v_sum_wide(D a)
{
#if GB_VECTOR_AVX512 || GB_VECTOR_AVX2
#if GB_VECTOR_AVX512
    const __m256d four = (__m256d)_mm512_castpd512_pd256((__m512d)a) + _mm512_extractf64x4_pd((__m512d)a, 1);
#else
    const __m256d four = (__m256d)a;
#endif
    const __m128d two = _mm256_castpd256_pd128(four) + _mm256_extractf128_pd(four, 1);
    return two[0] + two[1];
#else
    double lane[D_LANES];
    memcpy(lane, &a, sizeof a);
    for (int half = D_LANES / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++)
            lane[i] += lane[i + half];
    return lane[0];
#endif
}

GB_INLINE double v_sum(V a)
{
#if GB_REAL_BITS == 64
    return v_sum_wide(a);
#else
    return v_sum_wide(v_low(a) + v_high(a));
#endif
}

#endif
