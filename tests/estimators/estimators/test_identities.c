/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What cannot fail by chance: estimates are their formulas draw by draw, and sums
 * over all outcomes are exact gradients. */
#include "support/close.h"

#include "core/gradient.h"
#include "distributions/list.h"
#include "estimators/expect.h"
#include "estimators/list.h"
#include "estimators/trial.h"
#include "models/optimiser.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

static const double TARGET = 0.45, TEMPERATURE = 0.5;

static double cost_at(double z)
{
    return (z - TARGET) * (z - TARGET);
}

/* E (z − t)² of one draw, with a gradient in each of its parameters. */
typedef struct drawn {
    gb_tape *t;
    gb_node param[2], draw, gradient[2];
    gb_program *program;
} drawn;

typedef gb_dist family(gb_node a, gb_node b);

static drawn drawn_by(gb_estimator estimator, int samples, family *q, double a, double b)
{
    drawn d = {.t = test_tape(.seed = 21, .samples = samples)};
    gb_expect *e = gb_expect_new(d.t);
    d.param[0] = gb_variable(d.t, "a", gb_shape(), gb_fill(a));
    d.param[1] = gb_variable(d.t, "b", gb_shape(), gb_fill(b));
    d.draw = gb_draw(e, "z", q(d.param[0], d.param[1]), estimator);
    const gb_node loss = gb_expected(e, gb_square(gb_shift(d.draw, -TARGET)));
    for (int i = 0; i < 2; i++)
        d.gradient[i] = gb_grad(loss, d.param[i]);
    d.program = gb_compile(d.t, gb_roots(d.draw, d.gradient[0], d.gradient[1]), gb_no_update);
    assert_fine(d.t);
    return d;
}

/* One run: the draw with its further evaluations, which come first,
 * and the gradient in the first parameter. */
static double run(const drawn *d, size_t values, double *value)
{
    assert_int_equal(gb_run(d->program), GB_OK);
    assert_int_equal(gb_value_count(d->draw), values);
    gb_read(d->draw, value, values);
    return gb_value(d->gradient[0]);
}

static gb_dist normal(gb_node a, gb_node b)
{
    return gb_normal(a, b);
}

static gb_dist bernoulli(gb_node a, gb_node b)
{
    (void)b;
    return gb_bernoulli(a);
}

static gb_dist bernoulli_logits(gb_node a, gb_node b)
{
    (void)b;
    return gb_bernoulli_logits(a);
}

static gb_dist poisson(gb_node a, gb_node b)
{
    (void)b;
    return gb_poisson(a);
}

static gb_dist exponential(gb_node a, gb_node b)
{
    (void)b;
    return gb_exponential(a);
}

/* ---- draw by draw ---- */

