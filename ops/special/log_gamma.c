/* SPDX-License-Identifier: GPL-3.0-or-later */
/* log Γ, its derivatives, and differences of them; logarithms without cancellation. Small arguments are moved
 * above LARGE by recurrence. There the asymptotic series in 1/a (Stirling; Abramowitz & Stegun 6.1.41,
 * 6.3.18) reach terms below ε/4. */
#include <math.h>

#define GB_TABLE_ATANH
#include "ops/special/coefficients_table.h"
#include "ops/special/log_gamma_impl.h"

static const double LARGE = 10;
static const double HALF_LOG_TWO_PI = 0.91893853320467274178;

enum { TERMS = 8 };
/* B_2j / (2j (2j − 1)) and B_2j / 2j. */
static const double of_log_gamma[TERMS] = {1. / 12,   -1. / 360,      1. / 1260, -1. / 1680,
                                           1. / 1188, -691. / 360360, 1. / 156,  -3617. / 122400};
static const double of_digamma[TERMS] = {1. / 12,  -1. / 120,     1. / 252, -1. / 240,
                                         1. / 132, -691. / 32760, 1. / 12,  -3617. / 8160};

static double polynomial(const double *c, int count, double x)
{
    double sum = 0;
    for (int i = count; i-- > 0;)
        sum = sum * x + c[i];
    return sum;
}

/* The logarithm of the Stirling factor, for a ≥ LARGE. */
static double stirling_series(double a)
{
    const double u = 1 / a;
    return u * polynomial(of_log_gamma, TERMS, u * u);
}

double gb_stirling_factor_at(double a)
{
    static const double two_pi = 6.2831853071795864769;
    if (a >= LARGE)
        return exp(stirling_series(a));
    const double power = exp(a) / pow(a, a);
    return a < 1 ? tgamma(1 + a) / sqrt(two_pi * a) * power : tgamma(a) * sqrt(a / two_pi) * power;
}

/* With z = m / (2 + m): log(1 + m) = 2 atanh z and m − 2z = m z. */
double gb_deviance_at(double ratio, double less_one)
{
    if (isinf(less_one))
        return less_one;
    if (!(less_one > -0.5 && less_one < 1))
        return less_one - log(ratio);
    const double z = less_one / (1 + ratio), w = z * z;
    return less_one * z - 2 * z * w * polynomial(atanh_tail[0], sizeof atanh_tail / sizeof **atanh_tail, w);
}

double gb_log_quotient_at(double a, double b)
{
    const double part = (a - b) / b;
    return fabs(part) < 0.5 ? log1p(part) : log(a) - log(b);
}

/* Returns how often 1 must be added until a ≥ LARGE. */
static int shift_of(double a)
{
    return a < LARGE ? (int)ceil(LARGE - a) : 0;
}

double gb_log_less_digamma_at(double a)
{
    if (!(a > 0))
        return NAN;
    const int shift = shift_of(a);
    double sum = 0;
    for (int k = shift; k-- > 0;)
        sum += 1 / (a + k);
    const double u = 1 / (a + shift);
    sum += u * (0.5 + u * polynomial(of_digamma, TERMS, u * u));
    return shift ? sum - log((a + shift) / a) : sum;
}

double gb_digamma_at(double a)
{
    if (!(a > 0))
        return NAN;
    const int shift = shift_of(a);
    double sum = 0;
    for (int k = shift; k-- > 0;)
        sum += 1 / (a + k);
    const double u = 1 / (a + shift);
    return log(a + shift) - u * (0.5 + u * polynomial(of_digamma, TERMS, u * u)) - sum;
}

/* Σ c_j (u^m − v^m) with u = 1/a, v = 1/(a + b), m = first, first + 2, …: each difference follows from the
 * one before. */
static double series_difference(const double *c, double first, double a, double b)
{
    const double u = 1 / a, v = 1 / (a + b), squares = b * u * v * (u + v); /* u² − v² */
    double power = first == 1 ? v : v * v, difference = first == 1 ? b * u * v : squares, sum = 0;
    for (int j = 0; j < TERMS; j++) {
        sum += c[j] * difference;
        difference = difference * u * u + power * squares;
        power *= v * v;
    }
    return sum;
}

