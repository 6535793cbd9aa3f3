/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PSIS-LOO: that of R's loo, a posterior whose cross-validation is known, and bad input. */
#include "fitting/diagnostics/numbers.h"

#include "fitting/diagnostics/reference_table.h"
#include "fitting/loo.h"
#include "support/counted_memory.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { DRAWS = 800, DATA = 9 };

TEST(sums_and_data_are_those_of_loo)
{
    static const double outlier[] = {0, 1, 3, 6}, stretch[] = {1, 1, 1, 1.5};
    for (size_t row = 0; row < COUNT(loo_table); row++) {
        const double *const r = loo_table[row];
        double *const mu = new_normals(DRAWS, r[0]), *const y = new_normals(DATA, r[0] + 50);
        double *const l = calloc(DRAWS * DATA, sizeof *l), ratios[DRAWS];
        for (size_t s = 0; s < DRAWS; s++)
            mu[s] *= 0.5;
        for (size_t s = 1; s < DRAWS && r[1] != 0; s++)
            mu[s] = 0.8 * mu[s - 1] + 0.6 * mu[s];
        for (size_t i = 0; i < DATA; i++)
            y[i] = y[i] * stretch[row] + (i == 3 ? outlier[row] : 0);
        for (size_t s = 0; s < DRAWS; s++) {
            ratios[s] = -0.7 * mu[s] * mu[s] - (-0.5 * fabs(mu[s]) - 0.3 * mu[s] * mu[s]);
            for (size_t i = 0; i < DATA; i++)
                l[s * DATA + i] = -0.5 * (y[i] - mu[s]) * (y[i] - mu[s]) - 0.9;
        }
        gb_loo_datum d[DATA];
        const gb_loo a = gb_loo(DRAWS, DATA, l, .chains = (size_t)r[1],
                                .log_ratios = r[2] != 0 ? ratios : NULL, .pointwise = d);
        assert_int_equal(a.status, GB_OK);
        assert_as_R(a.elpd, r[3], 1e-9);
        assert_as_R(a.elpd_error, r[4], 1e-9);
        assert_as_R(a.p, r[5], 1e-9);
        assert_as_R(a.p_error, r[6], 1e-9);
        assert_as_R(a.ic, r[7], 1e-9);
        assert_as_R(a.ic_error, r[8], 1e-9);
        assert_as_R(d[3].elpd, r[9], 1e-9);
        assert_as_R(d[3].error, r[10], 1e-9);
        assert_as_R(d[3].k, r[11], 1e-9);
        assert_as_R(d[3].ess, r[12], 1e-9);
        assert_int_equal(a.unreliable > 0, a.words[0] != 0);
        assert_int_equal(a.unreliable > 0, a.monte_carlo_error == INFINITY);
        free(mu);
        free(y);
        free(l);
    }
}

/* y_i of N(mu, 1) with a flat prior: the posterior is N(mean, 1/n), and without y_i it is that of the others.
 * So the predictive density of y_i is N(mean of others, 1 + 1/(n − 1)). */
static double exact_elpd(const double *y, size_t n)
{
    double sum = 0, total = 0;
    for (size_t i = 0; i < n; i++)
        sum += y[i];
    for (size_t i = 0; i < n; i++) {
        const double others = (sum - y[i]) / (double)(n - 1), v = 1 + 1 / (double)(n - 1);
        total -= (y[i] - others) * (y[i] - others) / (2 * v) + log(6.283185307179586 * v) / 2;
    }
    return total;
}

/* Log likelihoods of draws of N(centre, sd²), transposed: [datum][draw]. */
static double *new_likelihoods(const double *y, size_t n, size_t draws, double centre, double sd, double *mu)
{
    double *const l = calloc(draws * n, sizeof *l), state = 77;
    for (size_t s = 0; s < draws; s++) {
        const double radius = sqrt(-2 * log(next_uniform(&state)));
        mu[s] = centre + sd * radius * cos(6.283185307179586 * next_uniform(&state));
        for (size_t i = 0; i < n; i++)
            l[i * draws + s] = -0.5 * (y[i] - mu[s]) * (y[i] - mu[s]) - log(6.283185307179586) / 2;
    }
    return l;
}

