/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Elementary functions of vectors, for inclusion in `*_vector.c` files.
 *
 * exp, log and the functions made of them are polynomials without branches. They are inline, so that a loop
 * over a block keeps several vectors in flight. They treat special values as in C's Annex F: NaN gives NaN,
 * log(0) = -inf, log(-1) = NaN, exp(-inf) = 0, tanh(-0) = -0. Subnormal arguments are exact, and subnormal
 * results are rounded once. pow, sin, cos, atan and atan2 are SLEEF's; with -DGB_NO_SLEEF libm's, lane by
 * lane.
 *
 * The polynomials are minimax, by Remez's exchange in 200-bit arithmetic, with rounded coefficients. The
 * error stated beside each polynomial includes that rounding. Largest errors measured, in units in the last
 * place, against long double for 2e7 arguments of each kind (double) and against double for every 61st
 * argument (float):
 *
 *                   double    with AVX-512    float
 *     exp             1.05        1.05         1.06
 *     log             0.93        1.23         0.87
 *     log1p           1.00        1.22         1.00
 *     expm1           2.28        2.21         1.83
 *     tanh            2.60        2.60         2.49
 *     sigmoid         2.39        2.39         2.31
 *     softplus        1.69        1.96         1.62
 *     log_sigmoid     1.69        1.96         1.61
 *     log1mexp        2.11        2.11         1.78
 *     logaddexp       1.96        1.96         3.03    of the larger of |max(x, y)| and |value|
 *     sincos_turn     2.13        2.09         2.32
 *
 * (log1mexp and logaddexp: for 6e5 arguments, against long double.)
 *
 * Over a block of 2 KiB they take between a fifth and three quarters of the time of SLEEF's functions of 1.0
 * ulp. */
#ifndef GREBE_CORE_KERNELS_VECTOR_MATH_IMPL_H
#define GREBE_CORE_KERNELS_VECTOR_MATH_IMPL_H

#include "core/kernels/vector_impl.h"

#if !defined(GB_NO_SLEEF)
#include <sleef.h>
#endif

/* -------------------------------------------------------------------------------------------------- SLEEF */

#if defined(GB_NO_SLEEF)
#if GB_REAL_BITS == 64
#define GB_LIBM(name) name
#else
#define GB_LIBM(name) name##f
#endif
#define GB_LIBM_OF_ONE(name)                                                                                 \
    GB_INLINE V v_##name(V a)                                                                                \
    {                                                                                                        \
        for (int i = 0; i < LANES; i++)                                                                      \
            a[i] = GB_LIBM(name)(a[i]);                                                                      \
        return a;                                                                                            \
    }
#define GB_LIBM_OF_TWO(name)                                                                                 \
    GB_INLINE V v_##name(V a, V b)                                                                           \
    {                                                                                                        \
        for (int i = 0; i < LANES; i++)                                                                      \
            a[i] = GB_LIBM(name)(a[i], b[i]);                                                                \
        return a;                                                                                            \
    }
GB_LIBM_OF_ONE(sin)
GB_LIBM_OF_ONE(cos)
GB_LIBM_OF_ONE(atan)
GB_LIBM_OF_TWO(pow)
GB_LIBM_OF_TWO(atan2)
#else
/* SLEEF's deterministic variants, by the width of this compilation: cinz without fused multiply-add, finz
 * with it. Those of one kind give the same bits whatever their width. That holds for SLEEF's functions alone:
 * others, such as log, are made of different instructions on each set, and their last bits differ. */
#if GB_VECTOR_AVX512 && GB_REAL_BITS == 64
#define GB_SLEEF(name, ulp) Sleef_finz_##name##d8_##ulp##avx512f
#elif GB_VECTOR_AVX512
#define GB_SLEEF(name, ulp) Sleef_finz_##name##f16_##ulp##avx512f
#elif GB_VECTOR_AVX2 && GB_REAL_BITS == 64
#define GB_SLEEF(name, ulp) Sleef_finz_##name##d4_##ulp##avx2
#elif GB_VECTOR_AVX2
#define GB_SLEEF(name, ulp) Sleef_finz_##name##f8_##ulp##avx2
#elif GB_VECTOR_SSE2 && GB_REAL_BITS == 64
#define GB_SLEEF(name, ulp) Sleef_cinz_##name##d2_##ulp##sse2
#elif GB_VECTOR_SSE2
#define GB_SLEEF(name, ulp) Sleef_cinz_##name##f4_##ulp##sse2
#elif defined(__aarch64__) && GB_REAL_BITS == 64
#define GB_SLEEF(name, ulp) Sleef_finz_##name##d2_##ulp##advsimd
#elif defined(__aarch64__)
#define GB_SLEEF(name, ulp) Sleef_finz_##name##f4_##ulp##advsimd
#else
#error "SLEEF's functions for this machine have no names here: define GB_NO_SLEEF"
#endif

