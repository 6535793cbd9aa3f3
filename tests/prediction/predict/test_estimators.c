/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One prediction by all estimators and families: where q is the same, so is the answer. */
#include "support/close.h"

#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/matmul.h"
#include "prediction/predicted.h"

enum { DRAWS = 4000 };

typedef struct by_estimator {
    const char *name, *text;
    bool is_exact;
    bool alone; /* its draws do not follow on others */
} by_estimator;

static gb_estimator estimator_of(const by_estimator *by)
{
    char error[200];
    gb_estimator estimator;
    if (!gb_estimator_parse(by->text, &estimator, error, sizeof error))
        fail_msg("%s: %s", by->text, error);
    return estimator;
}

/* ---- normal latents ---- */

static const by_estimator of_normals[] = {
    {"pathwise", "pathwise", false, false},
    {"antithetic", "pathwise:draws=antithetic", false, false},
    {"sobol", "pathwise:draws=sobol", false, false},
    {"score", "score", false, false},
    {"score_with_baseline", "score:baseline=leave_one_out", false, false},
    {"score_by_delta", "score:baseline=delta", false, false},
    {"vargrad", "vargrad", false, false},
    {"sticking_the_landing", "sticking_the_landing", false, false},
    {"measure", "measure", false, false},
    {"quadrature", "quadrature:nodes=40", true, false}};

TEST_EACH(a_line_by, of_normals)
{
    const by_estimator *const by = row;
    const line m = line_model(t, estimator_of(by));
    gb_prediction *p = predicted(gb_predictive(m.e, "y", .data = m.data, .draws = DRAWS), t);
    for (int i = 0; i < LINE_ROWS; i++) {
        const double epistemic = sqrt(line_epistemic(i)), error = by->is_exact ? 1e-10 : 4 / sqrt(DRAWS);
        assert_near(p->mean[i], line_mean(i), error * epistemic);
        assert_near(p->epistemic[i], epistemic, error * epistemic);
        assert_near(p->noise[i], LINE_NOISE, 1e-12);
        assert_near(p->log_density[i], line_log_density(i),
                    by->is_exact ? 1e-10 : 4 * p->log_density_error[i]);
        assert_near(p->quantile[3 * i + 1], line_mean(i), 0.1);
    }
    gb_prediction_free(p);
}

/* ---- binary latents: y ~ N(2 z₁ + 4 z₂, 1), z₂ follows on z₁ ---- */

static const by_estimator of_binaries[] = {
    {"score", "score", false, false},       {"measure", "measure", false, false},
    {"arm", "arm", false, false},           {"disarm", "disarm", false, false},
    {"relaxed", "relaxed", false, true},    {"straight_through", "straight_through", false, true},
    {"rebar", "rebar", false, true},        {"relax", "relax", false, false},
    {"enumerate", "enumerate", true, false}};

