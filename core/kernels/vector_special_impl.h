/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Special functions of vectors, for inclusion in `*_vector.c` files.
 *
 * All are computed without branches, except one that is taken if the argument of some lane is in a rare
 * region. Special values give the mathematical limits. Largest errors measured, in units in the last place,
 * against 70 digits for 1e4 to 6e4 arguments of each (tests/ops/special/special_values.py draws them: tails,
 * zeros, points of change, huge and subnormal numbers). For erf, erfc and lgamma also against long double for
 * 6e5 arguments.
 *
 *                      double   with FMA   float
 *     lgamma            5.2       4.9       6.2     left of 0 of its larger term: see below
 *     digamma           5.4       5.4       7.1     left of 0 of its larger term
 *     trigamma          5.6       5.5       5.8
 *     tetragamma        8.4       8.4      12.3     left of 0; 4 right of it
 *     erf               2.2       2.2       3.0
 *     erfc              4.7       3.6       4.3
 *     normal_density    2.4       2.4       2.2
 *     ndtr              4.1       3.9       3.7
 *     log_ndtr          4.3       4.7       4.7
 *     mills             4.1       4.1       3.9
 *     mills_excess      6.0       4.6       4.4
 *     ndtri             4.8       3.8       4.3
 *     ndtri_exp         5.2       3.8       4.5
 *     i0e               3.9       3.7       3.1
 *     i1e               4.3       4.1       3.2
 *
 * Left of 0 lgamma and digamma are a difference of two terms, and the error is relative to the larger one. So
 * near the zeros there it is an absolute error. With AVX-512 in double, one element takes 1.5 ns for lgamma
 * and digamma, 1.2 for erfc and ndtr, 2.5 for log_ndtr: between a third and an eighth of the time of SLEEF's
 * functions. */
#ifndef GREBE_CORE_KERNELS_VECTOR_SPECIAL_IMPL_H
#define GREBE_CORE_KERNELS_VECTOR_SPECIAL_IMPL_H

#include "core/kernels/block_impl.h"
#include "core/kernels/vector_math_impl.h"

/* ------------------------------------------------------------------------------------ the gamma function */

/* log |Gamma(x)| and its derivatives. On [1, 4) they are rational functions, times factors with their zeros.
 * From 4 on they are asymptotic series with minimax tails. Other arguments are mapped to y >= 1 by
 *
 *     f(x) = f(1 + x) + a correction           0 <= x < 1
 *     f(x) = a reflection - or + f(1 - x)      x < 0
 *
 * so y = 1 + s, where s = |x| is exact if it is small. The rational functions interpolate at Chebyshev's
 * nodes in (y - 2) / (y + 2); the series are by Remez's exchange. Coefficients are rounded, and all but those
 * of the series have one sign. */
typedef struct gamma_parts {
    V y, s;           /* y = 1 + s: x, or x + 1 below 1, or 1 - x below 0 */
    M negative, unit; /* x < 0; 0 <= x < 1 */
} gamma_parts;

GB_INLINE gamma_parts v_gamma_parts(V x)
{
    V one = v_splat(1), a = v_abs(x);
    return (gamma_parts){.y = v_if_less(x, one, 1 + a, x),
                         .s = v_if_less(x, one, a, x - 1),
                         .negative = x < 0,
                         .unit = (x < 1) & ~(x < 0)};
}

/* sin(pi f) / pi and cos(pi f), where f = a - n and n is the integer nearest to a >= 0. */
GB_INLINE void v_sincos_pi(V a, V *sine_by_pi, V *cosine)
{
    const real tiny = GB_REAL_BITS == 64 ? 0x1p-28 : 0x1p-13; /* sin(pi f) rounds to pi f */
    V f = a - v_round(a), sine;
    v_sincos_turn((real)0.5 * v_abs(f), &sine, cosine);
    *sine_by_pi = v_if_less(v_abs(f), v_splat(tiny), f, v_copysign(sine * (real)0.31830988618379067154, f));
}

/* Stirling's series log Gamma(y) - (y - 1/2) log y + y - log(2 pi) / 2 in 1 / y, divided by 1 / y, for y >=
 * 4. The error is 2^-57.5 of log Gamma (2^-30.8 for float). */
GB_INLINE V v_stirling_series(V inverse)
{
#if GB_REAL_BITS == 64
    static const real c[] = {0x1.55555555551c3p-4,   -0x1.6c16c15f9ebaep-9, 0x1.a019e2143b9e3p-11,
                             -0x1.380971bde77cdp-11, 0x1.b77944466b725p-11, -0x1.dc1babe5c620fp-10,
                             0x1.2b8db8e80239ep-8,   -0x1.04161ffa6fd63p-7};
#else
    static const real c[] = {0x1.55554cp-4f, -0x1.6bbe66p-9f, 0x1.7c494cp-11f};
#endif
    return GB_POLYNOMIAL(inverse * inverse, c);
}

