/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Data outside the support of their likelihood: a run that fails says which, where, and what they must be. */
#include "support/close.h"

#include "distributions/list.h"
#include "distributions/transforms.h"
#include "estimators/list.h"
#include "fitting/fit.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

typedef gb_dist law(gb_tape *t, gb_node w);

static gb_dist a_poisson(gb_tape *t, gb_node w)
{
    (void)t;
    return gb_poisson(gb_exp(w));
}

static gb_dist a_bernoulli(gb_tape *t, gb_node w)
{
    (void)t;
    return gb_bernoulli_logits(w);
}

static gb_dist a_gamma(gb_tape *t, gb_node w)
{
    return gb_gamma(gb_num(t, 2), gb_exp(w));
}

static gb_dist a_lognormal(gb_tape *t, gb_node w)
{
    return gb_lognormal(w, gb_num(t, 1));
}

static gb_dist a_binomial(gb_tape *t, gb_node w)
{
    return gb_binomial_logits(gb_num(t, 5), w);
}

static gb_dist a_categorical(gb_tape *t, gb_node w)
{
    return gb_categorical_logits(gb_mul(w, gb_constant(t, gb_shape(3), GB_VALUES(1, 2, 3))));
}

static gb_dist a_pareto(gb_tape *t, gb_node w)
{
    return gb_pareto(gb_num(t, 0.5), gb_exp(w));
}

static gb_dist a_weibull(gb_tape *t, gb_node w)
{
    return gb_weibull(gb_num(t, 2), gb_exp(w));
}

static gb_dist a_uniform(gb_tape *t, gb_node w)
{
    (void)w;
    return gb_uniform(gb_num(t, 0), gb_num(t, 3));
}

static gb_dist exponential_of_a_normal(gb_tape *t, gb_node w)
{
    return gb_transformed(gb_normal(w, gb_num(t, 1)), gb_exponential_transform(t));
}

static gb_dist a_normal(gb_tape *t, gb_node w)
{
    return gb_normal(w, gb_num(t, 1));
}

static gb_dist mixed_gammas(gb_tape *t, gb_node w)
{
    return gb_mixture(
        gb_constant(t, gb_shape(2), GB_VALUES(0, 1)),
        gb_gamma(gb_add(gb_exp(w), gb_constant(t, gb_shape(2), GB_VALUES(1, 2))), gb_ones(t, gb_shape(2))));
}

enum { ROWS = 6 };

typedef struct observed_case {
    const char *name;
    law *of;
    double bad;
    const char *words;
} observed_case;

static const observed_case cases[] = {
    {"a_count_below_0", a_poisson, -1, "observe y: row 4 is -1, and must be "},
    {"a_count_that_is_not_whole", a_poisson, 1.5, "observe y: row 4 is 1.5, and must be "},
    {"a_label_of_2", a_bernoulli, 2, "observe y: row 4 is 2, and must be "},
    {"a_size_below_0", a_gamma, -3,
     "observe y: row 4 is -3, and must be finite and not negative (the support of gamma)"},
    {"a_size_of_0", a_lognormal, 0, "observe y: row 4 is 0, and must be positive"},
    {"more_than_there_were", a_binomial, 7,
     "observe y: row 4 is 7, and must be a whole number, not negative, and at most 5 (the support of "
     "binomial)"},
    {"beyond_the_last_category", a_categorical, 3,
     "observe y: row 4 is 3, and must be a whole number, not negative, and at most 2 (the support of "
     "categorical)"},
    {"below_the_start", a_pareto, 0.25,
     "observe y: row 4 is 0.25, and must be positive and finite, and at least 0.5 (the support of pareto)"},
    {"without_a_density", a_gamma, 0,
     "observe y: row 4 is 0, and its log density (gamma) is -inf; the first"},
    {"of_no_size", a_weibull, 0, "observe y: row 4 is 0, and its log density (weibull) is -inf; the first"},
    {"too_far", a_normal, 1e200,
     "observe y: row 4 is 1e+200, and its log density (normal) is -inf; the first"},
    {"half_of_them", a_binomial, 0.5, "observe y: row 4 is 0.5, and must be "},
    {"above_the_end", a_uniform, 3.5, "observe y: row 4 is 3.5, and must be "},
    {"through_a_transform", exponential_of_a_normal, -1, "observe y: row 4 is -1, and must be positive"},
    {"in_a_mixture", mixed_gammas, -1, "observe y: row 4 is -1, and must be finite and not negative"},
    {"not_a_number", a_poisson, NAN, "observe y: row 4 is nan, and must be "},
    {"infinite", a_normal, INFINITY, "observe y: row 4 is inf, and must be "},
};

