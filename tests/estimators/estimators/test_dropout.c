/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dropout: pathwise in the weights, and in the rate by any estimator of the mask. The cost is that of linear
 * regression, (Σ w b x / p − t)², whose mean is (wᵀx − t)² + Σ w² x² (1 − p) / p. */
#include "support/close.h"

#include "core/gradient.h"
#include "distributions/list.h"
#include "estimators/expect.h"
#include "estimators/list.h"
#include "estimators/moments.h"
#include "estimators/trial.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/reduce.h"

enum { N = 3 };
static const double X[N] = {1.5, -0.5, 2}, W[N] = {0.8, 1.2, -0.4}, P[N] = {0.7, 0.4, 0.9}, T = 0.3;

typedef struct regression {
    gb_tape *t;
    gb_expect *e;
    gb_node w, p, draw, loss, of_w, of_p;
    gb_program *program;
} regression;

static regression regression_by(gb_estimator estimator, bool learned, int samples)
{
    regression r = {.t = test_tape(.seed = 5, .samples = samples)};
    r.e = gb_expect_new(r.t);
    r.w = gb_variable(r.t, "w", gb_shape(N), gb_values_of(W, N));
    r.p = learned ? gb_variable(r.t, "p", gb_shape(N), gb_values_of(P, N))
                  : gb_constant(r.t, gb_shape(N), gb_values_of(P, N));
    const gb_node x = gb_constant(r.t, gb_shape(N), gb_values_of(X, N));
    r.draw = gb_draw(r.e, "weights", gb_bernoulli_dropout(gb_div(r.w, r.p), r.p), estimator);
    r.loss = gb_expected(r.e, gb_square(gb_shift(gb_dot(r.draw, x), -T)));
    r.of_w = gb_grad(r.loss, r.w);
    r.of_p = learned ? gb_grad(r.loss, r.p) : r.of_w;
    r.program = gb_compile(r.t, gb_roots(r.draw, r.loss, r.of_w, r.of_p), gb_no_update);
    assert_fine(r.t);
    return r;
}

static double residual(void)
{
    double sum = -T;
    for (int i = 0; i < N; i++)
        sum += W[i] * X[i];
    return sum;
}

static double exact_loss(void)
{
    double sum = residual() * residual();
    for (int i = 0; i < N; i++)
        sum += W[i] * W[i] * X[i] * X[i] * (1 - P[i]) / P[i];
    return sum;
}

static double exact_of_w(int i)
{
    return 2 * residual() * X[i] + 2 * W[i] * X[i] * X[i] * (1 - P[i]) / P[i];
}

static double exact_of_p(int i)
{
    return -W[i] * W[i] * X[i] * X[i] / (P[i] * P[i]);
}

/* ---- exact ---- */

TEST(masks_that_are_enumerated_give_the_closed_form)
{
    double g[N];
    regression r = regression_by(gb_dropout_draws(.mask = gb_enumerated()), true, 1);
    assert_int_equal(gb_run(r.program), GB_OK);
    assert_true(near(gb_value(r.loss), exact_loss()));
    gb_read(r.of_w, g, N);
    for (int i = 0; i < N; i++)
        assert_true(near(g[i], exact_of_w(i)));
    gb_read(r.of_p, g, N);
    for (int i = 0; i < N; i++)
        assert_true(near(g[i], exact_of_p(i)));
}

/* One rate for all of them: its gradient is the sum. */
TEST(rates_broadcast_to_the_weights, .seed = 5)
{
    double should = 0;
    gb_expect *e = gb_expect_new(t);
    const gb_node x = gb_constant(t, gb_shape(N), gb_values_of(X, N)),
                  w = gb_constant(t, gb_shape(N), gb_values_of(W, N)),
                  p = gb_variable(t, "p", gb_shape(), gb_fill(0.6));
    const gb_node draw =
        gb_draw(e, "w", gb_bernoulli_dropout(gb_div(w, p), p), gb_dropout_draws(.mask = gb_enumerated()));
    const gb_node g = gb_grad(gb_expected(e, gb_square(gb_shift(gb_dot(draw, x), -T))), p);
    assert_fine(t);
    for (int i = 0; i < N; i++)
        should -= pow(W[i] * X[i] / 0.6, 2);
    assert_true(near(gb_value(g), should));
}

