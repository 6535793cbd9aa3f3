/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Incomplete gamma functions, with D = x^a e^−x / Γ(a + 1):
 *
 *   P = D (1 + x/(a+1) + x²/((a+1)(a+2)) + …)      for x below a (DLMF 8.7.1)
 *   Q = a D / (x+1−a − (1−a)/(x+3−a − …))          for x above a: a continued fraction (DLMF 8.9.2)
 *   Q = erfc(η √(a/2)) / 2 + R                     for x near a large a (Temme 1979)
 *
 * Each is used where it needs few terms. Relative errors are below 20 ε (1 + |log f|) for 1e-10 ≤ a ≤ 1e8. */
#include <float.h>
#include <math.h>
#include <stdbool.h>

#define GB_TABLE_GAMMA
#include "core/kernels/block_impl.h"
#include "ops/special/bregman_impl.h"
#include "ops/special/coefficients_table.h"
#include "ops/special/gamma_impl.h"
#include "ops/special/log_gamma_impl.h"

enum {
    MOST_TERMS = 5000,
    TEMME_ORDERS = sizeof temme / sizeof *temme,
    TEMME_POWERS = sizeof *temme / sizeof **temme,
    SLOPE_POWERS = sizeof draw_slope / sizeof *draw_slope,
    SLOPE_ORDERS = sizeof *draw_slope / sizeof **draw_slope,
};
static const double TWO_PI = 6.2831853071795864769;

static bool in_domain(double a, double x)
{
    return a >= 0 && x >= 0 && !(isinf(a) && isinf(x));
}

/* D. The deviance keeps the digits that x log x − x loses for large a. */
static double head(double a, double x)
{
    if (a < 1)
        return pow(x, a) * exp(-x) / tgamma(1 + a);
    return exp(-a * gb_deviance_at(x / a, (x - a) / a)) / (sqrt(TWO_PI * a) * gb_stirling_factor_at(a));
}

static double series(double a, double x)
{
    double term = 1, sum = 1;
    for (int n = 1; n < MOST_TERMS && term > sum * (DBL_EPSILON / 8); n++) {
        term *= x / (a + n);
        sum += term;
    }
    return sum;
}

/* Q / (a D), by Lentz' method as modified by Thompson and Barnett (1986). */
static double fraction(double a, double x)
{
    double b = x + 1 - a, c = HUGE_VAL, d = 1 / b, f = d;
    for (int n = 1; n < MOST_TERMS; n++) {
        const double numerator = -n * (n - a);
        b += 2;
        d = 1 / (b + numerator * d);
        c = b + numerator / c;
        f *= c * d;
        if (fabs(c * d - 1) < DBL_EPSILON / 2)
            break;
    }
    return f;
}

static bool is_near_large_shape(double a, double x)
{
    return a >= 30 && fabs(x - a) < 0.3 * a;
}

/* The smaller of P and Q, from erfc(±η √(a/2)) / 2 ± R: Q if `upper`, else P. */
static double near_large_shape(double a, double x, bool upper)
{
    const double m = (x - a) / a, deviance = gb_deviance_at(x / a, m), eta = copysign(sqrt(2 * deviance), m);
    double sum = 0;
    for (int k = TEMME_ORDERS; k-- > 0;) {
        double c = 0;
        for (int i = TEMME_POWERS; i-- > 0;)
            c = c * eta + temme[k][i];
        sum = sum / a + c;
    }
    const double rest = exp(-a * deviance) / sqrt(TWO_PI * a) * sum;
    const double y = eta * sqrt(a / 2);
    return upper ? erfc(y) / 2 + rest : erfc(-y) / 2 - rest;
}

/* Q for a ≤ 1 and small x, where 1 − P would cancel: x^a / Γ(a+1) is e^(…), times a series in x. */
static double upper_of_small_shape(double a, double x)
{
    const double exponent = a * log(x) - gb_log_gamma_ratio_at(1, a);
    double term = 1, sum = 0;
    for (int n = 1; n < MOST_TERMS && fabs(term) > DBL_EPSILON / 8 * x; n++) {
        term *= -x / n;
        sum += term / (a + n);
    }
    return -expm1(exponent) - exp(exponent) * a * sum;
}