GB_INLINE V v_pow(V a, V b)
{
    return (V)GB_SLEEF(pow, u10)(a, b);
}

GB_INLINE V v_sin(V a)
{
    return (V)GB_SLEEF(sin, u10)(a);
}

GB_INLINE V v_cos(V a)
{
    return (V)GB_SLEEF(cos, u10)(a);
}

GB_INLINE V v_atan(V a)
{
    return (V)GB_SLEEF(atan, u10)(a);
}

GB_INLINE V v_atan2(V a, V b)
{
    return (V)GB_SLEEF(atan2, u10)(a, b);
}
#endif

/* -------------------------------------------------------------------------------------------- polynomials */

#if defined(__clang__)
#define GB_UNROLL _Pragma("clang loop unroll(full)")
#else
#define GB_UNROLL _Pragma("GCC unroll 32")
#endif

/* c[0] + c[1] x + ... + c[n-1] x^(n-1): Horner's rule in x^2, even and odd powers side by side. */
GB_INLINE V v_polynomial(V x, const real *c, int n)
{
    V square = x * x;
    int even = (n - 1) & ~1, odd = (n - 2) | 1;
    V sum_even = v_splat(c[even]), sum_odd = v_splat(c[odd]);
    GB_UNROLL
    for (int i = even - 2; i >= 0; i -= 2)
        sum_even = v_fma(sum_even, square, v_splat(c[i]));
    GB_UNROLL
    for (int i = odd - 2; i >= 0; i -= 2)
        sum_odd = v_fma(sum_odd, square, v_splat(c[i]));
    return v_fma(sum_odd, x, sum_even);
}
#define GB_POLYNOMIAL(x, c) v_polynomial(x, c, (int)(sizeof(c) / sizeof(c)[0]))

/* ln 2 in two parts. The first has so few bits that an exponent times it is exact; the second is positive. */
#if GB_REAL_BITS == 64
#define GB_LN2_HIGH 0x1.62e42fefa38p-1
#define GB_LN2_LOW 0x1.ef35793c7673p-45
#define GB_LOG2_E 0x1.71547652b82fep+0
#else
#define GB_LN2_HIGH 0x1.62e4p-1f
#define GB_LN2_LOW 0x1.7f7d1cp-20f
#define GB_LOG2_E 0x1.715476p+0f
#endif

/* After adding this to a number, the low bits of the sum are the nearest integer (two's complement). */
#define GB_ROUNDER ((real)((lane_int)3 << (GB_MANTISSA_BITS - 1)))

/* ------------------------------------------------------------------------------------------ exp and expm1 */

/* x = n ln 2 + r with |r| <= ln 2 / 2, and e^r - 1 (Cody and Waite 1980). */
typedef struct exp_parts {
    V n;     /* the integer, as a real */
    M n_low; /* n in its low bits, for shifting into an exponent; the others are arbitrary */
    V expm1; /* e^r - 1 */
} exp_parts;

GB_INLINE exp_parts v_exp_parts(V x)
{
    /* (e^r - 1 - r) / r^2, so that e^r - 1 has relative error 2^-55.5, or 2^-25.9 for float */
#if GB_REAL_BITS == 64
    static const real c[] = {0x1.0000000000005p-1,  0x1.555555555555cp-3,  0x1.55555555520e9p-5,
                             0x1.111111110e6dap-7,  0x1.6c16c17f3a536p-10, 0x1.a01a01b5d650dp-13,
                             0x1.a019a67cb099ep-16, 0x1.71ddea097b2b8p-19, 0x1.28a2b5087ddfp-22,
                             0x1.af76a5c6297f1p-26};
#else
    static const real c[] = {0x1p-1f, 0x1.5554bp-3f, 0x1.555486p-5f, 0x1.12280cp-7f, 0x1.6d992p-10f};
#endif
    V shifted = v_fma(x, v_splat(GB_LOG2_E), v_splat(GB_ROUNDER));
    V n = shifted - GB_ROUNDER;
    V r = v_fma(n, v_splat(-GB_LN2_LOW), v_fma(n, v_splat(-GB_LN2_HIGH), x));
    return (exp_parts){n, v_bits(shifted), v_fma(r * r, GB_POLYNOMIAL(r, c), r)};
}

