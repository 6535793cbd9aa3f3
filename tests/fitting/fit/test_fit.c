/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gb_fit without an optimiser: exact on normal posteriors, in any units, from far away; the family's optimum
 * elsewhere; and in words where there is none. */
#include "support/close.h"

#include "distributions/domain.h"
#include "fitting/density.h"
#include "fitting/fit.h"
#include "fitting/normal_target.h"
#include "models/batches.h"
#include "support/counted_memory.h"

static gb_fit_result fits(gb_fit_result r, gb_tape *t)
{
    if (r.status != GB_OK || r.end != GB_FIT_CONVERGED)
        fail_msg("%s; %s", r.words, gb_error_text(t));
    return r;
}

static void ends_unfinished(gb_tape *t, gb_fit_result r, const char *words)
{
    assert_fine(t);
    assert_int_equal(r.end, GB_FIT_UNFINISHED);
    if (!strstr(r.words, words))
        fail_msg("\"%s\" is without \"%s\"", r.words, words);
}

/* ---- normal posteriors are solved exactly ---- */

static const struct target {
    const char *name;
    int n;
    double condition, far, unit;
} targets[] = {{"one_number", 1, 1, 3, 1},        {"five_numbers", 5, 100, 10, 1},
               {"condition_1e6", 20, 1e6, 1, 1},  {"condition_1e6_far_away", 20, 1e6, 1e4, 1},
               {"units_of_1e4", 5, 100, 20, 1e4}, {"units_of_1e-3", 5, 100, 20, 1e-3}};

static void assert_covariance(gb_tape *t, const normal_target *a, double allowed)
{
    const int n = a->n;
    double l[TARGET_MOST * TARGET_MOST], raw[TARGET_MOST];
    gb_read(gb_variable_named(t, "w.lower"), l, (size_t)(n * n));
    gb_read(gb_variable_named(t, "w.raw_scale"), raw, (size_t)n);
    for (int i = 0; i < n; i++)
        l[i * n + i] = raw[i] > 30 ? raw[i] : log1p(exp(raw[i]));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double is = 0;
            for (int k = 0; k <= (i < j ? i : j); k++)
                is += l[i * n + k] * l[j * n + k];
            assert_near(is, a->covariance[i * n + j],
                        allowed * sqrt(a->covariance[i * n + i] * a->covariance[j * n + j]));
        }
}

TEST_EACH(a_normal_posterior_is_solved_exactly, targets)
{
    const struct target *const is = row;
    for (unsigned seed = 1; seed <= 3; seed++)
        for (int full = 0; full < 2; full++) {
            normal_target a;
            double mean[TARGET_MOST], sd[TARGET_MOST];
            gb_tape *const tape = test_tape(.seed = seed);
            normal_target_fill(&a, is->n, is->condition, is->far, is->unit, seed);
            const gb_shape shape = gb_shape(is->n);
            gb_elbo *const e =
                normal_target_elbo(tape, &a, full ? gb_full_rank(shape) : gb_mean_field(shape));
            const gb_fit_result r = fits(gb_fit(e), tape);
            assert_int_equal(r.method, GB_FIT_FIXED_DRAWS);
            gb_elbo_posterior_read(e, "w", mean, sd, (size_t)is->n);
            for (int i = 0; i < is->n; i++) {
                const int at = i * (is->n + 1);
                const double should = full ? sqrt(a.covariance[at]) : 1 / sqrt(a.precision[at]);
                assert_near(sd[i], should, 1e-8 * should);
                assert_near(mean[i], a.mean[i], 1e-8 * should + 1e-13 * fabs(a.mean[i]));
            }
            if (full)
                assert_covariance(tape, &a, 1e-8);
        }
}

TEST(the_elbo_of_an_exact_fit_is_the_evidence)
{
    normal_target a;
    normal_target_fill(&a, 5, 100, 1, 1, 4);
    const gb_fit_result r = fits(gb_fit(normal_target_elbo(t, &a, gb_full_rank(gb_shape(5)))), t);
    const double log_z = 2.5 * 1.83787706640934548356 - 0.5 * log(1e5); /* precisions 1, 10^½, 10 … */
    assert_near(r.elbo, log_z, 1e-9);
    assert_true(r.error < 1e-9 && r.gradients > 0 && r.draws >= 64 && r.seconds > 0);
    assert_non_null(strstr(r.words, "converged: from "));
    assert_int_equal(r.verdict, GB_VERDICT_GOOD);
}

