/* SPDX-License-Identifier: GPL-3.0-or-later */
/* log Γ, its derivatives, and differences of them; logarithms without cancellation. Small arguments are moved
 * above LARGE by recurrence. There the asymptotic series in 1/a (Stirling; Abramowitz & Stegun 6.1.41,
 * 6.3.18) reach terms below ε/4. */
#include <math.h>
#include <stdbool.h>

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
    if (!(a > 0 && a + b > 0))
        return NAN;
    if (b < 0)
        return -gb_digamma_difference_at(a + b, -b);
    const int shift = shift_of(a);
    double sum = 0;
    for (int k = shift; k-- > 0;)
        sum += b / (a + b + k) / (a + k);
    const double from = a + shift;
    return sum + (log1p(b / from) + b / (2 * from) / (from + b) + series_difference(of_digamma, 2, from, b));
}

/* Both are differences at the smaller argument, so that its digits are not lost in the larger one. */
double gb_digamma_gap_at(double x, double y)
{
    return x < y ? -gb_digamma_difference_at(x, y - x) : gb_digamma_difference_at(y, x - y);
}

/* The difference of ψ − log at a + b and a, for b ≥ 0: that of ψ, with a term less. Of the logarithms there
 * remains that of 1 − part. */
static double digamma_rest_difference(double a, double b)
{
    const int shift = shift_of(a);
    double sum = 0;
    for (int k = shift; k-- > 0;)
        sum += b / (a + b + k) / (a + k);
    const double from = a + shift, part = shift * (b / (a + b)) / from;
    const double of_logs = part < 0.5 ? log1p(-part) : log1p(shift / (a + b)) - log1p(shift / a);
    return sum + (of_logs + b / (2 * from) / (from + b) + series_difference(of_digamma, 2, from, b));
}