/* 2^(n + more), which must be a normal number. */
GB_INLINE V v_power_of_two(M n_low, int more)
{
    return v_from_bits((n_low << GB_MANTISSA_BITS) +
                       ((lane_int)(GB_EXPONENT_BIAS + more) << GB_MANTISSA_BITS));
}

/* a 2^n, rounded once, for any n of exp_parts. */
GB_INLINE V v_scale_exp(V a, exp_parts p)
{
#if GB_VECTOR_AVX512
    return GB_X86(scalef)(a, p.n);
#else
    /* Two factors 2^(n/2), each a normal number; only the second product can round. */
    U exponents = (U)p.n_low - (U)v_bits(v_splat(GB_ROUNDER)) + 2 * GB_EXPONENT_BIAS;
    U first = exponents >> 1, second = exponents - first;
    return a * (V)(first << GB_MANTISSA_BITS) * (V)(second << GB_MANTISSA_BITS);
#endif
}

/* e^x is 0 below, inf above. */
#define GB_EXP_LEAST ((real)(GB_REAL_BITS == 64 ? -746 : -104))
#define GB_EXP_NORMAL ((real)(GB_REAL_BITS == 64 ? -708.39 : -87.33)) /* e^x is not subnormal from there on */
#define GB_EXP_MOST ((real)(GB_REAL_BITS == 64 ? 710 : 89))

GB_INLINE V v_exp(V x)
{
    exp_parts p = v_exp_parts(v_at_most(v_at_least(x, GB_EXP_LEAST), GB_EXP_MOST));
    return v_scale_exp(1 + p.expm1, p);
}

/* 2^n (e^r - 1) + (2^n - 1), computed from halves, since 2^n can overflow where the result does not. */
GB_INLINE V v_expm1(V x)
{
    const real least = GB_REAL_BITS == 64 ? -40 : -20;        /* -1 below */
    const real tiny = GB_REAL_BITS == 64 ? 0x1p-55 : 0x1p-26; /* e^x - 1 rounds to x */
    exp_parts p = v_exp_parts(v_at_most(v_at_least(x, least), GB_EXP_MOST));
    V half = v_power_of_two(p.n_low, -1);
    return v_if_less(v_abs(x), v_splat(tiny), x, 2 * v_fma(half, p.expm1, half - (real)0.5));
}

/* With e = expm1(-2 |x|): tanh |x| = -e / (2 + e). */
GB_INLINE V v_tanh(V x)
{
    const real most = GB_REAL_BITS == 64 ? 20 : 10; /* 1 beyond */
    exp_parts p = v_exp_parts(-2 * v_at_most(v_abs(x), most));
    V power = v_power_of_two(p.n_low, 0);
    V e = v_fma(power, p.expm1, power - 1);
    return v_copysign(e / (2 + e), x);
}

/* ------------------------------------------------------------------------------------------ log and log1p */

