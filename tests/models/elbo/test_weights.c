/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Weights of data: how often each datum counts, in the sum, in predictions and in scores. */
#include "support/close.h"

#include <math.h>

#include "fitting/density.h"
#include "fitting/fit.h"
#include "fitting/predictive.h"
#include "prediction/predicted.h"

/* y ~ N(a + b x, 0.8), with rows as data or as a vector. */
typedef struct weighed {
    gb_elbo *e;
    gb_node x, y, weight, log_p;
} weighed;

static weighed model(gb_tape *t, double rows, bool has_weight)
{
    const gb_node zero = gb_num(t, 0), one = gb_num(t, 1), none = {0};
    weighed m = {.x = gb_input_rows(t, "x", gb_shape()),
                 .y = gb_input_rows(t, "y", gb_shape()),
                 .weight = has_weight ? gb_input_rows(t, "weight", gb_shape()) : none};
    m.e = gb_elbo_new(t, .data_size = rows);
    const gb_node a = gb_latent(m.e, "a", gb_mean_field(gb_shape()), gb_normal(zero, one), gb_pathwise());
    const gb_node b = gb_latent(m.e, "b", gb_mean_field(gb_shape()), gb_normal(zero, one), gb_pathwise());
    m.log_p = gb_observe(m.e, "y", gb_normal(gb_add(a, gb_mul(b, m.x)), gb_num(t, LINE_NOISE)), m.y,
                         .weight = m.weight);
    return m;
}

static double density_at(gb_tape *t, const weighed *m, const double *gradient_at, double *gradient)
{
    double log_p = 0;
    assert_int_equal(gb_density_evaluate(gb_density_new(m->e), 1, gradient_at, &log_p, gradient, NULL),
                     GB_OK);
    assert_int_equal(gb_error(t), GB_OK);
    return log_p;
}

TEST(a_weight_of_2_is_a_datum_that_stands_twice_and_0_one_that_is_not_there)
{
    static const double z[2] = {0.3, -1.1}, weight[LINE_ROWS] = {1, 2, 0, 1, 0.5};
    static const double x[] = {-2, -0.5, -0.5, 1}, y[] = {1.2, 0.9, 0.9, -1};
    double of_weights[2], of_copies[2];
    gb_tape *const u = test_tape();
    const weighed m = model(t, LINE_ROWS, true), copies = model(u, 4, false);
    gb_feed(m.x, line_x, LINE_ROWS);
    gb_feed(m.y, line_y, LINE_ROWS);
    gb_feed(m.weight, weight, LINE_ROWS);
    gb_feed(copies.x, x, 4);
    gb_feed(copies.y, y, 4);
    const double half = 0.5 * log_normal(line_y[4], z[0] + z[1] * line_x[4], LINE_NOISE * LINE_NOISE);
    assert_close(density_at(t, &m, z, of_weights), density_at(u, &copies, z, of_copies) + half, 8);
    const double off = line_y[4] - z[0] - z[1] * line_x[4], slope = 0.5 * off / (LINE_NOISE * LINE_NOISE);
    assert_close(of_weights[0], of_copies[0] + slope, 8);
    assert_close(of_weights[1], of_copies[1] + slope * line_x[4], 8);
}

TEST(a_batch_of_weighted_rows_is_scaled_by_the_number_of_rows)
{
    static const double z[2] = {0.3, -1.1}, weight[] = {3, 0}, x[] = {1, 7}, y[] = {0.2, 9};
    const weighed m = model(t, 10, true);
    gb_feed(m.x, x, 2);
    gb_feed(m.y, y, 2);
    gb_feed(m.weight, weight, 2);
    double log_p;
    gb_density *const d = gb_density_new(m.e, .part_of_data = true);
    assert_int_equal(gb_density_evaluate(d, 1, z, &log_p, NULL, NULL), GB_OK);
    assert_close(log_p,
                 5 * 3 * log_normal(0.2, z[0] + z[1], LINE_NOISE * LINE_NOISE) + log_normal(z[0], 0, 1) +
                     log_normal(z[1], 0, 1),
                 8);
}

TEST(weights_of_the_elements_of_a_vector_count_each)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    const gb_node a = gb_latent(e, "a", gb_point(gb_shape()), gb_no_prior, gb_pathwise());
    gb_observe(e, "y", gb_normal(a, gb_num(t, 1)), gb_constant(t, gb_shape(3), GB_VALUES(1, 2, 100)),
               .weight = gb_constant(t, gb_shape(3), GB_VALUES(1, 3, 0)));
    assert_int_equal(gb_fit(e).status, GB_OK);
    double mean;
    assert_int_equal(gb_elbo_posterior_read(e, "a", &mean, NULL, 1), GB_OK);
    assert_near(mean, 7. / 4, 1e-6);
}