/* (log y - 1/(2y) - digamma(y)) y^2 in 1 / y, for y >= 4: error 2^-58.4 (2^-31.5 for float) of digamma */
GB_INLINE V v_digamma_series(V inverse)
{
#if GB_REAL_BITS == 64
    static const real c[] = {0x1.555555555515dp-4, -0x1.1111110c75aaap-7, 0x1.0410395a1dd02p-8,
                             -0x1.110dd8e71297p-8, 0x1.efb26f20aa3a8p-8,  -0x1.51d8b6c0490b7p-6,
                             0x1.23a1e9d066c9ap-4, -0x1.dcaa97c3eafb3p-3, 0x1.cc34aeb023b39p-2};
#else
    static const real c[] = {0x1.555524p-4f, -0x1.10867ep-7f, 0x1.ccfa54p-9f};
#endif
    return GB_POLYNOMIAL(inverse * inverse, c);
}

/* log Gamma(y) for y >= 1; log_y is used for y >= 4 only. */
GB_INLINE V v_lgamma_from_1(V y, V s, V log_y, V inverse)
{
    /* lgamma(y) / ((y - 1) (y - 2)) = p(s) / q(s), error 2^-54.7 (2^-26.1 for float) */
#if GB_REAL_BITS == 64
    static const real p[] = {0x1.2788cfc6fb619p-1, 0x1.c238af5ede168p+0,  0x1.0b3655a7b61e9p+1,
                             0x1.395e8017d7beep+0, 0x1.7ca61379913c6p-2,  0x1.cc0a75545d205p-5,
                             0x1.e47f418af8667p-9, 0x1.404eff6560964p-14, 0x1.ba9f018804845p-24};
    static const real q[] = {0x1p+0,
                             0x1.bc612ff28ebcbp+1,
                             0x1.34a353be0f987p+2,
                             0x1.b79781ddeeec8p+1,
                             0x1.565c4c65863bep+0,
                             0x1.20a9523ac9e11p-2,
                             0x1.eaacea8f39feap-6,
                             0x1.657278c908a2dp-10,
                             0x1.2d136fdf701d8p-16};
#else
    static const real p[] = {0x1.2788dp-1f, 0x1.94f838p-1f, 0x1.30534p-2f, 0x1.cced62p-6f, 0x1.65f5a2p-13f};
    static const real q[] = {0x1p+0f, 0x1.cb9118p+0f, 0x1.0222a6p+0f, 0x1.8bbcf2p-3f, 0x1.2e7476p-7f};
#endif
    const real constant = (real)0.41893853320467274178; /* log(2 pi) / 2 - 1/2 */
    V small = s * (s - 1) * (GB_POLYNOMIAL(s, p) / GB_POLYNOMIAL(s, q));
    V series = v_fma(v_stirling_series(inverse), inverse, v_splat(constant));
    V large = v_fma(y - (real)0.5, log_y - 1, series);
    return v_if_less(y, v_splat(GB_GAMMA_LARGE), small, large);
}

/* log |Gamma(x)|; inf at the poles */
GB_INLINE V v_lgamma(V x)
{
    gamma_parts g = v_gamma_parts(x);
    V logarithm = v_log(v_select(g.unit, x, g.y));
    V value = v_lgamma_from_1(g.y, g.s, logarithm, 1 / g.y) - v_where(g.unit, logarithm);
    if (__builtin_expect(v_any(g.negative), 0)) {
        V sine_by_pi, cosine;
        v_sincos_pi(v_abs(x), &sine_by_pi, &cosine);
        V distance = v_abs(sine_by_pi), reflected = -v_log(distance) - value;
        reflected = v_select(distance > 0, reflected, v_splat(INFINITY)); /* at poles and at -inf */
        value = v_select(g.negative, reflected, value);
    }
    return value;
}

