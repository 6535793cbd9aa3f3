/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Estimates under weights, and draws that are chosen by them. */
#include "fitting/diagnostics/numbers.h"

#include "fitting/psis.h"

enum { S = 2000 };

/* Draws z of N(0, s²), and weights for N(m, 1). */
typedef struct normal_target {
    double z[S], ratios[S], weights[S];
    gb_psis w;
} normal_target;

static void weigh(normal_target *n, double s, double m, double seed)
{
    for (size_t i = 0; i < S; i += 2) { /* Box and Muller 1958 */
        const double radius = s * sqrt(-2 * log(next_uniform(&seed)));
        const double angle = 6.283185307179586 * next_uniform(&seed);
        n->z[i] = radius * cos(angle);
        n->z[i + 1] = radius * sin(angle);
    }
    for (size_t i = 0; i < S; i++)
        n->ratios[i] = n->z[i] * n->z[i] / (2 * s * s) - (n->z[i] - m) * (n->z[i] - m) / 2;
    n->w = gb_psis_smooth(S, n->ratios, n->weights);
}

TEST(estimates_find_the_target_and_their_errors_are_right)
{
    enum { SEEDS = 400, KINDS = 5 };
    static const double probabilities[] = {0.05, 0.5, 0.9};
    static const double should[KINDS] = {0.4, 1, 0.4 - 1.6448536269514722, 0.4, 0.4 + 1.2815515655446004};
    double mean[KINDS] = {0}, squares[KINDS] = {0}, error[KINDS] = {0};
    normal_target *const n = malloc(sizeof *n);
    for (int seed = 1; seed <= SEEDS; seed++) {
        weigh(n, 1.4, 0.4, seed * 77);
        gb_estimate e[KINDS] = {gb_psis_mean(&n->w, n->z, 1), gb_psis_sd(&n->w, n->z, 1)};
        assert_int_equal(gb_psis_quantiles(&n->w, n->z, 1, 3, probabilities, e + 2), GB_OK);
        for (int kind = 0; kind < KINDS; kind++) {
            assert_string_equal(e[kind].words, "");
            mean[kind] += e[kind].value / SEEDS;
            squares[kind] += (e[kind].value - should[kind]) * (e[kind].value - should[kind]) / SEEDS;
            error[kind] += e[kind].error / SEEDS;
        }
    }
    /* The spread over 400 seeds is known to 3.5 %, the mean to a twentieth of it. */
    for (int kind = 0; kind < KINDS; kind++) {
        const double spread = sqrt(squares[kind]);
        if (fabs(mean[kind] - should[kind]) > 0.3 * spread || fabs(error[kind] / spread - 1) > 0.18)
            fail_msg("estimate %d: mean %g, not %g; spread %g, error %g", kind, mean[kind], should[kind],
                     spread, error[kind]);
    }
    free(n);
}

TEST(equal_weights_give_the_plain_mean_sd_and_quantiles)
{
    double ratios[5] = {3, 3, 3, 3, 3}, weights[5];
    const double x[] = {4, -1, 1, -1, 2, -1, 8, -1, 5, -1}, probabilities[] = {0, 0.1, 0.5, 1};
    const gb_psis w = gb_psis_smooth(5, ratios, weights);
    gb_estimate q[4];
    const gb_estimate mean = gb_psis_mean(&w, x, 2), sd = gb_psis_sd(&w, x, 2);
    assert_near(mean.value, 4, 1e-14);
    assert_near(mean.error, sqrt(30) / 5, 1e-14);
    assert_near(mean.ess, 5, 1e-12);
    assert_near(sd.value, sqrt(30. / 4), 1e-14);
    assert_int_equal(gb_psis_quantiles(&w, x, 2, 4, probabilities, q), GB_OK);
    assert_near(q[0].value, 1, 0);
    assert_near(q[1].value, 1.4, 1e-14); /* R's type 7 */
    assert_near(q[2].value, 4, 0);
    assert_near(q[3].value, 8, 0);
    assert_non_null(strstr(mean.words, "the tail cannot be fitted"));
}