double gb_digamma_difference_at(double a, double b)
{
    if (!(a > 0 && b >= 0))
        return NAN;
    const int shift = shift_of(a);
    double sum = 0;
    for (int k = shift; k-- > 0;)
        sum += b / (a + b + k) / (a + k);
    const double from = a + shift;
    return sum + (log1p(b / from) + b / (2 * from) / (from + b) + series_difference(of_digamma, 2, from, b));
}

double gb_log_gamma_ratio_at(double a, double b)
{
    if (!(a > 0 && b >= 0))
        return NAN;
    const int shift = shift_of(a);
    double sum = 0;
    for (int k = shift; k-- > 0;)
        sum += log1p(b / (a + k));
    const double from = a + shift, part = b / from;
    return b * log(from + b) - from * gb_deviance_at(1 + part, part) - 0.5 * log1p(part) -
           series_difference(of_log_gamma, 1, from, b) - sum;
}

static double log_gamma_below_large(double a)
{
    return a < 1 ? gb_log_gamma_ratio_at(1, a) - log(a) : log(tgamma(a));
}

double gb_lbeta_at(double a, double b)
{
    if (!(a >= 0 && b >= 0))
        return NAN;
    if (a > b)
        return gb_lbeta_at(b, a);
    if (a == 0)
        return HUGE_VAL;
    if (isinf(b))
        return -HUGE_VAL;
    if (a < LARGE)
        return log_gamma_below_large(a) - gb_log_gamma_ratio_at(b, a);
    return HALF_LOG_TWO_PI - 0.5 * log(b) - (a - 0.5) * log1p(b / a) - b * log1p(a / b) + stirling_series(a) +
           stirling_series(b) - stirling_series(a + b);
}

/* ---- polygamma ---- */

/* ψ near its zero, with a small relative error. */
static double digamma_near_zero(double x)
{
    static const double zero = 0x1.762d86356be3fp+0, rest = 9.549995429965697e-17;
    const double distance = x - zero - rest;
    return distance < 0 ? -gb_digamma_difference_at(x, -distance) : gb_digamma_difference_at(zero, distance);
}

/* x^s ζ(s, x) by the formula of Euler and Maclaurin. */
static double scaled_zeta(double s, double x)
{
    enum { CORRECTIONS = 12 };
    /* B_2j / (2j)! */
    static const double c[CORRECTIONS] = {1. / 12,
                                          -1. / 720,
                                          1. / 30240,
                                          -1. / 1209600,
                                          1. / 47900160,
                                          -691. / 1307674368000.,
                                          1. / 74724249600.,
                                          -3617. / 10670622842880000.,
                                          43867. / 5109094217170944000.,
                                          -174611. / 802857662698291200000.,
                                          77683. / 14101100039391805440000.,
                                          -236364091. / 1693824136731743669452800000.};
    const double until = 15 + s;
    const int shift = x < until ? (int)ceil(until - x) : 0;
    double sum = 0;
    for (int k = shift; k-- > 0;)
        sum += pow(x / (x + k), s);
    const double at = x + shift, power = pow(x / at, s);
    double correction = 0, factor = s / at;
    for (int j = 1; j <= CORRECTIONS; j++) {
        correction += c[j - 1] * factor;
        factor *= (s + 2 * j - 1) / at * (s + 2 * j) / at;
    }
    return sum + power * (at / (s - 1) + 0.5 + correction);
}

double gb_polygamma_at(double n, double x)
{
    if (!(n >= 0 && n <= 100 && n == floor(n) && x >= 0))
        return NAN;
    const double sign = fmod(n, 2) == 0 ? -1 : 1;
    if (x == 0)
        return sign * HUGE_VAL;
    if (isinf(x))
        return n == 0 ? x : 0 * sign;
    if (n == 0)
        return fabs(x - 1.46) < 0.25 ? digamma_near_zero(x) : gb_digamma_at(x);
    double factor = sign / x;
    for (double j = 1; j <= n; j++)
        factor *= j / x;
    return factor == 0 || isinf(factor) ? factor : factor * scaled_zeta(n + 1, x);
}