/* The derivative of log |Gamma(x)|; -inf at 0, inf at -0, NaN at negative integers and -inf */
GB_INLINE V v_digamma(V x)
{
    /* digamma(y) / (y - root) = p(s) / q(s), error 2^-53.9 (2^-24.6 for float) */
#if GB_REAL_BITS == 64
    static const real p[] = {0x1.4018e9a62525ep+0,  0x1.feac03f6c892bp+0, 0x1.27a975bc9addep+0,
                             0x1.3a3b04a536efp-2,   0x1.3b1aaa01917c3p-5, 0x1.0e6511f256c56p-9,
                             0x1.22dc1aa1fe181p-15, 0x1.2517d3db6b97ep-25};
    static const real q[] = {0x1p+0,
                             0x1.23b35ecbe7a55p+1,
                             0x1.e12e5e1423a7bp+0,
                             0x1.75e374bc8a4bap-1,
                             0x1.23fbfed99d8f6p-3,
                             0x1.bc78a1109ded1p-7,
                             0x1.1fc08e47c7c32p-11,
                             0x1.b310553444debp-18};
#else
    static const real p[] = {0x1.4018eap+0f, 0x1.3c126ep+0f, 0x1.2cc2acp-2f, 0x1.b9746p-7f};
    static const real q[] = {0x1p+0f, 0x1.abc4c4p+0f, 0x1.8cf3acp-1f, 0x1.b4973ap-4f, 0x1.643516p-9f};
#endif
#if GB_REAL_BITS == 64
    const real root_high = 0x1.d8b618d5af8fep-2, root_low = -0x1.1e563779a1f5bp-56; /* - 1 */
#else
    const real root_high = 0x1.d8b618p-2f, root_low = 0x1.ab5f2p-27f;
#endif
    gamma_parts g = v_gamma_parts(x);
    V inverse = 1 / v_select(g.unit, x, g.y);
    V small = ((g.s - root_high) - root_low) * (GB_POLYNOMIAL(g.s, p) / GB_POLYNOMIAL(g.s, q));
    small -= v_where(g.unit, inverse);
    V large = v_log(g.y) - inverse * v_fma(v_digamma_series(inverse), inverse, v_splat(0.5));
    V value = v_if_less(g.y, v_splat(GB_GAMMA_LARGE), small, large);
    if (__builtin_expect(v_any(g.negative), 0)) {
        V sine_by_pi, cosine;
        v_sincos_pi(v_abs(x), &sine_by_pi, &cosine);
        V reflected = v_select(sine_by_pi == 0, v_splat(NAN), value + cosine / sine_by_pi);
        value = v_select(g.negative, reflected, value);
    }
    return value;
}

/* The derivative of digamma; inf at 0 and at negative integers, NaN at -inf */
GB_INLINE V v_trigamma(V x)
{
    /* trigamma(y) = p(s) / q(s), error 2^-54.4 (2^-25 for float). c: (trigamma(y) - 1/y - 1/(2y^2)) y^3 in
     * 1 / y^2, error 2^-57 (2^-31) of the value. */
#if GB_REAL_BITS == 64
    static const real p[] = {0x1.a51a6625307d3p+0, 0x1.245481eca8daep+2, 0x1.596efbcf4bb23p+2,
                             0x1.b9f393c04fafp+1,  0x1.42ab3470e93b8p+0, 0x1.ff25a7c75e0ecp-3,
                             0x1.58d5383dd85f6p-6};
    static const real q[] = {0x1p+0,
                             0x1.0f40c8385026dp+2,
                             0x1.e01c604bb7cfcp+2,
                             0x1.cdf9d4bf7eb72p+2,
                             0x1.069599690caa6p+2,
                             0x1.63107ef610fcfp+0,
                             0x1.0a597e47a1fc1p-2,
                             0x1.58d5379f344p-6,
                             0x1.31eedef293068p-36};
    static const real c[] = {0x1.55555555552f5p-3,  -0x1.1111110f279cap-5, 0x1.86185d41a3796p-6,
                             -0x1.110fe143bc476p-5, 0x1.361c6925758ebp-4,  -0x1.00abf0748fc0cp-2,
                             0x1.14b8cc3a006a3p+0,  -0x1.41bf07285826ap+2, 0x1.31451f1460a7ap+4,
                             -0x1.370f24f0449cap+5};
#else
    static const real p[] = {0x1.a51a66p+0f, 0x1.94e5d2p+1f, 0x1.18734ep+1f, 0x1.179e7ep-1f};
    static const real q[] = {0x1p+0f, 0x1.b1393cp+1f, 0x1.137ffcp+2f, 0x1.3b654ap+1f, 0x1.179ef6p-1f};
    static const real c[] = {0x1.55554ep-3f, -0x1.11007ep-5f, 0x1.7f6deep-6f, -0x1.94ad92p-6f};
#endif
    gamma_parts g = v_gamma_parts(x);
    V inverse = 1 / v_select(g.unit, x, g.y), square = inverse * inverse;
    V small = GB_POLYNOMIAL(g.s, p) / GB_POLYNOMIAL(g.s, q) + v_where(g.unit, square);
    V large = v_fma(square, v_fma(GB_POLYNOMIAL(square, c), inverse, v_splat(0.5)), inverse);
    V value = v_if_less(g.y, v_splat(GB_GAMMA_LARGE), small, large);
    if (__builtin_expect(v_any(g.negative), 0)) {
        V sine_by_pi, cosine;
        v_sincos_pi(v_abs(x), &sine_by_pi, &cosine);
        V slope = 1 / sine_by_pi;
        value = v_select(g.negative, slope * slope - value, value);
    }
    return value;
}

