/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An ELBO with a bound of several draws in its place: y = w + noise of 1, w ~ N(0, 1). */
#include <string.h>

#include "support/close.h"

#include "compare/moments.h"
#include "distributions/list.h"
#include "estimators/list.h"
#include "fitting/fit.h"
#include "fitting/judge.h"
#include "models/elbo.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "support/files.h"

enum { N = 6 };
static const double Y[N] = {0.4, 1.9, 1.1, -0.2, 0.7, 1.6};

/* With one w for all rows: log N(y; 0, I + 1 1'). */
static double log_z(int rows)
{
    double sum = 0, squares = 0;
    for (int i = 0; i < rows; i++) {
        sum += Y[i];
        squares += Y[i] * Y[i];
    }
    return -0.5 * (rows * log(2 * GB_PI) + log(1 + rows) + squares - sum * sum / (1 + rows));
}

static gb_elbo *for_all_rows(gb_tape *t, gb_bound bound, gb_estimator estimator, gb_node *y)
{
    gb_elbo *e = gb_elbo_new(t, .data_size = N, .bound = bound);
    const gb_node zero = gb_num(t, 0), one = gb_num(t, 1);
    *y = gb_input_rows(t, "y", gb_shape());
    const gb_node w = gb_latent(e, "w", gb_mean_field(gb_shape(), .location = 0.4, .scale = 0.5),
                                gb_normal(zero, one), estimator);
    gb_observe(e, "y", gb_normal(w, one), *y);
    gb_feed(*y, Y, N);
    return e;
}

static double mean_bound(gb_tape *t, gb_elbo *e, double *error)
{
    gb_moments m = {0};
    const gb_node loss = gb_elbo_loss(e);
    gb_program *look = gb_compile(t, gb_roots(loss), gb_no_update);
    gb_program_set_samples(look, 50);
    for (int run = 0; run < 200 && gb_run(look) == GB_OK; run++)
        gb_moments_add(&m, 1, &(double){-gb_value(loss)}, 1);
    assert_int_equal(gb_error(t), GB_OK);
    *error = sqrt(gb_moments_variance(&m) / m.count);
    return m.mean;
}

TEST(more_draws_come_nearer_to_the_evidence)
{
    const int64_t draws[] = {1, 5, 50, 500};
    double before = -INFINITY, error;
    gb_node y;
    for (size_t i = 0; i < sizeof draws / sizeof *draws; i++) {
        gb_tape *const own = gb_tape_new(.seed = 4, .threads = 1);
        const double bound =
            mean_bound(own, for_all_rows(own, gb_iwae(.draws = draws[i]), gb_dreg(), &y), &error);
        assert_true(bound > before && bound < log_z(N) + 6 * error);
        before = bound;
        gb_tape_free(own);
    }
    assert_near(before, log_z(N), 0.003 + 6 * error);
    (void)t;
}

TEST(a_draw_for_all_rows_needs_all_rows, .threads = 1)
{
    gb_node y;
    gb_elbo *const e = for_all_rows(t, gb_iwae(), gb_pathwise(), &y);
    gb_program *const look = gb_compile(t, gb_roots(gb_elbo_loss(e)), gb_no_update);
    assert_int_equal(gb_run(look), GB_OK);
    gb_feed(y, Y, 2);
    assert_int_equal(gb_run(look), GB_EARGUMENT);
    assert_rejected(t, GB_EARGUMENT,
                    "elbo: data_size / rows is 3, and must be 1: a bound of several draws that "
                    "are for all rows is no sum over them");
}

/* With w of each row, log Z is a sum over rows, and N / rows times that of a part. */
static gb_elbo *of_each_row(gb_tape *t, gb_bound bound, gb_estimator estimator, gb_node *y)
{
    gb_elbo *e = gb_elbo_new(t, .data_size = N, .bound = bound);
    const gb_node zero = gb_num(t, 0), one = gb_num(t, 1);
    *y = gb_input_rows(t, "y", gb_shape());
    const gb_node slope = gb_variable(t, "slope", gb_shape(), gb_fill(0.5)),
                  log_sd = gb_variable(t, "log_sd", gb_shape(), gb_fill(log(sqrt(0.5))));
    const gb_node w = gb_latent(e, "w", gb_posterior_of(gb_normal(gb_mul(slope, *y), gb_exp(log_sd))),
                                gb_normal(zero, one), estimator);
    gb_observe(e, "y", gb_normal(w, one), *y);
    return e;
}

TEST(draws_of_each_row_have_a_bound_of_each_row)
{
    const gb_estimator all[] = {gb_pathwise(), gb_dreg(), gb_vimco()};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        gb_tape *const own = gb_tape_new(.seed = 4, .threads = 1);
        gb_node y;
        gb_elbo *const e = of_each_row(own, gb_iwae(.draws = 3), all[i], &y);
        const gb_node loss = gb_elbo_loss(e);
        gb_program *const look = gb_compile(own, gb_roots(loss), gb_no_update);
        for (int rows = 1; rows <= N; rows++) {
            double should = 0;
            for (int k = 0; k < rows; k++)
                should -= 0.25 * Y[k] * Y[k] + 0.5 * log(2 * GB_PI * 2);
            gb_feed(y, Y, rows);
            assert_int_equal(gb_run(look), GB_OK);
            assert_near(gb_value(loss), -should * N / rows, 1e-10); /* q is exact */
        }
        gb_tape_free(own);
    }
    (void)t;
}

