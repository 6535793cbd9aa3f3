/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cross-validation and replicated data, against exact answers of a conjugate model. */
#include "support/close.h"

#include <stdio.h>

#include "fitting/fit.h"
#include "fitting/judge/planted.h"
#include "fitting/predictive.h"
#include "models/batches.h"
#include "ops/draws.h"
#include "support/counted_memory.h"

enum { DATA = 20 };

typedef struct model {
    gb_elbo *e;
    gb_node mu, log_likelihood, replicated, data;
    double y[DATA], sum;
} model;

/* mu ~ N(0, 1), y_i ~ N(mu, 1); q is the posterior N(Σ y / 21, 1/21), up to `factor` in its sd. */
static model conjugate(gb_tape *t, double factor)
{
    model m = {0};
    for (int i = 0; i < DATA; i++)
        m.sum += m.y[i] = sin(7.0 * i) + 0.3;
    m.e = gb_elbo_new(t, .data_size = DATA);
    m.mu =
        gb_latent(m.e, "mu",
                  gb_mean_field(gb_shape(), .location = m.sum / (DATA + 1), .scale = factor / sqrt(DATA + 1)),
                  gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_pathwise());
    m.data = gb_constant(t, gb_shape(DATA), gb_values_of(m.y, DATA));
    const gb_dist likelihood = gb_normal(gb_broadcast(m.mu, gb_shape(DATA)), gb_num(t, 1));
    m.log_likelihood = gb_observe(m.e, "y", likelihood, m.data);
    m.replicated = gb_sample(likelihood, gb_stream(t, "replicated"), GB_SAMPLES);
    return m;
}

/* log p(y_i | the others): N(mean of the others' posterior, 1 + 1/20). */
static double left_out(const model *m, int i)
{
    const double mean = (m->sum - m->y[i]) / DATA, variance = 1 + 1.0 / DATA, d = m->y[i] - mean;
    return -0.5 * log(2 * 3.14159265358979323846 * variance) - d * d / 2 / variance;
}

static void assert_loo(const model *m, const gb_loo *l, const gb_loo_datum pointwise[DATA])
{
    double exact = 0;
    for (int i = 0; i < DATA; i++) {
        exact += left_out(m, i);
        assert_near(pointwise[i].elpd, left_out(m, i), 5 * pointwise[i].error + 1e-6);
        assert_true(pointwise[i].k < 0.7 && pointwise[i].error > 0);
    }
    assert_near(l->elpd, exact, 5 * l->monte_carlo_error);
    assert_int_equal(l->unreliable, 0);
}

TEST(loo_is_exact_within_its_error_by_draws_of_q)
{
    const model m = conjugate(t, 1);
    gb_loo_datum pointwise[DATA];
    const gb_loo l = gb_elbo_loo(m.e, gb_roots(m.log_likelihood), .pointwise = pointwise, .room = DATA);
    assert_fine(t);
    assert_loo(&m, &l, pointwise);
}

/* Without the weights of q the answer would be that of draws which are too wide. */
TEST(loo_corrects_q)
{
    const model m = conjugate(t, 1.6);
    gb_loo_datum pointwise[DATA];
    gb_judgement *j = judged(gb_judge(m.e, .draws = 20000), t);
    const gb_loo l =
        gb_elbo_loo(m.e, gb_roots(m.log_likelihood), .judgement = j, .pointwise = pointwise, .room = DATA);
    assert_fine(t);
    assert_loo(&m, &l, pointwise);
    gb_judgement_free(j);
}

TEST(loo_is_exact_within_its_error_by_nuts, .seed = 3)
{
    const model m = conjugate(t, 1);
    gb_loo_datum pointwise[DATA];
    gb_nuts *r = gb_sample_nuts(m.e);
    const gb_loo l =
        gb_elbo_loo(NULL, gb_roots(m.log_likelihood), .nuts = r, .pointwise = pointwise, .room = DATA);
    assert_fine(t);
    assert_loo(&m, &l, pointwise);
    gb_nuts_free(r);
}

