/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Continuous distributions of numbers, and what stands for numbers:
 * what is peculiar to each, and gradients. */
#include "support/close.h"

#include "core/gradient.h"
#include "core/program.h"
#include "distributions/kl.h"
#include "distributions/list.h"
#include "distributions/transforms.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

enum { PARAMS = 4 };

typedef struct law {
    const gb_dist_type *type;
    double param[PARAMS];
    double at[3]; /* values inside the support */
} law;

static const law laws[] = {
    {&gb_normal_type, {0.5, 2}, {-3, 0.1, 7}},
    {&gb_lognormal_type, {0.5, 0.7}, {1e-3, 0.8, 20}},
    {&gb_half_normal_type, {1.5}, {1e-3, 0.8, 9}},
    {&gb_truncated_normal_type, {0.5, 2, -1, 3}, {-0.9, 0.5, 2.5}},
    {&gb_truncated_normal_type, {0, 1, 40, 41}, {40.001, 40.02, 40.7}},
    {&gb_truncated_normal_type, {0, 1, -41, -40}, {-40.001, -40.02, -40.7}},
    {&gb_truncated_normal_type, {0, 1, 2, 2.001}, {2.0001, 2.0005, 2.0009}},
    {&gb_truncated_normal_type, {0, 1, -0.002, 0.001}, {-0.0015, 0.0002, 0.0009}},
    {&gb_truncated_normal_type, {0, 1, -30, 4}, {-20, 1, 3.9}},
    {&gb_student_t_type, {3.5, 0.5, 2}, {-30, 0.6, 4}},
    {&gb_student_t_type, {700, 0.5, 2}, {-30, 0.6, 4}},
    {&gb_beta_type, {2.5, 0.7}, {1e-3, 0.6, 0.99}},
    {&gb_beta_type, {50, 70}, {0.3, 0.41, 0.6}},
    {&gb_cauchy_type, {0.5, 2}, {-1e3, 0.6, 4}},
    {&gb_half_cauchy_type, {2}, {1e-3, 0.6, 1e4}},
    {&gb_laplace_type, {0.5, 2}, {-30, 0.6, 4}},
    {&gb_logistic_type, {0.5, 2}, {-90, 0.6, 4}},
    {&gb_gumbel_type, {0.5, 2}, {-7, 0.6, 50}},
    {&gb_uniform_type, {-0.5, 2}, {-0.4, 0.6, 1.9}},
    {&gb_exponential_type, {2.5}, {1e-3, 0.6, 9}},
    {&gb_scale_mixture_type, {0.3, 2, 0.1}, {-9, 0.05, 0.5}},
    {&gb_spike_and_slab_type, {0.3, 0.5, 2}, {-9, 0, 0.5}},
};
enum { LAWS = sizeof laws / sizeof *laws };

typedef struct made {
    gb_tape *tape;
    gb_dist dist;
    gb_node param[PARAMS];
    size_t count;
} made;

static made make(const law *l, size_t moved, double step)
{
    made m = {.tape = gb_tape_new(.seed = 5, .threads = 1)};
    for (; m.count < PARAMS && l->type->param[m.count].name; m.count++)
        m.param[m.count] = gb_variable(m.tape, l->type->param[m.count].name, gb_shape(),
                                       gb_fill(l->param[m.count] + (m.count == moved ? step : 0)));
    m.dist = gb_dist_of(l->type, m.param);
    return m;
}

static double log_prob_of(const law *l, size_t moved, double step, double x)
{
    const made m = make(l, moved, step);
    const double value = gb_value(gb_log_prob(m.dist, gb_num(m.tape, x)));
    gb_tape_free(m.tape);
    return value;
}

static void assert_near_for(double is, double should, double size, const char *what)
{
    if (!(fabs(is - should) <= size))
        fail_msg("%s: %.15g, should be %.15g", what, is, should);
}

/* By four points around. `which`: a parameter, or PARAMS: the value. */
static double difference(const law *l, size_t which, double x, double h)
{
    double at[4];
    for (int i = 0; i < 4; i++) {
        const double step = h * (i < 2 ? i - 2 : i - 1);
        at[i] = log_prob_of(l, which, step, which == PARAMS ? x + step : x);
    }
    return (at[0] - 8 * at[1] + 8 * at[2] - at[3]) / (12 * h);
}