/* Two latents by themselves, in a mean field and as points. */
TEST(points_are_fitted_too)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    const gb_node m = gb_latent(e, "m", gb_mean_field(gb_shape()), gb_no_prior, gb_pathwise()),
                  s = gb_latent(e, "s", gb_point(gb_shape()), gb_exponential(gb_num(t, 1)), gb_pathwise());
    const gb_node y = gb_constant(t, gb_shape(4), GB_VALUES(1, 2, 4, 5));
    gb_observe(e, "y", gb_normal(m, s), y);
    fits(gb_fit(e), t);
    /* q(m) is N(3, s²/4); then −4 log s − (10 + s²) / (2 s²) − s is highest, and so s² (s + 3) = 10. */
    double mean, sd, at, none;
    gb_elbo_posterior_read(e, "m", &mean, &sd, 1);
    gb_elbo_posterior_read(e, "s", &at, &none, 1);
    assert_near(mean, 3, 1e-7);
    assert_near(sd, at / 2, 1e-7);
    assert_near(at * at * (at + 3), 10, 1e-4);
}

TEST(a_model_of_points_is_climbed)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    const gb_node m = gb_latent(e, "m", gb_point(gb_shape()), gb_no_prior, gb_pathwise()),
                  s = gb_latent(e, "s", gb_point(gb_shape()), gb_exponential(gb_num(t, 1)), gb_pathwise());
    gb_observe(e, "y", gb_normal(m, s), gb_constant(t, gb_shape(4), GB_VALUES(1, 2, 4, 5)));
    const gb_fit_result r = fits(gb_fit(e), t);
    double at[2];
    gb_elbo_posterior_read(e, "m", &at[0], NULL, 1);
    gb_elbo_posterior_read(e, "s", &at[1], NULL, 1);
    assert_near(at[0], 3, 1e-8);
    assert_near(at[1] * at[1] * (at[1] + 4), 10, 1e-6); /* the height of the density, in any units */
    assert_true(r.draws == 0 && r.error == 0);
}

/* ---- the same again ---- */

static gb_elbo *counts(gb_tape *t, gb_family (*family)(gb_shape), double unit)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    double x[20], y[20];
    for (int i = 0; i < 20; i++) {
        x[i] = (i - 9.5) / 10 * unit;
        y[i] = floor(exp(0.5 + 1.2 * (i - 9.5) / 10) + 0.5);
    }
    const gb_node w = gb_latent(e, "w", family(gb_shape(2)), gb_no_prior, gb_pathwise()),
                  a = gb_slice(w, 0, 0, 1), b = gb_slice(w, 0, 1, 2);
    const gb_node line = gb_add(a, gb_mul(b, gb_constant(t, gb_shape(20), gb_values_of(x, 20))));
    gb_observe(e, "y", gb_poisson(gb_exp(line)), gb_constant(t, gb_shape(20), gb_values_of(y, 20)));
    return e;
}

static gb_family mean_field(gb_shape shape)
{
    return gb_mean_field(shape);
}

static gb_family full_rank(gb_shape shape)
{
    return gb_full_rank(shape);
}

TEST(a_seed_gives_the_same_fit_for_any_number_of_threads)
{
    double x[3][2];
    for (int i = 0; i < 3; i++) {
        gb_tape *const tape = test_tape(.seed = 9);
        gb_elbo *const e = counts(tape, full_rank, 1);
        fits(gb_fit(e, .seed = i < 2 ? 5 : 6), tape);
        gb_read(gb_variable_named(tape, "w.location"), x[i], 2);
    }
    assert_memory_equal(x[0], x[1], sizeof *x);
    assert_true(memcmp(x[0], x[2], sizeof *x) != 0);
}

TEST(a_second_fit_begins_where_the_first_ended)
{
    gb_elbo *const e = counts(t, full_rank, 1);
    const gb_fit_result first = fits(gb_fit(e), t), second = fits(gb_fit(e), t);
    assert_true(fabs(first.elbo - second.elbo) < 1e-3);
}

/* The unit of a predictor is that of 1 / its coefficient. */
TEST(units_do_not_change_a_fit)
{
    const double unit[] = {1, 1e4, 1e-3};
    double mean[3][2], sd[3][2];
    for (int i = 0; i < 3; i++) {
        gb_tape *const tape = test_tape();
        gb_elbo *const e = counts(tape, mean_field, unit[i]);
        fits(gb_fit(e), tape);
        gb_elbo_posterior_read(e, "w", mean[i], sd[i], 2);
        for (int k = 0; k < 2; k++) {
            const double by = k == 0 ? 1 : unit[i];
            assert_near(by * mean[i][k], mean[0][k], 0.01 * sd[0][k]);
            assert_near(by * sd[i][k], sd[0][k], 0.01 * sd[0][k]);
        }
    }
}

/* ---- what other methods find ---- */

TEST(pathfinder_and_laplace_end_near_the_best_normal)
{
    double best[2], sd[2], at[2], by[2];
    gb_elbo *e = counts(t, full_rank, 1);
    const double elbo = fits(gb_fit(e), t).elbo;
    gb_elbo_posterior_read(e, "w", best, sd, 2);
    const gb_fit_method methods[] = {GB_FIT_PATHFINDER, GB_FIT_LAPLACE};
    for (int i = 0; i < 2; i++) {
        gb_tape *const tape = test_tape();
        e = counts(tape, full_rank, 1);
        const gb_fit_result r = fits(gb_fit(e, .method = methods[i]), tape);
        assert_int_equal(r.method, methods[i]);
        assert_true(r.draws == 0 && fabs(r.elbo - elbo) < 0.2);
        gb_elbo_posterior_read(e, "w", at, by, 2);
        for (int k = 0; k < 2; k++) {
            assert_near(at[k], best[k], 0.3 * sd[k]);
            assert_near(by[k], sd[k], 0.2 * sd[k]);
        }
    }
}

