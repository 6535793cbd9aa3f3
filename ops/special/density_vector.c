/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernels of density.c. */
#include "core/kernels/vector_impl.h"
#include "core/kernels/vector_math_impl.h"
#include "core/kernels/vector_special_impl.h"
#include "ops/special/density_impl.h"

#define ONE_ARGUMENT(name, value)                                                                            \
    void GB_BLOCK(name)(const gb_block *block, size_t lines, size_t first)                                   \
    {                                                                                                        \
        (void)first;                                                                                         \
        V *out = block->out;                                                                                 \
        const V *at = block->in[0];                                                                          \
        const size_t step = block->step[0];                                                                  \
        for (size_t i = 0; i < lines * GB_VECTORS_PER_LINE; i++, at += step) {                               \
            const V x = *at;                                                                                 \
            out[i] = value;                                                                                  \
        }                                                                                                    \
    }

/* ---- log(1 + z²) ---- */

/* Beyond this 1 + z² rounds to z², long before z² overflows. */
static const real far_off = GB_REAL_BITS == 64 ? (real)0x1p54 : (real)0x1p25;

GB_INLINE V v_log1p_square(V z)
{
    V a = v_abs(z);
    M is_far = a > far_off;
    V value = v_log1p(v_select(is_far, a - 1, a * a));
    return v_select(is_far, 2 * value, value);
}

/* 2z / (1 + z²) */
GB_INLINE V v_log1p_square_slope(V z)
{
    M is_far = v_abs(z) > far_off;
    return v_select(is_far, v_splat(2), 2 * z) / v_select(is_far, z, 1 + z * z);
}

ONE_ARGUMENT(log1p_square, v_log1p_square(x))
ONE_ARGUMENT(log1p_square_slope, v_log1p_square_slope(x))

/* ---- log Γ(a + ½) − log Γ(a) ---- */

/* For a ≥ STEPS by fitted series; for smaller a by the recurrence, STEPS times. */
enum { STEPS = 8 };

/* ½ log b + s(1/b²) / b, error 2^-61 (2^-35 for float) of the value. For a < 8 also Σ log
 * (a + k)/(a + k + ½), k = 0 … 7, in the same logarithm. */
GB_INLINE V v_log_gamma_step(V a)
{
#if GB_REAL_BITS == 64
    static const real s[] = {-0x1p-3,
                             0x1.5555555553333p-8,
                             -0x1.999999774f60dp-10,
                             0x1.36db39ce90d69p-10,
                             -0x1.b8bddfaebc7f5p-10,
                             0x1.ef6e126085e47p-9,
                             -0x1.4bf99e4234eefp-7};
#else
    static const real s[] = {-0x1p-3f, 0x1.5552bp-8f, -0x1.927d5ap-10f};
#endif
    M small = a < STEPS;
    V b = v_select(small, a + STEPS, a), inverse = 1 / b, factor = v_sqrt(b);
    if (v_any(small)) {
        V above = a, below = a + (real)0.5;
        for (int k = 1; k < STEPS; k++) {
            above *= a + (real)k;
            below *= a + ((real)k + (real)0.5);
        }
        factor = v_select(small, factor * (above / below), factor);
    }
    V value = v_fma(GB_POLYNOMIAL(inverse * inverse, s), inverse, v_log(factor));
    return v_select(a >= 0, value, v_splat(NAN));
}

/* 1/2b + s(1/b²) / b², error 2^-57 (2^-32 for float) of the value, plus Σ ½ / (a + k)(a + k + ½) as one
 * fraction. */
