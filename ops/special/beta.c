/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The incomplete beta function I_x(a, b) = (W / a) H, with W = x^a (1−x)^b / B(a, b). H is a continued
 * fraction (Didonato & Morris 1992, there a/H) that converges fast below the mean; above the mean
 * 1 − I_(1−x)(b, a) is used. Derivatives in the shapes are those of its terms (Boik & Robison-Cox 1998). Both
 * x and y = 1 − x are passed on, since one of them has more digits. */
#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "core/kernels/block_impl.h"
#include "ops/special/beta_impl.h"
#include "ops/special/log_gamma_impl.h"

enum { MOST_TERMS = 5000 }; /* enough for shapes up to 1e8 */

typedef struct place {
    double a, b, x, y;
    double excess; /* a − (a + b) x = a y − b x */
} place;

static place place_of(double a, double b, double x, double y)
{
    const double sum = a + b, larger = fmax(a, b);
    const double lost = fmin(a, b) - (sum - larger); /* a + b is sum + lost */
    const double excess = x <= y ? fma(-sum, x, a) - lost * x : fma(sum, y, -b) + lost * y;
    return (place){a, b, x, y, excess};
}

static place mirrored(const place *p)
{
    return (place){p->b, p->a, p->y, p->x, -p->excess};
}

/* Returns whether the fraction converges fast: x < (a + 1) / (a + b + 2). */
static bool is_below(const place *p)
{
    return p->excess + p->y - p->x >= 0;
}

/* W / a. */
static double head(const place *p)
{
    const double a = p->a, b = p->b, sum = a + b;
    const double deviance = a * gb_deviance_at(p->x * (sum / a), -p->excess / a) +
                            b * gb_deviance_at(p->y * (sum / b), p->excess / b);
    return exp(-deviance) * sqrt(b / sum) / (sqrt(6.2831853071795864769 * a) * gb_stirling_factor_at(a)) *
           (gb_stirling_factor_at(sum) / gb_stirling_factor_at(b));
}

/* A number and its derivatives in a and b. */
typedef struct dual {
    double value, a, b;
} dual;

/* p + n / q */
static dual plus_quotient(dual p, dual n, dual q)
{
    const double u = 1 / q.value, part = n.value * u;
    return (dual){p.value + part, p.a + (n.a - part * q.a) * u, p.b + (n.b - part * q.b) * u};
}

static dual numerator(const place *p, double n)
{
    const double a = p->a, b = p->b, u = 1 / (a + 2 * n - 1), factor = n * p->x * p->x * u * u;
    const double first = n == 1 ? 1 : a + n - 1; /* the first term is divided by a */
    const double second = a + b + n - 1, third = b - n, slope = n == 1 ? 0 : second;
    return (dual){factor * first * second * third, factor * third * (slope + first - 2 * first * second * u),
                  factor * first * (third + second)};
}

static dual denominator(const place *p, double n)
{
    const double a = p->a, b = p->b, x = p->x, u = 1 / (a + 2 * n - 1), v = 1 / (a + 2 * n + 1);
    const double third = p->excess + 1 + n * (1 + p->y);
    if (n == 0)
        return (dual){third * v, (p->y - third * v) * v, -x * v};
    return (dual){n + n * (b - n) * x * u + (a + n) * third * v,
                  -n * (b - n) * x * u * u + (third + (a + n) * (p->y - third * v)) * v,
                  n * x * u - (a + n) * x * v};
}

/* H, and the derivatives of log H, by Lentz' method as modified by Thompson and Barnett (1986). */
static dual fraction(const place *p)
{
    dual c = denominator(p, 0), d = c;
    dual h = {1 / c.value, -c.a / c.value, -c.b / c.value};
    for (double n = 1; n < MOST_TERMS; n++) {
        const dual top = numerator(p, n), base = denominator(p, n);
        c = plus_quotient(base, top, c);
        d = n == 1 ? base : plus_quotient(base, top, d);
        const double factor = d.value / c.value;
        const double by_a = d.a / d.value - c.a / c.value, by_b = d.b / d.value - c.b / c.value;
        h.value *= factor;
        h.a += by_a;
        h.b += by_b;
        if (fabs(factor - 1) <= DBL_EPSILON && fabs(by_a) <= DBL_EPSILON * fabs(h.a) &&
            fabs(by_b) <= DBL_EPSILON * fabs(h.b))
            break;
    }
    return h;
}

