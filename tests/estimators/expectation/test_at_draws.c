/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values at draws from the distributions of the sites, and what stands in the place of nodes between them. */
#include "support/close.h"

#include "core/graph/replace_impl.h"
#include "distributions/list.h"
#include "estimators/expectation/at_draws_impl.h"
#include "estimators/list.h"
#include "ops/elementwise.h"

static gb_node at(const gb_at_draws *d, gb_node x)
{
    gb_node there = x;
    assert_int_equal(gb_replaced_with_draws(d->count, d->from, d->to, 1, &x, &there), GB_OK);
    return there;
}

/* A site whose estimator draws from its distribution is left alone. */
TEST(plain_draws_stay)
{
    gb_expect *e = gb_expect_new(t);
    const gb_node z = gb_draw(e, "z", gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_pathwise());
    gb_at_draws d;
    assert_true(gb_at_draws_new(e, false, "new", (gb_at_draws){0}, &d));
    assert_int_equal(d.count, 0);
    assert_true(gb_node_same(at(&d, z), z));
    assert_false(gb_has_weighted_draws(e));
}

TEST(weights_count_where_values_are_weighted)
{
    gb_expect *e = gb_expect_new(t);
    const gb_node z = gb_draw(e, "z", gb_bernoulli(gb_num(t, 0.3)), gb_enumerated());
    gb_at_draws exact, drawn;
    assert_true(gb_has_weighted_draws(e));
    assert_true(gb_at_draws_new(e, false, "new", (gb_at_draws){0}, &exact));
    assert_true(gb_at_draws_new(e, true, "drawn", (gb_at_draws){0}, &drawn));
    assert_int_equal(exact.count, 0);
    assert_int_equal(drawn.count, 1);
    const gb_node x = gb_shift(gb_scale(z, 2), 1);
    const gb_node nodes[] = {gb_at_draws_mean(&exact, x), gb_at_draws_log_mean(&exact, x)};
    gb_program *p = gb_compile(t, gb_roots_of(2, nodes), gb_no_update);
    assert_int_equal(gb_run(p), GB_OK);
    assert_near(gb_value(nodes[0]), 1.6, 1e-14);
    assert_near(gb_value(nodes[1]), log(0.7 * exp(1) + 0.3 * exp(3)), 1e-14);
    assert_int_equal(gb_node_axes(at(&drawn, x)), GB_SAMPLES);
}

/* z → y = 2 z → u ~ N(y, 0): with 10 z in the place of 2 z, u follows. */
TEST(what_stands_in_reaches_later_draws)
{
    gb_expect *e = gb_expect_new(t);
    const gb_node z = gb_draw(e, "z", gb_bernoulli(gb_num(t, 1 - 1e-12)), gb_relaxed_draws());
    const gb_node y = gb_scale(z, 2), other = gb_scale(z, 10);
    const gb_node u = gb_draw(e, "u", gb_normal(y, gb_num(t, 1e-9)), gb_measure_valued());
    gb_at_draws d, given = {.count = 1, .from = (gb_node[]){y}, .to = (gb_node[]){other}};
    if (!gb_at_draws_new(e, false, "new", given, &d))
        fail_msg("%s", gb_error_text(t));
    assert_int_equal(d.count, 3);
    const gb_node there = at(&d, u);
    gb_program *p = gb_compile(t, gb_roots(there), gb_no_update);
    gb_program_set_samples(p, 1);
    assert_int_equal(gb_run(p), GB_OK);
    assert_near(gb_value(there), 10, 1e-6);
}
