/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an ELBO can be asked for: units, a weight of KL, other bounds; and what it says of its terms. */
#include "support/close.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/gradient.h"
#include "distributions/list.h"
#include "estimators/list.h"
#include "models/elbo.h"
#include "models/optimiser.h"
#include "models/printed.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "support/parts.h"

enum { N = 6, BATCH = 2 };
static const double DATA[N] = {0.3, -1.2, 2, 0.7, -0.1, 1.4};

typedef struct model {
    gb_tape *t;
    gb_elbo *e;
    gb_node y, w, loss;
} model;

/* y ~ N(w, 1), w ~ N(0, 2²). */
static model model_with(gb_elbo_options options, gb_estimator estimator)
{
    model m = {.t = test_tape(.seed = 3, .samples = 4)};
    options.size = sizeof options;
    options.data_size = N;
    m.y = gb_input_rows(m.t, "y", gb_shape());
    m.e = gb_elbo_new_with(m.t, &options);
    m.w = gb_latent(m.e, "w", gb_mean_field(gb_shape(), .location = 0.4, .scale = 0.5),
                    gb_normal(gb_num(m.t, 0), gb_num(m.t, 2)), estimator);
    gb_observe(m.e, "y", gb_normal(m.w, gb_num(m.t, 1)), m.y);
    m.loss = gb_elbo_loss(m.e);
    return m;
}

static double kl(void)
{
    return log(2 / 0.5) + (0.5 * 0.5 + 0.4 * 0.4) / (2 * 4) - 0.5;
}

/* Σ E log p of some data. */
static double fit(size_t count, const double *y)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum -= 0.5 * log(2 * acos(-1)) + 0.5 * ((y[i] - 0.4) * (y[i] - 0.4) + 0.25);
    return sum;
}

/* ---- units ---- */

TEST(each_unit_is_its_published_formula)
{
    for (size_t rows = 1; rows <= N; rows++) {
        const double scaled = (double)rows / N, log_p = fit(rows, DATA);
        const double should[] = {kl() - log_p / scaled, scaled * kl() - log_p,
                                 kl() / N - log_p / (double)rows};
        for (int unit = GB_PER_DATA_SET; unit <= GB_PER_DATUM; unit++) {
            const model m =
                model_with((gb_elbo_options){.unit = (gb_elbo_unit)unit}, gb_quadrature(.nodes = 5));
            gb_feed(m.y, DATA, (int64_t)rows);
            assert_close(gb_value(m.loss), should[unit], 512);
        }
    }
}

/* Blundell et al. 2015, equation 9: KL is shared out among the batches of
 * an epoch as one likes, here 4 : 2 : 1. */
TEST(kl_can_be_shared_out_among_batches)
{
    enum { BATCHES = N / BATCH };
    const gb_node y = gb_input_rows(t, "y", gb_shape()), weight = gb_input(t, "weight", gb_shape());
    gb_elbo *e = gb_elbo_new(t, .data_size = N, .unit = GB_PER_BATCH, .kl_weight = weight);
    const gb_node w = gb_latent(e, "w", gb_mean_field(gb_shape(), .location = 0.4, .scale = 0.5),
                                gb_normal(gb_num(t, 0), gb_num(t, 2)), gb_quadrature(.nodes = 5));
    gb_observe(e, "y", gb_normal(w, gb_num(t, 1)), y);
    const gb_node loss = gb_elbo_loss(e);
    gb_program *look = gb_compile(t, gb_roots(loss), gb_no_update);
    double sum = 0;
    for (int i = 1; i <= BATCHES; i++) {
        const double share = exp2(BATCHES - i) / (exp2(BATCHES) - 1), by = N * share / BATCH;
        const double *const data = DATA + (size_t)(i - 1) * BATCH;
        gb_feed(y, data, BATCH);
        gb_feed(weight, &by, 1);
        assert_int_equal(gb_run(look), GB_OK);
        assert_close(gb_value(loss), share * kl() - fit(BATCH, data), 512);
        sum += gb_value(loss);
    }
    assert_close(sum, kl() - fit(N, DATA), 512);
}

/* Gradient descent with steps divided by what the loss is multiplied by,
 * over batches of which the last is short. */
