/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What estimators and baselines learn: from costs that occur, as often as they do, of any size. */
#include "support/close.h"

#include "core/gradient.h"
#include "distributions/list.h"
#include "estimators/expect.h"
#include "estimators/list.h"
#include "estimators/moments.h"
#include "estimators/trial.h"
#include "models/optimiser.h"
#include "models/update.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

/* ---- costs of values that do not occur ---- */

typedef struct learner {
    const char *name;
    gb_estimator (*make)(gb_tape *t);
} learner;

static gb_estimator by_average(gb_tape *t)
{
    (void)t;
    return gb_score(.baseline = gb_moving_average());
}

static gb_estimator by_constant(gb_tape *t)
{
    (void)t;
    return gb_score(.baseline = gb_fitted());
}

static gb_estimator by_node(gb_tape *t)
{
    return gb_score(.baseline = gb_learned_baseline(new_level(t)));
}

static gb_estimator by_rebar(gb_tape *t)
{
    (void)t;
    return gb_rebar(.learn = true);
}

static gb_estimator by_relax(gb_tape *t)
{
    (void)t;
    return gb_relax();
}

static const learner learners[] = {{"moving_average", by_average},
                                   {"fitted", by_constant},
                                   {"learned", by_node},
                                   {"rebar", by_rebar},
                                   {"relax", by_relax}};

/* A choice k that is never 1, and a draw b. The cost is 10 (1 + b / 10), and 10⁴ times that where k is 1. The
 * score function alone has the variance of its mean over two samples, 0.022. */
static void learns_from_what_occurs(gb_tape *t, const learner *l, gb_estimator of_choice)
{
    moments m;
    gb_expect *e = gb_expect_new(t);
    const gb_node logit = gb_input(t, "logit", gb_shape()),
                  other = gb_variable(t, "o", gb_shape(), gb_fill(0));
    const gb_node never = gb_variable(t, "never", gb_shape(), gb_fill(-60));
    gb_feed(logit, (const double[]){0.3}, 1);
    const gb_node k = gb_draw(e, "k", gb_bernoulli_logits(gb_stop(never)), of_choice);
    const gb_node b = gb_draw(e, "b", gb_bernoulli_logits(logit), l->make(t));
    const gb_node size = gb_shift(gb_scale(k, 1e5), 10);
    const gb_node loss = gb_expected(e, gb_mul(size, gb_shift(gb_scale(b, 0.1), 1)));
    const gb_node slope = gb_grad(loss, logit), trained = gb_add(loss, gb_square(other));
    gb_program *train = gb_compile(t, gb_roots(trained), gb_minimise(trained, gb_adam(.lr = 1e-2)));
    gb_program *look = gb_compile(t, gb_roots(slope), gb_no_update);
    assert_fine(t);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(gb_run(train), GB_OK);
    collect(look, 400, 1, &slope, &m);
    if (!(m.variance < 0.022))
        fail_msg("variance %g", m.variance);
}

TEST_EACH(values_of_probability_0_are_not_learned_from, learners, .seed = 3, .samples = 2)
{
    learns_from_what_occurs(t, row, gb_enumerated());
}

TEST_EACH(probes_are_not_learned_from, learners, .seed = 3, .samples = 2)
{
    learns_from_what_occurs(t, row, gb_measure_valued());
}

/* A quadratic cost is its own Taylor series, at each value of another draw. */
TEST(the_delta_method_is_exact_beside_a_sum, .seed = 5, .samples = 3)
{
    const double p = 1 / (1 + exp(-0.4));
    gb_expect *e = gb_expect_new(t);
    const gb_node mu = gb_variable(t, "mu", gb_shape(), gb_fill(0.6)), sigma = gb_num(t, 0.8);
    const gb_node k = gb_draw(e, "k", gb_bernoulli_logits(gb_num(t, 0.4)), gb_enumerated());
    const gb_node z = gb_draw(e, "z", gb_normal(mu, sigma), gb_score(.baseline = gb_delta()));
    const gb_node slope = gb_grad(gb_expected(e, gb_square(gb_add(z, gb_scale(k, 2)))), mu);
    gb_program *program = gb_compile(t, gb_roots(slope), gb_no_update);
    for (int run = 0; run < 10; run++) {
        assert_int_equal(gb_run(program), GB_OK);
        assert_close(gb_value(slope), 2 * (0.6 + 2 * p), 1e3);
    }
}

