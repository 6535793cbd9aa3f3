/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Costs of one normal draw (Mohamed, Rosca, Figurnov and Mnih 2020, section 3). */
#include "compare/problems/list_impl.h"
#include "compare/problems/problem_impl.h"
#include "core/op.h"
#include "distributions/list.h"
#include "ops/elementwise.h"

enum { MU, SIGMA, K };

typedef struct parameters {
    gb_node mu, sigma, k;
} parameters;

static parameters parameters_of(gb_trial *trial)
{
    return (parameters){.mu = gb_trial_number(trial, "mu", trial->setting[MU]),
                        .sigma = gb_trial_number(trial, "sigma", trial->setting[SIGMA]),
                        .k = gb_num(trial->tape, trial->setting[K])};
}

static gb_node draw(gb_trial *trial, const parameters *p)
{
    return gb_trial_draw(trial, "x", gb_normal(p->mu, p->sigma));
}

#define GB_GAUSS_SETTINGS(k, words)                                                                          \
    {                                                                                                        \
        {"mu", 1, -100, 100, "the mean"}, {"sigma", 1, 1e-6, 100, "the standard deviation"},                 \
        {                                                                                                    \
            "k", k, -100, 100, words                                                                         \
        }                                                                                                    \
    }

static const double CHECK_SETTINGS[] = {[MU] = 1, [SIGMA] = 1, [K] = 0.5};

/* ---- (x - k)^2 ---- */

static gb_node square(gb_trial *trial)
{
    const parameters p = parameters_of(trial);
    return gb_square(gb_sub(draw(trial, &p), p.k));
}

static gb_node expected_square(gb_trial *trial)
{
    const parameters p = parameters_of(trial);
    return gb_add(gb_square(gb_sub(p.mu, p.k)), gb_square(p.sigma));
}

const gb_problem gb_gauss_square_problem = {
    .size = sizeof(gb_problem),
    .name = "gauss-square",
    .formula = "E (x - k)^2, x ~ N(mu, sigma)",
    .settings = GB_GAUSS_SETTINGS(0, "where the cost is 0"),
    .cost = square,
    .expected = expected_square,
    .exact = "quadrature",
    .check_settings = CHECK_SETTINGS,
};

/* ---- exp(-k x^2) ---- */

/* c = 1 + 2 k sigma^2; unless it is above 0, the integral diverges. */
static bool bump_is_finite(const gb_trial *trial)
{
    const double k = trial->setting[K], sigma = trial->setting[SIGMA];
    if (1 + 2 * k * sigma * sigma > 0)
        return true;
    gb_fail(trial->tape, GB_EARGUMENT,
            "problem gauss-exp: E exp(-k x^2) is infinite at k %g and sigma %g; k must be above "
            "-1 / (2 sigma^2) = %g",
            k, sigma, -0.5 / (sigma * sigma));
    return false;
}

static gb_node bump(gb_trial *trial)
{
    if (!bump_is_finite(trial))
        return (gb_node){0};
    const parameters p = parameters_of(trial);
    return gb_exp(gb_neg(gb_mul(p.k, gb_square(draw(trial, &p)))));
}

/* c^(-1/2) exp(-k mu^2 / c). */
static gb_node expected_bump(gb_trial *trial)
{
    if (!bump_is_finite(trial))
        return (gb_node){0};
    const parameters p = parameters_of(trial);
    const gb_node c = gb_shift(gb_scale(gb_mul(p.k, gb_square(p.sigma)), 2), 1);
    return gb_mul(gb_rsqrt(c), gb_exp(gb_neg(gb_div(gb_mul(p.k, gb_square(p.mu)), c))));
}

const gb_problem gb_gauss_exp_problem = {
    .size = sizeof(gb_problem),
    .name = "gauss-exp",
    .formula = "E exp(-k x^2), x ~ N(mu, sigma)",
    .settings = GB_GAUSS_SETTINGS(1, "how narrow the bump is"),
    .cost = bump,
    .expected = expected_bump,
    .exact = "quadrature",
    .check_settings = CHECK_SETTINGS,
};

/* ---- cos(k x) ---- */

static gb_node wave(gb_trial *trial)
{
    const parameters p = parameters_of(trial);
    return gb_cos(gb_mul(p.k, draw(trial, &p)));
}

static gb_node expected_wave(gb_trial *trial)
{
    const parameters p = parameters_of(trial);
    return gb_mul(gb_cos(gb_mul(p.k, p.mu)), gb_exp(gb_scale(gb_square(gb_mul(p.k, p.sigma)), -0.5)));
}

const gb_problem gb_gauss_cos_problem = {
    .size = sizeof(gb_problem),
    .name = "gauss-cos",
    .formula = "E cos(k x), x ~ N(mu, sigma)",
    .settings = GB_GAUSS_SETTINGS(1, "the frequency"),
    .cost = wave,
    .expected = expected_wave,
    .exact = "quadrature",
    .check_settings = CHECK_SETTINGS,
};
