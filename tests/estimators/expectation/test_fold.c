/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How sites fold into a cost: which terms and rows a draw is held responsible for, how evaluations of several
 * sites go together, and what is rejected. */
#include "support/close.h"

#include "core/gradient.h"
#include "distributions/list.h"
#include "estimators/expect.h"
#include "estimators/learn.h"
#include "estimators/list.h"
#include "estimators/trial.h"
#include "models/optimiser.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

static gb_node scalar(gb_tape *t, const char *name, double value)
{
    return gb_variable(t, name, gb_shape(), gb_fill(value));
}

/* ---- terms ---- */

/* Two draws N(mu, 1) by the score function, and a term of each. */
TEST(terms_that_a_draw_does_not_reach_do_not_weight_its_score, .seed = 4)
{
    gb_expect *e = gb_expect_new(t);
    const gb_node a = scalar(t, "a", 0.3), b = scalar(t, "b", -0.8), one = gb_num(t, 1);
    const gb_node x = gb_draw(e, "x", gb_normal(a, one), gb_score()),
                  y = gb_draw(e, "y", gb_normal(b, one), gb_score());
    const gb_node cost = gb_sub(gb_scale(gb_square(x), 3), gb_div(gb_shift(gb_exp(y), 7), gb_num(t, 2)));
    const gb_node loss = gb_expected(e, cost), ga = gb_grad(loss, a), gb = gb_grad(loss, b);
    gb_program *p = gb_compile(t, gb_roots(x, y, loss, ga, gb), gb_no_update);
    for (int run = 0; run < 10; run++) {
        assert_int_equal(gb_run(p), GB_OK);
        const double zx = gb_value(x), zy = gb_value(y);
        assert_close(gb_value(loss), 3 * zx * zx - (exp(zy) + 7) / 2, 16);
        assert_close(gb_value(ga), 3 * zx * zx * (zx - 0.3), 16);
        assert_close(gb_value(gb), -exp(zy) / 2 * (zy + 0.8), 32);
    }
}

/* y ~ N(x, 1): x reaches the cost of y through the parameter of a stopped draw. */
TEST(terms_are_reached_through_the_parameters_of_later_draws, .seed = 4)
{
    gb_expect *e = gb_expect_new(t);
    const gb_node a = scalar(t, "a", 0.3), one = gb_num(t, 1);
    const gb_node x = gb_draw(e, "x", gb_normal(a, one), gb_score()),
                  y = gb_draw(e, "y", gb_normal(x, one), gb_score());
    const gb_node stopped = gb_stop(gb_exp(x));
    const gb_node loss = gb_expected(e, gb_add(gb_square(y), stopped)), ga = gb_grad(loss, a);
    gb_program *p = gb_compile(t, gb_roots(x, y, ga), gb_no_update);
    for (int run = 0; run < 10; run++) {
        assert_int_equal(gb_run(p), GB_OK);
        const double zx = gb_value(x), zy = gb_value(y);
        assert_close(gb_value(ga), (zy * zy + exp(zx)) * (zx - 0.3), 32);
    }
}

/* ---- rows ---- */

/* A latent for each row, by ARM: the row's own cost and its own uniform. */
TEST(rows_stay_apart_for_several_evaluations, .seed = 6)
{
    static const double data[] = {0.5, -1, 2, 0.25};
    double b[8], u_terms = 0, g = 0;
    gb_expect *e = gb_expect_new(t);
    const gb_node x = gb_input_rows(t, "x", gb_shape()), a = scalar(t, "a", 0.7);
    const gb_node draw = gb_draw(e, "b", gb_bernoulli_logits(gb_mul(a, x)), gb_disarm());
    const gb_node cost = gb_sum_over(gb_mul(x, gb_square(gb_sub(draw, x))), GB_ROWS);
    const gb_node ga = gb_grad(gb_expected(e, cost), a);
    gb_program *p = gb_compile(t, gb_roots(draw, ga), gb_no_update);
    gb_feed(x, data, 4);
    for (int run = 0; run < 10; run++) {
        assert_int_equal(gb_run(p), GB_OK);
        assert_int_equal(gb_read(draw, b, 8), GB_OK);
        g = u_terms = 0;
        for (int i = 0; i < 4; i++) {
            const double f0 = data[i] * pow(b[i] - data[i], 2), f1 = data[i] * pow(b[4 + i] - data[i], 2);
            const double p_of = 1 / (1 + exp(-fabs(0.7 * data[i])));
            g += (f0 - f1) * (b[i] - b[4 + i]) * p_of / 2 * data[i];
        }
        assert_close(gb_value(ga), g, 64);
    }
}