/* log((1 + f) 2^k) for f in [-1/4, 1/2]; k may be infinite when f is 0. */
#if GB_REAL_BITS == 32
GB_INLINE V v_log_of_parts(V f, V k)
{
    /* (log(1 + f) - f + f^2 / 2) / f^3, with an error of 2^-27.4 / f^2 */
    static const real c[] = {0x1.5555a2p-2f, -0x1.000082p-2f, 0x1.996ae4p-3f, -0x1.54dd26p-3f,
                             0x1.284c6cp-3f, -0x1.0e1146p-3f, 0x1.b1788ap-4f, -0x1.7a3476p-5f};
    V square = f * f;
    V low = v_fma(square * f, GB_POLYNOMIAL(f, c), k * GB_LN2_LOW);
    return v_fma(k, v_splat(GB_LN2_HIGH), f + v_fma(square, v_splat(-0.5), low));
}
#elif GB_VECTOR_AVX512
GB_INLINE V v_log_of_parts(V f, V k)
{
    /* Near 1 + i/16 a number r such that t = -log r is a multiple of 2^-42 to within 2^-67, found by trying
     * (Gal 1986): so log(1 + f) = t + log1p(z) where z = r (1 + f) - 1 is small, and k ln 2 + t is exact. The
     * index is i mod 16; i runs from -4 to 8. */
    /* clang-format off */
    static const double r_table[16] = {
        1, 0x1.e1fb163a979bep-1, 0x1.c705157b7509dp-1, 0x1.af319ec0c883fp-1,
        0x1.99ac10782c0ep-1, 0x1.8626323e1783fp-1, 0x1.745fd8f39d002p-1, 0x1.64318f898d74ep-1,
        0x1.555a8c58d8787p-1, 1, 1, 1,
        0x1.5543fb56683adp+0, 0x1.3b1ae701d2cb5p+0, 0x1.248f09ee350a8p+0, 0x1.110d1efcfe60ap+0};
    static const double t_table[16] = {
        0, 0x1.eef69d514p-5, 0x1.e342baf118p-4, 0x1.5fc7556e14p-3,
        0x1.c8a32c3572p-3, 0x1.1651877c1ep-2, 0x1.4611278b05p-2, 0x1.738f02da82p-2,
        0x1.9f2299e008p-2, 0, 0, 0,
        -0x1.266211c3c5p-2, -0x1.a96db0cb44p-3, -0x1.11622d85a8p-3, -0x1.081e5bbf54p-4};
    /* clang-format on */
    /* (log1p(z) - z) / z^2 for |z| <= 0.0433, so that log1p(z) has relative error 2^-57.2 */
    static const real c[] = {-0x1.0000000000000p-1, 0x1.5555555554fcbp-2,  -0x1.fffffffffd677p-3,
                             0x1.999999a79d172p-3,  -0x1.55555571c4c5ap-3, 0x1.2491f101e259ep-3,
                             -0x1.ffff050a3d208p-4, 0x1.c8d12c5f0d085p-4,  -0x1.9b7e5994f4c34p-4};
    __m512i i = (__m512i)(f + 0x1.8p48); /* the low bits are f, rounded to 1/16 */
    V r = (V)_mm512_permutex2var_pd(_mm512_loadu_pd(r_table), i, _mm512_loadu_pd(r_table + 8));
    V t = (V)_mm512_permutex2var_pd(_mm512_loadu_pd(t_table), i, _mm512_loadu_pd(t_table + 8));
    V z = v_fma(f, r, r - 1);
    V low = v_fma(z * z, GB_POLYNOMIAL(z, c), k * GB_LN2_LOW);
    return v_fma(k, v_splat(GB_LN2_HIGH), t) + (z + low);
}
#else
GB_INLINE V v_log_of_parts(V f, V k)
{
    /* With s = f / (2 + f), log(1 + f) = 2 atanh s = 2s + s R(s^2). Since f - 2s = s f = (1 - s) f^2/2, that
     * is f - (f^2/2 - s (f^2/2 + R)), where the division's rounding is multiplied by something small (as in
     * fdlibm). R(w) / w, with error 2^-54.8: */
    static const real c[] = {0x1.555555555577ap-1, 0x1.99999998efbf3p-2, 0x1.249249b2d71e6p-2,
                             0x1.c71c00f184903p-3, 0x1.7474f50859f8dp-3, 0x1.38516a0b97c5cp-3,
                             0x1.3ac9362bb9057p-3};
    V s = f / (2 + f), w = s * s, half_square = (real)0.5 * f * f;
    V correction = v_fma(s, v_fma(w, GB_POLYNOMIAL(w, c), half_square), k * GB_LN2_LOW);
    return v_fma(k, v_splat(GB_LN2_HIGH), f - (half_square - correction));
}
#endif

/* x = m 2^k with m in [3/4, 3/2). With AVX-512 for every x: k is -inf for 0 and inf for inf, where m is 1; m
 * is NaN where x has no logarithm. Otherwise for positive normal numbers only. */