TEST(a_missing_outcome_is_predicted_but_not_scored)
{
    static const double weight[LINE_ROWS] = {1, 0, 2, 1, 0};
    const weighed m = model(t, LINE_ROWS, true);
    gb_batches *const data =
        gb_batches_new(t, .rows = LINE_ROWS,
                       .columns = GB_COLUMNS({m.x, gb_doubles(line_x)}, {m.y, gb_doubles(line_y)},
                                             {m.weight, gb_doubles(weight)}));
    gb_prediction *const p = predicted(gb_predictive(m.e, "y", .data = data, .draws = 50), t);
    double squares = 0;
    for (size_t i = 0; i < LINE_ROWS; i++) {
        const bool is_there = weight[i] != 0;
        assert_true(isfinite(p->mean[i]));
        assert_int_equal(isfinite(p->outcome[i]) != 0, is_there);
        assert_int_equal(isfinite(p->log_density[i]) != 0, is_there);
        assert_int_equal(isfinite(p->crps[i]) != 0, is_there);
        assert_close(p->weight[i], weight[i], 0);
        squares += is_there ? (p->mean[i] - line_y[i]) * (p->mean[i] - line_y[i]) : 0;
    }
    assert_close(gb_prediction_score(p, "rmse").value, sqrt(squares / 3), 8);
    assert_int_equal(gb_prediction_score(p, "log density").count, 3);
    assert_true(isfinite(gb_prediction_reliability(p, 4).score.value));
    assert_non_null(strstr(p->words, "2 of 5 outcomes have the weight 0, and are not scored"));
    gb_prediction_free(p);
}

TEST(held_out_rows_that_are_missing_are_left_out_of_the_score)
{
    static const double weight[LINE_ROWS] = {1, 0, 1, 1, 0}, ones[LINE_ROWS] = {1, 1, 1, 1, 1};
    static const double wild[LINE_ROWS] = {1.2, 1e3, 0.3, -1, -1e3};
    double score[2];
    for (int i = 0; i < 2; i++) {
        gb_tape *const u = test_tape(.seed = 3);
        const weighed m = model(u, LINE_ROWS, true);
        gb_batches *const train =
            gb_batches_new(u, .rows = LINE_ROWS,
                           .columns = GB_COLUMNS({m.x, gb_doubles(line_x)}, {m.y, gb_doubles(line_y)},
                                                 {m.weight, gb_doubles(ones)}));
        gb_batches *const held = gb_batches_new(u, .rows = LINE_ROWS, .in_order = true, .name = "held",
                                                .columns = GB_COLUMNS({m.x, gb_doubles(line_x)},
                                                                      {m.y, gb_doubles(i ? wild : line_y)},
                                                                      {m.weight, gb_doubles(weight)}));
        const gb_fit_result r = gb_fit(m.e, .optimiser = gb_adam(.lr = 0.01), .data = train, .steps = 20,
                                       .window = 10, .validate = held);
        assert_int_equal(r.status, GB_OK);
        score[i] = r.last.validation;
    }
    assert_true(isfinite(score[0]));
    assert_close(score[0], score[1], 0);
}

TEST(held_out_rows_that_all_are_missing_have_no_score)
{
    static const double ones[LINE_ROWS] = {1, 1, 1, 1, 1}, none[LINE_ROWS] = {0};
    const weighed m = model(t, LINE_ROWS, true);
    gb_batches *batches[2];
    for (int i = 0; i < 2; i++)
        batches[i] =
            gb_batches_new(t, .rows = LINE_ROWS, .name = i ? "held" : "train",
                           .columns = GB_COLUMNS({m.x, gb_doubles(line_x)}, {m.y, gb_doubles(line_y)},
                                                 {m.weight, gb_doubles(i ? none : ones)}));
    const gb_fit_result r = gb_fit(m.e, .optimiser = gb_adam(.lr = 0.01), .data = batches[0], .steps = 20,
                                   .window = 10, .validate = batches[1], .patience = 1);
    assert_int_equal(r.status, GB_EARGUMENT);
    assert_non_null(strstr(gb_error_text(t), "fit: .validate: none of the 5 rows counts"));
    gb_forgive(t);
}