/* P for x below a; rounding must not make it larger than 1. */
static double lower(double a, double x)
{
    const double d = head(a, x), p = d == 0 ? 0 : d * series(a, x);
    return p > 1 ? 1 : p;
}

static double upper(double a, double x)
{
    const double d = head(a, x);
    return d == 0 ? 0 : a * d * fraction(a, x);
}

static bool below(double a, double x)
{
    return a <= 1 ? x < 1.1 : x < a;
}

double gb_gamma_p_at(double a, double x)
{
    if (!in_domain(a, x))
        return NAN;
    if (x == 0 || isinf(a))
        return a == 0;
    if (isinf(x) || a == 0)
        return 1;
    if (is_near_large_shape(a, x))
        return near_large_shape(a, x, false);
    return below(a, x) ? lower(a, x) : 1 - upper(a, x);
}

double gb_gamma_q_at(double a, double x)
{
    if (!in_domain(a, x))
        return NAN;
    if (x == 0 || isinf(a))
        return a != 0;
    if (isinf(x) || a == 0)
        return 0;
    if (is_near_large_shape(a, x))
        return near_large_shape(a, x, true);
    if (a <= 1 && below(a, x))
        return upper_of_small_shape(a, x);
    return below(a, x) ? 1 - lower(a, x) : upper(a, x);
}

double gb_gamma_density_at(double a, double x)
{
    if (!in_domain(a, x))
        return NAN;
    if (x == 0)
        return a < 1 ? HUGE_VAL : a == 1;
    if (isinf(x) || isinf(a) || a == 0)
        return 0;
    return a < 1 ? a / x * head(a, x) : head(a - 1, x);
}

/* ---- the slope of a draw ---- g = −∂P/∂a / (x density) needs neither exponential nor Γ. With l = log(x/a),
 * it satisfies g' = a (e^l − 1) g − l + ψ(a) − log a. So for large a, g = Σ G_k(l) / a^k with
 * G_1 = l / (e^l − 1) and G_(k+1) = (b_k + G_k') / (e^l − 1), where log a − ψ(a) = Σ b_k / a^k. */

static const double LARGE_SHAPE = 16;

/* G_1 has a closed form. Without the 1/a that is d log a / da, nothing of the slope of l cancels. */
static double slope_of_large_shape(double a, double l, bool scaled)
{
    double order[SLOPE_ORDERS] = {0}, sum = 0;
    for (int i = SLOPE_POWERS; i-- > 0;)
        for (int k = 0; k < SLOPE_ORDERS; k++)
            order[k] = order[k] * l + draw_slope[i][k];
    const double u = 1 / a;
    if (scaled)
        order[0] = l == 0 ? 0 : -gb_exp_excess_at(l) / expm1(l);
    for (int k = SLOPE_ORDERS; k-- > 0;)
        sum = (sum + order[k]) * u;
    return sum;
}

/* Uses the derivatives of the terms of the series for P. */
static double slope_by_series(double a, double x, double log_x)
{
    double term = 1, sum = 1, harmonic = 0, weighted = 0;
    for (int n = 1; n < MOST_TERMS && term > sum * (DBL_EPSILON / 8); n++) {
        const double u = 1 / (a + n);
        term *= x * u;
        harmonic += u;
        sum += term;
        weighted += term * harmonic;
    }
    return (sum * (gb_digamma_at(a + 1) - log_x) + weighted) / a;
}

/* Uses the derivative of the continued fraction, evaluated from its end. */
static double slope_by_fraction(double a, double x, double log_x)
{
    const int terms = 24 + (int)(100 / x);
    double f = x + 1 - a + 2 * terms, slope = -1;
    for (int n = terms; n > 0; n--) {
        const double u = 1 / f, part = -n * (n - a) * u;
        slope = -1 + (n - part * slope) * u;
        f = x + 1 - a + 2 * (n - 1) + part;
    }
    return ((log_x - gb_digamma_at(a)) - slope / f) / f;
}