/* The draw, and for each parameter a value of either measure. */
TEST(measure_is_a_difference_of_costs)
{
    const struct {
        family *q;
        double a, coefficient[2];
        int params;
    } cases[] = {{normal, 0.6, {1 / (0.8 * sqrt(2 * acos(-1))), 1 / 0.8}, 2},
                 {bernoulli, 0.3, {1}, 1},
                 {poisson, 1.7, {1}, 1},
                 {exponential, 1.3, {1 / 1.3}, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        drawn d = drawn_by(gb_measure_valued(), 1, cases[i].q, cases[i].a, 0.8);
        for (int repeat = 0; repeat < 50; repeat++) {
            double z[5];
            run(&d, 1 + 2 * (size_t)cases[i].params, z);
            for (int k = 0; k < cases[i].params; k++)
                assert_true(near(gb_value(d.gradient[k]),
                                 cases[i].coefficient[k] * (cost_at(z[1 + 2 * k]) - cost_at(z[2 + 2 * k]))));
            if (cases[i].q == bernoulli)
                assert_true(z[1] == 1 && z[2] == 0);
            if (cases[i].q == poisson)
                assert_true(z[1] == z[2] + 1);
        }
    }
}

/* The estimator, which besides hands out what its draw leaves for `combine`. */
static gb_node kept;

static gb_node arm_and_tell(gb_site *site)
{
    const gb_node values = gb_arm_estimator_type.draw(site);
    kept = site->kept[0];
    return values;
}

/* (f(b) − f(b′)) (u − ½), where b = [u > 1 − θ] and b′ = [u < θ]. */
TEST(arm_is_its_formula)
{
    gb_estimator_type type = gb_arm_estimator_type;
    type.draw = arm_and_tell;
    const double phi = -0.7, theta = sigmoid(phi);
    drawn d = drawn_by(gb_estimator_of(&type, NULL), 1, bernoulli_logits, phi, 1);
    gb_program *p = gb_compile(d.t, gb_roots(d.draw, d.gradient[0], kept), gb_no_update);
    int apart = 0;
    for (int repeat = 0; repeat < 100; repeat++) {
        double b[2];
        assert_int_equal(gb_run(p), GB_OK);
        gb_read(d.draw, b, 2);
        const double u = gb_value(kept);
        assert_true(b[0] == (u > 1 - theta) && b[1] == (u < theta));
        assert_true(near(gb_value(d.gradient[0]), (cost_at(b[0]) - cost_at(b[1])) * (u - 0.5)));
        apart += b[0] != b[1];
    }
    assert_true(apart > 20 && apart < 95);
}

static double slope_of_relaxed(double s)
{
    return 2 * (s - TARGET) * s * (1 - s) / TEMPERATURE;
}

/* What REBAR makes of the noise u, by z, and v, by z̃ = ±log(1 + e^…) given b. */
static double rebar_at(double theta, double eta, double b, double relaxed, double conditional)
{
    const double z = TEMPERATURE * log(conditional / (1 - conditional));
    const double moves = b == 1 ? (1 - exp(-z)) * theta : (1 - exp(z)) * (1 - theta);
    return (cost_at(b) - eta * cost_at(conditional)) * (b - theta) +
           eta * (slope_of_relaxed(relaxed) - slope_of_relaxed(conditional) * moves);
}

TEST(rebar_is_its_formula)
{
    const double phi = -0.7, theta = sigmoid(phi), eta = 0.8;
    drawn d = drawn_by(gb_rebar(.eta = eta), 1, bernoulli_logits, phi, 1);
    int ones = 0;
    for (int repeat = 0; repeat < 200; repeat++) {
        double x[3];
        const double g = run(&d, 3, x);
        assert_true(x[0] == (x[1] > 0.5) && x[0] == (x[2] > 0.5));
        assert_true(fabs(g - rebar_at(theta, eta, x[0], x[1], x[2])) <= 1e-11 * (1 + fabs(g)));
        ones += x[0] == 1;
    }
    assert_true(ones > 20 && ones < 180);
}

/* With that formula over all noise, by the midpoint rule, there is no doubt about its mean. */
TEST(the_formula_of_rebar_has_the_mean_of_the_gradient)
{
    enum { POINTS = 1000 };
    const double theta = 0.3, phi = log(theta / (1 - theta)), eta = 0.8;
    double sum = 0;
    for (int i = 0; i < POINTS; i++) {
        const double u = (i + 0.5) / POINTS, z = phi + log(u / (1 - u)), b = z > 0;
        for (int j = 0; j < POINTS; j++) {
            const double v = (j + 0.5) / POINTS, noise = log(v / (1 - v));
            const double given = b == 1 ? log1p(exp(noise) / (1 - theta)) : -log1p(exp(noise) / theta);
            sum += rebar_at(theta, eta, b, sigmoid(z / TEMPERATURE), sigmoid(given / TEMPERATURE));
        }
    }
    const double exact = theta * (1 - theta) * (cost_at(1) - cost_at(0));
    assert_true(fabs(sum / POINTS / POINTS - exact) < 1e-5);
}

/* ---- over all outcomes ---- */

enum { MOST_OUTCOMES = 64, MOST_DRAWS = 6 };

/* Runs until all outcomes of `draws` Bernoullis have come, and sums p(b) ĝ(b):
 * an estimate is a function of its draws. */
static double over_all_outcomes(const drawn *d, size_t draws, double theta)
{
    const size_t outcomes = (size_t)1 << draws;
    double value[MOST_DRAWS], gradient[MOST_OUTCOMES] = {0}, sum = 0;
    bool seen[MOST_OUTCOMES] = {false};
    size_t missing = outcomes;
    for (int repeat = 0; repeat < 20000 && missing > 0; repeat++) {
        const double g = run(d, draws, value);
        double p = 1;
        size_t which = 0;
        for (size_t i = 0; i < draws; i++) {
            p *= value[i] == 1 ? theta : 1 - theta;
            which = 2 * which + (value[i] == 1 ? 1 : 0);
        }
        if (seen[which])
            assert_true(near(g, gradient[which]));
        else
            sum += p * g, missing--;
        seen[which] = true;
        gradient[which] = g;
    }
    assert_int_equal(missing, 0);
    return sum;
}

TEST(sums_over_all_outcomes_are_exact)
{
    const gb_estimator all[] = {gb_score(), gb_score(.baseline = gb_constant_baseline(0.7)),
                                gb_score(.baseline = gb_leave_one_out()), gb_vargrad(),
                                gb_score(.baseline = gb_moving_average())};
    const double theta = 0.3;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (int samples = i == 2 || i == 3 ? 2 : 1; samples <= 5; samples++) {
            drawn d = drawn_by(all[i], samples, bernoulli, theta, 1);
            const double is = over_all_outcomes(&d, (size_t)samples, theta);
            if (!near(is, cost_at(1) - cost_at(0)))
                fail_msg("%zu, of %d samples: %.17g", i, samples, is);
        }
}

/* Both are 0 where 1 − θ > u > θ; only one is 1 elsewhere, if θ < ½. */
TEST(the_sum_over_all_pairs_of_disarm_is_exact)
{
    const double theta = 0.3, phi = log(theta / (1 - theta));
    double sum = 0;
    bool seen[4] = {false};
    drawn d = drawn_by(gb_disarm(), 1, bernoulli_logits, phi, 1);
    for (int repeat = 0; repeat < 200; repeat++) {
        double b[2];
        const double g = run(&d, 2, b);
        const int which = 2 * (b[0] == 1) + (b[1] == 1);
        sum += seen[which] ? 0 : g * (which == 0 ? 1 - 2 * theta : theta);
        seen[which] = true;
    }
    assert_true(seen[0] && seen[1] && seen[2] && !seen[3]);
    assert_true(near(sum, theta * (1 - theta) * (cost_at(1) - cost_at(0))));
}

/* ---- a learned eta ---- */

/* The variance of the gradient by rebar, after it has learned, of a cost that is nearly −(h + level). */
static double variance_of_rebar(double level)
{
    enum { LEARN = 3000, RUNS = 3000 };
    double sum = 0, squares = 0;
    gb_tape *const t = test_tape(.seed = 5, .samples = 1);
    gb_expect *const e = gb_expect_new(t);
    /* a variable that hardly moves the logits, so that all but them is learned */
    const gb_node still = gb_scale(gb_variable(t, "still", gb_shape(3), gb_fill(0)), 1e-9);
    const gb_node logits = gb_shift(still, 0.2);
    const gb_node z = gb_draw(e, "z", gb_bernoulli_logits(logits), gb_rebar(.learn = true));
    const gb_node h = gb_square(gb_shift(gb_sum(z), -1.2));
    const gb_node cost = gb_neg(gb_sqrt(gb_shift(gb_scale(h, 2 * level), level * level)));
    const gb_node loss = gb_expected(e, cost), slope = gb_sum(gb_grad(loss, logits));
    gb_program *const p = gb_compile(t, gb_roots(slope), gb_minimise(loss, gb_sgd(.lr = 1e-2)));
    for (int run = 0; run < LEARN + RUNS; run++) {
        assert_int_equal(gb_run(p), GB_OK);
        const double x = run < LEARN ? 0 : gb_value(slope);
        sum += x;
        squares += x * x;
    }
    return squares / RUNS - sum / RUNS * sum / RUNS;
}

/* The level is subtracted from the cost, and from its control variate as well. */
TEST(the_level_of_the_cost_is_nothing_to_rebar_once_it_has_learned)
{
    (void)t;
    const double low = variance_of_rebar(100), high = variance_of_rebar(21000);
    if (!(low > 0.5 && low < 2 && high > 0.5 * low && high < 2 * low))
        fail_msg("the variance is %g, and %g at a lower level", high, low);
}