TEST(numbers_of_any_size_have_a_mean_and_a_standard_deviation)
{
    normal_target *const n = malloc(sizeof *n);
    double x[S];
    weigh(n, 1.2, 0, 5);
    const gb_estimate mean = gb_psis_mean(&n->w, n->z, 1), sd = gb_psis_sd(&n->w, n->z, 1);
    static const double scales[] = {1e-300, 1e-12, 1e200};
    for (size_t j = 0; j < 3; j++) {
        for (size_t i = 0; i < S; i++)
            x[i] = n->z[i] * scales[j];
        assert_near(gb_psis_sd(&n->w, x, 1).value / scales[j], sd.value, 1e-9);
        assert_near(gb_psis_sd(&n->w, x, 1).error / scales[j], sd.error, 1e-9);
        assert_near(gb_psis_mean(&n->w, x, 1).value / scales[j], mean.value, 1e-9);
    }
    for (size_t i = 0; i < S; i++)
        x[i] = n->z[i] + 1e9;
    assert_near(gb_psis_sd(&n->w, x, 1).value, sd.value, 1e-5);
    assert_near(gb_psis_mean(&n->w, x, 1).value - 1e9, mean.value, 1e-5);
    for (size_t i = 0; i < S; i++)
        x[i] = 0.1;
    assert_near(gb_psis_mean(&n->w, x, 1).value, 0.1, 0);
    assert_near(gb_psis_sd(&n->w, x, 1).value, 0, 0);
    assert_near(gb_psis_mean(&n->w, x, 1).error, 0, 0);
    for (size_t i = 0; i < S; i++)
        x[i] = i == 0 ? 1.7e308 : -1.7e308;
    assert_non_null(strstr(gb_psis_mean(&n->w, x, 1).words, "too large"));
    assert_non_null(strstr(gb_psis_sd(&n->w, x, 1).words, "too large"));
    free(n);
}

TEST(the_k_of_a_mean_sees_a_heavy_tail_of_the_numbers)
{
    normal_target *const n = malloc(sizeof *n);
    double x[S];
    weigh(n, 1.2, 0, 9);
    for (size_t i = 0; i < S; i++)
        x[i] = sinh(3 * n->z[i]); /* E exp(3 z)² under q */
    const gb_estimate e = gb_psis_mean(&n->w, x, 1), square = gb_psis_sd(&n->w, x, 1);
    assert_true(n->w.k < 0.3 && e.k > n->w.threshold && square.k > e.k);
    assert_non_null(strstr(e.words, "unreliable"));
    for (size_t i = 0; i < S; i++)
        x[i] = i % 100 == 0; /* bounded */
    assert_true(gb_psis_mean(&n->w, x, 1).k < 0);
    for (size_t i = 0; i < S; i++)
        x[i] = i < 3; /* no tail of its own */
    assert_near(gb_psis_mean(&n->w, x, 1).k, n->w.k, 0);
    assert_string_equal(gb_psis_mean(&n->w, x, 1).words, "");
    free(n);
}

TEST(numbers_at_draws_of_weight_0_are_not_read)
{
    normal_target *const n = malloc(sizeof *n);
    const double half = 0.5;
    gb_estimate q;
    weigh(n, 1.2, 0, 10);
    n->ratios[5] = -INFINITY;
    n->z[5] = (double)NAN;
    n->w = gb_psis_smooth(S, n->ratios, n->weights);
    assert_true(isfinite(gb_psis_mean(&n->w, n->z, 1).value) && isfinite(gb_psis_sd(&n->w, n->z, 1).error));
    assert_int_equal(gb_psis_quantiles(&n->w, n->z, 1, 1, &half, &q), GB_OK);
    assert_true(isfinite(q.value));
    n->z[6] = INFINITY;
    assert_non_null(
        strstr(gb_psis_mean(&n->w, n->z, 1).words, "not finite at a draw whose weight is above 0"));
    assert_int_equal(gb_psis_quantiles(&n->w, n->z, 1, 1, &half, &q), GB_ENONFINITE);
    assert_true(isnan(q.value) && q.words[0]);
    free(n);
}

TEST(wrong_arguments_of_estimates_are_rejected)
{
    normal_target *const n = malloc(sizeof *n);
    const double beyond = 1.5;
    gb_estimate q;
    weigh(n, 1.2, 0, 11);
    assert_true(isnan(gb_psis_mean(NULL, n->z, 1).value) && isnan(gb_psis_mean(&n->w, NULL, 1).value));
    assert_true(isnan(gb_psis_sd(&n->w, n->z, 0).value));
    assert_int_equal(gb_psis_quantiles(&n->w, n->z, 1, 1, &beyond, &q), GB_EARGUMENT);
    assert_non_null(strstr(q.words, "not in [0, 1]"));
    assert_int_equal(gb_psis_quantiles(&n->w, n->z, 1, 1, NULL, &q), GB_EARGUMENT);
    assert_int_equal(gb_psis_quantiles(NULL, n->z, 1, 1, &beyond, &q), GB_EARGUMENT);
    for (size_t i = 0; i < S; i++)
        n->ratios[i] = i == 4 ? 0 : -INFINITY;
    n->w = gb_psis_smooth(S, n->ratios, n->weights);
    assert_near(gb_psis_mean(&n->w, n->z, 1).value, n->z[4], 0);
    assert_non_null(strstr(gb_psis_sd(&n->w, n->z, 1).words, "one draw has all the weight"));
    free(n);
}

/* ---- resampling ---- */

