/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From gradients in groups to figures: without bias, by going through all outcomes; and standard errors. */
#include "support/close.h"

#include "compare/moments.h"
#include "compare/replicates/figure_impl.h"
#include "compare/watching/watch_impl.h"

enum { MOST = 512 };

/* Moments of single numbers x[group][each]. */
typedef struct numbers {
    gb_watch_groups g;
    double within[MOST], off[MOST], along[MOST];
} numbers;

static void take(numbers *n, size_t groups, size_t each, bool are_batches, const double *x)
{
    double mean = 0;
    n->g = (gb_watch_groups){groups, (double)each, are_batches, 0, n->within, n->off, n->along};
    for (size_t i = 0; i < groups * each; i++)
        mean += x[i] / (double)(groups * each);
    n->g.length = mean * mean;
    for (size_t i = 0; i < groups; i++) {
        double own = 0, squares = 0;
        for (size_t k = 0; k < each; k++)
            own += x[i * each + k] / (double)each;
        for (size_t k = 0; k < each; k++)
            squares += (x[i * each + k] - own) * (x[i * each + k] - own);
        n->within[i] = each > 1 ? squares / (double)(each - 1) : 0;
        n->off[i] = (own - mean) * (own - mean);
        n->along[i] = mean * (own - mean);
    }
}

/* Two sorts of batches, each with two draws: {0, 2} and {5, 9}. Draws have the variance (1 + 4) / 2, batches
 * that of the means 1 and 7. */
TEST(parts_of_a_variance_have_no_bias)
{
    enum { BATCHES = 3, EACH = 2, BITS = BATCHES * (1 + EACH) };
    static const double value[2][2] = {{0, 2}, {5, 9}};
    double draws = 0, batches = 0, variance = 0;
    for (unsigned outcome = 0; outcome < 1u << BITS; outcome++) {
        double x[BATCHES * EACH];
        for (size_t i = 0; i < BATCHES * EACH; i++)
            x[i] = value[outcome >> i / EACH & 1][outcome >> (BATCHES + i) & 1];
        numbers n;
        take(&n, BATCHES, EACH, true, x);
        const gb_watched w = gb_watched_of(&n.g);
        draws += w.of_draws.value / (1u << BITS);
        batches += w.of_batches.value / (1u << BITS);
        variance += w.variance.value / (1u << BITS);
    }
    assert_near(draws, 2.5, 1e-12);
    assert_near(batches, 9, 1e-12);
    assert_near(variance, 11.5, 1e-12);
}

/* One gradient on each batch does not show which part is whose. */
TEST(parts_of_single_gradients_are_not_known)
{
    static const double x[5] = {0, 2, 5, 9, 3};
    double mean = 0, variance = 0;
    for (size_t i = 0; i < 5; i++)
        mean += x[i] / 5;
    for (size_t i = 0; i < 5; i++)
        variance += (x[i] - mean) * (x[i] - mean) / 4;
    numbers n;
    take(&n, 5, 1, true, x);
    const gb_watched w = gb_watched_of(&n.g);
    assert_near(w.variance.value, variance, 1e-12);
    assert_true(w.variance.error > 0);
    const gb_figure parts[] = {w.of_draws, w.of_batches};
    for (size_t i = 0; i < 2; i++)
        assert_true(isnan(parts[i].value) && isnan(parts[i].error) && isnan(parts[i].low) &&
                    isnan(parts[i].high));
}

/* On one batch: four equally likely values, in groups of one and of two. */
TEST(a_variance_on_one_batch_has_no_bias)
{
    enum { DRAWS = 4 };
    static const double value[4] = {0, 2, 5, 9};
    for (size_t each = 1; each <= 2; each++) {
        double variance = 0;
        for (unsigned outcome = 0; outcome < 256; outcome++) {
            double x[DRAWS];
            for (size_t i = 0; i < DRAWS; i++)
                x[i] = value[outcome >> 2 * i & 3];
            numbers n;
            take(&n, DRAWS / each, each, false, x);
            const gb_watched w = gb_watched_of(&n.g);
            assert_true(w.variance.value == w.of_draws.value && isnan(w.of_batches.value));
            variance += w.variance.value / 256;
        }
        assert_near(variance, 11.5, 1e-12);
    }
}

/* A skewed sample: the kurtosis matters. */
static void fill(size_t count, double *x)
{
    for (size_t i = 0; i < count; i++)
        x[i] = -log(fmod((double)(i + 1) * 0.6180339887498949, 1));
}

