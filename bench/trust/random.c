/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Posteriors that nobody tuned on: "random:SEED" decides form, dimension, correlation, skew, scales, tails,
 * likelihood and data. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trust.h"

/* ---- shapes: x = centre + A u, where the u are independent, skewed or with heavy tails ---- */

enum { MOST = 20 };

typedef enum shape { NORMAL, STUDENT, LOG_GAMMA, LOGISTIC, SHAPES } shape;

/* The log density of u, up to a constant. */
static gb_node log_shape(const trust *m, shape kind, double parameter, gb_node u)
{
    switch (kind) {
    case STUDENT:
        return gb_log_prob(gb_student_t(trust_num(m, parameter), trust_num(m, 0), trust_num(m, 1)), u);
    case LOG_GAMMA: return gb_sub(gb_scale(u, parameter), gb_exp(u)); /* e^u is gamma */
    case LOGISTIC: return gb_log_prob(gb_logistic(trust_num(m, 0), trust_num(m, 1)), u);
    default: return gb_scale(gb_square(u), -0.5);
    }
}

/* One draw of log-uniform numbers: scales over orders of magnitude. */
static double magnitude(trust_rng *r, double orders)
{
    return pow(10, trust_uniform(r, -orders, orders));
}

static void shapes(trust *m, trust_rng *r)
{
    double a[MOST * MOST], inverse[MOST * MOST] = {0}, centre[MOST], scale[MOST];
    const size_t n = 1 + (size_t)trust_choose(r, MOST);
    const double orders = trust_uniform(r, 0, 3), tie = trust_uniform(r, 0, 1.5);
    const bool is_tied = trust_choose(r, 3) > 0;
    /* A = diag(scale) T, T a unit triangle: its inverse is by substitution. */
    for (size_t i = 0; i < n; i++) {
        scale[i] = magnitude(r, orders);
        centre[i] = scale[i] * 3 * trust_gauss(r);
        for (size_t j = 0; j < n; j++)
            a[i * n + j] = i == j ? 1 : j < i && is_tied ? tie * trust_gauss(r) / sqrt((double)n) : 0;
    }
    for (size_t k = 0; k < n; k++)
        for (size_t i = k; i < n; i++) {
            double sum = i == k;
            for (size_t j = k; j < i; j++)
                sum -= a[i * n + j] * inverse[j * n + k];
            inverse[i * n + k] = sum;
        }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            a[i * n + j] *= scale[i];
            inverse[i * n + j] /= scale[j];
        }
    const gb_latent_part part = {.name = "x", .shape = gb_shape((int64_t)n), .prior = gb_no_prior};
    gb_node w;
    trust_block(m, 1, &part, &w);
    const int64_t size = (int64_t)n;
    const gb_node middle = trust_vector(m, n, centre);
    const gb_node u =
        m->for_reference ? w : gb_matmul(trust_matrix(m, size, size, inverse), gb_sub(w, middle));
    const gb_node x = m->for_reference ? gb_add(gb_matmul(trust_matrix(m, size, size, a), w), middle) : w;
    const int mixed = trust_choose(r, 2);
    const shape all = (shape)trust_choose(r, SHAPES);
    bool is_heavy = false;
    for (size_t i = 0; i < n; i++) {
        const shape kind = mixed ? (shape)trust_choose(r, SHAPES) : all;
        const double parameter = kind == STUDENT ? trust_uniform(r, 2.5, 12) : trust_uniform(r, 0.5, 8);
        is_heavy |= kind == STUDENT && parameter < 6;
        char name[24];
        snprintf(name, sizeof name, "u%zu", i);
        gb_factor(m->e, name, log_shape(m, kind, parameter, gb_slice(u, 0, (int64_t)i, (int64_t)i + 1)));
    }
    trust_tell(m, "x", x, is_heavy ? TRUST_HEAVY : TRUST_LIGHT);
}

/* ---- bent: a funnel, a banana, or two modes, in the first number u₁ ---- */

typedef enum bend { FUNNEL, BANANA, TWO_MODES, BENDS } bend;

