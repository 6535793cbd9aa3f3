/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Laws of outcomes: classes, vectors, those without moments; units; and what there is to misuse. */
#include "support/close.h"

#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/draws.h"
#include "prediction/predicted.h"
#include "support/counted_memory.h"

/* ---- classes ---- */

enum { CLASSES = 3, ROWS = 4 };

static const double inputs[ROWS] = {-1, 0, 0.5, 2};
static const double labels[ROWS] = {1, 2, 1, 2};

/* Logits (w x, 0, −1), with a point w. */
static gb_node logits_of(gb_elbo *e, gb_node x)
{
    gb_tape *const t = x.tape;
    const gb_node w = gb_latent(e, "w", gb_point(gb_shape(), .location = 0.8),
                                gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_pathwise());
    const gb_node parts[] = {gb_mul(w, x), gb_mul(gb_num(t, 0), x), gb_shift(gb_mul(gb_num(t, 0), x), -1)};
    const gb_node each[] = {gb_expand(parts[0], 0), gb_expand(parts[1], 0), gb_expand(parts[2], 0)};
    return gb_concat(3, each, 0);
}

static void chances(double x, double p[CLASSES])
{
    const double e[CLASSES] = {exp(0.8 * x), 1, exp(-1)}, sum = e[0] + e[1] + e[2];
    for (int k = 0; k < CLASSES; k++)
        p[k] = e[k] / sum;
}

static void assert_classes(const gb_prediction *p)
{
    assert_int_equal(p->classes, CLASSES);
    assert_int_equal(p->data, 1);
    for (int i = 0; i < ROWS; i++) {
        double chance[CLASSES], entropy = 0;
        chances(inputs[i], chance);
        for (int k = 0; k < CLASSES; k++) {
            assert_near(p->probability[CLASSES * i + k], chance[k], 1e-12);
            entropy -= chance[k] * log(chance[k]);
        }
        assert_near(p->entropy[i], entropy, 1e-12);
        assert_near(p->expected_entropy[i], entropy, 1e-12);
        assert_near(p->information[i], 0, 1e-12);
        assert_near(p->log_density[i], log(chance[(int)labels[i]]), 1e-12);
        assert_near(p->log_density_error[i], 0, 0);
    }
    const gb_scores s = gb_prediction_scores(p);
    assert_near(gb_scores_find(&s, "accuracy")->value, 0.25, 1e-12);
    assert_non_null(gb_scores_find(&s, "brier"));
    assert_null(gb_scores_find(&s, "rmse"));
    assert_int_equal(gb_prediction_reliability(p, 0).score.status, GB_OK);
}

TEST(categories_of_a_point_are_exact)
{
    gb_elbo *e = gb_elbo_new(t, .data_size = ROWS);
    const gb_node x = gb_input_rows(t, "x", gb_shape()), y = gb_input_rows_ints(t, "y", gb_shape());
    gb_observe(e, "y", gb_categorical_logits(logits_of(e, x)), y);
    static const int64_t whole[ROWS] = {1, 2, 1, 2};
    gb_feed(x, inputs, ROWS);
    gb_feed_ints(y, whole, ROWS);
    gb_prediction *p = predicted(gb_predictive(e, "y", .draws = 100), t);
    assert_classes(p);
    gb_prediction_free(p);
}

TEST(vectors_with_a_one_are_classes)
{
    gb_elbo *e = gb_elbo_new(t, .data_size = ROWS);
    const gb_node x = gb_input_rows(t, "x", gb_shape()), y = gb_input_rows(t, "y", gb_shape(CLASSES));
    gb_observe(e, "y", gb_one_hot_categorical_logits(logits_of(e, x)), y);
    static const double vectors[ROWS * CLASSES] = {0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1};
    gb_feed(x, inputs, ROWS);
    gb_feed(y, vectors, ROWS);
    gb_prediction *p = predicted(gb_predictive(e, "y", .draws = 100), t);
    assert_int_equal(p->elements, CLASSES);
    assert_classes(p);
    gb_prediction_free(p);
}

/* ---- vectors ---- */

TEST(a_vector_has_one_density_and_many_numbers)
{
    static const double y[4] = {0, 1, 2, -1};
    gb_elbo *e = gb_elbo_new(t, .data_size = 2);
    const gb_node data = gb_input_rows(t, "y", gb_shape(2));
    const gb_node mu = gb_latent(e, "mu", gb_mean_field(gb_shape(2), .scale = 0.5),
                                 gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_quadrature(.nodes = 20));
    gb_observe(e, "y", gb_independent(gb_normal(mu, gb_num(t, 1)), 1), data);
    gb_feed(data, y, 2);
    gb_prediction *p = predicted(gb_predictive(e, "y", .draws = 50, .scale = 2, .shift = 3), t);
    assert_int_equal(p->elements, 2);
    assert_int_equal(p->data, 1);
    for (int i = 0; i < 2; i++) {
        const double exact = log_normal(y[2 * i], 0, 1.25) + log_normal(y[2 * i + 1], 0, 1.25);
        assert_near(p->log_density[i], exact - 2 * log(2), 1e-9);
        assert_near(p->outcome[2 * i + 1], 3 + 2 * y[2 * i + 1], 1e-12);
        assert_near(p->sd[2 * i], 2 * sqrt(1.25), 1e-9);
    }
    gb_prediction_free(p);
}