TEST(the_error_of_a_variance_is_by_the_kurtosis)
{
    double x[MOST];
    numbers n;
    gb_moments m = {0};
    fill(MOST, x);
    gb_moments_add(&m, MOST, x, 1);
    take(&n, MOST, 1, false, x);
    const gb_watched w = gb_watched_of(&n.g);
    assert_close(w.variance.value, gb_moments_variance(&m), 1000);
    assert_near(w.variance.error / gb_moments_variance_error(&m), 1, 0.02);
    assert_near(log(w.variance.high / w.variance.value), log(w.variance.value / w.variance.low), 1e-12);
    assert_near(log(w.variance.high / w.variance.value), 1.9647 * w.variance.error / w.variance.value, 1e-5);
}

/* The jackknife, with each group left out in truth. */
TEST(errors_are_those_of_the_jackknife)
{
    enum { GROUPS = 5, EACH = 3, ALL = GROUPS * EACH };
    double x[ALL], left[ALL];
    fill(ALL, x);
    for (int are_batches = 0; are_batches < 2; are_batches++) {
        numbers n, rest;
        double figure[4][GROUPS], error[4];
        take(&n, GROUPS, EACH, are_batches, x);
        const gb_watched all = gb_watched_of(&n.g);
        for (size_t out = 0; out < GROUPS; out++) {
            size_t count = 0;
            for (size_t i = 0; i < ALL; i++)
                if (i / EACH != out)
                    left[count++] = x[i];
            take(&rest, GROUPS - 1, EACH, are_batches, left);
            const gb_watched w = gb_watched_of(&rest.g);
            figure[0][out] = w.variance.value;
            figure[1][out] = w.of_draws.value;
            figure[2][out] = are_batches ? w.of_batches.value : 0;
            figure[3][out] = w.snr.value * w.snr.value;
        }
        for (int k = 0; k < 4; k++) {
            double mean = 0, squares = 0;
            for (size_t i = 0; i < GROUPS; i++)
                mean += figure[k][i] / GROUPS;
            for (size_t i = 0; i < GROUPS; i++)
                squares += (figure[k][i] - mean) * (figure[k][i] - mean);
            error[k] = sqrt(squares * (GROUPS - 1) / GROUPS);
        }
        assert_near(all.variance.error, error[0], 1e-12);
        assert_near(all.of_draws.error, error[1], 1e-12);
        if (are_batches)
            assert_near(all.of_batches.error, error[2], 1e-12);
        assert_near(all.snr.error * 2 * all.snr.value, error[3], 1e-12);
    }
}

/* What two estimators have in common leaves the ratio alone. */
TEST(a_ratio_is_of_pairs)
{
    double x[MOST], y[MOST];
    numbers a, b;
    fill(MOST, x);
    for (size_t i = 0; i < MOST; i++)
        y[i] = 3 * x[i] + 7;
    take(&a, MOST, 1, false, y);
    take(&b, MOST, 1, false, x);
    const gb_figure f = gb_watch_ratio(2, &a.g, 5, &b.g);
    assert_near(f.value, 9 * 2 / 5.0, 1e-11);
    assert_near(f.error, 0, 1e-9);
}

/* Elements add up: those of a vector are the sums of those of its numbers. */
TEST(sums_are_those_of_the_elements)
{
    double x[20];
    numbers a, b;
    fill(20, x);
    take(&a, 5, 4, true, x);
    for (size_t i = 0; i < 20; i++)
        x[i] = 1 - x[i] * x[i];
    take(&b, 5, 4, true, x);
    const double sum = gb_watched_of(&a.g).variance.value + gb_watched_of(&b.g).variance.value,
                 batches = gb_watched_of(&a.g).of_batches.value + gb_watched_of(&b.g).of_batches.value;
    gb_watch_groups_add(&a.g, &b.g);
    assert_near(gb_watched_of(&a.g).variance.value, sum, 1e-12);
    assert_near(gb_watched_of(&a.g).of_batches.value, batches, 1e-12);
}

TEST(equal_gradients_have_no_variance)
{
    double x[8] = {2, 2, 2, 2, 2, 2, 2, 2};
    numbers n;
    take(&n, 4, 2, true, x);
    const gb_watched w = gb_watched_of(&n.g);
    assert_true(w.variance.value == 0 && w.variance.error == 0 && w.variance.high == 0);
    assert_true(isnan(w.snr.value));
}

TEST(a_mean_has_the_interval_of_student)
{
    const double x[] = {1, 2, 3, 4, 6};
    const gb_figure f = gb_figure_of_mean(5, x, false), p = gb_figure_of_mean(5, x, true);
    assert_near(f.value, 3.2, 1e-12);
    assert_near(f.error, sqrt(14.8 / 4 / 5), 1e-12);
    assert_near(f.high - f.value, 2.7764451 * f.error, 2e-3 * f.error);
    assert_near(log(p.high / p.value), 2.7764451 * p.error / p.value, 2e-3);
}
