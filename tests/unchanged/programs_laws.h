/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions that are made of others, with wider batches or at the ends of their parameters; and
 * divergences. */
#ifndef GREBE_TESTS_PROGRAMS_LAWS_H
#define GREBE_TESTS_PROGRAMS_LAWS_H

#include "programs_distributions.h"

static void ask_made(probe *p, gb_dist d, size_t count, const gb_node *variable_of)
{
    made m = {.d = d, .count = count};
    for (size_t i = 0; i < count; i++)
        m.variable[i] = variable_of[i];
    const gb_node z = ask_draws(p, &m);
    ask_moments(p, &m);
    ask_quantiles(p, &m, z);
    look_at_kept(p, 2);
}

/* The same distribution for each of a larger batch. */
static void law_expanded(probe *p)
{
    const gb_node loc = variable(p, "loc", gb_shape(3), -1, 1),
                  scale = variable(p, "scale", gb_shape(3), 0.5, 2);
    const gb_node of[] = {loc, scale};
    const gb_dist normal = gb_normal(loc, scale);
    ask_made(p, gb_dist_expand(normal, gb_shape(2, 3)), 2, of);
    gb_tape_reset(p->t);
    const gb_node v = variable(p, "v", gb_shape(2, 4), -1, 1), w = variable(p, "w", gb_shape(2, 4), 0.5, 2);
    const gb_node again[] = {v, w};
    const gb_dist vector = gb_independent(gb_normal(v, w), 1);
    ask_made(p, gb_dist_expand(vector, gb_shape(3, 2)), 2, again);
}

static void law_expanded_mixture(probe *p)
{
    const gb_node v = variable(p, "v", gb_shape(2, 4), -1, 1), w = variable(p, "w", gb_shape(2, 4), 0.5, 2);
    const gb_node of[] = {v, w};
    const gb_dist mixture = gb_mixture(v, gb_normal(v, w));
    ask_made(p, gb_dist_expand(mixture, gb_shape(3, 2)), 2, of);
}

static gb_dist normal_of(probe *p, gb_shape shape, gb_node of[2])
{
    of[0] = variable(p, "loc", shape, -1, 1);
    of[1] = variable(p, "scale", shape, 0.5, 2);
    return gb_normal(of[0], of[1]);
}

/* e^x and loc + scale x, whose moments are known. */
static void law_of_numbers(probe *p)
{
    gb_node of[3];
    const gb_dist normal = normal_of(p, gb_shape(3), of);
    ask_made(p, gb_transformed(normal, gb_exponential_transform(p->t)), 2, of);
    gb_tape_reset(p->t);
    const gb_dist again = normal_of(p, gb_shape(3), of);
    of[2] = variable(p, "factor", gb_shape(3), -2, -0.5);
    ask_made(p, gb_transformed(again, gb_affine_transform(of[0], of[2])), 3, of);
}

static void law_composed(probe *p)
{
    gb_node of[2];
    const gb_dist normal = normal_of(p, gb_shape(3), of);
    const gb_node loc = gb_num(p->t, 0.5), factor = gb_num(p->t, -2);
    const gb_transform inner = gb_affine_transform(loc, factor), outer = gb_sigmoid_transform(p->t);
    ask_made(p, gb_transformed(normal, gb_composed_transform(outer, inner)), 2, of);
}

static void law_inverted(probe *p)
{
    gb_node of[1];
    of[0] = variable(p, "rate", gb_shape(3), 0.5, 2);
    const gb_transform logarithm = gb_inverted_transform(gb_exponential_transform(p->t));
    ask_made(p, gb_transformed(gb_exponential(of[0]), logarithm), 1, of);
}

static void law_reshaped(probe *p)
{
    gb_node of[2];
    const gb_dist vector = gb_independent(normal_of(p, gb_shape(2, 6), of), 1);
    ask_made(p, gb_transformed(vector, gb_reshaped_transform(p->t, gb_shape(2, 3))), 2, of);
}

static void law_ordered(probe *p)
{
    gb_node of[2];
    const gb_dist vector = gb_independent(normal_of(p, gb_shape(2, 4), of), 1);
    ask_made(p, gb_transformed(vector, gb_ordered_transform(p->t)), 2, of);
}

static void law_of_simplexes(probe *p)
{
    gb_node of[2];
    const gb_dist vector = gb_independent(normal_of(p, gb_shape(2, 4), of), 1);
    ask_made(p, gb_transformed(vector, gb_stick_breaking_transform(p->t)), 2, of);
}

static void law_of_covariances(probe *p)
{
    gb_node of[2];
    const gb_dist vector = gb_independent(normal_of(p, gb_shape(2, 6), of), 1);
    ask_made(p, gb_transformed(vector, gb_covariance_cholesky_transform(p->t)), 2, of);
}

static void law_of_correlations(probe *p)
{
    gb_node of[2];
    const gb_dist vector = gb_independent(normal_of(p, gb_shape(2, 6), of), 1);
    ask_made(p, gb_transformed(vector, gb_correlation_cholesky_transform(p->t)), 2, of);
}

static void law_permuted(probe *p)
{
    static const int64_t ORDER[] = {2, 0, 3, 1};
    gb_node of[2];
    const gb_dist vector = gb_independent(normal_of(p, gb_shape(2, 4), of), 1);
    ask_made(p, gb_transformed(vector, gb_permutation_transform(p->t, 4, ORDER)), 2, of);
}

