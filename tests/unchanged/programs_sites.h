/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expectations over several draws, draws of each row, and log q in the cost, by estimators with one
 * evaluation and with several. */
#ifndef GREBE_TESTS_PROGRAMS_SITES_H
#define GREBE_TESTS_PROGRAMS_SITES_H

#include "programs_estimators.h"

/* A scale that depends on a coin, and a cost of both. */
static void train_chain(probe *p, gb_estimator of_coin, gb_estimator of_number)
{
    gb_expect *const e = gb_expect_new(p->t);
    const gb_node logit = variable(p, "logit", gb_shape(2), -1, 1),
                  mu = variable(p, "mu", gb_shape(2), -1, 1);
    const gb_node b = gb_draw(e, "b", gb_bernoulli_logits(logit), of_coin);
    const gb_node scale = gb_shift(gb_scale(b, 0.75), 0.25);
    const gb_node z = gb_draw(e, "z", gb_normal(mu, scale), of_number);
    const gb_node first = cost_of_numbers(z), second = cost_of_choices(p, b);
    train_expectation(p, e, z, gb_add(first, second), mu);
}

static void sites_score_and_pathwise(probe *p)
{
    train_chain(p, gb_score(.baseline = gb_leave_one_out()), gb_pathwise());
}
static void sites_enumerate_and_quadrature(probe *p)
{
    train_chain(p, gb_enumerated(), gb_quadrature(.nodes = 4));
}
static void sites_measure_and_measure(probe *p)
{
    train_chain(p, gb_measure_valued(), gb_measure_valued());
}
static void sites_disarm_and_vargrad(probe *p)
{
    train_chain(p, gb_disarm(), gb_vargrad());
}

/* The gradient of a gradient of an expectation. */
static void sites_second_gradients(probe *p)
{
    const normals n = draw_normals(p, 2, gb_score(.baseline = gb_leave_one_out()));
    const gb_node other = gb_draw(n.e, "other", gb_normal(n.rho, gb_num(p->t, 0.5)), gb_pathwise());
    const gb_node cost = cost_of_numbers(n.z), squares = gb_sum(gb_square(other)),
                  parts = gb_mul(cost, squares);
    const gb_node loss = gb_expected(n.e, parts), of[] = {n.mu, n.rho};
    keep_two_gradients(p, loss, 2, of);
    look_at_kept(p, 3);
}

/* Two draws that do not depend on each other, whose evaluations add up or multiply. */
static void train_two(probe *p, gb_estimator first, gb_estimator second)
{
    gb_expect *const e = gb_expect_new(p->t);
    const gb_node logits = variable(p, "logits", gb_shape(2), -1, 1),
                  mu = variable(p, "mu", gb_shape(2), -1, 1);
    const gb_node b = gb_draw(e, "b", gb_bernoulli_logits(logits), first);
    const gb_node z = gb_draw(e, "z", gb_normal(mu, gb_num(p->t, 0.5)), second);
    const gb_node product = gb_sum(gb_mul(b, z)), cost = gb_square(gb_shift(product, -0.25));
    const gb_node apart = cost_of_numbers(z);
    train_expectation(p, e, z, gb_add(cost, apart), mu);
}

static void sites_independent_measures(probe *p)
{
    train_two(p, gb_measure_valued(), gb_measure_valued());
}
static void sites_independent_sums(probe *p)
{
    train_two(p, gb_enumerated(), gb_quadrature(.nodes = 3));
}
static void sites_independent_probe_and_sum(probe *p)
{
    train_two(p, gb_rebar(), gb_quadrature(.nodes = 3));
}
static void sites_independent_arm_and_score(probe *p)
{
    train_two(p, gb_arm(), gb_score(.baseline = gb_delta()));
}

