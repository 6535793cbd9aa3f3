/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pareto-smoothed weights: those of R's loo, and what it does not take. */
#include "fitting/diagnostics/numbers.h"

#include "fitting/diagnostics/reference_table.h"
#include "fitting/psis.h"
#include "support/counted_memory.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

TEST(weights_and_k_are_those_of_loo_for_light_and_heavy_tails)
{
    for (size_t row = 0; row < COUNT(psis_table); row++) {
        const double *const r = psis_table[row];
        const size_t count = (size_t)r[0];
        double *const ratios = new_log_ratios(count, r[1], r[2], r[3]);
        double *const weights = calloc(count, sizeof *weights), *const x = new_normals(count, r[2] + 100);
        const gb_psis w = gb_psis_smooth(count, ratios, weights, .r_eff = r[4]);
        double sum = 0, squares = 0, checksum = 0;
        for (size_t i = 0; i < count; i++)
            x[i] = x[i] * 3 + 5;
        const gb_estimate mean = gb_psis_mean(&w, x, 1);
        for (size_t i = 0; i < count; i++) {
            sum += exp(weights[i]);
            squares += exp(weights[i]) * (x[i] - mean.value) * (x[i] - mean.value);
            checksum += weights[i] * (double)((i + 1) % 7) / (double)count;
        }
        assert_int_equal(w.status, GB_OK);
        assert_near(sum, 1, 1e-13);
        assert_as_R(w.k, r[5], 1e-9);
        assert_as_R(w.ess, r[6], 1e-9);
        assert_as_R(w.log_evidence, r[7], 1e-9);
        assert_as_R(w.largest, r[8], 1e-9);
        assert_as_R(mean.value, r[9], 1e-9);
        assert_as_R(mean.error, r[10], 1e-9);
        assert_as_R(squares, r[11], 1e-9);
        assert_as_R(checksum, r[14], 1e-9);
        assert_as_R(mean.k, r[13], 1e-9);
        const double low = 0.05;
        gb_estimate quantile;
        assert_int_equal(gb_psis_quantiles(&w, x, 1, 1, &low, &quantile), GB_OK);
        assert_as_R(quantile.value, r[12], 1e-9);
        const double n = (double)count;
        assert_near(w.threshold, fmin(1 - 1 / log10(n), 0.7), 1e-15);
        assert_int_equal(w.words[0] != 0, w.k >= w.threshold);
        free(ratios);
        free(weights);
        free(x);
    }
}

TEST(smoothing_keeps_the_order_and_the_largest_weight)
{
    enum { S = 1000 };
    double *const ratios = new_log_ratios(S, 0.9, 3, 0), weights[S];
    const gb_psis w = gb_psis_smooth(S, ratios, weights);
    double largest = -INFINITY;
    size_t at = 0, changed = 0;
    for (size_t i = 0; i < S; i++)
        if (ratios[i] > largest)
            largest = ratios[at = i];
    for (size_t i = 0; i < S; i++) {
        changed += fabs((weights[i] - weights[at]) - (ratios[i] - largest)) > 1e-9;
        assert_true(weights[i] <= weights[at]);
        for (size_t j = 0; j < S; j += 17)
            if (ratios[i] < ratios[j])
                assert_true(weights[i] <= weights[j]);
    }
    assert_in_range(changed, w.tail - 2, w.tail);
    assert_int_equal(w.tail, 95); /* 3 √1000, rounded up */
    assert_near(w.largest, exp(weights[at]), 1e-15);
    free(ratios);
}

TEST(a_constant_in_the_log_ratios_moves_the_evidence_alone)
{
    enum { S = 500 };
    double *const ratios = new_log_ratios(S, 0.4, 8, 0), moved[S], a[S], b[S];
    for (size_t i = 0; i < S; i++)
        moved[i] = ratios[i] + 1024;
    const gb_psis w = gb_psis_smooth(S, ratios, a), v = gb_psis_smooth(S, moved, b);
    assert_near(w.k, v.k, 1e-10);
    assert_near(w.log_evidence + 1024, v.log_evidence, 1e-10);
    assert_near(w.log_evidence_error, v.log_evidence_error, 1e-10);
    for (size_t i = 0; i < S; i++)
        assert_near(a[i], b[i], 1e-10);
    free(ratios);
}

