/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every distribution with all that it offers: draws, log densities, gradients, quantiles, moments,
 * divergences. */
#ifndef GREBE_TESTS_PROGRAMS_DISTRIBUTIONS_H
#define GREBE_TESTS_PROGRAMS_DISTRIBUTIONS_H

#include "probe.h"

/* What a parameter is made of, and its shape, batch included. */
typedef enum parameter_kind {
    ABSENT,
    NUMBERS,   /* (3) */
    FIXED,     /* (3), a constant */
    WHOLE,     /* (3), a constant of whole numbers */
    VECTORS,   /* (2, 4) */
    SIMPLEXES, /* (2, 4), by softmax */
    MATRICES,  /* (2, 4, 2) */
    FACTORS,   /* (2, 4, 4), lower triangular with a positive diagonal */
    PRECISIONS /* (2, 4, 4), of such a factor */
} parameter_kind;

typedef struct law_parameter {
    parameter_kind kind;
    double low, high;
} law_parameter;

typedef struct law {
    const char *name;
    gb_dist (*make)(gb_tape *t, const gb_node *v);
    law_parameter parameter[4];
} law;

/* A distribution, and the variables that its parameters depend on. */
typedef struct made {
    gb_dist d;
    size_t count;
    gb_node variable[4];
} made;

/* A lower triangular matrix with a diagonal above ½. */
static gb_node factor_of(gb_tape *t, gb_node x)
{
    const gb_node below = gb_tril(x, -1), size = gb_softplus(gb_diagonal(x));
    (void)t;
    return gb_add(below, gb_diag(gb_shift(size, 0.5)));
}

static gb_node parameter_of(probe *p, const law_parameter *of, const char *name, gb_node *start)
{
    const double low = of->low, high = of->high;
    *start = (gb_node){0};
    if (of->kind == FIXED)
        return constant(p, name, gb_shape(3), low, high);
    if (of->kind == WHOLE)
        return gb_to_real(gb_to_int(constant(p, name, gb_shape(3), low, high)));
    const gb_shape shape = of->kind == NUMBERS                            ? gb_shape(3)
                           : of->kind == VECTORS || of->kind == SIMPLEXES ? gb_shape(2, 4)
                           : of->kind == MATRICES                         ? gb_shape(2, 4, 2)
                                                                          : gb_shape(2, 4, 4);
    *start = variable(p, name, shape, low, high);
    if (of->kind == SIMPLEXES)
        return gb_softmax(*start, -1);
    if (of->kind != FACTORS && of->kind != PRECISIONS)
        return *start;
    const gb_node factor = factor_of(p->t, *start);
    return of->kind == FACTORS ? factor : gb_matmul(factor, factor, .transpose_b = true);
}

static made make(probe *p, const law *of, const char *prefix)
{
    made m = {.count = 0};
    gb_node v[4] = {{0}};
    for (size_t i = 0; i < 4 && of->parameter[i].kind; i++) {
        char name[80];
        gb_node start;
        snprintf(name, sizeof name, "%s %s %zu", prefix, of->name, i);
        v[i] = parameter_of(p, &of->parameter[i], name, &start);
        if (gb_node_ok(start))
            m.variable[m.count++] = start;
    }
    m.d = of->make(p->t, v);
    assert_good(p);
    return m;
}

/* ---- questions ---- */

static void keep_gradients(probe *p, gb_node y, const made *m)
{
    keep(p, y);
    const gb_node sum = weighted_sum(p, y);
    for (size_t i = 0; i < m->count; i++)
        keep_gradient(p, sum, m->variable[i]);
}

static gb_node ask_draws(probe *p, const made *m)
{
    const gb_node z = gb_sample(m->d, gb_stream(p->t, "sample"), GB_SAMPLES);
    keep(p, z);
    keep_two_gradients(p, gb_log_prob(m->d, z), m->count, m->variable);
    if (gb_dist_can(m->d, GB_CAN_RSAMPLE)) {
        const gb_node r = gb_rsample(m->d, gb_stream(p->t, "rsample"), GB_SAMPLES);
        keep_gradients(p, r, m);
        keep_gradients(p, gb_log_prob(m->d, r), m);
    }
    return z;
}

/* Inside and outside of the support: whole numbers, and others. */
static void ask_edges(probe *p, const made *m)
{
    const gb_shape shape = gb_shape_join(gb_shape(5), gb_dist_shape(m->d));
    const gb_node x = constant(p, "at", shape, -2, 4), whole = gb_to_real(gb_to_int(x));
    keep(p, gb_log_prob(m->d, x));
    keep(p, gb_log_prob(m->d, whole));
    if (gb_dist_can(m->d, GB_CAN_CDF))
        keep(p, gb_cdf(m->d, x));
}