TEST(strata_take_each_draw_as_often_as_its_weight_says_but_for_one)
{
    normal_target *const n = malloc(sizeof *n);
    size_t places[5000], taken[S];
    weigh(n, 1.5, 1, 3);
    for (int method = GB_RESAMPLE_STRATIFIED; method <= GB_RESAMPLE_SYSTEMATIC; method++) {
        memset(taken, 0, sizeof taken);
        assert_int_equal(gb_psis_resample(&n->w, 5000, places, .seed = 4, .method = (gb_resampling)method),
                         GB_OK);
        for (size_t j = 0; j < 5000; j++) {
            assert_in_range(places[j], j ? places[j - 1] : 0, S - 1);
            taken[places[j]]++;
        }
        for (size_t i = 0; i < S; i++)
            assert_near((double)taken[i], 5000 * exp(n->weights[i]), method ? 1 : 2);
    }
    free(n);
}

TEST(resampled_draws_have_the_mean_of_the_target)
{
    normal_target *const n = malloc(sizeof *n);
    size_t places[1000];
    weigh(n, 1.5, 0.8, 3);
    for (int method = GB_RESAMPLE_STRATIFIED; method <= GB_RESAMPLE_INDEPENDENT; method++) {
        const double should = gb_psis_mean(&n->w, n->z, 1).value;
        double total = 0;
        for (uint64_t seed = 0; seed < 50; seed++) {
            assert_int_equal(
                gb_psis_resample(&n->w, 1000, places, .seed = seed, .method = (gb_resampling)method), GB_OK);
            for (size_t j = 0; j < 1000; j++)
                total += n->z[places[j]] / 50000;
        }
        assert_near(total, should, 5 / sqrt(50000));
    }
    free(n);
}

/* With weights 1, 2, 3, 4 two draws have the first with probability 1/10 + Σ_j w_j/10 · 1/(10 − w_j). */
TEST(without_replacement_draws_come_one_after_the_other)
{
    enum { SEEDS = 40000 };
    double ratios[4], weights[4], taken[4] = {0};
    size_t places[4];
    for (int i = 0; i < 4; i++)
        ratios[i] = log(i + 1);
    const gb_psis w = gb_psis_smooth(4, ratios, weights);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        assert_int_equal(
            gb_psis_resample(&w, 2, places, .seed = seed, .method = GB_RESAMPLE_WITHOUT_REPLACEMENT), GB_OK);
        assert_true(places[0] < places[1] && places[1] < 4);
        taken[places[0]]++;
        taken[places[1]]++;
    }
    for (int i = 0; i < 4; i++) {
        double should = (i + 1) / 10.;
        for (int j = 0; j < 4; j++)
            should += j == i ? 0 : (j + 1) / 10. * (i + 1) / (9. - j);
        assert_near(taken[i] / SEEDS, should, 5 * sqrt(should * (1 - should) / SEEDS));
    }
    assert_int_equal(gb_psis_resample(&w, 4, places, .method = GB_RESAMPLE_WITHOUT_REPLACEMENT), GB_OK);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(places[i], i);
}

TEST(draws_of_weight_0_are_never_taken_and_seeds_repeat)
{
    double ratios[100], weights[100];
    size_t a[60], b[60];
    for (int i = 0; i < 100; i++)
        ratios[i] = i % 2 ? 0 : -INFINITY;
    const gb_psis w = gb_psis_smooth(100, ratios, weights);
    for (int method = GB_RESAMPLE_STRATIFIED; method <= GB_RESAMPLE_WITHOUT_REPLACEMENT; method++) {
        const gb_resampling m = (gb_resampling)method;
        const size_t count = m == GB_RESAMPLE_WITHOUT_REPLACEMENT ? 30 : 60;
        assert_int_equal(gb_psis_resample(&w, count, a, .seed = 9, .method = m), GB_OK);
        assert_int_equal(gb_psis_resample(&w, count, b, .seed = 9, .method = m), GB_OK);
        assert_memory_equal(a, b, count * sizeof *a);
        for (size_t j = 0; j < count; j++)
            assert_int_equal(a[j] % 2, 1);
        assert_int_equal(gb_psis_resample(&w, count, b, .seed = 10, .method = m), GB_OK);
        if (m == GB_RESAMPLE_INDEPENDENT)
            assert_memory_not_equal(a, b, count * sizeof *a);
    }
    assert_int_equal(gb_psis_resample(&w, 51, a, .method = GB_RESAMPLE_WITHOUT_REPLACEMENT), GB_EARGUMENT);
    assert_int_equal(gb_psis_resample(&w, 5, a, .method = (gb_resampling)4), GB_EARGUMENT);
    assert_int_equal(gb_psis_resample(&w, 5, NULL), GB_EARGUMENT);
    assert_int_equal(gb_psis_resample(NULL, 5, a), GB_EARGUMENT);
    assert_int_equal(gb_psis_resample(&w, 0, a), GB_OK);
}