/* A choice for each row, whose values do not vary over rows, though their probabilities do. */
TEST(rows_stay_apart_for_enumeration, .seed = 6)
{
    static const double data[] = {0.5, -1, 2, 0.25};
    double should = 0;
    gb_expect *e = gb_expect_new(t);
    const gb_node x = gb_input_rows(t, "x", gb_shape()), a = scalar(t, "a", 0.7);
    const gb_node draw = gb_draw(e, "b", gb_bernoulli_logits(gb_mul(a, x)), gb_enumerated());
    const gb_node cost = gb_sum_over(gb_mul(x, gb_square(gb_sub(draw, x))), GB_ROWS);
    const gb_node ga = gb_grad(gb_expected(e, cost), a);
    gb_program *p = gb_compile(t, gb_roots(ga), gb_no_update);
    gb_feed(x, data, 4);
    assert_int_equal(gb_run(p), GB_OK);
    for (int i = 0; i < 4; i++) {
        const double theta = 1 / (1 + exp(-0.7 * data[i]));
        should += theta * (1 - theta) * data[i] * data[i] * (1 - 2 * data[i]);
    }
    assert_close(gb_value(ga), should, 64);
    gb_expected(e, gb_square(gb_sum_over(draw, GB_ROWS)));
    assert_rejected(t, GB_EARGUMENT,
                    "draw b varies over rows, and enumerate needs a cost that is a sum over rows");
}

TEST(rows_that_mix_are_rejected_where_they_must_not)
{
    gb_expect *e = gb_expect_new(t);
    const gb_node x = gb_input_rows(t, "x", gb_shape()), a = scalar(t, "a", 0.7);
    const gb_node draw = gb_draw(e, "b", gb_bernoulli_logits(gb_mul(a, x)), gb_measure_valued());
    gb_expected(e, gb_square(gb_sum_over(draw, GB_ROWS)));
    assert_rejected(
        t, GB_EARGUMENT,
        "draw b varies over rows, and measure needs a cost that is a sum over rows which do not depend on "
        "each other's draws");
}

/* ---- evaluations of several sites ---- */

static int64_t evaluations_of(gb_tape *t, gb_node cost)
{
    int64_t count = 1;
    for (gb_axes rest = gb_node_axes(cost) & ~(GB_SAMPLES | GB_ROWS); rest; rest &= rest - 1)
        count *= gb_site_axis_size(t, rest & (~rest + 1));
    return count;
}

/* Three measure-valued draws of ten numbers each: 1 + 3 · 20 evaluations. */
TEST(independent_probing_sites_add_up)
{
    gb_expect *e = gb_expect_new(t);
    gb_node sum = gb_num(t, 0);
    static const char *const names[] = {"x", "y", "z"};
    for (int i = 0; i < 3; i++) {
        char of_loc[8];
        snprintf(of_loc, sizeof of_loc, "loc %s", names[i]);
        const gb_node loc = gb_variable(t, of_loc, gb_shape(10), gb_fill(0.1));
        sum = gb_add(sum, gb_sum(gb_draw(e, names[i], gb_normal(loc, gb_num(t, 1)), gb_measure_valued())));
    }
    const gb_node cost = gb_square(sum);
    assert_int_equal(evaluations_of(t, cost), 61);
    const gb_node mean = gb_expected(e, cost);
    gb_program *const look = gb_compile(t, gb_roots(mean), gb_no_update);
    assert_int_equal(gb_program_set_samples(look, 4000), GB_OK);
    assert_int_equal(gb_run(look), GB_OK);
    assert_true(fabs(gb_value(mean) - 39) < 6); /* 3² + 30: the draw counts once; seven standard errors */
    /* A sealed star is not grown any more. */
    const gb_node late = scalar(t, "late", 0);
    const gb_node w = gb_draw(e, "w", gb_normal(late, gb_num(t, 1)), gb_measure_valued());
    assert_int_equal(evaluations_of(t, w), 3);
    assert_int_equal(evaluations_of(t, cost), 61);
    assert_fine(t);
}

