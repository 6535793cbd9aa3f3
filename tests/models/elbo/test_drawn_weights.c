/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An ELBO whose latent has drawn values with weights: the printed terms have the mean of the exact ones,
 * their standard errors are those of the runs, and a fit finds the posterior. */
#include "support/close.h"

#include "distributions/list.h"
#include "estimators/list.h"
#include "estimators/moments.h"
#include "fitting/fit.h"
#include "models/elbo.h"
#include "models/optimiser.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

enum { K = 12, ROWS = 3, TERMS = 3 };
static const double Y[ROWS] = {0.4, 1.1, -0.3};
static const char *const TERM[TERMS] = {"ELBO", "y", "z"};

static double value_of(int k)
{
    return 1.5 * sin(0.5 + 2.1 * k);
}

static double logit_of(int k)
{
    return cos(1.0 + 1.7 * k);
}

static gb_node list(gb_tape *t, double (*of)(int))
{
    double all[K];
    for (int k = 0; k < K; k++)
        all[k] = of(k);
    return gb_constant(t, gb_shape(K), gb_values_of(all, K));
}

/* One choice explains all data; q starts away from the prior. */
static gb_elbo *model(gb_tape *t, const char *by)
{
    char error[200];
    gb_estimator estimator;
    assert_true(gb_estimator_parse(by, &estimator, error, sizeof error));
    gb_elbo *const e = gb_elbo_new(t, .data_size = ROWS, .kl = GB_KL_SAMPLED);
    const gb_node y = gb_input_rows(t, "y", gb_shape());
    const gb_node logits = gb_variable(t, "logits", gb_shape(K), gb_fill(0));
    const gb_dist q = gb_one_hot_categorical_logits(gb_add(logits, list(t, logit_of))),
                  prior = gb_one_hot_categorical_logits(gb_zeros(t, gb_shape(K)));
    const gb_node z = gb_latent(e, "z", gb_posterior_of(q), prior, estimator);
    gb_observe(e, "y", gb_normal(gb_sum(gb_mul(z, list(t, value_of))), gb_num(t, 1)), y);
    gb_feed(y, Y, ROWS);
    return e;
}

static const struct drawn_case {
    const char *name;
} cases[] = {{"unordered_set:draws=3"}, {"sum_and_sample:summed=2"}, {"gumbel_top_k:draws=8"}};
enum { CASES = sizeof cases / sizeof *cases };

/* Together they fail once in a million times. */
TEST_EACH(terms_and_their_errors_are_right, cases, .seed = 4, .samples = 64)
{
    enum { RUNS = 1000 };
    gb_tape *const own = test_tape(.seed = 4);
    gb_elbo *const exact = model(own, "enumerate"), *const e =
                                                        model(t, ((const struct drawn_case *)row)->name);
    assert_true(gb_node_ok(gb_elbo_loss(exact)) && gb_node_ok(gb_elbo_loss(e)));
    gb_node value[2 * TERMS];
    for (int i = 0; i < TERMS; i++) {
        value[i] = gb_elbo_term_named(e, TERM[i]).value;
        value[TERMS + i] = gb_elbo_term_named(e, TERM[i]).error;
    }
    gb_program *const program = gb_compile(t, gb_roots_of(2 * TERMS, value), gb_no_update);
    assert_fine(t);
    moments m[2 * TERMS];
    collect(program, RUNS, 2 * TERMS, value, m);
    for (int i = 0; i < TERMS; i++) {
        const double should = gb_value(gb_elbo_term_named(exact, TERM[i]).value);
        assert_near(m[i].mean, should, z_bound(1e-6, CASES * TERMS) * m[i].mean_error);
        assert_near(m[TERMS + i].mean, sqrt(m[i].variance), 0.15 * sqrt(m[i].variance));
        assert_true(m[i].variance > 0);
    }
}

/* Of unlike estimators, the same posterior: that of Bayes' rule. */
TEST_EACH(a_fit_finds_the_posterior, cases, .seed = 4, .samples = 4)
{
    gb_elbo *const e = model(t, ((const struct drawn_case *)row)->name);
    const gb_fit_result r =
        gb_fit(e, .optimiser = gb_adam(.lr = 0.05, .schedule = gb_cosine(1500)), .steps = 1500);
    double logit[K], p[K], q[K], all = 0, all_q = 0;
    assert_int_equal(r.status, GB_OK);
    gb_read(gb_variable_named(t, "logits"), logit, K);
    for (int k = 0; k < K; k++) {
        double log_p = 0;
        for (int i = 0; i < ROWS; i++)
            log_p -= 0.5 * (Y[i] - value_of(k)) * (Y[i] - value_of(k));
        all += p[k] = exp(log_p);
        all_q += q[k] = exp(logit[k] + logit_of(k));
    }
    for (int k = 0; k < K; k++)
        assert_near(q[k] / all_q, p[k] / all, 0.02);
}