/* The derivative of trigamma; -inf at 0, inf at -0, NaN at negative integers and -inf */
GB_INLINE V v_tetragamma(V x)
{
    /* tetragamma(y) = p(s) / q(s), error 2^-54.4 (2^-25.8 for float). c: (tetragamma(y) + 1/y^2 + 1/y^3) y^4
     * in 1 / y^2, error 2^-58.5 (2^-30.1) of the value. */
#if GB_REAL_BITS == 64
    static const real p[] = {-0x1.33ba004f00621p+1, -0x1.c25c0e80895fbp+2, -0x1.24d31190a2117p+3,
                             -0x1.b56fdf8557c9ep+2, -0x1.94fab09ececdap+1, -0x1.d19448122a04ap-1,
                             -0x1.35413a69e86d4p-3, -0x1.71ec2a1cffb72p-7};
    static const real q[] = {0x1p+0,
                             0x1.683441c13604bp+2,
                             0x1.baaa2467efa16p+3,
                             0x1.38ad440be61c2p+4,
                             0x1.18e58bf79e5e6p+4,
                             0x1.4e7b843e8c707p+3,
                             0x1.0984e766c5483p+2,
                             0x1.10e43719c94b7p+0,
                             0x1.4c5ffd399ec39p-3,
                             0x1.71ec2a08f0383p-7};
    static const real c[] = {-0x1.fffffffffff94p-2, 0x1.5555555517dap-3,    -0x1.555554f37f36p-3,
                             0x1.33330c04d3b53p-2,  -0x1.aaa1646917cfap-1,  0x1.a478ae9e4eb13p+1,
                             -0x1.133f5cd235131p+4, 0x1.b4ee1248cca4dp+6,   -0x1.6a9cc85e9cc0fp+9,
                             0x1.047966705cd9fp+12, -0x1.0522e4947df7cp+14, 0x1.02469615eac24p+15};
#else
    static const real p[] = {-0x1.33bap+1f, -0x1.e53c82p+1f, -0x1.22d1cep+1f, -0x1.07d724p-1f};
    static const real q[] = {0x1p+0f,        0x1.11cb18p+2f, 0x1.d4cc78p+2f,
                             0x1.94985ap+2f, 0x1.64c2acp+1f, 0x1.07d848p-1f};
    static const real c[] = {-0x1.ffffep-2f, 0x1.552ba6p-3f, -0x1.4ccd68p-3f, 0x1.ad25bp-3f};
#endif
    gamma_parts g = v_gamma_parts(x);
    V inverse = 1 / v_select(g.unit, x, g.y), square = inverse * inverse;
    V small = GB_POLYNOMIAL(g.s, p) / GB_POLYNOMIAL(g.s, q) - v_where(g.unit, 2 * square * inverse);
    V large = square * (v_fma(GB_POLYNOMIAL(square, c), square, -inverse) - 1);
    V value = v_if_less(g.y, v_splat(GB_GAMMA_LARGE), small, large);
    if (__builtin_expect(v_any(g.negative), 0)) {
        V sine_by_pi, cosine;
        v_sincos_pi(v_abs(x), &sine_by_pi, &cosine);
        V slope = 1 / sine_by_pi;
        V reflected = value + 2 * slope * slope * slope * cosine;
        value = v_select(g.negative, v_select(sine_by_pi == 0, v_splat(NAN), reflected), value);
    }
    return value;
}

/* -------------------------------------------------------------------------------- the normal distribution */

/* All functions use the excess of the inverse Mills ratio, k(z) = phi(z) / Phi(-z) - z for z >= 0. It is a
 * rational function p / q, interpolated at Chebyshev's nodes in (z - 4) / (z + 4), or (z - 3) / (z + 3) for
 * float:
 *
 *     Phi(-z) = phi(z) / (z + k(z)) = phi(z) q / (z q + p)
 *
 * The coefficients are positive, so no digits are lost. Squares in exponents are corrected by their rounding
 * errors. */
#define GB_ROOT_2 ((real)1.41421356237309504880)
#define GB_ONE_BY_ROOT_2_PI ((real)0.39894228040143267794)

typedef struct mills_parts {
    V p, q;
} mills_parts;