/* For N(0, 1) and draws of N(0, s²) with s > 1 the weights are s exp(−z² (1 − 1/s²) / 2): their mean is 1 and
 * the mean of their squares s² / √(2 s² − 1). */
TEST(the_error_of_the_evidence_is_its_standard_deviation_over_seeds)
{
    enum { S = 400, SEEDS = 500 };
    const double s = 1.3, variance = s * s / sqrt(2 * s * s - 1) - 1;
    double mean = 0, squares = 0, error = 0;
    for (int seed = 1; seed <= SEEDS; seed++) {
        double ratios[S], weights[S], state = seed;
        for (size_t i = 0; i < S; i++) {
            double radius = sqrt(-2 * log(next_uniform(&state)));
            const double z = s * radius * cos(6.283185307179586 * next_uniform(&state));
            ratios[i] = log(s) - z * z * (1 - 1 / (s * s)) / 2;
        }
        const gb_psis w = gb_psis_smooth(S, ratios, weights);
        mean += w.log_evidence / SEEDS;
        squares += w.log_evidence * w.log_evidence / SEEDS;
        error += w.log_evidence_error / SEEDS;
    }
    const double sd = sqrt(squares - mean * mean), should = sqrt(variance / S);
    assert_near(mean, 0, 5 * should / sqrt(SEEDS) + variance / S); /* the last: the bias of a logarithm */
    assert_near(sd, should, 5 * should / sqrt(2 * SEEDS));
    assert_near(error, should, 0.05 * should);
}

TEST(the_fitted_k_is_that_of_the_generalised_Pareto_distribution)
{
    /* The error of the most likely k of n numbers is (1 + k) / √n; the prior moves k by 10 / (n + 10) of its
     * distance from 0.5. Over 200 seeds the mean is within 5 of its own standard errors. */
    static const double shapes[] = {-0.4, 0, 0.3, 0.7, 1, 1.5};
    enum { S = 5000, TAIL = 1000, SEEDS = 200 };
    double *const x = calloc(S, sizeof *x);
    for (size_t row = 0; row < COUNT(shapes); row++) {
        const double k = shapes[row], shrunk = (TAIL * k + 5) / (TAIL + 10), error = (1 + k) / sqrt(TAIL);
        double mean = 0, squares = 0;
        for (int seed = 1; seed <= SEEDS; seed++) {
            double state = seed * 1000;
            for (size_t i = 0; i < S; i++)
                x[i] = pareto(next_uniform(&state), k);
            const gb_tails fit = gb_tails_fit(S, x, .tail = TAIL);
            assert_int_equal(fit.status, GB_OK);
            mean += fit.right / SEEDS;
            squares += (fit.right - shrunk) * (fit.right - shrunk) / SEEDS;
        }
        assert_near(mean, shrunk, 5 * error / sqrt(SEEDS) + 0.005);
        assert_near(sqrt(squares), error, 0.25 * error);
    }
    free(x);
}

TEST(both_tails_are_fitted_and_the_heavier_one_counts)
{
    enum { S = 4000 };
    double x[2 * S], state = 11;
    for (size_t i = 0; i < S; i++) {
        x[2 * i] = (i % 2 ? -pareto(next_uniform(&state), 0.9) : pareto(next_uniform(&state), 0.1));
        x[2 * i + 1] = (double)NAN; /* not looked at */
    }
    const gb_tails fit = gb_tails_fit(S, x, .stride = 2, .tail = 400);
    assert_near(fit.left, 0.9, 0.3);
    assert_near(fit.right, 0.1, 0.2);
    assert_close(fit.k, fit.left, 0);
    assert_string_equal(fit.words, "");
    for (size_t i = 0; i < 2 * S; i += 2)
        x[i] = -3 * x[i];
    const gb_tails turned = gb_tails_fit(S, x, .stride = 2, .tail = 400);
    assert_near(turned.left, fit.right, 1e-9);
    assert_near(turned.right, fit.left, 1e-9);
    assert_int_equal(gb_tails_fit(S, x).status, GB_ENONFINITE);
    assert_int_equal(gb_tails_fit(0, x).status, GB_EARGUMENT);
    assert_int_equal(gb_tails_fit(S, x, .stride = 2, .r_eff = -1).status, GB_EARGUMENT);
    const gb_tails few = gb_tails_fit(20, x, .stride = 2);
    assert_true(few.k == INFINITY && few.status == GB_OK && strstr(few.words, "21"));
}