/* (Σ_ij b_i w_ij x_i / p_i − t)², with one mask for the two weights of each unit: their sum is dropped. */
TEST(units_share_a_mask, .seed = 5)
{
    double g[N], total = -T, sum[N], both[2 * N];
    gb_expect *e = gb_expect_new(t);
    for (int i = 0; i < N; i++) {
        both[2 * i] = W[i];
        both[2 * i + 1] = 0.5 + 0.25 * i;
        sum[i] = both[2 * i] + both[2 * i + 1];
        total += sum[i] * X[i];
    }
    const gb_node w = gb_variable(t, "w", gb_shape(N, 2), gb_values_of(both, 2 * N)),
                  p = gb_variable(t, "p", gb_shape(N), gb_values_of(P, N)),
                  x = gb_constant(t, gb_shape(N), gb_values_of(X, N));
    const gb_dist q = gb_unit_dropout(gb_div(w, gb_expand(p, -1)), p);
    const gb_node draw = gb_draw(e, "w", q, gb_dropout_draws(.mask = gb_enumerated()));
    const gb_node loss = gb_expected(e, gb_square(gb_shift(gb_sum(gb_matmul(x, draw)), -T)));
    const gb_node of_w = gb_grad(loss, w), of_p = gb_grad(loss, p);
    gb_program *program = gb_compile(t, gb_roots(of_w, of_p), gb_no_update);
    assert_fine(t);
    assert_int_equal(gb_run(program), GB_OK);
    gb_read(of_p, g, N), gb_read(of_w, both, 2 * N);
    for (int i = 0; i < N; i++) {
        const double of_sum = 2 * total * X[i] + 2 * sum[i] * X[i] * X[i] * (1 - P[i]) / P[i];
        assert_true(near(g[i], -pow(sum[i] * X[i] / P[i], 2)));
        assert_true(near(both[2 * i], of_sum) && near(both[2 * i + 1], of_sum));
    }
}

/* ---- draw by draw ---- */

/* Masks are what is 0 in the draw. */
TEST(a_fixed_rate_is_pathwise_in_the_weights)
{
    int dropped = 0;
    regression r = regression_by(gb_dropout_draws(), false, 1);
    for (int run = 0; run < 50; run++) {
        double w[N], g[N], sum = -T;
        assert_int_equal(gb_run(r.program), GB_OK);
        gb_read(r.draw, w, N), gb_read(r.of_w, g, N);
        for (int i = 0; i < N; i++) {
            assert_true(w[i] == 0 || near(w[i], W[i] / P[i]));
            dropped += w[i] == 0;
            sum += w[i] * X[i];
        }
        for (int i = 0; i < N; i++)
            assert_true(near(g[i], w[i] == 0 ? 0 : 2 * sum * X[i] / P[i]));
    }
    assert_true(dropped > 20 && dropped < 80);
}

/* Gal, Hron and Kendall 2017: m = sigmoid((logit p + noise) / t), and ∂m/∂p = m (1 − m) / (t p (1 − p)). */
TEST(concrete_dropout_is_its_formula, .seed = 5)
{
    gb_expect *e = gb_expect_new(t);
    const gb_node w = gb_variable(t, "w", gb_shape(), gb_fill(1.4)),
                  p = gb_variable(t, "p", gb_shape(), gb_fill(0.6));
    const gb_node draw = gb_draw(e, "weight", gb_bernoulli_dropout(w, p),
                                 gb_dropout_draws(.mask = gb_relaxed_draws(.temperature = 0.1)));
    const gb_node loss = gb_expected(e, gb_square(gb_shift(draw, -T))), of_w = gb_grad(loss, w),
                  of_p = gb_grad(loss, p);
    gb_program *program = gb_compile(t, gb_roots(draw, of_w, of_p), gb_no_update);
    assert_fine(t);
    for (int run = 0; run < 50; run++) {
        assert_int_equal(gb_run(program), GB_OK);
        const double m = gb_value(draw) / 1.4, slope = 2 * (1.4 * m - T);
        assert_true(near(gb_value(of_w), slope * m));
        assert_true(fabs(gb_value(of_p) - slope * 1.4 * m * (1 - m) / (0.1 * 0.6 * 0.4)) <=
                    1e-11 * (1 + fabs(slope)));
    }
}

/* ---- means ---- */

/* Seven estimators, three weights and three rates: 42 tests. */
TEST(every_estimator_of_the_mask_is_unbiased)
{
    enum { RUNS = 300 };
    const gb_estimator all[] = {gb_score(),          gb_score(.baseline = gb_leave_one_out()),
                                gb_measure_valued(), gb_arm(),
                                gb_disarm(),         gb_rebar(),
                                gb_relax()};
    double *const seen = malloc(2 * N * RUNS * sizeof *seen);
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        regression r = regression_by(gb_dropout_draws(.mask = all[k]), true, 500);
        for (int run = 0; run < RUNS; run++) {
            double g[2 * N];
            assert_int_equal(gb_run(r.program), GB_OK);
            gb_read(r.of_w, g, N), gb_read(r.of_p, g + N, N);
            for (int i = 0; i < 2 * N; i++)
                seen[i * RUNS + run] = g[i];
        }
        for (int i = 0; i < 2 * N; i++) {
            moments m = {.draw = seen + i * RUNS, .count = RUNS};
            const double exact = i < N ? exact_of_w(i) : exact_of_p(i - N);
            moments_finish(&m);
            assert_true(sees_bias(&m, 0.5));
            if (fabs(m.mean - exact) > z_bound(1e-6, 42) * m.mean_error)
                fail_msg("%s, %d: %g ± %g, not %g", all[k].type->name, i, m.mean, m.mean_error, exact);
        }
    }
    free(seen);
}