/* x → y, both probed by values: y is probed at the draw of x, and drawn anew at the probe of x. */
TEST(dependent_probing_sites_add_up)
{
    gb_expect *e = gb_expect_new(t);
    const gb_node phi = scalar(t, "phi", 0.2), psi = scalar(t, "psi", 0.1);
    const gb_node x = gb_draw(e, "x", gb_bernoulli_logits(phi), gb_arm());
    const gb_node y = gb_draw(e, "y", gb_bernoulli_logits(x), gb_arm());
    const gb_node z = gb_draw(e, "z", gb_bernoulli_logits(psi), gb_arm());
    const gb_node cost = gb_add(gb_add(x, y), z);
    assert_int_equal(evaluations_of(t, cost), 4);
    assert_true(gb_expect_evaluations(e, cost) == 4 && gb_expect_evaluations(e, (gb_node){0}) == 0);
    assert_true(gb_node_axes(x) == gb_node_axes(y) && gb_node_axes(x) == gb_node_axes(z));
}

/* The costs of REBAR's evaluations are differentiated, a weighted sum is not a probe, the series of the delta
 * method has second gradients, and a draw by another estimator may lie between. */
TEST(other_dependent_sites_multiply)
{
    const struct {
        gb_estimator first, second;
        bool between;
        int64_t evaluations;
    } all[] = {{gb_rebar(), gb_rebar(), false, 9},    {gb_rebar(), gb_arm(), false, 6},
               {gb_arm(), gb_rebar(), false, 4},      {gb_enumerated(), gb_arm(), false, 4},
               {gb_arm(), gb_enumerated(), false, 4}, {gb_arm(), gb_arm(), true, 4},
               {gb_arm(), gb_arm(), false, 3},        {gb_measure_valued(), gb_arm(), false, 4}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        gb_tape *const tape = test_tape();
        gb_expect *e = gb_expect_new(tape);
        gb_node x = gb_draw(e, "x", gb_bernoulli_logits(scalar(tape, "phi", 0.2)), all[i].first);
        if (all[i].between)
            x = gb_draw(e, "between", gb_normal(x, gb_num(tape, 1)), gb_pathwise());
        const gb_node y = gb_draw(e, "y", gb_bernoulli_logits(x), all[i].second);
        if (gb_expect_evaluations(e, gb_mul(x, y)) != (double)all[i].evaluations)
            fail_msg("%zu: %g evaluations, not %lld", i, gb_expect_evaluations(e, gb_mul(x, y)),
                     (long long)all[i].evaluations);
    }
}

/* What follows on probes is drawn with the same noise for all of them; what follows on weighted values is
 * not. */
TEST(draws_that_follow_on_probes_share_their_noise, .seed = 3)
{
    const gb_estimator by[] = {gb_arm(), gb_measure_valued(), gb_rebar(), gb_enumerated()};
    for (size_t i = 0; i < 4; i++) {
        enum { MOST = 8 };
        gb_tape *const tape = test_tape(.seed = 3);
        gb_expect *e = gb_expect_new(tape);
        const gb_node phi = gb_variable(tape, "phi", gb_shape(), gb_fill(0.2)), one = gb_num(tape, 1);
        const gb_node b = gb_draw(e, "b", gb_bernoulli_logits(phi), by[i]);
        const gb_node x = gb_draw(e, "x", gb_normal(gb_scale(b, 4), one), gb_pathwise());
        const gb_node k = gb_draw(e, "k", gb_bernoulli_logits(gb_scale(b, 1e-9)), gb_score());
        const gb_node noise = gb_sub(x, gb_scale(b, 4));
        gb_program *p = gb_compile(tape, gb_roots(noise, k), gb_no_update);
        double of_x[MOST], of_k[MOST];
        bool same = true;
        const size_t count = gb_value_count(noise);
        assert_true(count >= 2 && count <= MOST && gb_value_count(k) == count);
        for (int run = 0; run < 20; run++) {
            assert_int_equal(gb_run(p), GB_OK);
            gb_read(noise, of_x, count);
            gb_read(k, of_k, count);
            for (size_t j = 1; j < count; j++)
                same &= fabs(of_x[j] - of_x[0]) < 1e-12 && of_k[j] == of_k[0];
        }
        assert_int_equal(same, i < 3);
    }
}

