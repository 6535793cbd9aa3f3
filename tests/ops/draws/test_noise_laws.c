/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws against their laws. Distances of distribution functions obey Dvoretzky, Kiefer and
 * Wolfowitz with Massart's constant; counts in cells a χ² law. Each test fails by chance
 * once in 10^9, and the seeds are fixed. */
#include "support/close.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_sf_bessel.h>

#include "ops/draws.h"
#include "ops/elementwise.h"

enum { COUNT = 100000 };
static double draw[COUNT];

/* The parameters of the law that is tested. */
static double first, second;

/* ---- judging ---- */

static void assert_continuous_law(double (*cdf)(double), const char *what)
{
    double worst = 0;
    qsort(draw, COUNT, sizeof *draw, ascending);
    for (int i = 0; i < COUNT; i++) {
        const double f = cdf(draw[i]);
        worst = fmax(worst, fmax(f - (double)i / COUNT, (double)(i + 1) / COUNT - f));
        if (isnan(f))
            fail_msg("%s (%g, %g): a draw is %g", what, first, second, draw[i]);
    }
    if (!(worst < sqrt(log(2 / 1e-9) / (2 * COUNT))))
        fail_msg("%s (%g, %g): distance %g", what, first, second, worst);
}

/* Cells of consecutive counts, each expected at least fifty times; `below(k)` is the probability of ≤ k. */
static void assert_discrete_law(double (*below)(double), const char *what)
{
    enum { LEAST = 50 };
    double statistic = 0, from = 0;
    int cells = 0, done = 0;
    qsort(draw, COUNT, sizeof *draw, ascending);
    while (done < COUNT) {
        int to = done;
        double f;
        do {
            const double k = draw[to];
            assert_true(k >= 0 && k == floor(k));
            while (to < COUNT && draw[to] == k)
                to++;
            f = below(k);
        } while (to < COUNT && (f - from) * COUNT < LEAST);
        if ((1 - f) * COUNT < LEAST) {
            f = 1;
            to = COUNT;
        }
        const double expected = (f - from) * COUNT, seen = to - done;
        statistic += (seen - expected) * (seen - expected) / expected;
        cells++;
        done = to;
        from = f;
    }
    /* a handful of cells more, as the cells' borders are where draws are */
    if (!(gsl_cdf_chisq_Q(statistic, cells + 4) > 1e-9))
        fail_msg("%s (%g, %g): χ² of %g in %d cells", what, first, second, statistic, cells);
}

typedef gb_node law_of_one(gb_noise noise, gb_shape shape, gb_axes axes, gb_node parameter);

static void draw_one(law_of_one *law, double parameter, gb_real real)
{
    gb_tape *t = gb_tape_new(.seed = 31, .threads = 1, .real = real);
    first = parameter;
    assert_int_equal(gb_read(law(gb_stream(t, "z"), gb_shape(COUNT), 0, gb_num(t, parameter)), draw, COUNT),
                     GB_OK);
    gb_tape_free(t);
}

/* ---- without parameters ---- */

static double exponential_cdf(double x)
{
    return -expm1(-x);
}

static double gumbel_cdf(double x)
{
    return exp(-exp(-x));
}

TEST(exponential_gumbel_and_rademacher_draws_follow_their_laws)
{
    for (int real = 0; real < 2; real++) {
        gb_tape *const tape = test_tape(.seed = 3, .real = real ? GB_FLOAT : GB_DOUBLE);
        gb_read(gb_exponential_noise(gb_stream(tape, "e"), gb_shape(COUNT), 0), draw, COUNT);
        assert_continuous_law(exponential_cdf, "exponential");
        gb_read(gb_gumbel_noise(gb_stream(tape, "g"), gb_shape(COUNT), 0), draw, COUNT);
        assert_continuous_law(gumbel_cdf, "gumbel");
        double sum = 0;
        gb_read(gb_rademacher_noise(gb_stream(tape, "r"), gb_shape(COUNT), 0), draw, COUNT);
        for (int i = 0; i < COUNT; i++) {
            assert_true(fabs(draw[i]) == 1);
            sum += draw[i];
        }
        assert_true(fabs(sum) < 6.2 * sqrt(COUNT));
        assert_fine(tape);
    }
}