/* ---- misuse ---- */

typedef struct misuse {
    const char *name;
    gb_status code;
    const char *words;
    gb_node (*weight)(gb_tape *t, gb_node draw);
} misuse;

static gb_node of_a_draw(gb_tape *t, gb_node draw)
{
    (void)t;
    return draw;
}

static gb_node of_another_shape(gb_tape *t, gb_node draw)
{
    (void)draw;
    return gb_constant(t, gb_shape(2), GB_VALUES(1, 1));
}

static gb_node of_rows(gb_tape *t, gb_node draw)
{
    (void)draw;
    return gb_input_rows(t, "w", gb_shape());
}

static gb_node of_integers(gb_tape *t, gb_node draw)
{
    (void)draw;
    return gb_ints(t, gb_shape(), (const int64_t[]){3});
}

static const misuse misuses[] = {
    {"a_draw", GB_EARGUMENT, "observe y: .weight depends on draws, and must be data", of_a_draw},
    {"another_shape", GB_ESHAPE,
     "observe y: .weight has shape (2), and the data have log densities of shape (3)", of_another_shape},
    {"rows", GB_ESHAPE, "observe y: .weight varies over rows, the data do not", of_rows},
    {"integers", GB_ENODE, "observe y: .weight is not a usable real node", of_integers},
};

TEST_EACH(what_cannot_be_a_weight, misuses)
{
    const misuse *const m = row;
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    const gb_node a = gb_latent(e, "a", gb_mean_field(gb_shape()), gb_no_prior, gb_pathwise());
    gb_observe(e, "y", gb_normal(a, gb_num(t, 1)), gb_constant(t, gb_shape(3), GB_VALUES(1, 2, 3)),
               .weight = m->weight(t, a));
    assert_rejected(t, m->code, m->words);
}

TEST(a_negative_weight_ends_the_run_in_words)
{
    static const double weight[LINE_ROWS] = {1, 1, -2, 1, 1};
    const weighed m = model(t, LINE_ROWS, true);
    gb_program *const p = gb_compile(t, gb_roots(gb_elbo_loss(m.e)), gb_no_update);
    gb_feed(m.x, line_x, LINE_ROWS);
    gb_feed(m.y, line_y, LINE_ROWS);
    gb_feed(m.weight, weight, LINE_ROWS);
    gb_run(p);
    assert_rejected(t, GB_EARGUMENT, "weight is -2, and must be");
}

/* As of rows that are there as often as their weights say; those of weight 0 are not there. */
TEST(leaving_one_out_counts_weights)
{
    static const double weight[LINE_ROWS] = {1, 0, 2, 1, 0};
    static const int repeated[] = {0, 2, 2, 3};
    double x[4], y[4];
    for (int i = 0; i < 4; i++) {
        x[i] = line_x[repeated[i]];
        y[i] = line_y[repeated[i]];
    }
    gb_tape *const other = test_tape();
    const weighed m = model(t, LINE_ROWS, true), n = model(other, 4, false);
    gb_feed(m.x, line_x, LINE_ROWS);
    gb_feed(m.y, line_y, LINE_ROWS);
    gb_feed(m.weight, weight, LINE_ROWS);
    gb_feed(n.x, x, 4);
    gb_feed(n.y, y, 4);
    gb_loo_datum of[LINE_ROWS];
    const gb_loo is = gb_elbo_loo(m.e, gb_roots(m.log_p), .pointwise = of, .room = LINE_ROWS),
                 should = gb_elbo_loo(n.e, gb_roots(n.log_p));
    assert_fine(t);
    assert_fine(other);
    assert_near(is.elpd, should.elpd, 1e-9 * fabs(should.elpd));
    assert_near(is.p, should.p, 1e-9 * fabs(should.elpd));
    for (int i = 0; i < LINE_ROWS; i++)
        assert_int_equal(isnan(of[i].elpd) != 0, weight[i] == 0);
    /* A node of one's own says its weights itself. */
    const gb_node twice = gb_scale(m.log_p, 1);
    gb_elbo_weigh(m.e, twice, m.weight);
    assert_near(gb_elbo_loo(m.e, gb_roots(twice)).elpd, is.elpd, 1e-9 * fabs(is.elpd));
    gb_elbo_weigh(m.e, twice, gb_ones(t, gb_shape(3)));
    assert_rejected(t, GB_ESHAPE, "elbo_weigh log likelihood: .weight has shape (3)");
}