TEST_EACH(a_mixture_by, of_binaries)
{
    const by_estimator *const by = row;
    enum { ROWS = 3 };
    static const double y[ROWS] = {-1, 0.5, 5};
    const double follows = by->alone ? 0 : 0.4;
    const double chance[2][2] = {{0.7 * 0.8, 0.7 * 0.2}, {0.3 * (0.8 - follows), 0.3 * (0.2 + follows)}};
    const gb_node data = gb_input_rows(t, "y", gb_shape());
    gb_elbo *e = gb_elbo_new(t, .data_size = ROWS);
    const gb_dist q = gb_bernoulli(gb_variable(t, "p", gb_shape(), gb_fill(0.3)));
    const gb_node z = gb_latent(e, "z", gb_posterior_of(q), gb_bernoulli(gb_num(t, 0.5)), estimator_of(by));
    const gb_node second = by->alone ? gb_num(t, 0.2) : gb_shift(gb_scale(z, follows), 0.2);
    const gb_node u = gb_latent(e, "u", gb_posterior_of(gb_bernoulli(second)), gb_bernoulli(gb_num(t, 0.5)),
                                estimator_of(by));
    gb_observe(e, "y", gb_normal(gb_add(gb_scale(z, 2), gb_scale(u, 4)), gb_num(t, 1)), data);
    assert_int_equal(gb_feed(data, y, ROWS), GB_OK);
    gb_prediction *p = predicted(gb_predictive(e, "y", .draws = DRAWS), t);
    double mean = 0, square = 0;
    for (int k = 0; k < 4; k++) {
        const double at = 2 * (k / 2) + 4 * (k % 2);
        mean += chance[k / 2][k % 2] * at;
        square += chance[k / 2][k % 2] * at * at;
    }
    const double epistemic = sqrt(square - mean * mean), error = by->is_exact ? 1e-12 : 4 / sqrt(DRAWS);
    for (int i = 0; i < ROWS; i++) {
        double density = 0, below = 0;
        for (int k = 0; k < 4; k++) {
            const double at = 2 * (k / 2) + 4 * (k % 2);
            density += chance[k / 2][k % 2] * exp(log_normal(y[i], at, 1));
            below += chance[k / 2][k % 2] * 0.5 * erfc(-(y[i] - at) / sqrt(2));
        }
        assert_near(p->mean[i], mean, error * epistemic);
        assert_near(p->epistemic[i], epistemic, error * epistemic);
        assert_near(p->log_density[i], log(density),
                    by->is_exact ? 1e-12 : 4 * p->log_density_error[i] + 1e-12);
        assert_near(p->below[i], below, 4 * 0.5 / sqrt(DRAWS));
    }
    gb_prediction_free(p);
}

/* ---- choices among several: y ~ N(values of z + 0.5 u, 1), u ~ Bernoulli(0.2 + 0.1 z) ---- */

static const by_estimator of_choices[] = {{"arsm", "arsm", false, false},
                                          {"disarm_iw", "disarm_iw", false, false},
                                          {"disarm_sb", "disarm_sb", false, false},
                                          {"disarm_tree", "disarm_tree", false, false},
                                          {"reinmax", "reinmax", false, true},
                                          {"gumbel_rao", "gumbel_rao", false, true},
                                          {"sum_and_sample", "sum_and_sample:summed=2", false, false},
                                          {"unordered_set", "unordered_set:draws=2", false, false},
                                          {"gumbel_top_k", "gumbel_top_k:draws=8", false, false},
                                          {"enumerate", "enumerate", true, false}};

TEST_EACH(a_choice_by, of_choices)
{
    enum { K = 10, ROWS = 2 };
    static const double y[ROWS] = {-1, 0.5};
    const by_estimator *const by = row;
    const double follows = by->alone ? 0 : 0.07;
    double value[K], logit[K], p[K], sum = 0;
    for (int k = 0; k < K; k++) {
        value[k] = 2 * sin(1.0 + 2 * k);
        sum += p[k] = exp(logit[k] = cos(3.0 * k));
    }
    const gb_node data = gb_input_rows(t, "y", gb_shape());
    gb_elbo *const e = gb_elbo_new(t, .data_size = ROWS);
    const gb_node logits = gb_variable(t, "logits", gb_shape(K), gb_values_of(logit, K)),
                  number = gb_arange(t, K), values = gb_constant(t, gb_shape(K), gb_values_of(value, K));
    const gb_dist q = gb_one_hot_categorical_logits(logits),
                  prior = gb_one_hot_categorical_logits(gb_zeros(t, gb_shape(K)));
    const gb_node z = gb_latent(e, "z", gb_posterior_of(q), prior, estimator_of(by));
    const gb_node chance = gb_shift(gb_scale(by->alone ? gb_num(t, 0) : gb_dot(z, number), follows), 0.2);
    const gb_node u =
        gb_latent(e, "u", gb_posterior_of(gb_bernoulli(chance)), gb_bernoulli(gb_num(t, 0.5)), gb_score());
    gb_observe(e, "y", gb_normal(gb_add(gb_dot(z, values), gb_scale(u, 0.5)), gb_num(t, 1)), data);
    assert_int_equal(gb_feed(data, y, ROWS), GB_OK);
    gb_prediction *const is = predicted(gb_predictive(e, "y", .draws = DRAWS), t);
    double mean = 0, square = 0, density[ROWS] = {0};
    for (int k = 0; k < 2 * K; k++) {
        const double of_u = 0.2 + follows * (k / 2), at = value[k / 2] + 0.5 * (k % 2);
        const double chance_of = p[k / 2] / sum * (k % 2 ? of_u : 1 - of_u);
        mean += chance_of * at;
        square += chance_of * at * at;
        for (int i = 0; i < ROWS; i++)
            density[i] += chance_of * exp(log_normal(y[i], at, 1));
    }
    const double epistemic = sqrt(square - mean * mean), error = 4 / sqrt(DRAWS);
    for (int i = 0; i < ROWS; i++) {
        assert_near(is->mean[i], mean, error * epistemic);
        assert_near(is->epistemic[i], epistemic, error * epistemic);
        assert_near(is->log_density[i], log(density[i]), 4 * is->log_density_error[i] + 1e-12);
    }
    gb_prediction_free(is);
}