GB_INLINE V v_log_gamma_step_slope(V a)
{
#if GB_REAL_BITS == 64
    static const real s[] = {0x1.fffffffffffffp-4,  -0x1.fffffffff09acp-7, 0x1.ffffff8432644p-8,
                             -0x1.0fffa22f27d04p-7, 0x1.efbbc09958dabp-7,  -0x1.53081549e20ffp-5,
                             0x1.0493048608dc0p-3};
#else
    static const real s[] = {0x1p-3f, -0x1.fff6dp-7f, 0x1.f3a43ep-8f};
#endif
    M small = a < STEPS;
    V inverse = 1 / v_select(small, a + STEPS, a);
    V value = inverse * v_fma(GB_POLYNOMIAL(inverse * inverse, s), inverse, v_splat(0.5));
    if (v_any(small)) {
        V above = v_splat(0), below = v_splat(1);
        for (int k = STEPS; k-- > 0;) {
            V product = (a + (real)k) * (a + ((real)k + (real)0.5));
            above = v_fma(above, product, below);
            below *= product;
        }
        value = v_select(small, v_fma(v_splat(0.5), above / below, value), value);
    }
    return v_select(a >= 0, value, v_splat(NAN));
}

ONE_ARGUMENT(log_gamma_step, v_log_gamma_step(x))
ONE_ARGUMENT(log_gamma_step_slope, v_log_gamma_step_slope(x))

/* ---- I₁/I₀ − 1 ---- */

/* For κ ≥ 8 by a polynomial in 16/κ − 1 for the quotient times κ, error 2^-48 (2^-27 for float). */
GB_INLINE V v_log_i0e_slope(V kappa)
{
#if GB_REAL_BITS == 64
    static const real s[] = {
        0x1.044739eb68fe9p-1,   0x1.25b72c5c9152p-7,    0x1.65fa14f680248p-11,  0x1.74e6002fc0d26p-14,
        0x1.2098e080ef304p-16,  0x1.4158cef70d119p-18,  0x1.058dd4081eabcp-19,  0x1.25125abdc7ap-20,
        0x1.3b2b8bfdf56c6p-21,  -0x1.409e4cc0b7da4p-27, -0x1.21d7fea2f2f01p-21, -0x1.0ed8ed5ecb8eap-21,
        0x1.c9d7ac31345cfp-24,  0x1.e651e89e4f849p-22,  0x1.4db23fd1b117fp-24,  -0x1.306720c404525p-22,
        -0x1.991be74c96e8dp-24, 0x1.1bd9a1ca5ac4cp-23,  0x1.d3d569a4a1317p-25,  -0x1.5924ec8c01343p-25,
        -0x1.30578253f31cdp-26, 0x1.8ea365f6eef58p-28,  0x1.64149318f933ap-29};
#else
    static const real s[] = {0x1.04473ap-1f,  0x1.25b748p-7f,  0x1.65f4c4p-11f, 0x1.74347ep-14f,
                             0x1.229ed2p-16f, 0x1.680b06p-18f, 0x1.1257b4p-19f, 0x1.c5e626p-22f};
#endif
    M large = kappa >= 8;
    V value = v_i1e(kappa) / v_i0e(kappa) - 1;
    if (v_any(large)) {
        V inverse = 1 / kappa;
        value = v_select(large, -inverse * GB_POLYNOMIAL(16 * inverse - 1, s), value);
    }
    return v_select((kappa >= 0) & (kappa < v_splat(INFINITY)), value, v_splat(NAN));
}

ONE_ARGUMENT(log_i0e_slope, v_log_i0e_slope(x))
ONE_ARGUMENT(i0e, v_i0e(x))
ONE_ARGUMENT(i1e, v_i1e(x))

/* ---- the gamma density ---- */

/* a log(r / a) − r + a for |z| < 1/4, z = (a − r) / (a + r). Since log(a / r) is 2 atanh z, the cancelling
 * terms can be removed: (a − r) z + 2 a z³ p(z²), p with error 2^-53 (2^-24 for float). */
GB_INLINE V v_minus_deviance(V a, V apart, V z)
{
#if GB_REAL_BITS == 64
    static const real p[] = {0x1.5555555555555p-2, 0x1.9999999999718p-3, 0x1.24924924d5071p-3,
                             0x1.c71c7171c0842p-4, 0x1.745d328ed0b79p-4, 0x1.3b0ecee9607e1p-4,
                             0x1.1193db1f242dep-4, 0x1.d21879d10e3bdp-5, 0x1.17b47282a6cf1p-4};
#else
    static const real p[] = {0x1.555554p-2f, 0x1.999cd6p-3f, 0x1.2391bap-3f, 0x1.f9459p-4f};
#endif
    V square = z * z;
    return -v_fma(2 * a * z * square, GB_POLYNOMIAL(square, p), apart * z);
}