GB_INLINE mills_parts v_mills_parts(V z)
{
    /* k with error 2^-52.4, far less in z + k; 2^-25 for float */
#if GB_REAL_BITS == 64
    static const real p[] = {0x1.9884533d43651p-1,  0x1.23d2b18caeccap+0,  0x1.a542eed5aa84ap-1,
                             0x1.8c46477690e1ap-2,  0x1.0a1e55ecdf6d5p-3,  0x1.091a2063c0991p-5,
                             0x1.8be179845517cp-8,  0x1.b5e6feb31c7a9p-11, 0x1.58c67529ba714p-14,
                             0x1.5fd9735192d64p-18, 0x1.671a02d073854p-23};
    static const real q[] = {0x1p+0,
                             0x1.e255fce78e8f8p+0,
                             0x1.c0ae8cf292009p+0,
                             0x1.0cbf7069c0a6bp+0,
                             0x1.c9a4d655b2269p-2,
                             0x1.21dd87308d23dp-3,
                             0x1.16875f9698868p-5,
                             0x1.9696d7f52d315p-8,
                             0x1.bb66648068816p-11,
                             0x1.5a2d8f2c8ab18p-14,
                             0x1.5fd9735192d79p-18,
                             0x1.671a02d073853p-23};
#else
    static const real p[] = {0x1.988454p-1f, 0x1.5f688p-1f,  0x1.2fb9b6p-2f,
                             0x1.390fd6p-4f, 0x1.7f5208p-7f, 0x1.ccf12cp-11f};
    static const real q[] = {0x1p+0f,        0x1.50cd6ap+0f, 0x1.ab2984p-1f, 0x1.47aacep-2f,
                             0x1.4043f2p-4f, 0x1.7f5202p-7f, 0x1.ccf12cp-11f};
#endif
    const real far = GB_REAL_BITS == 64 ? 0x1p28 : 0x1p13; /* k(z) is 1 / z from here on */
    V near = v_at_most(z, far), one = v_splat(1), end = v_splat(far);
    return (mills_parts){v_if_less(end, z, one, GB_POLYNOMIAL(near, p)),
                         v_if_less(end, z, z, GB_POLYNOMIAL(near, q))};
}

/* Phi(-z) / phi(z), for z up to the root of the largest number */
GB_INLINE V v_mills_ratio(V z)
{
    mills_parts k = v_mills_parts(z);
    return k.q / v_fma(z, k.q, k.p);
}

/* z^2 - square, where square is the rounded z^2 (by Dekker 1971 on machines without fused multiply-add) */
GB_INLINE V v_square_error(V z, V square)
{
#if GB_VECTOR_AVX512 || GB_VECTOR_AVX2
    return v_fma(z, z, -square);
#else
    const lane_int low_half = ((lane_int)1 << (GB_MANTISSA_BITS + 2) / 2) - 1;
    V high = (V)(v_bits(z) & ~v_splat_int(low_half)), low = z - high;
    return ((high * high - square) + 2 * high * low) + low * low;
#endif
}

/* f e^(-scale z^2), rounded once at the end; scale is 1/2 or 1 */
GB_INLINE V v_gaussian(V z, real scale, V f)
{
    V square = z * z, error = v_square_error(z, square);
    exp_parts p = v_exp_parts(v_at_least(-scale * square, GB_EXP_LEAST));
    V product = f * (1 + p.expm1);
    return v_scale_exp(v_fma(-scale * error, product, product), p);
}

/* phi is 0 beyond, and so is e^(-z^2) */
#define GB_NORMAL_MOST ((real)(GB_REAL_BITS == 64 ? 39 : 15))

/* phi(x) = e^(-x^2/2) / sqrt(2 pi) */
GB_INLINE V v_normal_density(V x)
{
    return v_gaussian(v_at_most(v_abs(x), GB_NORMAL_MOST), (real)0.5, v_splat(GB_ONE_BY_ROOT_2_PI));
}

/* Phi(-|x|) */
GB_INLINE V v_normal_tail(V x)
{
    V z = v_at_most(v_abs(x), GB_NORMAL_MOST);
    return v_gaussian(z, (real)0.5, GB_ONE_BY_ROOT_2_PI * v_mills_ratio(z));
}

GB_INLINE V v_ndtr(V x)
{
    V tail = v_normal_tail(x);
    return v_if_less(x, v_splat(0), tail, 1 - tail);
}

/* erfc |x| */
GB_INLINE V v_erfc_of_abs(V x)
{
    V a = v_at_most(v_abs(x), GB_NORMAL_MOST);
    return v_gaussian(a, 1, 2 * GB_ONE_BY_ROOT_2_PI * v_mills_ratio(GB_ROOT_2 * a));
}

GB_INLINE V v_erfc(V x)
{
    V tail = v_erfc_of_abs(x);
    return v_if_less(x, v_splat(0), 2 - tail, tail);
}

GB_INLINE V v_erf(V x)
{
    /* erf(x) / x in x^2, for |x| <= 1/2; error 2^-65 (2^-29.5 for float) */
#if GB_REAL_BITS == 64
    static const real c[] = {0x1.20dd750429b6dp+0,  -0x1.812746b0379e6p-2,  0x1.ce2f21a042b25p-4,
                             -0x1.b82ce3127f4e6p-6, 0x1.565bcd0a9a472p-8,   -0x1.c02db238f4edbp-11,
                             0x1.f9a2a57a75b83p-14, -0x1.f4bb82b3f2e5ep-17, 0x1.b7745a4acd677p-20,
                             -0x1.39edbb26fb3b8p-23};
#else
    static const real c[] = {0x1.20dd74p+0f, -0x1.812732p-2f, 0x1.ce24f8p-4f, -0x1.b663c4p-6f,
                             0x1.3532bep-8f};
#endif
    V near = x * GB_POLYNOMIAL(x * x, c), far = v_copysign(1 - v_erfc_of_abs(x), x);
    return v_if_less(v_abs(x), v_splat(0.5), near, far);
}