/* ∂ log(W / a) / ∂a and / ∂b. */
static double head_slope_a(const place *p)
{
    const double a = p->a, sum = a + p->b, m = -p->excess / a;
    if (a < 10)
        return log(p->x) + (gb_digamma_at(sum) - gb_digamma_at(a + 1));
    const double log_ratio = fabs(m) < 0.5 ? log1p(m) : log(p->x * (sum / a));
    return log_ratio + (gb_log_less_digamma_at(a) - gb_log_less_digamma_at(sum) - 1 / a);
}

static double head_slope_b(const place *p)
{
    return (p->x < p->y ? log1p(-p->x) : log(p->y)) + gb_digamma_difference_at(p->b, p->a);
}

/* ---- values ---- */

/* 1 − I above the mean for a ≤ 1, where I is near 1, and its derivative in b. Here (W / a) H is e^(…) times a
 * series in x. */
static dual upper_of_small_shape(const place *p)
{
    const double a = p->a, b = p->b;
    const double exponent = a * log(p->x) + (gb_log_gamma_ratio_at(b, a) - gb_log_gamma_ratio_at(1, a));
    double term = 1, term_b = 0, sum = 0, sum_b = 0;
    for (int n = 1; n < MOST_TERMS; n++) {
        term_b = ((n - b) * term_b - term) / n * p->x;
        term *= (n - b) / n * p->x;
        sum += term / (a + n);
        sum_b += term_b / (a + n);
        if (fabs(term) <= DBL_EPSILON / 8 * fabs(sum) && fabs(term_b) <= DBL_EPSILON / 8 * fabs(sum_b))
            break;
    }
    return (dual){.value = -expm1(exponent) - exp(exponent) * a * sum,
                  .b = -exp(exponent) * (gb_digamma_difference_at(b, a) * (1 + a * sum) + a * sum_b)};
}

static double lower(const place *p)
{
    const double w = head(p), at = w == 0 ? 0 : w * fraction(p).value;
    return at > 1 ? 1 : at;
}

static double value(const place *p)
{
    if (is_below(p))
        return lower(p);
    const place m = mirrored(p);
    return m.a <= 1 ? upper_of_small_shape(&m).value : 1 - lower(&m);
}

static bool in_domain(double a, double b, double x)
{
    return a >= 0 && b >= 0 && x >= 0 && x <= 1 && !(a == 0 && b == 0) && !(isinf(a) && isinf(b));
}

static double part(double a, double b, double x, bool upper)
{
    if (!in_domain(a, b, x))
        return NAN;
    const double at_end = x == 0 || x == 1 ? x : a == 0 || isinf(b) ? 1 : b == 0 || isinf(a) ? 0 : -1;
    if (at_end >= 0)
        return upper ? 1 - at_end : at_end;
    const place p = place_of(a, b, x, 1 - x), m = mirrored(&p);
    return value(upper ? &m : &p);
}

double gb_beta_i_at(double a, double b, double x)
{
    return part(a, b, x, false);
}

double gb_beta_i_upper_at(double a, double b, double x)
{
    return part(a, b, x, true);
}

double gb_beta_density_at(double a, double b, double x)
{
    if (!in_domain(a, b, x))
        return NAN;
    const double shape = x == 0 ? a : b;
    if (x == 0 || x == 1)
        return shape < 1 ? HUGE_VAL : shape == 1 ? (x == 0 ? b : a) : 0;
    if (a == 0 || b == 0 || isinf(a) || isinf(b))
        return 0;
    const place p = place_of(a, b, x, 1 - x);
    return a * head(&p) / (p.x * p.y);
}

/* ---- slopes ---- */

/* ∂I/∂a / W and ∂I/∂b / W: below the mean, then for all arguments. */
static double lower_slope_a(const place *p)
{
    const dual h = fraction(p);
    return h.value * (head_slope_a(p) + h.a) / p->a;
}