TEST(stochastic_steps_end_by_themselves_at_the_same_place)
{
    double best[2], sd[2], at[2], by[2];
    gb_elbo *e = counts(t, full_rank, 1);
    fits(gb_fit(e), t);
    gb_elbo_posterior_read(e, "w", best, sd, 2);
    gb_tape *const tape = test_tape();
    e = counts(tape, full_rank, 1);
    const gb_fit_result r = fits(gb_fit(e, .method = GB_FIT_STOCHASTIC), tape);
    assert_int_equal(r.method, GB_FIT_STOCHASTIC);
    gb_elbo_posterior_read(e, "w", at, by, 2);
    for (int k = 0; k < 2; k++) {
        assert_near(at[k], best[k], 0.1 * sd[k]);
        assert_near(by[k], sd[k], 0.1 * sd[k]);
    }
}

/* Of low rank: no fixed draws. N(1, 4) and a mean of nothing are found by steps. */
TEST(other_families_are_fitted_by_stochastic_steps)
{
    normal_target a;
    double mean[3], sd[3];
    normal_target_fill(&a, 3, 2, 1, 1, 2);
    gb_elbo *const e = normal_target_elbo(t, &a, gb_low_rank(gb_shape(3), .rank = 2));
    const gb_fit_result r = fits(gb_fit(e), t);
    assert_int_equal(r.method, GB_FIT_STOCHASTIC);
    assert_non_null(strstr(r.words, "(stochastic, since q is no normal by gb_mean_field"));
    gb_elbo_posterior_read(e, "w", mean, sd, 3);
    for (int i = 0; i < 3; i++) {
        assert_near(mean[i], a.mean[i], 0.1 * sqrt(a.covariance[4 * i]));
        assert_near(sd[i], sqrt(a.covariance[4 * i]), 0.1 * sqrt(a.covariance[4 * i]));
    }
}

TEST(a_method_that_cannot_is_rejected)
{
    normal_target a;
    normal_target_fill(&a, 3, 2, 1, 1, 2);
    gb_elbo *const e = normal_target_elbo(t, &a, gb_low_rank(gb_shape(3), .rank = 2));
    assert_int_equal(gb_fit(e, .method = GB_FIT_FIXED_DRAWS).end, GB_FIT_ERROR);
    assert_rejected(
        t, GB_EARGUMENT,
        "the method fixed draws cannot fit this ELBO: q is no normal by gb_mean_field, gb_full_rank or "
        "gb_point; .method = GB_FIT_STOCHASTIC can");
}

/* ---- data in batches ---- */

enum { ROWS = 60 };

TEST(data_in_batches_are_summed)
{
    double y[ROWS], mean, sd;
    for (int i = 0; i < ROWS; i++)
        y[i] = cos(0.7 * i) + 2;
    double sum = 0;
    for (int i = 0; i < ROWS; i++)
        sum += y[i];
    const int64_t batch[] = {ROWS, 25, 7};
    for (int i = 0; i < 3; i++) {
        gb_tape *const tape = test_tape();
        gb_elbo *const e = gb_elbo_new(tape, .data_size = ROWS);
        const gb_node w = gb_latent(e, "w", gb_mean_field(gb_shape()), gb_no_prior, gb_pathwise()),
                      in = gb_input_rows(tape, "y", gb_shape());
        gb_observe(e, "y", gb_normal(w, gb_num(tape, 2)), in);
        const gb_column column[] = {{.input = in, .values = gb_doubles(y)}};
        gb_batches *const data =
            gb_batches_new(tape, .rows = ROWS, .batch = batch[i], .columns = gb_columns_of(1, column));
        fits(gb_fit(e, .data = data), tape);
        gb_elbo_posterior_read(e, "w", &mean, &sd, 1);
        assert_near(mean, sum / ROWS, 1e-8);
        assert_near(sd, 2 / sqrt(ROWS), 1e-8);
    }
}

