/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Predictions whose answer is known in closed form. */
#include "support/close.h"

#include "prediction/predicted.h"

TEST(a_line_is_predicted_exactly_by_quadrature)
{
    const line m = line_model(t, gb_quadrature());
    gb_prediction *p = predicted(gb_predictive(m.e, "y", .data = m.data, .only_moments = true), t);
    assert_int_equal(p->rows, LINE_ROWS);
    assert_int_equal(p->draws, 1);
    assert_string_equal(p->words, "");
    for (int i = 0; i < LINE_ROWS; i++) {
        const double epistemic = line_epistemic(i), noise = LINE_NOISE * LINE_NOISE;
        assert_near(p->mean[i], line_mean(i), 1e-12);
        assert_near(p->epistemic[i], sqrt(epistemic), 1e-12);
        assert_near(p->noise[i], LINE_NOISE, 1e-12);
        assert_near(p->sd[i], sqrt(epistemic + noise), 1e-12);
        assert_near(p->log_density[i], line_log_density(i), 1e-10);
        assert_near(p->log_density_error[i], 0, 0);
        assert_near(p->outcome[i], line_y[i], 0);
    }
    gb_prediction_free(p);
}

TEST(a_line_is_predicted_within_errors_by_draws)
{
    enum { DRAWS = 20000 };
    const line m = line_model(t, gb_pathwise());
    gb_prediction *p = predicted(
        gb_predictive(m.e, "y", .data = m.data, .draws = DRAWS, .quantiles = GB_VALUES(0.1, 0.5, 0.9)), t);
    for (int i = 0; i < LINE_ROWS; i++) {
        const double epistemic = sqrt(line_epistemic(i)), error = epistemic / sqrt(DRAWS),
                     sd = sqrt(line_epistemic(i) + LINE_NOISE * LINE_NOISE);
        assert_near(p->mean[i], line_mean(i), 4 * error);
        assert_near(p->epistemic[i], epistemic, 4 * error);
        assert_near(p->noise[i], LINE_NOISE, 1e-12);
        assert_near(p->sd[i], sd, 4 * error);
        assert_near(p->log_density[i], line_log_density(i), 4 * p->log_density_error[i]);
        assert_true(p->log_density_error[i] > 0 && p->log_density_error[i] < 0.02);
        for (int q = 0; q < 3; q++) {
            const double z = (q - 1) * 1.2815515655446004, density = exp(-z * z / 2) / sqrt(2 * PI) / sd;
            const double of_q = sqrt(p->level[q] * (1 - p->level[q]) / DRAWS) / density;
            assert_near(p->quantile[3 * i + q], line_mean(i) + z * sd, 4 * of_q);
        }
        const double crps = gb_crps_normal(line_mean(i), sd, line_y[i]);
        assert_near(p->crps[i], crps, 4 * sd / sqrt(DRAWS));
        const double below = 0.5 * erfc(-(line_y[i] - line_mean(i)) / sd / sqrt(2));
        assert_near(p->below[i], below, 4 * 0.5 / sqrt(DRAWS));
    }
    gb_prediction_free(p);
}

/* y ~ Poisson(rate), q(rate) = Gamma(a, b): ŷ is negative binomial. */
TEST(counts_are_predicted_as_a_negative_binomial)
{
    enum { ROWS = 3, DRAWS = 40000 };
    static const double a = 3, b = 0.5, y[ROWS] = {0, 4, 11};
    const gb_node counts = gb_input_rows(t, "y", gb_shape());
    gb_elbo *e = gb_elbo_new(t, .data_size = ROWS);
    const gb_dist q = gb_gamma(gb_variable(t, "a", gb_shape(), gb_fill(a)), gb_num(t, b));
    const gb_node rate =
        gb_latent(e, "rate", gb_posterior_of(q), gb_gamma(gb_num(t, 1), gb_num(t, 1)), gb_pathwise());
    gb_observe(e, "y", gb_poisson(rate), counts);
    assert_int_equal(gb_feed(counts, y, ROWS), GB_OK);
    gb_prediction *p = predicted(gb_predictive(e, "y", .draws = DRAWS), t);
    assert_true(p->is_discrete);
    for (int i = 0; i < ROWS; i++) {
        const double chance = b / (b + 1), exact = lgamma(a + y[i]) - lgamma(a) - lgamma(y[i] + 1) +
                                                   a * log(chance) + y[i] * log(1 - chance);
        assert_near(p->log_density[i], exact, 4 * p->log_density_error[i]);
        assert_near(p->mean[i], a / b, 4 * sqrt(a) / b / sqrt(DRAWS));
        assert_near(p->epistemic[i], sqrt(a) / b, 0.1);
        assert_near(p->noise[i], sqrt(a / b), 0.05);
        assert_near(p->sd[i], sqrt(a / b + a / b / b), 0.1);
        for (int k = 0; k < 3; k++)
            assert_true(p->quantile[3 * i + k] == floor(p->quantile[3 * i + k]));
    }
    gb_prediction_free(p);
}

