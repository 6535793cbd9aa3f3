/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions of counts and categories, and their relaxations: what ties
 * them to each other, borders, rejections. */
#include "support/close.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_psi.h>

#include "core/gradient.h"
#include "distributions/kl.h"
#include "distributions/list.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

static gb_node number(gb_tape *t, double value)
{
    return gb_num(t, value);
}

static gb_node vector(gb_tape *t, int64_t size, const double *values)
{
    return gb_constant(t, gb_shape(size), gb_values_of(values, (size_t)size));
}

static double log_prob_at(gb_dist d, double x)
{
    return gb_value(gb_log_prob(d, gb_num(d.tape, x)));
}

static double slope_at(gb_dist d, double x, gb_node parameter)
{
    return gb_value(gb_grad(gb_log_prob(d, gb_num(d.tape, x)), parameter));
}

/* ---- one as another ---- */

TEST(a_poisson_distribution_by_its_log_rate_is_the_same)
{
    const gb_dist by_rate = gb_poisson(number(t, exp(1.25))), by_log = gb_poisson_log(number(t, 1.25));
    for (int x = 0; x < 40; x++)
        assert_close(log_prob_at(by_log, x), log_prob_at(by_rate, x), 64);
    const gb_dist tiny = gb_poisson_log(number(t, -1e5)), huge = gb_poisson_log(number(t, 1e5));
    assert_close(log_prob_at(tiny, 1), -1e5, 1);
    assert_true(log_prob_at(tiny, 0) == 0);
    assert_true(log_prob_at(huge, 5) == -INFINITY);
    assert_fine(t);
}

TEST(beta_binomial_counts_are_uniform_or_binomial_at_their_borders)
{
    const gb_node n = number(t, 23), one = number(t, 1);
    const gb_dist certain = gb_beta_binomial(n, number(t, 0.3e15), number(t, 0.7e15));
    for (int x = 0; x <= 23; x++) {
        assert_close(log_prob_at(gb_beta_binomial(n, one, one), x), -log(24), 64);
        const double should = log_prob_at(gb_binomial(n, number(t, 0.3)), x);
        assert_true(fabs(log_prob_at(certain, x) - should) < 1e-11);
    }
    assert_true(log_prob_at(certain, 24) == -INFINITY);
}

TEST(a_level_of_one_cutpoint_is_a_coin)
{
    const gb_dist level = gb_ordered_logistic(number(t, 0.4), vector(t, 1, (double[]){1.5}));
    const gb_dist coin = gb_bernoulli_logits(number(t, 0.4 - 1.5));
    for (int x = 0; x < 2; x++)
        assert_close(log_prob_at(level, x), log_prob_at(coin, x), 16);
    assert_close(gb_value(gb_kl(level, level)), 0, 1);
    gb_ordered_logistic(number(t, 0), vector(t, 2, (double[]){1, 1}));
    assert_rejected(t, GB_EARGUMENT, "cutpoints must be finite, each element greater than the one before");
}

TEST(zeros_are_inflated)
{
    const gb_node rate = vector(t, 2, (double[]){2, 5}), p = number(t, 0.25), one = number(t, 1);
    const gb_dist d = gb_zero_inflated(p, gb_poisson(rate));
    assert_true(gb_shape_same(gb_dist_batch_shape(d), gb_shape(2)));
    assert_values(gb_exp(gb_log_prob(d, number(t, 0))), 0.25 + 0.75 * exp(-2), 0.25 + 0.75 * exp(-5));
    const gb_node base = gb_log_prob(gb_poisson(rate), number(t, 3));
    assert_values(gb_sub(gb_log_prob(d, number(t, 3)), base), log(0.75), log(0.75));
    assert_values(gb_dist_mean(d), 1.5, 3.75);
    const gb_dist all = gb_zero_inflated(one, gb_poisson(rate));
    assert_values(gb_log_prob(all, number(t, 0)), 0, 0);
    assert_values(gb_log_prob(all, number(t, 1)), -INFINITY, -INFINITY);
    assert_values(gb_sample(all, gb_stream(t, "zeros"), 0), 0, 0);
    const gb_dist wide = gb_zero_inflated_logits(gb_zeros(t, gb_shape(3, 1)), gb_poisson(rate));
    assert_true(gb_shape_same(gb_dist_batch_shape(wide), gb_shape(3, 2)));
    assert_fine(t);
}