/* Logistic: y of three numbers of each row, of which the last one's unit is given. */
static gb_elbo *logistic(gb_tape *t, int rows, int batch, double unit, gb_batches **data)
{
    static double x[3 * 40000], y[40000];
    for (int i = 0; i < rows; i++) {
        x[3 * i] = 1;
        x[3 * i + 1] = sin(1.7 * i);
        x[3 * i + 2] = sin(0.37 * i * i) + x[3 * i + 1];
        y[i] = fmod(0.6180339887 * i, 1) < 1 / (1 + exp(0.5 - x[3 * i + 2]));
        x[3 * i + 2] *= unit;
    }
    gb_elbo *const e = gb_elbo_new(t, .data_size = rows);
    const gb_node w = gb_latent(e, "w", gb_full_rank(gb_shape(3)), gb_normal(gb_num(t, 0), gb_num(t, 5)),
                                gb_pathwise()),
                  in = gb_input_rows(t, "x", gb_shape(3)), out = gb_input_rows(t, "y", gb_shape());
    gb_observe(e, "y", gb_bernoulli_logits(gb_dot(in, w)), out);
    const gb_column column[] = {{in, gb_doubles(x)}, {out, gb_doubles(y)}};
    *data = gb_batches_new(t, .rows = rows, .batch = batch, .columns = gb_columns_of(2, column));
    return e;
}

/* What counts is the work, not in how many batches the rows are. */
TEST(few_rows_in_many_batches_are_fitted_as_in_one)
{
    double mean[3], sd[3], best[3];
    gb_batches *data;
    gb_elbo *e = logistic(t, 2000, 2000, 1000, &data);
    const double elbo = fits(gb_fit(e, .data = data), t).elbo;
    gb_elbo_posterior_read(e, "w", best, sd, 3);
    gb_tape *const tape = test_tape();
    e = logistic(tape, 2000, 20, 1000, &data);
    const gb_fit_result r = fits(gb_fit(e, .data = data), tape);
    assert_int_equal(r.method, GB_FIT_FIXED_DRAWS);
    assert_int_equal(r.verdict, GB_VERDICT_GOOD);
    assert_near(r.elbo, elbo, 1e-4);
    gb_elbo_posterior_read(e, "w", mean, NULL, 3);
    for (int i = 0; i < 3; i++)
        assert_near(mean[i], best[i], 1e-3 * sd[i]);
}

/* Its error is that of its draws alone, since each look is at all rows. So rates are compared, and fall as
 * far as units demand. */
TEST(the_elbo_of_stochastic_steps_on_batches_is_exact_enough_to_end_them)
{
    gb_batches *data;
    gb_elbo *e = logistic(t, 2000, 2000, 1000, &data);
    const double elbo = fits(gb_fit(e, .data = data), t).elbo;
    gb_tape *const tape = test_tape();
    e = logistic(tape, 2000, 24, 1000, &data);
    const gb_fit_result r = fits(gb_fit(e, .data = data, .method = GB_FIT_STOCHASTIC), tape);
    assert_true(r.error < 0.5);
    assert_near(r.elbo, elbo, 1 + 4 * r.error);
    assert_true(r.verdict != GB_VERDICT_NONE);
}

/* The ELBO is far below its best, with an error of tens. So two small gains are no sign that it has
 * arrived. */
TEST(steps_that_are_too_large_for_the_units_do_not_converge)
{
    gb_batches *data;
    gb_elbo *const e = logistic(t, 2000, 20, 4e5, &data);
    const gb_fit_result r = gb_fit(e, .data = data, .method = GB_FIT_STOCHASTIC, .unjudged = true);
    ends_unfinished(t, r,
                    "not converged: at the smallest rate, 6.1e-06, the average of iterates may still gain");
    assert_true(r.error > 5);
    assert_true(r.elbo < -10000);
}

TEST(many_rows_in_many_batches_are_fitted_by_steps_and_not_judged)
{
    gb_batches *data;
    gb_elbo *const e = logistic(t, 40000, 100, 1, &data);
    const gb_fit_result cut = gb_fit(e, .data = data, .gradients = 2000);
    ends_unfinished(t, cut,
                    "not judged: the data are in many batches; gb_judge(e, .data = …) takes its time\n"
                    "not converged: the limit of 2000 gradients was reached");
    assert_non_null(strstr(cut.words, "(stochastic, since the data are 40000 rows in 400 batches; "));
    assert_int_equal(cut.verdict, GB_VERDICT_NOT_CONVERGED);
    const gb_fit_result r = fits(gb_fit(e, .data = data), t);
    assert_int_equal(r.method, GB_FIT_STOCHASTIC);
    assert_int_equal(r.verdict, GB_VERDICT_NONE);
}

TEST(rows_that_are_not_the_data_set_are_rejected)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 100);
    const gb_node w = gb_latent(e, "w", gb_mean_field(gb_shape()), gb_no_prior, gb_pathwise()),
                  in = gb_input_rows(t, "y", gb_shape());
    gb_observe(e, "y", gb_normal(w, gb_num(t, 2)), in);
    gb_feed(in, (const double[]){1, 2, 3}, 3);
    assert_int_equal(gb_fit(e).status, GB_EARGUMENT);
    assert_rejected(t, GB_EARGUMENT, "the inputs were fed 3 rows, and .data_size of the ELBO is 100");
    fits(gb_fit(e, .part_of_data = true), t);
    double sd;
    gb_elbo_posterior_read(e, "w", NULL, &sd, 1);
    assert_near(sd, 0.2, 1e-8);
}

/* ---- no optimum ---- */

