/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Diagnostics of chains: those of R's posterior, truths about chains that are known, and bad input. */
#include "fitting/diagnostics/numbers.h"

#include "fitting/chains.h"
#include "fitting/diagnostics/reference_table.h"
#include "support/counted_memory.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Autoregressive chains of order 1, the first one stretched and shifted. */
static double *new_chains(const double *row)
{
    const size_t chains = (size_t)row[0], length = (size_t)row[1];
    double *const x = new_normals(chains * length, row[2]);
    for (size_t c = 0; c < chains; c++)
        for (size_t i = 1; i < length; i++)
            x[c * length + i] = row[3] * x[c * length + i - 1] + x[c * length + i];
    for (size_t i = 0; i < length; i++)
        x[i] = x[i] * row[5] + row[4];
    for (size_t i = 0; row[6] != 0 && i < chains * length; i++)
        x[i] = floor(x[i] * 2);
    return x;
}

TEST(all_numbers_are_those_of_posterior)
{
    static const double probabilities[] = {0.05, 0.5, 0.99};
    for (size_t row = 0; row < COUNT(chains_table); row++) {
        const double *const r = chains_table[row];
        double *const x = new_chains(r);
        const gb_chains chains = {.x = x, .chains = (size_t)r[0], .length = (size_t)r[1]};
        const gb_convergence c = gb_chains_convergence(&chains);
        gb_estimate q[3];
        assert_int_equal(c.status, GB_OK);
        assert_as_R(c.rhat, r[7], 1e-10);
        assert_as_R(c.rhat_bulk, r[8], 1e-10);
        assert_as_R(c.rhat_folded, r[9], 1e-10);
        assert_as_R(c.rhat_basic, r[10], 1e-10);
        assert_as_R(c.ess_bulk, r[11], 1e-9);
        assert_as_R(c.ess_tail, r[12], 1e-9);
        assert_as_R(c.ess_mean, r[13], 1e-9);
        assert_as_R(c.ess_sd, r[14], 1e-9);
        assert_as_R(c.mean, r[15], 1e-10);
        assert_as_R(c.mean_error, r[16], 1e-9);
        assert_as_R(c.sd, r[17], 1e-10);
        assert_as_R(c.sd_error, r[18], 1e-9);
        assert_int_equal(gb_chains_quantiles(&chains, 3, probabilities, q), GB_OK);
        for (size_t i = 0; i < 3; i++) {
            assert_as_R(q[i].value, r[19 + 3 * i], 1e-10);
            assert_as_R(q[i].error, r[20 + 3 * i], 1e-10);
            assert_as_R(q[i].ess, r[21 + 3 * i], 1e-9);
        }
        free(x);
    }
}

TEST(strides_find_the_draws_in_any_array)
{
    enum { CHAINS = 3, LENGTH = 50, NUMBERS = 2 };
    double *const x = new_normals(CHAINS * LENGTH, 4), other[LENGTH][CHAINS][NUMBERS];
    for (size_t i = 0; i < LENGTH; i++)
        for (size_t c = 0; c < CHAINS; c++) {
            other[i][c][0] = (double)NAN;
            other[i][c][1] = x[c * LENGTH + i];
        }
    const gb_convergence a = gb_chains_convergence(&(gb_chains){.x = x, .chains = CHAINS, .length = LENGTH});
    const gb_convergence b = gb_chains_convergence(&(gb_chains){.x = &other[0][0][1],
                                                                .chains = CHAINS,
                                                                .length = LENGTH,
                                                                .chain_stride = NUMBERS,
                                                                .draw_stride = NUMBERS * CHAINS});
    assert_int_equal(a.status, b.status);
    assert_memory_equal(&a.rhat, &b.rhat, sizeof a - offsetof(gb_convergence, rhat));
    free(x);
}

TEST(autoregressive_chains_are_worth_their_known_number_of_draws)
{
    /* n (1 − ρ) / (1 + ρ) of n; 100 runs of 8,000 draws each. */
    static const double correlations[] = {0, 0.3, 0.7, 0.9, -0.5};
    enum { SEEDS = 100, CHAINS = 4, LENGTH = 2000 };
    for (size_t j = 0; j < COUNT(correlations); j++) {
        const double rho = correlations[j], should = CHAINS * LENGTH * (1 - rho) / (1 + rho);
        double mean = 0, error = 0, squares = 0, rhat = 0;
        for (int seed = 1; seed <= SEEDS; seed++) {
            const double row[7] = {CHAINS, LENGTH, seed * 31, rho, 0, 1, 0};
            double *const x = new_chains(row);
            for (size_t c = 0; c < CHAINS; c++) /* begin in the stationary distribution */
                for (size_t i = 0; i < LENGTH; i++)
                    x[c * LENGTH + i] += x[c * LENGTH] * pow(rho, (double)i) * (1 / sqrt(1 - rho * rho) - 1);
            const gb_convergence k =
                gb_chains_convergence(&(gb_chains){.x = x, .chains = CHAINS, .length = LENGTH});
            mean += k.ess_mean / SEEDS;
            error += k.mean_error / SEEDS;
            squares += k.mean * k.mean / SEEDS;
            rhat += k.rhat / SEEDS;
            free(x);
        }
        const double sd = 1 / sqrt(1 - rho * rho) / sqrt(should);
        assert_near(mean / should, 1, 0.06);
        assert_near(error / sd, 1, 0.06);
        assert_near(sqrt(squares) / sd, 1, 0.3);
        /* A half of n draws with a time τ of correlation has a mean of variance τ / n, not 1 / n. */
        assert_near(rhat, 1 + 2 * rho / (1 - rho) / LENGTH, 0.002);
    }
}