TEST(leaving_out_is_exact_for_a_posterior_that_is_known)
{
    enum { N = 12, S = 20000 };
    double *const y = new_normals(N, 5), *const mu = calloc(S, sizeof *mu), mean = 0;
    for (size_t i = 0; i < N; i++)
        mean += y[i] / N;
    double *const l = new_likelihoods(y, N, S, mean, 1 / sqrt(N), mu);
    const gb_loo a = gb_loo(S, N, l, .draw_stride = 1, .datum_stride = S);
    const double exact = exact_elpd(y, N);
    assert_true(a.unreliable == 0 && a.monte_carlo_error < 0.02);
    assert_near(a.elpd, exact, 4 * a.monte_carlo_error);
    assert_near(a.p, 1, 0.3); /* one parameter */
    assert_near(a.ic, -2 * a.elpd, 0);
    free(y);
    free(mu);
    free(l);
}

TEST(draws_of_a_wrong_q_are_corrected_by_their_ratios)
{
    enum { N = 12, S = 20000 };
    double *const y = new_normals(N, 5), *const mu = calloc(S, sizeof *mu), mean = 0;
    for (size_t i = 0; i < N; i++)
        mean += y[i] / N;
    const double centre = mean + 0.2, sd = 0.5;
    double *const l = new_likelihoods(y, N, S, centre, sd, mu), *const ratios = calloc(S, sizeof *ratios);
    for (size_t s = 0; s < S; s++)
        ratios[s] =
            -N * (mu[s] - mean) * (mu[s] - mean) / 2 + (mu[s] - centre) * (mu[s] - centre) / (2 * sd * sd);
    const gb_loo plain = gb_loo(S, N, l, .draw_stride = 1, .datum_stride = S);
    const gb_loo a = gb_loo(S, N, l, .draw_stride = 1, .datum_stride = S, .log_ratios = ratios);
    const double exact = exact_elpd(y, N);
    assert_near(a.elpd, exact, 4 * a.monte_carlo_error);
    assert_near(a.p, 1, 0.3);
    assert_true(fabs(plain.elpd - exact) > 10 * a.monte_carlo_error);
    free(y);
    free(mu);
    free(l);
    free(ratios);
}

TEST(densities_beyond_what_a_number_holds_are_left_out_too)
{
    double *const mu = new_normals(DRAWS, 5), *const l = calloc(2 * DRAWS, sizeof *l);
    for (size_t s = 0; s < DRAWS; s++) {
        l[2 * s] = mu[s] * 0.1;
        l[2 * s + 1] = mu[s] * 0.1 - 5000;
    }
    gb_loo_datum d[2];
    const gb_loo a = gb_loo(DRAWS, 2, l, .pointwise = d);
    assert_int_equal(a.status, GB_OK);
    assert_near(d[1].elpd, d[0].elpd - 5000, 1e-9);
    assert_near(d[1].error, d[0].error, 1e-9);
    assert_near(d[1].p, d[0].p, 1e-9);
    free(mu);
    free(l);
}

TEST(unreliable_data_are_named)
{
    double *const mu = new_normals(DRAWS, 5), *const l = calloc(3 * DRAWS, sizeof *l);
    for (size_t s = 0; s < DRAWS; s++) {
        l[3 * s] = mu[s] * 0.1;
        l[3 * s + 1] = -20 * mu[s] * mu[s];
        l[3 * s + 2] = 0;
    }
    const gb_loo a = gb_loo(DRAWS, 3, l);
    assert_int_equal(a.unreliable, 1);
    assert_int_equal(a.worst, 1);
    assert_true(a.largest_k > a.threshold && a.monte_carlo_error == INFINITY);
    assert_non_null(strstr(a.words, "1 of 3 data have a k not below"));
    assert_non_null(strstr(a.words, "of datum 1"));
    assert_non_null(strstr(a.words, "unreliable; refit without them"));
    assert_null(strstr(a.words, "NUTS"));
    const gb_loo of_q = gb_loo(DRAWS, 3, l, .log_ratios = mu);
    assert_non_null(strstr(of_q.words, "refit without them, or take more draws, or those of NUTS"));
    const gb_loo one = gb_loo(DRAWS, 1, l, .draw_stride = 3);
    assert_true(one.status == GB_OK && isnan(one.elpd_error) && isfinite(one.elpd));
    free(mu);
    free(l);
}