static void assert_slope(const law *l, size_t which, double x, double slope)
{
    const double size = fabs(which == PARAMS ? x : l->param[which]);
    const double should = difference(l, which, x, 1e-5 * fmin(1, size + (which == PARAMS ? 0 : 1e-2)));
    assert_near_for(slope, should, 1e-6 * fmax(1, fabs(slope)), l->type->name);
}

TEST(gradients_of_densities_are_differences)
{
    for (size_t k = 0; k < LAWS; k++)
        for (size_t j = 0; j < 3; j++) {
            const law *l = &laws[k];
            const made m = make(l, PARAMS, 0);
            const gb_node x = gb_variable(m.tape, "x", gb_shape(), gb_fill(l->at[j]));
            const gb_node log_p = gb_log_prob(m.dist, x);
            for (size_t i = 0; i < m.count; i++)
                assert_slope(l, i, l->at[j], gb_value(gb_grad(log_p, m.param[i])));
            if (l->at[j] != 0)
                assert_slope(l, PARAMS, l->at[j], gb_value(gb_grad(log_p, x)));
            assert_fine(m.tape);
            gb_tape_free(m.tape);
        }
}

/* At a fixed rank F(x; θ): dx/dθ = −(∂F/∂θ) / density. */
TEST(draws_move_along_their_quantiles)
{
    for (size_t k = 0; k < LAWS; k++) {
        const law *l = &laws[k];
        const made m = make(l, PARAMS, 0);
        const bool can = gb_dist_can(m.dist, GB_CAN_RSAMPLE);
        const gb_node draw = can ? gb_rsample(m.dist, gb_stream(m.tape, "x"), 0) : gb_num(m.tape, 0);
        const double at = gb_value(draw);
        const gb_node x = gb_variable(m.tape, "at", gb_shape(), gb_fill(at)), cdf = gb_cdf(m.dist, x);
        const double density = exp(gb_value(gb_log_prob(m.dist, x)));
        for (size_t i = 0; can && i < m.count; i++) {
            const double slope = gb_value(gb_grad(draw, m.param[i]));
            const double should = -gb_value(gb_grad(cdf, m.param[i])) / density;
            assert_near_for(slope, should, 1e-8 * fmax(1, fabs(slope)), l->type->name);
        }
        if (can)
            assert_near_for(gb_value(gb_grad(cdf, x)), density, 1e-9 * density, l->type->name);
        assert_fine(m.tape);
        gb_tape_free(m.tape);
    }
}

static double deviation_of_slope(gb_dist (*law_of)(gb_node parameter), double at)
{
    enum { DRAWS = 20000 };
    double *const slope = malloc(DRAWS * sizeof *slope), sum = 0, squares = 0;
    gb_tape *const tape = test_tape(.seed = 3);
    const gb_node parameter = gb_variable(tape, "parameter", gb_shape(DRAWS), gb_fill(at));
    const gb_node draw = gb_rsample(law_of(parameter), gb_stream(tape, "x"), 0);
    assert_int_equal(gb_read(gb_grad(gb_sum(gb_square(draw)), parameter), slope, DRAWS), GB_OK);
    for (int i = 0; i < DRAWS; i++) {
        sum += slope[i] / DRAWS;
        squares += slope[i] * slope[i] / DRAWS;
    }
    free(slope);
    return sqrt(squares - sum * sum);
}

static gb_dist beta_of(gb_node alpha)
{
    return gb_beta(alpha, gb_num(alpha.tape, 0.5));
}

static gb_dist student_t_of(gb_node df)
{
    return gb_student_t(df, gb_num(df.tape, 0), gb_num(df.tape, 1));
}

/* By composition of gamma and normal draws, it is 0.48 for beta(½, ½), 0.012 and 6.7e-5 for student_t. */
TEST(implicit_gradients_vary_less_than_those_by_composition)
{
    assert_near_for(deviation_of_slope(beta_of, 0.5), 0.36, 0.03, "beta");
    assert_near_for(deviation_of_slope(student_t_of, 30), 0.0080, 0.001, "student_t");
    assert_near_for(deviation_of_slope(student_t_of, 700), 1.14e-5, 1e-6, "student_t");
}

/* Ranks of draws are uniform. By the inequality of Dvoretzky, Kiefer, Wolfowitz and Massart, a right
 * sampler fails with a probability below 1e-9. */