static void ask_moments(probe *p, const made *m)
{
    static gb_node (*const ask[])(gb_dist) = {gb_dist_mean, gb_dist_variance, gb_dist_entropy};
    static const gb_ability CAN[] = {GB_CAN_MEAN, GB_CAN_VARIANCE, GB_CAN_ENTROPY};
    for (int i = 0; i < 3; i++)
        if (gb_dist_can(m->d, CAN[i]))
            keep_gradients(p, ask[i](m->d), m);
    if (gb_dist_can(m->d, GB_CAN_MODE))
        keep(p, gb_dist_mode(m->d));
    if (gb_dist_can(m->d, GB_CAN_ENUMERATE)) {
        const gb_node values = gb_dist_enumerate(m->d);
        if (gb_node_ok(values))
            keep(p, values);
        gb_forgive(p->t); /* of some it is not known at recording how many values there are */
    }
}

static void ask_quantiles(probe *p, const made *m, gb_node z)
{
    if (gb_dist_can(m->d, GB_CAN_CDF))
        keep_gradients(p, gb_cdf(m->d, z), m);
    if (gb_dist_can(m->d, GB_CAN_ICDF))
        keep_gradients(p, gb_icdf(m->d, constant(p, "u", gb_dist_shape(m->d), 0, 1)), m);
}

static void ask_measures(probe *p, const made *m)
{
    size_t count;
    gb_dist_params(&m->d, &count);
    for (size_t i = 0; i < count && gb_dist_can(m->d, GB_CAN_MEASURE); i++) {
        gb_measure measure;
        char name[2][32];
        if (!gb_dist_measure(m->d, i, 0, &measure)) {
            keep_number(p, -88);
            continue;
        }
        snprintf(name[0], sizeof name[0], "plus %zu", i);
        snprintf(name[1], sizeof name[1], "minus %zu", i);
        keep(p, measure.coefficient);
        keep(p, gb_sample(measure.plus, gb_stream(p->t, name[0]), GB_SAMPLES));
        keep(p, gb_sample(measure.minus, gb_stream(p->t, name[1]), GB_SAMPLES));
    }
}

static void ask_relations(probe *p, const made *m)
{
    if (gb_dist_can(m->d, GB_CAN_RELAX)) {
        const made relaxed = {.d = gb_dist_relaxed(m->d, gb_num(p->t, 0.75)),
                              .count = m->count,
                              .variable = {m->variable[0], m->variable[1], m->variable[2], m->variable[3]}};
        const gb_node r = gb_rsample(relaxed.d, gb_stream(p->t, "relaxed"), GB_SAMPLES);
        keep_gradients(p, r, &relaxed);
        keep_gradients(p, gb_log_prob(relaxed.d, r), &relaxed);
    }
    const gb_transform reach = gb_dist_reach(m->d);
    if (gb_transform_ok(reach)) {
        const gb_shape free = gb_transform_inverse_shape(reach, gb_dist_shape(m->d));
        const gb_node x = constant(p, "free", free, -2, 2), y = gb_transform_forward(reach, x);
        keep_gradients(p, y, m);
        keep(p, gb_transform_log_jacobian(reach, x, y));
    }
}

static void ask(probe *p, const law *of)
{
    const made m = make(p, of, "");
    const gb_node z = ask_draws(p, &m);
    ask_edges(p, &m);
    ask_moments(p, &m);
    ask_quantiles(p, &m, z);
    ask_measures(p, &m);
    ask_relations(p, &m);
    look_at_kept(p, 2);
}

/* ---- the distributions ---- */

#define LAW(name, call)                                                                                      \
    static gb_dist make_##name(gb_tape *t, const gb_node *v)                                                 \
    {                                                                                                        \
        (void)t;                                                                                             \
        return call;                                                                                         \
    }