/* w² is known, and its sign is not: chains do not mix, and q has one of the modes. */
TEST(warnings_of_the_draws_are_passed_on, .seed = 2)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    const gb_node w = gb_latent(e, "w", gb_mean_field(gb_shape(), .location = 2, .scale = 0.02),
                                gb_normal(gb_num(t, 0), gb_num(t, 3)), gb_pathwise());
    const gb_node log_p = gb_observe(e, "y", gb_normal(gb_square(w), gb_num(t, 0.1)),
                                     gb_constant(t, gb_shape(3), GB_VALUES(4, 4.1, 3.9)));
    gb_nuts *const r = gb_sample_nuts(e, .warmup = 200, .draws = 200);
    const gb_judgement *const j = gb_fit(e).judgement;
    assert_true(strstr(r->words, "R-hat") && j && j->misses_mode);
    const gb_loo by_nuts = gb_elbo_loo(e, gb_roots(log_p), .nuts = r),
                 by_q = gb_elbo_loo(e, gb_roots(log_p), .judgement = j);
    assert_non_null(strstr(by_nuts.words, r->words));
    assert_non_null(strstr(by_q.words, "not to be trusted"));
    assert_non_null(strstr(gb_predictive_check(e, w, gb_num(t, 0), .nuts = r).words, r->words));
    assert_non_null(
        strstr(gb_predictive_check(e, w, gb_num(t, 0), .judgement = j).words, "not to be trusted"));
    assert_fine(t);
    gb_nuts_free(r);
}

TEST(draws_that_are_fine_have_no_words)
{
    const model m = conjugate(t, 1);
    gb_judgement *const j = judged(gb_judge(m.e), t);
    assert_string_equal(gb_elbo_loo(m.e, gb_roots(m.log_likelihood), .judgement = j).words, "");
    assert_string_equal(gb_predictive_check(m.e, gb_sum(m.replicated), gb_sum(m.data), .judgement = j).words,
                        "");
    gb_judgement_free(j);
}

/* Σ (y_i − mu)² of replicated data is χ² of 20 degrees; mu is subtracted on both sides. */
TEST(a_predictive_p_value_is_that_of_its_integral)
{
    const model m = conjugate(t, 1);
    const gb_predictive_p_value p = gb_predictive_check(m.e, gb_sum(gb_square(gb_sub(m.replicated, m.mu))),
                                                        gb_sum(gb_square(gb_sub(m.data, m.mu))));
    assert_fine(t);
    assert_near(p.mean, 20, 5 * sqrt(40.0 / 4000));
    assert_near(p.sd, sqrt(40), 0.5);
    double squares = 0;
    for (int i = 0; i < DATA; i++)
        squares += (m.y[i] - m.sum / (DATA + 1)) * (m.y[i] - m.sum / (DATA + 1));
    assert_near(p.observed, squares + DATA / (DATA + 1.0), 0.2);
    /* Of P(χ² of 20 ≥ T): about 0.98 at 9.9 … 11. */
    assert_near(p.p, 0.96, 0.03);
    assert_true(p.error > 0.001 && p.error < 0.01);
}

TEST(ties_count_by_half)
{
    const model m = conjugate(t, 1);
    const gb_node zero = gb_scale(m.mu, 0);
    const gb_predictive_p_value p = gb_predictive_check(m.e, zero, gb_num(t, 0));
    assert_fine(t);
    assert_near(p.p, 0.5, 1e-12);
}

TEST(predictive_checks_take_draws_of_nuts, .seed = 3)
{
    const model m = conjugate(t, 1);
    gb_nuts *r = gb_sample_nuts(m.e);
    const gb_predictive_p_value p =
        gb_predictive_check(m.e, gb_sum(m.replicated), gb_num(t, m.sum), .nuts = r);
    assert_fine(t);
    /* Σ replicated is normal around 20 m, whose mean is 20/21 of the sum. */
    const double sd = sqrt(20 + 400.0 / 21), z = (m.sum - 20 * m.sum / 21) / sd;
    assert_near(p.p, 0.5 * erfc(z / sqrt(2)), 5 * p.error);
    assert_near(p.sd, sd, 0.4);
    gb_nuts_free(r);
}

