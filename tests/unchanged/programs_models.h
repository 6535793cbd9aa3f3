/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Posterior families, priors and likelihoods. */
#ifndef GREBE_TESTS_PROGRAMS_MODELS_H
#define GREBE_TESTS_PROGRAMS_MODELS_H

#include "model.h"

/* ---- families ---- */

static void fit_family(probe *p, gb_family family, gb_dist prior, gb_estimator estimator)
{
    model *const m = begin(p, (gb_elbo_options){.samples = 3}, REALS);
    m->w = gb_latent(m->e, "w", family, prior, estimator);
    observe_line(p, m);
    const gb_node line = gb_dot(m->x, m->w);
    const gb_node mean = gb_predict_mean(m->e, line), sd = gb_predict_sd(m->e, line);
    fit(p, m);
    keep(p, mean);
    keep(p, sd);
    look_at_kept(p, 1);
}

static gb_node starts(probe *p)
{
    return gb_constant(p->t, gb_shape(COLUMNS), GB_VALUES(0.5, -0.25, 0.125));
}

static void family_point(probe *p)
{
    fit_family(p, gb_point(gb_shape(COLUMNS), .spread = 0.5), standard_normal(p), gb_pathwise());
}
static void family_mean_field(probe *p)
{
    fit_family(p, gb_mean_field(gb_shape(COLUMNS), .spread = 0.5, .scale = 0.25), standard_normal(p),
               gb_pathwise());
}
static void family_low_rank(probe *p)
{
    fit_family(p, gb_low_rank(gb_shape(COLUMNS), .rank = 2, .map = GB_SCALE_EXP), standard_normal(p),
               gb_pathwise());
}
static void family_blocks(probe *p)
{
    fit_family(p, gb_low_rank(gb_shape(COLUMNS), .rank = 2, .blocks = COLUMNS), standard_normal(p),
               gb_pathwise());
}
static void family_banded(probe *p)
{
    fit_family(p, gb_banded(gb_shape(COLUMNS), .band = 2), standard_normal(p), gb_pathwise());
}
static void family_planar(probe *p)
{
    fit_family(p, gb_planar(gb_shape(COLUMNS), .layers = 2), standard_normal(p), gb_pathwise());
}
static void family_coupling(probe *p)
{
    fit_family(p, gb_coupling(gb_shape(COLUMNS), .layers = 2, .hidden = 3), standard_normal(p),
               gb_pathwise());
}
static void family_spline(probe *p)
{
    fit_family(p, gb_spline(gb_shape(COLUMNS), .layers = 2, .hidden = 3, .bins = 3), standard_normal(p),
               gb_pathwise());
}
static void family_autoregressive(probe *p)
{
    fit_family(p, gb_autoregressive(gb_shape(COLUMNS), .layers = 2, .hidden = 3), standard_normal(p),
               gb_pathwise());
}
static void family_full_rank(probe *p)
{
    fit_family(p, gb_full_rank(gb_shape(COLUMNS), .locations = starts(p)), standard_normal(p), gb_pathwise());
}
static void family_matching(probe *p)
{
    const gb_node shape = gb_num(p->t, 2), rate = gb_num(p->t, 1.5);
    fit_family(p, gb_mean_field_matching(gb_shape(COLUMNS), .scale = 0.5), gb_gamma(shape, rate),
               gb_pathwise());
}
static void family_matching_unit(probe *p)
{
    const gb_node a = gb_num(p->t, 2), b = gb_num(p->t, 1.5);
    fit_family(p, gb_mean_field_matching(gb_shape(COLUMNS), .scale = 0.5, .unit = GB_MATCHING_KUMARASWAMY),
               gb_beta(a, b), gb_pathwise());
}
static void family_matching_lognormal(probe *p)
{
    const gb_node shape = gb_num(p->t, 2), rate = gb_num(p->t, 1.5);
    fit_family(p, gb_mean_field_matching(gb_shape(COLUMNS), .scale = 0.5, .positive = GB_MATCHING_LOGNORMAL),
               gb_gamma(shape, rate), gb_pathwise());
}
static void family_matching_interval(probe *p)
{
    const gb_node low = gb_num(p->t, -1), high = gb_num(p->t, 2);
    fit_family(p, gb_mean_field_matching(gb_shape(COLUMNS), .scale = 0.5), gb_uniform(low, high),
               gb_pathwise());
}
static void family_matching_simplex(probe *p)
{
    const gb_node concentration = gb_constant(p->t, gb_shape(COLUMNS), gb_fill(1.5));
    fit_family(p, gb_mean_field_matching(gb_shape(COLUMNS), .scale = 0.5), gb_dirichlet(concentration),
               gb_pathwise());
}
static void family_matching_reals(probe *p)
{
    fit_family(p, gb_mean_field_matching(gb_shape(COLUMNS), .scale = 0.5), standard_normal(p), gb_pathwise());
}
static void family_dropout(probe *p)
{
    fit_family(p, gb_dropout_posterior(gb_shape(COLUMNS), .spread = 0.5, .keep = 0.75), standard_normal(p),
               gb_pathwise());
}
static void family_dropout_learned(probe *p)
{
    fit_family(p,
               gb_dropout_posterior(gb_shape(COLUMNS), .keep = 0.75, .locations = starts(p),
                                    .is_learned = true, .rescaled = true),
               standard_normal(p), gb_dropout_draws(.mask = gb_disarm()));
}
static void family_given(probe *p)
{
    const gb_node loc = variable(p, "loc", gb_shape(COLUMNS), -1, 1);
    const gb_node raw = variable(p, "raw", gb_shape(COLUMNS), -1, 0);
    const gb_dist q = gb_laplace(loc, gb_exp(raw));
    fit_family(p, gb_posterior_of(q), standard_normal(p), gb_pathwise());
}
static void family_row_by_row(probe *p)
{
    fit_family(p, gb_row_by_row(gb_mean_field(gb_shape(COLUMNS), .spread = 0.5)), standard_normal(p),
               gb_pathwise());
}
static void family_with_score(probe *p)
{
    fit_family(p, gb_full_rank(gb_shape(COLUMNS), .scale = 0.5), standard_normal(p),
               gb_score(.baseline = gb_leave_one_out()));
}

