/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ops/sample_impl.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

/* ---- randomness ---- */

gb_sample_source gb_sample_source_of(const gb_noise_state *state, uint64_t element)
{
    return (gb_sample_source){
        .key = state->key, .step = *state->step, .element = element, .use = GB_SAMPLE_USES};
}

static double uniform_of(uint32_t low, uint32_t high)
{
    return ((double)(((uint64_t)high << 32 | low) >> 12) + 0.5) * 0x1p-52;
}

double gb_sample_uniform(gb_sample_source *source)
{
    if (source->has_kept) {
        source->has_kept = false;
        return source->kept;
    }
    const uint32_t counter[4] = {(uint32_t)source->element, (uint32_t)(source->element >> 32),
                                 (uint32_t)source->step, (uint32_t)(source->step >> 32)};
    uint32_t word[4];
    gb_philox(counter, gb_noise_key_for(source->key, source->use++), word);
    source->kept = uniform_of(word[2], word[3]);
    source->has_kept = true;
    return uniform_of(word[0], word[1]);
}

/* Box and Muller 1958, one of the two. */
double gb_sample_normal(gb_sample_source *source)
{
    const double radius = sqrt(-2 * log(gb_sample_uniform(source)));
    return radius * cos(2 * pi * gb_sample_uniform(source));
}

/* ---- gamma ---- */

/* Marsaglia and Tsang 2000: d (1 + t)³ with t = x / (3 √d) for a normal x, accepted with the probability e^h where
 * h = x²/2 + d − d (1 + t)³ + 3 d log(1 + t) = 3 d (log(1 + t) − t + t²/2 − t³/3). A shape below 1 is that of a draw
 * with one more, times u^(1 / alpha). */
double gb_sample_gamma(gb_sample_source *source, double alpha, bool logarithm)
{
    if (!(alpha > 0 && alpha < INFINITY))
        return NAN;
    const double d = (alpha < 1 ? alpha + 1 : alpha) - 1. / 3, scale = 1 / (3 * sqrt(d));
    double t, log_root;
    do {
        do
            t = scale * gb_sample_normal(source);
        while (t <= -1);
        log_root = log1p(t);
    } while (!(log(gb_sample_uniform(source)) < 3 * d * (log_root - t * (1 - t * (0.5 - t / 3)))));
    const double log_boost = alpha < 1 ? log(gb_sample_uniform(source)) / alpha : 0;
    if (logarithm)
        return log(d) + 3 * log_root + log_boost;
    const double draw = d * (1 + t) * (1 + t) * (1 + t);
    return alpha < 1 ? draw * exp(log_boost) : draw;
}

/* ---- parts of the probabilities of counts (Loader 2000) ---- */

/* log k! − (k + 1/2) log k + k − log √(2π), for k ≥ 1, to 2e-14. */
static double stirling_rest(double k)
{
    enum { KNOWN = 16 };
    static const double known[KNOWN] = {0,
                                        0x1.4c071bcda0a5bp-4,
                                        0x1.52a9b923ea649p-5,
                                        0x1.c579a268d80b3p-6,
                                        0x1.54a2662fd78a9p-6,
                                        0x1.10b4e513fcbedp-6,
                                        0x1.c6b167bebdf36p-7,
                                        0x1.85d4d612e4a86p-7,
                                        0x1.552805e7b3076p-7,
                                        0x1.2f4871b12ab64p-7,
                                        0x1.10f9d4c0743a7p-7,
                                        0x1.f0593088014f8p-8,
                                        0x1.c7018733aa9c6p-8,
                                        0x1.a40514700f36cp-8,
                                        0x1.86076c002d4a7p-8,
                                        0x1.6c08f6f194a10p-8};
    if (k < KNOWN)
        return known[(int)k];
    const double r = 1 / k, s = r * r;
    return r * (1. / 12 - s * (1. / 360 - s * (1. / 1260 - s / 1680)));
}

/* k log(k / mean) + mean − k: how far k is from what is expected. */
static double deviance(double k, double mean)
{
    const double z = k - mean, e = z / mean;
    if (fabs(e) < 0.01) /* (1 + e) log(1 + e) − e without cancellation, to 2e-15 of itself */
        return z * e *
               (1. / 2 -
                e * (1. / 6 - e * (1. / 12 - e * (1. / 20 - e * (1. / 30 - e * (1. / 42 - e / 56))))));
    return mean * ((1 + e) * log1p(e) - e);
}

static double poisson_log_probability(double k, double rate)
{
    if (k == 0)
        return -rate;
    return -0.5 * log(2 * pi * k) - stirling_rest(k) - deviance(k, rate);
}

static double binomial_log_probability(double k, double n, double p)
{
    const double q = 1 - p;
    if (k == 0)
        return n * log1p(-p);
    if (k == n)
        return n * log(p);
    return stirling_rest(n) - stirling_rest(k) - stirling_rest(n - k) - deviance(k, n * p) -
           deviance(n - k, n * q) - 0.5 * log(2 * pi * k * ((n - k) / n));
}