/* All that can be drawn: exact, whichever sites are listed. E (x + 2y)³ for independent bernoullis. */
TEST(listed_sites_give_the_exact_gradient)
{
    gb_expect *e = gb_expect_new(t);
    const gb_node p = scalar(t, "p", 0.3), q = scalar(t, "q", 0.6);
    const gb_node x = gb_draw(e, "x", gb_bernoulli(p), gb_enumerated()),
                  y = gb_draw(e, "y", gb_bernoulli(q), gb_enumerated());
    const gb_node sum = gb_add(x, gb_scale(y, 2)), cost = gb_mul(sum, gb_square(sum));
    const gb_node loss = gb_expected(e, cost), g = gb_grad(loss, p), h = gb_grad(g, q);
    gb_program *program = gb_compile(t, gb_roots(loss, g, h), gb_no_update);
    assert_int_equal(gb_run(program), GB_OK);
    assert_close(gb_value(loss), 0.3 * 0.4 * 1 + 0.7 * 0.6 * 8 + 0.3 * 0.6 * 27, 16);
    assert_close(gb_value(g), 0.4 * 1 + 0.6 * (27 - 8), 16);
    assert_close(gb_value(h), 27 - 8 - 1, 16);
}

/* A value of probability 0 may cost what it will. */
TEST(values_of_probability_0_are_left_out)
{
    gb_expect *e = gb_expect_new(t);
    const gb_node logits = gb_variable(t, "logits", gb_shape(2), GB_VALUES(0.3, 0.5));
    const gb_node never = gb_constant(t, gb_shape(1), GB_VALUES(-INFINITY));
    const gb_node all = gb_concat(2, (const gb_node[]){logits, never}, 0);
    const gb_node x = gb_draw(e, "x", gb_categorical_logits(all), gb_enumerated());
    const gb_node loss = gb_expected(e, gb_log(gb_sub(gb_num(t, 2), x))); /* log 2, log 1, log 0 */
    const gb_node g = gb_grad(loss, logits);
    gb_program *program = gb_compile(t, gb_roots(loss, g), gb_no_update);
    assert_int_equal(gb_run(program), GB_OK);
    const double p = 1 / (1 + exp(0.2)), slope = p * (1 - p) * log(2);
    assert_close(gb_value(loss), p * log(2), 16);
    assert_values(g, slope, -slope);
}

/* With q's own log density in the cost: sampled sites leave out its
 * path at a fixed draw, whose mean is zero. */
TEST(the_own_log_density_keeps_its_mean_gradient)
{
    const double logit = 0.4, p = 1 / (1 + exp(-logit)), w = 1.3;
    gb_expect *e = gb_expect_new(t);
    const gb_node phi = scalar(t, "phi", logit);
    const gb_node x = gb_draw(e, "x", gb_bernoulli_logits(phi), gb_measure_valued());
    const gb_node cost = gb_add(gb_exp(x), gb_draw_log_prob(e, x, gb_num(t, w)));
    const gb_node g = gb_grad(gb_expected(e, cost), phi);
    gb_program *program = gb_compile(t, gb_roots(g), gb_no_update);
    assert_int_equal(gb_run(program), GB_OK);
    const double up = exp(1) + w * log(p), down = 1 + w * log(1 - p);
    assert_close(gb_value(g), p * (1 - p) * (up - down), 32);
}

/* ---- gradients of gradients ---- */

TEST(gradients_of_first_order_gradients_are_rejected_by_name)
{
    const gb_estimator all[] = {gb_measure_valued(), gb_arm(), gb_disarm(), gb_rebar()};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        gb_tape *const tape = test_tape();
        gb_expect *e = gb_expect_new(tape);
        const gb_node phi = scalar(tape, "phi", 0.2), theta = scalar(tape, "theta", 1.5);
        const gb_node x = gb_draw(e, "x", gb_bernoulli_logits(gb_scale(phi, 2)), all[i]);
        const gb_node cost = gb_square(gb_sub(theta, x));
        const gb_node loss = gb_expected(e, cost), in_phi = gb_grad(loss, phi),
                      in_theta = gb_grad(loss, theta);
        assert_true(gb_node_ok(gb_grad(in_phi, theta)));
        assert_true(gb_node_ok(gb_grad(in_theta, theta)));
        assert_true(gb_node_ok(gb_grad(gb_expected(e, gb_exp(cost)), phi))); /* another first one */
        char words[128];
        snprintf(words, sizeof words,
                 "the gradient of %s for draw x cannot be differentiated in the parameters",
                 all[i].type->name);
        gb_grad(in_phi, phi);
        assert_rejected(tape, GB_EGRADIENT, words);
        gb_grad(in_theta, phi);
        assert_rejected(tape, GB_EGRADIENT, words);
    }
}