/* Of weight 2 it is two, of weight 0 none; and weights need not be whole. */
TEST(a_datum_of_weight_w_is_w_data)
{
    static const size_t repeated[] = {0, 1, 1, 3, 3, 3};
    static const double weights[] = {1, 2, 0, 3}, halves[] = {0.5, 1, 0, 1.5};
    enum { ROWS = 4, REPEATED = 6 };
    double *const l = new_normals(ROWS * DRAWS, 5), *const all = calloc(REPEATED * DRAWS, sizeof *all);
    for (size_t i = 0; i < ROWS * DRAWS; i++)
        l[i] = i % ROWS == 2 ? -(double)INFINITY : 0.3 * l[i];
    for (size_t i = 0; i < REPEATED * DRAWS; i++)
        all[i] = l[i / REPEATED * ROWS + repeated[i % REPEATED]];
    gb_loo_datum of[ROWS], each[REPEATED];
    const gb_loo is = gb_loo(DRAWS, ROWS, l, .weights = weights, .pointwise = of),
                 should = gb_loo(DRAWS, REPEATED, all, .pointwise = each),
                 half = gb_loo(DRAWS, ROWS, l, .weights = halves);
    assert_int_equal(is.status, GB_OK);
    assert_close(is.elpd, should.elpd, 16);
    assert_close(is.p, should.p, 16);
    assert_close(is.elpd_error, should.elpd_error, 64);
    assert_close(is.p_error, should.p_error, 64);
    assert_int_equal(is.unreliable, 0);
    assert_string_equal(is.words, "1 of weight 0 are left out");
    assert_string_equal(should.words, "");
    for (size_t i = 0; i < REPEATED; i++)
        assert_true(memcmp(&each[i], &of[repeated[i]], sizeof *of) == 0);
    assert_true(isnan(of[2].elpd) && isnan(of[2].k));
    assert_close(half.elpd, is.elpd / 2, 16);
    free(l);
    free(all);
}

TEST(weights_that_cannot_be_are_rejected_with_words)
{
    double *const l = new_normals(2 * DRAWS, 3);
    const double negative[] = {1, -1}, none[] = {0, 0};
    gb_loo a = gb_loo(DRAWS, 2, l, .weights = negative);
    assert_int_equal(a.status, GB_EARGUMENT);
    assert_string_equal(a.words, "the weight of datum 1 is -1; it must be finite and not negative");
    a = gb_loo(DRAWS, 2, l, .weights = none);
    assert_string_equal(a.words, "all 2 data have the weight 0");
    free(l);
}

TEST(bad_likelihoods_are_rejected_with_words)
{
    double *const l = new_normals(2 * DRAWS, 3), ratios[DRAWS] = {0};
    const double efficiencies[] = {1, -2};
    gb_loo a = gb_loo(DRAWS, 2, l, .r_eff = efficiencies);
    assert_int_equal(a.status, GB_EARGUMENT);
    assert_non_null(strstr(a.words, ".r_eff of datum 1 is -2"));
    a = gb_loo(DRAWS, 2, l, .chains = 7);
    assert_non_null(strstr(a.words, "800 draws are not 7 chains"));
    ratios[8] = INFINITY;
    a = gb_loo(DRAWS, 2, l, .log_ratios = ratios);
    assert_int_equal(a.status, GB_ENONFINITE);
    assert_non_null(strstr(a.words, "log ratio 8"));
    l[2 * 7 + 1] = -INFINITY;
    a = gb_loo(DRAWS, 2, l);
    assert_int_equal(a.status, GB_ENONFINITE);
    assert_true(isnan(a.elpd) && isnan(a.p) && isnan(a.monte_carlo_error));
    assert_non_null(strstr(a.words, "datum 1 at draw 7 (both from 0) is -inf"));
    assert_int_equal(gb_loo(0, 2, l).status, GB_EARGUMENT);
    assert_int_equal(gb_loo(DRAWS, 0, l).status, GB_EARGUMENT);
    assert_int_equal(gb_loo(DRAWS, 2, NULL).status, GB_EARGUMENT);
    assert_int_equal(gb_loo_with(DRAWS, 2, l, &(gb_loo_options){.size = 0}).status, GB_EARGUMENT);
    l[2 * 7 + 1] = 0;
    assert_int_equal(gb_loo_with(DRAWS, 1, l, NULL).status, GB_OK);
    free(l);
}

static gb_status loo_on(gb_tape *t, const void *what)
{
    (void)what;
    if (!t)
        return GB_ENOMEM;
    double l[600], ratios[600] = {0}, x = 0, state = 4;
    for (int i = 0; i < 600; i++) /* slow chains: their autocovariances take memory */
        l[i] = x = 0.9999 * x + 0.01 * (next_uniform(&state) - 0.5) + 0.001 * (i < 300);
    const gb_loo a = gb_loo(600, 1, l, .chains = 2, .log_ratios = ratios, .memory = gb_tape_memory(t));
    if (a.status)
        assert_non_null(strstr(a.words, "no memory"));
    return a.status;
}

TEST(leaving_out_outlives_a_lack_of_memory)
{
    assert_outlives_lack_of_memory(loo_on, NULL, "loo", 0, (gb_tape_options){0});
}