TEST(a_flat_latent_without_data_ends_in_words)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    gb_latent(e, "w", gb_mean_field(gb_shape()), gb_no_prior, gb_pathwise());
    const gb_node v = gb_latent(e, "v", gb_mean_field(gb_shape()), gb_no_prior, gb_pathwise());
    gb_factor(e, "f", gb_neg(gb_square(v)));
    ends_unfinished(t, gb_fit(e),
                    "not converged: the ELBO rises without end: w's scale grows; the posterior is "
                    "improper");
    gb_tape *const tape = test_tape();
    gb_elbo *const points = gb_elbo_new(tape, .data_size = 1);
    gb_latent(points, "w", gb_point(gb_shape()), gb_no_prior, gb_pathwise());
    gb_factor(points, "f",
              gb_neg(gb_square(gb_latent(points, "v", gb_point(gb_shape()), gb_no_prior, gb_pathwise()))));
    ends_unfinished(tape, gb_fit(points),
                    "but the Hessian is not negative definite: a saddle, or log p is flat there");
}

/* Draws that q's first ones did not reach are beyond an end, where log p is no number. */
TEST(more_draws_may_reach_beyond_an_end)
{
    double mean, sd;
    gb_tape *const tape = test_tape(.seed = 3);
    gb_elbo *const e = gb_elbo_new(tape, .data_size = 1);
    const gb_node w = gb_latent(e, "w", gb_mean_field(gb_shape()), gb_no_prior, gb_pathwise());
    gb_factor(e, "f", gb_scale(gb_log(gb_sub(gb_num(tape, 1), gb_square(w))), 3));
    const gb_fit_result r = fits(gb_fit(e, .unjudged = true), tape);
    gb_elbo_posterior_read(e, "w", &mean, &sd, 1);
    assert_near(mean, 0, 1e-6);
    assert_near(sd, 0.2593, 0.001);
    assert_true(r.gradients < 120000); /* a search that stops there needs 260,000 */
}

TEST(fresh_draws_beyond_an_end_are_said)
{
    gb_tape *const tape = test_tape(.seed = 1);
    gb_elbo *const e = gb_elbo_new(tape, .data_size = 1);
    const gb_node w = gb_latent(e, "w", gb_mean_field(gb_shape()), gb_no_prior, gb_pathwise());
    gb_factor(e, "f", gb_scale(gb_log(gb_sub(gb_num(tape, 1), gb_square(w))), 4));
    const gb_fit_result r = gb_fit(e, .unjudged = true);
    ends_unfinished(tape, r, "has a latent an end that it was not given (.support, .above, .below)?");
}

/* Nobody chose the highest answer, and cut points are flat: the last one runs to where its gap, an
 * exponential, is too large for a number. */
TEST(a_search_that_reaches_a_wall_ends_there)
{
    double x[60], y[60];
    for (int i = 0; i < 60; i++) {
        x[i] = i % 11 - 5;
        y[i] = (i + i % 11) % 4;
    }
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    const gb_latent_part part[] = {
        {.name = "b", .prior = gb_normal(gb_num(t, 0), gb_num(t, 2.5))},
        {.name = "cut", .shape = gb_shape(4), .prior = gb_no_prior, .support = &gb_ordered_domain}};
    gb_node w[2];
    gb_latent_block(e, "w", gb_full_rank(gb_shape()), 2, part, gb_pathwise(), w);
    gb_observe(e, "y",
               gb_ordered_logistic(gb_mul(w[0], gb_constant(t, gb_shape(60), gb_values_of(x, 60))), w[1]),
               gb_constant(t, gb_shape(60), gb_values_of(y, 60)));
    const gb_fit_result r = gb_fit(e, .gradients = 1500000);
    ends_unfinished(t, r, "but no step along its slope does: log p may end there");
}

static gb_elbo *separated(gb_tape *t, gb_family (*family)(gb_shape), gb_dist prior)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    const gb_node x = gb_constant(t, gb_shape(6), GB_VALUES(-2, -1, -0.5, 0.5, 1, 2)),
                  y = gb_constant(t, gb_shape(6), GB_VALUES(0, 0, 0, 1, 1, 1)),
                  a = gb_latent(e, "a", family(gb_shape()), prior, gb_pathwise()),
                  b = gb_latent(e, "b", family(gb_shape()), prior, gb_pathwise());
    gb_observe(e, "y", gb_bernoulli_logits(gb_add(a, gb_mul(b, x))), y);
    return e;
}

static gb_family a_point(gb_shape shape)
{
    return gb_point(shape);
}

TEST(separated_data_need_a_prior)
{
    for (unsigned seed = 1; seed <= 5; seed++) {
        gb_tape *tape = test_tape(.seed = seed);
        const gb_fit_result r = gb_fit(separated(tape, seed % 2 ? mean_field : full_rank, gb_no_prior));
        ends_unfinished(tape, r, "not converged: ");
        assert_true(strstr(r.words, "improper") || strstr(r.words, "proper?"));
        assert_true(r.seconds < 20);
        tape = test_tape(.seed = seed);
        fits(gb_fit(separated(tape, mean_field, gb_normal(gb_num(tape, 0), gb_num(tape, 2.5)))), tape);
    }
    ends_unfinished(
        t, gb_fit(separated(t, a_point, gb_no_prior)),
        "log p levels off there, and does not fall beyond: its highest point may be infinitely far away");
}