TEST(draws_follow_their_distribution_functions)
{
    enum { DRAWS = 50000 };
    double *const rank = malloc(DRAWS * sizeof *rank);
    for (size_t k = 0; k < LAWS; k++) {
        if (laws[k].type == &gb_spike_and_slab_type)
            continue;
        const made m = make(&laws[k], PARAMS, 0);
        gb_tape_set_samples(m.tape, DRAWS);
        const gb_node draws = gb_sample(m.dist, gb_stream(m.tape, "x"), GB_SAMPLES);
        assert_int_equal(gb_read(gb_cdf(m.dist, draws), rank, DRAWS), GB_OK);
        qsort(rank, DRAWS, sizeof *rank, ascending);
        double worst = 0;
        for (int i = 0; i < DRAWS; i++)
            worst = fmax(worst, fabs(rank[i] - (i + 0.5) / DRAWS) + 0.5 / DRAWS);
        assert_near_for(worst, 0, sqrt(log(2 / 1e-9) / (2.0 * DRAWS)), laws[k].type->name);
        gb_tape_free(m.tape);
    }
    free(rank);
}

static double student_slope_of_df(double df, int64_t draws)
{
    gb_tape *const t = test_tape(.seed = 9, .samples = draws);
    const gb_node v = gb_variable(t, "df", gb_shape(), gb_fill(df));
    const gb_dist d = gb_student_t(v, gb_num(t, 0), gb_num(t, 1));
    const gb_node x = gb_rsample(d, gb_stream(t, "x"), GB_SAMPLES);
    const double slope = gb_value(gb_grad(gb_mean_over(gb_square(x), GB_SAMPLES), v));
    return slope;
}

/* E[x²] = df / (df − 2); of 200,000 draws, the mean of slopes is within 8 of
 * its standard deviations (about 5e-5). */
TEST(a_student_draw_has_the_gradient_of_its_degrees_of_freedom)
{
    assert_near_for(student_slope_of_df(12, 200000), -2.0 / 100, 4e-4, "student_t");
}

/* ---- measure-valued derivatives ---- */

static double by_measure(const law *l, size_t which, bool coupled)
{
    enum { DRAWS = 400000 };
    const made m = make(l, PARAMS, 0);
    gb_measure of;
    gb_node plus, minus;
    gb_tape_set_samples(m.tape, DRAWS);
    const gb_noise noise = gb_stream(m.tape, "x");
    assert_true(gb_dist_measure(m.dist, which, 0, &of));
    if (coupled) {
        const gb_source from = {noise, gb_shape(), GB_SAMPLES};
        assert_true(l->type->couple(&m.dist, which, 0, &from, &plus, &minus));
    } else {
        plus = gb_sample(of.plus, noise, GB_SAMPLES);
        minus = gb_sample(of.minus, noise, GB_SAMPLES);
    }
    const gb_node gap = gb_sub(gb_cos(plus), gb_cos(minus));
    const double value = gb_value(gb_mul(of.coefficient, gb_mean_over(gap, GB_SAMPLES)));
    assert_fine(m.tape);
    gb_tape_free(m.tape);
    return value;
}

/* Of cos: in [−1, 1], so that by Hoeffding's inequality the mean of 400,000 differences is within 0.0206
 * times the coefficient with a probability above 1 − 1e-9. */
TEST(differences_of_measures_are_derivatives)
{
    static const law normal = {&gb_normal_type, {0.5, 0.8}, {0}},
                     exponential = {&gb_exponential_type, {1.5}, {0}},
                     uniform = {&gb_uniform_type, {-0.5, 2}, {0}};
    const double loc = -sin(0.5) * exp(-0.32),
                 scale = -0.8 * cos(0.5) * exp(-0.32);   /* of cos(loc) e^(−scale²/2) */
    const double rate = 2 * 1.5 / pow(1 + 1.5 * 1.5, 2); /* of rate² / (1 + rate²) */
    const double bound = 0.0206;
    for (int coupled = 0; coupled < 2; coupled++) {
        assert_near_for(by_measure(&normal, 0, coupled), loc, bound * 0.5, "normal loc");
        assert_near_for(by_measure(&normal, 1, coupled), scale, bound / 0.8, "normal scale");
        assert_near_for(by_measure(&exponential, 0, coupled), rate, bound / 1.5, "exponential rate");
    }
    const double average = (sin(2) - sin(-0.5)) / 2.5;
    assert_near_for(by_measure(&uniform, 0, false), (average - cos(-0.5)) / 2.5, bound / 2.5, "uniform low");
    assert_near_for(by_measure(&uniform, 1, false), (cos(2) - average) / 2.5, bound / 2.5, "uniform high");
}

