/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Estimators by way of relaxed draws: formulas draw by draw, the bias that
 * is known of them, and what they learn. */
#include "support/close.h"

#include "core/gradient.h"
#include "distributions/list.h"
#include "estimators/expect.h"
#include "estimators/learn.h"
#include "estimators/list.h"
#include "estimators/moments.h"
#include "estimators/trial.h"
#include "models/optimiser.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

enum { SAMPLES = 1000 };
static const double THETA = 0.3, TARGET = 0.45, TEMPERATURE = 0.5;

static double logit(double p)
{
    return log(p / (1 - p));
}

/* E (b − t)² of one Bernoulli. */
typedef struct toy {
    gb_tape *t;
    gb_expect *e;
    gb_node phi, draw, loss, gradient;
    gb_program *program;
} toy;

static toy toy_by(gb_estimator estimator, int samples)
{
    toy c = {.t = test_tape(.seed = 11, .samples = samples)};
    c.e = gb_expect_new(c.t);
    c.phi = gb_variable(c.t, "phi", gb_shape(), gb_fill(logit(THETA)));
    c.draw = gb_draw(c.e, "b", gb_bernoulli_logits(c.phi), estimator);
    c.loss = gb_expected(c.e, gb_square(gb_shift(c.draw, -TARGET)));
    c.gradient = gb_grad(c.loss, c.phi);
    c.program = gb_compile(c.t, gb_roots(c.draw, c.loss, c.gradient), gb_no_update);
    assert_fine(c.t);
    return c;
}

/* ---- draw by draw ---- */

TEST(a_relaxed_draw_has_the_gradient_of_its_formula)
{
    toy c = toy_by(gb_relaxed_draws(.temperature = 0.7), 1);
    for (int run = 0; run < 50; run++) {
        assert_int_equal(gb_run(c.program), GB_OK);
        const double s = gb_value(c.draw);
        assert_true(s > 0 && s < 1);
        assert_true(near(gb_value(c.loss), (s - TARGET) * (s - TARGET)));
        assert_true(near(gb_value(c.gradient), 2 * (s - TARGET) * s * (1 - s) / 0.7));
    }
}

TEST(straight_through_has_the_nearest_value_and_the_relaxed_derivative)
{
    int ones = 0;
    toy relaxed = toy_by(gb_relaxed_draws(), 1), hard = toy_by(gb_straight_through(), 1);
    for (int run = 0; run < 50; run++) {
        assert_int_equal(gb_run(relaxed.program), GB_OK);
        assert_int_equal(gb_run(hard.program), GB_OK);
        const double s = gb_value(relaxed.draw), b = gb_value(hard.draw);
        assert_true(b == (s > 0.5));
        assert_true(near(gb_value(hard.gradient), 2 * (b - TARGET) * s * (1 - s) / TEMPERATURE));
        ones += b == 1;
    }
    assert_true(ones > 3 && ones < 40);
}

static const double COSTS[] = {0.5, -1, 2}, LOGITS[] = {0.3, -0.4, 0.1};

typedef struct category {
    gb_tape *t;
    gb_node logits, draw, gradient;
    gb_program *program;
} category;

/* E Σ c x² of a one-hot vector. */
static category category_by(gb_estimator estimator, int samples)
{
    category c = {.t = test_tape(.seed = 12, .samples = samples)};
    gb_expect *e = gb_expect_new(c.t);
    c.logits = gb_variable(c.t, "logits", gb_shape(3), gb_values_of(LOGITS, 3));
    c.draw = gb_draw(e, "x", gb_one_hot_categorical_logits(c.logits), estimator);
    const gb_node costs = gb_constant(c.t, gb_shape(3), gb_values_of(COSTS, 3));
    c.gradient = gb_grad(gb_expected(e, gb_sum(gb_mul(costs, gb_square(c.draw)))), c.logits);
    c.program = gb_compile(c.t, gb_roots(c.draw, c.gradient), gb_no_update);
    assert_fine(c.t);
    return c;
}

