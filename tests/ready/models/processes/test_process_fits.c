/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fits of Gaussian processes predict rows that they have not seen. */
#include "support/close.h"

#include <string.h>

#include "fitting/analysis.h"
#include "fitting/fit.h"
#include "models/optimiser.h"
#include "prediction/predict.h"
#include "ready/whole.h"

enum { ROWS = 50, NEW_ROWS = 60 };

static double gauss(int i, int stream)
{
    return sqrt(-2 * log(1 - any_number(i, 2 * stream + 10))) * cos(TWO_PI * any_number(i, 2 * stream + 11));
}

/* The second column does nothing. */
static double f_of(const double *x)
{
    return 40 + 10 * sin(x[0]);
}

typedef struct fit_case {
    const char *name;
    double (*outcome)(double f, int i);
    double (*mean)(double f);
    double rmse; /* of the mean of the outcome, at most */
} fit_case;

static double a_number(double f, int i)
{
    return f + 2 * gauss(i, 1);
}

static double a_bit(double f, int i)
{
    return any_number(i, 20) < 1 / (1 + exp(-0.3 * (f - 40)));
}

static double a_count(double f, int i)
{
    const double mean = exp(0.1 * (f - 30));
    double p = exp(-mean), sum = p;
    int count = 0;
    while (any_number(i, 21) > sum && count < 100)
        sum += p *= mean / ++count;
    return count;
}

static double itself(double f)
{
    return f;
}

static double of_bits(double f)
{
    return 1 / (1 + exp(-0.3 * (f - 40)));
}

static double of_counts(double f)
{
    return exp(0.1 * (f - 30));
}

static const fit_case cases[] = {
    {"gaussian_process", a_number, itself, 1.5},
    {"sparse_gaussian_process:inducing=12", a_number, itself, 1.5},
    {"sparse_gaussian_process:inducing=8:outcome=bernoulli", a_bit, of_bits, 0.25},
    {"sparse_gaussian_process:inducing=8:outcome=poisson", a_count, of_counts, 1.2},
};

TEST_EACH(a_curve_is_found_and_new_rows_lie_within_their_intervals, cases, .seed = 2)
{
    const fit_case *const c = row;
    double x[2 * (ROWS + NEW_ROWS)], y[ROWS + NEW_ROWS], squares = 0;
    for (int i = 0; i < ROWS + NEW_ROWS; i++) {
        x[2 * i] = 9 * any_number(i, 1);
        x[2 * i + 1] = any_number(i, 2);
        y[i] = c->outcome(f_of(x + 2 * i), i);
    }
    const arrays d = {.rows = ROWS, .columns = 2, .x = x, .y = y};
    gb_analysis *const a = analysis_of_arrays(t, c->name, &d);
    const gb_fit_result r =
        gb_fit(gb_analysis_elbo(a), .data = gb_analysis_data(a), .unjudged = true, .draws = 256);
    assert_fine(t);
    assert_true(isfinite(r.elbo));
    gb_prediction *const p =
        gb_predictive(gb_analysis_elbo(a), "y", .draws = 200,
                      .data = gb_analysis_new_rows(a, .rows = NEW_ROWS, .x = gb_doubles(x + 2 * ROWS),
                                                   .y = gb_doubles(y + ROWS)));
    assert_fine(t);
    for (int i = 0; i < NEW_ROWS; i++) {
        const double off = p->mean[i] - c->mean(f_of(x + 2 * (ROWS + i)));
        squares += off * off / NEW_ROWS;
    }
    if (!(sqrt(squares) < c->rmse))
        fail_msg("the means are off by %g", sqrt(squares));
    if (c->outcome == a_number) {
        assert_near(gb_prediction_score(p, "coverage 90 %").value, 0.9, 0.1);
        /* The column that does nothing has the longer length, in standard deviations. */
        gb_summary_table *const of = gb_analysis_summary(a, NULL);
        const double *const sd = gb_analysis_site(a)->sd;
        assert_true(gb_summary_find(of, "length[x[1]]")->q05 / sd[1] >
                    gb_summary_find(of, "length[x[0]]")->q95 / sd[0]);
        gb_summary_free(of);
    }
    gb_prediction_free(p);
}

/* ---- rows that are held out of a training ---- */

typedef struct held_case {
    const char *name;
    int64_t batch;
} held_case;

static const held_case held_cases[] = {{"gaussian_process", 0}, {"sparse_gaussian_process", 25}};

TEST_EACH(held_out_rows_are_scored_by_the_law_that_predicts_them, held_cases)
{
    const held_case *const c = row;
    double x[ROWS + NEW_ROWS], y[ROWS + NEW_ROWS];
    gb_model model;
    assert_true(gb_model_parse(c->name, &model, NULL, 0));
    for (int i = 0; i < ROWS + NEW_ROWS; i++) {
        x[i] = 9 * any_number(i, 1);
        y[i] = a_number(40 + 10 * sin(x[i]), i);
    }
    gb_analysis *const a = gb_analysis_new(t, model, .rows = ROWS, .x = gb_doubles(x), .y = gb_doubles(y),
                                           .batch = c->batch, .posterior = gb_point(gb_shape()));
    gb_batches *const held =
        gb_analysis_new_rows(a, .rows = NEW_ROWS, .x = gb_doubles(x + ROWS), .y = gb_doubles(y + ROWS));
    const gb_fit_result r = gb_fit(gb_analysis_elbo(a), .optimiser = gb_adam(.lr = 0.05),
                                   .data = gb_analysis_data(a), .steps = 100, .window = 50, .validate = held);
    assert_fine(t);
    gb_prediction *const p = gb_predictive(gb_analysis_elbo(a), "y", .data = held, .only_moments = true);
    assert_fine(t);
    assert_near(r.last.validation, gb_prediction_score(p, "log density").value, 1e-9);
    gb_prediction_free(p);
}