/* ---- priors with different supports ---- */

typedef gb_dist prior_of(probe *p, gb_node a, gb_node b);
#define PRIOR(name, call)                                                                                    \
    static gb_dist prior_##name(probe *p, gb_node a, gb_node b)                                              \
    {                                                                                                        \
        (void)p, (void)a, (void)b;                                                                           \
        return call;                                                                                         \
    }
PRIOR(laplace, gb_laplace(a, b))
PRIOR(student_t, gb_student_t(gb_num(p->t, 4), a, b))
PRIOR(scale_mixture, gb_scale_mixture(a, b, gb_num(p->t, 0.125)))
PRIOR(half_cauchy, gb_half_cauchy(b))
PRIOR(lognormal, gb_lognormal(a, b))
PRIOR(uniform, gb_uniform(a, gb_num(p->t, 3)))
PRIOR(dirichlet, gb_dirichlet(gb_constant(p->t, gb_shape(COLUMNS), gb_fill(1.5))))

static void fit_prior(probe *p, prior_of *prior)
{
    const gb_node a = gb_num(p->t, 0.5), b = gb_num(p->t, 1);
    fit_family(p, gb_mean_field(gb_shape(COLUMNS), .locations = starts(p)), prior(p, a, b), gb_pathwise());
}
#define FIT_PRIOR(name)                                                                                      \
    static void fit_prior_##name(probe *p)                                                                   \
    {                                                                                                        \
        fit_prior(p, prior_##name);                                                                          \
    }
FIT_PRIOR(laplace)
FIT_PRIOR(student_t)
FIT_PRIOR(scale_mixture)
FIT_PRIOR(half_cauchy)
FIT_PRIOR(lognormal)
FIT_PRIOR(uniform)

static void fit_prior_none(probe *p)
{
    fit_family(p, gb_mean_field(gb_shape(COLUMNS), .locations = starts(p)), gb_no_prior, gb_pathwise());
}

/* n probabilities have n - 1 free numbers, so .locations of n numbers do not fit. */
static void fit_prior_dirichlet(probe *p)
{
    const gb_node zero = gb_num(p->t, 0);
    fit_family(p, gb_mean_field(gb_shape(COLUMNS), .scale = 0.25), prior_dirichlet(p, zero, zero),
               gb_pathwise());
}

/* ---- likelihoods ---- */

static void fit_likelihood(probe *p, outcome kind, gb_dist (*of)(gb_node line, gb_node four, gb_node half))
{
    const gb_node four = gb_num(p->t, 4), half = gb_num(p->t, 0.5);
    model *const m = begin(p, (gb_elbo_options){.samples = 2, .kl = GB_KL_SAMPLED}, kind);
    m->w = gb_latent(m->e, "w", gb_mean_field(gb_shape(COLUMNS), .scale = 0.25), standard_normal(p),
                     gb_pathwise());
    const gb_node line = gb_dot(m->x, m->w);
    gb_observe(m->e, "y", of(line, four, half), m->y);
    fit(p, m);
}

#define LIKELIHOOD(name, kind, call)                                                                         \
    static gb_dist likelihood_of_##name(gb_node line, gb_node four, gb_node half)                            \
    {                                                                                                        \
        (void)four, (void)half;                                                                              \
        return call;                                                                                         \
    }                                                                                                        \
    static void likelihood_##name(probe *p)                                                                  \
    {                                                                                                        \
        fit_likelihood(p, kind, likelihood_of_##name);                                                       \
    }
LIKELIHOOD(bernoulli, COINS, gb_bernoulli_logits(line))
LIKELIHOOD(poisson, COUNTS, gb_poisson(gb_exp(line)))
LIKELIHOOD(negative_binomial, COUNTS, gb_negative_binomial_logits(four, line))
LIKELIHOOD(student_t, REALS, gb_student_t(four, line, half))
LIKELIHOOD(laplace, REALS, gb_laplace(line, half))
LIKELIHOOD(gamma, POSITIVES, gb_gamma(four, gb_exp(gb_neg(line))))

/* clang-format off */
#define MODEL_PROGRAMS                                                                                       \
    PROGRAM("family/point", family_point),                                                                   \
    PROGRAM("family/mean_field", family_mean_field),                                                         \
    PROGRAM("family/low_rank", family_low_rank),                                                             \
    PROGRAM("family/blocks", family_blocks),                                                                 \
    PROGRAM("family/banded", family_banded),                                                                 \
    PROGRAM("family/planar", family_planar),                                                                 \
    PROGRAM("family/coupling", family_coupling),                                                             \
    PROGRAM("family/spline", family_spline),                                                                 \
    PROGRAM("family/autoregressive", family_autoregressive),                                                 \
    PROGRAM("family/full_rank", family_full_rank),                                                           \
    PROGRAM("family/matching", family_matching),                                                             \
    PROGRAM("family/matching-unit", family_matching_unit),                                                   \
    PROGRAM("family/matching-lognormal", family_matching_lognormal),                                         \
    PROGRAM("family/matching-interval", family_matching_interval),                                           \
    PROGRAM("family/matching-simplex", family_matching_simplex),                                             \
    PROGRAM("family/matching-reals", family_matching_reals),                                                 \
    PROGRAM("family/dropout", family_dropout),                                                               \
    PROGRAM("family/dropout-learned", family_dropout_learned),                                               \
    PROGRAM("family/given", family_given),                                                                   \
    PROGRAM("family/row-by-row", family_row_by_row),                                                         \
    PROGRAM("family/with-score", family_with_score),                                                         \
    PROGRAM("prior/laplace", fit_prior_laplace),                                                             \
    PROGRAM("prior/student_t", fit_prior_student_t),                                                         \
    PROGRAM("prior/scale_mixture", fit_prior_scale_mixture),                                                 \
    PROGRAM("prior/half_cauchy", fit_prior_half_cauchy),                                                     \
    PROGRAM("prior/lognormal", fit_prior_lognormal),                                                         \
    PROGRAM("prior/uniform", fit_prior_uniform),                                                             \
    PROGRAM("prior/dirichlet", fit_prior_dirichlet),                                                         \
    PROGRAM("prior/none", fit_prior_none),                                                                   \
    PROGRAM("likelihood/bernoulli", likelihood_bernoulli),                                                   \
    PROGRAM("likelihood/poisson", likelihood_poisson),                                                       \
    PROGRAM("likelihood/negative_binomial", likelihood_negative_binomial),                                   \
    PROGRAM("likelihood/student_t", likelihood_student_t),                                                   \
    PROGRAM("likelihood/laplace", likelihood_laplace),                                                       \
    PROGRAM("likelihood/gamma", likelihood_gamma)
/* clang-format on */

#endif
