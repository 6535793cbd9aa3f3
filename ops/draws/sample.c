/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ops/draws/sample_impl.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

/* ---- randomness ---- */

gb_sample_source gb_sample_source_of(const gb_noise_state *state, uint64_t element)
{
    return (gb_sample_source){.key = state->key,
                              .step = *state->step,
                              .element = gb_noise_element(state, element),
                              .use = GB_SAMPLE_USES};
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

/* Returns one of the two normals of Box and Muller 1958. */
double gb_sample_normal(gb_sample_source *source)
{
    const double radius = sqrt(-2 * log(gb_sample_uniform(source)));
    return radius * cos(2 * pi * gb_sample_uniform(source));
}

/* ---- gamma ---- */

/* Marsaglia and Tsang 2000: d (1 + t)³ with t = x / (3 √d) for a normal x. It is accepted with probability
 * e^h, where h = x²/2 + d − d (1 + t)³ + 3 d log(1 + t) = 3 d (log(1 + t) − t + t²/2 − t³/3). A draw with a
 * shape below 1 is a draw with a shape larger by 1, times u^(1 / alpha). */
double gb_sample_gamma(gb_sample_source *source, double alpha, gb_gamma_form form)
{
    const double d = (alpha < 1 ? alpha + 1 : alpha) - 1. / 3, scale = 1 / (3 * sqrt(d));
    double t, log_root;
    do {
        do
            t = scale * gb_sample_normal(source);
        while (t <= -1);
        log_root = log1p(t);
    } while (!(log(gb_sample_uniform(source)) < 3 * d * (log_root - t * (1 - t * (0.5 - t / 3)))));
    const double log_boost = alpha < 1 ? log(gb_sample_uniform(source)) / alpha : 0;
    if (form == GB_GAMMA_SCALED_LOG && alpha > GB_GAMMA_LARGE)
        return log1p(-1 / (3 * alpha)) + 3 * log_root;
    if (form != GB_GAMMA_DRAW)
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

/* k log(k / mean) + mean − k, the deviance of k. */
static double deviance(double k, double mean)
{
    const double z = k - mean, e = z / mean;
    if (fabs(e) < 0.01) /* (1 + e) log(1 + e) − e without cancellation, relative error 2e-15 */
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

/* ---- counts ---- */

/* The count that u proposes, and its density under the hat, up to a factor. */
typedef struct proposal {
    double k, w, log_hat;
    bool inside;
} proposal;

static proposal propose(const gb_sample_hat *hat, double mean, double deviation, double p, double u, double v)
{
    const double b = hat->b_start + hat->b_slope * deviation;
    const double a = hat->a_start + hat->a_slope * b + hat->a_chance * p, w = 0.5 - fabs(u - 0.5);
    return (proposal){.k = floor((2 * a / w + b) * (u - 0.5) + mean + hat->shift),
                      .w = w,
                      .log_hat = -log(a / (w * w) + b),
                      .inside = w >= hat->wide &&
                                v <= hat->inside_most - hat->inside_slope / (b - hat->inside_start)};
}

double gb_sample_poisson(gb_sample_source *source, double rate, double u, double v)
{
    const double b = gb_poisson_hat.b_start + gb_poisson_hat.b_slope * sqrt(rate);
    const double log_scale = log(1.1239 + 1.1328 / (b - 3.4));
    for (;; u = gb_sample_uniform(source), v = gb_sample_uniform(source)) {
        const proposal at = propose(&gb_poisson_hat, rate, sqrt(rate), 0, u, v);
        if (at.inside || (at.k >= 0 && (at.w >= 0.013 || v <= at.w) &&
                          log(v) + log_scale + at.log_hat <= poisson_log_probability(at.k, rate)))
            return at.k;
    }
}

double gb_sample_binomial(gb_sample_source *source, double n, double p, double u, double v)
{
    const double deviation = sqrt(n * p * (1 - p));
    const double b = gb_binomial_hat.b_start + gb_binomial_hat.b_slope * deviation;
    const double log_scale =
        log((2.83 + 5.1 / b) * deviation) + binomial_log_probability(floor((n + 1) * p), n, p);
    for (;; u = gb_sample_uniform(source), v = gb_sample_uniform(source)) {
        const proposal at = propose(&gb_binomial_hat, n * p, deviation, p, u, v);
        if (at.inside || (at.k >= 0 && at.k <= n &&
                          log(v) + log_scale + at.log_hat <= binomial_log_probability(at.k, n, p)))
            return at.k;
    }
}

/* ---- von Mises ---- */

/* Best and Fisher 1979: a wrapped Cauchy angle θ with rejection. The formulas use δ = r − 1, which is small
 * if kappa is large: tan θ/2 is tan(π u / 2) √(δ / (δ + 2)), and w = 1 − cos θ. */
double gb_sample_von_mises(gb_sample_source *source, double kappa)
{
    const double delta = 0.5 / kappa * (1 + 1 / (sqrt(1 + 4 * kappa * kappa) + 2 * kappa));
    for (;;) {
        const double turn = 2 * gb_sample_uniform(source) - 1, u = gb_sample_uniform(source);
        const double sine = sin(0.5 * pi * turn), cosine = cos(0.5 * pi * turn);
        const double w = 2 * sine * sine * (delta / (delta + 2 * cosine * cosine));
        const double c = kappa * (delta + w);
        if (c * (2 - c) > u || log(c / u) + 1 >= c)
            return 2 * atan(sine / cosine * sqrt(delta / (delta + 2)));
    }
}
