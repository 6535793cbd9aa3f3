/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Far out, on double and on float tapes, and at parameters near the ends of their domains: quantiles invert
 * the distribution function, and no distribution rejects its own draws. */
#include <float.h>
#include <math.h>

#include "core/op.h"
#include "kit/distributions/checks_impl.h"
#include "kit/distributions/evaluate_impl.h"
#include "kit/shell/values_impl.h"

/* ---- quantiles ---- */

/* Probabilities for the quantiles of a tape: from 1e-300 (float 1e-30) to 1 − ε. */
static size_t probabilities(bool narrow, double *p)
{
    static const double of[] = {1e-300, 1e-200, 1e-100, 1e-45, 1e-30, 1e-20, 1e-12, 1e-6, 1e-4, 1e-3,
                                0.01,   0.1,    0.25,   0.499, 0.5,   0.7,   0.9,   0.99, 0.999};
    size_t count = 0;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (!narrow || of[i] >= 1e-30)
            p[count++] = narrow ? (double)(float)of[i] : of[i];
    p[count++] = 1 - (narrow ? (double)FLT_EPSILON : DBL_EPSILON);
    return count;
}

/* The numbers next to a quantile x between which the exact one lies, as far as x can tell: rounded,
 * underflowed to 0, or overflowed. (Near the largest numbers a function that standardises may overflow
 * too.) */
static void neighbours(const gb_dist_case *c, bool narrow, double x, double *below, double *above)
{
    const double most = 1e-8 * (narrow ? (double)FLT_MAX : DBL_MAX);
    const double least = narrow ? (double)FLT_MIN : DBL_MIN;
    const double rounding = 64 * (narrow ? (double)FLT_EPSILON : DBL_EPSILON) * fabs(x);
    *below = x > most ? most : x - fmax(rounding, c->discrete ? 1 : least);
    *above = x < -most ? -most : x + fmax(rounding, c->discrete ? 0 : least);
}

/* At a quantile of p the distribution function is p, but for roundings of x and of the exponent of p. */
static void compare_inverse(gb_dist_case *c, bool narrow, gb_ability function, gb_ability inverse)
{
    enum { MOST = 32 };
    gb_case_function there, back;
    double p[MOST], x[MOST], around[2 * MOST], at[2 * MOST];
    const bool falls = function == GB_CAN_SURVIVAL;
    const size_t count = probabilities(narrow, p);
    if (!gb_case_distribution_function(&there, c, inverse) ||
        !gb_case_distribution_function(&back, c, function) || !gb_case_evaluate(&there, count, p, x))
        return;
    for (size_t i = 0; i < count; i++)
        neighbours(c, narrow, x[i], &around[falls ? count + i : i], &around[falls ? i : count + i]);
    if (!gb_case_evaluate(&back, 2 * count, around, at))
        return;
    const double rounding = 64 * (narrow ? (double)FLT_EPSILON : DBL_EPSILON);
    for (size_t i = 0; i < count; i++) {
        const double allowed = rounding * (1 - log(p[i])) * p[i];
        const bool passed = at[i] <= p[i] + allowed && at[count + i] >= p[i] - allowed;
        gb_kit_verdict(c->kit, GB_ON_ICDF, passed,
                       "%s%s(%.9g) is %.9g, but %s is %.9g at %.17g and %.9g at %.17g",
                       narrow ? "on a float tape " : "", falls ? "inverse_survival" : "icdf", p[i], x[i],
                       falls ? "survival" : "cdf", at[i], around[i], at[count + i], around[count + i]);
    }
}

static void check_inverse(gb_dist_case *c, bool narrow, gb_ability function, gb_ability inverse)
{
    if (c->size == 1 && gb_dist_can(c->d, function) && gb_dist_can(c->d, inverse))
        compare_inverse(c, narrow, function, inverse);
    else
        gb_kit_skip(c->kit, GB_ON_ICDF, "it has none");
}

/* ---- draws ---- */

static bool all_finite(const double *x, size_t count)
{
    bool finite = true;
    for (size_t i = 0; i < count; i++)
        finite &= isfinite(x[i]);
    return finite;
}

/* Whether a parameter is so large that its exponential overflows: a logarithm of a scale, say. */
static bool may_overflow(gb_dist_case *c, bool narrow)
{
    const double most = log(narrow ? (double)FLT_MAX : DBL_MAX);
    size_t params, count;
    gb_dist_params(&c->d, &params);
    for (size_t i = 0; i < params; i++) {
        const double *const value = gb_kit_ask(c->tape, c->d.param[i], &count);
        for (size_t j = 0; value && j < count; j++)
            if (value[j] > most)
                return true;
    }
    return false;
}

/* A draw is finite, and has a density. */
static void check_own(gb_dist_case *c, bool narrow, gb_node draw)
{
    enum { DRAWS = 2000 };
    gb_case_function f;
    double *const x = gb_case_draws(c, draw, DRAWS);
    double *const log_p = gb_tape_keep(c->tape, DRAWS * sizeof *log_p);
    if (!x || !log_p || !gb_case_log_prob(&f, c, c->d) || !gb_case_evaluate(&f, DRAWS, x, log_p))
        return;
    size_t wrong = 0, first = 0, overflown = 0;
    for (size_t i = 0; i < DRAWS; i++) {
        const bool is_finite = all_finite(x + i * c->size, c->size);
        const bool right = is_finite && !isnan(log_p[i]) && log_p[i] != -INFINITY;
        overflown += is_finite ? 0 : 1;
        first = wrong == 0 ? i : first;
        wrong += right ? 0 : 1;
    }
    if (overflown == DRAWS && may_overflow(c, narrow)) {
        gb_kit_skip(c->kit, GB_ON_SUPPORT, "at an extreme instance all draws overflow");
        return;
    }
    gb_kit_verdict(c->kit, GB_ON_SUPPORT, wrong == 0, "%sit rejects %zu of %d draws: log_prob(%.9g …) is %g",
                   narrow ? "on a float tape " : "", wrong, DRAWS, x[first * c->size], log_p[first]);
}

static void check_draws(gb_dist_case *c, bool narrow)
{
    const gb_noise noise = gb_stream(c->tape, "kit extremes");
    check_own(c, narrow, gb_sample(c->d, noise, GB_SAMPLES));
    if (gb_dist_can(c->d, GB_CAN_RSAMPLE) && GB_HAS(c->d.type, sample))
        check_own(c, narrow, gb_rsample(c->d, noise, GB_SAMPLES));
}

/* ---- all ---- */

static void check(gb_dist_case *c, bool narrow)
{
    check_inverse(c, narrow, GB_CAN_CDF, GB_CAN_ICDF);
    check_inverse(c, narrow, GB_CAN_SURVIVAL, GB_CAN_INVERSE_SURVIVAL);
    if (gb_error(c->tape) == GB_OK)
        check_draws(c, narrow);
    gb_dist_case_fine(c);
}

void gb_dist_check_extremes(gb_dist_case *c)
{
    gb_dist_case narrow;
    check(c, false);
    if (gb_dist_case_narrow(&narrow, c))
        check(&narrow, true);
    gb_dist_case_end(&narrow);
}