/* ---- gamma ---- */

static double gamma_cdf(double x)
{
    return gsl_cdf_gamma_P(x, first, 1);
}

/* For small shapes the distribution function is x^α / Γ(1 + α) e^-x …,
 * which is known of the logarithm of x. */
static double log_gamma_cdf(double x)
{
    if (x > -30)
        return gsl_cdf_gamma_P(exp(x), first, 1);
    return exp(first * x - lgamma(1 + first));
}

TEST(gamma_draws_follow_their_law)
{
    static const double shapes[] = {0.1, 0.5, 0.999, 1, 2.5, 30, 1e4};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int real = 0; real < 2; real++) {
            draw_one(gb_gamma_noise, shapes[i], real ? GB_FLOAT : GB_DOUBLE);
            assert_continuous_law(gamma_cdf, "gamma");
        }
}

TEST(logarithms_of_gamma_draws_follow_their_law)
{
    static const double shapes[] = {1e-4, 1e-3, 0.3, 1, 7, 1e3};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int real = 0; real < 2; real++) {
            draw_one(gb_log_gamma_noise, shapes[i], real ? GB_FLOAT : GB_DOUBLE);
            for (int k = 0; k < COUNT; k++)
                assert_true(isfinite(draw[k]));
            assert_continuous_law(log_gamma_cdf, "log gamma");
        }
}

static double standard_normal_cdf(double x)
{
    return gsl_cdf_ugaussian_P(x);
}

TEST(gamma_draws_of_a_large_shape_are_normal)
{
    draw_one(gb_gamma_noise, 1e10, GB_DOUBLE);
    for (int i = 0; i < COUNT; i++)
        draw[i] = (draw[i] - 1e10) / 1e5;
    assert_continuous_law(standard_normal_cdf, "standardised gamma");
}

/* ---- counts ---- */

static double poisson_below(double k)
{
    return first == 0 ? 1 : gsl_cdf_gamma_Q(first, k + 1, 1); /* GSL's own takes no large counts */
}

static double binomial_below(double k)
{
    return k >= first ? 1 : gsl_cdf_beta_Q(second, k + 1, first - k);
}

TEST(poisson_draws_follow_their_law)
{
    static const double rates[] = {0, 1e-300, 0.01, 0.7, 5, 9.99, 10, 12.5, 40, 1e3, 1e6};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        for (int real = 0; real < 2; real++)
            if (!real || rates[i] < 1e5) {
                draw_one(gb_poisson_noise, rates[i], real ? GB_FLOAT : GB_DOUBLE);
                first = real ? (double)(float)rates[i] : rates[i];
                assert_discrete_law(poisson_below, "poisson");
            }
}

TEST(poisson_draws_of_a_large_rate_are_normal)
{
    static const double rates[] = {1e9, 1e15, 1e40};
    for (size_t r = 0; r < sizeof rates / sizeof *rates; r++) {
        draw_one(gb_poisson_noise, rates[r], GB_DOUBLE);
        for (int i = 0; i < COUNT; i++) {
            assert_true(draw[i] == floor(draw[i]));
            draw[i] = (draw[i] - rates[r]) / sqrt(rates[r]);
        }
        if (rates[r] < 1e20) /* beyond, reals are further apart than a deviation */
            assert_continuous_law(standard_normal_cdf, "standardised poisson");
        else
            assert_true(draw[0] == 0 && draw[COUNT - 1] == 0);
    }
}