TEST(chains_that_disagree_have_a_large_rhat_and_words)
{
    double *const x = new_normals(4000, 5);
    const gb_chains chains = {.x = x, .chains = 4, .length = 1000};
    assert_string_equal(gb_chains_convergence(&chains).words, "");
    for (size_t i = 0; i < 1000; i++)
        x[i] += 0.5; /* between: 3 / 16 · 0.25 · 4 / 3 */
    gb_convergence c = gb_chains_convergence(&chains);
    assert_near(c.rhat_basic, sqrt(1 + 0.0625 * 8 / 7), 0.02);
    assert_non_null(strstr(c.words, "R-hat is 1.0"));
    for (size_t i = 0; i < 1000; i++)
        x[i] = (x[i] - 0.5) * 4;
    c = gb_chains_convergence(&chains);
    assert_true(c.rhat_basic < 1.01 && c.rhat_bulk < 1.01 && c.rhat > 1.1); /* of the spread alone */
    for (size_t i = 0; i < 1000; i++)
        x[i] = x[i] / 4 + (double)i * 0.002; /* one chain drifts */
    assert_true(gb_chains_convergence(&chains).rhat > 1.05);
    free(x);
}

TEST(long_and_slow_chains_use_the_transform_and_agree_with_products)
{
    /* A single chain of period 1,000: autocovariances by hand at a lag of 300, through the ess of a
     * cosine, whose sums of pairs fall to 0 at a quarter of the period. */
    enum { LENGTH = 20000 };
    double *const x = calloc(LENGTH, sizeof *x), state = 3;
    for (size_t i = 0; i < LENGTH; i++)
        x[i] = cos(2 * 3.141592653589793 * (double)i / 1000) + 1e-3 * next_uniform(&state);
    const gb_convergence c = gb_chains_convergence(&(gb_chains){.x = x, .chains = 1, .length = LENGTH});
    /* ∫ cos over a quarter is 1000 / 2π; the time is twice that. */
    assert_near(c.ess_mean, LENGTH / (2000 / 6.283185307179586), 3);
    free(x);
}

TEST(constant_draws_have_no_error_and_say_so)
{
    double x[80];
    for (int i = 0; i < 80; i++)
        x[i] = 0.1;
    const gb_chains chains = {.x = x, .chains = 4, .length = 20};
    gb_convergence c = gb_chains_convergence(&chains);
    assert_int_equal(c.status, GB_OK);
    assert_true(c.mean == 0.1 && c.sd == 0 && c.mean_error == 0 && c.sd_error == 0);
    assert_true(isnan(c.rhat) && isnan(c.ess_bulk) && isnan(c.ess_tail));
    assert_non_null(strstr(c.words, "all draws are equal"));
    for (int i = 0; i < 80; i++)
        x[i] = i / 20 == 2 ? 0.1 : 0.01 * (i * 37 % 41);
    c = gb_chains_convergence(&chains);
    assert_non_null(strstr(c.words, "chain 2 (from 0) is constant"));
    assert_true(isfinite(c.rhat) && isfinite(c.ess_bulk));
    for (int i = 0; i < 80; i++)
        x[i] = i / 20;
    c = gb_chains_convergence(&chains);
    assert_true(c.rhat == INFINITY && c.ess_bulk < 10);
}

TEST(numbers_that_are_0_or_1_have_a_tail_on_one_side)
{
    double x[400], state = 8;
    const double most = 0.99;
    gb_estimate q;
    for (int i = 0; i < 400; i++)
        x[i] = next_uniform(&state) < 0.3;
    const gb_chains chains = {.x = x, .chains = 4, .length = 100};
    const gb_convergence c = gb_chains_convergence(&chains);
    assert_true(c.ess_tail > 100 && isfinite(c.rhat));
    assert_int_equal(gb_chains_quantiles(&chains, 1, &most, &q), GB_OK);
    assert_true(q.value == 1 && isnan(q.error) && q.words[0]);
}