/* ∂x_j/∂logit_k = x_j (δ − x_k) / t, at the relaxed x; the slope of the cost is at the draw. */
TEST(one_among_several_is_relaxed_to_a_softmax)
{
    double x[3], b[3], of_relaxed[3], of_hard[3];
    category relaxed = category_by(gb_relaxed_draws(), 1), hard = category_by(gb_straight_through(), 1);
    for (int run = 0; run < 30; run++) {
        assert_int_equal(gb_run(relaxed.program), GB_OK);
        assert_int_equal(gb_run(hard.program), GB_OK);
        gb_read(relaxed.draw, x, 3), gb_read(relaxed.gradient, of_relaxed, 3);
        gb_read(hard.draw, b, 3), gb_read(hard.gradient, of_hard, 3);
        assert_true(near(x[0] + x[1] + x[2], 1) && b[0] + b[1] + b[2] == 1);
        for (int k = 0; k < 3; k++) {
            double soft = 0, through = 0;
            assert_true(b[k] == (x[k] >= fmax(x[0], fmax(x[1], x[2]))));
            for (int j = 0; j < 3; j++) {
                const double slope = x[j] * ((j == k) - x[k]) / TEMPERATURE;
                soft += 2 * COSTS[j] * x[j] * slope;
                through += 2 * COSTS[j] * b[j] * slope;
            }
            assert_true(near(of_relaxed[k], soft) && near(of_hard[k], through));
        }
    }
}

/* What RELAX hands to a surrogate: z, and z given b. */
typedef struct captured {
    gb_node factor, z[2];
    int count;
} captured;

static gb_node surrogate(const gb_site *site, gb_node z, const void *user)
{
    captured *const c = (captured *)(uintptr_t)user;
    (void)site;
    c->z[c->count++ % 2] = z;
    return gb_mul(c->factor, gb_tanh(z));
}

/* (f − c(z̃)) (b − θ) + c′(z) − c′(z̃) ∂z̃/∂φ, where z̃ = log(1 + e^…) moves by (1 − e^−z̃) θ if b is 1. */
TEST(relax_is_its_formula_draw_by_draw, .seed = 5)
{
    captured c = {.count = 0};
    gb_expect *e = gb_expect_new(t);
    const gb_node phi = gb_variable(t, "phi", gb_shape(), gb_fill(logit(THETA)));
    c.factor = gb_variable(t, "factor", gb_shape(), gb_fill(0.8));
    const gb_node b = gb_draw(e, "b", gb_bernoulli_logits(phi),
                              gb_relax(.surrogate = surrogate, .user = &c, .in_cost_unit = true));
    const gb_node loss = gb_expected(e, gb_square(gb_shift(b, -TARGET))), g = gb_grad(loss, phi);
    assert_fine(t);
    assert_int_equal(c.count, 2);
    gb_program *p = gb_compile(t, gb_roots(b, g, c.z[0], c.z[1]), gb_no_update);
    for (int run = 0; run < 50; run++) {
        assert_int_equal(gb_run(p), GB_OK);
        const double z = gb_value(c.z[0]), given = gb_value(c.z[1]), draw = gb_value(b);
        assert_true(draw == (z > 0) && draw == (given > 0));
        const double slope = 0.8 * (1 - tanh(z) * tanh(z)), slope_given = 0.8 * (1 - pow(tanh(given), 2));
        const double moves = draw == 1 ? (1 - exp(-given)) * THETA : (1 - exp(given)) * (1 - THETA);
        const double rest = pow(draw - TARGET, 2) - 0.8 * tanh(given);
        assert_true(near(gb_value(g), rest * (draw - THETA) + slope - slope_given * moves));
    }
    const gb_learned learned = lowered_in(loss);
    assert_true(learned.count == 1 && gb_node_same(learned.variable[0], c.factor));
}

/* ---- means ---- */

/* By the midpoint rule over the uniform that a draw comes from. */
static double concrete_mean(void)
{
    enum { POINTS = 400000 };
    double sum = 0;
    for (int i = 0; i < POINTS; i++) {
        const double s = sigmoid((logit(THETA) + logit((i + 0.5) / POINTS)) / TEMPERATURE);
        sum += 2 * (s - TARGET) * s * (1 - s) / TEMPERATURE / POINTS;
    }
    return sum;
}

/* Two tests. */
TEST(the_known_bias_of_the_relaxation_is_seen)
{
    moments m;
    toy c = toy_by(gb_relaxed_draws(.temperature = TEMPERATURE), SAMPLES);
    collect(c.program, 1500, 1, &c.gradient, &m);
    const double exact = THETA * (1 - THETA) * (pow(1 - TARGET, 2) - pow(TARGET, 2)),
                 bound = z_bound(1e-6, 2);
    assert_true(fabs(concrete_mean() - -0.00769) < 1e-5 && fabs(exact - 0.0210) < 1e-5);
    assert_true(sees_what_it_must(&m, exact, SAMPLES));
    assert_true(fabs(m.mean - concrete_mean()) < bound * m.mean_error);
    assert_true(fabs(m.mean - exact) > bound * m.mean_error);
}

