/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Costs at the draws are those of the first evaluation of each site, without the others. */
#include "support/close.h"

#include "distributions/list.h"
#include "estimators/expect.h"
#include "estimators/list.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/reduce.h"

enum { WIDTH = 20, SAMPLES = 50 };

static gb_node vector(gb_expect *e, const char *name, gb_node loc, gb_estimator estimator)
{
    return gb_draw(e, name, gb_normal(gb_broadcast(loc, gb_shape(WIDTH)), gb_num(loc.tape, 0.5)), estimator);
}

static gb_node of_one(gb_expect *e, gb_node loc)
{
    return gb_sum(gb_exp(vector(e, "z", loc, gb_measure_valued())));
}

static gb_node of_two(gb_expect *e, gb_node loc)
{
    const gb_node a = vector(e, "a", loc, gb_measure_valued()), b = vector(e, "b", loc, gb_measure_valued());
    return gb_sum(gb_mul(gb_sin(a), b));
}

/* Later draws depend on earlier ones, by other estimators, too. */
static gb_node of_a_chain(gb_expect *e, gb_node loc)
{
    const gb_node a = vector(e, "a", loc, gb_measure_valued()), b = vector(e, "b", a, gb_measure_valued()),
                  c = vector(e, "c", b, gb_pathwise());
    return gb_sum(gb_add(gb_cos(gb_add(a, b)), gb_square(c)));
}

static gb_node of_noise_between(gb_expect *e, gb_node loc)
{
    const gb_node a = vector(e, "a", loc, gb_measure_valued());
    const gb_dist law = gb_gamma(gb_exp(a), gb_num(loc.tape, 1));
    return gb_sum(gb_sample(law, gb_stream(loc.tape, "noise"), GB_SAMPLES));
}

static gb_node of_weighted_values(gb_expect *e, gb_node loc)
{
    const gb_node a = vector(e, "a", loc, gb_measure_valued()),
                  b = gb_draw(e, "b", gb_bernoulli_logits(gb_sum(a)), gb_enumerated());
    return gb_sum(gb_square(gb_add(a, gb_broadcast(b, gb_shape(WIDTH)))));
}

static const struct cost {
    const char *name;
    gb_node (*of)(gb_expect *e, gb_node loc);
} costs[] = {{"one_site", of_one},
             {"two_sites", of_two},
             {"a_chain", of_a_chain},
             {"noise_between", of_noise_between},
             {"weighted_values", of_weighted_values}};

TEST_EACH(values_are_those_of_the_expectation_of, costs)
{
    gb_expect *e = gb_expect_new(t);
    const gb_node loc = gb_variable(t, "loc", gb_shape(), gb_fill(0.3));
    const gb_node cost = ((const struct cost *)row)->of(e, loc);
    const gb_node values = gb_mean_over(gb_sample_values(e, cost), GB_SAMPLES),
                  draws = gb_mean_of_draws(e, cost), mean = gb_expected(e, cost);
    gb_program *p = gb_compile(t, gb_roots(values, draws, mean), gb_no_update);
    assert_fine(t);
    assert_int_equal(gb_program_set_samples(p, SAMPLES), GB_OK);
    assert_int_equal(gb_run(p), GB_OK);
    assert_near(gb_value(values), gb_value(mean), 1e-12 * fabs(gb_value(mean)));
    assert_near(gb_value(draws), gb_value(mean), 1e-12 * fabs(gb_value(mean)));
}

/* Otherwise 200 numbers are there for each of 41 evaluations. */
TEST(values_need_no_memory_for_probes)
{
    enum { ROWS = 200 };
    gb_expect *e = gb_expect_new(t);
    const gb_node loc = gb_variable(t, "loc", gb_shape(), gb_fill(0.3));
    const gb_node z = vector(e, "z", loc, gb_measure_valued());
    const gb_node x = gb_variable(t, "x", gb_shape(ROWS, WIDTH), gb_fill(0.1));
    const gb_node cost = gb_sum(gb_tanh(gb_matmul(x, gb_expand(z, 1))));
    const gb_node looks[] = {gb_expected(e, cost), gb_sample_values(e, cost), gb_mean_of_draws(e, cost)};
    size_t bytes[3];
    assert_fine(t);
    for (size_t i = 0; i < 3; i++) {
        gb_plan_facts facts;
        gb_program *const p = gb_compile(t, gb_roots(looks[i]), gb_no_update);
        assert_int_equal(gb_program_set_samples(p, SAMPLES), GB_OK);
        assert_int_equal(gb_program_plan(p, &facts), GB_OK);
        bytes[i] = facts.bytes;
    }
    assert_true(bytes[1] < bytes[0] / 3 && bytes[2] < bytes[0] / 3);
}