/* log Phi(x). Left of 0 it is the logarithm of Phi(x) / phi(x), with the square added apart; right of 0
 * log1p(-Phi(-x)). */
GB_INLINE V v_log_ndtr(V x)
{
    const real most =
        GB_REAL_BITS == 64 ? (real)1e100 : (real)1e15;       /* from here on the logarithm changes no digit */
    const real exact = GB_REAL_BITS == 64 ? 0x1p60 : 0x1p30; /* and from here on the square's error neither */
    V z = v_at_most(v_abs(x), most), square = x * x;
    V error = v_where(z < exact, v_square_error(v_at_most(z, exact), square));
    V ratio = GB_ONE_BY_ROOT_2_PI * v_mills_ratio(z), zero = v_splat(0);
    V tail = v_gaussian(v_at_most(z, GB_NORMAL_MOST), (real)0.5, ratio);
    V k, f = v_log_split(ratio, &k) - 1;
    M small = tail <= (real)0.25;
    f = v_if_less(zero, x, v_select(small, -tail, 1 - 2 * tail), f);
    k = v_if_less(zero, x, v_select(small, zero, v_splat(-1)), k);
    V logarithm = v_log_of_parts(f, k);
    V left = v_fma(v_splat(-0.5), square, v_fma(v_splat(-0.5), error, logarithm));
    return v_select(v_is_nan(x), x, v_if_less(zero, x, logarithm, left));
}

/* phi(x) / Phi(x), the derivative of log Phi(x); and x + phi(x) / Phi(x), without cancellation on the
 * left. */
GB_INLINE V v_mills(V x)
{
    mills_parts k = v_mills_parts(v_abs(x));
    V right = v_normal_density(x) / (1 - v_normal_tail(x));
    return v_if_less(x, v_splat(0), k.p / k.q - x, right);
}

GB_INLINE V v_mills_excess(V x)
{
    mills_parts k = v_mills_parts(v_abs(x));
    V right = v_normal_density(x) / (1 - v_normal_tail(x));
    return v_if_less(x, v_splat(0), k.p / k.q, x + right);
}

/* The z with log Phi(-z) = y, for y < -2.57, as a function of r = sqrt(-2y). */
GB_INLINE V v_normal_quantile_tail(V y)
{
    /* z = p(r - 2) / q(r - 2) for 2.27 <= r <= 39 (15 for float), error 2^-53.8 (2^-24.9 for float) */
#if GB_REAL_BITS == 64
    static const real p[] = {0x1.19fd30bc4df7fp+0,  0x1.a30d58e210cp+1,    0x1.e4eab4a7d7939p+1,
                             0x1.2b7ad83783362p+1,  0x1.be807c3c7c1ffp-1,  0x1.a864492a3599p-3,
                             0x1.050fac3e16735p-5,  0x1.996caa1746badp-9,  0x1.88f69b81c05adp-13,
                             0x1.b09202f5f4cc6p-18, 0x1.ef45239b1b27dp-24, 0x1.f5946b8bdde37p-31,
                             0x1.3bb2b564126a6p-39};
    static const real q[] = {0x1p+0,
                             0x1.d7a00e1f23098p+0,
                             0x1.6e4491a5a4753p+0,
                             0x1.3b53183803ddep-1,
                             0x1.4bdec82fdab54p-3,
                             0x1.b912e3544e225p-6,
                             0x1.6f047907de804p-9,
                             0x1.701929598554p-13,
                             0x1.a1b688809806cp-18,
                             0x1.e78bd6977083cp-24,
                             0x1.f31d747cd59a4p-31,
                             0x1.3bb2a56b893a1p-39};
#else
    static const real p[] = {0x1.19fd32p+0f, 0x1.1ee884p+1f, 0x1.54a884p+0f,
                             0x1.38e61p-2f,  0x1.b4b7acp-6f, 0x1.57451cp-11f};
    static const real q[] = {0x1p+0f, 0x1.cf63fp-1f, 0x1.08a324p-2f, 0x1.9f667ap-6f, 0x1.573ff6p-11f};
#endif
    V r = 2 * v_sqrt((real)-0.5 * y), s = r - 2;
    V z = GB_POLYNOMIAL(s, p) / GB_POLYNOMIAL(s, q);
    M far = r > GB_NORMAL_MOST;
    if (__builtin_expect(v_any(far), 0)) {
        /* the fixed point of z^2 / 2 = -y - log(sqrt(2 pi) (z + k(z))); each of five steps gains three
         * digits */
        V root = r;
        for (int i = 0; i < 5; i++) {
            mills_parts k = v_mills_parts(root);
            root = 2 * v_sqrt((real)-0.5 * (y + v_log((root + k.p / k.q) * (1 / GB_ONE_BY_ROOT_2_PI))));
        }
        z = v_select(far, v_select(v_is_finite(r), root, r), z);
    }
    return z;
}