double gb_digamma_rest_gap_at(double x, double y)
{
    if (!(x > 0 && y > 0 && x < HUGE_VAL && y < HUGE_VAL))
        return NAN;
    return x < y ? -digamma_rest_difference(x, y - x) : digamma_rest_difference(y, x - y);
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

enum { CORRECTIONS = 12 };
/* B_2j / (2j)! */
static const double of_zeta[CORRECTIONS] = {1. / 12,
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

/* x^s (ζ(s, x) − leading / (s − 1)) by the formula of Euler and Maclaurin, for leading = 0 or x^(1 − s). */
static double scaled_zeta(double s, double x, bool less_leading)
{
    const double until = 15 + s;
    const int shift = x < until ? (int)ceil(until - x) : 0;
    double sum = 0;
    for (int k = shift; k-- > 0;)
        sum += pow(x / (x + k), s);
    const double at = x + shift, power = pow(x / at, s);
    double correction = 0, factor = s / at;
    for (int j = 1; j <= CORRECTIONS; j++) {
        correction += of_zeta[j - 1] * factor;
        factor *= (s + 2 * j - 1) / at * (s + 2 * j) / at;
    }
    if (less_leading)
        return sum + power * (0.5 + correction) + (power * at - x) / (s - 1);
    return sum + power * (at / (s - 1) + 0.5 + correction);
}

/* (a / (a + b))^p − 1 */
static double power_excess(double p, double a, double b)
{
    return expm1(-p * log1p(b / a));
}

/* a^s (ζ(s, a + b) − ζ(s, a)) for b ≥ 0: each term of the formula times the excess of its power. */
static double scaled_zeta_difference(double s, double a, double b)
{
    const double until = 15 + s;
    const int shift = a < until ? (int)ceil(until - a) : 0;
    double sum = 0;
    for (int k = shift; k-- > 0;)
        sum += pow(a / (a + k), s) * power_excess(s, a + k, b);
    const double at = a + shift;
    double tail = at / (s - 1) * power_excess(s - 1, at, b) + 0.5 * power_excess(s, at, b), factor = s / at;
    for (int j = 1; j <= CORRECTIONS; j++) {
        tail += of_zeta[j - 1] * factor * power_excess(s + 2 * j - 1, at, b);
        factor *= (s + 2 * j - 1) / at * (s + 2 * j) / at;
    }
    return sum + pow(a / at, s) * tail;
}

static bool is_order(double n)
{
    return n >= 0 && n <= 100 && n == floor(n);
}

/* (−1)^(n + 1) n! / x^(n + 1) */
static double polygamma_factor(double n, double x)
{
    double factor = (fmod(n, 2) == 0 ? -1 : 1) / x;
    for (double j = 1; j <= n; j++)
        factor *= j / x;
    return factor;
}

double gb_polygamma_at(double n, double x)
{
    if (!(is_order(n) && x >= 0))
        return NAN;
    const double sign = fmod(n, 2) == 0 ? -1 : 1;
    if (x == 0)
        return sign * HUGE_VAL;
    if (isinf(x))
        return n == 0 ? x : 0 * sign;
    if (n == 0)
        return fabs(x - 1.46) < 0.25 ? digamma_near_zero(x) : gb_digamma_at(x);
    const double factor = polygamma_factor(n, x);
    return factor == 0 || isinf(factor) ? factor : factor * scaled_zeta(n + 1, x, false);
}

double gb_polygamma_rest_at(double n, double x)
{
    if (!(is_order(n) && n > 0 && x > 0))
        return NAN;
    const double factor = isinf(x) ? 0 : polygamma_factor(n, x);
    return factor == 0 || isinf(factor) ? factor : factor * scaled_zeta(n + 1, x, true);
}

double gb_polygamma_difference_at(double n, double a, double b)
{
    if (!(is_order(n) && a > 0 && a + b > 0))
        return NAN;
    if (n == 0 || b == 0)
        return b == 0 ? 0 : gb_digamma_difference_at(a, b);
    if (b < 0)
        return -gb_polygamma_difference_at(n, a + b, -b);
    const double factor = isinf(a) ? 0 : polygamma_factor(n, a);
    return factor == 0 || isinf(factor) ? -factor : factor * scaled_zeta_difference(n + 1, a, b);
}

/* ---- log Γ(x + ½) − log Γ(x) − ½ log x ---- */

/* What its n-th derivative at x exceeds that at x + 1 by: that of ½ log(x (x + 1) / (x + ½)²). From x = 1 on
 * with u = ½ / (x + ½), so that the product is 1 − u². */
static double step_rest_excess(double n, double x)
{
    const double m = x + 0.5, u = 0.5 / m;
    double factor = fmod(n, 2) == 0 ? -0.5 : 0.5;
    if (n == 0)
        return 0.5 * (x < 1 ? log(x / m * ((x + 1) / m)) : log1p(-u * u));
    for (double j = 2; j < n; j++)
        factor *= j;
    if (x < 1)
        return factor * (pow(x, -n) + pow(x + 1, -n) - 2 * pow(m, -n));
    const double b = n * atanh(u), half = sinh(b / 2);
    return factor * pow(m, -n) * 2 * (expm1(-0.5 * n * log1p(-u * u)) * cosh(b) + 2 * half * half);
}

double gb_log_gamma_step_rest_at(double n, double x)
{
    /* (1 − 4^−j) B_2j / (j (2j − 1)) */
    static const double c[TERMS] = {1. / 8,      -1. / 192,       1. / 640,        -17. / 14336,
                                    31. / 18432, -691. / 180224., 5461. / 425984., -929569. / 15728640.};
    if (!(is_order(n) && x >= 0))
        return NAN;
    double sum = 0;
    for (; x < 14 + 2 * n; x++)
        sum += step_rest_excess(n, x);
    double term = (fmod(n, 2) == 0 ? -1 : 1) / x; /* (−1)^(n+1) (2j − 1) … (2j + n − 2) / x^(2j − 1 + n) */
    for (double j = 1; j <= n; j++)
        term *= j / x;
    double series = 0;
    for (int j = 1; j <= TERMS; j++) {
        series += c[j - 1] * term;
        term *= (2 * j - 1 + n) / (2 * j - 1) / x * ((2 * j + n) / (2 * j)) / x;
    }
    return sum + series;
}