/* A normal that is cut off on one side only. */
static void law_with_a_tail(probe *p)
{
    gb_node of[3];
    for (int side = 0; side < 2; side++) {
        of[0] = variable(p, "loc", gb_shape(3), -1, 1);
        of[1] = variable(p, "scale", gb_shape(3), 0.5, 2);
        of[2] = variable(p, "end", gb_shape(3), -1, 1);
        const gb_node never = gb_num(p->t, side ? -INFINITY : INFINITY);
        const gb_dist d = gb_truncated_normal(of[0], of[1], side ? never : of[2], side ? of[2] : never);
        const gb_transform reach = gb_dist_reach(d);
        const gb_node x = constant(p, "free", gb_shape(3), -2, 2), y = gb_transform_forward(reach, x);
        keep(p, y);
        keep(p, gb_transform_log_jacobian(reach, x, y));
        ask_made(p, d, 3, of);
        gb_tape_reset(p->t);
    }
}

/* ---- divergences ---- */

/* From one law to all others for which there is a closed form. */
static void diverge_named(probe *p)
{
    const char *const name = strchr(p->program, '/') + 1;
    size_t q = 0, found = 0;
    while (q < LAW_COUNT && strcmp(LAWS[q].name, name) != 0)
        q++;
    const made from = make(p, &LAWS[q], "q");
    for (size_t i = 0; i < LAW_COUNT; i++) {
        made to = make(p, &LAWS[i], "p");
        if (!gb_shape_same(gb_dist_shape(from.d), gb_dist_shape(to.d)) || !gb_has_kl(from.d, to.d))
            continue;
        found++;
        const gb_node divergence = gb_kl(from.d, to.d);
        hash_bytes(p, LAWS[i].name, LAWS[i].name, strlen(LAWS[i].name));
        keep_gradients(p, divergence, &from);
        const gb_node sum = weighted_sum(p, divergence);
        for (size_t k = 0; k < to.count; k++)
            keep_gradient(p, sum, to.variable[k]);
    }
    if (found == 0)
        fail_msg("%s: there is none", p->program);
    look_at_kept(p, 1);
}

/* Pairs that exist only for the same number of trials, or for certain shapes. */
static void diverge_from_others(probe *p)
{
    gb_node of[2];
    of[0] = variable(p, "q", gb_shape(3), 0.125, 0.875);
    of[1] = variable(p, "p", gb_shape(3), 0.125, 0.875);
    const gb_node four = gb_num(p->t, 4), six = gb_num(p->t, 6);
    gb_dist q = gb_binomial(four, of[0]), to = gb_binomial(four, of[1]);
    keep_two_gradients(p, gb_kl(q, to), 2, of);
    q = gb_binomial(six, of[0]);
    keep(p, gb_kl(q, to));
    q = gb_negative_binomial(four, of[0]), to = gb_negative_binomial(four, of[1]);
    keep_two_gradients(p, gb_kl(q, to), 2, of);
    const gb_node weight = variable(p, "weight", gb_shape(3, 2), -1, 1), one = gb_ones(p->t, gb_shape(3, 2));
    q = gb_unit_dropout(weight, of[0]), to = gb_independent(gb_normal(one, one), 1);
    keep_two_gradients(p, gb_kl(q, to), 1, &weight);
    look_at_kept(p, 1);
}

/* clang-format off */
#define KL(name) PROGRAM("kl/" #name, diverge_named)
#define KL_PROGRAMS                                                                                          \
    KL(normal), KL(multivariate_normal), KL(multivariate_normal_precision), KL(low_rank_normal),             \
    KL(transformed), KL(independent), KL(bernoulli), KL(geometric), KL(poisson), KL(categorical),            \
    KL(one_hot_categorical), KL(multinomial), KL(lognormal), KL(half_normal), KL(cauchy), KL(laplace),       \
    KL(gumbel), KL(uniform), KL(exponential), KL(spike_and_slab), KL(point_mass), KL(bernoulli_dropout),     \
    KL(gamma), KL(inverse_gamma), KL(chi_squared), KL(beta), KL(kumaraswamy), KL(weibull), KL(pareto),       \
    KL(von_mises), KL(dirichlet), PROGRAM("kl/of-others", diverge_from_others)

#define LAWS_OF_OTHERS                                                                                       \
    SAMPLED("law/expanded", law_expanded, 4), SAMPLED("law/expanded-mixture", law_expanded_mixture, 4),      \
    SAMPLED("law/of-numbers", law_of_numbers, 4), SAMPLED("law/composed", law_composed, 4),                  \
    SAMPLED("law/inverted", law_inverted, 4), SAMPLED("law/reshaped", law_reshaped, 4),                      \
    SAMPLED("law/ordered", law_ordered, 4), SAMPLED("law/of-simplexes", law_of_simplexes, 4),                \
    SAMPLED("law/of-covariances", law_of_covariances, 4),                                                    \
    SAMPLED("law/of-correlations", law_of_correlations, 4), SAMPLED("law/permuted", law_permuted, 4),        \
    SAMPLED("law/with-a-tail", law_with_a_tail, 4)
/* clang-format on */

#endif