/* The gradient of the loss in the slope of q, of two rows that stand for `data_size`. */
static double gradient_of_two_rows(double data_size, gb_estimator estimator)
{
    gb_tape *const own = gb_tape_new(.seed = 4, .samples = 3, .threads = 1);
    gb_elbo *const e = gb_elbo_new(own, .data_size = data_size, .bound = gb_iwae(.draws = 4));
    const gb_node zero = gb_num(own, 0), one = gb_num(own, 1), y = gb_input_rows(own, "y", gb_shape());
    const gb_node slope = gb_variable(own, "slope", gb_shape(), gb_fill(0.3));
    const gb_node w =
        gb_latent(e, "w", gb_posterior_of(gb_normal(gb_mul(slope, y), one)), gb_normal(zero, one), estimator);
    gb_observe(e, "y", gb_normal(w, one), y);
    gb_feed(y, Y, 2);
    const gb_node gradient = gb_grad(gb_elbo_loss(e), slope);
    assert_int_equal(gb_run(gb_compile(own, gb_roots(gradient), gb_no_update)), GB_OK);
    const double value = gb_value(gradient);
    gb_tape_free(own);
    return value;
}

TEST(a_row_that_stands_for_three_has_three_times_the_gradient)
{
    const gb_estimator all[] = {gb_pathwise(), gb_dreg(), gb_vimco(),          gb_ovis(),
                                gb_score(),    gb_wake(), gb_ovis_asymptotic()};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        assert_close(gradient_of_two_rows(6, all[i]), 3 * gradient_of_two_rows(2, all[i]), 256);
    (void)t;
}

TEST(weights_of_rows_are_rejected_where_rows_have_bounds)
{
    gb_tape *const own = gb_tape_new();
    gb_elbo *const e = gb_elbo_new(own, .data_size = N, .bound = gb_iwae());
    const gb_node zero = gb_num(own, 0), one = gb_num(own, 1), y = gb_input_rows(own, "y", gb_shape());
    const gb_node by = gb_input_rows(own, "by", gb_shape());
    const gb_node w =
        gb_latent(e, "w", gb_posterior_of(gb_normal(y, one)), gb_normal(zero, one), gb_pathwise());
    gb_observe(e, "y", gb_normal(w, one), y, .weight = by);
    gb_elbo_loss(e);
    assert_rejected(own, GB_EARGUMENT, "elbo: y has weights of rows, and the bound iwae of rows");
    gb_tape_free(own);
    (void)t;
}

TEST(a_training_learns_a_bound_of_rows)
{
    const gb_estimator all[] = {gb_dreg(), gb_vimco(), gb_ovis(), gb_wake()};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        gb_tape *const own = gb_tape_new(.seed = 4, .threads = 1);
        gb_node y;
        gb_elbo *const e = of_each_row(own, gb_iwae(.draws = 8), all[i], &y);
        const gb_node slope = gb_variable_named(own, "slope"), log_sd = gb_variable_named(own, "log_sd");
        gb_set(slope, gb_fill(0.2));
        gb_set(log_sd, gb_fill(-0.1));
        gb_feed(y, Y, N);
        gb_tape_set_samples(own, 20);
        gb_fit(e, .optimiser = gb_adam(.lr = 0.02), .steps = 1500, .average = 0.99);
        assert_int_equal(gb_error(own), GB_OK);
        assert_near(gb_value(slope), 0.5, 0.05);
        assert_near(exp(gb_value(log_sd)), sqrt(0.5), 0.06);
        gb_tape_free(own);
    }
    (void)t;
}

/* The optimum of the sleep phase is the posterior at data of the model: here for any y. */
TEST(a_sleeping_q_learns_from_the_model)
{
    const gb_bound bounds[] = {gb_evidence_bound(), gb_iwae(.draws = 5)};
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        gb_tape *const own = gb_tape_new(.seed = 4, .samples = 20, .threads = 1);
        gb_node y;
        gb_elbo *const e = of_each_row(own, bounds[i], gb_sleep(), &y);
        const gb_node slope = gb_variable_named(own, "slope"), log_sd = gb_variable_named(own, "log_sd");
        const gb_node loss = gb_elbo_loss(e), in[] = {slope, log_sd};
        gb_node gradient[2];
        gb_set(slope, gb_fill(0.2));
        gb_set(log_sd, gb_fill(-0.1));
        gb_feed(y, Y, N);
        gb_fit(e, .optimiser = gb_adam(.lr = 0.02), .steps = 1500, .average = 0.99);
        assert_int_equal(gb_error(own), GB_OK);
        assert_near(gb_value(slope), 0.5, 0.04);
        assert_near(exp(gb_value(log_sd)), sqrt(0.5), 0.04);
        /* d/d slope of E -log q = (slope (v + 1) - 1) / sd^2, v = var(y) - 1 = 1 */
        gb_set(slope, gb_fill(0.2));
        gb_set(log_sd, gb_fill(0));
        gb_grads(loss, in, 2, gradient);
        gb_program *const look = gb_compile(own, gb_roots(gradient[0], gradient[1]), gb_no_update);
        gb_program_set_samples(look, 20000);
        assert_int_equal(gb_run(look), GB_OK);
        assert_near(gb_value(gradient[0]), N * (0.2 * 2 - 1), 0.1);
        assert_near(gb_value(gradient[1]), N * (1 - (1 - 2 * 0.2 + 0.04 * 2)), 0.1);
        gb_tape_free(own);
    }
    (void)t;
}

