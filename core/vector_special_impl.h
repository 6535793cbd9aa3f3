/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Special functions of vectors, to be included by `*_vector.c` files.
 *
 * All are computed without branches, but for one that is taken where some lane's argument is in a rare region. Special
 * values pass as mathematics says. */
#ifndef GREBE_CORE_VECTOR_SPECIAL_IMPL_H
#define GREBE_CORE_VECTOR_SPECIAL_IMPL_H

#include "vector_math_impl.h"

/* --------------------------------------------------------------------------------------- the gamma function */

/* log |Gamma(x)| and its derivatives. Below y = 4 they are rational functions on [1, 4], times what is zero there; from
 * 4 on asymptotic series whose tails are made minimax. Arguments come there by
 *
 *     f(x) = f(1 + x) + a correction           0 <= x < 1
 *     f(x) = a reflection - or + f(1 - x)      x < 0
 *
 * so that y = 1 + s, where s = |x| is exact where it is small. The rational functions interpolate at Chebyshev's nodes
 * in (y - 2) / (y + 2), the series are by Remez's exchange; coefficients are rounded, and all but those of the series
 * are of one sign. */
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

#define GB_GAMMA_LARGE 4

/* sin and cos of pi (a - n), where n is the integer nearest to a >= 0. */
GB_INLINE void v_sincos_pi(V a, V *sine, V *cosine)
{
    V f = a - v_round(a), absolute;
    v_sincos_turn((real)0.5 * v_abs(f), &absolute, cosine);
    *sine = v_copysign(absolute, f);
}

#define GB_PI ((real)3.14159265358979323846)

/* log Gamma(y) for y >= 1; log_y is used from 4 on. */
GB_INLINE V v_lgamma_from_1(V y, V s, V log_y, V inverse)
{
    /* lgamma(y) / ((y - 1) (y - 2)) = p(s) / q(s), error 2^-54.7 (2^-26.1 for float); c: Stirling's series without its
     * factor 1 / y, in 1 / y^2, error 2^-57.5 (2^-30.8) of the value */
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
    static const real c[] = {0x1.55555555551c3p-4,   -0x1.6c16c15f9ebaep-9, 0x1.a019e2143b9e3p-11,
                             -0x1.380971bde77cdp-11, 0x1.b77944466b725p-11, -0x1.dc1babe5c620fp-10,
                             0x1.2b8db8e80239ep-8,   -0x1.04161ffa6fd63p-7};
#else
    static const real p[] = {0x1.2788dp-1f, 0x1.94f838p-1f, 0x1.30534p-2f, 0x1.cced62p-6f, 0x1.65f5a2p-13f};
    static const real q[] = {0x1p+0f, 0x1.cb9118p+0f, 0x1.0222a6p+0f, 0x1.8bbcf2p-3f, 0x1.2e7476p-7f};
    static const real c[] = {0x1.55554cp-4f, -0x1.6bbe66p-9f, 0x1.7c494cp-11f};
#endif
    const real constant = (real)0.41893853320467274178; /* log(2 pi) / 2 - 1/2 */
    V small = s * (s - 1) * (GB_POLYNOMIAL(s, p) / GB_POLYNOMIAL(s, q));
    V series = v_fma(GB_POLYNOMIAL(inverse * inverse, c), inverse, v_splat(constant));
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
        V sine, cosine;
        v_sincos_pi(v_abs(x), &sine, &cosine);
        V reflected = -v_log(v_abs(sine) * (1 / GB_PI)) - value;
        value = v_select(g.negative, v_select(x < -GB_REAL_MAX, v_splat(INFINITY), reflected), value);
    }
    return value;
}

/* The derivative of log |Gamma(x)|; -inf at 0, inf at -0, NaN at negative integers and -inf */
GB_INLINE V v_digamma(V x)
{
    /* digamma(y) / (y - root) = p(s) / q(s), error 2^-53.9 (2^-24.6 for float); c: (log y - 1/(2y) - digamma(y)) y^2 in
     * 1 / y^2, error 2^-58.4 (2^-31.5) of the value */
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
    static const real c[] = {0x1.555555555515dp-4, -0x1.1111110c75aaap-7, 0x1.0410395a1dd02p-8,
                             -0x1.110dd8e71297p-8, 0x1.efb26f20aa3a8p-8,  -0x1.51d8b6c0490b7p-6,
                             0x1.23a1e9d066c9ap-4, -0x1.dcaa97c3eafb3p-3, 0x1.cc34aeb023b39p-2};
#else
    static const real p[] = {0x1.4018eap+0f, 0x1.3c126ep+0f, 0x1.2cc2acp-2f, 0x1.b9746p-7f};
    static const real q[] = {0x1p+0f, 0x1.abc4c4p+0f, 0x1.8cf3acp-1f, 0x1.b4973ap-4f, 0x1.643516p-9f};
    static const real c[] = {0x1.555524p-4f, -0x1.10867ep-7f, 0x1.ccfa54p-9f};
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
    V large = v_log(g.y) - inverse * v_fma(GB_POLYNOMIAL(inverse * inverse, c), inverse, v_splat(0.5));
    V value = v_if_less(g.y, v_splat(GB_GAMMA_LARGE), small, large);
    if (__builtin_expect(v_any(g.negative), 0)) {
        V sine, cosine;
        v_sincos_pi(v_abs(x), &sine, &cosine);
        V reflected = v_select(sine == 0, v_splat(NAN), value + GB_PI * (cosine / sine));
        value = v_select(g.negative, reflected, value);
    }
    return value;
}

/* The derivative of digamma; inf at 0 and at negative integers, NaN at -inf */
GB_INLINE V v_trigamma(V x)
{
    /* trigamma(y) = p(s) / q(s), error 2^-54.4 (2^-25 for float); c: (trigamma(y) - 1/y - 1/(2y^2)) y^3 in 1 / y^2,
     * error 2^-57 (2^-31) of the value */
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
        V sine, cosine;
        v_sincos_pi(v_abs(x), &sine, &cosine);
        V slope = GB_PI / sine;
        value = v_select(g.negative, slope * slope - value, value);
    }
    return value;
}

/* The derivative of trigamma; -inf at 0, inf at -0, NaN at negative integers and -inf */
GB_INLINE V v_tetragamma(V x)
{
    /* tetragamma(y) = p(s) / q(s), error 2^-54.4 (2^-25.8 for float); c: (tetragamma(y) + 1/y^2 + 1/y^3) y^4 in
     * 1 / y^2, error 2^-58.5 (2^-30.1) of the value */
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
        V sine, cosine;
        v_sincos_pi(v_abs(x), &sine, &cosine);
        V slope = GB_PI / sine;
        V reflected = value + 2 * slope * slope * slope * cosine;
        value = v_select(g.negative, v_select(sine == 0, v_splat(NAN), reflected), value);
    }
    return value;
}

/* ------------------------------------------------------------------------------------ the normal distribution */

GB_INLINE V v_ndtr(V x)
{
    return (real)0.5 * (V)GB_SLEEF(erfc, u15)(x * (real)-0.70710678118654752440);
}

#endif