/* ---- smoothness ---- */

TEST(gradients_along_a_path_need_a_cost_without_jumps)
{
    gb_expect *e = gb_expect_new(t);
    const gb_node mu = scalar(t, "mu", 0.2), one = gb_num(t, 1), zero = gb_num(t, 0);
    const gb_node x = gb_draw(e, "x", gb_normal(mu, one), gb_pathwise());
    const gb_node jumping[] = {gb_floor(x), gb_sign(x), gb_to_real(gb_greater(x, zero)),
                               gb_where(gb_less(x, zero), x, one), gb_square(gb_floor(gb_exp(x)))};
    static const char *const names[] = {"floor", "sign", "greater", "less", "floor"};
    for (size_t i = 0; i < sizeof jumping / sizeof *jumping; i++) {
        char words[128];
        snprintf(words, sizeof words, "pathwise of draw x needs a cost that is smooth in it, and %s jumps",
                 names[i]);
        gb_expected(e, gb_add(jumping[i], gb_square(x)));
        assert_rejected(t, GB_EARGUMENT, words);
    }
    const gb_node fine[] = {gb_relu(x),
                            gb_abs(x),
                            gb_mul(x, gb_stop(gb_sign(x))),
                            gb_continuous(gb_where(gb_less(x, zero), zero, x)),
                            gb_log_prob(gb_half_normal(one), gb_exp(x)),
                            gb_log_prob(gb_laplace(x, one), one)};
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++)
        assert_true(gb_node_ok(gb_expected(e, fine[i])));
    gb_expected(e, gb_log_prob(gb_normal(gb_floor(x), one), one));
    assert_rejected(t, GB_EARGUMENT, "floor jumps");
    const gb_node y = gb_draw(e, "y", gb_normal(mu, one), gb_score());
    assert_true(gb_node_ok(gb_expected(e, gb_floor(y))));
}

/* ---- learning ---- */

/* REBAR's η moves to where the variance is smallest, with the training of everything else. */
TEST(what_is_learned_joins_the_training, .seed = 3, .samples = 50)
{
    gb_expect *e = gb_expect_new(t);
    const gb_node phi = gb_input(t, "phi", gb_shape()), other = scalar(t, "other", 1);
    const gb_node x = gb_draw(e, "x", gb_bernoulli_logits(phi), gb_score());
    const gb_node y = gb_draw(e, "y", gb_bernoulli_logits(phi), gb_rebar(.learn = true, .eta = 1.5));
    const gb_node loss = gb_add(gb_expected(e, gb_add(x, gb_square(gb_shift(y, -0.45)))), gb_square(other));
    const gb_learned learned = lowered_in(loss);
    assert_string_equal(gb_node_name(learned.variable[0]), "y.eta");
    gb_program *train = gb_compile(t, gb_roots(loss), gb_minimise(loss, gb_adam(.lr = 0.02)));
    assert_fine(t);
    gb_feed(phi, (const double[]){0}, 1);
    for (int i = 0; i < 300; i++)
        assert_int_equal(gb_run(train), GB_OK);
    assert_true(fabs(gb_value(learned.variable[0])) < 0.7); /* the best is near 0 for this cost */
    assert_true(fabs(gb_value(other)) < 0.1);
}

/* The sum of the corrections of two draws has no product of both scores, which a mixed gradient needs. */
TEST(mixed_gradients_of_draws_that_share_evaluations_are_rejected)
{
    const gb_estimator discrete[] = {gb_arm(), gb_measure_valued(), gb_rebar()};
    for (size_t i = 0; i < 4; i++) {
        gb_tape *const tape = test_tape();
        gb_expect *e = gb_expect_new(tape);
        const gb_node a = scalar(tape, "a", 0.2), b = scalar(tape, "b", -0.4), one = gb_num(tape, 1);
        const gb_estimator by = i < 3 ? discrete[i] : gb_score(.baseline = gb_delta());
        const gb_node x = gb_draw(e, "x", i < 3 ? gb_bernoulli_logits(a) : gb_normal(a, one), by);
        const gb_node y = gb_draw(e, "y", i < 3 ? gb_bernoulli_logits(b) : gb_normal(b, one), by);
        const gb_node loss = gb_expected(e, gb_mul(x, y)), in_a = gb_grad(loss, a);
        assert_fine(tape);
        gb_grad(in_a, b);
        assert_rejected(tape, GB_EGRADIENT, "cannot be differentiated in the parameters of the draw");
    }
}

