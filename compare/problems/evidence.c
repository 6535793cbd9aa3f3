/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Log weights log p(y, z) − log q(z), for bounds of several draws. Without such a bound the cost is the
 * ELBO. */
#include "compare/problems/list_impl.h"
#include "compare/problems/problem_impl.h"
#include "distributions/kl.h"
#include "distributions/list.h"
#include "ops/arrange.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

/* ---- a normal ---- */

enum { MU, SIGMA, Y, NOISE, LOC, SCALE_OF_PRIOR };

typedef struct normals {
    gb_dist prior, q;
    gb_node y, noise;
} normals;

/* The parameters are those of q. */
static normals of_posterior(gb_trial *trial)
{
    gb_tape *const t = trial->tape;
    const gb_node mu = gb_trial_number(trial, "mu", trial->setting[MU]),
                  sigma = gb_trial_number(trial, "sigma", trial->setting[SIGMA]);
    return (normals){.prior = gb_normal(gb_num(t, 0), gb_num(t, 1)),
                     .q = gb_normal(mu, sigma),
                     .y = gb_num(t, trial->setting[Y]),
                     .noise = gb_num(t, trial->setting[NOISE])};
}

/* The parameters are those of the prior. */
static normals of_prior(gb_trial *trial)
{
    gb_tape *const t = trial->tape;
    const gb_node loc = gb_trial_number(trial, "loc", trial->setting[LOC]),
                  scale = gb_trial_number(trial, "scale", trial->setting[SCALE_OF_PRIOR]);
    return (normals){.prior = gb_normal(loc, scale),
                     .q = gb_normal(gb_num(t, trial->setting[MU]), gb_num(t, trial->setting[SIGMA])),
                     .y = gb_num(t, trial->setting[Y]),
                     .noise = gb_num(t, trial->setting[NOISE])};
}

static gb_node log_weight(gb_trial *trial, normals n)
{
    const gb_node z = gb_trial_draw(trial, "z", n.q);
    const gb_node log_p =
        gb_add(gb_draw_log_prior(trial->expect, z, n.prior), gb_log_prob(gb_normal(z, n.noise), n.y));
    return gb_add(log_p, gb_draw_log_prob(trial->expect, z, gb_num(trial->tape, -1)));
}

/* The mean of log N(y; z, noise) is that at the mean of q, less σ² / 2 noise². */
static gb_node elbo(normals n)
{
    const gb_node spread = gb_scale(gb_square(gb_div(n.q.param[1], n.noise)), 0.5);
    const gb_node fit = gb_sub(gb_log_prob(gb_normal(n.q.param[0], n.noise), n.y), spread);
    return gb_sub(fit, gb_kl(n.q, n.prior));
}

static gb_node weight_of_posterior(gb_trial *trial)
{
    return log_weight(trial, of_posterior(trial));
}

static gb_node elbo_of_posterior(gb_trial *trial)
{
    return elbo(of_posterior(trial));
}

static gb_node weight_of_prior(gb_trial *trial)
{
    return log_weight(trial, of_prior(trial));
}

static gb_node elbo_of_prior(gb_trial *trial)
{
    return elbo(of_prior(trial));
}

/* clang-format off */
#define GB_SETTINGS_OF_Q                                                                                     \
    {"mu", 0.3, -100, 100, "the mean of q"},                                                                 \
    {"sigma", 0.5, 1e-6, 100, "the standard deviation of q"},                                                \
    {"y", 1.2, -100, 100, "the datum"},                                                                      \
    {"noise", 0.7, 1e-6, 100, "the standard deviation of the datum"}
/* clang-format on */

const gb_problem gb_gauss_evidence_problem = {
    .size = sizeof(gb_problem),
    .name = "gauss-evidence",
    .formula = "log N(z; 0, 1) N(y; z, noise) / q(z), z ~ q = N(mu, sigma)",
    .settings = {GB_SETTINGS_OF_Q},
    .cost = weight_of_posterior,
    .expected = elbo_of_posterior,
    .is_log_weight = true,
};

const gb_problem gb_gauss_prior_problem = {
    .size = sizeof(gb_problem),
    .name = "gauss-prior",
    .formula = "log N(z; loc, scale) N(y; z, noise) / q(z), z ~ q = N(mu, sigma), in loc and scale",
    .settings = {GB_SETTINGS_OF_Q,
                 {"loc", 0, -100, 100, "the mean of the prior"},
                 {"scale", 1, 1e-6, 100, "the standard deviation of the prior"}},
    .cost = weight_of_prior,
    .expected = elbo_of_prior,
    .is_log_weight = true,
};

/* ---- choices of two ---- */

enum { LOGIT, OF, SCALE, UNITS = 6 };

static gb_dist choices(gb_trial *trial)
{
    const double logit = trial->setting[LOGIT];
    return gb_bernoulli_logits(gb_trial_parameter(trial, "logits", gb_shape(UNITS), gb_fill(logit)));
}

/* Each unit explains twice as much as the one before. */
static gb_node log_joint(const gb_trial *trial, gb_node b)
{
    gb_tape *const t = trial->tape;
    const gb_node by = gb_exp(gb_scale(gb_arange(t, UNITS), 0.6931471805599453 / 2));
    const gb_node sum = gb_sum_along(gb_mul(b, by), gb_axis(-1));
    const gb_dist law = gb_normal(sum, gb_num(t, trial->setting[SCALE]));
    return gb_shift(gb_log_prob(law, gb_num(t, trial->setting[OF])), -UNITS * 0.6931471805599453);
}

static gb_node log_weight_of_choices(gb_trial *trial)
{
    const gb_node b = gb_trial_draw(trial, "b", choices(trial));
    return gb_add(log_joint(trial, b), gb_draw_log_prob(trial->expect, b, gb_num(trial->tape, -1)));
}

const gb_problem gb_bernoulli_evidence_problem = {
    .size = sizeof(gb_problem),
    .name = "bernoulli-evidence",
    .formula = "log 2^-6 N(y; sum b_i 2^(i/2), noise) / q(b), 6 b_i ~ Bernoulli(sigmoid(logits))",
    .settings = {{"logit", 0.5, -20, 20, "of each unit"},
                 {"y", 8, -100, 100, "the datum"},
                 {"noise", 2, 1e-3, 100, "its standard deviation"}},
    .cost = log_weight_of_choices,
    .exact = "enumerate",
    .is_log_weight = true,
};