static double lower_slope_b(const place *p)
{
    const dual h = fraction(p);
    return h.value * (head_slope_b(p) + h.b) / p->a;
}

static double slope_a(const place *p)
{
    if (is_below(p))
        return lower_slope_a(p);
    const place m = mirrored(p);
    return m.a <= 1 ? upper_of_small_shape(&m).b / (m.a * head(&m)) : -lower_slope_b(&m);
}

static double slope_b(const place *p)
{
    if (is_below(p))
        return lower_slope_b(p);
    const place m = mirrored(p);
    return -lower_slope_a(&m);
}

static double slope_at(double a, double b, double x, double (*slope)(const place *p), bool of_draw)
{
    if (!in_domain(a, b, x) || a == 0 || b == 0 || isinf(a) || isinf(b))
        return NAN;
    if (x == 0 || x == 1)
        return 0;
    const place p = place_of(a, b, x, 1 - x);
    if (of_draw)
        return -p.x * p.y * slope(&p);
    const double w = a * head(&p);
    return w == 0 ? 0 : w * slope(&p);
}

double gb_beta_i_slope_a_at(double a, double b, double x)
{
    return slope_at(a, b, x, slope_a, false);
}

double gb_beta_i_slope_b_at(double a, double b, double x)
{
    return slope_at(a, b, x, slope_b, false);
}

double gb_beta_draw_slope_a_at(double a, double b, double x)
{
    return slope_at(a, b, x, slope_a, true);
}

double gb_beta_draw_slope_b_at(double a, double b, double x)
{
    return slope_at(a, b, x, slope_b, true);
}

/* ---- slopes of the log odds of a draw ----
 *
 * dl/da and dl/db of l = log(x / y) at a constant I. Beyond END, x or y is a power of e^l to all digits, and
 * the slopes are linear in l: l = log(I a B) / a on the left, −log((1 − I) b B) / b on the right. */

static const double END = 600;

/* Above LARGE, near the mean, the slope is an expansion in 1/a: with w = x/μ − 1 for the mean μ and ν = 1 − μ
 *
 *     log(1 + w) / (a w) + (ν (1/6 − w/12 + w²/20 − …) + μ (1/2 − w/6 + w²/12 − …)) / a² + …
 *
 * (the slope times the density has a known derivative, and so has a recurrence of such terms). The first one
 * is 1/a at w = 0; without 1/a, nothing cancels. */
static const double LARGE = 1e7, NEAR = 0.02;

/* w, from l = log(a/b) + n. */
static double off_mean(double a, double b, double n)
{
    const double part = b / (a + b) * expm1(-n);
    return -part / (1 + part);
}

static bool is_near_large_mean(double a, double b, double n)
{
    return fmin(a, b) >= LARGE && fmax(a, b) < HUGE_VAL && fabs(off_mean(a, b, n)) < NEAR;
}

static double slope_near_large_mean(double a, double b, double n, bool scaled)
{
    const double w = off_mean(a, b, n), mean = a / (a + b), rest = b / (a + b);
    const double first = w == 0 ? 0 : -gb_deviance_at(1 + w, w) / w;
    const double second = rest * (1. / 6 - w * (1. / 12 - w / 20)) + mean * (0.5 - w * (1. / 6 - w / 12));
    return (first + second / a + !scaled) / a;
}

static double log_odds_slope(double a, double b, double l, double (*slope)(const place *p))
{
    if (!(a > 0 && b > 0) || isinf(a) || isinf(b) || isnan(l))
        return NAN;
    const double at = fmin(fmax(l, -END), END);
    const place p = place_of(a, b, 1 / (1 + exp(-at)), 1 / (1 + exp(at)));
    return -slope(&p);
}

double gb_beta_log_odds_slope_a_at(double a, double b, double l)
{
    const double n = l - log(a) + log(b);
    if (is_near_large_mean(a, b, n))
        return slope_near_large_mean(a, b, n, false);
    return log_odds_slope(a, b, l, slope_a) - fmin(l + END, 0) / a;
}