/* Two times two and, of a category, two times three tests. */
TEST(rebar_and_relax_are_unbiased)
{
    const double exact = THETA * (1 - THETA) * (pow(1 - TARGET, 2) - pow(TARGET, 2)),
                 bound = z_bound(1e-6, 10);
    captured constant = {.count = 0};
    for (int i = 0; i < 4; i++) {
        const gb_estimator all[] = {gb_rebar(), gb_rebar(.eta = 0.3, .temperature = 2), gb_relax(),
                                    gb_relax(.surrogate = surrogate, .user = &constant)};
        moments m;
        gb_tape *const tape = test_tape(.seed = 11, .samples = SAMPLES);
        gb_expect *e = gb_expect_new(tape);
        const gb_node phi = gb_variable(tape, "phi", gb_shape(), gb_fill(logit(THETA)));
        constant.factor = gb_num(tape, 0.1);
        const gb_node b = gb_draw(e, "b", gb_bernoulli_logits(phi), all[i]);
        const gb_node g = gb_grad(gb_expected(e, gb_square(gb_shift(b, -TARGET))), phi);
        gb_program *p = gb_compile(tape, gb_roots(g), gb_no_update);
        assert_fine(tape);
        settle_costs(tape, "b", 0.1);
        collect(p, 2500, 1, &g, &m);
        assert_true(sees_what_it_must(&m, exact, SAMPLES));
        if (fabs(m.mean - exact) > bound * m.mean_error)
            fail_msg("%d: %g ± %g, not %g", i, m.mean, m.mean_error, exact);
    }
}

/* A choice for each row, with a cost of its own, by both: two tests. */
TEST(rows_have_choices_of_their_own)
{
    static const double data[] = {0.5, -1, 2, 0.25};
    const gb_estimator both[] = {gb_rebar(.learn = true), gb_relax()};
    double exact = 0;
    for (int i = 0; i < 4; i++) {
        const double theta = sigmoid(0.7 * data[i]);
        exact += theta * (1 - theta) * data[i] * data[i] * (1 - 2 * data[i]);
    }
    for (int i = 0; i < 2; i++) {
        moments m;
        gb_tape *const tape = test_tape(.seed = 6, .samples = SAMPLES);
        gb_expect *e = gb_expect_new(tape);
        const gb_node x = gb_input_rows(tape, "x", gb_shape()),
                      a = gb_variable(tape, "a", gb_shape(), gb_fill(0.7));
        const gb_node b = gb_draw(e, "b", gb_bernoulli_logits(gb_mul(a, x)), both[i]);
        const gb_node loss = gb_expected(e, gb_sum_over(gb_mul(x, gb_square(gb_sub(b, x))), GB_ROWS));
        const gb_node g = gb_grad(loss, a);
        gb_program *p = gb_compile(tape, gb_roots(g), gb_no_update);
        gb_program *train = gb_compile(tape, gb_roots(loss), gb_minimise(loss, gb_adam(.lr = 0.01)));
        assert_fine(tape);
        gb_feed(x, data, 4);
        collect(p, 1200, 1, &g, &m);
        assert_true(sees_what_it_must(&m, exact, SAMPLES));
        if (fabs(m.mean - exact) > z_bound(1e-6, 2) * m.mean_error)
            fail_msg("%d: %g ± %g, not %g", i, m.mean, m.mean_error, exact);
        assert_int_equal(gb_run(train), GB_OK);
    }
}

/* b ~ Bernoulli(φ) sets the logit of c, and of E[(b + 2 c − 1.2)²] there is an
 * exact gradient: four pairs, one test each. */
TEST(a_choice_may_set_the_parameters_of_the_next)
{
    const gb_estimator pairs[][2] = {{gb_rebar(), gb_score()},
                                     {gb_relax(), gb_rebar()},
                                     {gb_score(), gb_relax()},
                                     {gb_rebar(.learn = true), gb_relax()}};
    double exact = 0;
    for (int b = 0; b < 2; b++) {
        const double q = sigmoid(1.5 * b - 0.5), f0 = pow(b - 1.2, 2), f1 = pow(b + 0.8, 2);
        exact += (b ? 1 : -1) * THETA * (1 - THETA) * (q * f1 + (1 - q) * f0);
    }
    for (int i = 0; i < 4; i++) {
        moments m;
        gb_tape *const tape = test_tape(.seed = 6, .samples = SAMPLES);
        gb_expect *e = gb_expect_new(tape);
        const gb_node phi = gb_variable(tape, "phi", gb_shape(), gb_fill(logit(THETA)));
        const gb_node b = gb_draw(e, "b", gb_bernoulli_logits(phi), pairs[i][0]);
        const gb_node c = gb_draw(e, "c", gb_bernoulli_logits(gb_shift(gb_scale(b, 1.5), -0.5)), pairs[i][1]);
        const gb_node loss = gb_expected(e, gb_square(gb_shift(gb_add(b, gb_scale(c, 2)), -1.2)));
        const gb_node g = gb_grad(loss, phi);
        gb_program *p = gb_compile(tape, gb_roots(g), gb_no_update);
        assert_fine(tape);
        collect(p, 1200, 1, &g, &m);
        assert_true(sees_what_it_must(&m, exact, SAMPLES));
        if (fabs(m.mean - exact) > z_bound(1e-6, 4) * m.mean_error)
            fail_msg("%d: %g ± %g, not %g", i, m.mean, m.mean_error, exact);
    }
}

