/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every estimator and every baseline: a short training of a small expectation, with the loss of each step. */
#ifndef GREBE_TESTS_PROGRAMS_ESTIMATORS_H
#define GREBE_TESTS_PROGRAMS_ESTIMATORS_H

#include "probe.h"

enum { TRAINED = 25 };

/* Trains; afterwards reads a gradient, the cost of each sample, and mean and deviation of the draws. */
static void train_expectation(probe *p, gb_expect *e, gb_node draw, gb_node cost, gb_node parameter)
{
    const gb_node loss = gb_expected(e, cost), gradient = gb_grad(loss, parameter);
    const gb_node values = gb_sample_values(e, cost), mean = gb_mean_of_draws(e, draw),
                  sd = gb_sd_of_draws(e, draw);
    train(p, loss, TRAINED);
    keep(p, loss);
    keep(p, gradient);
    keep(p, values);
    keep(p, mean);
    keep(p, sd);
    look_at_kept(p, 2);
}

/* ---- normals ---- */

typedef struct normals {
    gb_expect *e;
    gb_node mu, rho, z;
} normals;

static normals draw_normals(probe *p, int64_t count, gb_estimator estimator)
{
    normals n;
    n.e = gb_expect_new(p->t);
    n.mu = variable(p, "mu", gb_shape(count), -1, 1);
    n.rho = variable(p, "rho", gb_shape(count), -1, 1);
    n.z = gb_draw(n.e, "z", gb_normal(n.mu, gb_softplus(n.rho)), estimator);
    return n;
}

/* Smooth, and not quadratic. */
static gb_node cost_of_numbers(gb_node z)
{
    const gb_node squares = gb_sum(gb_square(gb_shift(z, -0.75)));
    const gb_node waves = gb_sum(gb_sin(gb_scale(z, 2)));
    return gb_add(squares, gb_square(gb_shift(waves, 0.5)));
}

static void train_normals(probe *p, int64_t count, gb_estimator estimator)
{
    const normals n = draw_normals(p, count, estimator);
    train_expectation(p, n.e, n.z, cost_of_numbers(n.z), n.mu);
}

static void estimator_pathwise(probe *p)
{
    train_normals(p, 3, gb_pathwise());
}
static void estimator_pathwise_antithetic(probe *p)
{
    train_normals(p, 3, gb_pathwise(.draws = GB_ANTITHETIC));
}
static void estimator_pathwise_sobol(probe *p)
{
    train_normals(p, 3, gb_pathwise(.draws = GB_SOBOL));
}
static void estimator_score(probe *p)
{
    train_normals(p, 3, gb_score());
}
static void estimator_vargrad(probe *p)
{
    train_normals(p, 3, gb_vargrad());
}
static void estimator_measure(probe *p)
{
    train_normals(p, 3, gb_measure_valued());
}
static void estimator_quadrature(probe *p)
{
    train_normals(p, 2, gb_quadrature(.nodes = 5));
}

static void estimator_sticking_the_landing(probe *p)
{
    const normals n = draw_normals(p, 3, gb_sticking_the_landing());
    const gb_node own = gb_draw_log_prob(n.e, n.z, gb_num(p->t, 0.5)), cost = cost_of_numbers(n.z);
    train_expectation(p, n.e, n.z, gb_add(cost, own), n.mu);
}

/* Distributions whose draws have implicit gradients, and counts. */
static void train_positive(probe *p, gb_estimator estimator)
{
    gb_expect *const e = gb_expect_new(p->t);
    const gb_node a = variable(p, "a", gb_shape(2), 0.5, 2), b = variable(p, "b", gb_shape(2), 0.5, 2);
    const gb_node concentration = gb_softplus(a), rate = gb_softplus(b);
    const gb_node z = gb_draw(e, "z", gb_gamma(concentration, rate), estimator);
    train_expectation(p, e, z, cost_of_numbers(z), a);
}
static void estimator_pathwise_implicit(probe *p)
{
    train_positive(p, gb_pathwise());
}
static void estimator_score_of_gamma(probe *p)
{
    train_positive(p, gb_score(.baseline = gb_leave_one_out()));
}
static void estimator_measure_of_counts(probe *p)
{
    gb_expect *const e = gb_expect_new(p->t);
    const gb_node log_rate = variable(p, "log rate", gb_shape(2), -0.5, 1);
    const gb_node z = gb_draw(e, "z", gb_poisson(gb_exp(log_rate)), gb_measure_valued());
    train_expectation(p, e, z, gb_sum(gb_square(gb_shift(z, -3))), log_rate);
}

/* ---- choices ---- */

static gb_node cost_of_choices(probe *p, gb_node b)
{
    const gb_node weight = constant(p, "cost", gb_node_shape(b), -1, 1);
    const gb_node sum = gb_sum(gb_mul(b, weight)), squares = gb_sum(gb_square(gb_shift(b, -0.375)));
    return gb_add(gb_square(gb_shift(sum, -0.5)), squares);
}