static double x_square_y(double x, double y, double z)
{
    (void)z;
    return x * x * y;
}

static void x_square_y_vjp(const gb_vjp *v)
{
    const gb_node x = v->arg[0], y = v->arg[1];
    if (v->wanted[0])
        v->adjoint[0] = gb_mul(v->gradient, gb_scale(gb_mul(x, y), 2));
    if (v->wanted[1])
        v->adjoint[1] = gb_mul(v->gradient, gb_square(x));
}

/* The walk through a cost knows its operations by their structs: a user may call an operation "sub". */
TEST(an_operation_from_outside_is_not_taken_for_another_of_its_name)
{
    static const char *const names[] = {"mine", "sub", "mul", "sum", "fence"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const gb_op op = {.size = sizeof(gb_op),
                          .name = names[i],
                          .formula = "x^2 y",
                          .form = GB_FORM_ELEMENTWISE,
                          .arguments = 2,
                          .lane = x_square_y,
                          .vjp = x_square_y_vjp};
        gb_tape *const tape = gb_tape_new(.seed = 3, .samples = 20000);
        gb_expect *const e = gb_expect_new(tape);
        const gb_node mu = scalar(tape, "mu", 1), a = scalar(tape, "a", 3);
        const gb_node z = gb_draw(e, "z", gb_normal(mu, gb_num(tape, 1)), gb_score());
        const gb_node cost = gb_apply(NULL, &op, 2, (gb_node[]){z, a}, NULL, 0);
        const gb_node loss = gb_expected(e, cost), slope = gb_grad(loss, mu);
        assert_fine(tape);
        assert_true(fabs(gb_value(loss) - 6) < 0.4 && fabs(gb_value(slope) - 6) < 1.5);
        gb_tape_free(tape);
    }
}

/* ---- plug-ins that return nothing ---- */

static gb_node returns_nothing(const gb_site *site, gb_node cost)
{
    (void)site, (void)cost;
    return (gb_node){0};
}

static gb_node draws_nothing(gb_site *site)
{
    (void)site;
    return (gb_node){0};
}

static gb_node has_no_value(const void *options, gb_node log_weights)
{
    (void)options, (void)log_weights;
    return (gb_node){0};
}

static gb_node has_no_density(const gb_dist *d, gb_node x)
{
    (void)d, (void)x;
    return (gb_node){0};
}

/* A part of the cost would be left out, and the rest would train. */
TEST(what_a_plug_in_does_not_return_is_an_error)
{
    gb_estimator_type combines = gb_score_estimator_type, draws = gb_score_estimator_type;
    combines.name = draws.name = "empty";
    combines.combine = returns_nothing;
    draws.draw = draws_nothing;
    const gb_estimator_type *const types[] = {&combines, &draws};
    static const char *const words[] = {"x: combine of empty returned no node",
                                        "y: draw of empty returned no node"};
    const gb_node one = gb_num(t, 1);
    for (size_t i = 0; i < 2; i++) {
        gb_expect *const e = gb_expect_new(t);
        char name[8] = {"xy"[i], 0};
        const gb_node x = gb_draw(e, name, gb_normal(one, one), gb_estimator_of(types[i], NULL));
        assert_false(gb_node_ok(gb_expected(e, gb_square(x))));
        assert_non_null(strstr(gb_error_text(t), words[i]));
        gb_forgive(t);
    }
    gb_bound_type bound = gb_iwae_bound_type;
    bound.name = "empty";
    bound.value = has_no_value;
    gb_expect *const e = gb_expect_new(t, .bound = gb_bound_of(&bound, NULL));
    const gb_node z = gb_draw(e, "z", gb_normal(one, one), gb_pathwise());
    assert_false(gb_node_ok(gb_expected_bound(e, gb_neg(gb_square(z)), one)));
    assert_string_equal(gb_error_text(t), "bound: value of empty returned no node");
    gb_forgive(t);
    gb_dist_type dist = gb_normal_type;
    dist.name = "empty";
    dist.log_prob = has_no_density;
    assert_false(gb_node_ok(gb_log_prob(gb_dist_of(&dist, (const gb_node[]){one, one}), one)));
    assert_string_equal(gb_error_text(t), "log_prob: log_prob of empty returned no node");
}