/* clang-format off */
LAW(normal, gb_normal(v[0], v[1]))
LAW(multivariate_normal, gb_multivariate_normal(v[0], v[1]))
LAW(multivariate_normal_precision, gb_multivariate_normal_precision(v[0], v[1]))
LAW(low_rank_normal, gb_low_rank_normal(v[0], v[1], v[2]))
LAW(lkj_cholesky, gb_lkj_cholesky(4, v[0]))
LAW(transformed, gb_transformed(gb_normal(v[0], v[1]), gb_sigmoid_transform(t)))
LAW(independent, gb_independent(gb_normal(v[0], v[1]), 1))
LAW(mixture, gb_mixture(v[0], gb_normal(v[1], v[2])))
LAW(bernoulli, gb_bernoulli(v[0]))
LAW(binomial, gb_binomial(v[0], v[1]))
LAW(geometric, gb_geometric(v[0]))
LAW(poisson, gb_poisson(v[0]))
LAW(negative_binomial, gb_negative_binomial(v[0], v[1]))
LAW(categorical, gb_categorical(v[0]))
LAW(one_hot_categorical, gb_one_hot_categorical(v[0]))
LAW(multinomial, gb_multinomial(gb_num(t, 7), v[0]))
LAW(relaxed_bernoulli, gb_relaxed_bernoulli(v[0], v[1]))
LAW(relaxed_categorical, gb_relaxed_categorical(gb_num(t, 0.75), v[0]))
LAW(lognormal, gb_lognormal(v[0], v[1]))
LAW(half_normal, gb_half_normal(v[0]))
LAW(truncated_normal, gb_truncated_normal(v[0], v[1], v[2], v[3]))
LAW(student_t, gb_student_t(v[0], v[1], v[2]))
LAW(cauchy, gb_cauchy(v[0], v[1]))
LAW(half_cauchy, gb_half_cauchy(v[0]))
LAW(laplace, gb_laplace(v[0], v[1]))
LAW(logistic, gb_logistic(v[0], v[1]))
LAW(gumbel, gb_gumbel(v[0], v[1]))
LAW(uniform, gb_uniform(v[0], v[1]))
LAW(exponential, gb_exponential(v[0]))
LAW(scale_mixture, gb_scale_mixture(v[0], v[1], v[2]))
LAW(spike_and_slab, gb_spike_and_slab(v[0], v[1], v[2]))
LAW(point_mass, gb_point_mass(v[0]))
LAW(bernoulli_dropout, gb_bernoulli_dropout(v[0], v[1]))
LAW(unit_dropout, gb_unit_dropout(v[0], gb_sigmoid(v[1])))
LAW(gamma, gb_gamma(v[0], v[1]))
LAW(inverse_gamma, gb_inverse_gamma(v[0], v[1]))
LAW(chi_squared, gb_chi_squared(v[0]))
LAW(beta, gb_beta(v[0], v[1]))
LAW(kumaraswamy, gb_kumaraswamy(v[0], v[1]))
LAW(weibull, gb_weibull(v[0], v[1]))
LAW(pareto, gb_pareto(v[0], v[1]))
LAW(von_mises, gb_von_mises(v[0], v[1]))
LAW(dirichlet, gb_dirichlet(v[0]))
LAW(bernoulli_logits, gb_bernoulli_logits(v[0]))
LAW(binomial_logits, gb_binomial_logits(v[0], v[1]))
LAW(geometric_logits, gb_geometric_logits(v[0]))
LAW(negative_binomial_logits, gb_negative_binomial_logits(v[0], v[1]))
LAW(categorical_logits, gb_categorical_logits(v[0]))
LAW(one_hot_categorical_logits, gb_one_hot_categorical_logits(v[0]))
LAW(multinomial_logits, gb_multinomial_logits(gb_num(t, 7), v[0]))
LAW(relaxed_bernoulli_logits, gb_relaxed_bernoulli_logits(v[0], v[1]))
LAW(relaxed_categorical_logits, gb_relaxed_categorical_logits(gb_num(t, 0.75), v[0]))

#define LOC {NUMBERS, -1, 1}
#define SCALE {NUMBERS, 0.5, 2}
#define SHAPE {NUMBERS, 0.75, 4}
#define UNIT {NUMBERS, 0.125, 0.875}