double gb_beta_log_odds_slope_b_at(double a, double b, double l)
{
    const double n = l - log(a) + log(b);
    if (is_near_large_mean(b, a, -n))
        return -slope_near_large_mean(b, a, -n, false);
    return log_odds_slope(a, b, l, slope_b) - fmax(l - END, 0) / b;
}

double gb_beta_scaled_slope_a_at(double a, double b, double n)
{
    if (!(a > GB_GAMMA_LARGE && b > GB_GAMMA_LARGE))
        return gb_beta_log_odds_slope_a_at(a, b, n);
    if (is_near_large_mean(a, b, n))
        return slope_near_large_mean(a, b, n, true);
    return gb_beta_log_odds_slope_a_at(a, b, n + (log(a) - log(b))) - 1 / a;
}

double gb_beta_scaled_slope_b_at(double a, double b, double n)
{
    if (!(a > GB_GAMMA_LARGE && b > GB_GAMMA_LARGE))
        return gb_beta_log_odds_slope_b_at(a, b, n);
    return -gb_beta_scaled_slope_a_at(b, a, -n);
}

/* z² / df has the odds of a draw from Beta(1/2, df/2). For a large df their slope cancels 1/df, and the first
 * terms of the expansion in 1/df, which are those of Cornish and Fisher, are more accurate. */
double gb_student_t_draw_slope_at(double df, double z)
{
    const double z2 = z * z;
    if (!(df > 0) || isnan(z))
        return NAN;
    if (df > 1e6 && z2 < 100)
        return z / df / df * ((z2 - 1) * z2 / 12 / df - (z2 + 1) / 4);
    const double log_odds = 2 * log(fabs(z)) - log(df);
    return z == 0 ? 0 : z * (0.5 / df + 0.25 * gb_beta_log_odds_slope_b_at(0.5, df / 2, log_odds));
}

/* ---- the inverse ---- The logarithm of the odds x / y has a log-concave density, so log I is concave in it.
 * So from any starting point Newton's method first goes below the root and then increases to it. */

/* Returns the odds of the root. */
static double newton(double a, double b, double target)
{
    double odds = a / b, above = odds; /* the root is below `above` */
    for (int i = 0; i < 100; i++) {
        const place p = place_of(a, b, odds / (1 + odds), 1 / (1 + odds));
        const double at = value(&p), w = a * head(&p);
        if (!(at > 0 && w > 0)) { /* too far in the tail: everything underflows */
            odds = sqrt(odds) * sqrt(above);
            continue;
        }
        const double error = gb_log_quotient_at(target, at), step = error * (at / w);
        const double now = log(odds); /* limited to ±300 */
        if (error < 0)
            above = odds;
        odds *= exp(fmin(fmax(step, -300 - now), 300 - now));
        if (fabs(step) < 1e-14 || fabs(error) < DBL_EPSILON)
            break;
    }
    return odds;
}

/* log x for a tiny x, from I = x^a / (a B). */
static double log_if_small(double a, double b, double p)
{
    return (log(p) - (gb_log_gamma_ratio_at(b, a) - gb_log_gamma_ratio_at(1, a))) / a;
}

static bool is_small(double log_x, double b)
{
    return log_x < -38 - log1p(b);
}

/* The x with I = p, where q = 1 − p. The smaller of the two has its digits. */
static double inverse(double a, double b, double p, double q)
{
    if (!(a > 0 && b > 0 && p >= 0 && p <= 1) || isinf(a) || isinf(b))
        return NAN;
    if (p == 0 || q == 0)
        return p == 0 ? 0 : 1;
    const double log_x = log_if_small(a, b, p), log_y = log_if_small(b, a, q);
    if (is_small(log_x, b))
        return exp(log_x);
    if (is_small(log_y, a))
        return 1 - exp(log_y);
    if (p > 0.5)
        return 1 / (1 + newton(b, a, q));
    const double odds = newton(a, b, p);
    return odds / (1 + odds);
}

double gb_beta_i_inverse_at(double a, double b, double p)
{
    return inverse(a, b, p, 1 - p);
}

double gb_beta_i_upper_inverse_at(double a, double b, double q)
{
    return inverse(a, b, 1 - q, q);
}