/* ---- families: f = x · w, w of 2 numbers ---- */

typedef struct by_family {
    const char *name;
    gb_family (*of)(gb_tape *t);
    bool is_standard; /* q has means 0.5 and independent standard deviations 0.3 */
} by_family;

static gb_family mean_field(gb_tape *t)
{
    (void)t;
    return gb_mean_field(gb_shape(2), .location = 0.5, .scale = 0.3);
}

static gb_family full_rank(gb_tape *t)
{
    (void)t;
    return gb_full_rank(gb_shape(2), .location = 0.5, .scale = 0.3);
}

static gb_family low_rank(gb_tape *t)
{
    (void)t;
    return gb_low_rank(gb_shape(2), .location = 0.5, .scale = 0.3, .rank = 1);
}

static gb_family given(gb_tape *t)
{
    const gb_node loc = gb_variable(t, "loc", gb_shape(2), gb_fill(0.5));
    return gb_posterior_of(gb_normal(loc, gb_num(t, 0.3)));
}

static gb_family of_each_row(gb_tape *t)
{
    return gb_row_by_row(mean_field(t));
}

static gb_family dropout(gb_tape *t)
{
    (void)t;
    return gb_dropout_posterior(gb_shape(2), .location = 0.5, .keep = 0.7);
}

static gb_family dropout_of_each_row(gb_tape *t)
{
    return gb_row_by_row(dropout(t));
}

static gb_family point(gb_tape *t)
{
    (void)t;
    return gb_point(gb_shape(2), .location = 0.5);
}

static const by_family families[] = {{"mean_field", mean_field, true},
                                     {"full_rank", full_rank, true},
                                     {"low_rank", low_rank, false},
                                     {"given", given, true},
                                     {"of_each_row", of_each_row, true},
                                     {"dropout", dropout, false},
                                     {"dropout_of_each_row", dropout_of_each_row, false},
                                     {"point", point, false}};

enum { ROWS = 3 };
static const double xs[2 * ROWS] = {1, 0, -1, 2, 0.5, 0.5}, ys[ROWS] = {0.2, 1, -1};

static gb_node model(gb_elbo *e, gb_node w)
{
    gb_tape *const t = w.tape;
    const gb_node x = gb_input_rows(t, "x", gb_shape(2)), y = gb_input_rows(t, "y", gb_shape()),
                  f = gb_dot(x, w);
    gb_observe(e, "y", gb_normal(f, gb_num(t, 0.5)), y);
    assert_int_equal(gb_feed(x, xs, ROWS), GB_OK);
    assert_int_equal(gb_feed(y, ys, ROWS), GB_OK);
    return f;
}

