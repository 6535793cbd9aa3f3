/* SPDX-License-Identifier: GPL-3.0-or-later */
/* RELAX with surrogates of one's own and with a network: exact means over all noise, and what is learned. */
#include "support/close.h"

#include "compare/compare.h"
#include "distributions/list.h"
#include "estimators/expect.h"
#include "estimators/fed_noise.h"
#include "estimators/list.h"
#include "estimators/trial.h"
#include "models/optimiser.h"
#include "ops/matmul.h"
#include "ops/reduce.h"

/* ---- any surrogate keeps the mean ---- */

/* The relaxed cost, less accurate, and a network of the data: whatever is on the tape. */
typedef struct of_data {
    gb_node row, weights, outputs;
} of_data;

static gb_node cost_and_network(const gb_site *site, gb_node z, const void *user)
{
    const of_data *const own = user;
    const gb_node s = gb_sigmoid(gb_scale(z, 1 / 0.8));
    const gb_node units = gb_tanh(gb_add(gb_matmul(s, own->weights), own->row));
    (void)site;
    return gb_add(gb_scale(cost_of_nodes(gb_at(s, 0), gb_at(s, 1)), 0.5), gb_dot(own->outputs, units));
}

typedef struct surrogate_case {
    const char *name;
    bool own, in_cost_unit;
    int64_t hidden;
} surrogate_case;

static const surrogate_case surrogates[] = {
    {.name = "a quadratic"},
    {.name = "a network", .hidden = 5},
    {.name = "a network in the unit of the cost", .hidden = 3, .in_cost_unit = true},
    {.name = "one of your own", .own = true},
    {.name = "one of your own with the cost", .own = true, .in_cost_unit = true}};

/* Half of the cost is that of two rows of data. */
TEST_EACH(any_surrogate_keeps_the_mean, surrogates)
{
    static const double rows[] = {0.4, -1.1};
    const surrogate_case *const c = row;
    gb_expect *const e = gb_expect_new(t);
    const gb_node logits = gb_variable(t, "logits", gb_shape(2), gb_values_of(LOGIT, 2));
    const of_data own = {.row = gb_input_rows(t, "row", gb_shape()),
                         .weights = gb_variable(t, "own.weights", gb_shape(2, 3), gb_fill(0)),
                         .outputs = gb_variable(t, "own.outputs", gb_shape(3), gb_fill(0))};
    const gb_estimator by =
        gb_relax(.surrogate = c->own ? cost_and_network : NULL, .user = &own, .temperature = 1.2,
                 .hidden = c->hidden, .in_cost_unit = c->in_cost_unit);
    const gb_node b = gb_draw(e, "b", gb_bernoulli_logits(logits), by);
    const gb_node loss = gb_expected(e, cost_of_nodes(gb_at(b, 0), gb_at(b, 1))), g = gb_grad(loss, logits);
    const gb_learned learned = lowered_in(loss);
    assert_int_equal(learned.count, c->own ? 2 : c->hidden ? 6 : 3);
    gb_feed(own.row, rows, 2);
    if (!c->in_cost_unit)
        assert_int_equal(gb_set(gb_variable_named(t, "b.cost"), GB_VALUES(1.3, 0.9, 1)), GB_OK);
    for (size_t i = 0; i < learned.count; i++) {
        double values[16];
        const size_t count = gb_shape_count(gb_node_shape(learned.variable[i]));
        for (size_t k = 0; k < count; k++)
            values[k] = sin(2 + 3.1 * (double)i + 1.7 * (double)k);
        assert_int_equal(gb_set(learned.variable[i], gb_values_of(values, count)), GB_OK);
    }
    const two_bits two = {.fed = feed_noise(1, &g)};
    assert_int_equal(two.fed.noises, 2);
    is_unbiased(&two);
    assert_fine(t);
}

/* ---- the network ---- */

/* Until it has learned, a network is nothing. */
TEST(a_network_starts_at_nothing)
{
    double all[2][3];
    for (int64_t hidden = 0; hidden < 2; hidden++) {
        gb_tape *const own = test_tape(.seed = 6, .samples = 2);
        gb_expect *const e = gb_expect_new(own);
        const gb_node logits = gb_variable(own, "logits", gb_shape(3), GB_VALUES(0.3, -0.2, 1));
        const gb_node b = gb_draw(e, "b", gb_bernoulli_logits(logits), gb_relax(.hidden = 7 * hidden));
        const gb_node g = gb_grad(gb_expected(e, gb_square(gb_sum(b))), logits);
        gb_program *const p = gb_compile(own, gb_roots(g), gb_no_update);
        assert_int_equal(gb_run(p), GB_OK);
        gb_read(g, all[hidden], 3);
    }
    assert_memory_equal(all[0], all[1], sizeof all[0]);
}

static double variance_by(gb_estimator by)
{
    const gb_compare_setting apart[] = {{"p1", 0.1}, {"p3", 0.9}, {"eta", 3}};
    gb_comparison *const c =
        gb_compare(.problem = gb_problem_find("bernoulli-3"), .estimators = 1, .estimator = &by,
                   .settings = 3, .setting = apart, .draws = 20000, .seed = 3, .threads = 1);
    double sum = 0;
    assert_non_null(c);
    for (size_t i = 0; i < c->parameters; i++)
        sum += c->estimator[0].parameter[i].variance;
    gb_comparison_free(c);
    return sum;
}

/* The bits interact, which sums of functions of each do not see. */
TEST(a_network_lowers_the_variance)
{
    const double alone = variance_by(gb_relax()), network = variance_by(gb_relax(.hidden = 8));
    if (!(network < 0.93 * alone))
        fail_msg("%g with a network, %g without", network, alone);
}

TEST(two_surrogates_are_rejected)
{
    gb_expect *const e = gb_expect_new(t);
    const of_data own = {.row = gb_num(t, 0)};
    const gb_node b = gb_draw(e, "b", gb_bernoulli(gb_num(t, 0.5)),
                              gb_relax(.surrogate = cost_and_network, .user = &own, .hidden = 4));
    gb_expected(e, b);
    assert_rejected(t, GB_EARGUMENT, "draw b: relax has a surrogate of yours and 4 hidden units");
    gb_draw(e, "c", gb_bernoulli(gb_num(t, 0.5)), gb_relax(.hidden = 2000));
    assert_rejected(t, GB_EARGUMENT, "relax: hidden is 2000, and must be a whole number from 0 to 1024");
}