TEST(a_density_without_end_is_said)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    const gb_node s = gb_latent(e, "s", gb_point(gb_shape()), gb_exponential(gb_num(t, 1)), gb_pathwise()),
                  w = gb_latent(e, "w", gb_point(gb_shape(3)), gb_normal(gb_num(t, 0), s), gb_pathwise());
    gb_observe(e, "y", gb_normal(w, gb_num(t, 10)), gb_constant(t, gb_shape(3), GB_VALUES(0.1, -0.1, 0)));
    ends_unfinished(t, gb_fit(e), "not converged: log p ");
}

TEST(a_start_without_density_is_said)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    const gb_node w = gb_latent(e, "w", gb_mean_field(gb_shape()), gb_no_prior, gb_pathwise());
    gb_factor(e, "f", gb_sub(gb_log(gb_shift(w, -1000)), w));
    ends_unfinished(t, gb_fit(e), "log p is not finite at q's start, nor at points around 0; give .location");
    gb_tape *const tape = test_tape();
    gb_elbo *const right = gb_elbo_new(tape, .data_size = 1);
    const gb_node v =
        gb_latent(right, "w", gb_mean_field(gb_shape(), .location = 1100), gb_no_prior, gb_pathwise());
    gb_factor(right, "f", gb_neg(gb_scale(gb_square(gb_sub(v, gb_num(tape, 1003))), 0.5)));
    fits(gb_fit(right), tape);
}

/* log p is not finite but next to the start. */
TEST(a_support_of_one_point_is_said)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    const gb_node w = gb_latent(e, "w", gb_mean_field(gb_shape()), gb_no_prior, gb_pathwise());
    gb_factor(e, "f", gb_log(gb_sub(gb_num(t, 1e-30), gb_square(w))));
    ends_unfinished(t, gb_fit(e), "log p is not finite at draws of q, however narrow q is; start elsewhere ");
}

/* A cusp has no place where the slope is 0. */
TEST(points_at_a_cusp_are_said)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    const gb_node w = gb_latent(e, "w", gb_point(gb_shape()), gb_no_prior, gb_pathwise());
    gb_factor(e, "f", gb_neg(gb_sqrt(gb_abs(gb_shift(w, -1)))));
    ends_unfinished(t, gb_fit(e), "not converged: log p still rises; it is ");
}

TEST(steps_along_an_elbo_without_end_end)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    gb_factor(e, "f", gb_latent(e, "w", gb_mean_field(gb_shape()), gb_no_prior, gb_pathwise()));
    ends_unfinished(t, gb_fit(e, .method = GB_FIT_STOCHASTIC),
                    " steps the iterates still move; the ELBO may rise without end, or slowly");
}

/* ---- limits ---- */

static bool stop(void *user, const gb_fit_point *point)
{
    (void)point;
    ++*(int *)user;
    return false;
}

static gb_elbo *schools(gb_tape *t)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    const gb_latent_part part[] = {
        {.name = "mu", .shape = gb_shape(), .prior = gb_normal(gb_num(t, 0), gb_num(t, 5))},
        {.name = "tau", .shape = gb_shape(), .prior = gb_half_cauchy(gb_num(t, 5))},
        {.name = "theta", .shape = gb_shape(8), .prior = gb_no_prior}};
    gb_node w[3];
    gb_latent_block(e, "b", gb_full_rank(gb_shape()), 3, part, gb_pathwise(), w);
    gb_prior(e, "effects", gb_normal(w[0], w[1]), w[2]);
    gb_observe(e, "y", gb_normal(w[2], gb_constant(t, gb_shape(8), GB_VALUES(15, 10, 16, 11, 9, 11, 10, 18))),
               gb_constant(t, gb_shape(8), GB_VALUES(28, 8, -3, 7, -1, 1, 18, 12)));
    return e;
}

TEST(limits_end_a_fit_in_words)
{
    ends_unfinished(t, gb_fit(schools(t), .gradients = 3000), "the limit of 3000 gradients was reached");
    gb_tape *tape = test_tape();
    ends_unfinished(tape, gb_fit(schools(tape), .draws = 128), ".draws = 128 allows no more");
    tape = test_tape();
    ends_unfinished(tape, gb_fit(schools(tape), .draws = 64),
                    "128 fixed draws are needed, to compare with fewer, and .draws allows 64");
    tape = test_tape();
    ends_unfinished(tape, gb_fit(schools(tape), .seconds = 1e-9), "the limit of 1e-09 seconds was reached");
    tape = test_tape();
    ends_unfinished(tape, gb_fit(schools(tape), .method = GB_FIT_STOCHASTIC, .gradients = 500),
                    "the limit of 500 gradients was reached");
}