/* ---- counts ----
 * Where the mean is small, the first k whose cumulative probability reaches u; what is left beyond probabilities of
 * 2^-60 is less than u can tell. */
static const double least_probability = 0x1p-60, most_by_inversion = 10;

static double poisson_by_inversion(double u, double rate)
{
    double probability = exp(-rate), k = 0;
    while (u > probability && probability > least_probability) {
        u -= probability;
        k++;
        probability *= rate / k;
    }
    return k;
}

/* Hörmann 1993, PTRS. */
static double poisson_by_rejection(gb_sample_source *source, double rate)
{
    const double b = 0.931 + 2.53 * sqrt(rate), a = -0.059 + 0.02483 * b;
    const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), inside = 0.9277 - 3.6224 / (b - 2);
    for (;;) {
        const double u = gb_sample_uniform(source) - 0.5, v = gb_sample_uniform(source);
        const double us = 0.5 - fabs(u), k = floor((2 * a / us + b) * u + rate + 0.43);
        if (us >= 0.07 && v <= inside)
            return k;
        if (k >= 0 && (us >= 0.013 || v <= us) &&
            log(v * inverse_alpha / (a / (us * us) + b)) <= poisson_log_probability(k, rate))
            return k;
    }
}

double gb_sample_poisson(gb_sample_source *source, double rate)
{
    if (!(rate >= 0 && rate < INFINITY))
        return NAN;
    return rate < most_by_inversion ? poisson_by_inversion(gb_sample_uniform(source), rate)
                                    : poisson_by_rejection(source, rate);
}

static double binomial_by_inversion(double u, double n, double p)
{
    double probability = exp(n * log1p(-p)), k = 0;
    while (k < n && u > probability && probability > least_probability) {
        u -= probability;
        probability *= (n - k) / (k + 1) * (p / (1 - p));
        k++;
    }
    return k;
}

/* Hörmann 1993, BTRS; p ≤ 1/2. */
static double binomial_by_rejection(gb_sample_source *source, double n, double p)
{
    const double deviation = sqrt(n * p * (1 - p));
    const double b = 1.15 + 2.53 * deviation, a = -0.0873 + 0.0248 * b + 0.01 * p;
    const double alpha = (2.83 + 5.1 / b) * deviation, inside = 0.92 - 4.2 / b;
    double at_mode = NAN;
    for (;;) {
        const double u = gb_sample_uniform(source) - 0.5, v = gb_sample_uniform(source);
        const double us = 0.5 - fabs(u), k = floor((2 * a / us + b) * u + n * p + 0.5);
        if (us >= 0.07 && v <= inside)
            return k;
        if (k < 0 || k > n)
            continue;
        if (isnan(at_mode))
            at_mode = binomial_log_probability(floor((n + 1) * p), n, p);
        if (log(v * alpha / (a / (us * us) + b)) <= binomial_log_probability(k, n, p) - at_mode)
            return k;
    }
}

double gb_sample_binomial(gb_sample_source *source, double n, double p)
{
    if (!(n >= 0 && n < INFINITY && floor(n) == n && p >= 0 && p <= 1))
        return NAN;
    const double rarer = p <= 0.5 ? p : 1 - p;
    const double k = n * rarer < most_by_inversion
                         ? binomial_by_inversion(gb_sample_uniform(source), n, rarer)
                         : binomial_by_rejection(source, n, rarer);
    return p <= 0.5 ? k : n - k;
}

/* ---- von Mises ---- */

/* Best and Fisher 1979: a wrapped Cauchy angle θ, accepted. Written in δ = r − 1 and w = 1 − cos θ, which are small
 * where kappa is large: with y = 1 − cos π u, w = δ y / (δ + 2 − y). */
double gb_sample_von_mises(gb_sample_source *source, double kappa)
{
    const double none = 1e-300;
    if (!(kappa >= 0 && kappa < INFINITY))
        return NAN;
    if (kappa < none)
        return pi * (2 * gb_sample_uniform(source) - 1);
    const double root = sqrt(0.25 / kappa / kappa + 1); /* r = 1 / 2κ + √(1 / 4κ² + 1) */
    const double delta = 0.5 / kappa + 0.25 / kappa / kappa / (root + 1);
    for (;;) {
        const double half = 0.5 * pi * gb_sample_uniform(source);
        const double sine = sin(half), cosine = cos(half);
        const double w = 2 * sine * sine * (delta / (delta + 2 * cosine * cosine));
        const double c = kappa * (delta + w), u = gb_sample_uniform(source);
        if (c * (2 - c) <= u && log(c / u) + 1 < c)
            continue;
        const double angle = 2 * asin(sqrt(fmin(0.5 * w, 1)));
        return gb_sample_uniform(source) < 0.5 ? -angle : angle;
    }
}