static void assert_standard(const gb_prediction *p)
{
    for (int i = 0; i < ROWS; i++) {
        const double squares = xs[2 * i] * xs[2 * i] + xs[2 * i + 1] * xs[2 * i + 1],
                     sum = xs[2 * i] + xs[2 * i + 1], epistemic = 0.3 * sqrt(squares);
        assert_near(p->mean[i], 0.5 * sum, 4 * epistemic / sqrt(DRAWS));
        assert_near(p->epistemic[i], epistemic, 4 * epistemic / sqrt(DRAWS));
        assert_near(p->log_density[i], log_normal(ys[i], 0.5 * sum, epistemic * epistemic + 0.25),
                    4 * p->log_density_error[i]);
    }
}

TEST_EACH(a_product_of, families)
{
    const by_family *const by = row;
    gb_elbo *e = gb_elbo_new(t, .data_size = ROWS);
    const gb_estimator estimator = strstr(by->name, "dropout") ? gb_dropout_draws() : gb_pathwise();
    const gb_node w = gb_latent(e, "w", by->of(t), gb_normal(gb_num(t, 0), gb_num(t, 1)), estimator);
    const gb_node f = model(e, w), mean = gb_predict_mean(e, f), sd = gb_predict_sd(e, f);
    gb_prediction *p = predicted(gb_predictive(e, "y", .draws = DRAWS), t);
    gb_prediction *of_f = predicted(gb_predictive_node(e, f, .draws = DRAWS), t);
    if (by->is_standard)
        assert_standard(p);
    gb_program *look = gb_compile(t, gb_roots(mean, sd), gb_no_update);
    gb_program_set_samples(look, DRAWS);
    double means[ROWS], sds[ROWS];
    assert_int_equal(gb_run(look), GB_OK);
    gb_read(mean, means, ROWS);
    gb_read(sd, sds, ROWS);
    for (int i = 0; i < ROWS; i++) {
        assert_near(p->mean[i], means[i], 6 * sds[i] / sqrt(DRAWS) + 1e-15);
        assert_near(p->epistemic[i], sds[i], 6 * sds[i] / sqrt(DRAWS) + 1e-15);
        assert_near(of_f->mean[i], p->mean[i], 1e-12);
        assert_near(of_f->sd[i], p->epistemic[i], 1e-12);
        assert_near(of_f->noise[i], 0, 0);
    }
    gb_prediction_free(p);
    gb_prediction_free(of_f);
}

/* A draw is of one function, also where the training draws weights for each row: at equal rows it is
 * equal. */
static void assert_whole(gb_tape *t, gb_family family, gb_estimator estimator)
{
    static const double equal[2 * ROWS] = {1, 0.5, 1, 0.5, 1, 0.5};
    gb_elbo *e = gb_elbo_new(t, .data_size = ROWS);
    const gb_node f = model(e, gb_latent(e, "w", family, gb_normal(gb_num(t, 0), gb_num(t, 1)), estimator));
    assert_int_equal(gb_feed(gb_node_argument(f, 0), equal, ROWS), GB_OK);
    gb_prediction *p = predicted(gb_predictive_node(e, f, .draws = 20, .keep_draws = true), t);
    for (int d = 0; d < 20; d++)
        for (int i = 1; i < ROWS; i++)
            assert_near(p->draw[d * ROWS + i], p->draw[d * ROWS], 0);
    assert_true(p->sd[0] > 0);
    gb_prediction_free(p);
}

TEST(rows_share_the_draws_of_weights)
{
    assert_whole(t, of_each_row(t), gb_pathwise());
}

TEST(rows_share_masks)
{
    assert_whole(t, dropout(t), gb_dropout_draws(.per_row = true));
}