#define LAW_LIST(do_)                                                                                        \
    do_(normal, LOC, SCALE)                                                                                  \
    do_(multivariate_normal, {VECTORS, -1, 1}, {FACTORS, -1, 1})                                             \
    do_(multivariate_normal_precision, {VECTORS, -1, 1}, {PRECISIONS, -1, 1})                                \
    do_(low_rank_normal, {VECTORS, -1, 1}, {MATRICES, -1, 1}, {VECTORS, 0.5, 2})                             \
    do_(lkj_cholesky, SHAPE)                                                                                 \
    do_(transformed, LOC, SCALE)                                                                             \
    do_(independent, {VECTORS, -1, 1}, {VECTORS, 0.5, 2})                                                    \
    do_(mixture, {VECTORS, -1, 1}, {VECTORS, -2, 2}, {VECTORS, 0.5, 2})                                      \
    do_(bernoulli, UNIT)                                                                                     \
    do_(binomial, {WHOLE, 2, 20}, UNIT)                                                                      \
    do_(geometric, UNIT)                                                                                     \
    do_(poisson, {NUMBERS, 0.5, 20})                                                                         \
    do_(negative_binomial, {NUMBERS, 0.5, 6}, UNIT)                                                          \
    do_(categorical, {SIMPLEXES, -1, 1})                                                                     \
    do_(one_hot_categorical, {SIMPLEXES, -1, 1})                                                             \
    do_(multinomial, {SIMPLEXES, -1, 1})                                                                     \
    do_(relaxed_bernoulli, {FIXED, 0.5, 1}, UNIT)                                                            \
    do_(relaxed_categorical, {SIMPLEXES, -1, 1})                                                             \
    do_(lognormal, LOC, SCALE)                                                                               \
    do_(half_normal, SCALE)                                                                                  \
    do_(truncated_normal, LOC, SCALE, {NUMBERS, -3, -1}, {NUMBERS, 1, 3})                                    \
    do_(student_t, {NUMBERS, 2.5, 6}, LOC, SCALE)                                                            \
    do_(cauchy, LOC, SCALE)                                                                                  \
    do_(half_cauchy, SCALE)                                                                                  \
    do_(laplace, LOC, SCALE)                                                                                 \
    do_(logistic, LOC, SCALE)                                                                                \
    do_(gumbel, LOC, SCALE)                                                                                  \
    do_(uniform, {NUMBERS, -3, -1}, {NUMBERS, 1, 3})                                                         \
    do_(exponential, SCALE)                                                                                  \
    do_(scale_mixture, UNIT, {NUMBERS, 1, 2}, {NUMBERS, 0.125, 0.5})                                         \
    do_(spike_and_slab, UNIT, LOC, SCALE)                                                                    \
    do_(point_mass, LOC)                                                                                     \
    do_(bernoulli_dropout, LOC, UNIT)                                                                        \
    do_(unit_dropout, {MATRICES, -1, 1}, {VECTORS, -1, 1})                                                   \
    do_(gamma, SHAPE, SCALE)                                                                                 \
    do_(inverse_gamma, {NUMBERS, 2.5, 6}, SCALE)                                                             \
    do_(chi_squared, SHAPE)                                                                                  \
    do_(beta, SHAPE, SHAPE)                                                                                  \
    do_(kumaraswamy, SHAPE, SHAPE)                                                                           \
    do_(weibull, SHAPE, SCALE)                                                                               \
    do_(pareto, SCALE, {NUMBERS, 2.5, 6})                                                                    \
    do_(von_mises, LOC, SHAPE)                                                                               \
    do_(dirichlet, {VECTORS, 0.75, 4})                                                                       \
    do_(bernoulli_logits, LOC)                                                                               \
    do_(binomial_logits, {WHOLE, 2, 20}, LOC)                                                                \
    do_(geometric_logits, LOC)                                                                               \
    do_(negative_binomial_logits, {NUMBERS, 0.5, 6}, LOC)                                                    \
    do_(categorical_logits, {VECTORS, -1, 1})                                                                \
    do_(one_hot_categorical_logits, {VECTORS, -1, 1})                                                        \
    do_(multinomial_logits, {VECTORS, -1, 1})                                                                \
    do_(relaxed_bernoulli_logits, {FIXED, 0.5, 1}, LOC)                                                      \
    do_(relaxed_categorical_logits, {VECTORS, -1, 1})

#define LAW_OF(name, ...) {#name, make_##name, {__VA_ARGS__}},
static const law LAWS[] = {LAW_LIST(LAW_OF)};
enum { LAW_COUNT = sizeof LAWS / sizeof *LAWS };

/* Parameters that differ from row to row, and from sample to sample. */
static void ask_of_rows(probe *p)
{
    made m = make(p, &LAWS[0], "");
    const gb_node row = rows_of(p, "row", 4, gb_shape(3), -1, 1);
    const gb_node noise = gb_normal_noise(gb_stream(p->t, "noise"), gb_shape(3), GB_SAMPLES);
    const gb_node loc = gb_add(gb_mul(m.variable[0], row), noise);
    m.d = gb_normal(loc, m.variable[1]);
    ask_draws(p, &m);
    ask_moments(p, &m);
    look_at_kept(p, 2);
}

/* The part of the program's name after "distribution/" is that of the law. */
static void ask_named(probe *p)
{
    const char *const name = strchr(p->program, '/') + 1;
    for (size_t i = 0; i < LAW_COUNT; i++)
        if (strcmp(LAWS[i].name, name) == 0)
            ask(p, &LAWS[i]);
}
#define LAW_PROGRAM(name, ...) SAMPLED("distribution/" #name, ask_named, 4),
#define DISTRIBUTION_PROGRAMS LAW_LIST(LAW_PROGRAM) SAMPLED("distribution/of-rows", ask_of_rows, 4)
/* clang-format on */

#endif