/* ---- what is rejected ---- */

TEST(impossible_calls_are_rejected)
{
    const model m = conjugate(t, 1);
    gb_judgement *j = judged(gb_judge(m.e), t);
    const gb_nuts nuts = {.density = j->density};
    gb_loo_datum pointwise[3];
    gb_loo l = gb_elbo_loo(m.e, gb_roots(m.log_likelihood), .pointwise = pointwise, .room = 3);
    assert_int_equal(l.status, GB_EARGUMENT);
    assert_true(isnan(l.elpd));
    assert_rejected(t, GB_EARGUMENT, "elbo_loo: there are 20 data, and .pointwise has room for 3");
    l = gb_elbo_loo(m.e, ((gb_node_list){0}));
    assert_rejected(t, GB_EARGUMENT, "elbo_loo: no log likelihood is given; gb_observe returns them");
    l = gb_elbo_loo(m.e, gb_roots(m.log_likelihood), .judgement = j, .nuts = &nuts);
    assert_rejected(t, GB_EARGUMENT, "elbo_loo: .judgement and .nuts are both given");
    l = gb_elbo_loo(NULL, gb_roots(m.log_likelihood));
    assert_int_equal(l.status, GB_EARGUMENT);
    gb_predictive_p_value p = gb_predictive_check(m.e, m.replicated, gb_num(t, 0), .judgement = j);
    assert_int_equal(p.status, GB_EARGUMENT);
    assert_rejected(
        t, GB_EARGUMENT,
        "predictive_check: the statistics have 20 and 1 numbers for each draw, and must have one");
    p = gb_predictive_check(m.e, gb_log(gb_sum(gb_scale(m.replicated, 0))), gb_num(t, 0), .judgement = j);
    assert_rejected(t, GB_ENONFINITE,
                    "predictive_check: the statistic of the replicated data is -inf at draw 0");
    p = gb_predictive_check(NULL, m.mu, m.mu);
    assert_int_equal(p.status, GB_EARGUMENT);
    gb_judgement_free(j);
}

TEST(data_in_batches_are_rejected)
{
    gb_elbo *e = gb_elbo_new(t, .data_size = 6);
    const gb_node y = gb_input_rows(t, "y", gb_shape());
    const gb_node mu =
        gb_latent(e, "mu", gb_mean_field(gb_shape()), gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_pathwise());
    const gb_node each = gb_observe(e, "y", gb_normal(mu, gb_num(t, 1)), y);
    static const double values[] = {1, 2, 3, 4, 5, 6};
    gb_batches *some = gb_batches_new(t, .rows = 6, .batch = 2,
                                      .columns = GB_COLUMNS({y, gb_doubles(values)}), .name = "a"),
               *all =
                   gb_batches_new(t, .rows = 6, .columns = GB_COLUMNS({y, gb_doubles(values)}), .name = "b");
    gb_loo_datum pointwise[6];
    gb_elbo_loo(e, gb_roots(each), .data = some);
    assert_rejected(t, GB_EARGUMENT, "elbo_loo: the data are in 3 batches, and all must be in one");
    const gb_loo l = gb_elbo_loo(e, gb_roots(each), .data = all, .pointwise = pointwise, .room = 6);
    assert_fine(t);
    assert_true(pointwise[0].elpd > pointwise[5].elpd && isfinite(l.elpd));
}

static gb_status use(gb_tape *t, const void *what)
{
    (void)what;
    if (!t)
        return GB_ENOMEM;
    const model m = conjugate(t, 1);
    gb_judgement *const j = gb_judge(m.e, .draws = 200, .most_draws = 200);
    gb_elbo_loo(m.e, gb_roots(m.log_likelihood), .judgement = j);
    gb_predictive_check(m.e, gb_sum(m.replicated), gb_num(t, 0), .judgement = j);
    gb_judgement_free(j);
    return gb_error(t);
}

TEST(checks_outlive_lack_of_memory)
{
    assert_outlives_lack_of_memory(use, NULL, "checks", 60, (gb_tape_options){.seed = 1});
}