TEST(parameters_do_not_depend_on_the_unit_once_the_step_is_divided_by_it)
{
    enum { ROWS = 4 };
    double first = 0;
    for (int unit = GB_PER_DATA_SET; unit <= GB_PER_DATUM; unit++) {
        const model m = model_with((gb_elbo_options){.unit = (gb_elbo_unit)unit}, gb_pathwise());
        const gb_node location = gb_variable_named(m.t, "w.location");
        const gb_node rate = gb_variable(m.t, "rate", gb_shape(), gb_fill(0));
        const gb_node next = gb_sub(location, gb_mul(rate, gb_grad(m.loss, location)));
        gb_program *step = gb_compile(m.t, gb_roots(m.loss), gb_assign(location, next));
        for (int epoch = 0; epoch < 5; epoch++)
            for (int64_t begin = 0; begin < N; begin += ROWS) {
                const int64_t rows = begin + ROWS < N ? ROWS : N - begin;
                const double by[] = {1, (double)rows / N, 1.0 / N};
                gb_feed(m.y, DATA + begin, rows);
                gb_set(rate, gb_fill(0.01 / by[unit]));
                assert_int_equal(gb_run(step), GB_OK);
            }
        if (unit == GB_PER_DATA_SET)
            first = gb_value(location);
        assert_close(gb_value(location), first, 64);
    }
}

/* All C(6, 2) batches: their mean loss is that of the data set, in every
 * unit that does not change with the batch. */
TEST(batches_are_unbiased_over_all_subsets)
{
    const double whole[] = {kl() - fit(N, DATA), (kl() - fit(N, DATA)) * BATCH / N,
                            (kl() - fit(N, DATA)) / N};
    for (int unit = GB_PER_DATA_SET; unit <= GB_PER_DATUM; unit++) {
        const model m = model_with((gb_elbo_options){.unit = (gb_elbo_unit)unit}, gb_quadrature(.nodes = 5));
        gb_program *look = gb_compile(m.t, gb_roots(m.loss), gb_no_update);
        double sum = 0;
        for (int a = 0; a < N; a++)
            for (int b = a + 1; b < N; b++) {
                gb_feed(m.y, (const double[]){DATA[a], DATA[b]}, BATCH);
                assert_int_equal(gb_run(look), GB_OK);
                sum += gb_value(m.loss);
            }
        assert_close(sum / 15, whole[unit], 512);
    }
}

/* ---- the weight of KL ---- */

TEST(the_prior_of_a_point_is_multiplied_by_the_weight)
{
    const gb_node weight = gb_variable(t, "weight", gb_shape(), gb_fill(0.25));
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1, .kl_weight = weight);
    const gb_node w = gb_latent(e, "w", gb_point(gb_shape(), .location = 0.4),
                                gb_normal(gb_num(t, 0), gb_num(t, 2)), gb_pathwise());
    gb_log_likelihood(e, "y", gb_scale(gb_square(w), -1));
    const gb_node loss = gb_elbo_loss(e), slope = gb_grad(loss, w);
    gb_program *const look = gb_compile(t, gb_roots(loss, slope), gb_no_update);
    for (double by = 0; by <= 1; by += 0.25) {
        gb_set(weight, gb_fill(by));
        assert_int_equal(gb_run(look), GB_OK);
        assert_close(gb_value(loss), by * (0.5 * log(8 * acos(-1)) + 0.02) + 0.16, 1024);
        assert_close(gb_value(slope), by * 0.4 / 4 + 0.8, 1024);
    }
}

TEST(kl_is_multiplied_by_its_weight)
{
    for (int mode = GB_KL_EXACT; mode <= GB_KL_SAMPLED; mode++) {
        gb_tape *const tape = test_tape(.seed = 1);
        const gb_node weight = gb_variable(tape, "weight", gb_shape(), gb_fill(0.25));
        gb_elbo *e = gb_elbo_new(tape, .data_size = 1, .kl = (gb_kl_mode)mode, .kl_weight = weight);
        const gb_node w = gb_latent(e, "w", gb_mean_field(gb_shape(), .location = 0.4, .scale = 0.5),
                                    gb_normal(gb_num(tape, 0), gb_num(tape, 2)), gb_quadrature(.nodes = 5));
        gb_log_likelihood(e, "y", gb_scale(gb_square(w), -1));
        const gb_node loss = gb_elbo_loss(e), location = gb_variable_named(tape, "w.location");
        const gb_node slope = gb_grad(loss, location);
        gb_program *look = gb_compile(tape, gb_roots(loss, slope), gb_no_update);
        for (double by = 0; by <= 1; by += 0.25) {
            gb_set(weight, gb_fill(by));
            assert_int_equal(gb_run(look), GB_OK);
            assert_close(gb_value(loss), by * kl() + 0.4 * 0.4 + 0.25, 1024);
            assert_close(gb_value(slope), by * 0.4 / 4 + 0.8, 1024);
        }
    }
}

