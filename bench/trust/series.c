/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time series: GARCH(1,1), ARMA(1,1), a hidden Markov model of two states. */
#include <math.h>
#include <stdlib.h>

#include "trust.h"

/* ---- GARCH(1,1): h ← omega + alpha (y − mu)² + beta h ---- */

enum { GARCH = 300, ARMA = 200, HMM = 200 };

/* Mu, omega, alpha, beta. */
static void garch_step(gb_scan_step *s)
{
    const gb_node *const p = s->user, squared = gb_square(gb_sub(s->input[0], p[0]));
    s->output[0] = s->state[0];
    s->next[0] = gb_add(gb_add(p[1], gb_mul(p[2], squared)), gb_mul(p[3], s->state[0]));
}

static void garch(trust *m)
{
    double y[GARCH], h = 1, error = 0;
    trust_rng r = {11};
    for (size_t i = 0; i < GARCH; i++) {
        h = i ? 0.2 + 0.25 * error * error + 0.6 * h : 1;
        error = sqrt(h) * trust_gauss(&r);
        y[i] = m->y * (0.5 + error);
    }
    /* The coefficients are positive, and their sum is below 1: beta = (1 − alpha) share. */
    const gb_latent_part parts[] = {{.name = "mu", .prior = trust_normal(m, 0, 5 * m->y)},
                                    {.name = "omega", .prior = gb_half_normal(trust_num(m, 2 * m->y * m->y))},
                                    {.name = "alpha", .prior = gb_uniform(trust_num(m, 0), trust_num(m, 1))},
                                    {.name = "share", .prior = gb_uniform(trust_num(m, 0), trust_num(m, 1))}};
    gb_node w[4];
    trust_block(m, 4, parts, w);
    gb_node p[4] = {w[0], w[1], w[2], gb_mul(gb_sub(trust_num(m, 1), w[2]), w[3])};
    const gb_node data = trust_vector(m, GARCH, y);
    const gb_scan_result s = gb_scan(m->t, garch_step, gb_roots(trust_num(m, m->y * m->y)),
                                     .inputs = gb_roots(data), .outputs = 1, .user = p);
    gb_observe(m->e, "y", gb_normal(p[0], gb_sqrt(s.output[0])), data);
    trust_tell(m, "mu", gb_scale(p[0], 1 / m->y), TRUST_LIGHT);
    trust_tell(m, "omega", gb_scale(p[1], 1 / (m->y * m->y)), TRUST_LIGHT);
    trust_tell(m, "alpha", p[2], TRUST_LIGHT);
    trust_tell(m, "beta", p[3], TRUST_LIGHT);
}

/* ---- ARMA(1,1): y ~ N(mu + phi y' + theta error', sigma) ---- */

static void arma_step(gb_scan_step *s)
{
    const gb_node *const p = s->user;
    const gb_node error =
        gb_sub(s->input[0], gb_add(gb_add(p[0], gb_mul(p[1], s->input[1])), gb_mul(p[2], s->state[0])));
    s->output[0] = s->next[0] = error;
}

static void arma(trust *m)
{
    double y[ARMA + 1] = {0}, error = 0;
    trust_rng r = {12};
    for (size_t i = 1; i <= ARMA; i++) {
        const double last = error;
        error = 0.7 * trust_gauss(&r);
        y[i] = 0.4 + 0.7 * y[i - 1] + 0.4 * last + error;
    }
    for (size_t i = 0; i <= ARMA; i++)
        y[i] *= m->y;
    const gb_latent_part parts[] = {{.name = "mu", .prior = trust_normal(m, 0, 10 * m->y)},
                                    {.name = "phi", .prior = trust_normal(m, 0, 2)},
                                    {.name = "theta", .prior = trust_normal(m, 0, 2)},
                                    {.name = "sigma", .prior = gb_half_cauchy(trust_num(m, 2.5 * m->y))}};
    gb_node w[4];
    trust_block(m, 4, parts, w);
    const gb_scan_result s = gb_scan(
        m->t, arma_step, gb_roots(trust_num(m, 0)),
        .inputs = gb_roots(trust_vector(m, ARMA, y + 1), trust_vector(m, ARMA, y)), .outputs = 1, .user = w);
    gb_log_likelihood(m->e, "y", gb_log_prob(gb_normal(trust_num(m, 0), w[3]), s.output[0]));
    trust_tell(m, "mu", gb_scale(w[0], 1 / m->y), TRUST_LIGHT);
    trust_tell(m, "phi", w[1], TRUST_LIGHT);
    trust_tell(m, "theta", w[2], TRUST_LIGHT);
    trust_tell(m, "sigma", gb_scale(w[3], 1 / m->y), TRUST_LIGHT);
}

/* ---- two hidden states, which stay with probability `stay`; data N(mu, 1) ---- */

typedef struct hmm_parts {
    gb_node step;
} hmm_parts;

static void hmm_step(gb_scan_step *s)
{
    const hmm_parts *const p = s->user;
    s->next[0] =
        gb_add(gb_logsumexp_along(gb_add(gb_expand(s->state[0], 1), p->step), gb_axis(0)), s->input[0]);
    s->output[0] = gb_num(s->tape, 0);
}

static void hmm(trust *m)
{
    double y[HMM];
    trust_rng r = {13};
    for (size_t i = 0, state = 0; i < HMM; i++) {
        state ^= trust_uniform(&r, 0, 1) < (state ? 0.15 : 0.25);
        y[i] = m->y * ((state ? 1.8 : -0.8) + trust_gauss(&r));
    }
    const gb_node one = trust_num(m, 1);
    const gb_latent_part parts[] = {
        {.name = "stay", .shape = gb_shape(2), .prior = gb_beta(trust_num(m, 2), trust_num(m, 2))},
        {.name = "mu", .shape = gb_shape(2), .prior = gb_no_prior, .support = &gb_ordered_domain}};
    gb_node w[2];
    trust_block(m, 2, parts, w);
    gb_prior(m->e, "prior of mu", trust_normal(m, 0, 3 * m->y), w[1]);
    const gb_node leave = gb_sub(one, w[0]), to[] = {w[0], leave};
    /* Row: from; column: to. */
    const gb_node both = gb_log(gb_stack(2, to, 1)),
                  row[] = {gb_slice(both, 0, 0, 1), gb_flip(gb_slice(both, 0, 1, 2), 1)};
    hmm_parts p = {gb_concat(2, row, 0)};
    const gb_node seen = gb_log_prob(gb_normal(w[1], trust_num(m, m->y)),
                                     gb_reshape(trust_vector(m, HMM, y), gb_shape(HMM, 1)));
    const gb_node first = gb_shift(gb_reshape(gb_slice(seen, 0, 0, 1), gb_shape(2)), log(0.5));
    const gb_scan_result s =
        gb_scan(m->t, hmm_step, gb_roots(first), .inputs = gb_roots(gb_slice(seen, 0, 1, HMM)), .axis = 0,
                .outputs = 1, .user = &p);
    gb_log_likelihood(m->e, "y", gb_logsumexp(s.last[0]));
    trust_tell(m, "stay", w[0], TRUST_LIGHT);
    trust_tell(m, "mu", gb_scale(w[1], 1 / m->y), TRUST_LIGHT);
}

const trust_model trust_series_models[] = {{"garch", garch, TRUST_Y | TRUST_FAR, NULL, NULL},
                                           {"arma", arma, TRUST_Y | TRUST_FAR, NULL, NULL},
                                           {"hmm", hmm, TRUST_Y | TRUST_FAR, NULL, NULL},
                                           {0}};