/* A temperature that is a variable, and is set between runs. */
TEST(the_temperature_can_be_annealed, .seed = 11)
{
    gb_expect *e = gb_expect_new(t);
    const gb_node temperature = gb_variable(t, "temperature", gb_shape(), gb_fill(1));
    const gb_node z =
        gb_draw(e, "z", gb_bernoulli(gb_num(t, THETA)), gb_relaxed_draws(.annealed = temperature));
    gb_program *p = gb_compile(t, gb_roots(z), gb_no_update);
    assert_int_equal(gb_run(p), GB_OK);
    const double before = logit(gb_value(z));
    gb_set(temperature, gb_fill(0.5));
    gb_program_set_step(p, 0);
    assert_int_equal(gb_run(p), GB_OK);
    assert_true(near(logit(gb_value(z)), 2 * before));
    assert_values(gb_grad(gb_expected(e, gb_square(z)), temperature), 0);
}

TEST(one_among_several_has_the_right_conditional_draws)
{
    double p[3], mean = 0, sum = 0;
    for (int k = 0; k < 3; k++)
        sum += p[k] = exp(LOGITS[k]);
    for (int k = 0; k < 3; k++)
        mean += (p[k] /= sum) * COSTS[k];
    const gb_estimator both[] = {gb_rebar(.eta = 1), gb_relax()};
    for (int i = 0; i < 2; i++) {
        enum { RUNS = 2200 };
        moments m[3];
        category c = category_by(both[i], SAMPLES);
        double *const all = malloc(3 * RUNS * sizeof *all);
        for (int run = 0; run < RUNS; run++) {
            double g[3];
            assert_int_equal(gb_run(c.program), GB_OK);
            gb_read(c.gradient, g, 3);
            for (int k = 0; k < 3; k++)
                all[k * RUNS + run] = g[k];
        }
        for (int k = 0; k < 3; k++) {
            m[k] = (moments){.draw = all + k * RUNS, .count = RUNS};
            moments_finish(&m[k]);
            assert_true(sees_what_it_must(&m[k], p[k] * (COSTS[k] - mean), SAMPLES));
            if (fabs(m[k].mean - p[k] * (COSTS[k] - mean)) > z_bound(1e-6, 10) * m[k].mean_error)
                fail_msg("%d, %d: %g ± %g, not %g", i, k, m[k].mean, m[k].mean_error,
                         p[k] * (COSTS[k] - mean));
        }
        free(all);
    }
}

/* ---- what is learned ---- */

static double target_at(gb_program *p, gb_node variable, gb_node target, double value)
{
    assert_int_equal(gb_set(variable, gb_fill(value)), GB_OK);
    gb_program_set_step(p, 3);
    assert_int_equal(gb_run(p), GB_OK);
    return gb_value(target);
}

/* The squared gradient is quadratic in the variables: central differences are exact but for rounding. */
static void slopes_are_differences(gb_estimator estimator)
{
    toy c = toy_by(estimator, 4);
    const gb_learned learned = lowered_in(c.loss);
    settle_costs(c.t, "b", 0.2);
    assert_true(learned.count >= 1);
    for (size_t i = 0; i < learned.count; i++) {
        const gb_node v = learned.variable[i], slope = gb_grad(learned.target, v);
        gb_program *p = gb_compile(c.t, gb_roots(learned.target, slope, c.gradient), gb_no_update);
        assert_fine(c.t);
        const double h = 0.25, at = 0.6;
        const double above = target_at(p, v, learned.target, at + h),
                     below = target_at(p, v, learned.target, at - h);
        const double middle = target_at(p, v, learned.target, at);
        assert_true(near(middle, gb_value(c.gradient) * gb_value(c.gradient)));
        const double should = (above - below) / (2 * h), is = gb_value(slope);
        assert_true(fabs(should) > 1e-6);
        assert_true(fabs(is - should) <= 1e-10 * fabs(should));
    }
}