GB_INLINE V v_log_split(V x, V *k)
{
#if GB_VECTOR_AVX512
    V m = (V)GB_X86(getmant)(x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan);
    V exponent = (V)GB_X86(getexp)(x);
    *k = v_if_less(m, v_splat(1), exponent + 1, exponent);
    return m;
#else
    const U three_quarters = (U)v_splat(0.75), one = (U)v_splat(1);
    const lane_unsigned mantissa = ((lane_unsigned)1 << GB_MANTISSA_BITS) - 1;
    const real two_to_the_bits = (real)((lane_int)1 << GB_MANTISSA_BITS);
    /* carries into the exponent where the mantissa is 1.5 or more */
    U shifted = (U)x + (one - three_quarters);
    U biased = shifted >> GB_MANTISSA_BITS;
    *k = (V)(biased | (U)v_splat(two_to_the_bits)) - (two_to_the_bits + GB_EXPONENT_BIAS);
    return (V)((shifted & mantissa) + three_quarters);
#endif
}

#if !GB_VECTOR_AVX512
/* `y` where x is positive and finite, else C's value of log x. */
GB_INLINE V v_log_or_special(V x, V y)
{
    V special = v_select(x == 0, v_splat(-INFINITY), v_select(x < 0, v_splat(NAN), x));
    return v_select((x > 0) & (x <= GB_REAL_MAX), y, special);
}
#endif

/* Like v_log_split, also for subnormal numbers. */
GB_INLINE V v_log_split_any(V x, V *k)
{
#if GB_VECTOR_AVX512
    return v_log_split(x, k);
#else
    const real up = GB_REAL_BITS == 64 ? 54 : 25;
    M subnormal = x < GB_REAL_MIN;
    V m = v_log_split(v_select(subnormal, x * (real)((lane_int)1 << (int)up), x), k);
    *k -= v_where(subnormal, v_splat(up));
    return m;
#endif
}

GB_INLINE V v_log(V x)
{
    V k, m = v_log_split_any(x, &k);
#if GB_VECTOR_AVX512
    return v_log_of_parts(m - 1, k);
#else
    return v_log_or_special(x, v_log_of_parts(m - 1, k));
#endif
}

/* log of the rounded sum u = 1 + x, corrected by the error of that sum, scaled as u is. */
GB_INLINE V v_log1p(V x)
{
    V larger = v_at_least(x, 1), smaller = v_at_most(x, 1);
    V u = 1 + x, error = smaller - (u - larger); /* exact (Dekker 1971) */
    V k, m = v_log_split(u, &k);
#if GB_VECTOR_AVX512
    /* where u is 0 or inf, the error is 0 or NaN and is not used */
    V scaled = GB_X86(maskz_scalef)(GB_X86_PASTE(_mm512_, cmp, GB_X86_MASK)(error, v_splat(0), _CMP_NEQ_OQ),
                                    error, -k);
    return v_copysign(v_log_of_parts((m - 1) + scaled, k), x);
#else
    /* 2^(1-k), which is 0 for the largest k; 2^-k might not exist */
    V scale = (V)((U)m - (U)u + (U)v_splat(2));
    return v_copysign(v_log_or_special(u, v_log_of_parts((m - 1) + error * ((real)0.5 * scale), k)), x);
#endif
}

/* ------------------------------------------------------------------------------------ functions of e^-|x| */

/* e^-|x| */
GB_INLINE V v_exp_minus_abs(V x)
{
    V minus_abs = v_from_bits(v_bits(x) | v_bits(v_splat(-0.0)));
    exp_parts p = v_exp_parts(v_at_least(minus_abs, GB_EXP_LEAST));
    return v_scale_exp(1 + p.expm1, p);
}

/* log1p for t in [0, 1]; one comparison decides the exponent of 1 + t. A tiny t is the result itself: its
 * square might be subnormal, and slow. */
GB_INLINE V v_log1p_unit(V t)
{
    const real tiny = GB_REAL_BITS == 64 ? 0x1p-55 : 0x1p-26;
    V half = v_splat(0.5), k = v_if_less(t, half, v_splat(0), v_splat(1)), f = v_at_least(t, tiny);
    V y = v_log_of_parts(v_if_less(f, half, f, v_fma(f, half, -half)), k);
    return v_if_less(t, v_splat(tiny), t, y);
}

/* log(1 + e^x) = max(x, 0) + log1p(e^-|x|). It underflows where e^x does. */
GB_INLINE V v_softplus(V x)
{
    return v_at_least(x, 0) + v_log1p_unit(v_exp_minus_abs(x));
}

/* log(1 / (1 + e^-x)) */
GB_INLINE V v_log_sigmoid(V x)
{
    return v_at_most(x, 0) - v_log1p_unit(v_exp_minus_abs(x));
}

