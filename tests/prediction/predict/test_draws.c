/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws of a posterior: of a judgement, which corrects q, and of NUTS. */
#include "support/close.h"

#include "fitting/fit.h"
#include "prediction/predicted.h"

enum { ROWS = 12 };
static double ys[ROWS];

typedef struct mean_model {
    gb_elbo *e;
    gb_node y;
    double posterior, variance; /* of mu */
} mean_model;

/* mu ~ N(0, 1), y ~ N(mu, 1). q has the posterior's mean plus `off` of its sd, and its sd times `factor`. */
static mean_model model(gb_tape *t, double off, double factor)
{
    mean_model m = {.e = gb_elbo_new(t, .data_size = ROWS), .y = gb_input_rows(t, "y", gb_shape())};
    for (int i = 0; i < ROWS; i++)
        m.posterior += (ys[i] = sin(5.0 * i) + 0.4) / (ROWS + 1);
    m.variance = 1.0 / (ROWS + 1);
    const double sd = sqrt(m.variance);
    const gb_family q = gb_mean_field(gb_shape(), .location = m.posterior + off * sd, .scale = factor * sd);
    const gb_node mu = gb_latent(m.e, "mu", q, gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_pathwise());
    gb_observe(m.e, "y", gb_normal(mu, gb_num(t, 1)), m.y);
    assert_int_equal(gb_feed(m.y, ys, ROWS), GB_OK);
    return m;
}

static void assert_posterior(const mean_model *m, const gb_prediction *p, double draws)
{
    for (int i = 0; i < ROWS; i++) {
        assert_near(p->mean[i], m->posterior, 5 * sqrt(m->variance / draws));
        assert_near(p->epistemic[i], sqrt(m->variance), 5 * sqrt(m->variance / draws));
        assert_near(p->noise[i], 1, 1e-12);
        assert_near(p->log_density[i], log_normal(ys[i], m->posterior, 1 + m->variance),
                    5 * p->log_density_error[i]);
        assert_true(p->log_density_error[i] > 0 && p->log_density_error[i] < 0.1);
        assert_near(p->quantile[3 * i + 1], m->posterior, 5 * 1.3 / sqrt(draws));
        assert_near(p->crps[i], gb_crps_normal(m->posterior, sqrt(1 + m->variance), ys[i]), 5 / sqrt(draws));
    }
}

TEST(a_judgement_corrects_a_q_that_is_off)
{
    const mean_model m = model(t, 0.5, 1.4);
    gb_judgement *j = gb_judge(m.e, .draws = 8000);
    assert_non_null(j);
    gb_prediction *by_q = predicted(gb_predictive(m.e, "y", .draws = 2000), t),
                  *p = predicted(gb_predictive(m.e, "y", .judgement = j), t),
                  *some = predicted(gb_predictive(m.e, "y", .judgement = j, .draws = 1500, .seed = 3), t);
    assert_true(fabs(by_q->mean[0] - m.posterior) > 0.4 * sqrt(m.variance));
    assert_int_equal(p->source, GB_SUMMARY_PSIS);
    assert_int_equal(p->draws, j->draws);
    assert_int_equal(some->draws, 1500);
    assert_true(p->k < 0.7);
    assert_posterior(&m, p, 3000);
    assert_posterior(&m, some, 1000);
    gb_prediction_free(by_q);
    gb_prediction_free(p);
    gb_prediction_free(some);
    gb_judgement_free(j);
}