/* The quantile of p, given q = p - 1/2 and, where |q| > 0.425, y = log min(p, 1 - p). */
GB_INLINE V v_normal_quantile(V q, V y)
{
    /* x / q in 0.425^2 - q^2, error 2^-53.2 (2^-26.5 for float) */
#if GB_REAL_BITS == 64
    static const real a[] = {0x1.b18d91e9eef75p+1,  0x1.2983594fd5b55p+7,  0x1.3e873207ebdb9p+11,
                             0x1.51edecb54d30dp+14, 0x1.75ccbc4a817bp+16,  0x1.a11714cc34d99p+17,
                             0x1.a273b0aa3c76p+17,  0x1.214cd08b36fcdp+16, 0x1.e8603e9402043p+11};
    static const real b[] = {0x1p+0,
                             0x1.776318ab219f7p+5,
                             0x1.b3a456a3fe258p+9,
                             0x1.ff0e0daedcddbp+12,
                             0x1.41a3f69d21f3dp+15,
                             0x1.aabcb49f25d7dp+16,
                             0x1.122c69e2cf209p+17,
                             0x1.1a96b28ecf049p+16,
                             0x1.25b3b754b184dp+13};
#else
    static const real a[] = {0x1.b18d92p+1f, 0x1.12389cp+6f, 0x1.82e082p+8f, 0x1.28926ep+9f, 0x1.d7417p+6f};
    static const real b[] = {0x1p+0f, 0x1.73ec36p+4f, 0x1.440a38p+7f, 0x1.658854p+8f, 0x1.519c7cp+7f};
#endif
    V w = (real)(0.425 * 0.425) - q * q;
    V central = q * (GB_POLYNOMIAL(w, a) / GB_POLYNOMIAL(w, b));
    V tail = v_copysign(v_normal_quantile_tail(y), q);
    return v_select(v_abs(q) <= (real)0.425, central, tail);
}

/* The x with Phi(x) = p; NaN outside [0, 1] */
GB_INLINE V v_ndtri(V p)
{
    V q = p - (real)0.5;
    return v_normal_quantile(q, v_log(v_select(q < 0, p, 1 - p)));
}

/* The x with log Phi(x) = y; NaN for y > 0 */
GB_INLINE V v_ndtri_exp(V y)
{
    const real lowest =
        GB_REAL_BITS == 64 ? (real)0x1.f97b57a079a19p-103 : (real)0x1.ef3578p-45; /* of ln 2 */
    V q = (real)0.5 * v_expm1(((y + GB_LN2_HIGH) + GB_LN2_LOW) + lowest);
    return v_normal_quantile(q, v_select(q < 0, y, v_log1mexp(y)));
}

/* ----------------------------------------------------------------- modified Bessel functions, e^-|x| I(x) */

/* Below this I(x) is a polynomial; above it sqrt(x) e^-x I(x) is a polynomial in 1 / x. */
#define GB_BESSEL_LARGE ((real)(GB_REAL_BITS == 64 ? 12 : 8))

/* e^-a p(a^2), where p(w) = c[0] + c[1] w + ... is near I0(sqrt w), up to a constant factor. p grows so fast
 * that the rounding of a^2 must be corrected, by I0'/I0 ~ a / (1 + sqrt(1 + a^2)), and that Horner's rule
 * goes without squares. */
GB_INLINE V v_bessel_near(V a, const real *c, int n)
{
    V w = a * a, sum = v_splat(c[n - 1]);
    GB_UNROLL
    for (int i = n - 2; i >= 0; i--)
        sum = v_fma(sum, w, v_splat(c[i]));
    V relative = v_square_error(a, w) / (2 + 2 * v_sqrt(1 + w));
    return v_fma(sum, relative, sum) * v_exp_minus_abs(a);
}