/* 1 / (1 + e^-x), or e^x / (1 + e^x) where x is negative. It underflows where e^x does. */
GB_INLINE V v_sigmoid(V x)
{
    V t = v_exp_minus_abs(x);
    return v_if_less(x, v_splat(0), t, v_splat(1)) / (1 + t);
}

/* x y - log(1 + e^y) = x min(y, 0) - (1 - x) max(y, 0) - log1p(e^-|y|), without cancellation for x from 0 to
 * 1. */
GB_INLINE V v_log_bernoulli(V x, V y)
{
    V below = v_select(x == 0, v_splat(0), x * v_at_most(y, 0));
    V above = v_select(x == 1, v_splat(0), (1 - x) * v_at_least(y, 0));
    return below - above - v_log1p_unit(v_exp_minus_abs(y));
}

/* x - p for p = 1 / (1 + e^-y), or (x - 1) + (1 - p): the smaller of p and 1 - p is used. */
GB_INLINE V v_bernoulli_residual(V x, V y)
{
    V t = v_exp_minus_abs(y), small = t / (1 + t);
    return v_select(y < 0, x - small, (x - 1) + small);
}

/* e^-|x|, but 0 where -|x| is below `least`. No intermediate result is subnormal. */
GB_INLINE V v_exp_minus_abs_or_0(V x, real least)
{
    V minus_abs = v_from_bits(v_bits(x) | v_bits(v_splat(-0.0)));
    exp_parts p = v_exp_parts(v_at_least(minus_abs, least));
    return v_select(minus_abs < least, v_splat(0), v_scale_exp(1 + p.expm1, p));
}

/* log(e^x + e^y) = max(x, y) + log1p(e^-|x - y|), corrected by the error of the difference (Knuth 1969). */
GB_INLINE V v_logaddexp(V x, V y)
{
    const real matters = (real)1e-20; /* below this t, products with the error would be subnormal, and slow */
    V apart = v_select(x == y, v_splat(0), x - y), x_less = x - apart, larger = v_max(x, y);
    V error = (x_less - y) + (x - (apart + x_less));
    V least = v_select(v_abs(larger) < matters, v_splat(GB_EXP_LEAST), v_splat(GB_EXP_NORMAL));
    V t = v_exp_minus_abs(v_min(v_abs(apart), -least)); /* not smaller than what can change the sum */
    V change = v_at_least(t, matters) * v_copysign(error, v_from_bits(v_bits(error) ^ v_bits(apart)));
    return larger + v_log1p_unit(t - v_where((v_abs(error) < 1) & (t > matters), change));
}

/* e^x / (e^x + e^y): 0 where x is -inf, a half where both are inf. Also 0 where it is subnormal, and for
 * floats where it is so small that products with it would be: that would cost a hundred times as much and
 * change no sum. */
GB_INLINE V v_share(V x, V y)
{
    const real least = GB_REAL_BITS == 64 ? GB_EXP_NORMAL : (real)-60;
    V apart = v_select(x == y, v_splat(0), x - y), t = v_exp_minus_abs_or_0(apart, least);
    V share = v_if_less(apart, v_splat(0), t, v_splat(1)) / (1 + t);
    return v_select(x == -(real)INFINITY, v_where(y != y, y), share);
}

/* log(1 - e^x) is log(-expm1(x)), but log1p(-e^x) where e^x < 1/2: there the argument of log would lose the
 * digits of e^x. */
GB_INLINE V v_log1mexp(V x)
{
    const real least = GB_REAL_BITS == 64 ? 0x1p-55 : 0x1p-26;
    exp_parts p = v_exp_parts(v_at_most(v_at_least(x, GB_EXP_LEAST), 1));
    V e = v_scale_exp(1 + p.expm1, p), power = v_power_of_two(p.n_low, 0);
    V u = v_if_less(v_abs(x), v_splat(least), -x, (1 - power) - power * p.expm1);
    V k, f = v_log_split_any(u, &k) - 1;
    M small = e < (real)0.5, very_small = e <= (real)0.25;
    f = v_select(small, v_select(very_small, -e, 1 - 2 * e), f);
    k = v_select(small, v_select(very_small, v_splat(0), v_splat(-1)), k);
    V y = v_log_of_parts(f, k);
#if GB_VECTOR_AVX512
    return v_select(v_is_nan(x), x, y);
#else
    return v_select(small, y, v_log_or_special(u, y));
#endif
}