/* A mean field of two numbers whose sum alone is known. */
TEST(a_prediction_says_what_the_fit_was_judged, .seed = 1)
{
    static const double one[] = {1};
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    const gb_dist prior = gb_normal(gb_num(t, 0), gb_num(t, 1));
    const gb_node a = gb_latent(e, "a", gb_mean_field(gb_shape()), prior, gb_pathwise()),
                  b = gb_latent(e, "b", gb_mean_field(gb_shape()), prior, gb_pathwise());
    gb_observe(e, "y", gb_normal(gb_add(a, b), gb_num(t, 0.05)),
               gb_constant(t, gb_shape(1), gb_values_of(one, 1)));
    const gb_fit_result r = gb_fit(e);
    assert_true(r.verdict != GB_VERDICT_NONE && r.verdict < GB_VERDICT_GOOD_HERE);
    gb_prediction *const of_q = predicted(gb_predictive(e, "y"), t),
                         *const corrected = predicted(gb_predictive(e, "y", .judgement = r.judgement), t);
    assert_non_null(strstr(of_q->words, "the fit is judged \""));
    assert_non_null(strstr(of_q->words, gb_verdict_text(r.verdict)));
    assert_null(strstr(corrected->words, "the fit is judged"));
    gb_node variable[4];
    assert_true(gb_tape_variables(t, variable, 4) > 0);
    const double other[] = {3};
    gb_set(variable[0], gb_values_of(other, 1));
    gb_prediction *const moved = predicted(gb_predictive(e, "y"), t);
    assert_string_equal(moved->words, "");
    gb_prediction_free(of_q);
    gb_prediction_free(corrected);
    gb_prediction_free(moved);
}

TEST(weights_that_are_not_reliable_are_not_used)
{
    const mean_model m = model(t, 0, 0.3);
    gb_judgement *j = gb_judge(m.e, .draws = 1000, .most_draws = 1000);
    assert_non_null(j);
    if (!j->corrects_by_wide) {
        gb_prediction *p = predicted(gb_predictive(m.e, "y", .judgement = j), t);
        assert_int_equal(p->source, GB_SUMMARY_Q);
        assert_non_null(strstr(p->words, "uncorrect") ? p->words : strstr(p->words, "its own"));
        gb_prediction_free(p);
    }
    gb_judgement_free(j);
}

TEST(draws_of_nuts_predict)
{
    const mean_model m = model(t, 1, 0.5);
    gb_nuts *r = gb_sample_nuts(m.e, .draws = 1500);
    assert_non_null(r);
    gb_prediction *p = predicted(gb_predictive(m.e, "y", .nuts = r), t),
                  *some = predicted(gb_predictive(m.e, "y", .nuts = r, .draws = 1000), t);
    assert_int_equal(p->source, GB_SUMMARY_NUTS);
    assert_int_equal(p->draws, 6000);
    assert_posterior(&m, p, 1500);
    assert_posterior(&m, some, 500);
    const size_t nodes = gb_tape_length(t);
    gb_prediction_free(predicted(gb_predictive(m.e, "y", .nuts = r), t));
    assert_int_equal(gb_tape_length(t), nodes);
    gb_prediction_free(p);
    gb_prediction_free(some);
    gb_nuts_free(r);
}

TEST(draws_of_other_elbos_are_rejected)
{
    const mean_model m = model(t, 0, 1);
    gb_tape *const u = test_tape();
    const mean_model other = model(u, 0, 1);
    gb_nuts *r = gb_sample_nuts(other.e, .draws = 50, .warmup = 50);
    assert_non_null(r);
    assert_null(gb_predictive(m.e, "y", .nuts = r));
    assert_int_equal(gb_error(t), GB_EARGUMENT);
    assert_non_null(strstr(gb_error_text(t), "predictive: .nuts is of another tape than the ELBO"));
    gb_nuts_free(r);
}

TEST(latents_of_rows_have_no_draws_for_new_rows)
{
    enum { N = 4 };
    static const double y[N] = {1, 2, 0, 1}, at[N] = {0, 0, 0, 0};
    gb_elbo *e = gb_elbo_new(t, .data_size = N);
    const gb_node data = gb_input_rows(t, "y", gb_shape()), loc = gb_input_rows(t, "loc", gb_shape());
    const gb_node z = gb_latent(e, "z", gb_posterior_of(gb_normal(loc, gb_num(t, 1))),
                                gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_pathwise());
    gb_observe(e, "y", gb_normal(z, gb_num(t, 1)), data);
    gb_feed(data, y, N);
    gb_feed(loc, at, N);
    gb_nuts *r = gb_sample_nuts(e, .draws = 50, .warmup = 100);
    assert_non_null(r);
    assert_null(gb_predictive(e, "y", .nuts = r));
    assert_non_null(strstr(gb_error_text(t), "latent z is there for each row"));
    gb_nuts_free(r);
}