GB_INLINE V v_gamma_body(V a, V r, V m)
{
    V less_one = a - 1, value = v_where(less_one != 0, less_one * m) - r;
    M large = a > GB_GAMMA_LARGE;
    if (v_any(large)) {
        V apart = a - r, sum = a + r;
        V near_value = v_minus_deviance(a, apart, apart / sum) - m;
        V of_large = v_select(v_abs(apart) < (real)0.25 * sum, near_value, v_fma(less_one, m, apart));
        value = v_select(large, of_large, value);
    }
    return v_select(r == v_splat(INFINITY), v_splat(-INFINITY), value);
}

void GB_BLOCK(gamma_body)(const gb_block *block, size_t lines, size_t first)
{
    (void)first;
    V *out = block->out;
    const V *a = block->in[0], *r = block->in[1], *m = block->in[2];
    const size_t sa = block->step[0], sr = block->step[1], sm = block->step[2];
    for (size_t i = 0; i < lines * GB_VECTORS_PER_LINE; i++, a += sa, r += sr, m += sm)
        out[i] = v_gamma_body(*a, *r, *m);
}

/* e^w - 1 - w. Up to 1/2 by w^2/2 (1 + w/3 (1 + w/4 (...))); the terms left out are below 2^-56 (floats:
 * 2^-26) of it. */
GB_INLINE V v_exp_excess(V w)
{
#if GB_REAL_BITS == 64
    static const real s[] = {
        1. / 2,         1. / 6,          1. / 24,          1. / 120,          1. / 720,
        1. / 5040,      1. / 40320,      1. / 362880,      1. / 3628800,      1. / 39916800,
        1. / 479001600, 1. / 6227020800, 1. / 87178291200, 1. / 1307674368000};
#else
    static const real s[] = {1.f / 2, 1.f / 6, 1.f / 24, 1.f / 120, 1.f / 720, 1.f / 5040, 1.f / 40320};
#endif
    V far = v_select(w == v_splat(INFINITY), w, v_expm1(w) - w);
    return v_select(v_abs(w) < (real)0.5, w * w * GB_POLYNOMIAL(w, s), far);
}

ONE_ARGUMENT(exp_excess, v_exp_excess(x))

/* As v_gamma_body, from m = log r, minus log a if a is large. */
void GB_BLOCK(gamma_log_body)(const gb_block *block, size_t lines, size_t first)
{
    (void)first;
    V *out = block->out;
    const V *a = block->in[0], *m = block->in[1];
    const size_t sa = block->step[0], sm = block->step[1];
    for (size_t i = 0; i < lines * GB_VECTORS_PER_LINE; i++, a += sa, m += sm) {
        M large = *a > GB_GAMMA_LARGE;
        V excess = v_exp_excess(*m), less_one = *a - 1;
        V of_small = v_where(less_one != 0, less_one * *m) - v_exp(*m);
        out[i] = v_select(large, -v_fma(*a, excess, *m), of_small);
    }
}

GB_INLINE V v_gamma_rest(V a)
{
    const real half_log_two_pi = (real)0.91893853320467274178;
    V inverse = 1 / a;
    V large =
        v_fma(v_stirling_series(inverse), inverse, v_fma(v_splat(0.5), v_log(a), v_splat(half_log_two_pi)));
    return v_select(a > GB_GAMMA_LARGE, large, v_lgamma(a));
}

GB_INLINE V v_gamma_rest_slope(V a)
{
    V inverse = 1 / a;
    V large = inverse * v_fma(v_digamma_series(inverse), -inverse, v_splat(0.5));
    return v_select(a > GB_GAMMA_LARGE, large, v_digamma(a));
}

ONE_ARGUMENT(gamma_rest, v_gamma_rest(x))
ONE_ARGUMENT(gamma_rest_slope, v_gamma_rest_slope(x))
