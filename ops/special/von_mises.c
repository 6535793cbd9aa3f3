/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The von Mises distribution on [−π, π], by quadrature of the scaled e^(κ cos t) where it is not negligible.
 * There it is a bell or one side of a bell, for which a Gauss-Legendre rule of 32 points is exact to some ε
 * for all κ. */
#include <math.h>
#include <stdbool.h>

#define GB_TABLE_GAUSS
#include "ops/special/coefficients_table.h"
#include "ops/special/von_mises_impl.h"

static const double PI = 3.14159265358979323846;

/* ∫ w, ∫ w (1 − cos t) and ∫ w (1 − cos t)², where w = e^(−2κ (sin²(t/2) − sin²(x/2))). */
typedef struct moments {
    double mass, spread, square;
} moments;

static double square_of_sine(double t)
{
    const double s = sin(t / 2);
    return s * s;
}

/* Integrates t from x + low to x + high. The difference of squares is sin((t + x)/2) sin((t − x)/2). */
static moments integrate(double kappa, double x, double low, double high)
{
    const double middle = (low + high) / 2, half = (high - low) / 2;
    moments sum = {0, 0, 0};
    for (int i = 0; i < 32; i++) {
        const double *point = gauss[i / 2];
        const double offset = middle + (i % 2 ? half : -half) * point[0];
        const double exponent = -2 * kappa * sin(x + offset / 2) * sin(offset / 2);
        const double mass = point[1] * exp(exponent);
        sum.mass += mass;
        const double less_cosine = 2 * square_of_sine(x + offset);
        sum.spread += less_cosine * mass;
        sum.square += less_cosine * less_cosine * mass;
    }
    return (moments){half * sum.mass, half * sum.spread, half * sum.square};
}

/* From x in [0, π] to π, or to where w has fallen to e^−44. */
static moments beyond(double kappa, double x)
{
    const double square = square_of_sine(x) + 22 / fabs(kappa);
    const double end = square < 1 ? 2 * asin(sqrt(square)) : PI;
    return integrate(kappa, x, 0, end < x ? 0 : end - x);
}

static moments whole(double kappa)
{
    return beyond(kappa, 0);
}

static bool in_domain(double kappa, double x)
{
    return kappa >= 0 && !isinf(kappa) && !isnan(x);
}

double gb_von_mises_density_at(double kappa, double x)
{
    if (!in_domain(kappa, x))
        return NAN;
    return fabs(x) > PI ? 0 : exp(-2 * kappa * square_of_sine(x)) / (2 * whole(kappa).mass);
}

double gb_von_mises_cdf_at(double kappa, double x)
{
    if (!in_domain(kappa, x))
        return NAN;
    if (fabs(x) > PI)
        return x > 0;
    const double all = 2 * whole(kappa).mass;
    const double tail = exp(-2 * kappa * square_of_sine(x)) * beyond(kappa, fabs(x)).mass / all;
    return x > 0 ? 1 - tail : tail;
}

/* (cos t − E cos) has one sign on each side of its zero, so the integral over the side without the zero does
 * not cancel. */
double gb_von_mises_draw_slope_at(double kappa, double x)
{
    if (!in_domain(kappa, x))
        return NAN;
    if (fabs(x) > PI)
        return 0;
    const moments all = whole(kappa);
    const double mean = all.spread / all.mass;
    const bool outer = 2 * square_of_sine(x) > mean;
    const moments part = outer ? beyond(kappa, fabs(x)) : integrate(kappa, fabs(x), -fabs(x), 0);
    const double slope = part.spread - mean * part.mass;
    return outer == (x > 0) ? -slope : slope;
}

double gb_von_mises_cdf_slope_at(double kappa, double x)
{
    const double slope = gb_von_mises_draw_slope_at(kappa, x);
    return slope == 0 ? 0 : -slope * gb_von_mises_density_at(kappa, x);
}

/* From here on, 1/2κ + 1/8κ² is exact to the last digit. */
static const double concentrated = 1e8;

double gb_von_mises_spread_at(double kappa)
{
    if (!in_domain(kappa, 0))
        return NAN;
    if (kappa > concentrated)
        return (0.5 + 0.125 / kappa) / kappa;
    const moments all = whole(kappa);
    return all.spread / all.mass;
}

double gb_von_mises_spread_slope_at(double kappa)
{
    if (!in_domain(kappa, 0))
        return NAN;
    if (kappa > concentrated)
        return -(0.5 + 0.25 / kappa) / kappa / kappa;
    const moments all = whole(kappa);
    const double spread = all.spread / all.mass;
    return spread * spread - all.square / all.mass;
}

/* ∫ (c − t) Var[cos] dt from a to c, by Gauss and Legendre's rule of 6 points. */
static double bregman_by_rule(double c, double a)
{
    static const double rule[3][2] = {{0.23861918608319690863, 0.46791393457269104739},
                                      {0.66120938646626451366, 0.36076157304813860757},
                                      {0.93246951420315202781, 0.17132449237917034504}};
    const double middle = a + (c - a) / 2, half = (c - a) / 2;
    double sum = 0;
    for (int i = 0; i < 6; i++) {
        const double t = (i % 2 ? 1 : -1) * rule[i / 2][0];
        sum -= rule[i / 2][1] * (1 - t) * gb_von_mises_spread_slope_at(middle + half * t);
    }
    return half * half * sum;
}

double gb_von_mises_bregman_at(double c, double a)
{
    if (!in_domain(c, a) || !in_domain(a, c))
        return NAN;
    if (fabs(c - a) < 0.2 * fmax(1, fmin(c, a)))
        return bregman_by_rule(c, a);
    return log(whole(c).mass / whole(a).mass) + (c - a) * gb_von_mises_spread_at(a);
}