/* ---- identities ---- */

static double value_of(gb_node x)
{
    return gb_value(x);
}

TEST(a_student_of_one_degree_is_a_cauchy)
{
    const gb_node loc = gb_num(t, 0.5), scale = gb_num(t, 2);
    const gb_dist student = gb_student_t(gb_num(t, 1), loc, scale), cauchy = gb_cauchy(loc, scale);
    for (double x = -300; x < 300; x = x / 2 + 20 + (x > 20) * x) {
        const gb_node at = gb_num(t, x), u = gb_num(t, (x + 301) / 1000);
        assert_close(value_of(gb_log_prob(student, at)), value_of(gb_log_prob(cauchy, at)), 16);
        assert_close(value_of(gb_cdf(student, at)), value_of(gb_cdf(cauchy, at)), 64);
        assert_close(value_of(gb_icdf(student, u)), value_of(gb_icdf(cauchy, u)), 256);
    }
    assert_close(value_of(gb_dist_entropy(student)), value_of(gb_dist_entropy(cauchy)), 16);
}

TEST(a_normal_without_skew_is_a_normal_and_with_all_of_it_half_of_one)
{
    const gb_node zero = gb_num(t, 0), two = gb_num(t, 2), all = gb_num(t, 1e300);
    for (double x = -9; x < 10; x += 1.5) {
        const gb_node at = gb_num(t, x);
        const double plain = gb_value(gb_log_prob(gb_normal(zero, two), at));
        assert_close(gb_value(gb_log_prob(gb_skew_normal(zero, two, zero), at)), plain, 8);
        if (x > 0)
            assert_close(gb_value(gb_log_prob(gb_skew_normal(zero, two, all), at)), plain + log(2), 8);
    }
    assert_close(gb_value(gb_dist_mean(gb_skew_normal(zero, two, all))), 2 * sqrt(2 / GB_PI), 4);
    assert_fine(t);
}

TEST(a_normal_truncated_nowhere_is_a_normal_and_at_its_loc_half_of_one)
{
    const gb_node zero = gb_num(t, 0), two = gb_num(t, 2), end = gb_num(t, INFINITY), x = gb_num(t, 0.7);
    const gb_dist nowhere = gb_truncated_normal(zero, two, gb_neg(end), end), normal = gb_normal(zero, two);
    const gb_dist half = gb_truncated_normal(zero, two, zero, end), half_normal = gb_half_normal(two);
    assert_close(value_of(gb_log_prob(nowhere, x)), value_of(gb_log_prob(normal, x)), 8);
    assert_close(value_of(gb_dist_entropy(nowhere)), value_of(gb_dist_entropy(normal)), 8);
    assert_close(value_of(gb_log_prob(half, x)), value_of(gb_log_prob(half_normal, x)), 8);
    assert_close(value_of(gb_cdf(half, x)), value_of(gb_cdf(half_normal, x)), 16);
    assert_close(value_of(gb_dist_variance(half)), value_of(gb_dist_variance(half_normal)), 16);
    assert_fine(t);
}

/* Both ends are rounded alike in units of the scale. */
TEST(next_to_an_end_far_out_almost_nothing_lies)
{
    const gb_node scale = gb_num(t, 0.3), zero = gb_num(t, 0), high = gb_num(t, 40), x = gb_num(t, 1e-300);
    assert_true(value_of(gb_cdf(gb_truncated_normal(high, scale, zero, high), x)) == 0);
    const double near = value_of(gb_cdf(gb_truncated_normal(gb_num(t, 3), scale, zero, high), x));
    assert_close(near, 1e-300 / 0.3 * exp(-50) / sqrt(2 * GB_PI), 1e4); /* the density at the end, times x */
}