double gb_gamma_draw_slope_at(double a, double log_x)
{
    if (!(a > 0) || isnan(log_x))
        return NAN;
    if (a >= LARGE_SHAPE) {
        const double l = log_x - log(a);
        if (fabs(l) <= 1)
            return slope_of_large_shape(a, l, false);
    }
    const double x = exp(log_x);
    if (isinf(x) || isinf(a))
        return isinf(x) && isinf(a) ? NAN : 0;
    return x < a + 3 * sqrt(a) + 4 ? slope_by_series(a, x, log_x) : slope_by_fraction(a, x, log_x);
}

double gb_scaled_log_gamma_slope_at(double a, double m)
{
    if (!(a > GB_GAMMA_LARGE))
        return gb_gamma_draw_slope_at(a, m);
    if (isinf(a))
        return NAN;
    return a >= LARGE_SHAPE && fabs(m) <= 1 ? slope_of_large_shape(a, m, true)
                                            : gb_gamma_draw_slope_at(a, m + log(a)) - 1 / a;
}

double gb_gamma_p_slope_at(double a, double x)
{
    if (!in_domain(a, x) || a == 0)
        return NAN;
    if (x == 0 || isinf(x) || isinf(a))
        return 0;
    const double d = head(a, x);
    return d == 0 ? 0 : -a * d * gb_gamma_draw_slope_at(a, log(x));
}

/* ---- the inverse ---- log x has a log-concave density, so log P and log Q are concave in it. So from any
 * starting point Newton's method first goes to the outer side of the root and then converges to it from
 * there. */

/* Starts from x. `inner` is a point nearer to the middle than the root. */
static double newton(double a, double x, double inner, double target, bool upper)
{
    for (int i = 0; i < 100; i++) {
        const double value = upper ? gb_gamma_q_at(a, x) : gb_gamma_p_at(a, x);
        const double slope = x * gb_gamma_density_at(a, x);
        if (!(value > 0 && slope > 0)) { /* too far in the tail: everything underflows */
            x = sqrt(x) * sqrt(inner);
            continue;
        }
        const double error = gb_log_quotient_at(target, value), step = error * (value / slope);
        const double far = 300 + log(x); /* x does not fall below e^−300 */
        if (error < 0)
            inner = x;
        x *= exp(upper ? -step : fmax(step, -fmax(far, 0)));
        if (fabs(step) < 1e-14 || fabs(error) < DBL_EPSILON)
            break;
    }
    return x;
}

/* Q ≤ e^−tail at the starting point (Laurent & Massart 2000). */
static double newton_from_above(double a, double q, double tail)
{
    return newton(a, a + sqrt(2 * a * tail) + tail, a, q, true);
}

/* Returns log x for a small P, which is x^a / Γ(a+1). */
static double log_of_small(double a, double log_p)
{
    return (log_p + gb_log_gamma_ratio_at(1, a)) / a;
}

static const double SMALL = -38;

double gb_gamma_p_inverse_at(double a, double p)
{
    if (!(a > 0 && p >= 0 && p <= 1) || isinf(a))
        return NAN;
    if (p == 0 || p == 1)
        return p == 0 ? 0 : HUGE_VAL;
    const double log_small = log_of_small(a, log(p));
    if (log_small < SMALL)
        return exp(log_small);
    return p <= 0.5 ? newton(a, a, a, p, false) : newton_from_above(a, 1 - p, -log1p(-p));
}

double gb_gamma_q_inverse_at(double a, double q)
{
    if (!(q < 0.5) || !(a > 0 && q > 0) || isinf(a))
        return gb_gamma_p_inverse_at(a, 1 - q);
    const double log_small = log_of_small(a, log1p(-q));
    return log_small < SMALL ? exp(log_small) : newton_from_above(a, q, -log(q));
}