typedef struct model {
    gb_tape *t;
    gb_elbo *e;
    gb_node y;
} model;

static model model_of(gb_tape *t, law *of)
{
    model m = {.t = t, .e = gb_elbo_new(t, .data_size = ROWS, .samples = 3)};
    const gb_node w =
        gb_latent(m.e, "w", gb_mean_field(gb_shape()), gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_pathwise());
    m.y = gb_input_rows(t, "y", gb_shape());
    gb_observe(m.e, "y", of(t, w), m.y);
    return m;
}

TEST_EACH(data_outside_their_support, cases)
{
    const observed_case *const c = row;
    const model m = model_of(t, c->of);
    const double ys[ROWS] = {1, 1, 1, 1, c->bad, 1}, good[ROWS] = {1, 1, 1, 1, 1, 1};
    gb_feed(m.y, ys, ROWS);
    const gb_node loss = gb_elbo_loss(m.e);
    gb_program *const train = gb_compile(t, gb_roots(loss), gb_minimise(loss, gb_adam()));
    assert_int_equal(gb_run(train), GB_ENONFINITE);
    assert_rejected(t, GB_ENONFINITE, c->words);
    gb_run(train);
    assert_rejected(t, GB_ENONFINITE, "; no variable was changed");
    gb_feed(m.y, good, ROWS);
    assert_int_equal(gb_run(train), GB_OK);
}

/* The row is that of the data set, in whatever order and batch it came. */
TEST(a_training_says_the_row_of_the_data_set, .seed = 3)
{
    const int64_t some[] = {5, 4, 0, 2};
    for (int order = 0; order < 6; order++) {
        gb_tape *const tape = test_tape(.seed = (uint64_t)order);
        const model m = model_of(tape, a_poisson);
        const double ys[ROWS] = {1, 0, 3, 1, -2, 1};
        gb_batches *const data = gb_batches_new(
            tape, .rows = ROWS, .batch = order == 2 ? 0 : 2, .in_order = order == 1 || order == 4,
            .only = gb_rows_of(order > 2 ? 4 : 0, order > 2 ? some : NULL), .window = order == 5 ? 3 : 0,
            .columns = GB_COLUMNS({m.y, gb_doubles(ys)}));
        const gb_fit_result r =
            gb_fit(m.e, .optimiser = gb_adam(), .data = data, .epochs = 1, .part_of_data = order > 2);
        assert_int_equal(r.end, GB_FIT_ERROR);
        assert_rejected(tape, GB_ENONFINITE, "observe y: row 4 is -2, and must be ");
    }
}