/* Draws from one distribution that differ from row to row, and a cost for each row. */
static void train_rows(probe *p, gb_estimator estimator)
{
    gb_expect *const e = gb_expect_new(p->t);
    const gb_node mu = variable(p, "mu", gb_shape(2), -1, 1), rho = variable(p, "rho", gb_shape(2), -1, 1);
    const gb_node x = rows_of(p, "x", 5, gb_shape(2), -1, 1);
    const gb_dist q = gb_normal(mu, gb_softplus(rho));
    const gb_node z = gb_draw_over(e, "z", q, GB_ROWS, estimator);
    const gb_node off = gb_sum(gb_square(gb_sub(z, x))), waves = gb_sum(gb_sin(z));
    const gb_node cost = gb_sum_over(gb_mul(off, waves), GB_ROWS);
    const gb_node own = gb_draw_log_prob(e, z, gb_num(p->t, 0.25));
    train(p, gb_expected(e, gb_add(cost, own)), TRAINED);
}

static void sites_rows_by_measure(probe *p)
{
    train_rows(p, gb_measure_valued());
}
static void sites_rows_by_score(probe *p)
{
    train_rows(p, gb_score(.baseline = gb_leave_one_out()));
}
static void sites_rows_by_pathwise(probe *p)
{
    train_rows(p, gb_pathwise());
}

/* The distribution depends on the row, and the cost is not a sum of costs of rows. */
static void sites_rows_together(probe *p)
{
    gb_expect *const e = gb_expect_new(p->t);
    const gb_node a = variable(p, "a", gb_shape(), -1, 1), x = rows_of(p, "x", 4, gb_shape(), -1, 1);
    const gb_node logit = gb_mul(a, x);
    const gb_node b = gb_draw(e, "b", gb_bernoulli_logits(logit), gb_score(.baseline = gb_leave_one_out()));
    const gb_node sum = gb_sum_over(gb_mul(b, x), GB_ROWS);
    train(p, gb_expected(e, gb_square(gb_shift(sum, -0.5))), TRAINED);
}

/* log q of the draw as a part of the cost. */
static void train_with_entropy(probe *p, gb_dist q, gb_estimator estimator)
{
    gb_expect *const e = gb_expect_new(p->t);
    const gb_node z = gb_draw(e, "z", q, estimator);
    const gb_node own = gb_draw_log_prob(e, z, gb_num(p->t, 0.5)), cost = cost_of_numbers(z);
    train(p, gb_expected(e, gb_add(cost, own)), TRAINED);
}

static gb_dist learned_normal(probe *p, int64_t count)
{
    const gb_node mu = variable(p, "mu", gb_shape(count), -1, 1),
                  rho = variable(p, "rho", gb_shape(count), -1, 1);
    return gb_normal(mu, gb_softplus(rho));
}
static void entropy_by_score(probe *p)
{
    train_with_entropy(p, learned_normal(p, 3), gb_score(.baseline = gb_fitted()));
}
static void entropy_by_measure(probe *p)
{
    train_with_entropy(p, learned_normal(p, 3), gb_measure_valued());
}
static void entropy_by_quadrature(probe *p)
{
    train_with_entropy(p, learned_normal(p, 2), gb_quadrature(.nodes = 4));
}
static void entropy_by_vargrad(probe *p)
{
    train_with_entropy(p, learned_normal(p, 3), gb_vargrad());
}
static void entropy_of_coins(probe *p)
{
    const gb_node logits = variable(p, "logits", gb_shape(3), -1, 1);
    train_with_entropy(p, gb_bernoulli_logits(logits), gb_disarm());
}
static void entropy_of_enumerated_coins(probe *p)
{
    const gb_node logits = variable(p, "logits", gb_shape(3), -1, 1);
    train_with_entropy(p, gb_bernoulli_logits(logits), gb_enumerated());
}

