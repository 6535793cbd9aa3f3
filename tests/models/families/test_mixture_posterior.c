/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mixtures of mean fields, and their estimator. */
#include "support/close.h"

#include <stdio.h>

#include "core/gradient.h"
#include "distributions/list.h"
#include "estimators/expect.h"
#include "estimators/list.h"
#include "fitting/fit.h"
#include "fitting/judge.h"
#include "kit/check_family.h"
#include "models/elbo.h"
#include "models/family.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

TEST(the_family_conforms)
{
    gb_report report = {.size = sizeof report, .file = stdout};
    assert_true(
        gb_check_family(gb_mixture_posterior(gb_shape(), .location = 0.2, .scale = 0.3), .report = &report));
    assert_true(
        gb_check_family(gb_mixture_posterior(gb_shape(), .scale = 0.3, .components = 3, .map = GB_SCALE_EXP),
                        .report = &report));
}

/* ---- the estimator ---- */

/* Two components 8 sd apart, of two positive numbers. Of their logarithms, E[Σ u² + 3 u] is
 * Σ w (m² + s² + 3 m). */
enum { K = 2, N = 2 };
static const double centre[K][N] = {{-2, 0.5}, {2, -0.5}}, log_spread[K][N] = {{-0.7, -0.5}, {-0.6, -0.8}},
                    logits[K] = {0.3, -0.4};

static gb_dist far_apart(gb_tape *t)
{
    gb_slot slot;
    const gb_family family = gb_mixture_posterior(gb_shape(N), .map = GB_SCALE_EXP);
    if (!gb_slot_of(t, "w", family, gb_gamma(gb_num(t, 1), gb_num(t, 1)), &slot))
        fail_msg("%s", gb_error_text(t));
    const gb_dist q = gb_family_posterior(family, &slot);
    set_variable(t, "w.centre", centre[0], (size_t)K * N);
    set_variable(t, "w.log_spread", log_spread[0], (size_t)K * N);
    set_variable(t, "w.logits", logits, K);
    return q;
}

static double deviation_of(gb_tape *t, gb_estimator estimator, double *mean)
{
    const gb_dist q = far_apart(t);
    gb_expect *const e = gb_expect_new(t);
    const gb_node w = gb_draw(e, "w", q, estimator);
    const gb_node u = gb_log(w), cost = gb_sum(gb_add(gb_square(u), gb_scale(u, 3)));
    const gb_node expected = gb_expected(e, cost);
    const char *const names[] = {"w.centre", "w.log_spread", "w.logits"};
    gb_node slope[3];
    enum { RUNS = 400 };
    for (int i = 0; i < 3; i++)
        slope[i] = gb_grad(expected, gb_variable_named(t, names[i]));
    gb_program *const p = gb_compile(t, gb_roots(slope[0], slope[1], slope[2]), gb_no_update);
    gb_program_set_samples(p, 100);
    assert_fine(t);
    double sum[10] = {0}, squares = 0;
    for (int run = 0; run < RUNS; run++) {
        double x[10];
        assert_int_equal(gb_run(p), GB_OK);
        gb_read(slope[0], x, 4);
        gb_read(slope[1], x + 4, 4);
        gb_read(slope[2], x + 8, 2);
        for (int i = 0; i < 10; i++)
            sum[i] += x[i] / RUNS;
        squares += x[8] * x[8] / RUNS;
    }
    gb_program_free(p);
    memcpy(mean, sum, sizeof sum);
    return sqrt(squares - sum[8] * sum[8]);
}

/* Against the exact slopes; and that in the weights has little noise. */
TEST(components_give_the_gradient, .seed = 3)
{
    double w[K], e[K] = {0}, mean[10], should[10], all = 0, of_score[10];
    for (int k = 0; k < K; k++) {
        w[k] = exp(logits[k]) / (exp(logits[0]) + exp(logits[1]));
        for (int i = 0; i < N; i++)
            e[k] += centre[k][i] * (centre[k][i] + 3) + exp(2 * log_spread[k][i]);
        all += w[k] * e[k];
    }
    for (int k = 0; k < K; k++) {
        should[8 + k] = w[k] * (e[k] - all);
        for (int i = 0; i < N; i++) {
            should[k * N + i] = w[k] * (2 * centre[k][i] + 3);
            should[4 + k * N + i] = 2 * w[k] * exp(2 * log_spread[k][i]);
        }
    }
    const double deviation = deviation_of(t, gb_components(), mean);
    for (int i = 0; i < 10; i++)
        assert_near(mean[i], should[i], 0.03);
    gb_tape *const other = test_tape(.seed = 3);
    assert_true(2 * deviation < deviation_of(other, gb_score(.baseline = gb_leave_one_out()), of_score));
    assert_near(of_score[8], should[8], 0.1);
}

TEST(a_distribution_without_components_is_rejected)
{
    gb_expect *const e = gb_expect_new(t);
    gb_draw(e, "w", gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_components());
    assert_rejected(t, GB_EARGUMENT, "list of components");
    gb_draw(e, "v", far_apart(t), gb_pathwise());
    assert_rejected(t, GB_EARGUMENT, "reparameterised");
}

/* Two modes of unequal weights: the mixture is the posterior. */
TEST(a_mixture_finds_two_modes, .seed = 1)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1, .samples = 16);
    const gb_node starts = gb_constant(t, gb_shape(2, 2), GB_VALUES(-1, 0, 1, 0));
    const gb_node z = gb_latent(e, "z", gb_mixture_posterior(gb_shape(2), .scale = 0.5, .locations = starts),
                                gb_no_prior, gb_components());
    const gb_node means = gb_constant(t, gb_shape(2, 2), GB_VALUES(-3, 1, 3, 0));
    const gb_dist target =
        gb_mixture(gb_constant(t, gb_shape(2), GB_VALUES(0, 1)),
                   gb_independent(gb_normal(means, gb_broadcast(gb_num(t, 0.6), gb_shape(2, 2))), 1));
    gb_factor(e, "target", gb_log_prob(target, z));
    gb_fit(e, .optimiser = gb_adam(.lr = 0.02, .schedule = gb_cosine(3000, .end = 0.01)), .steps = 3000);
    gb_judgement *const j = gb_judge(e, .draws = 4000, .most_draws = 4000);
    assert_fine(t);
    assert_near(j->elbo, 0, 0.01);
    assert_true(j->weights.k < 0.7);
    gb_judgement_free(j);
    double x[2];
    assert_int_equal(gb_read(gb_variable_named(t, "z.logits"), x, 2), GB_OK);
    assert_near(fabs(x[1] - x[0]), 1, 0.1);
}
