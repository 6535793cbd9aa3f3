/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The remainders of e^w, log Γ and the density of gamma draws, without the terms that cancel
 * (see special.h). */
#include <math.h>
#include <stdbool.h>

#include "ops/special/bregman_impl.h"
#include "ops/special/log_gamma_impl.h"

/* x − y − y log(x / y) = gb_deviance(y, x), from x, y, and x − y, which may have more digits. */
static double deviance_at(double x, double y, double apart)
{
    if (x == y || y == 0 || x == INFINITY)
        return x == y ? 0 : x;
    const double less_one = apart / y;
    if (fabs(less_one) < 0.5)
        return y * gb_deviance_at(x / y, less_one);
    const double ratio = x / y; /* may overflow or underflow */
    return apart - y * (ratio > 0 && ratio < INFINITY ? log(ratio) : log(x) - log(y));
}

double gb_exp_excess_at(double w)
{
    if (!(fabs(w) < 0.5))
        return w == INFINITY ? w : expm1(w) - w;
    double sum = 1; /* w²/2 (1 + w/3 (1 + w/4 (…))) */
    for (int n = 15; n > 2; n--)
        sum = 1 + w / n * sum;
    return w * w / 2 * sum;
}

/* a log r − r − log Γ(a) = −a D(r/a) − φ(a). */
double gb_log_gamma_kernel_at(double a, double r)
{
    static const double two_pi = 6.283185307179586477;
    if (!(a > 0 && r >= 0))
        return NAN;
    if (a < 1)
        return a * log(r) - r + log(a) - gb_log_gamma_ratio_at(1, a);
    return 0.5 * log(a / two_pi) - log(gb_stirling_factor_at(a)) - deviance_at(r, a, r - a);
}

/* ---- Bregman divergences ---- */

static const double LARGE = 10;

/* D(c / a). In all of these d is c − a, which keeps its digits if whole numbers are added to both. */
static double of_ratio(double c, double a, double d)
{
    return deviance_at(c, a, d) / a;
}

/* The divergence of Stirling's series for log Γ, with terms a^−m, m = 1, 3, 5 …: with w = a/c
 *
 *     B(c, a) = a^−m (1−w)²/w (m + (m−1) w + … + w^(m−1)).
 *
 * For a > c, with v = c/a, it is c^−m (1−v)² (1 + 2v + … + m v^(m−1)), whose powers do not overflow. */
static double of_series(double c, double a, double d)
{
    enum { TERMS = 8 };
    static const double term[TERMS] = {1. / 12,   -1. / 360,      1. / 1260, -1. / 1680,
                                       1. / 1188, -691. / 360360, 1. / 156,  -3617. / 122400};
    const bool rises = a <= c;
    const double less = rises ? a : c, more = rises ? c : a, w = less / more, u = 1 / less;
    double geometric = 0, inner = 0, power = 1, in_less = u, sum = 0;
    for (int m = 1; m < 2 * TERMS; m++) {
        geometric += power; /* 1 + … + w^(m−1) */
        inner += rises ? geometric : m * power;
        power *= w;
        if (m % 2)
            sum += term[m / 2] * in_less * inner;
        in_less *= u;
    }
    return d / a * (d / more) * sum;
}

/* The divergence of φ for large arguments: φ(a) = log(2π/a) / 2 + the series. */
static double stirling_bregman_of_large(double c, double a, double d)
{
    return 0.5 * of_ratio(c, a, d) + of_series(c, a, d);
}

static bool in_domain(double c, double a)
{
    return c > 0 && a > 0 && c < INFINITY && a < INFINITY;
}

/* Uses Γ(a + 1) = a Γ(a) until both are large. log Γ is convex, and so is the term that each step removes. */
double gb_log_gamma_bregman_at(double c, double a)
{
    const double d = c - a;
    double sum = 0;
    if (!in_domain(c, a))
        return NAN;
    for (; a < LARGE || c < LARGE; a++, c++)
        sum += of_ratio(c, a, d);
    return sum + deviance_at(a, c, -d) + stirling_bregman_of_large(c, a, d);
}

/* log(r / s), from quotients that may overflow or underflow. */
static double log_of(double r, double s)
{
    const double ratio = r / s;
    return ratio > 0 && ratio < INFINITY ? log(ratio) : log(r) - log(s);
}

/* φ(a) − φ(a + 1) = (a + 1) log(1 + 1/a) − 1 is convex too. Its divergence is
 *
 *     (c + 1) log ρ + d/a = d² / (a c (a + 1)) − (c + 1) D(ρ),    ρ = a (c + 1) / c (a + 1);
 *
 * the second form is for a small d. */
static double of_stirling_step(double c, double a, double d)
{
    const double less_one = -(d / c) / (a + 1), ratio = 1 + less_one;
    if (!(less_one < 1))
        return (c + 1) * log_of(a / (a + 1), c / (c + 1)) + d / a;
    const double of_rho =
        less_one > -0.5 ? gb_deviance_at(ratio, less_one) : less_one - log_of(a / (a + 1), c / (c + 1));
    return d / a * (d / c) / (a + 1) - (c + 1) * of_rho;
}

double gb_stirling_bregman_at(double c, double a)
{
    const double d = c - a;
    double sum = 0;
    if (!in_domain(c, a))
        return NAN;
    for (; a < LARGE || c < LARGE; a++, c++)
        sum += of_stirling_step(c, a, d);
    return sum + stirling_bregman_of_large(c, a, d);
}