static void train_coins(probe *p, gb_estimator estimator)
{
    gb_expect *const e = gb_expect_new(p->t);
    const gb_node logits = variable(p, "logits", gb_shape(4), -1, 1);
    const gb_node b = gb_draw(e, "b", gb_bernoulli_logits(logits), estimator);
    train_expectation(p, e, b, cost_of_choices(p, b), logits);
}

static void train_categories(probe *p, gb_estimator estimator)
{
    gb_expect *const e = gb_expect_new(p->t);
    const gb_node logits = variable(p, "logits", gb_shape(2, 3), -1, 1);
    const gb_node b = gb_draw(e, "b", gb_one_hot_categorical_logits(logits), estimator);
    train_expectation(p, e, b, cost_of_choices(p, b), logits);
}

#define OF_CHOICES(name, estimator)                                                                          \
    static void estimator_##name(probe *p)                                                                   \
    {                                                                                                        \
        train_coins(p, (estimator));                                                                         \
    }                                                                                                        \
    static void estimator_##name##_of_categories(probe *p)                                                   \
    {                                                                                                        \
        train_categories(p, (estimator));                                                                    \
    }
OF_CHOICES(enumerate, gb_enumerated())
OF_CHOICES(relaxed, gb_relaxed_draws(.temperature = 0.75))
OF_CHOICES(straight_through, gb_straight_through())
OF_CHOICES(rebar, gb_rebar(.learn = true, .eta = 0.5))
OF_CHOICES(relax, gb_relax())
OF_CHOICES(score_of_choices, gb_score(.baseline = gb_leave_one_out()))

static void estimator_arm(probe *p)
{
    train_coins(p, gb_arm());
}
static void estimator_disarm(probe *p)
{
    train_coins(p, gb_disarm());
}
static void estimator_measure_of_coins(probe *p)
{
    train_coins(p, gb_measure_valued());
}

/* A control variate of the caller's, with a variable that is learned. */
static gb_node surrogate(const gb_site *site, gb_node z, const void *user)
{
    const gb_node *const slope = user;
    (void)site;
    return gb_tanh(gb_mul(*slope, z));
}

static void estimator_relax_with_a_surrogate(probe *p)
{
    gb_expect *const e = gb_expect_new(p->t);
    const gb_node logits = variable(p, "logits", gb_shape(4), -1, 1);
    const gb_node slope = gb_variable(p->t, "slope", gb_shape(), gb_fill(0.5));
    const gb_estimator relax = gb_relax(.surrogate = surrogate, .user = &slope);
    const gb_node b = gb_draw(e, "b", gb_bernoulli_logits(logits), relax);
    train_expectation(p, e, b, cost_of_choices(p, b), logits);
}

/* ---- dropout ---- */

static void train_dropout(probe *p, bool by_unit, bool is_learned, gb_estimator estimator)
{
    gb_expect *const e = gb_expect_new(p->t);
    const gb_node weight = variable(p, "weight", gb_shape(3, 2), -1, 1);
    const gb_node raw = variable(p, "raw keep", by_unit ? gb_shape(3) : gb_shape(3, 2), 0, 2);
    const gb_node x = rows_of(p, "x", 5, gb_shape(3), -1, 1), y = rows_of(p, "y", 5, gb_shape(2), -1, 1);
    const gb_node learned = gb_sigmoid(raw), keep_rate = is_learned ? learned : gb_stop(learned);
    const gb_dist q = by_unit ? gb_unit_dropout(weight, keep_rate) : gb_bernoulli_dropout(weight, keep_rate);
    const gb_node w = gb_draw(e, "w", q, estimator);
    const gb_node off = gb_sub(gb_tanh(gb_matmul(x, w)), y);
    const gb_node cost = gb_sum_over(gb_sum(gb_square(off)), GB_ROWS);
    const gb_node loss = gb_expected(e, cost);
    train(p, loss, TRAINED);
}

static void estimator_dropout(probe *p)
{
    train_dropout(p, false, false, gb_dropout_draws());
}
static void estimator_dropout_learned(probe *p)
{
    train_dropout(p, false, true, gb_dropout_draws(.mask = gb_arm()));
}
static void estimator_dropout_of_units(probe *p)
{
    train_dropout(p, true, true, gb_dropout_draws(.mask = gb_relaxed_draws()));
}
static void estimator_dropout_row_by_row(probe *p)
{
    train_dropout(p, true, false, gb_dropout_draws(.per_row = true));
}

/* ---- baselines of the score function ---- */

static void baseline_none(probe *p)
{
    train_normals(p, 3, gb_score(.baseline = gb_no_baseline()));
}
static void baseline_constant(probe *p)
{
    train_normals(p, 3, gb_score(.baseline = gb_constant_baseline(2.5)));
}
static void baseline_moving_average(probe *p)
{
    train_normals(p, 3, gb_score(.baseline = gb_moving_average(.decay = 0.75)));
}
static void baseline_leave_one_out(probe *p)
{
    train_normals(p, 3, gb_score(.baseline = gb_leave_one_out()));
}
static void baseline_fitted(probe *p)
{
    train_normals(p, 3, gb_score(.baseline = gb_fitted()));
}
static void baseline_delta(probe *p)
{
    train_normals(p, 3, gb_score(.baseline = gb_delta()));
}