TEST(gradients_of_the_variance_are_differences)
{
    slopes_are_differences(gb_rebar(.learn = true));
    slopes_are_differences(gb_relax());
    slopes_are_differences(gb_relax(.temperature = 1.5));
}

/* The logit is an input, so that it stays where it is. */
static double variance_ratio_after(gb_estimator estimator, int steps)
{
    moments before, after;
    const double phi_value = logit(THETA);
    gb_tape *const t = test_tape(.seed = 3, .samples = 32);
    gb_expect *e = gb_expect_new(t);
    const gb_node phi = gb_input(t, "phi", gb_shape()),
                  other = gb_variable(t, "other", gb_shape(), gb_fill(1));
    const gb_node b = gb_draw(e, "b", gb_bernoulli_logits(phi), estimator);
    const gb_node loss = gb_expected(e, gb_add(gb_square(gb_shift(b, -TARGET)), gb_square(other)));
    const gb_node g = gb_grad(loss, phi);
    gb_program *look = gb_compile(t, gb_roots(g), gb_no_update);
    gb_program *train = gb_compile(t, gb_roots(loss), gb_minimise(loss, gb_adam(.lr = 0.02)));
    assert_fine(t);
    gb_feed(phi, &phi_value, 1);
    collect(look, 2000, 1, &g, &before);
    for (int i = 0; i < steps; i++)
        assert_int_equal(gb_run(train), GB_OK);
    collect(look, 2000, 1, &g, &after);
    return after.variance / before.variance;
}

TEST(what_is_learned_lowers_the_variance)
{
    assert_true(variance_ratio_after(gb_relax(), 1500) < 0.1);
    assert_true(variance_ratio_after(gb_rebar(.eta = 3, .learn = true), 1500) < 0.5);
}

/* The surrogate has the variable of the cost, and one of its own. */
static gb_node of_the_model(const gb_site *site, gb_node z, const void *user)
{
    const gb_node *const variable = user;
    (void)site;
    return gb_mul(gb_add(variable[0], variable[1]), z);
}

static gb_node of_many(const gb_site *site, gb_node z, const void *user)
{
    gb_node sum = z;
    (void)site;
    for (int i = 0; i <= GB_LEARNED_MOST; i++)
        sum = gb_add(sum, ((const gb_node *)user)[i]);
    return sum;
}

TEST(variables_of_the_model_are_not_moved_for_the_variance)
{
    gb_node many[GB_LEARNED_MOST + 1];
    gb_expect *e = gb_expect_new(t);
    for (int i = 0; i <= GB_LEARNED_MOST; i++) {
        char name[8];
        snprintf(name, sizeof name, "v%d", i);
        many[i] = gb_variable(t, name, gb_shape(), gb_fill(1));
    }
    const gb_node phi = gb_shift(many[2], 1);
    const gb_node b =
        gb_draw(e, "b", gb_bernoulli_logits(phi), gb_relax(.surrogate = of_the_model, .user = many));
    const gb_node loss = gb_expected(e, gb_mul(many[0], b));
    const gb_learned learned = lowered_in(loss);
    assert_true(learned.count == 1 && gb_node_same(learned.variable[0], many[1]));
    const gb_node c = gb_draw(e, "c", gb_bernoulli_logits(phi), gb_relax(.surrogate = of_many, .user = many));
    gb_expected(e, c);
    assert_rejected(t, GB_ELIMIT, "draw c: at most 16 variables can be learned together, not 17");
}

/* ---- what is rejected ---- */

TEST(what_has_no_relaxation_is_rejected)
{
    gb_expect *e = gb_expect_new(t);
    const gb_node one = gb_num(t, 1);
    gb_draw(e, "a", gb_normal(one, one), gb_relaxed_draws());
    assert_rejected(t, GB_EARGUMENT,
                    "draw a: relaxed needs a relaxation; normal has none. These fit: pathwise");
    gb_draw(e, "a", gb_poisson(one), gb_relax());
    assert_rejected(t, GB_EARGUMENT, "relax needs a choice between 0 and 1, or of one among several");
    const gb_node b = gb_draw(e, "b", gb_bernoulli(gb_num(t, 0.5)), gb_straight_through());
    gb_expected(e, gb_floor(b));
    assert_rejected(t, GB_EARGUMENT, "straight_through of draw b needs a cost that is smooth in it");
}

TEST(a_second_gradient_of_relax_is_rejected)
{
    toy c = toy_by(gb_relax(), 1);
    gb_grad(c.gradient, c.phi);
    assert_rejected(c.t, GB_EGRADIENT, "the gradient of relax for draw b cannot be differentiated");
}