/* Own log q is left out of a score estimator's gradient by weight: with the weight in the cost and
 * not there the gradient would be biased. */
TEST(a_weighted_kl_is_unbiased_where_it_is_sampled, .seed = 5, .samples = 200000)
{
    gb_elbo *e = gb_elbo_new(t, .data_size = 1, .kl = GB_KL_SAMPLED, .kl_weight = gb_num(t, 0.25));
    const gb_node w =
        gb_latent(e, "w", gb_mean_field(gb_shape(), .location = 0.4, .scale = 0.5),
                  gb_normal(gb_num(t, 0), gb_num(t, 2)), gb_score(.baseline = gb_leave_one_out()));
    gb_log_likelihood(e, "y", gb_scale(gb_square(w), -1));
    const gb_node slope = gb_grad(gb_elbo_loss(e), gb_variable_named(t, "w.location"));
    gb_program *look = gb_compile(t, gb_roots(slope), gb_no_update);
    assert_int_equal(gb_run(look), GB_OK);
    /* The spread of one sample's gradient is below 5: 6 standard errors. */
    assert_true(fabs(gb_value(slope) - (0.25 * 0.4 / 4 + 0.8)) < 6 * 5 / sqrt(200000));
}

/* q is held where it is: what changes from run to run is the weight. */
TEST(a_schedule_of_kl_goes_on_with_training_alone)
{
    const model m =
        model_with((gb_elbo_options){.kl_schedule = gb_warm_up(4, gb_steady())}, gb_quadrature(.nodes = 3));
    const gb_updates still = gb_minimise(m.loss, gb_sgd(.lr = 1e-300));
    gb_program *train = gb_compile(m.t, gb_elbo_roots(m.e), still);
    gb_program *look = gb_compile(m.t, gb_elbo_roots(m.e), gb_no_update);
    gb_feed(m.y, DATA, N);
    for (int step = 0; step < 6; step++) {
        const double weight = step < 4 ? (step + 1) / 4.0 : 1;
        char text[2000], words[100];
        for (int run = 0; run < 3; run++) {
            assert_int_equal(gb_run(run < 2 ? look : train), GB_OK);
            print_to(m.e, text, sizeof text);
            snprintf(words, sizeof words, "Not a bound: KL is multiplied by %g, as its schedule", weight);
            assert_true((strstr(text, words) != NULL) == (step < 3));
            assert_true((strstr(text, "Not a bound") != NULL) == (step < 3));
        }
        assert_close(-gb_value(gb_elbo_terms(m.e, NULL)[2].value), weight * kl() - fit(N, DATA), 1024);
    }
    assert_true(gb_value(gb_variable_named(m.t, "kl_schedule.step")) == 6);
}

TEST(a_schedule_multiplies_the_weight)
{
    gb_elbo *e = gb_elbo_new(t, .data_size = 1, .kl_weight = gb_num(t, 0.5),
                             .kl_schedule = gb_cyclical(8, .cycles = 2));
    gb_latent(e, "w", gb_mean_field(gb_shape()), gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_pathwise());
    const gb_elbo_term *const terms = gb_elbo_terms(e, NULL);
    assert_true(gb_value(terms[0].scale) == 1 && gb_value(terms[0].weight) == 0.125);
}

/* KL would be minimised best by a weight of minus infinity. */
TEST(a_weight_of_kl_is_not_learned)
{
    const gb_node weight = gb_variable(t, "weight", gb_shape(), gb_fill(0.5));
    gb_elbo *e = gb_elbo_new(t, .data_size = 1, .kl_weight = weight);
    gb_latent(e, "w", gb_mean_field(gb_shape()), gb_normal(gb_num(t, 1), gb_num(t, 1)), gb_pathwise());
    const gb_node loss = gb_elbo_loss(e);
    assert_int_equal(gb_run(gb_compile(t, gb_roots(loss), gb_minimise(loss, gb_sgd()))), GB_OK);
    assert_true(gb_value(weight) == 0.5 && gb_value(gb_variable_named(t, "w.location")) > 0);
}

/* ---- terms ---- */

static void look_at(const model *m)
{
    gb_program *look = gb_compile(m->t, gb_elbo_roots(m->e), gb_no_update);
    gb_feed(m->y, DATA, N);
    assert_int_equal(gb_run(look), GB_OK);
}

/* Estimators with several evaluations: the terms are still those of the draws,
 * or of the sum that takes their place. */