TEST(the_threshold_and_the_draws_that_a_k_needs_are_inverse_to_each_other)
{
    assert_near(gb_psis_threshold(100), 0.5, 1e-15);
    assert_near(gb_psis_threshold(1e6), 0.7, 0);
    for (double k = 0.1; k < 0.7; k += 0.1)
        assert_near(gb_psis_threshold(gb_psis_needed(k)), k, 1e-12);
    assert_near(gb_psis_needed(-3), 10, 1e-12);
    assert_true(gb_psis_needed(1) == INFINITY && gb_psis_needed(INFINITY) == INFINITY);
    assert_true(isnan(gb_psis_needed((double)NAN)));
}

/* ---- weights that loo does not take ---- */

static gb_psis with_tail(size_t count, double k, double *ratios, double *weights)
{
    double *const made = new_log_ratios(count, k, 5, 0);
    memcpy(ratios, made, count * sizeof *ratios);
    free(made);
    return gb_psis_smooth(count, ratios, weights);
}

TEST(draws_of_weight_0_count_as_draws_and_keep_their_weight)
{
    enum { S = 1000 };
    double ratios[2 * S], weights[2 * S];
    const gb_psis half = with_tail(S, 0.3, ratios, weights);
    for (size_t i = S; i < 2 * S; i++)
        ratios[i] = -INFINITY;
    const gb_psis w = gb_psis_smooth(2 * S, ratios, weights, .tail = half.tail);
    assert_int_equal(w.zeros, S);
    assert_near(w.k, half.k, 1e-12);
    assert_near(w.ess, half.ess, 1e-9);
    assert_near(w.log_evidence, half.log_evidence - log(2), 1e-12);
    assert_true(w.log_evidence_error > half.log_evidence_error);
    assert_true(weights[S] == -INFINITY && weights[2 * S - 1] == -INFINITY);
    assert_non_null(strstr(w.words, "1000 of 2000 draws have weight 0"));
}

TEST(the_tail_of_few_weights_above_0_are_these_alone)
{
    enum { S = 1000 };
    double ratios[S], weights[S];
    with_tail(S, 0.3, ratios, weights);
    for (size_t i = 40; i < S; i++) /* the tail has 95 */
        ratios[i] = -INFINITY;
    const gb_psis w = gb_psis_smooth(S, ratios, weights);
    assert_true(isfinite(w.k));
    assert_true(weights[39] > -INFINITY && weights[40] == -INFINITY);
    for (size_t i = 3; i < S; i++)
        ratios[i] = -INFINITY;
    const gb_psis v = gb_psis_smooth(S, ratios, weights);
    assert_true(v.status == GB_OK && v.k == INFINITY && v.needed == INFINITY);
    assert_non_null(strstr(v.words, "k is unknown"));
}

TEST(equal_weights_have_k_of_minus_infinity_and_say_so)
{
    enum { S = 200 };
    double ratios[S], weights[S];
    for (size_t i = 0; i < S; i++)
        ratios[i] = -1000.1;
    const gb_psis w = gb_psis_smooth(S, ratios, weights);
    assert_true(w.status == GB_OK && w.k == -INFINITY && w.k < w.threshold);
    assert_near(w.ess, S, 1e-9);
    assert_near(w.log_evidence, -1000.1, 1e-12);
    assert_near(w.log_evidence_error, 0, 1e-7);
    assert_non_null(strstr(w.words, "weights are equal"));
    ratios[7] = nextafter(ratios[7], 0); /* noise of the last digit */
    assert_true(gb_psis_smooth(S, ratios, weights).k == -INFINITY);
}