static void baseline_learned(probe *p)
{
    const gb_node level = gb_variable(p->t, "level", gb_shape(), gb_fill(0.5));
    train_normals(p, 3, gb_score(.baseline = gb_learned_baseline(level)));
}

/* A draw for each row, whose cost is a sum over the rows. */
static void baseline_leave_one_row_out(probe *p)
{
    gb_expect *const e = gb_expect_new(p->t);
    const gb_node mu = variable(p, "mu", gb_shape(2), -1, 1), rho = variable(p, "rho", gb_shape(2), -1, 1);
    const gb_node x = rows_of(p, "x", 5, gb_shape(2), -1, 1);
    const gb_dist q = gb_normal(mu, gb_softplus(rho));
    const gb_node z = gb_draw_over(e, "z", q, GB_ROWS, gb_score(.baseline = gb_leave_one_row_out()));
    const gb_node cost = gb_sum_over(gb_square(gb_sum(gb_sub(z, x))), GB_ROWS);
    train(p, gb_expected(e, cost), TRAINED);
}

static void rule_of_hermite(probe *p)
{
    double node[20], weight[20];
    for (int count = 1; count <= 20; count++) {
        assert_true(gb_hermite_rule(count, node, weight));
        hash_numbers(p, "nodes", node, (size_t)count);
        hash_numbers(p, "weights", weight, (size_t)count);
    }
}

/* clang-format off */
#define PAIR_OF_CHOICES(name, text)                                                                          \
    SAMPLED("estimator/" text, estimator_##name, 4),                                                         \
    SAMPLED("estimator/" text "-of-categories", estimator_##name##_of_categories, 4)
#define ESTIMATOR_PROGRAMS                                                                                   \
    SAMPLED("estimator/pathwise", estimator_pathwise, 4),                                                    \
    SAMPLED("estimator/pathwise-antithetic", estimator_pathwise_antithetic, 4),                              \
    SAMPLED("estimator/pathwise-sobol", estimator_pathwise_sobol, 4),                                        \
    SAMPLED("estimator/pathwise-implicit", estimator_pathwise_implicit, 4),                                  \
    SAMPLED("estimator/score", estimator_score, 4),                                                          \
    SAMPLED("estimator/score-of-gamma", estimator_score_of_gamma, 4),                                        \
    SAMPLED("estimator/vargrad", estimator_vargrad, 4),                                                      \
    SAMPLED("estimator/sticking_the_landing", estimator_sticking_the_landing, 4),                            \
    SAMPLED("estimator/measure", estimator_measure, 4),                                                      \
    SAMPLED("estimator/measure-of-counts", estimator_measure_of_counts, 4),                                  \
    SAMPLED("estimator/measure-of-coins", estimator_measure_of_coins, 4),                                    \
    SAMPLED("estimator/quadrature", estimator_quadrature, 4),                                                \
    SAMPLED("estimator/arm", estimator_arm, 4),                                                              \
    SAMPLED("estimator/disarm", estimator_disarm, 4),                                                        \
    PAIR_OF_CHOICES(enumerate, "enumerate"),                                                                 \
    PAIR_OF_CHOICES(relaxed, "relaxed"),                                                                     \
    PAIR_OF_CHOICES(straight_through, "straight_through"),                                                   \
    PAIR_OF_CHOICES(rebar, "rebar"),                                                                         \
    PAIR_OF_CHOICES(relax, "relax"),                                                                         \
    SAMPLED("estimator/relax-with-a-surrogate", estimator_relax_with_a_surrogate, 4),                        \
    PAIR_OF_CHOICES(score_of_choices, "score-of-choices"),                                                   \
    SAMPLED("estimator/dropout", estimator_dropout, 4),                                                      \
    SAMPLED("estimator/dropout-learned", estimator_dropout_learned, 4),                                      \
    SAMPLED("estimator/dropout-of-units", estimator_dropout_of_units, 4),                                    \
    SAMPLED("estimator/dropout-row-by-row", estimator_dropout_row_by_row, 4),                                \
    SAMPLED("baseline/none", baseline_none, 4),                                                              \
    SAMPLED("baseline/constant", baseline_constant, 4),                                                      \
    SAMPLED("baseline/moving_average", baseline_moving_average, 4),                                          \
    SAMPLED("baseline/leave_one_out", baseline_leave_one_out, 4),                                            \
    SAMPLED("baseline/leave_one_row_out", baseline_leave_one_row_out, 4),                                    \
    SAMPLED("baseline/fitted", baseline_fitted, 4),                                                          \
    SAMPLED("baseline/delta", baseline_delta, 4),                                                            \
    SAMPLED("baseline/learned", baseline_learned, 4),                                                        \
    PROGRAM("rule/hermite", rule_of_hermite)
/* clang-format on */

#endif