TEST(a_block_is_predicted)
{
    gb_elbo *e = gb_elbo_new(t, .data_size = ROWS);
    const gb_dist prior = gb_normal(gb_num(t, 0), gb_num(t, 1));
    const gb_latent_part parts[] = {{.name = "a", .shape = gb_shape(1), .prior = prior},
                                    {.name = "b", .shape = gb_shape(1), .prior = prior}};
    gb_node w[2];
    gb_latent_block(e, "w", gb_full_rank(gb_shape(), .location = 0.5, .scale = 0.3), 2, parts, gb_pathwise(),
                    w);
    model(e, gb_concat(2, w, 0));
    gb_prediction *p = predicted(gb_predictive(e, "y", .draws = DRAWS), t);
    assert_standard(p);
    gb_prediction_free(p);
}

/* ---- draws of each row ---- */

/* A latent of each row has its own draws, also in rows of different blocks. */
TEST(latents_of_rows_are_drawn_for_each_row)
{
    enum { MANY = 200 };
    double y[MANY] = {0}, loc[MANY];
    for (int i = 0; i < MANY; i++)
        loc[i] = i;
    gb_elbo *e = gb_elbo_new(t, .data_size = MANY);
    const gb_node at = gb_input_rows(t, "at", gb_shape()), data = gb_input_rows(t, "y", gb_shape());
    const gb_node z = gb_latent(e, "z", gb_posterior_of(gb_normal(at, gb_num(t, 2))),
                                gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_pathwise());
    gb_observe(e, "y", gb_normal(z, gb_num(t, 1)), data);
    assert_int_equal(gb_feed(at, loc, MANY), GB_OK);
    assert_int_equal(gb_feed(data, y, MANY), GB_OK);
    gb_prediction *p = predicted(gb_predictive(e, "y", .draws = 400, .memory = 1, .keep_draws = true), t);
    double product = 0;
    for (int d = 0; d < 400; d++)
        product += (p->draw[d * MANY] - 0) * (p->draw[d * MANY + 64] - 64) / 5 / 400;
    assert_near(product, 0, 4 / sqrt(400));
    for (int i = 0; i < MANY; i++) {
        assert_near(p->mean[i], i, 5 * 2 / sqrt(400));
        assert_near(p->epistemic[i], 2, 5 * 2 / sqrt(800));
    }
    gb_prediction_free(p);
}

/* A q that has seen the outcome: its densities are of reconstructions, and the words say so. */
TEST(a_q_that_depends_on_the_outcome_is_named)
{
    static const double y[2] = {1, -1};
    gb_elbo *e = gb_elbo_new(t, .data_size = 2);
    const gb_node data = gb_input_rows(t, "y", gb_shape());
    const gb_node z = gb_latent(e, "code", gb_posterior_of(gb_normal(gb_scale(data, 0.9), gb_num(t, 0.1))),
                                gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_pathwise());
    gb_observe(e, "y", gb_normal(z, gb_num(t, 1)), data);
    gb_feed(data, y, 2);
    gb_prediction *p = predicted(gb_predictive(e, "y", .draws = 10), t);
    assert_non_null(strstr(p->words, "q of latent code in each row depends on the outcome itself"));
    gb_prediction_free(p);
}

/* Of enumerated values only the weights have seen it. */
TEST(an_enumerated_q_that_depends_on_the_outcome_is_named)
{
    static const double y[2] = {3, -3};
    gb_elbo *e = gb_elbo_new(t, .data_size = 2);
    const gb_node data = gb_input_rows(t, "y", gb_shape());
    const gb_node z = gb_latent(e, "code", gb_posterior_of(gb_bernoulli_logits(data)),
                                gb_bernoulli(gb_num(t, 0.5)), gb_enumerated());
    gb_observe(e, "y", gb_normal(gb_shift(gb_scale(gb_to_real(z), 6), -3), gb_num(t, 1)), data);
    gb_feed(data, y, 2);
    gb_prediction *p = predicted(gb_predictive(e, "y", .draws = 10), t);
    assert_non_null(
        strstr(p->words, "all scores: q of latent code in each row depends on the outcome itself"));
    gb_prediction_free(p);
}