/* So it is for a predictor that is missing, or that an operation does not take. */
TEST(a_value_that_is_not_finite_has_its_row, .seed = 3)
{
    static const struct {
        double x;
        const char *words;
    } wrong[] = {{(double)NAN, "the first NaN value was made by input x (node 0, shape (2)), in row 4; no"},
                 {-1, "the first NaN value was made by log (node 1, shape (2)), in row 4; no"},
                 {0, "normal: loc is -inf, and must be finite, in row 4; no"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        gb_tape *const tape = test_tape(.seed = i);
        const gb_node x = gb_input_rows(tape, "x", gb_shape(2)), mean = gb_sum(gb_log(x));
        const model m = model_of(tape, a_poisson);
        gb_observe(m.e, "z", gb_normal(mean, gb_num(tape, 1)), m.y);
        const double ys[ROWS] = {1, 0, 3, 1, 2, 1};
        const double xs[2 * ROWS] = {1, 2, 3, 1, 2, 3, 1, 2, 3, wrong[i].x, 1, 2};
        gb_batches *const data =
            gb_batches_new(tape, .rows = ROWS, .batch = 2,
                           .columns = GB_COLUMNS({x, gb_doubles(xs)}, {m.y, gb_doubles(ys)}));
        assert_int_equal(gb_fit(m.e, .optimiser = gb_adam(), .data = data, .epochs = 1).end, GB_FIT_ERROR);
        assert_rejected(tape, GB_ENONFINITE, wrong[i].words);
    }
}

TEST(elements_and_events_are_counted_too)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 2);
    const gb_node w =
        gb_latent(e, "w", gb_mean_field(gb_shape()), gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_pathwise());
    const gb_node y = gb_input_rows(t, "y", gb_shape(3)), all = gb_input(t, "all", gb_shape(2)),
                  one = gb_input(t, "one", gb_shape()), shares = gb_input_rows(t, "shares", gb_shape(2));
    const double ys[] = {1, 2, 3, 1, 2, -3}, good[] = {1, 2, 3, 1, 2, 3}, halves[] = {0.5, 0.5, 0.5, 0.5};
    gb_observe(e, "y", gb_poisson(gb_exp(w)), y);
    gb_observe(e, "all", gb_poisson(gb_exp(w)), all);
    gb_observe(e, "one", gb_poisson(gb_exp(w)), one);
    gb_observe(e, "shares", gb_dirichlet(gb_exp(gb_add(w, gb_zeros(t, gb_shape(2))))), shares);
    const gb_node loss = gb_elbo_loss(e);
    gb_program *const train = gb_compile(t, gb_roots(loss), gb_minimise(loss, gb_adam()));
    const struct {
        const double *y, all[2], one, shares[4];
        const char *words;
    } wrong[] = {{ys, {1, 1}, 1, {0.5, 0.5, 0.5, 0.5}, "observe y: row 1, element 2 is -3, and must be "},
                 {good, {1, -1}, 1, {0.5, 0.5, 0.5, 0.5}, "observe all: element 1 is -1, and must be "},
                 {good, {1, 1}, 0.5, {0.5, 0.5, 0.5, 0.5}, "observe one: the value is 0.5, and must be "},
                 {good, {1, 1}, 1, {0.5, 0.5, 0.5, 0.6}, "observe shares: row 1 is (0.5, 0.6), and must "}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        gb_feed(y, wrong[i].y, 2);
        gb_feed(all, wrong[i].all, 1);
        gb_feed(one, &wrong[i].one, 1);
        gb_feed(shares, wrong[i].shares, 2);
        gb_run(train);
        assert_rejected(t, GB_ENONFINITE, wrong[i].words);
    }
    gb_feed(shares, halves, 2);
    assert_int_equal(gb_run(train), GB_OK);
}