TEST(the_largest_weights_may_be_equal_and_a_few_that_stand_out_make_k_unknown)
{
    enum { S = 400 };
    double ratios[S], weights[S];
    for (size_t i = 0; i < S; i++)
        ratios[i] = i % 4 ? -5 : 0;
    gb_psis w = gb_psis_smooth(S, ratios, weights);
    assert_true(w.k == -INFINITY);
    assert_near(w.ess, 100, 5);
    for (size_t i = 0; i < S; i++)
        ratios[i] = i < 3 ? 10 : 0;
    w = gb_psis_smooth(S, ratios, weights);
    assert_true(w.k == INFINITY);
    assert_non_null(strstr(w.words, "fewer than 5 of the largest weights stand out"));
    for (size_t i = 0; i < S; i++) /* equal ones above a tail that has a fit */
        ratios[i] = i < 10 ? 3 : (double)(i % 97) / 97;
    w = gb_psis_smooth(S, ratios, weights);
    assert_true(isfinite(w.k));
}

TEST(weights_may_span_more_than_a_number_can)
{
    enum { S = 1000 };
    double ratios[S], weights[S];
    for (size_t i = 0; i < S; i++)
        ratios[i] = -1e6 + 2e3 * (double)i; /* each e^2000 times the one before */
    const gb_psis w = gb_psis_smooth(S, ratios, weights);
    assert_true(w.status == GB_OK && w.k == INFINITY);
    assert_near(w.largest, 1, 0);
    assert_near(w.ess, 1, 0);
    assert_near(w.log_evidence, -1e6 + 2e3 * 999 - log(S), 1e-9);
    assert_non_null(strstr(w.words, "share of 1"));
    for (size_t i = 0; i < S; i++)
        ratios[i] = 700 * (double)i / S; /* 1e304 together */
    const gb_psis v = gb_psis_smooth(S, ratios, weights);
    assert_true(v.k > 5 && v.k < INFINITY && v.words[0]);
    for (size_t i = 0; i < S; i++)
        assert_true(isfinite(weights[i]));
}

/* Digits of such log ratios are worth many nats. */
TEST(one_weight_is_all_however_large_log_ratios_are)
{
    enum { S = 4000 };
    static double ratios[S], weights[S];
    for (double size = 100; size < 1e300; size *= 100)
        for (int way = 0; way < 3; way++) {
            for (size_t i = 0; i < S; i++)
                ratios[i] = way == 1 ? 0 : -size;
            ratios[7] = way == 2 ? 0 : size;
            const gb_psis w = gb_psis_smooth(S, ratios, weights);
            assert_true(w.k == INFINITY && w.largest == 1);
            assert_non_null(strstr(w.words, "fewer than 5 of the largest weights stand out"));
        }
}

TEST(too_few_draws_have_no_k)
{
    double ratios[24], weights[24];
    for (int i = 0; i < 24; i++)
        ratios[i] = 0.1 + 0.01 * i * i;
    for (size_t count = 1; count <= 24; count++) {
        const gb_psis w = gb_psis_smooth(count, ratios, weights);
        assert_true((w.k == INFINITY) == (count <= 20)); /* ⌈0.2 · 21⌉ = 5 */
        assert_int_equal(w.status, GB_OK);
        assert_int_equal(count <= 20, strstr(w.words, "use 21 or more") != NULL);
    }
    const gb_psis one = gb_psis_smooth(1, ratios, weights);
    assert_near(one.log_evidence, 0.1, 1e-15);
    assert_true(isnan(one.log_evidence_error) && one.ess == 1);
}

typedef struct wrong_case {
    const char *name;
    double put; /* at place 3 */
    gb_psis_smooth_options options;
    gb_status status;
    const char *words;
} wrong_case;