TEST(draws_of_any_size_give_the_same)
{
    static const double scales[] = {0x1p-1000, 0x1p-300, 0x1p300, 0x1p1000};
    double *const z = new_normals(400, 8), x[400];
    const gb_convergence a = gb_chains_convergence(&(gb_chains){.x = z, .chains = 4, .length = 100});
    for (size_t j = 0; j < COUNT(scales); j++) {
        for (int i = 0; i < 400; i++)
            x[i] = z[i] * scales[j];
        const gb_convergence b = gb_chains_convergence(&(gb_chains){.x = x, .chains = 4, .length = 100});
        assert_near(b.rhat, a.rhat, 1e-12);
        assert_near(b.rhat_basic, a.rhat_basic, 1e-12);
        assert_near(b.ess_mean, a.ess_mean, 1e-6);
        assert_near(b.ess_sd, a.ess_sd, 1e-6);
        assert_near(b.mean / scales[j], a.mean, 1e-9);
        assert_near(b.sd / scales[j], a.sd, 1e-9);
        assert_near(b.mean_error / scales[j], a.mean_error, 1e-9);
        assert_near(b.sd_error / scales[j], a.sd_error, 1e-9);
    }
    free(z);
}

TEST(draws_without_a_mean_or_a_comparison_say_so)
{
    double x[52];
    for (int i = 0; i < 52; i++)
        x[i] = i % 3 ? 1.7e308 : -1.7e308;
    assert_non_null(
        strstr(gb_chains_convergence(&(gb_chains){.x = x, .chains = 4, .length = 13}).words, "too large"));
    for (int i = 0; i < 52; i++)
        x[i] = i % 13 == 6;
    const gb_convergence c = gb_chains_convergence(&(gb_chains){.x = x, .chains = 4, .length = 13});
    assert_true(c.sd > 0 && isnan(c.rhat));
    assert_non_null(strstr(c.words, "but the middle ones"));
}

TEST(distances_from_the_median_that_are_equal_do_not_count)
{
    double x[400], state = 4;
    for (int i = 0; i < 400; i++)
        x[i] = next_uniform(&state) < 0.5 ? 0 : 1;
    for (int i = 0; i < 400; i += 2) /* as many of each */
        x[i + 1] = 1 - x[i];
    const gb_convergence c = gb_chains_convergence(&(gb_chains){.x = x, .chains = 4, .length = 100});
    assert_true(isnan(c.rhat_folded));
    assert_near(c.rhat, c.rhat_bulk, 0);
}

TEST(perfectly_alternating_chains_are_worth_the_most)
{
    double x[200];
    for (int i = 0; i < 200; i++)
        x[i] = i % 2 ? 1 : -1;
    const gb_convergence c = gb_chains_convergence(&(gb_chains){.x = x, .chains = 2, .length = 100});
    assert_near(c.ess_mean, 200 * log10(200), 1e-9);
}

TEST(bad_draws_are_rejected_with_words)
{
    double x[48] = {0};
    gb_estimate q;
    const double half = 0.5, beyond = -0.1;
    gb_chains chains = {.x = x, .chains = 2, .length = 24};
    x[29] = (double)NAN;
    gb_convergence c = gb_chains_convergence(&chains);
    assert_int_equal(c.status, GB_ENONFINITE);
    assert_non_null(strstr(c.words, "draw 5 of chain 1 (both from 0) is nan"));
    assert_true(isnan(c.rhat) && isnan(c.mean) && isnan(c.ess_bulk));
    assert_int_equal(gb_chains_quantiles(&chains, 1, &half, &q), GB_ENONFINITE);
    assert_true(isnan(q.value) && q.words[0]);
    x[29] = -INFINITY;
    assert_int_equal(gb_chains_convergence(&chains).status, GB_ENONFINITE);
    x[29] = 1;
    assert_int_equal(gb_chains_quantiles(&chains, 1, &beyond, &q), GB_EARGUMENT);
    assert_non_null(strstr(q.words, "not in [0, 1]"));
    assert_int_equal(gb_chains_quantiles(&chains, 1, NULL, &q), GB_EARGUMENT);
    assert_int_equal(gb_chains_quantiles(NULL, 1, &half, &q), GB_EARGUMENT);
    chains.length = 11;
    assert_non_null(strstr(gb_chains_convergence(&chains).words, "2 chains of 11 draws"));
    chains.chains = 0;
    assert_int_equal(gb_chains_convergence(&chains).status, GB_EARGUMENT);
    assert_int_equal(gb_chains_convergence(NULL).status, GB_EARGUMENT);
}

static gb_status chains_on(gb_tape *t, const void *what)
{
    if (!t)
        return GB_ENOMEM;
    (void)what;
    const double row[7] = {2, 1200, 3, 0.9999, 0, 1, 0}, half = 0.5;
    gb_estimate q;
    double *const x = new_chains(row);
    const gb_chains chains = {.x = x, .chains = 2, .length = 1200, .memory = gb_tape_memory(t)};
    const gb_convergence c = gb_chains_convergence(&chains);
    const gb_status status = c.status ? c.status : gb_chains_quantiles(&chains, 1, &half, &q);
    if (c.status)
        assert_true(isnan(c.mean) && strstr(c.words, "no memory"));
    else if (status)
        assert_string_equal(q.words, "no memory");
    free(x);
    return status;
}

TEST(chains_outlive_a_lack_of_memory)
{
    assert_outlives_lack_of_memory(chains_on, NULL, "chains", 0, (gb_tape_options){0});
}
