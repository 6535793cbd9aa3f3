/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "one_bit.h"

#include <math.h>

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static double softplus(double x)
{
    return fmax(x, 0) + log1p(exp(-fabs(x)));
}

static double square(double x)
{
    return x * x;
}

static double cost(const one_bit *bit, double b)
{
    return square(b - bit->t);
}

static double gap(const one_bit *bit)
{
    return cost(bit, 1) - cost(bit, 0);
}

/* ---- closed forms ---- */

double one_bit_chance(const one_bit *bit)
{
    return sigmoid(bit->phi);
}

double one_bit_mean_cost(const one_bit *bit)
{
    return cost(bit, 0) + sigmoid(bit->phi) * gap(bit);
}

double one_bit_best_baseline(const one_bit *bit)
{
    return cost(bit, 0) + sigmoid(-bit->phi) * gap(bit);
}

double one_bit_score(const one_bit *bit, double baseline)
{
    const double p = sigmoid(bit->phi);
    return p * (1 - p) * square(one_bit_best_baseline(bit) - baseline);
}

/* Both draws differ where u or 1 − u is below m, the probability of the rarer value. */
static double rarer(const one_bit *bit)
{
    return sigmoid(-fabs(bit->phi));
}

double one_bit_arm(const one_bit *bit)
{
    const double m = rarer(bit);
    return square(gap(bit)) * (2. / 3 * (0.125 - pow(0.5 - m, 3)) - square(m * (1 - m)));
}

double one_bit_disarm(const one_bit *bit)
{
    const double m = rarer(bit);
    return square(gap(bit)) * m * square(1 - m) * (0.5 - m);
}

/* ---- REBAR ---- */

/* The gradient is (f(b) − l)(b − p) + η h, where h = A(z) − Q(z̃) has the mean 0. A is the derivative of the
 * relaxed cost along z; Q has that along z̃, and the score of the relaxed cost. These are means given b. */
typedef struct moments {
    double a, q, aa, qq, aq;
} moments;

/* Sums over logistic noise by the trapezoid rule, which converges exponentially for functions that are
 * analytic near the real line. */
static moments moments_given(const one_bit *bit, const one_bit_rebar *how, int b)
{
    static const double step = 0.02, far = 45;
    const double p = sigmoid(bit->phi), sign = b ? 1 : -1, shift = softplus(sign * bit->phi);
    moments m = {0};
    for (double noise = -far; noise < far; noise += step) {
        const double weight = step * sigmoid(noise) * sigmoid(-noise);
        const double z = sign * softplus(noise + shift), s = sigmoid(z / how->temperature);
        const double slope = 2 * (s - bit->t) * s * (1 - s) / how->temperature;
        const double along = sigmoid(noise + shift) * sigmoid(sign * bit->phi); /* ∂z̃ / ∂φ; that of z is 1 */
        const double a = slope, q = (cost(bit, s) - how->level) * (b - p) + slope * along;
        m.a += weight * a;
        m.q += weight * q;
        m.aa += weight * a * a;
        m.qq += weight * q * q;
        m.aq += weight * a * q;
    }
    return m;
}

one_bit_quadratic one_bit_rebar_of(const one_bit *bit, const one_bit_rebar *how)
{
    const double p = sigmoid(bit->phi);
    one_bit_quadratic v = {.constant = one_bit_score(bit, how->level)};
    for (int b = 0; b < 2; b++) {
        const moments m = moments_given(bit, how, b);
        const double chance = b ? p : 1 - p, score = (cost(bit, b) - how->level) * (b - p);
        v.linear += chance * 2 * score * (m.a - m.q);
        v.square += chance * (m.aa + m.qq - 2 * (how->coupled ? m.aq : m.a * m.q));
    }
    return v;
}

double one_bit_at(one_bit_quadratic v, double eta)
{
    return fmax(0, v.constant + eta * (v.linear + eta * v.square)); /* roundings may be below 0 */
}

double one_bit_best_eta(one_bit_quadratic v)
{
    return -v.linear / (2 * v.square);
}

double one_bit_rebar_best(const one_bit *bit, const one_bit_rebar *how)
{
    double least = INFINITY;
    for (int k = -20; k <= 20; k++) {
        one_bit_rebar other = *how;
        other.temperature *= pow(5, k / 20.);
        const one_bit_quadratic v = one_bit_rebar_of(bit, &other);
        least = fmin(least, one_bit_at(v, one_bit_best_eta(v)));
    }
    return least;
}
