/* SPDX-License-Identifier: GPL-3.0-or-later */
/* −E[log(1 − x)] for x from Kumaraswamy(a, b), and its derivatives.
 *
 * With t from Exponential(1) and τ = t/b, x^a = 1 − e^−τ. So the expectation is ∫ e^−t f(t) dt, with an f
 * that is smooth in log t. For t = e^(y − e^−y) the integrand falls double-exponentially on both sides, and
 * the trapezium rule converges exponentially (Takahasi & Mori 1974). */
#include <math.h>

#include "ops/special/kumaraswamy_impl.h"

static double log1mexp(double x)
{
    return x > -0.69 ? log(-expm1(x)) : log1p(-exp(x));
}

/* The integrand f(τ, log x; a). */
typedef double integrand(double tau, double log_x, double a);

/* Integrates up to where e^−t underflows, since an f that is tiny for small t has its mass there. The terms
 * first rise, then fall. */
static double expectation(integrand *f, double a, double b)
{
    const int per_unit = a < 0.1 || b < 0.1 ? 32 : 20, first = -4 * per_unit, last = 7 * per_unit;
    double sum = 0;
    if (!(a > 0 && b > 0 && a < INFINITY && b < INFINITY))
        return NAN;
    for (int i = first; i <= last; i++) {
        const double y = (double)i / per_unit, inner = exp(-y), t = exp(y - inner);
        const double term = t * (1 + inner) * exp(-t) * f(t / b, log1mexp(-t / b) / a, a);
        sum += term;
        if (fabs(term) < 0x1p-70 * fabs(sum) && t > 1)
            break;
    }
    return sum / per_unit;
}

/* −log(1 − x). Near x = 1, 1 − x is e^−τ / a. */
static double log_rest(double tau, double log_x, double a)
{
    return log_x > -1e-290 ? tau + log(a) : -log1mexp(log_x);
}

/* d/da: x/(1 − x) · (−log x)/a. */
static double slope_in_a(double tau, double log_x, double a)
{
    (void)tau;
    return (log_x == 0 ? 1 : log_x < -745 ? 0 : -log_x / expm1(-log_x)) / a;
}

/* b d/db: −x/(1 − x) · τ/(e^τ − 1)/a. For large τ, (1 − x) a is near e^−τ. */
static double slope_in_log_b(double tau, double log_x, double a)
{
    if (log_x > -1e-290)
        return -tau;
    return tau == 0 || log_x < -745 ? 0 : -tau / expm1(tau) / (a * expm1(-log_x));
}

double gb_kumaraswamy_log_rest_at(double a, double b)
{
    return expectation(log_rest, a, b);
}

double gb_kumaraswamy_log_rest_slope_a_at(double a, double b)
{
    return expectation(slope_in_a, a, b);
}

double gb_kumaraswamy_log_rest_slope_b_at(double a, double b)
{
    return expectation(slope_in_log_b, a, b) / b;
}