/* Measures whose two draws share their noise. */
static void sites_coupled_measures(probe *p)
{
    gb_expect *const e = gb_expect_new(p->t);
    const gb_node raw = variable(p, "raw", gb_shape(4), -0.5, 0.5), positive = gb_softplus(raw);
    gb_node of[4];
    for (int64_t i = 0; i < 4; i++)
        of[i] = gb_reshape(gb_slice(positive, 0, i, i + 1), gb_shape());
    const gb_node three = gb_num(p->t, 3);
    const gb_dist q[] = {gb_exponential(of[0]), gb_gamma(three, of[1]), gb_inverse_gamma(three, of[2]),
                         gb_poisson(of[3])};
    static const char *const NAMES[] = {"a", "b", "c", "d"};
    gb_node cost = gb_num(p->t, 0);
    for (int i = 0; i < 4; i++) {
        const gb_node z = gb_draw(e, NAMES[i], q[i], gb_measure_valued());
        cost = gb_add(cost, gb_square(gb_shift(z, -1)));
    }
    train(p, gb_expected(e, cost), TRAINED);
}

/* Sobol points for what is made of normals. */
static void sites_sobol_of_others(probe *p)
{
    gb_expect *const e = gb_expect_new(p->t);
    const gb_estimator sobol = gb_pathwise(.draws = GB_SOBOL);
    const gb_node mu = variable(p, "mu", gb_shape(3), -1, 1), raw = variable(p, "raw", gb_shape(3, 3), -1, 1);
    const gb_node lower = gb_tril(raw, -1), diagonal = gb_diag(gb_softplus(gb_diagonal(raw)));
    const gb_dist full = gb_multivariate_normal(mu, gb_add(lower, diagonal));
    const gb_dist base = gb_independent(gb_normal(mu, gb_num(p->t, 0.5)), 1);
    const gb_dist positive = gb_transformed(base, gb_stick_breaking_transform(p->t));
    const gb_node a = gb_draw(e, "a", full, sobol), b = gb_draw(e, "b", positive, sobol);
    const gb_node c =
        gb_draw(e, "c", gb_lognormal(mu, gb_num(p->t, 0.25)), gb_pathwise(.draws = GB_ANTITHETIC));
    const gb_node first = cost_of_numbers(a), second = cost_of_numbers(b), third = cost_of_numbers(c);
    train(p, gb_expected(e, gb_add(gb_add(first, second), third)), TRAINED);
}

/* clang-format off */
#define SITE_PROGRAMS                                                                                        \
    SAMPLED("sites/score-and-pathwise", sites_score_and_pathwise, 4),                                        \
    SAMPLED("sites/enumerate-and-quadrature", sites_enumerate_and_quadrature, 4),                            \
    SAMPLED("sites/measure-and-measure", sites_measure_and_measure, 4),                                      \
    SAMPLED("sites/disarm-and-vargrad", sites_disarm_and_vargrad, 4),                                        \
    SAMPLED("sites/second-gradients", sites_second_gradients, 4),                                            \
    SAMPLED("sites/independent-measures", sites_independent_measures, 4),                                    \
    SAMPLED("sites/independent-sums", sites_independent_sums, 4),                                            \
    SAMPLED("sites/independent-probe-and-sum", sites_independent_probe_and_sum, 4),                          \
    SAMPLED("sites/independent-arm-and-score", sites_independent_arm_and_score, 4),                          \
    SAMPLED("sites/rows-by-measure", sites_rows_by_measure, 4),                                              \
    SAMPLED("sites/rows-by-score", sites_rows_by_score, 4),                                                  \
    SAMPLED("sites/rows-by-pathwise", sites_rows_by_pathwise, 4),                                            \
    SAMPLED("sites/rows-together", sites_rows_together, 4),                                                  \
    SAMPLED("sites/coupled-measures", sites_coupled_measures, 4),                                            \
    SAMPLED("sites/sobol-of-others", sites_sobol_of_others, 4),                                              \
    SAMPLED("entropy/by-score", entropy_by_score, 4),                                                        \
    SAMPLED("entropy/by-measure", entropy_by_measure, 4),                                                    \
    SAMPLED("entropy/by-quadrature", entropy_by_quadrature, 4),                                              \
    SAMPLED("entropy/by-vargrad", entropy_by_vargrad, 4),                                                    \
    SAMPLED("entropy/of-coins", entropy_of_coins, 4),                                                        \
    SAMPLED("entropy/of-enumerated-coins", entropy_of_enumerated_coins, 4)
/* clang-format on */

#endif