TEST(a_truncated_normal_is_reached_between_its_ends)
{
    const gb_node zero = gb_num(t, 0), one = gb_num(t, 1), end = gb_num(t, INFINITY), x = gb_num(t, -3);
    const gb_node low[] = {gb_neg(end), gb_neg(end), one, zero}, high[] = {end, one, end, one};
    const double from[] = {-INFINITY, -INFINITY, 1, 0}, to[] = {INFINITY, 1, INFINITY, 1};
    for (int i = 0; i < 4; i++) {
        const gb_transform reach = gb_dist_reach(gb_truncated_normal(zero, one, low[i], high[i]));
        const gb_node y = gb_transform_forward(reach, x);
        assert_true(value_of(y) > from[i] && value_of(y) < to[i]);
        assert_close(value_of(gb_transform_inverse(reach, y)), -3, 64);
    }
}

/* ---- what is no density ---- */

TEST(a_value_of_zero_is_the_spike)
{
    const gb_dist d = gb_spike_and_slab(gb_num(t, 0.25), gb_num(t, 1), gb_num(t, 2));
    const gb_node x = gb_constant(t, gb_shape(3), GB_VALUES(-1e-300, 0, 1e-300));
    double at[3], cdf[3];
    assert_int_equal(gb_read(gb_log_prob(d, x), at, 3), GB_OK);
    assert_int_equal(gb_read(gb_cdf(d, x), cdf, 3), GB_OK);
    assert_close(at[1], log(0.75), 4);
    assert_close(at[0], at[2], 1);
    assert_true(at[0] < log(0.25));
    assert_close(cdf[1] - cdf[0], 0.75, 4);
}

TEST(a_point_mass_carries_the_gradient_of_its_value, .samples = 3)
{
    const gb_node value = gb_variable(t, "value", gb_shape(2), GB_VALUES(0.5, -1));
    const gb_dist q = gb_point_mass(value), p = gb_normal(gb_num(t, 0), gb_num(t, 1));
    const gb_node draw = gb_rsample(q, gb_stream(t, "x"), GB_SAMPLES);
    assert_true(gb_node_axes(draw) == GB_SAMPLES);
    assert_values(gb_grad(gb_sum(gb_mean_over(draw, GB_SAMPLES)), value), 1, 1);
    assert_values(gb_log_prob(q, gb_num(t, 0.5)), 0, -INFINITY);
    assert_values(gb_cdf(q, gb_num(t, 0.7)), 1, 1);
    assert_values(gb_cdf(q, gb_num(t, -0.7)), 0, 1);
    assert_values(gb_grad(gb_sum(gb_kl(q, p)), value), 0.5, -1);
    assert_values(gb_kl(q, q), 0, 0);
    assert_non_null(gb_kl_find(q, p)->note);
    const gb_dist vectors = gb_independent(p, 0);
    assert_false(gb_dist_ok(vectors));
    gb_forgive(t);
    const gb_dist many = gb_independent(gb_normal(gb_zeros(t, gb_shape(2)), gb_num(t, 1)), 1);
    assert_false(gb_has_kl(q, many));
    assert_true(gb_has_kl(gb_independent(q, 1), many));
    assert_fine(t);
}

TEST(dropout_masks_weights_and_has_the_divergence_of_gal, .seed = 2)
{
    enum { DRAWS = 1000 };
    double draws[DRAWS];
    int kept = 0;
    gb_tape_set_samples(t, DRAWS);
    const gb_node weight = gb_variable(t, "weight", gb_shape(), gb_fill(1.5)), keep = gb_num(t, 0.8),
                  learned = gb_variable(t, "keep", gb_shape(), gb_fill(0.8));
    const gb_dist q = gb_bernoulli_dropout(weight, keep), p = gb_normal(gb_num(t, 0), gb_num(t, 2));
    const gb_node draw = gb_rsample(q, gb_stream(t, "x"), GB_SAMPLES);
    assert_int_equal(gb_read(draw, draws, DRAWS), GB_OK);
    for (int i = 0; i < DRAWS; i++) {
        assert_true(draws[i] == 0 || draws[i] == 1.5);
        kept += draws[i] != 0;
    }
    assert_in_range(kept, 700, 900); /* 8 standard deviations to either side */
    assert_close(value_of(gb_grad(gb_mean_over(draw, GB_SAMPLES), weight)), kept / (double)DRAWS, 64);
    const double mask = -0.8 * log(0.8) - 0.2 * log(0.2);
    assert_close(value_of(gb_kl(q, p)), 0.4 * 1.5 * 1.5 / 4 + log(2) - mask, 16);
    assert_non_null(gb_kl_find(q, p)->note);
    gb_rsample(gb_bernoulli_dropout(weight, learned), gb_stream(t, "y"), GB_SAMPLES);
    assert_rejected(t, GB_EARGUMENT, "bernoulli_dropout: there is no reparameterised sampler");
}

