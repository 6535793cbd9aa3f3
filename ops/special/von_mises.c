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
/* The ends of the circle as floats have them, which are a little beyond it. */
static const double PI_OF_FLOATS = 3.1415927410125732;

/* ∫ w and ∫ w (1 − cos t), where w = e^(−2κ (sin²(t/2) − sin²(x/2))). */
typedef struct moments {
    double mass, spread;
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
    moments sum = {0, 0};
    for (int i = 0; i < 32; i++) {
        const double *point = gauss[i / 2];
        const double offset = middle + (i % 2 ? half : -half) * point[0];
        const double exponent = -2 * kappa * sin(x + offset / 2) * sin(offset / 2);
        const double mass = point[1] * exp(exponent);
        sum.mass += mass;
        sum.spread += 2 * square_of_sine(x + offset) * mass;
    }
    return (moments){half * sum.mass, half * sum.spread};
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
    return fabs(x) > PI_OF_FLOATS ? 0 : exp(-2 * kappa * square_of_sine(x)) / (2 * whole(kappa).mass);
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

/* ---- the cumulants of v = 1 − cos t ----
 *
 * By the trapezium rule, which converges exponentially. Up to this κ its points are even in t. Beyond it they
 * are even in s = √(2κ) sin(t/2), in which the density is e^−s² / √(1 − s²/2κ), and v is s²/κ. The points end
 * where e^−s² is negligible. */
static const double concentrated = 32;

enum { POINTS = 33 };

/* v at the multiples of π/32. */
static const double less_cosine[POINTS] = {0.0,
                                           0.00481527332780311376,
                                           0.0192147195967695509,
                                           0.0430596642677911351,
                                           0.0761204674887132439,
                                           0.11807873565164497,
                                           0.168530387697454763,
                                           0.226989546637263039,
                                           0.292893218813452476,
                                           0.365606715836354502,
                                           0.444429766980397775,
                                           0.528603263174002351,
                                           0.617316567634910228,
                                           0.709715322745537632,
                                           0.804909677983871732,
                                           0.901982859670439398,
                                           1.0,
                                           1.0980171403295606,
                                           1.19509032201612827,
                                           1.29028467725446237,
                                           1.38268343236508977,
                                           1.47139673682599765,
                                           1.55557023301960222,
                                           1.6343932841636455,
                                           1.70710678118654752,
                                           1.77301045336273696,
                                           1.83146961230254524,
                                           1.88192126434835503,
                                           1.92387953251128676,
                                           1.95694033573220886,
                                           1.98078528040323045,
                                           1.99518472667219689,
                                           2.0};

/* The points v, in units of `unit`, and their probabilities. */
typedef struct points {
    double unit, at[POINTS], mass[POINTS], mean;
    int count;
} points;

static void put_point(points *r, double at, double mass, double *sum)
{
    r->at[r->count] = at;
    r->mass[r->count++] = mass;
    *sum += mass;
    r->mean += at * mass;
}

static points rule_of(double kappa)
{
    points r = {.unit = kappa < concentrated ? 1 : 1 / kappa};
    double sum = 0;
    for (int i = 0; i < POINTS && kappa < concentrated; i++) {
        const double half = i == 0 || i == POINTS - 1 ? 0.5 : 1;
        put_point(&r, less_cosine[i], half * exp(-kappa * less_cosine[i]), &sum);
    }
    for (int i = 0; i < 19 && kappa >= concentrated; i++) {
        const double square = 0.16 * i * i;
        put_point(&r, square, (i ? 1 : 0.5) * exp(-square) / sqrt(1 - square / 2 / kappa), &sum);
    }
    for (int i = 0; i < r.count; i++)
        r.mass[i] /= sum;
    r.mean /= sum;
    return r;
}

/* E (v − E v)^n for n = 2 or 3, which is the cumulant. */
static double cumulant(double kappa, int n)
{
    const points r = rule_of(kappa);
    double sum = 0;
    for (int i = 0; i < r.count; i++) {
        const double off = r.at[i] - r.mean;
        sum += r.mass[i] * off * off * (n == 3 ? off : 1);
    }
    return sum * r.unit * r.unit * (n == 3 ? r.unit : 1);
}

double gb_von_mises_spread_at(double kappa)
{
    if (!in_domain(kappa, 0))
        return NAN;
    const points r = rule_of(kappa);
    return r.mean * r.unit;
}

double gb_von_mises_spread_slope_at(double kappa)
{
    return in_domain(kappa, 0) ? -cumulant(kappa, 2) : NAN;
}

double gb_von_mises_spread_curve_at(double kappa)
{
    return in_domain(kappa, 0) ? cumulant(kappa, 3) : NAN;
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