/* What is not outside, but has no finite density: the first such datum is named. */
TEST(events_without_a_density_are_named)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 2);
    const gb_node w =
        gb_latent(e, "w", gb_mean_field(gb_shape()), gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_pathwise());
    const gb_node shares = gb_input_rows(t, "shares", gb_shape(2)),
                  counts = gb_input_rows(t, "counts", gb_shape(3)), own = gb_input_rows(t, "own", gb_shape());
    const gb_node logits = gb_mul(w, gb_constant(t, gb_shape(3), GB_VALUES(1, 2, 3)));
    gb_observe(e, "shares", gb_dirichlet(gb_exp(gb_add(w, gb_zeros(t, gb_shape(2))))), shares);
    gb_observe(e, "counts", gb_multinomial_logits(gb_num(t, 5), logits), counts);
    gb_log_likelihood(e, "own", gb_mul(w, gb_log(own)));
    const gb_node loss = gb_elbo_loss(e);
    gb_program *const train = gb_compile(t, gb_roots(loss), gb_minimise(loss, gb_adam()));
    const struct {
        double shares[4], counts[6], own[2];
        const char *words;
    } wrong[] = {{{0.5, 0.5, 0, 1},
                  {1, 2, 2, 0, 5, 0},
                  {1, 1},
                  "observe shares: row 1 is (0, 1), and its log density "},
                 {{0.5, 0.5, 0.5, 0.5},
                  {1, 2, 2, 0, 4, 0},
                  {1, 1},
                  "observe counts: row 1 is (0, 4, 0), and its log density (multinomial) is -inf"},
                 {{0.5, 0.5, 0.5, 0.5}, {1, 2, 2, 0, 5, 0}, {1, 0}, "log_likelihood own: row 1: it is "}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        gb_feed(shares, wrong[i].shares, 2);
        gb_feed(counts, wrong[i].counts, 2);
        gb_feed(own, wrong[i].own, 2);
        gb_run(train);
        assert_rejected(t, GB_ENONFINITE, wrong[i].words);
    }
}

/* Integers are numbers, as data of any law: those of a gb_to_real. */
TEST(integers_are_data)
{
    const int64_t labels[ROWS] = {0, 1, 2, 1, 0, 2}, wrong[ROWS] = {0, 1, 2, 1, 3, 2};
    const double same[ROWS] = {0, 1, 2, 1, 0, 2};
    law *const laws[] = {a_categorical, a_poisson, a_binomial, a_normal};
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        gb_tape *const tape = test_tape();
        gb_elbo *const e = gb_elbo_new(tape, .data_size = ROWS);
        const gb_node w =
            gb_latent(e, "w", gb_point(gb_shape(), .location = 0.3), gb_no_prior, gb_pathwise());
        const gb_node ints = gb_input_rows_ints(tape, "ints", gb_shape()),
                      reals = gb_input_rows(tape, "r", gb_shape());
        gb_observe(e, "ints", laws[i](tape, w), ints);
        gb_observe(e, "reals", laws[i](tape, w), reals);
        gb_program *const look = gb_compile(tape, gb_elbo_roots(e), gb_no_update);
        gb_feed_ints(ints, labels, ROWS);
        gb_feed(reals, same, ROWS);
        assert_fine(tape);
        assert_int_equal(gb_run(look), GB_OK);
        assert_true(gb_value(gb_elbo_term_named(e, "ints").value) ==
                    gb_value(gb_elbo_term_named(e, "reals").value));
        gb_feed_ints(ints, wrong, ROWS);
        const gb_node loss = gb_elbo_loss(e);
        gb_program *const train = gb_compile(tape, gb_roots(loss), gb_minimise(loss, gb_adam()));
        if (i > 0)
            continue;
        assert_int_equal(gb_run(train), GB_ENONFINITE);
        assert_rejected(tape, GB_ENONFINITE,
                        "observe ints: row 4 is 3, and must be a whole number, not negative, and at most 2");
    }
}

/* Data that are right are not blamed: here a parameter made the run fail. */
TEST(other_failures_keep_their_messages)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = ROWS);
    const gb_node big = gb_variable(t, "big", gb_shape(), gb_fill(1000)),
                  y = gb_input_rows(t, "y", gb_shape());
    const double good[ROWS] = {1, 1, 1, 1, 1, 1};
    gb_observe(e, "y", gb_normal(gb_exp(big), gb_num(t, 1)), y);
    gb_feed(y, good, ROWS);
    const gb_node loss = gb_elbo_loss(e);
    gb_program *const train = gb_compile(t, gb_roots(loss), gb_minimise(loss, gb_adam()));
    assert_int_not_equal(gb_run(train), GB_OK);
    assert_null(strstr(gb_error_text(t), "observe y"));
    gb_forgive(t);
}