TEST(zeros_of_what_has_no_counts_are_rejected)
{
    const gb_node one = number(t, 1), two = vector(t, 2, (double[]){0.2, 0.8});
    gb_zero_inflated(number(t, 0.5), gb_normal(one, one));
    assert_rejected(t, GB_EARGUMENT, "zero_inflated: draws of normal are not discrete numbers");
    gb_zero_inflated(number(t, 0.5), gb_one_hot_categorical(two));
    assert_rejected(t, GB_EARGUMENT, "draws of one_hot_categorical are not discrete numbers");
    gb_zero_inflated(number(t, 1.5), gb_poisson(one));
    assert_rejected(t, GB_EARGUMENT, "zero_inflated: prob is 1.5, and must be between 0 and 1");
    gb_zero_inflated(two, gb_poisson(gb_zeros(t, gb_shape(3))));
    assert_rejected(t, GB_ESHAPE, "zero_inflated: prob has shape (2), which does not broadcast with (3)");
}

TEST(special_cases_are_other_distributions)
{
    const gb_node one = number(t, 1), p = number(t, 0.3), q = number(t, 0.7), n = number(t, 23);
    for (int x = 0; x < 2; x++)
        assert_close(log_prob_at(gb_binomial(one, p), x), log_prob_at(gb_bernoulli(p), x), 16);
    for (int x = 0; x < 60; x++)
        assert_close(log_prob_at(gb_negative_binomial(one, p), x), log_prob_at(gb_geometric(q), x), 64);
    const gb_dist two = gb_multinomial(n, vector(t, 2, (double[]){0.3, 0.7}));
    for (int x = 0; x <= 23; x++) {
        const gb_node both = vector(t, 2, (double[]){x, 23 - x});
        assert_close(gb_value(gb_log_prob(two, both)), log_prob_at(gb_binomial(n, p), x), 256);
    }
    assert_fine(t);
}