/* Also what the first rate found, before an average was there. */
TEST(a_limit_of_stochastic_steps_leaves_what_was_found)
{
    double mean;
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    const gb_node w =
        gb_latent(e, "w", gb_mean_field(gb_shape()), gb_normal(gb_num(t, 0), gb_num(t, 100)), gb_pathwise());
    gb_observe(e, "y", gb_normal(w, gb_num(t, 1)), gb_num(t, 10));
    ends_unfinished(t, gb_fit(e, .method = GB_FIT_STOCHASTIC, .gradients = 700),
                    "the limit of 700 gradients");
    gb_elbo_posterior_read(e, "w", &mean, NULL, 1);
    assert_near(mean, 10, 1);
}

/* Steps by gb_fit alone are no training of the user's. */
TEST(stochastic_steps_and_a_training_leave_each_other_alone)
{
    double with = NAN, without = NAN;
    for (int by_steps = 0; by_steps < 2; by_steps++) {
        gb_tape *const tape = test_tape();
        gb_elbo *const e = schools(tape);
        assert_int_equal(gb_fit(e, .optimiser = gb_adam(.lr = 0.01), .steps = 50).status, GB_OK);
        double x[10], sd[10];
        gb_elbo_posterior_read(e, "b", x, sd, 10);
        if (by_steps) {
            const gb_node location = gb_variable_named(tape, "b.location"),
                          scale = gb_variable_named(tape, "b.raw_scale"),
                          lower = gb_variable_named(tape, "b.lower");
            double before[3][100];
            gb_read(location, before[0], 10), gb_read(scale, before[1], 10), gb_read(lower, before[2], 100);
            gb_fit(e, .method = GB_FIT_STOCHASTIC, .gradients = 500, .unjudged = true);
            gb_set(location, gb_values_of(before[0], 10)), gb_set(scale, gb_values_of(before[1], 10));
            gb_set(lower, gb_values_of(before[2], 100));
        }
        assert_int_equal(gb_fit(e, .optimiser = gb_adam(.lr = 0.01), .steps = 50).status, GB_OK);
        gb_elbo_posterior_read(e, "b", x, sd, 10);
        *(by_steps ? &with : &without) = x[3];
    }
    assert_close(with, without, 0);
}

/* Hessians that are nearly singular, of which a few have no normal in numbers: each ends in words, and q is
 * whole. */
TEST(a_normal_that_does_not_exist_in_numbers_is_said)
{
    int rejected = 0;
    for (int k = 215; k < 235; k++) {
        gb_tape *const tape = test_tape(.seed = (uint64_t)k + 1);
        gb_elbo *const e = gb_elbo_new(tape, .data_size = 1);
        const double c[] = {1, -1.1 - 0.01 * (k % 17), 0.3 + 0.003 * k};
        const gb_node w = gb_latent(e, "w", gb_full_rank(gb_shape(3)),
                                    gb_normal(gb_zeros(tape, gb_shape(3)), gb_num(tape, 1)), gb_pathwise()),
                      sum = gb_sum(gb_mul(w, gb_constant(tape, gb_shape(3), gb_values_of(c, 3))));
        gb_observe(e, "y", gb_normal(sum, gb_num(tape, pow(10, -6.5 - 0.005 * k))), gb_num(tape, 0));
        const gb_fit_result r = gb_fit(e, .method = GB_FIT_LAPLACE, .unjudged = true);
        assert_int_equal(r.status, GB_OK);
        assert_non_null(
            strstr(r.words, r.end == GB_FIT_CONVERGED ? "converged: the normal" : "not converged: "));
        rejected += strstr(r.words, "too near to singular") != NULL;
    }
    assert_true(rejected > 0);
}

TEST(the_callers_function_can_end_a_fit)
{
    int calls = 0;
    const gb_fit_result r = gb_fit(schools(t), .method = GB_FIT_STOCHASTIC, .each = stop, .user = &calls);
    assert_fine(t);
    assert_int_equal(r.end, GB_FIT_CALLBACK);
    assert_int_equal(r.verdict, GB_VERDICT_NOT_CONVERGED);
    assert_non_null(strstr(r.words, "not converged: the callback ended the fit"));
    assert_int_equal(calls, 1);
}

typedef struct way_to_stop {
    const char *name;
    gb_fit_method method;
} way_to_stop;

static const way_to_stop ways_to_stop[] = {{"a_flag_stops_the_usual_method", GB_FIT_USUAL},
                                           {"a_flag_stops_pathfinder", GB_FIT_PATHFINDER},
                                           {"a_flag_stops_steps_of_noise", GB_FIT_STOCHASTIC}};