TEST(terms_can_be_read_with_every_estimator)
{
    const gb_estimator estimators[] = {gb_pathwise(), gb_score(), gb_quadrature(.nodes = 5),
                                       gb_measure_valued(), gb_sticking_the_landing()};
    for (size_t i = 0; i < sizeof estimators / sizeof *estimators; i++) {
        size_t count;
        const model m = model_with((gb_elbo_options){.samples = 1000, .kl = GB_KL_SAMPLED}, estimators[i]);
        look_at(&m);
        const gb_elbo_term *const terms = gb_elbo_terms(m.e, &count), *const total = &terms[count - 1];
        const double error = gb_value(total->error), should = fit(N, DATA) - kl();
        assert_true(total->exact == (i == 2));
        if (fabs(gb_value(total->value) - should) > 6 * error + 1e-12)
            fail_msg("estimator %zu: %g ± %g, not %g", i, gb_value(total->value), error, should);
        assert_close(gb_value(total->value), gb_value(terms[0].value) + gb_value(terms[1].value), 64);
    }
}

TEST(draws_that_are_made_together_tell_no_error)
{
    char text[2000];
    const model m = model_with((gb_elbo_options){.samples = 8}, gb_pathwise(.draws = GB_ANTITHETIC));
    look_at(&m);
    print_to(m.e, text, sizeof text);
    assert_non_null(strstr(text, "± n/a"));
}

TEST(the_summary_has_kl_and_fit_for_each_datum)
{
    char text[2000], should[200];
    const model m = model_with((gb_elbo_options){0}, gb_quadrature(.nodes = 5));
    look_at(&m);
    print_to(m.e, text, sizeof text);
    snprintf(should, sizeof should, "KL %.6g, KL/N %.6g, mean log likelihood %.6g\n", kl(), kl() / N,
             fit(N, DATA) / N);
    assert_non_null(strstr(text, should));
    assert_null(strstr(text, "Warning"));
    assert_null(strstr(text, "Not a bound"));
}

/* ---- noise for each row ---- */

/* y ~ N(x w, 1): the gradient of the batch's scaled misfit in the middle of q has the
 * variance (N/B)² s² (Σ x²)² with one draw for all rows, and (N/B)² s² Σ x⁴ with one for
 * each; the mean is the same, exact KL or not. */
TEST(noise_for_each_row_has_the_smaller_variance_of_its_closed_form)
{
    enum { ROWS = 3, RUNS = 20000 };
    static const double x[ROWS] = {1, -2, 0.5}, y[ROWS] = {0.4, 1, -0.3}, s = 0.5, loc = 0.4;
    double squares = 0, fourths = 0, misfit = 0;
    for (int i = 0; i < ROWS; i++) {
        squares += x[i] * x[i];
        fourths += pow(x[i], 4);
        misfit += x[i] * (x[i] * loc - y[i]);
    }
    for (int mode = GB_KL_EXACT; mode <= GB_KL_SAMPLED; mode++)
        for (int by_row = 0; by_row < 2; by_row++) {
            gb_tape *const tape = test_tape(.seed = 9);
            const gb_node data = gb_input_rows(tape, "x", gb_shape()),
                          of = gb_input_rows(tape, "y", gb_shape());
            gb_elbo *e = gb_elbo_new(tape, .data_size = N, .kl = (gb_kl_mode)mode);
            const gb_family family = gb_mean_field(gb_shape(), .location = loc, .scale = s);
            const gb_node w = gb_latent(e, "w", by_row ? gb_row_by_row(family) : family,
                                        gb_normal(gb_num(tape, 0), gb_num(tape, 2)), gb_pathwise());
            gb_observe(e, "y", gb_normal(gb_mul(data, w), gb_num(tape, 1)), of);
            const gb_node g = gb_grad(gb_elbo_loss(e), gb_variable_named(tape, "w.location"));
            gb_program *p = gb_compile(tape, gb_roots(g), gb_no_update);
            gb_feed(data, x, ROWS);
            gb_feed(of, y, ROWS);
            double mean = 0, second = 0;
            for (int run = 0; run < RUNS; run++) {
                assert_int_equal(gb_run(p), GB_OK);
                mean += gb_value(g) / RUNS;
                second += gb_value(g) * gb_value(g) / RUNS;
            }
            const double scale = (double)N / ROWS, variance = second - mean * mean;
            assert_true(fabs(mean - (scale * misfit + loc / 4)) < 6 * sqrt(variance / RUNS));
            const double should = scale * scale * s * s * (by_row ? fourths : squares * squares);
            if (mode == GB_KL_EXACT) /* of normals: the relative error of a variance is √(2 / RUNS) */
                assert_true(fabs(variance / should - 1) < 6 * sqrt(2.0 / RUNS));
        }
    gb_elbo *e = gb_elbo_new(t, .data_size = 1);
    gb_latent(e, "w", gb_row_by_row(gb_point(gb_shape())), gb_normal(gb_num(t, 0), gb_num(t, 1)),
              gb_pathwise());
    assert_rejected(t, GB_EARGUMENT, "latent w: a point has no draws that could be of rows");
}