/* ---- units ---- */

TEST(scale_and_shift_give_the_units_of_the_data)
{
    const line m = line_model(t, gb_quadrature());
    gb_prediction *p = predicted(gb_predictive(m.e, "y", .data = m.data, .draws = 500), t),
                  *raw = predicted(
                      gb_predictive(m.e, "y", .data = m.data, .draws = 500, .scale = -4, .shift = 10), t);
    for (int i = 0; i < LINE_ROWS; i++) {
        assert_near(raw->mean[i], 10 - 4 * p->mean[i], 1e-12);
        assert_near(raw->sd[i], 4 * p->sd[i], 1e-12);
        assert_near(raw->epistemic[i], 4 * p->epistemic[i], 1e-12);
        assert_near(raw->noise[i], 4 * p->noise[i], 1e-12);
        assert_near(raw->outcome[i], 10 - 4 * p->outcome[i], 1e-12);
        assert_near(raw->log_density[i], p->log_density[i] - log(4), 1e-12);
        assert_near(raw->quantile[3 * i], 10 - 4 * p->quantile[3 * i + 2], 1e-11);
        assert_near(raw->crps[i], 4 * p->crps[i], 1e-11);
    }
    gb_prediction_free(p);
    gb_prediction_free(raw);
}

/* ---- laws without moments ---- */

TEST(what_does_not_exist_is_said)
{
    const gb_node y = gb_input_rows(t, "y", gb_shape()), angle = gb_input_rows(t, "angle", gb_shape());
    gb_elbo *e = gb_elbo_new(t, .data_size = 2);
    const gb_node mu =
        gb_latent(e, "mu", gb_mean_field(gb_shape()), gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_pathwise());
    static const double two[2] = {0.1, 0.2};
    gb_observe(e, "y", gb_cauchy(mu, gb_num(t, 1)), y);
    gb_observe(e, "angle", gb_von_mises(mu, gb_num(t, 2)), angle);
    gb_feed(y, two, 2);
    gb_feed(angle, two, 2);
    gb_prediction *p = predicted(gb_predictive(e, "y", .draws = 4000), t),
                  *q = predicted(gb_predictive(e, "angle", .draws = 4000), t);
    assert_true(isnan(p->mean[0]) && isnan(p->sd[0]) && isnan(p->noise[0]));
    assert_non_null(strstr(p->words, "mean, epistemic, sd: "));
    assert_non_null(strstr(p->words, "cauchy"));
    assert_near(p->quantile[1], 0, 0.1);
    assert_true(isfinite(p->log_density[0]) && isfinite(p->crps[0]));
    assert_non_null(strstr(q->words, "von_mises has no variance in closed form"));
    assert_near(q->quantile[1], 0, 0.1);
    gb_prediction_free(p);
    gb_prediction_free(q);
}

/* ---- floats ---- */

TEST(floats_predict_too, .real = GB_FLOAT)
{
    const line m = line_model(t, gb_quadrature());
    gb_prediction *p = predicted(gb_predictive(m.e, "y", .data = m.data, .draws = 200), t);
    for (int i = 0; i < LINE_ROWS; i++) {
        assert_near(p->mean[i], line_mean(i), 1e-5);
        assert_near(p->sd[i], sqrt(line_epistemic(i) + LINE_NOISE * LINE_NOISE), 1e-5);
        assert_near(p->log_density[i], line_log_density(i), 1e-4);
    }
    gb_prediction_free(p);
}

/* ---- misuse ---- */

static void assert_refused(gb_tape *t, const gb_prediction *p, gb_status code, const char *words, int at)
{
    if (p || gb_error(t) != code || !strstr(gb_error_text(t), words))
        fail_msg("line %d: %s, and not: %s", at, gb_error_text(t), words);
    gb_forgive(t);
}
#define assert_refused(t, p, code, words) assert_refused(t, p, code, words, __LINE__)