TEST(logits_are_another_way_to_say_the_same)
{
    const gb_node p = number(t, 0.2), l = number(t, log(0.25)), n = number(t, 9);
    const gb_node half = number(t, 0.5), probs = vector(t, 3, (double[]){0.5, 0.125, 0.375}),
                  logits = vector(t, 3, (double[]){log(4), 0, log(3)});
    const struct {
        gb_dist by_probability, by_logits;
        double x;
    } pairs[] = {{gb_bernoulli(p), gb_bernoulli_logits(l), 1},
                 {gb_binomial(n, p), gb_binomial_logits(n, l), 4},
                 {gb_geometric(p), gb_geometric_logits(l), 4},
                 {gb_negative_binomial(n, p), gb_negative_binomial_logits(n, l), 4},
                 {gb_relaxed_bernoulli(half, p), gb_relaxed_bernoulli_logits(half, l), 0.6},
                 {gb_categorical(probs), gb_categorical_logits(logits), 2}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        assert_close(log_prob_at(pairs[i].by_probability, pairs[i].x),
                     log_prob_at(pairs[i].by_logits, pairs[i].x), 64);
    assert_fine(t);
}

/* ---- gradients ---- */

TEST(gradients_of_counts_are_the_formulas)
{
    static const struct {
        double n, p, x;
    } cases[] = {{10, 0.3, 0},        {10, 0.3, 10},    {50, 0.4, 20},
                 {1e6, 0.37, 370500}, {1e6, 0.37, 200}, {40, 1e-9, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double n = cases[i].n, p = cases[i].p, x = cases[i].x;
        gb_tape *const tape = test_tape();
        const gb_node prob = gb_variable(tape, "p", gb_shape(), gb_fill(p));
        const gb_node logit = gb_variable(tape, "l", gb_shape(), gb_fill(log(p / (1 - p))));
        const gb_node rate = gb_variable(tape, "rate", gb_shape(), gb_fill(n * p));
        const gb_node total = gb_variable(tape, "total", gb_shape(), gb_fill(n));
        assert_close(slope_at(gb_binomial(number(tape, n), prob), x, prob), (x - n * p) / (p * (1 - p)), 1e5);
        assert_close(slope_at(gb_binomial_logits(number(tape, n), logit), x, logit), x - n * p, 1e5);
        assert_close(slope_at(gb_poisson(rate), x, rate), (x - n * p) / (n * p), 1e5);
        assert_close(slope_at(gb_negative_binomial(total, prob), x, prob), x / p - n / (1 - p), 1e5);
        if (x > 0)
            assert_close(slope_at(gb_negative_binomial(total, prob), x, total),
                         gsl_sf_psi(x + n) - gsl_sf_psi(n) + log1p(-p), 1e6);
        assert_fine(tape);
    }
}

TEST(gradients_at_the_borders_are_those_of_what_is_possible)
{
    const gb_node zero = gb_variable(t, "zero", gb_shape(), gb_fill(0)),
                  one = gb_variable(t, "one", gb_shape(), gb_fill(1)), n = number(t, 5);
    assert_close(slope_at(gb_bernoulli(zero), 0, zero), -1, 4);
    assert_close(slope_at(gb_bernoulli(one), 1, one), 1, 4);
    assert_close(slope_at(gb_binomial(n, zero), 0, zero), -5, 4);
    assert_close(slope_at(gb_binomial(n, one), 5, one), 5, 4);
    assert_close(slope_at(gb_negative_binomial(n, zero), 0, zero), -5, 4);
    assert_close(slope_at(gb_geometric(one), 0, one), 1, 4);
    assert_close(slope_at(gb_poisson(zero), 0, zero), -1, 4);
    assert_close(gb_value(gb_grad(gb_kl(gb_bernoulli(number(t, 0)), gb_bernoulli(zero)), zero)), 1, 4);
    assert_close(gb_value(gb_grad(gb_kl(gb_poisson(number(t, 0)), gb_poisson(zero)), zero)), 1, 4);
    const gb_node probs = gb_variable(t, "probs", gb_shape(3), GB_VALUES(0.5, 0, 0.5));
    assert_values(gb_grad(gb_log_prob(gb_categorical(probs), number(t, 0)), probs), 2, 0, 0);
    assert_values(gb_grad(gb_log_prob(gb_multinomial(n, probs), vector(t, 3, (double[]){2, 0, 3})), probs), 4,
                  0, 6);
    assert_fine(t);
}

TEST(impossible_categories_leave_the_gradients_of_the_others_alone)
{
    const gb_node logits = gb_add(gb_variable(t, "two", gb_shape(3), GB_VALUES(0.4, 0.4, 0)),
                                  vector(t, 3, (double[]){0, 0, -INFINITY}));
    const gb_node others = vector(t, 3, (double[]){0.7, 0, 0.1});
    const gb_dist q = gb_categorical_logits(logits), p = gb_categorical_logits(others);
    const double sum = exp(0.7) + 1 + exp(0.1), d = 0.25 * (-0.7);
    assert_true(log_prob_at(q, 2) == -INFINITY);
    assert_close(gb_value(gb_dist_entropy(q)), log(2), 8);
    assert_close(gb_value(gb_kl(q, p)), -log(2) - 0.35 + log(sum), 32);
    assert_true(gb_value(gb_kl(p, q)) == INFINITY);
    assert_true(gb_value(gb_kl(q, q)) == 0);
    double of_kl[3], of_entropy[3];
    assert_int_equal(gb_read(gb_grad(gb_kl(q, p), logits), of_kl, 3), GB_OK);
    assert_int_equal(gb_read(gb_grad(gb_dist_entropy(q), logits), of_entropy, 3), GB_OK);
    assert_close(of_kl[0], d, 1e3);
    assert_close(of_kl[1], -d, 1e3);
    assert_true(of_kl[2] == 0 && of_entropy[2] == 0 && fabs(of_entropy[0]) < 1e-15);
}

/* ---- quantiles ---- */

/* Wherever the next value still adds to P(X ≤ x). */
static void assert_led_back(gb_dist d, int64_t count, double first)
{
    double *x = malloc((size_t)count * sizeof *x), *u = malloc((size_t)count * sizeof *u),
           *back = malloc((size_t)count * sizeof *back);
    for (int64_t i = 0; i < count; i++)
        x[i] = first + (double)i;
    const gb_node at = vector(d.tape, count, x), below = gb_cdf(d, at);
    assert_int_equal(gb_read(below, u, (size_t)count), GB_OK);
    assert_int_equal(gb_read(gb_icdf(d, below), back, (size_t)count), GB_OK);
    for (int64_t i = 1; i < count; i++)
        if (u[i] > u[i - 1] && 1 - u[i] > 1e-12 && u[i] - u[i - 1] > 1e-14 * u[i])
            if (back[i] != x[i])
                fail_msg("%s: the quantile of P(X <= %g) = %.17g is %g", d.type->name, x[i], u[i], back[i]);
    free(x);
    free(u);
    free(back);
}

TEST(quantiles_lead_back_to_where_a_probability_is_from)
{
    static const double logits[] = {-6, -1.3, 0, 0.7, 4};
    for (size_t i = 0; i < sizeof logits / sizeof *logits; i++) {
        const gb_node l = number(t, logits[i]), p = number(t, 1 / (1 + exp(-logits[i])));
        assert_led_back(gb_geometric(p), 100, 0);
        assert_led_back(gb_geometric_logits(l), 100, 0);
        assert_led_back(gb_binomial(number(t, 90), p), 91, 0);
        assert_led_back(gb_binomial_logits(number(t, 90), l), 91, 0);
        assert_led_back(gb_negative_binomial(number(t, 3.5), p), 300, 0);
        assert_led_back(gb_negative_binomial_logits(number(t, 3.5), l), 300, 0);
        assert_led_back(gb_poisson(gb_exp(l)), 120, 0);
    }
    assert_led_back(gb_poisson(number(t, 1e8)), 1000, 1e8 - 500);
    assert_led_back(gb_binomial(number(t, 1e6), number(t, 0.3)), 1000, 3e5 - 500);
    assert_true(isnan(gb_value(gb_icdf(gb_poisson(number(t, 2)), number(t, NAN)))));
    assert_true(isnan(gb_value(gb_icdf(gb_geometric(number(t, 0.2)), number(t, NAN)))));
    assert_fine(t);
}

/* ---- lists of values ---- */

TEST(probabilities_of_all_values_sum_to_one)
{
    const gb_node p = number(t, 0.3), probs = vector(t, 3, (double[]){0.5, 0.125, 0.375});
    const struct {
        gb_dist d;
        size_t values;
    } all[] = {{gb_bernoulli(p), 2},
               {gb_binomial(number(t, 7), p), 8},
               {gb_binomial(number(t, 0), p), 1},
               {gb_categorical(probs), 3},
               {gb_one_hot_categorical(probs), 3},
               {gb_multinomial(number(t, 5), probs), 21},
               {gb_multinomial(number(t, 0), probs), 1}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const gb_node log_p = gb_log_prob(all[i].d, gb_dist_enumerate(all[i].d));
        assert_int_equal(gb_value_count(log_p), all[i].values);
        assert_close(gb_value(gb_sum(gb_exp(log_p))), 1, 32);
    }
    gb_dist_enumerate(gb_multinomial(number(t, 1000), probs));
    assert_rejected(t, GB_EARGUMENT,
                    "multinomial: more than 10000 values to list, with total 1000 and 3 categories");
    gb_dist_enumerate(gb_binomial(gb_input(t, "n", gb_shape()), p));
    assert_rejected(t, GB_EARGUMENT, "binomial: values can be listed only where total is one number");
    assert_fine(t);
}

/* ---- derivatives as differences ---- */

/* Some function of a draw, of numbers and of vectors. */
static gb_node cost(gb_node x, bool is_vector)
{
    const gb_node at = is_vector ? gb_sum_event(gb_mul(x, vector(x.tape, 3, (double[]){0.2, -1, 3})), 1) : x;
    return gb_add(gb_square(gb_shift(at, -0.45)), gb_sin(at));
}

/* E[f] over all values that are listed, for one distribution. */
static gb_node expected_cost(gb_dist d, gb_node values, bool is_vector)
{
    return gb_sum(gb_chain(gb_exp(gb_log_prob(d, values)), cost(values, is_vector)));
}

static void assert_difference_is_derivative(gb_dist d, gb_node values, gb_node parameter, bool is_vector)
{
    double derivative[3];
    const size_t elements = gb_value_count(parameter);
    assert_int_equal(gb_read(gb_grad(expected_cost(d, values, is_vector), parameter), derivative, elements),
                     GB_OK);
    for (size_t i = 0; i < elements; i++) {
        gb_measure m;
        assert_true(gb_dist_measure(d, 0, (int64_t)i, &m));
        assert_true(gb_shape_same(gb_dist_shape(m.plus), gb_dist_shape(d)));
        const gb_node apart =
            gb_sub(expected_cost(m.plus, values, is_vector), expected_cost(m.minus, values, is_vector));
        assert_close(gb_value(gb_mul(m.coefficient, apart)), derivative[i], 1e4);
    }
}

TEST(measures_give_the_derivative_of_an_expectation)
{
    double whole[80];
    for (int i = 0; i < 80; i++)
        whole[i] = i;
    const gb_node p = gb_variable(t, "p", gb_shape(), gb_fill(0.3)),
                  l = gb_variable(t, "l", gb_shape(), gb_fill(0.8)),
                  logits = gb_variable(t, "logits", gb_shape(3), GB_VALUES(0.3, -1, 1.5)),
                  rate = gb_variable(t, "rate", gb_shape(), gb_fill(2.5));
    const gb_dist b = gb_bernoulli(p), c = gb_bernoulli_logits(l), k = gb_categorical_logits(logits),
                  h = gb_one_hot_categorical_logits(logits);
    assert_difference_is_derivative(b, gb_dist_enumerate(b), p, false);
    assert_difference_is_derivative(c, gb_dist_enumerate(c), l, false);
    assert_difference_is_derivative(k, gb_dist_enumerate(k), logits, false);
    assert_difference_is_derivative(h, gb_dist_enumerate(h), logits, true);
    assert_difference_is_derivative(gb_poisson(rate), vector(t, 80, whole), rate, false);
    assert_fine(t);
    assert_false(gb_dist_can(gb_categorical(vector(t, 2, (double[]){0.5, 0.5})), GB_CAN_MEASURE));
}

TEST(measures_of_a_batch_have_its_shape)
{
    gb_measure m;
    const gb_node logits = gb_variable(t, "logits", gb_shape(4, 3), gb_fill(0));
    const gb_dist d = gb_one_hot_categorical_logits(logits);
    assert_true(gb_dist_measure(d, 0, 2, &m));
    assert_true(gb_shape_same(gb_node_shape(m.coefficient), gb_shape(4)));
    assert_true(gb_shape_same(gb_dist_shape(m.plus), gb_shape(4, 3)));
    assert_values(gb_sum_along(gb_sample(m.plus, gb_stream(t, "z"), 0), gb_axis(0)), 0, 0, 4);
    assert_false(gb_dist_measure(d, 0, 3, &m));
    assert_false(gb_dist_measure(d, 1, 0, &m));
    assert_fine(t);
}

/* ---- draws ---- */

/* By the inequality of Dvoretzky, Kiefer, Wolfowitz and Massart, which holds for any law, a right
 * sampler fails with probability below 1e-9. */
static void assert_follows_law(gb_node draws, size_t count, double (*law)(double x))
{
    double *x = malloc(count * sizeof *x), worst = 0;
    assert_int_equal(gb_read(draws, x, count), GB_OK);
    for (int k = 0; k < 60; k++) {
        size_t below = 0;
        for (size_t i = 0; i < count; i++)
            below += x[i] <= k;
        worst = fmax(worst, fabs((double)below / (double)count - law(k)));
    }
    free(x);
    assert_true(worst < sqrt(log(2 / 1e-9) / (2.0 * (double)count)));
}

static double geometric_law(double x)
{
    return gsl_cdf_geometric_P((unsigned)x + 1, 0.15);
}

static double negative_binomial_law(double x)
{
    return gsl_cdf_negative_binomial_P((unsigned)x, 0.6, 2.5);
}

static double second_count_law(double x)
{
    return gsl_cdf_binomial_P((unsigned)x, 0.125, 40);
}

static double last_count_law(double x)
{
    return gsl_cdf_binomial_P((unsigned)x, 0.375, 40);
}

TEST(draws_follow_their_laws, .seed = 5)
{
    enum { DRAWS = 40000 };
    gb_tape_set_samples(t, DRAWS);
    const gb_noise z = gb_stream(t, "z");
    assert_follows_law(gb_sample(gb_geometric(number(t, 0.15)), z, GB_SAMPLES), DRAWS, geometric_law);
    assert_follows_law(gb_sample(gb_negative_binomial(number(t, 2.5), number(t, 0.4)), z, GB_SAMPLES), DRAWS,
                       negative_binomial_law);
    const gb_dist d = gb_multinomial(number(t, 40), vector(t, 4, (double[]){0.5, 0.125, 0, 0.375}));
    const gb_node x = gb_sample(d, z, GB_SAMPLES);
    for (int k = 0; k < 4; k++) {
        double hot[] = {k == 0, k == 1, k == 2, k == 3};
        const gb_node count = gb_sum_event(gb_mul(x, vector(t, 4, hot)), 1);
        if (k == 1 || k == 3)
            assert_follows_law(count, DRAWS, k == 1 ? second_count_law : last_count_law);
        if (k == 2)
            assert_true(gb_value(gb_maximum_over(count, GB_SAMPLES)) == 0);
    }
    assert_true(gb_value(gb_sum_over(gb_abs(gb_shift(gb_sum(x), -40)), GB_SAMPLES)) == 0);
    assert_fine(t);
}

/* The mean of n draws of variance 1e12: seven standard deviations, which are
 * exceeded with probability below 1e-11. */
TEST(rare_events_are_waited_for, .seed = 6)
{
    enum { DRAWS = 10000 };
    gb_tape_set_samples(t, DRAWS);
    const gb_node x = gb_sample(gb_geometric(number(t, 1e-6)), gb_stream(t, "x"), GB_SAMPLES);
    assert_true(fabs(gb_value(gb_mean_over(x, GB_SAMPLES)) / 1e6 - 1) < 7 / sqrt(DRAWS));
    assert_true(isfinite(gb_value(gb_maximum_over(x, GB_SAMPLES))));
    assert_true(gb_value(gb_sample(gb_geometric(number(t, 1)), gb_stream(t, "y"), 0)) == 0);
}

TEST(coupled_draws_share_their_noise, .seed = 7)
{
    const gb_dist d = gb_poisson(gb_num(t, 4));
    const gb_source from = {.noise = gb_stream(t, "z"), .shape = gb_shape(5)};
    gb_node plus, minus;
    assert_true(d.type->couple(&d, 0, 0, &from, &plus, &minus));
    assert_values(gb_sub(plus, minus), 1, 1, 1, 1, 1);
}

/* ---- relaxations ---- */

TEST(relaxed_draws_have_the_derivatives_of_their_formulas, .seed = 8)
{
    enum { DRAWS = 8 };
    double x[DRAWS], slope[DRAWS];
    const gb_node l = gb_variable(t, "l", gb_shape(DRAWS), gb_fill(0.5));
    const gb_node draw =
        gb_rsample(gb_dist_relaxed(gb_bernoulli_logits(l), number(t, 0.7)), gb_stream(t, "z"), 0);
    assert_int_equal(gb_read(draw, x, DRAWS), GB_OK);
    assert_int_equal(gb_read(gb_grad(gb_sum(draw), l), slope, DRAWS), GB_OK);
    for (int i = 0; i < DRAWS; i++)
        assert_close(slope[i], x[i] * (1 - x[i]) / 0.7, 1e3);
    const gb_node logits = gb_variable(t, "logits", gb_shape(2, 3), gb_fill(0));
    const gb_dist hot = gb_dist_relaxed(gb_one_hot_categorical_logits(logits), number(t, 0.7));
    const gb_node y = gb_rsample(hot, gb_stream(t, "y"), 0);
    assert_true(fabs(gb_value(gb_sum(y)) - 2) < 1e-14);
    assert_true(isfinite(gb_value(gb_sum(gb_log_prob(hot, y)))));
    assert_false(gb_dist_can(gb_categorical_logits(logits), GB_CAN_RELAX));
    assert_fine(t);
}

TEST(cold_draws_stay_beside_corners_without_density, .seed = 9, .samples = 100)
{
    const gb_dist d = gb_relaxed_bernoulli(number(t, 1e-6), number(t, 0.5)),
                  h = gb_relaxed_categorical(number(t, 1e-6), vector(t, 2, (double[]){0.5, 0.5}));
    const gb_noise z = gb_stream(t, "z");
    const gb_node x = gb_rsample(d, z, GB_SAMPLES), y = gb_rsample(h, z, GB_SAMPLES);
    const gb_node beside = gb_less(gb_min(x, gb_shift(gb_neg(x), 1)), number(t, 1e-15));
    assert_true(gb_value(gb_sum_over(gb_to_real(beside), GB_SAMPLES)) > 95);
    assert_true(isfinite(gb_value(gb_sum_over(gb_log_prob(d, x), GB_SAMPLES))));
    assert_true(isfinite(gb_value(gb_sum_over(gb_log_prob(h, y), GB_SAMPLES))));
    assert_true(log_prob_at(d, 0) == -INFINITY && log_prob_at(d, 1) == -INFINITY);
    assert_fine(t);
}

/* A relaxation of two categories is that of a single event. */
TEST(relaxed_densities_agree_for_two_categories)
{
    const gb_node temperature = number(t, 0.6);
    const gb_dist one = gb_relaxed_bernoulli(temperature, number(t, 0.25)),
                  two = gb_relaxed_categorical(temperature, vector(t, 2, (double[]){0.25, 0.75}));
    static const double at[] = {0x1p-60, 0.1, 0.5, 0.875, 1 - 0x1p-40};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++)
        assert_close(gb_value(gb_log_prob(two, vector(t, 2, (double[]){at[i], 1 - at[i]}))),
                     log_prob_at(one, at[i]), 64);
}

/* ---- divergences and rejections ---- */

TEST(divergences_need_what_they_are_exact_for)
{
    const gb_node p = number(t, 0.3), n = number(t, 3), more = number(t, 4);
    const gb_node fed = gb_input(t, "n", gb_shape());
    assert_true(gb_has_kl(gb_binomial(fed, p), gb_binomial(fed, p)));
    assert_false(gb_has_kl(gb_binomial(fed, p), gb_binomial(n, p)));
    assert_false(gb_has_kl(gb_binomial(n, p), gb_binomial(more, p)));
    assert_true(gb_value(gb_kl(gb_binomial(more, p), gb_binomial(n, p))) == INFINITY);
    assert_false(gb_has_kl(gb_negative_binomial(n, p), gb_negative_binomial(more, p)));
    const gb_dist three = gb_categorical_logits(gb_zeros(t, gb_shape(3))),
                  two = gb_categorical_logits(gb_zeros(t, gb_shape(2)));
    assert_false(gb_has_kl(three, two));
    assert_fine(t);
}

/* D(y + d, y) = y (t²/2 − t³/6 + t⁴/12 − …), t = d / y: tiny values have all their digits. */
TEST(near_divergences_have_their_digits)
{
    for (double d = 0x1p-40; d < 0x1p-6; d *= 4) {
        const double u = d / 3;
        double should = 0, power = u;
        for (int k = 2; k < 14; k++) {
            power *= u;
            should += (k % 2 ? -3 : 3) * power / (k * (k - 1));
        }
        assert_close(gb_value(gb_kl(gb_poisson(number(t, 3 + d)), gb_poisson(number(t, 3)))), should, 16);
    }
}

TEST(invalid_parameters_are_rejected_by_name)
{
    const gb_node half = number(t, 0.5);
    gb_bernoulli(number(t, 1.5));
    assert_rejected(t, GB_EARGUMENT, "bernoulli: prob is 1.5, and must be between 0 and 1");
    gb_binomial(number(t, 2.5), half);
    assert_rejected(t, GB_EARGUMENT, "binomial: total is 2.5, and must be a whole number");
    gb_geometric(number(t, 0));
    assert_rejected(t, GB_EARGUMENT, "geometric: prob is 0, and must be above 0 and not above 1");
    gb_negative_binomial(half, number(t, 1));
    assert_rejected(t, GB_EARGUMENT, "negative_binomial: prob is 1, and must be not below 0, and below 1");
    gb_categorical(vector(t, 2, (double[]){0.5, 0.6}));
    assert_rejected(t, GB_EARGUMENT, "categorical: probs must be non-negative with a sum of 1");
    gb_categorical_logits(vector(t, 2, (double[]){-INFINITY, -INFINITY}));
    assert_rejected(t, GB_EARGUMENT,
                    "categorical: logits must be below infinity, and not all of them -infinity");
    gb_relaxed_categorical(half, vector(t, 2, (double[]){0, 1}));
    assert_rejected(t, GB_EARGUMENT, "relaxed_categorical: probs is 0, and must be positive");
    assert_fine(t);
}