TEST(what_cannot_sleep_is_rejected_in_words)
{
    gb_node y;
    assert_true(gb_node_ok(gb_elbo_loss(of_each_row(t, gb_evidence_bound(), gb_sleep(), &y))));
    gb_tape *own = gb_tape_new();
    gb_elbo_loss(for_all_rows(own, gb_evidence_bound(), gb_sleep(), &y));
    assert_rejected(own, GB_EARGUMENT,
                    "latent w: the sleep phase teaches q to tell the latent from the data");
    gb_tape_free(own);
    own = gb_tape_new();
    gb_elbo *e = of_each_row(own, gb_evidence_bound(), gb_sleep(), &y);
    gb_latent(e, "v", gb_mean_field(gb_shape()), gb_normal(gb_num(own, 0), gb_num(own, 1)), gb_pathwise());
    gb_elbo_loss(e);
    assert_rejected(own, GB_EARGUMENT, "1 of 2 latents have gb_sleep()");
    gb_tape_free(own);
    own = gb_tape_new();
    e = of_each_row(own, gb_evidence_bound(), gb_sleep(), &y);
    gb_factor(e, "more", gb_sum_over(gb_square(y), GB_ROWS));
    assert_true(gb_node_ok(gb_elbo_loss(e)));
    gb_tape_free(own);
    own = gb_tape_new();
    gb_expect *const plain = gb_expect_new(own);
    const gb_node z = gb_draw(plain, "z", gb_normal(gb_num(own, 0), gb_num(own, 1)), gb_sleep());
    gb_expected(plain, gb_add(gb_square(z), gb_draw_log_prob(plain, z, gb_num(own, -1))));
    assert_rejected(own, GB_EARGUMENT,
                    "sleep of draw z leaves q to the model of a gb_elbo, and this is none");
    gb_tape_free(own);
}

static void print_to(gb_elbo *e, char text[4000])
{
    FILE *const file = tmpfile();
    gb_elbo_print(e, file);
    rewind(file);
    text[fread(text, 1, 3999, file)] = '\0';
    fclose(file);
}

/* Which says so of those that are none. */
TEST(a_print_says_of_which_options_it_is_no_bound, .threads = 1)
{
    gb_node y;
    char text[4000];
    const gb_bound bounds[] = {gb_renyi(.alpha = -1, .draws = 3), gb_renyi(.alpha = 0.3), gb_thermodynamic()};
    static const bool is_none[] = {true, false, true};
    for (size_t i = 0; i < 3; i++) {
        gb_tape *const own = gb_tape_new(.threads = 1);
        gb_elbo *const e = for_all_rows(own, bounds[i], gb_pathwise(), &y);
        assert_int_equal(gb_run(gb_compile(own, gb_elbo_roots(e), gb_no_update)), GB_OK);
        print_to(e, text);
        assert_int_equal(strstr(text, "Not a bound: ") != NULL, is_none[i]);
        if (i == 0)
            assert_non_null(strstr(text, "\nbound            renyi:alpha=-1:draws=3 "));
        gb_tape_free(own);
    }
}

TEST(a_history_and_a_print_show_the_bound, .threads = 1)
{
    gb_node y;
    char text[4000];
    gb_elbo *const e = for_all_rows(t, gb_iwae(.draws = 300), gb_dreg(), &y);
    const gb_fit_result r = gb_fit(e, .optimiser = gb_adam(.lr = 1e-9), .steps = 200);
    assert_near(r.last.elbo, log_z(N), 0.02);
    assert_int_equal(gb_run(gb_compile(t, gb_elbo_roots(e), gb_no_update)), GB_OK);
    print_to(e, text);
    assert_non_null(strstr(text, "\nbound            iwae"));
}

TEST(a_fit_of_a_bound_is_judged_by_q, .threads = 1)
{
    gb_node y;
    gb_elbo *const e = for_all_rows(t, gb_iwae(.draws = 4), gb_dreg(), &y);
    const gb_fit_result r = gb_fit(e);
    assert_int_equal(gb_error(t), GB_OK);
    assert_non_null(strstr(r.words, "stochastic, since the bound is another one than the ELBO"));
    assert_int_equal(r.verdict, GB_VERDICT_GOOD_HERE);
    const gb_node mean = gb_elbo_posterior_mean(e, "w");
    assert_int_equal(gb_run(gb_compile(t, gb_roots(mean), gb_no_update)), GB_OK);
    assert_near(gb_value(mean), 5.5 / 7, 0.03);
}