TEST(nonsense_is_rejected)
{
    const line m = line_model(t, gb_pathwise());
    assert_refused(t, gb_predictive(m.e, "zzzz"), GB_ENAME,
                   "predictive: no outcome was observed as zzzz; there are: y");
    assert_refused(t, gb_predictive(m.e, NULL), GB_ENAME, "no outcome was observed as (NULL); there are: y");
    assert_refused(
        t, gb_predictive(m.e, "y"), GB_EARGUMENT,
        "predictive: no rows were fed; give .data (gb_batches_new; gb_analysis_rows with a table, which may "
        "be that of the training), or feed the inputs");
    assert_refused(t, gb_predictive(m.e, "y", .data = m.data, .draws = 1), GB_EARGUMENT,
                   ".draws is 1, and must be from 2");
    assert_refused(t, gb_predictive(m.e, "y", .data = m.data, .draws = -5), GB_EARGUMENT, ".draws is -5");
    assert_refused(t, gb_predictive(m.e, "y", .data = m.data, .quantiles = GB_VALUES(0.5, 1.5)), GB_EARGUMENT,
                   "quantile 1 is of probability 1.5, which is not in [0, 1]");
    assert_refused(t, gb_predictive(m.e, "y", .data = m.data, .only_moments = true, .keep_draws = true),
                   GB_EARGUMENT, ".only_moments makes no draws, and .keep_draws needs them");
    assert_refused(t, gb_predictive(m.e, "y", .data = m.data, .memory = -1), GB_EARGUMENT, ".memory is -1");
    assert_refused(t, gb_predictive(m.e, "y", .data = m.data, .shift = INFINITY), GB_EARGUMENT,
                   "they must be finite");
    assert_refused(t, gb_predictive_node(m.e, (gb_node){0}, .data = m.data), GB_ENODE,
                   "predictive_node: this is not a usable real node");
    assert_null(gb_predictive(NULL, "y"));
    gb_prediction_free(NULL);
    const gb_column only_y[] = {{m.y, gb_doubles(line_y)}};
    gb_batches *without = gb_batches_new(t, .rows = 5, .columns = gb_columns_of(1, only_y));
    assert_refused(t, gb_predictive(m.e, "y", .data = without), GB_EARGUMENT,
                   "predictive: .data has no column for input x, which y depends on in each row");
    gb_tape *const u = test_tape();
    const line other = line_model(u, gb_pathwise());
    assert_refused(t, gb_predictive(m.e, "y", .data = other.data), GB_EARGUMENT,
                   ".data is of another tape than the ELBO");
    gb_prediction_free(predicted(gb_predictive(m.e, "y", .data = m.data, .draws = 10), t));
    gb_feed(m.x, line_x, 2);
    gb_feed(m.y, line_y, LINE_ROWS);
    assert_refused(t, gb_predictive(m.e, "y"), GB_EFEED, "to predict rows without outcome, give .data");
}

TEST(units_of_counts_and_own_likelihoods_are_rejected)
{
    const gb_node y = gb_input_rows(t, "y", gb_shape());
    gb_elbo *e = gb_elbo_new(t, .data_size = 2);
    const gb_node w =
        gb_latent(e, "w", gb_mean_field(gb_shape()), gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_pathwise());
    static const double two[2] = {1, 2};
    gb_observe(e, "counts", gb_poisson(gb_exp(w)), y);
    gb_log_likelihood(e, "own", gb_neg(gb_square(gb_sub(y, w))));
    gb_feed(y, two, 2);
    assert_refused(t, gb_predictive(e, "counts", .scale = 2), GB_EARGUMENT,
                   "outcome counts is discrete (poisson), so it has no .scale and .shift");
    assert_refused(t, gb_predictive(e, "own"), GB_EARGUMENT,
                   "the law of own is not known: it was recorded as a log likelihood");
    assert_refused(t, gb_predictive(e, "count"), GB_ENAME, "did you mean counts?");
}

/* A draw at which the model has no value is an error with the reason. */
TEST(a_draw_that_an_operation_rejects_is_explained)
{
    const gb_node y = gb_input_rows(t, "y", gb_shape());
    gb_elbo *e = gb_elbo_new(t, .data_size = 1);
    const gb_node w =
        gb_latent(e, "w", gb_mean_field(gb_shape()), gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_pathwise());
    static const double one = 1;
    gb_observe(e, "y", gb_normal(gb_num(t, 0), w), y);
    gb_feed(y, &one, 1);
    assert_null(gb_predictive(e, "y", .draws = 50));
    assert_non_null(strstr(gb_error_text(t), "normal: scale"));
}

static gb_status use(gb_tape *t, const void *what)
{
    const double memory = *(const double *)what;
    if (!t)
        return GB_ENOMEM;
    const line m = line_model(t, gb_pathwise());
    gb_prediction_free(
        gb_predictive(m.e, "y", .data = m.data, .draws = 5, .memory = memory, .keep_draws = true));
    gb_prediction_free(gb_predictive_node(m.e, m.f, .data = m.data, .draws = 5));
    return gb_error(t);
}

TEST(predictions_outlive_lack_of_memory)
{
    static const double memory = 0;
    assert_outlives_lack_of_memory(use, &memory, "predictions", 0, (gb_tape_options){.seed = 1});
}