static void bent(trust *m, trust_rng *r)
{
    double scale[MOST], inverse[MOST];
    const size_t n = 2 + (size_t)trust_choose(r, 8);
    const bend kind = (bend)trust_choose(r, BENDS);
    const double orders = trust_uniform(r, 0, 2), amount = exp(trust_uniform(r, log(0.05), log(1.2))),
                 apart = trust_uniform(r, 0.5, 4.5), share = trust_uniform(r, 0.15, 0.85);
    for (size_t i = 0; i < n; i++) {
        scale[i] = magnitude(r, orders);
        inverse[i] = 1 / scale[i];
    }
    const int64_t size = (int64_t)n;
    const gb_latent_part part = {.name = "x", .shape = gb_shape(size), .prior = gb_no_prior};
    gb_node w;
    trust_block(m, 1, &part, &w);
    const gb_node it = m->for_reference ? w : gb_mul(w, trust_vector(m, n, inverse));
    const gb_node first = gb_slice(it, 0, 0, 1), rest = gb_slice(it, 0, 1, size);
    /* From u to x, or from x to u with its Jacobian: the numbers after the first are stretched or moved. */
    const gb_node stretch = gb_exp(gb_scale(first, m->for_reference ? amount : -amount)),
                  move = gb_scale(gb_shift(gb_square(first), -1), m->for_reference ? amount : -amount);
    const gb_node other = kind == FUNNEL ? gb_mul(rest, stretch) : kind == BANANA ? gb_add(rest, move) : rest;
    const gb_node pair[] = {first, other}, all = gb_concat(2, pair, 0), u = m->for_reference ? it : all;
    if (kind == TWO_MODES)
        gb_factor(m->e, "modes",
                  gb_logaddexp(gb_shift(gb_log_prob(trust_normal(m, -apart / 2, 1), first), log(share)),
                               gb_shift(gb_log_prob(trust_normal(m, apart / 2, 1), first), log(1 - share))));
    gb_factor(m->e, "u", gb_scale(gb_square(kind == TWO_MODES ? rest : u), -0.5));
    if (kind == FUNNEL && !m->for_reference)
        gb_factor(m->e, "Jacobian", gb_scale(first, -amount * (double)(n - 1)));
    const gb_node x = m->for_reference ? gb_mul(all, trust_vector(m, n, scale)) : w;
    trust_tell(m, "x", x, kind == TWO_MODES ? TRUST_LIGHT : TRUST_HEAVY);
}

/* ---- numbers at their bounds: gamma and beta of any form, also those without a mode inside ---- */

static void bounded(trust *m, trust_rng *r)
{
    double form[MOST], rate[MOST], a[MOST], b[MOST];
    const size_t n = 1 + (size_t)trust_choose(r, 6);
    const double orders = trust_uniform(r, 0, 3);
    for (size_t i = 0; i < n; i++) {
        form[i] = exp(trust_uniform(r, log(0.3), log(20)));
        rate[i] = magnitude(r, orders);
        a[i] = exp(trust_uniform(r, log(0.3), log(10)));
        b[i] = exp(trust_uniform(r, log(0.3), log(10)));
    }
    const gb_latent_part parts[] = {{.name = "positive",
                                     .shape = gb_shape((int64_t)n),
                                     .prior = gb_gamma(trust_vector(m, n, form), trust_vector(m, n, rate))},
                                    {.name = "share",
                                     .shape = gb_shape((int64_t)n),
                                     .prior = gb_beta(trust_vector(m, n, a), trust_vector(m, n, b))}};
    gb_node w[2];
    trust_block(m, 2, parts, w);
    trust_tell(m, "log positive", gb_log(w[0]), TRUST_LIGHT);
    trust_tell(m, "positive", w[0], TRUST_HEAVY);
    trust_tell(m, "share", w[1], TRUST_LIGHT);
}

/* ---- regressions, with or without groups ---- */

typedef enum outcome { GAUSS, COUNTS, BINARY, NEGATIVE, ROBUST, OUTCOMES } outcome;

enum { ROWS = 200, SLOPES = 8, GROUPS = 10 };

typedef struct regression {
    outcome kind;
    size_t rows, slopes, groups; /* groups 0: none */
    double x[ROWS * SLOPES], y[ROWS], unit[SLOPES];
    int64_t group[ROWS];
    double outcome_unit, sigma;
    bool is_centred;
} regression;

static double outcome_of(const regression *g, trust_rng *r, double mean)
{
    switch (g->kind) {
    case COUNTS: return trust_poisson(r, exp(fmin(mean, 5)));
    case BINARY: return trust_uniform(r, 0, 1) < 1 / (1 + exp(-mean));
    case NEGATIVE: return trust_poisson(r, exp(fmin(mean, 5)) * trust_gamma(r, 3) / 3);
    case ROBUST:
        return g->outcome_unit *
               (mean + g->sigma * trust_gauss(r) / sqrt(trust_gamma(r, 2) / 2)); /* 4 degrees of freedom */
    default: return g->outcome_unit * (mean + g->sigma * trust_gauss(r));
    }
}