/* ---- rows and layers ---- */

/* E Σ over rows of (b w x − t)². With a mask for all rows the draw does not vary over them. */
TEST(masks_are_for_all_rows_or_for_each)
{
    for (int per_row = 0; per_row < 2; per_row++) {
        double should_w = 0, should_p = 0;
        gb_tape *const tape = test_tape(.seed = 5);
        gb_expect *e = gb_expect_new(tape);
        const gb_node x = gb_input_rows(tape, "x", gb_shape()),
                      w = gb_variable(tape, "w", gb_shape(), gb_fill(1.4)),
                      p = gb_variable(tape, "p", gb_shape(), gb_fill(0.6));
        const gb_estimator estimator = gb_dropout_draws(.mask = gb_enumerated(), .per_row = per_row);
        const gb_node draw = gb_draw(e, "weight", gb_bernoulli_dropout(w, p), estimator);
        const gb_node cost = gb_sum_over(gb_square(gb_shift(gb_mul(draw, x), -T)), GB_ROWS);
        const gb_node loss = gb_expected(e, cost), of_w = gb_grad(loss, w), of_p = gb_grad(loss, p);
        gb_program *program = gb_compile(tape, gb_roots(of_w, of_p), gb_no_update);
        gb_feed(x, X, N);
        assert_fine(tape);
        assert_true(!(gb_node_axes(draw) & GB_ROWS) == !per_row);
        assert_int_equal(gb_run(program), GB_OK);
        for (int i = 0; i < N; i++) {
            const double y = 1.4 * X[i] - T;
            should_w += 0.6 * 2 * y * X[i];
            should_p += y * y - T * T;
        }
        assert_true(near(gb_value(of_w), should_w) && near(gb_value(of_p), should_p));
    }
}

TEST(rows_have_masks_of_their_own, .seed = 5)
{
    int differ = 0;
    gb_expect *e = gb_expect_new(t);
    const gb_node x = gb_input_rows(t, "x", gb_shape());
    const gb_node draw = gb_draw(e, "w", gb_bernoulli_dropout(gb_num(t, 2), gb_num(t, 0.5)),
                                 gb_dropout_draws(.per_row = true));
    const gb_node product = gb_mul(x, draw);
    gb_program *program = gb_compile(t, gb_roots(product), gb_no_update);
    gb_feed(x, X, N);
    assert_fine(t);
    for (int run = 0; run < 20; run++) {
        double w[N];
        assert_int_equal(gb_run(program), GB_OK);
        gb_read(product, w, N);
        differ += (w[0] == 0) != (w[1] == 0);
    }
    assert_true(differ > 0 && differ < 20);
}

/* v b₂ relu(w b₁ x), squared: E = v² w² x² p₁ p₂ where w x > 0. The second
 * mask's estimator sees the first's draws. */
TEST(layers_have_a_mask_each, .seed = 5)
{
    gb_expect *e = gb_expect_new(t);
    const gb_node w = gb_variable(t, "w", gb_shape(), gb_fill(1.4)),
                  v = gb_variable(t, "v", gb_shape(), gb_fill(-0.5)),
                  p1 = gb_variable(t, "p1", gb_shape(), gb_fill(0.6)),
                  p2 = gb_variable(t, "p2", gb_shape(), gb_fill(0.7));
    const gb_estimator exactly = gb_dropout_draws(.mask = gb_enumerated());
    const gb_node first = gb_draw(e, "first", gb_bernoulli_dropout(w, p1), exactly),
                  second = gb_draw(e, "second", gb_bernoulli_dropout(v, p2), exactly);
    const gb_node loss = gb_expected(e, gb_square(gb_mul(second, gb_relu(gb_scale(first, 1.5)))));
    const double all = pow(1.4 * 0.5 * 1.5, 2);
    const gb_node nodes[] = {loss, gb_grad(loss, w), gb_grad(loss, v), gb_grad(loss, p1), gb_grad(loss, p2)};
    const double should[] = {all * 0.42, 2 * all * 0.42 / 1.4, -2 * all * 0.42 / 0.5, all * 0.7, all * 0.6};
    gb_program *program = gb_compile(t, (gb_node_list){.count = 5, .node = nodes}, gb_no_update);
    assert_fine(t);
    assert_int_equal(gb_run(program), GB_OK);
    for (int i = 0; i < 5; i++)
        assert_true(near(gb_value(nodes[i]), should[i]));
}

