/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scores of numbers, against sums by hand. */
#include "support/close.h"

#include "prediction/scores.h"

TEST(means_have_standard_errors)
{
    static const double x[] = {1, 2, 4, 9};
    const gb_score s = gb_score_mean("log density", 4, x);
    assert_string_equal(s.name, "log density");
    assert_near(s.value, 4, 1e-15);
    assert_near(s.error, sqrt((9 + 4 + 0 + 25) / 3.0 / 4), 1e-15);
    assert_int_equal(s.count, 4);
    assert_true(isnan(gb_score_mean(NULL, 1, x).error));
    static const double impossible[] = {-1, -INFINITY, -2};
    assert_true(gb_score_mean(NULL, 3, impossible).value == -INFINITY);
    assert_int_equal(gb_score_mean(NULL, 3, impossible).status, GB_OK);
}

TEST(errors_of_numbers)
{
    static const double predicted[] = {1, 2, 3}, outcome[] = {2, 2, 1};
    const gb_score rmse = gb_score_rmse(3, predicted, outcome), mae = gb_score_mae(3, predicted, outcome);
    assert_near(rmse.value, sqrt(5.0 / 3), 1e-15);
    const double mean = 5.0 / 3,
                 variance = ((1 - mean) * (1 - mean) + mean * mean + (4 - mean) * (4 - mean)) / 2;
    assert_near(rmse.error, sqrt(variance / 3) / (2 * rmse.value), 1e-15);
    assert_near(mae.value, 1, 1e-15);
    const gb_score perfect = gb_score_rmse(3, outcome, outcome);
    assert_near(perfect.value, 0, 0);
    assert_near(perfect.error, 0, 0);
}

static const double chances[] = {0.7, 0.2, 0.1, 0.1, 0.5, 0.4, 0.2, 0.2, 0.6, 0.4, 0.35, 0.25};
static const double classes[] = {0, 2, 2, 1};

TEST(scores_of_classes)
{
    const gb_score accuracy = gb_score_accuracy(4, 3, chances, classes),
                   brier = gb_score_brier(4, 3, chances, classes);
    assert_near(accuracy.value, 0.5, 1e-15);
    assert_near(accuracy.error, sqrt(1.0 / 3 / 4), 1e-15);
    const double each[] = {0.09 + 0.04 + 0.01, 0.01 + 0.25 + 0.36, 0.04 + 0.04 + 0.16,
                           0.16 + 0.65 * 0.65 + 0.0625};
    assert_near(brier.value, (each[0] + each[1] + each[2] + each[3]) / 4, 1e-15);
}

TEST(calibration_of_classes_has_its_bins)
{
    /* Confidences 0.7, 0.5, 0.6 and 0.4; right, wrong, right, wrong. */
    const gb_reliability r = gb_reliability_of_classes(4, 3, chances, classes, 2);
    assert_int_equal(r.bins, 2);
    assert_int_equal(r.bin[0].count, 1);
    assert_int_equal(r.bin[1].count, 3);
    assert_near(r.bin[0].predicted, 0.4, 1e-15);
    assert_near(r.bin[0].observed, 0, 0);
    assert_near(r.bin[1].predicted, 0.6, 1e-15);
    assert_near(r.bin[1].observed, 2.0 / 3, 1e-15);
    assert_near(r.bin[1].error, sqrt(2.0 / 9 / 3), 1e-15);
    assert_near(r.score.value, 0.25 * 0.4 + 0.75 * (2.0 / 3 - 0.6), 1e-15);
    assert_true(r.score.error > 0);
    const gb_reliability ten = gb_reliability_of_classes(4, 3, chances, classes, 0);
    assert_int_equal(ten.bins, 15);
    assert_true(isnan(ten.bin[0].observed));
}

TEST(coverage_counts_outcomes_in_central_intervals)
{
    static const double u[] = {0.01, 0.2, 0.5, 0.8, 0.97, 0.4};
    const gb_score half = gb_score_coverage(6, u, u, 0.5), most = gb_score_coverage(6, u, u, 0.9);
    assert_near(half.value, 2.0 / 6, 1e-15);
    assert_near(most.value, 4.0 / 6, 1e-15);
    const gb_reliability r = gb_reliability_of_intervals(6, u, u, 10);
    assert_int_equal(r.bins, 10);
    assert_near(r.bin[4].predicted, 0.5, 1e-15);
    assert_near(r.bin[4].observed, 2.0 / 6, 1e-15);
    double sum = 0;
    for (int b = 0; b < 10; b++)
        sum += fabs(r.bin[b].observed - (b + 1) / 10.0) / 10;
    assert_near(r.score.value, sum, 1e-15);
    assert_true(r.score.error > 0);
}

TEST(a_right_prediction_of_counts_covers_as_often_as_its_level)
{
    /* Ten rows of P(0) = 0.3, P(1) = 0.5, P(2) = 0.2 that come just so often. */
    static const double below[] = {0, 0, 0, 0.3, 0.3, 0.3, 0.3, 0.3, 0.8, 0.8},
                        up_to[] = {0.3, 0.3, 0.3, 0.8, 0.8, 0.8, 0.8, 0.8, 1, 1};
    static const double levels[] = {0, 0.1, 0.5, 0.9, 0.95, 1};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        assert_near(gb_score_coverage(10, below, up_to, levels[i]).value, levels[i], 1e-15);
    const gb_reliability r = gb_reliability_of_intervals(10, below, up_to, 0);
    assert_near(r.score.value, 0, 1e-15);
    /* Of the first outcome 0.25 of 0.3 lie in the interval from 0.05 to 0.95; of the second nothing. */
    static const double first[] = {0, 0.96}, last[] = {0.3, 1};
    assert_near(gb_score_coverage(2, first, last, 0.9).value, 0.25 / 0.3 / 2, 1e-15);
}