/* ---- what looks like a mistake ---- */

static void assert_warns(gb_node (*spoil)(gb_node), const char *words)
{
    char text[2000];
    model m = {.t = test_tape()};
    m.y = gb_input_rows(m.t, "y", gb_shape());
    m.e = gb_elbo_new(m.t, .data_size = N);
    m.w = gb_latent(m.e, "w", gb_mean_field(gb_shape()), gb_normal(gb_num(m.t, 0), gb_num(m.t, 2)),
                    gb_pathwise());
    gb_log_likelihood(m.e, "y", spoil(gb_log_prob(gb_normal(m.w, gb_num(m.t, 1)), m.y)));
    look_at(&m);
    print_to(m.e, text, sizeof text);
    assert_true(words ? strstr(text, words) != NULL : strstr(text, "Warning") == NULL);
}

static gb_node as_it_is(gb_node x)
{
    return x;
}
static gb_node sum_over_rows(gb_node x)
{
    return gb_sum_over(x, GB_ROWS);
}

TEST(an_averaged_log_likelihood_is_warned_of)
{
    assert_warns(as_it_is, NULL);
    assert_warns(mean_over_rows, "Warning: y: it was divided by the number of rows");
    assert_warns(sum_over_rows, "Warning: y: its rows were summed before");
}

TEST(a_weight_of_kl_is_no_bound_and_is_said_so)
{
    char text[2000];
    gb_elbo *e = gb_elbo_new(t, .data_size = 1, .kl_weight = gb_num(t, 0.5));
    gb_latent(e, "w", gb_mean_field(gb_shape()), gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_pathwise());
    assert_int_equal(gb_run(gb_compile(t, gb_elbo_roots(e), gb_no_update)), GB_OK);
    print_to(e, text, sizeof text);
    assert_non_null(strstr(text, "Not a bound: KL is multiplied by 0.5"));
    assert_non_null(strstr(text, "w                     -0.903793"));
    assert_non_null(strstr(text, "\nKL 1.80759, KL/N 1.80759")); /* log 10 + 0.005 - 0.5 */
}

/* ---- bounds ---- */

TEST(a_bound_of_several_draws_needs_whole_weights)
{
    const model m = model_with((gb_elbo_options){.bound = gb_iwae(.draws = 3)}, gb_pathwise());
    const gb_elbo_term *const terms = gb_elbo_terms(m.e, NULL);
    assert_true(gb_node_axes(m.loss) == 0 && !terms[0].exact);
    assert_null(gb_elbo_new(t, .data_size = 1, .kl = GB_KL_EXACT, .bound = gb_iwae()));
    assert_rejected(t, GB_EARGUMENT, "elbo: the bound iwae takes KL from the draws");
    assert_ptr_equal(gb_bounds(NULL)[0], gb_bound_find("elbo"));
    assert_null(gb_bound_find("none"));
}

TEST(options_that_mean_nothing_are_rejected)
{
    assert_null(gb_elbo_new(t, .data_size = 1, .kl_weight = gb_zeros(t, gb_shape(2))));
    assert_rejected(t, GB_EARGUMENT, "elbo: .kl_weight must be one real number of this tape");
    assert_null(gb_elbo_new(t, .data_size = 1, .kl_weight = gb_input_rows(t, "rows", gb_shape())));
    assert_rejected(t, GB_EARGUMENT, "elbo: .kl_weight must be one real number of this tape");
    assert_null(gb_elbo_new(t, .data_size = 1, .kl_schedule = gb_warm_up(-1, gb_steady())));
    assert_rejected(t, GB_EARGUMENT, "elbo schedule: warm_up: steps is -1");
    assert_null(gb_elbo_new(t, .data_size = 1, .unit = (gb_elbo_unit)7));
    assert_rejected(t, GB_EARGUMENT, "elbo: there is no unit number 7");
    gb_elbo *e = gb_elbo_new(t, .data_size = 1, .unit = GB_PER_BATCH);
    gb_latent(e, "w", gb_mean_field(gb_shape()), gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_pathwise());
    assert_false(gb_node_ok(gb_elbo_loss(e)));
    assert_rejected(t, GB_EARGUMENT, "elbo: GB_PER_BATCH needs rows");
}
