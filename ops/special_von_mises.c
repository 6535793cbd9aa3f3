/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The von Mises distribution on [−π, π], by quadrature of e^(−2κ (sin²(t/2) − sin²(x/2))) where it is not
 * negligible: a bell or the end of one, for which a Gauss-Legendre rule of 32 points is exact to some ε whatever κ is. */
#include <math.h>

#define GB_TABLE_GAUSS
#include "ops/special_coefficients_table.h"
#include "ops/special_impl.h"

static const double PI = 3.14159265358979323846;

/* ∫ w and ∫ w (1 − cos t) over [from, to], with w = e^(−2κ (sin²(t/2) − origin)). */
typedef struct moments {
    double mass, spread;
} moments;

static double square_of_sine(double t)
{
    const double s = sin(t / 2);
    return s * s;
}

static moments integrate(double kappa, double from, double to, double origin)
{
    const double middle = (from + to) / 2, half = (to - from) / 2;
    moments sum = {0, 0};
    for (int i = 0; i < 32; i++) {
        const double *point = gauss[i / 2];
        const double s = square_of_sine(middle + (i % 2 ? half : -half) * point[0]);
        const double mass = point[1] * exp(-2 * kappa * (s - origin));
        sum.mass += mass;
        sum.spread += 2 * s * mass;
    }
    return (moments){half * sum.mass, half * sum.spread};
}

/* Where w has fallen to e^−44, or π. */
static double end_of(double kappa, double origin)
{
    const double square = origin + 22 / kappa;
    return square < 1 ? 2 * asin(sqrt(square)) : PI;
}

/* Over [0, π]. */
static moments whole(double kappa)
{
    return integrate(kappa, 0, end_of(kappa, 0), 0);
}

/* From x ≥ 0 to π, relative to the weight at x. */
static moments beyond(double kappa, double x)
{
    const double origin = square_of_sine(x), end = end_of(kappa, origin);
    return integrate(kappa, x, end < x ? x : end, origin);
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

/* (cos t − E cos) has one sign beyond its zero, and before: the side that has it does not cancel. */
double gb_von_mises_draw_slope_at(double kappa, double x)
{
    if (!in_domain(kappa, x))
        return NAN;
    if (fabs(x) > PI)
        return 0;
    const moments all = whole(kappa);
    const double mean = all.spread / all.mass, origin = square_of_sine(x);
    const bool outer = 2 * origin > mean;
    const moments part = outer ? beyond(kappa, fabs(x)) : integrate(kappa, 0, fabs(x), origin);
    const double slope = part.spread - mean * part.mass;
    return outer == (x > 0) ? -slope : slope;
}

double gb_von_mises_cdf_slope_at(double kappa, double x)
{
    const double slope = gb_von_mises_draw_slope_at(kappa, x);
    return slope == 0 ? 0 : -slope * gb_von_mises_density_at(kappa, x);
}