/* log(x / y), also near x = y, and where x / y overflows or underflows; -inf for x = 0, whatever y is. */
GB_INLINE V v_log_ratio(V x, V y)
{
    V apart = x - y, ratio = x / y, value = v_log(ratio);
    M is_near = v_abs(apart) < (real)0.5 * y, is_lost = (ratio < GB_REAL_MIN) | (ratio > GB_REAL_MAX);
    if (v_any(is_near))
        value = v_select(is_near, v_log1p(apart / y), value);
    if (v_any(is_lost))
        value = v_select(is_lost, v_log(x) - v_log(y), value);
    value = v_select((x == 0) & (y == y), v_splat(-INFINITY), value);
    return v_select((x < 0) | (y < 0), v_splat(NAN), value);
}

/* x log(x / y) - x + y for x, y >= 0. With z = (x - y) / (x + y), log(x / y) is 2 atanh z. For |z| < 1/10 the
 * cancelling terms are removed: (x - y) z + 2 x (z^3 / 3 + z^5 / 5 + ...). The omitted terms are below
 * 2^-60. */
GB_INLINE V v_deviance(V x, V y)
{
    static const real c[] = {(real)(1. / 3),  (real)(1. / 5),  (real)(1. / 7),  (real)(1. / 9),
                             (real)(1. / 11), (real)(1. / 13), (real)(1. / 15), (real)(1. / 17)};
    V apart = x - y, middle = (real)0.5 * x + (real)0.5 * y; /* no sum overflows */
    M is_near = v_abs(apart) < (real)0.2 * middle;
    V z = v_select(is_near, apart, x) / v_select(is_near, middle, y); /* one division for both */
    V w = (real)0.25 * z * z, near_value = v_fma(x * z * w, GB_POLYNOMIAL(w, c), (real)0.5 * apart * z);
    V far_value = v_select(x == 0, y, v_fma(x, v_log(v_at_least(z, GB_REAL_MIN)), y - x));
    V value = v_select(is_near, near_value, far_value);
    return v_select((x < 0) | (y < 0), v_splat(NAN), value);
}

/* x / y by a reciprocal. If y is one number, the compiler moves it out of the loop. The error is at most 1.1
 * units in the last place. The scale keeps reciprocals of the largest and smallest numbers in range. */
GB_INLINE V v_over(V x, V y)
{
    const real far = (real)(GB_REAL_BITS == 64 ? 0x1p+1000 : 0x1p+100), by = (real)0x1p+60;
    V size = v_abs(y), scale = v_select(size < 1 / far, v_splat(by), v_splat(1));
    scale = v_select(size > far, v_splat(1 / by), scale);
    return x * scale * (1 / (y * scale));
}

/* d - log(1 + d) for d = x/y - 1 and x, y > 0. For |d| < 1/4 it is d^2 times a polynomial with an error of
 * 2^-58.9 (floats: 2^-28.2), so that nothing cancels. */
GB_INLINE V v_ratio_excess(V x, V y)
{
#if GB_REAL_BITS == 64
    static const real c[] = {0x1p-1,
                             -0x1.5555555555557p-2,
                             0x1.0000000000004p-2,
                             -0x1.9999999999093p-3,
                             0x1.555555555429ep-3,
                             -0x1.24924925307e1p-3,
                             0x1.00000000fed4ep-3,
                             -0x1.c71c7129c0a07p-4,
                             0x1.999998c09492cp-4,
                             -0x1.745d4194caf00p-4,
                             0x1.555589cc5b4eep-4,
                             -0x1.3b0d07c8dfa18p-4,
                             0x1.248aa4ae1363ep-4,
                             -0x1.11b2863b8e3a9p-4,
                             0x1.00ae79ac3468bp-4,
                             -0x1.cfe720e369acap-5,
                             0x1.b4962cbf2e650p-5,
                             -0x1.1bd603db19c04p-4,
                             0x1.1064babbc0584p-4};
#else
    static const real c[] = {0x1p-1f,         -0x1.555552p-2f, 0x1.fffff2p-3f,
                             -0x1.999fc4p-3f, 0x1.555d1ep-3f,  -0x1.2333b2p-3f,
                             0x1.fd0fcap-4f,  -0x1.00002ep-3f, 0x1.d13318p-4f};
#endif
    V d = v_over(x - y, y), value = v_splat(0);
    M is_near = v_abs(d) < (real)0.25;
    if (v_any(is_near))
        value = d * d * GB_POLYNOMIAL(d, c);
    if (v_any(~is_near)) {
        V ratio = v_over(x, y), logarithm = v_log(v_at_most(ratio, GB_REAL_MAX));
        M extreme = ratio < GB_REAL_MIN;
        if (v_any(extreme)) /* the ratio loses digits, its logarithm does not */
            logarithm = v_select(extreme, v_log(x) - v_log(y), logarithm);
        value = v_select(is_near, value, d - logarithm);
    }
    return v_select(y <= 0, v_splat(NAN), value);
}