static const wrong_case wrong_cases[] = {
    {"a_log_ratio_that_is_not_a_number_is_rejected",
     NAN,
     {.size = sizeof(gb_psis_smooth_options)},
     GB_ENONFINITE,
     "log ratio 3 of 50 is nan"},
    {"an_infinite_weight_is_rejected",
     INFINITY,
     {.size = sizeof(gb_psis_smooth_options)},
     GB_ENONFINITE,
     "log ratio 3 of 50 is inf"},
    {"a_negative_efficiency_is_rejected",
     0,
     {.size = sizeof(gb_psis_smooth_options), .r_eff = -1},
     GB_EARGUMENT,
     ".r_eff is -1"},
    {"a_tail_of_all_draws_is_rejected",
     0,
     {.size = sizeof(gb_psis_smooth_options), .tail = 50},
     GB_EARGUMENT,
     ".tail is 50, of 50"},
    {"options_without_a_size_are_rejected", 0, {.size = 0}, GB_EARGUMENT, "has no size"},
};

TEST_EACH(wrong, wrong_cases)
{
    const wrong_case *const c = row;
    double ratios[50] = {0}, weights[50] = {7};
    ratios[3] = c->put;
    const gb_psis w = gb_psis_smooth_with(50, ratios, weights, &c->options);
    assert_int_equal(w.status, c->status);
    if (!strstr(w.words, c->words))
        fail_msg("the words are \"%s\"", w.words);
    assert_true(isnan(w.k) && isnan(w.ess) && isnan(w.log_evidence) && isnan(w.largest));
    assert_near(weights[0], 7, 0);
    const double x[50] = {0};
    size_t place;
    const gb_estimate mean = gb_psis_mean(&w, x, 1);
    assert_true(isnan(mean.value) && strstr(mean.words, "rejected"));
    assert_int_equal(gb_psis_resample(&w, 1, &place), c->status);
}

TEST(arrays_are_required_and_one_weight_above_0)
{
    double ratios[40], weights[40];
    for (size_t i = 0; i < 40; i++)
        ratios[i] = -INFINITY;
    assert_non_null(strstr(gb_psis_smooth(40, ratios, weights).words, "all 40 log ratios are -inf"));
    assert_int_equal(gb_psis_smooth(40, ratios, weights).status, GB_EARGUMENT);
    assert_int_equal(gb_psis_smooth(40, NULL, weights).status, GB_EARGUMENT);
    assert_int_equal(gb_psis_smooth(40, ratios, NULL).status, GB_EARGUMENT);
    assert_int_equal(gb_psis_smooth(0, ratios, weights).status, GB_EARGUMENT);
    assert_non_null(strstr(gb_psis_smooth(40, ratios, ratios).words, "the same array"));
}

static gb_status smooth_on(gb_tape *t, const void *what)
{
    double ratios[100] = {0}, weights[100], x[100];
    const double half = 0.5;
    size_t places[10];
    gb_estimate e[3];
    (void)what;
    if (!t)
        return GB_ENOMEM;
    for (int i = 0; i < 100; i++)
        ratios[i] = x[i] = i * 0.01;
    const gb_psis w = gb_psis_smooth(100, ratios, weights, .memory = gb_tape_memory(t));
    if (w.status != GB_OK) {
        assert_non_null(strstr(w.words, "no memory"));
        return w.status;
    }
    e[0] = gb_psis_mean(&w, x, 1);
    e[1] = gb_psis_sd(&w, x, 1);
    const gb_status status = gb_psis_quantiles(&w, x, 1, 1, &half, &e[2]);
    for (int i = 0; i < 3; i++)
        if (isnan(e[i].value)) {
            assert_string_equal(e[i].words, "no memory");
            return GB_ENOMEM;
        }
    assert_int_equal(status, GB_OK);
    if (gb_psis_resample(&w, 10, places, .method = GB_RESAMPLE_WITHOUT_REPLACEMENT) != GB_OK)
        return GB_ENOMEM;
    return gb_tails_fit(100, x, .memory = gb_tape_memory(t)).status;
}

TEST(weights_outlive_a_lack_of_memory)
{
    assert_outlives_lack_of_memory(smooth_on, NULL, "psis", 0, (gb_tape_options){0});
}