/* The same, with masks by two estimators: four pairs, two gradients each. */
TEST(masks_of_layers_may_have_different_estimators)
{
    const gb_estimator all[][2] = {{gb_measure_valued(), gb_disarm()},
                                   {gb_arm(), gb_enumerated()},
                                   {gb_rebar(), gb_score(.baseline = gb_leave_one_out())},
                                   {gb_score(), gb_relax()}};
    const double square = pow(1.4 * 0.5 * 1.5, 2), exact[] = {square * 0.7, square * 0.6};
    for (int i = 0; i < 4; i++) {
        enum { RUNS = 300 };
        double seen[2][RUNS];
        gb_tape *const tape = test_tape(.seed = 5, .samples = 1000);
        gb_expect *e = gb_expect_new(tape);
        const gb_node p1 = gb_variable(tape, "p1", gb_shape(), gb_fill(0.6)),
                      p2 = gb_variable(tape, "p2", gb_shape(), gb_fill(0.7));
        const gb_node first = gb_draw(e, "first", gb_bernoulli_dropout(gb_num(tape, 1.4), p1),
                                      gb_dropout_draws(.mask = all[i][0])),
                      second = gb_draw(e, "second", gb_bernoulli_dropout(gb_num(tape, -0.5), p2),
                                       gb_dropout_draws(.mask = all[i][1]));
        const gb_node loss = gb_expected(e, gb_square(gb_mul(second, gb_scale(first, 1.5))));
        const gb_node of_first = gb_grad(loss, p1), of_second = gb_grad(loss, p2);
        gb_program *program = gb_compile(tape, gb_roots(of_first, of_second), gb_no_update);
        assert_fine(tape);
        for (int run = 0; run < RUNS; run++) {
            assert_int_equal(gb_run(program), GB_OK);
            seen[0][run] = gb_value(of_first), seen[1][run] = gb_value(of_second);
        }
        for (int k = 0; k < 2; k++) {
            moments m = {.draw = seen[k], .count = RUNS};
            moments_finish(&m);
            assert_true(sees_bias(&m, 0.1 * exact[k]));
            if (fabs(m.mean - exact[k]) > z_bound(1e-6, 8) * m.mean_error + 1e-12)
                fail_msg("%d, %d: %g ± %g, not %g", i, k, m.mean, m.mean_error, exact[k]);
        }
    }
}

/* log q of a draw is one of its cost's terms: E log q = Σ p log p + (1 − p) log (1 − p). */
TEST(the_log_density_of_the_weights_may_be_in_the_cost, .seed = 5)
{
    gb_expect *e = gb_expect_new(t);
    const gb_node w = gb_variable(t, "w", gb_shape(), gb_fill(1.4)),
                  p = gb_variable(t, "p", gb_shape(), gb_fill(0.6));
    const gb_node draw =
        gb_draw(e, "w", gb_bernoulli_dropout(w, p), gb_dropout_draws(.mask = gb_enumerated()));
    const gb_node loss = gb_expected(e, gb_draw_log_prob(e, draw, gb_num(t, 1))), g = gb_grad(loss, p);
    assert_fine(t);
    gb_program *program = gb_compile(t, gb_roots(loss, g), gb_no_update);
    assert_int_equal(gb_run(program), GB_OK);
    assert_true(near(gb_value(loss), 0.6 * log(0.6) + 0.4 * log(0.4)) && near(gb_value(g), log(0.6 / 0.4)));
}

/* ---- what is rejected ---- */

TEST(a_rate_with_a_gradient_needs_an_estimator)
{
    gb_expect *e = gb_expect_new(t);
    const gb_node w = gb_variable(t, "w", gb_shape(), gb_fill(1)),
                  p = gb_variable(t, "p", gb_shape(), gb_fill(0.5));
    gb_draw(e, "a", gb_bernoulli_dropout(w, p), gb_dropout_draws());
    assert_rejected(
        t, GB_EARGUMENT,
        "draw a: dropout needs a constant keep (or a stopped one), or an estimator for its mask: .mask = "
        "gb_arm()");
    assert_true(gb_node_ok(gb_draw(e, "b", gb_bernoulli_dropout(w, gb_stop(p)), gb_dropout_draws())));
    gb_draw(e, "c", gb_normal(w, p), gb_dropout_draws());
    assert_rejected(t, GB_EARGUMENT, "draw c: dropout needs a mask");
    gb_draw(e, "d", gb_bernoulli_dropout(w, p), gb_dropout_draws(.mask = gb_pathwise()));
    assert_rejected(t, GB_EARGUMENT,
                    "draw d.mask: pathwise needs a reparameterised sampler; bernoulli has none");
}