static regression data(trust_rng *r)
{
    regression g = {.kind = (outcome)trust_choose(r, OUTCOMES),
                    .rows = 8 + (size_t)exp(trust_uniform(r, 0, log(ROWS - 8))),
                    .slopes = 1 + (size_t)trust_choose(r, SLOPES),
                    .is_centred = trust_choose(r, 2)};
    const bool has_groups = trust_choose(r, 2);
    g.groups = has_groups ? 3 + (size_t)trust_choose(r, GROUPS - 2) : 0;
    const bool has_unit = g.kind == GAUSS || g.kind == ROBUST;
    g.outcome_unit = has_unit ? magnitude(r, 2) : 1;
    g.sigma = magnitude(r, 0.7);
    const double orders = trust_uniform(r, 0, 3), common = trust_uniform(r, 0, 0.97);
    const double spread = has_groups ? magnitude(r, 0.7) : 0;
    double slope[SLOPES], effect[GROUPS];
    for (size_t j = 0; j < g.slopes; j++) {
        g.unit[j] = magnitude(r, orders);
        slope[j] = trust_gauss(r) / sqrt((double)g.slopes);
    }
    for (size_t j = 0; j < g.groups; j++)
        effect[j] = spread * trust_gauss(r);
    for (size_t i = 0; i < g.rows; i++) {
        double mean = 0.5;
        const double shared = trust_gauss(r);
        for (size_t j = 0; j < g.slopes; j++) {
            const double x = common * shared + sqrt(1 - common * common) * trust_gauss(r);
            mean += slope[j] * x;
            g.x[i * g.slopes + j] = g.unit[j] * x;
        }
        g.group[i] = g.groups ? trust_choose(r, (int)g.groups) : 0;
        mean += g.groups ? effect[g.group[i]] : 0;
        g.y[i] = outcome_of(&g, r, mean);
    }
    return g;
}

static void observe(trust *m, const regression *g, gb_node mean, gb_node noise)
{
    const gb_node y = trust_vector(m, g->rows, g->y), at = gb_scale(mean, g->outcome_unit);
    switch (g->kind) {
    case COUNTS: gb_observe(m->e, "y", gb_poisson(gb_exp(mean)), y); break;
    case BINARY: gb_observe(m->e, "y", gb_bernoulli_logits(mean), y); break;
    case NEGATIVE: /* mean e^m and `noise` failures */
        gb_observe(m->e, "y", gb_negative_binomial_logits(noise, gb_sub(mean, gb_log(noise))), y);
        break;
    case ROBUST: gb_observe(m->e, "y", gb_student_t(trust_num(m, 4), at, noise), y); break;
    default: gb_observe(m->e, "y", gb_normal(at, noise), y);
    }
}

static void regressions(trust *m, trust_rng *r)
{
    const regression g = data(r);
    const bool has_noise = g.kind == GAUSS || g.kind == ROBUST || g.kind == NEGATIVE;
    const double prior = trust_uniform(r, 0.5, 5);
    double sd[SLOPES];
    for (size_t j = 0; j < g.slopes; j++)
        sd[j] = prior / g.unit[j];
    gb_latent_part part[5] = {{.name = "level", .prior = trust_normal(m, 0, 3)},
                              {.name = "slope",
                               .shape = gb_shape((int64_t)g.slopes),
                               .prior = gb_normal(trust_num(m, 0), trust_vector(m, g.slopes, sd))}};
    size_t count = 2, noise = 0, spread = 0, effect = 0;
    if (has_noise)
        part[noise = count++] =
            (gb_latent_part){.name = "noise",
                             .prior = g.kind == NEGATIVE ? gb_gamma(trust_num(m, 2), trust_num(m, 0.5))
                                                         : gb_half_normal(trust_num(m, 5 * g.outcome_unit))};
    const bool is_centred = m->for_reference ? m->attempt % 2 : g.is_centred;
    if (g.groups) {
        part[spread = count++] = (gb_latent_part){.name = "spread", .prior = gb_half_normal(trust_num(m, 2))};
        part[effect = count++] = (gb_latent_part){.name = "effect",
                                                  .shape = gb_shape((int64_t)g.groups),
                                                  .prior = is_centred ? gb_no_prior : trust_normal(m, 0, 1)};
    }
    gb_node w[5];
    trust_block(m, count, part, w);
    gb_node mean = gb_add(w[0], gb_matmul(trust_matrix(m, (int64_t)g.rows, (int64_t)g.slopes, g.x), w[1]));
    trust_tell(m, "level", w[0], TRUST_LIGHT);
    trust_tell(m, "slope", gb_mul(w[1], trust_vector(m, g.slopes, g.unit)), TRUST_LIGHT);
    if (has_noise)
        trust_tell(m, "noise", gb_scale(w[noise], 1 / g.outcome_unit), TRUST_HEAVY);
    if (g.groups) {
        if (is_centred)
            gb_prior(m->e, "effects", gb_normal(trust_num(m, 0), w[spread]), w[effect]);
        const gb_node each = is_centred ? w[effect] : gb_mul(w[spread], w[effect]);
        mean = gb_add(mean, gb_gather(each, 0, gb_ints(m->t, gb_shape((int64_t)g.rows), g.group)));
        trust_tell(m, "spread", w[spread], TRUST_HEAVY);
        trust_tell(m, "effect", each, TRUST_LIGHT);
    }
    observe(m, &g, mean, has_noise ? w[noise] : (gb_node){0});
}

void trust_record_random(trust *m)
{
    trust_rng r = {m->seed * 0x9e3779b97f4a7c15u + 1};
    /* Half of them are regressions. */
    static void (*const forms[])(trust *, trust_rng *) = {shapes, bent, bounded};
    const int form = trust_choose(&r, 6);
    (form < 3 ? forms[form] : regressions)(m, &r);
}