/* q(p) = Beta(a, b): P(y = 1) = a / (a + b), and entropies by numerical integrals. */
TEST(a_coin_has_probabilities_and_entropies)
{
    enum { ROWS = 2, DRAWS = 40000, STEPS = 200000 };
    static const double a = 2, b = 5, y[ROWS] = {0, 1};
    const gb_node data = gb_input_rows(t, "y", gb_shape());
    gb_elbo *e = gb_elbo_new(t, .data_size = ROWS);
    const gb_dist q = gb_beta(gb_variable(t, "a", gb_shape(), gb_fill(a)), gb_num(t, b));
    const gb_node chance =
        gb_latent(e, "p", gb_posterior_of(q), gb_beta(gb_num(t, 1), gb_num(t, 1)), gb_pathwise());
    gb_observe(e, "y", gb_bernoulli(chance), data);
    assert_int_equal(gb_feed(data, y, ROWS), GB_OK);
    gb_prediction *p = predicted(gb_predictive(e, "y", .draws = DRAWS), t);
    double expected = 0, square = 0;
    for (int i = 0; i < STEPS; i++) {
        const double x = (i + 0.5) / STEPS, h = -x * log(x) - (1 - x) * log1p(-x);
        const double density = exp(lgamma(a + b) - lgamma(a) - lgamma(b)) * x * pow(1 - x, b - 1);
        expected += density * h / STEPS;
        square += density * h * h / STEPS;
    }
    const double mean = a / (a + b), error = sqrt(a * b / (a + b + 1)) / (a + b) / sqrt(DRAWS);
    assert_int_equal(p->classes, 2);
    for (int i = 0; i < ROWS; i++) {
        assert_near(p->probability[2 * i + 1], mean, 4 * error);
        assert_near(p->probability[2 * i] + p->probability[2 * i + 1], 1, 1e-12);
        assert_near(p->entropy[i], -mean * log(mean) - (1 - mean) * log(1 - mean), 0.01);
        assert_near(p->expected_entropy[i], expected, 4 * sqrt((square - expected * expected) / DRAWS));
        assert_near(p->information[i], p->entropy[i] - p->expected_entropy[i], 1e-15);
        assert_near(p->log_density[i], log(i ? mean : 1 - mean), 4 * p->log_density_error[i]);
    }
    gb_prediction_free(p);
}

/* y ~ N(2 z, 1), q(z) = Bernoulli(0.3), summed out. */
TEST(a_mixture_is_predicted_exactly_by_enumeration)
{
    enum { ROWS = 3 };
    static const double y[ROWS] = {-1, 0.5, 3};
    const gb_node data = gb_input_rows(t, "y", gb_shape());
    gb_elbo *e = gb_elbo_new(t, .data_size = ROWS);
    const gb_dist q = gb_bernoulli(gb_variable(t, "p", gb_shape(), gb_fill(0.3)));
    const gb_node z = gb_latent(e, "z", gb_posterior_of(q), gb_bernoulli(gb_num(t, 0.5)), gb_enumerated());
    gb_observe(e, "y", gb_normal(gb_scale(z, 2), gb_num(t, 1)), data);
    assert_int_equal(gb_feed(data, y, ROWS), GB_OK);
    gb_prediction *p = predicted(gb_predictive(e, "y", .draws = 4000), t);
    for (int i = 0; i < ROWS; i++) {
        const double exact = 0.7 * exp(log_normal(y[i], 0, 1)) + 0.3 * exp(log_normal(y[i], 2, 1));
        assert_near(p->log_density[i], log(exact), 1e-12);
        assert_near(p->mean[i], 0.6, 1e-12);
        assert_near(p->epistemic[i], sqrt(4 * 0.3 * 0.7), 1e-12);
        assert_near(p->noise[i], 1, 1e-12);
        const double below = 0.7 * 0.5 * erfc(-y[i] / sqrt(2)) + 0.3 * 0.5 * erfc(-(y[i] - 2) / sqrt(2));
        assert_near(p->below[i], below, 4 * 0.5 / sqrt(4000));
    }
    gb_prediction_free(p);
}

/* ---- a standardised outcome ---- */

TEST(a_standardised_outcome_is_predicted_in_its_own_units)
{
    static const double raw[LINE_ROWS] = {112, 109, 103, 90, 105};
    gb_standard *const s = gb_standard_new(t, gb_numbers_of(GB_NUMBER_DOUBLE, raw, LINE_ROWS));
    const line m = line_model(t, gb_pathwise());
    gb_batches *const data =
        gb_batches_new(t, .rows = LINE_ROWS, .name = "raw",
                       .columns = GB_COLUMNS(
                           {m.x, gb_doubles(line_x)},
                           {m.y, gb_standard_numbers(s, gb_numbers_of(GB_NUMBER_DOUBLE, raw, LINE_ROWS))}));
    gb_prediction *const p = predicted(gb_predictive(m.e, "y", .data = data, .standard = s, .draws = 20), t),
                         *const q =
                             predicted(gb_predictive(m.e, "y", .data = data, .scale = gb_standard_sds(s)[0],
                                                     .shift = gb_standard_means(s)[0], .draws = 20),
                                       t);
    for (size_t i = 0; i < LINE_ROWS; i++) {
        assert_close(p->outcome[i], raw[i], 16);
        assert_close(p->mean[i], q->mean[i], 0);
        assert_close(p->log_density[i], q->log_density[i], 0);
    }
    gb_prediction_free(p);
    gb_prediction_free(q);
    gb_predictive(m.e, "y", .data = data, .standard = s, .shift = 1);
    assert_rejected(t, GB_EARGUMENT, "predictive: give .standard, or .scale and .shift");
}