/* ((x/y)^2 - 1) / 2 - log(x/y) = d^2 / 2 + excess, with d and excess as above. */
GB_INLINE V v_scale_divergence(V x, V y)
{
    V d = v_over(x - y, y);
    return v_fma((real)0.5 * d, d, v_ratio_excess(x, y));
}

/* ((x/y) - (y/x)) / y, the derivative of v_scale_divergence in x. */
GB_INLINE V v_scale_divergence_slope(V x, V y)
{
    V apart = x - y;
    V slope = v_over(apart, y) * (1 / v_abs(x) + 1 / y);
    slope = v_select(apart == 0, v_splat(0), slope);
    return v_select((x < 0) | (y <= 0), v_splat(NAN), slope);
}

/* (x/y)^2 / 2, and x / y^2, its derivative in x. */
GB_INLINE V v_misfit(V x, V y)
{
    V ratio = v_over(x, y);
    return (real)0.5 * ratio * ratio;
}
GB_INLINE V v_misfit_slope(V x, V y)
{
    return v_over(v_over(x, y), y);
}

/* ---------------------------------------------------------------------------------- sin and cos of 2 pi u */

/* For u in [0, 1]: u = n/4 + f with |f| <= 1/8, exactly. Polynomials in f^2, then n quarter turns. */
GB_INLINE void v_sincos_turn(V u, V *sine, V *cosine)
{
#if GB_REAL_BITS == 64
    /* sin(2 pi f) / f, error 2^-51.9; (cos(2 pi f) - 1) / f^2, error 2^-53.8 / f^2 */
    static const real s[] = {0x1.921fb54442d18p+2,  -0x1.4abbce625be41p+5, 0x1.466bc677587fdp+6,
                             -0x1.32d2cce2e60e4p+6, 0x1.50782fda6c2ebp+5,  -0x1.e30071ff2b444p+3,
                             0x1.e3f39e10de1cfp+1};
    static const real c[] = {-0x1.3bd3cc9be45a5p+4, 0x1.03c1f081b14bep+6,  -0x1.55d3c7dcb5f55p+6,
                             0x1.e1f4fbfc011c7p+5,  -0x1.a6ca009624bddp+4, 0x1.f3ef4232f9ebdp+2};
#else
    /* the same with errors 2^-22.2 and 2^-24.3 */
    static const real s[] = {0x1.921fb6p+2f, -0x1.4abbbap+5f, 0x1.465ec6p+6f, -0x1.2d9bb8p+6f};
    static const real c[] = {-0x1.3bd3a2p+4f, 0x1.03b162p+6f, -0x1.4ea9e8p+6f};
#endif
    V shifted = v_fma(u, v_splat(4), v_splat(GB_ROUNDER)), n = shifted - GB_ROUNDER;
    V f = v_fma(n, v_splat(-0.25), u), w = f * f;
    V sin_f = f * GB_POLYNOMIAL(w, s), cos_f = v_fma(w, GB_POLYNOMIAL(w, c), v_splat(1));

    M quarter = v_bits(shifted), odd = -(quarter & 1); /* quarters 1 and 3 exchange the two */
    M sign = v_bits(v_splat(-0.0));
    M minus_sine = (quarter << (GB_REAL_BITS - 2)) & sign;
    M minus_cosine = ((quarter + 1) << (GB_REAL_BITS - 2)) & sign;
    *sine = v_from_bits(m_select(odd, v_bits(cos_f), v_bits(sin_f)) ^ minus_sine);
    *cosine = v_from_bits(m_select(odd, v_bits(sin_f), v_bits(cos_f)) ^ minus_cosine);
}

#endif