GB_INLINE V v_i0e(V x)
{
    /* c: I0(x) in x^2, error 2^-55.4 (2^-25.3 for float); d: error 2^-53.7 (2^-24.3) */
#if GB_REAL_BITS == 64
    static const real c[] = {0x1p+0,
                             0x1p-2,
                             0x1p-6,
                             0x1.c71c71c71c71cp-12,
                             0x1.c71c71c71c71fp-18,
                             0x1.23456789abcbdp-24,
                             0x1.02e85c0898d8dp-31,
                             0x1.522a43f651a5bp-39,
                             0x1.522a43f681556p-47,
                             0x1.0b313287bd6dbp-55,
                             0x1.56018880d19d9p-64,
                             0x1.69ca9b2fed56ap-73,
                             0x1.4197b9cfbbd44p-82,
                             0x1.e724416208c8cp-92,
                             0x1.3e297bb281839p-101,
                             0x1.69b9a226b57bfp-111,
                             0x1.6bb390523f21dp-121,
                             0x1.376e861fecdfbp-131,
                             0x1.205fc798cbb27p-141,
                             0x1.6a1238fd874adp-153,
                             0x1.eb7347bd40aacp-162};
    static const real d[] = {0x1.9884533d43651p-2,   0x1.9884533d43a6ep-5,   0x1.cb94dda242354p-6,
                             0x1.debb170063e69p-6,   0x1.6e8448916c363p-5,   0x1.74123ca4d744p-4,
                             0x1.9ebb1297965d4p-3,   0x1.5616f3b8cbc5cp+1,   -0x1.ab058a2b4777ep+6,
                             0x1.14656c8625664p+12,  -0x1.02adf247318cap+17, 0x1.69ea389b66021p+21,
                             -0x1.770f0339c473ep+25, 0x1.1b6e02f88fcdep+29,  -0x1.2e9f17eae6a3ep+32,
                             0x1.af0e291fdf6e2p+34,  -0x1.6dda3b4c14e1fp+36, 0x1.169dcb7175e48p+37};
#else
    static const real c[] = {0x1p+0f,         0x1.000004p-2f,  0x1.ffff94p-7f, 0x1.c720cp-12f,
                             0x1.c6f3b8p-18f, 0x1.241444p-24f, 0x1.fc5c7p-32f, 0x1.72badcp-39f,
                             0x1.a30e24p-48f, 0x1.079be6p-54f};
    static const real d[] = {0x1.988454p-2f, 0x1.98881ap-5f,  0x1.c91816p-6f,
                             0x1.14c43ep-5f, -0x1.c5d26ap-7f, 0x1.8d4668p-2f};
#endif
    V a = v_abs(x), inverse = 1 / a;
    V near = v_bessel_near(a, c, (int)(sizeof c / sizeof *c));
    V far = GB_POLYNOMIAL(inverse, d) * v_sqrt(inverse);
    return v_if_less(a, v_splat(GB_BESSEL_LARGE), near, far);
}

GB_INLINE V v_i1e(V x)
{
    /* c: I1(x) / x in x^2, error 2^-54.9 (2^-25.2 for float); d: error 2^-53.7 (2^-25) */
#if GB_REAL_BITS == 64
    static const real c[] = {0x1p-1,
                             0x1p-4,
                             0x1.5555555555555p-9,
                             0x1.c71c71c71c71cp-15,
                             0x1.6c16c16c16c18p-21,
                             0x1.845c8a0ce5112p-28,
                             0x1.27e4fb778a0afp-35,
                             0x1.522a43f652d84p-43,
                             0x1.2c9758db0e644p-51,
                             0x1.ab81ea73e875ep-60,
                             0x1.f17697f12588p-69,
                             0x1.e2637a446e309p-78,
                             0x1.8bce68c7dfe1p-87,
                             0x1.165e0195adccp-96,
                             0x1.535dfde71d2abp-106,
                             0x1.69c4b36137273p-116,
                             0x1.560fe25179425p-126,
                             0x1.15d523c2418a8p-136,
                             0x1.e012447d8669cp-147,
                             0x1.34c6e3c01556dp-158,
                             0x1.6ef2a048d5ea8p-167};
    static const real d[] = {0x1.9884533d43651p-2,   -0x1.32633e6df29dap-3,  -0x1.7efc0e07fe9e5p-5,
                             -0x1.4f1c8f391d676p-5,  -0x1.d73cfbed4d2fbp-5,  -0x1.c69c00a62683ep-4,
                             -0x1.f01a54bcf4734p-3,  -0x1.7494060bcef4ap+1,  0x1.c5b784b0488e7p+6,
                             -0x1.25779a3fbc9bap+12, 0x1.120259c50dd2bp+17,  -0x1.7e8a20a825039p+21,
                             0x1.8b97d68cdae3cp+25,  -0x1.2a53c4f53f7d8p+29, 0x1.3ddf9a42a406ap+32,
                             -0x1.c3da51fd1f635p+34, 0x1.7eb622a687906p+36,  -0x1.22d7ce948131fp+37};
#else
    static const real c[] = {0x1p-1f,         0x1.000002p-4f,  0x1.555534p-9f,  0x1.c71edp-15f,
                             0x1.6c0294p-21f, 0x1.8518d8p-28f, 0x1.23e102p-35f, 0x1.6c4d88p-43f,
                             0x1.940a2ep-52f, 0x1.95e5dep-59f};
    static const real d[] = {0x1.988454p-2f, -0x1.326458p-3f, -0x1.7d8c6cp-5f,
                             -0x1.7a1dep-5f, 0x1.3df696p-7f,  -0x1.cf401p-2f};
#endif
    V a = v_abs(x), inverse = 1 / a;
    V near = x * v_bessel_near(a, c, (int)(sizeof c / sizeof *c));
    V far = v_copysign(GB_POLYNOMIAL(inverse, d) * v_sqrt(inverse), x);
    return v_if_less(a, v_splat(GB_BESSEL_LARGE), near, far);
}

#endif