TEST_EACH(a_flag_stops_a_fit, ways_to_stop)
{
    const way_to_stop *const is = row;
    const volatile int stopped = 1;
    const gb_fit_result r = gb_fit(schools(t), .method = is->method, .stop = &stopped);
    assert_fine(t);
    assert_int_equal(r.end, GB_FIT_CALLBACK);
    assert_int_equal(r.verdict, GB_VERDICT_NOT_CONVERGED);
    assert_non_null(strstr(r.words, "not converged: the fit was stopped"));
    assert_true(r.gradients < 20000);
}

TEST(progress_is_shown)
{
    FILE *const file = tmpfile();
    char text[200] = "";
    fits(gb_fit(schools(t), .progress = file), t);
    rewind(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    assert_non_null(strstr(text, "converged"));
    fclose(file);
}

/* ---- wrong calls ---- */

TEST(options_of_the_other_kind_are_rejected)
{
    gb_elbo *const e = counts(t, mean_field, 1);
    assert_int_equal(gb_fit(e, .steps = 10).end, GB_FIT_ERROR);
    assert_rejected(t, GB_EARGUMENT, "fit: .steps is for a training, which needs .optimiser");
    gb_fit(e, .plateau = true);
    assert_rejected(t, GB_EARGUMENT, "fit: .plateau is for a training");
    gb_fit(e, .optimiser = gb_adam(), .steps = 3, .method = GB_FIT_LAPLACE);
    assert_rejected(t, GB_EARGUMENT, "fit: .method is for fits without .optimiser");
    gb_fit(e, .method = (gb_fit_method)9);
    assert_rejected(t, GB_EARGUMENT, "fit: there is no .method number 9");
    gb_fit(e, .seconds = -1);
    assert_rejected(t, GB_EARGUMENT, "fit: .seconds is -1");
    gb_fit(e, .gradients = -5);
    assert_rejected(t, GB_EARGUMENT, ".gradients -5");
    const gb_fit_options other = {0};
    assert_int_equal(gb_fit_with(e, &other).status, GB_EARGUMENT);
    assert_rejected(t, GB_EARGUMENT, "size");
    assert_int_equal(gb_fit(NULL).status, GB_EARGUMENT);
    fits(gb_fit(e), t); /* nothing is left of all that */
}

static gb_status use(gb_tape *t, const void *what)
{
    const gb_fit_method method = *(const gb_fit_method *)what;
    gb_elbo *const e = counts(t, full_rank, 1);
    const int64_t limit = method == GB_FIT_STOCHASTIC ? 2000 : 0;
    const gb_fit_result r = gb_fit(e, .method = method, .gradients = limit);
    if (r.status == GB_OK && r.end != (limit ? GB_FIT_UNFINISHED : GB_FIT_CONVERGED))
        fail_msg("%s", r.words);
    return gb_error(t);
}

/* Memory ends in each of the places where a fit asks for it, also after q was found. */
TEST(a_fit_that_fails_leaves_q_as_it_was)
{
    size_t failed = 0;
    bool fitted = false;
    for (size_t at = 1; !fitted; at += 11) {
        double before[2], after[2];
        counted_memory memory = {0};
        gb_tape *const tape = gb_tape_new(.seed = 3, .threads = 1, .memory = counted(&memory));
        gb_elbo *const e = counts(tape, mean_field, 1);
        gb_elbo_posterior_read(e, "w", before, NULL, 2);
        memory.fail_at = memory.asked + at;
        fitted = gb_fit(e).status == GB_OK;
        failed += !fitted;
        memory.fail_at = 0;
        if (gb_error(tape) == GB_ENOMEM) {
            gb_forgive(tape);
            gb_elbo_posterior_read(e, "w", after, NULL, 2);
            assert_memory_equal(before, after, sizeof before);
        }
        gb_tape_free(tape);
    }
    assert_true(failed > 10);
}

TEST(lack_of_memory_is_an_error)
{
    for (gb_fit_method method = GB_FIT_FIXED_DRAWS; method <= GB_FIT_STOCHASTIC; method++)
        assert_outlives_lack_of_memory(use, &method, "fit", 60, (gb_tape_options){.threads = 1});
}

/* Of 600 numbers, fixed draws alone take most of a second: the limits are looked at on the way. */
static bool end_at_once(void *user, const gb_fit_point *point)
{
    (void)point;
    return ++*(int *)user < 2;
}

TEST(a_search_of_many_numbers_ends_soon_after_its_limit)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    const gb_node x =
        gb_latent(e, "x", gb_full_rank(gb_shape(600)), gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_pathwise());
    gb_observe(e, "y", gb_normal(gb_tanh(x), gb_num(t, 1)), gb_ones(t, gb_shape(600)));
    gb_fit_result r = gb_fit(e, .seconds = 1e-3, .unjudged = true);
    ends_unfinished(t, r, "the limit of 0.001 seconds was reached");
    assert_true(r.gradients < 100); /* no draws were made */
    int calls = 0;
    r = gb_fit(e, .unjudged = true, .each = end_at_once, .user = &calls);
    assert_int_equal(r.end, GB_FIT_CALLBACK);
    assert_int_equal(calls, 2);
}