/* Two units with three weights each: one mask for all weights of a unit, and one entropy. */
TEST(units_are_dropped_as_a_whole, .seed = 2)
{
    enum { DRAWS = 200 };
    double x[DRAWS * 6], log_q[DRAWS * 2];
    int differ = 0;
    gb_tape_set_samples(t, DRAWS);
    const gb_node weight = gb_constant(t, gb_shape(2, 3), GB_VALUES(1, -2, 3, 4, 0, -6)),
                  keep = gb_constant(t, gb_shape(2), GB_VALUES(0.8, 0.3));
    const gb_dist q = gb_unit_dropout(weight, keep);
    const gb_dist p = gb_independent(gb_normal(gb_num(t, 0), gb_constant(t, gb_shape(2, 3), gb_fill(2))), 1);
    const gb_node draw = gb_rsample(q, gb_stream(t, "x"), GB_SAMPLES);
    assert_int_equal(gb_read(draw, x, DRAWS * 6), GB_OK);
    assert_int_equal(gb_read(gb_log_prob(q, draw), log_q, DRAWS * 2), GB_OK);
    for (int i = 0; i < DRAWS; i++) {
        const bool first = x[6 * i] != 0, second = x[6 * i + 3] != 0;
        assert_true(x[6 * i + 1] == (first ? -2 : 0) && x[6 * i + 2] == (first ? 3 : 0));
        assert_true(x[6 * i + 4] == 0 && x[6 * i + 5] == (second ? -6 : 0));
        assert_close(log_q[2 * i], log(first ? 0.8 : 0.2), 8);
        assert_close(log_q[2 * i + 1], log(second ? 0.3 : 0.7), 8);
        differ += first != second;
    }
    assert_in_range(differ, 60, 190); /* of 200, with the mean 124: beyond 9 standard deviations */
    double kl[2];
    const double of_first = -0.8 * log(0.8) - 0.2 * log(0.2), of_second = -0.3 * log(0.3) - 0.7 * log(0.7);
    assert_int_equal(gb_read(gb_kl(q, p), kl, 2), GB_OK);
    assert_close(kl[0], 0.8 * 14 / 8 + 3 * log(2) - of_first, 16);
    assert_close(kl[1], 0.3 * 52 / 8 + 3 * log(2) - of_second, 16);
    const gb_node mixed = gb_constant(t, gb_shape(3), GB_VALUES(1, 0, 3));
    assert_values(gb_log_prob(q, mixed), -INFINITY, -INFINITY);
}

TEST(divergences_vanish_where_both_are_the_same)
{
    for (size_t k = 0; k < LAWS; k++) {
        const made m = make(&laws[k], PARAMS, 0);
        if (gb_has_kl(m.dist, m.dist))
            assert_near_for(gb_value(gb_kl(m.dist, m.dist)), 0, 1e-15, laws[k].type->name);
        assert_fine(m.tape);
        gb_tape_free(m.tape);
    }
}

TEST(ends_that_are_not_in_order_are_rejected)
{
    const gb_node zero = gb_num(t, 0), one = gb_num(t, 1), end = gb_num(t, INFINITY);
    gb_uniform(one, one);
    assert_rejected(t, GB_EARGUMENT, "uniform: high is 1, and must be above low");
    gb_truncated_normal(zero, one, end, end);
    assert_rejected(t, GB_EARGUMENT, "truncated_normal: high is inf, and must be above low");
    const gb_node low = gb_variable(t, "low", gb_shape(), gb_fill(2));
    gb_value(gb_log_prob(gb_truncated_normal(zero, one, low, one), one));
    assert_rejected(t, GB_EARGUMENT, "truncated_normal: high is 1, and must be above low");
    assert_true(isfinite(gb_value(gb_log_prob(gb_truncated_normal(zero, one, low, end), gb_num(t, 3)))));
    assert_fine(t);
}