static void draw_binomial(double n, double p, gb_real real)
{
    gb_tape *t = gb_tape_new(.seed = 32, .threads = 1, .real = real);
    first = n;
    second = real == GB_FLOAT ? (double)(float)p : p;
    const gb_node draws =
        gb_binomial_noise(gb_stream(t, "z"), gb_shape(COUNT), 0, gb_num(t, n), gb_num(t, p));
    assert_int_equal(gb_read(draws, draw, COUNT), GB_OK);
    gb_tape_free(t);
}

TEST(binomial_draws_follow_their_law)
{
    static const double cases[][2] = {{0, 0.3},    {1, 0.3},    {5, 0},     {5, 1},
                                      {19, 0.5},   {20, 0.5},   {25, 0.41}, {100, 0.02},
                                      {100, 0.98}, {100, 0.37}, {1e5, 0.8}, {1e6, 1e-6}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int real = 0; real < 2; real++) {
            draw_binomial(cases[i][0], cases[i][1], real ? GB_FLOAT : GB_DOUBLE);
            assert_discrete_law(binomial_below, "binomial");
        }
    draw_binomial(4e15, 0.25, GB_DOUBLE);
    for (int i = 0; i < COUNT; i++)
        draw[i] = (draw[i] - 1e15) / sqrt(0.75e15);
    assert_continuous_law(standard_normal_cdf, "standardised binomial");
}

/* ---- von Mises ---- */

/* 1/2 + θ/2π + Σ I_j(κ) / I_0(κ) sin(jθ) / (jπ) */
static double von_mises_ratio[200];

static double von_mises_cdf(double x)
{
    double sum = 0.5 + x / (2 * M_PI);
    for (int j = 1; j < 200 && von_mises_ratio[j] > 1e-12; j++)
        sum += von_mises_ratio[j] * sin(j * x) / (j * M_PI);
    return sum;
}

TEST(von_mises_draws_follow_their_law)
{
    static const double kappas[] = {0, 1e-320, 1e-9, 0.3, 2, 50};
    for (size_t i = 0; i < sizeof kappas / sizeof *kappas; i++)
        for (int real = 0; real < 2; real++) {
            draw_one(gb_von_mises_noise, kappas[i], real ? GB_FLOAT : GB_DOUBLE);
            for (int j = 0; j < 200; j++)
                von_mises_ratio[j] =
                    gsl_sf_bessel_In_scaled(j, kappas[i]) / gsl_sf_bessel_I0_scaled(kappas[i]);
            for (int k = 0; k < COUNT; k++)
                assert_true(draw[k] >= -M_PI && draw[k] <= M_PI);
            assert_continuous_law(von_mises_cdf, "von mises");
        }
    draw_one(gb_von_mises_noise, 1e8, GB_DOUBLE);
    for (int i = 0; i < COUNT; i++)
        draw[i] *= 1e4;
    assert_continuous_law(standard_normal_cdf, "concentrated von mises");
}

/* ---- categories ---- */

static double category_below(double k)
{
    static const double below[] = {0.2, 0.2, 0.7, 1};
    return below[(int)k];
}

TEST(categories_are_drawn_by_their_probabilities)
{
    for (int real = 0; real < 2; real++) {
        gb_tape *const tape = test_tape(.seed = 5, .real = real ? GB_FLOAT : GB_DOUBLE);
        const gb_node x =
            gb_constant(tape, gb_shape(4), GB_VALUES(7 + log(2), -INFINITY, 7 + log(5), 7 + log(3)));
        assert_int_equal(
            gb_read(gb_categorical_noise(gb_stream(tape, "k"), gb_shape(COUNT), 0, x), draw, COUNT), GB_OK);
        for (int i = 0; i < COUNT; i++)
            assert_true(draw[i] == 0 || draw[i] == 2 || draw[i] == 3);
        assert_discrete_law(category_below, "categories");
    }
}

void test_begin(int argc, char **argv)
{
    (void)argc, (void)argv;
    gsl_set_error_handler_off(); /* what underflows is 0 */
}