/* ---- CRPS ---- */

TEST(crps_of_a_normal_is_its_integral)
{
    static const double cases[][3] = {{0, 1, 0}, {0, 1, 2.5}, {3, 0.2, 2.7}, {-1, 4, -9}};
    for (size_t k = 0; k < 4; k++) {
        const double mean = cases[k][0], sd = cases[k][1], y = cases[k][2];
        double sum = 0;
        const double low = fmin(mean - 12 * sd, y - sd), high = fmax(mean + 12 * sd, y + sd);
        enum { STEPS = 400000 };
        for (int i = 0; i < STEPS; i++) {
            const double x = low + (high - low) * (i + 0.5) / STEPS;
            const double f = 0.5 * erfc(-(x - mean) / sd / sqrt(2)) - (x >= y);
            sum += f * f * (high - low) / STEPS;
        }
        assert_near(gb_crps_normal(mean, sd, y), sum, 1e-4 * sd);
    }
    assert_near(gb_crps_normal(1, 0, 3), 2, 0);
    assert_true(isnan(gb_crps_normal(0, -1, 0)));
}

TEST(crps_of_draws_is_fair)
{
    static const double x[] = {-1, 0, 0.5, 2};
    double distance = 0, pairs = 0;
    for (int i = 0; i < 4; i++) {
        distance += fabs(x[i] - 0.7) / 4;
        for (int k = 0; k < i; k++)
            pairs += fabs(x[i] - x[k]) / (4 * 3);
    }
    assert_near(gb_crps_draws(4, x, 0.7), distance - pairs, 1e-15);
    assert_true(isnan(gb_crps_draws(1, x, 0)));
    assert_true(isnan(gb_crps_draws(4, NULL, 0)));
}

/* ---- what cannot be ---- */

TEST(nonsense_has_no_score)
{
    static const double x[] = {1, NAN}, y[] = {1, 2}, p[] = {0.5, 0.5, 0.3, 0.7}, wrong[] = {0, 2};
    assert_int_equal(gb_score_mean("m", 0, x).status, GB_EARGUMENT);
    assert_int_equal(gb_score_mean("m", 2, NULL).status, GB_EARGUMENT);
    assert_int_equal(gb_score_mean("m", 2, x).status, GB_ENONFINITE);
    assert_true(isnan(gb_score_mean("m", 2, x).value));
    assert_int_equal(gb_score_rmse(2, x, y).status, GB_ENONFINITE);
    assert_int_equal(gb_score_rmse(2, y, NULL).status, GB_EARGUMENT);
    assert_int_equal(gb_score_mae(2, NULL, y).status, GB_EARGUMENT);
    assert_int_equal(gb_score_accuracy(2, 2, p, wrong).status, GB_EARGUMENT);
    assert_int_equal(gb_score_brier(2, 2, p, x).status, GB_ENONFINITE);
    assert_int_equal(gb_score_brier(2, 0, p, y).status, GB_EARGUMENT);
    assert_int_equal(gb_score_coverage(2, y, y, 1.5).status, GB_EARGUMENT);
    assert_int_equal(gb_reliability_of_classes(2, 2, p, wrong, 5).score.status, GB_EARGUMENT);
    assert_int_equal(gb_reliability_of_classes(2, 2, p, y, 1000).score.status, GB_EARGUMENT);
    assert_int_equal(gb_reliability_of_intervals(0, y, y, 5).score.status, GB_EARGUMENT);
    assert_int_equal(gb_reliability_of_intervals(2, p, x, 5).score.status, GB_ENONFINITE);
}

TEST(probabilities_that_cannot_be_have_no_score)
{
    static const double y[] = {1, 0}, below_0[] = {-0.5, 1.5, 0.5, 0.5}, above_1[] = {0.5, 0.5, 0, 2},
                        rounded[] = {0, 1 + 1e-15, 1, -1e-15}, ends[] = {0.2, 0.5}, low[] = {-1, 0.2},
                        high[] = {0.5, 1.1}, first[] = {0.1, 0.2};
    const double *const wrong[] = {below_0, above_1};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(gb_score_accuracy(2, 2, wrong[i], y).status, GB_EARGUMENT);
        assert_int_equal(gb_score_brier(2, 2, wrong[i], y).status, GB_EARGUMENT);
        assert_int_equal(gb_reliability_of_classes(2, 2, wrong[i], y, 0).score.status, GB_EARGUMENT);
    }
    assert_near(gb_score_accuracy(2, 2, rounded, y).value, 1, 0);
    assert_int_equal(gb_score_coverage(2, low, ends, 0.9).status, GB_EARGUMENT);
    assert_int_equal(gb_score_coverage(2, ends, high, 0.9).status, GB_EARGUMENT);
    assert_int_equal(gb_score_coverage(2, ends, first, 0.9).status, GB_EARGUMENT);
    assert_int_equal(gb_reliability_of_intervals(2, ends, first, 0).score.status, GB_EARGUMENT);
}