/* ---- costs that are equal but for their rounding ---- */

/* Costs of draws with as many ones are equal, and differ by the order of their sum. */
static double least_unit(uint64_t seed, gb_estimator estimator)
{
    static const double logits[] = {-0.85, 0, 0.85};
    gb_tape *const t = test_tape(.seed = seed, .samples = 1);
    double least = HUGE_VAL;
    gb_expect *e = gb_expect_new(t);
    const gb_node logit = gb_input(t, "logit", gb_shape(3)),
                  other = gb_variable(t, "o", gb_shape(), gb_fill(0));
    gb_feed(logit, logits, 1);
    const gb_node b = gb_draw(e, "b", gb_bernoulli_logits(logit), estimator);
    const gb_node loss = gb_expected(e, gb_sum(gb_square(gb_shift(b, -0.45))));
    const gb_node lowered = lowered_in(loss).target, trained = gb_add(loss, gb_square(other));
    gb_program *train = gb_compile(t, gb_roots(trained, lowered), gb_minimise(trained, gb_adam(.lr = 1e-2)));
    assert_fine(t);
    for (int i = 0; i < 60; i++) {
        assert_int_equal(gb_run(train), GB_OK);
        least = gb_value(lowered) > 0 ? fmin(least, 1 / gb_value(lowered)) : least;
    }
    return least;
}

/* The objective is a squared gradient in the unit of the cost's variance, so it is of order 1. */
TEST(a_rounding_is_no_unit_to_learn_in)
{
    for (uint64_t seed = 0; seed < 100; seed++) {
        const double rebar = least_unit(seed, gb_rebar(.learn = true)), relax = least_unit(seed, gb_relax());
        if (!(rebar > 1e-6 && relax > 1e-6))
            fail_msg("seed %d: an objective of 1 / %g, and of 1 / %g", (int)seed, rebar, relax);
    }
}

/* ---- costs of any size, in floats ---- */

static double learned_of(gb_real real, double unit)
{
    gb_tape *const t = test_tape(.seed = 3, .samples = 2, .real = real);
    gb_expect *e = gb_expect_new(t);
    const gb_node logit = gb_input(t, "logit", gb_shape()), u = gb_variable(t, "u", gb_shape(), gb_fill(0)),
                  other = gb_variable(t, "o", gb_shape(), gb_fill(0));
    gb_feed(logit, (const double[]){1}, 1);
    const gb_node b =
        gb_draw(e, "b", gb_bernoulli_logits(logit), gb_score(.baseline = gb_learned_baseline(u)));
    const gb_node c = gb_draw(e, "c", gb_bernoulli_logits(logit), gb_relax());
    const gb_node loss = gb_expected(e, gb_scale(gb_add(gb_square(gb_shift(b, -3)), c), unit));
    const gb_node trained = gb_add(loss, gb_square(other));
    gb_program *train = gb_compile(t, gb_roots(trained), gb_minimise(trained, gb_adam(.lr = 1e-2)));
    assert_fine(t);
    for (int i = 0; i < 50; i++)
        assert_int_equal(gb_run(train), GB_OK);
    return gb_value(u) + gb_value(gb_variable_named(t, "c.linear"));
}

TEST(the_size_of_a_cost_does_not_matter)
{
    static const double powers[] = {-90, -20, 20, 100};
    for (int real = 0; real < 2; real++) {
        const gb_real type = real ? GB_FLOAT : GB_DOUBLE;
        const double one = learned_of(type, 1);
        assert_true(fabs(one) > 1e-3);
        for (size_t i = 0; i < sizeof powers / sizeof *powers; i++)
            if (learned_of(type, exp2(powers[i])) != one)
                fail_msg("%s, 2^%g: %.17g, not %.17g", real ? "float" : "double", powers[i],
                         learned_of(type, exp2(powers[i])), one);
    }
    assert_true(learned_of(GB_DOUBLE, 0x1p-600) == learned_of(GB_DOUBLE, 0x1p600));
}
