/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gaussian processes: evidence, predictions and bounds are those of dense matrices by hand. */
#include "support/close.h"

#include <string.h>

#include "prediction/predict.h"
#include "ready/whole.h"

enum { ROWS = 30, COLUMNS = 2, PLACES = 7 };

/* Rows of two columns, with the outcomes as they are or in another order. */
typedef struct rows {
    double y[ROWS], x[ROWS * COLUMNS], weight[ROWS];
    double mean_of_y, sd_of_y, mean[COLUMNS], sd[COLUMNS]; /* of the rows that count */
    arrays as;
} rows;

static void moments(int count, const double *x, int stride, const double *weight, double *mean, double *sd)
{
    double sum = 0, square = 0, n = 0;
    for (int i = 0; i < count; i++) {
        n += weight ? weight[i] : 1;
        sum += (weight ? weight[i] : 1) * x[i * stride];
    }
    *mean = sum / n;
    for (int i = 0; i < count; i++)
        square += (weight ? weight[i] : 1) * pow(x[i * stride] - *mean, 2);
    *sd = sqrt(square / (n - 1));
}

static void make_rows(rows *r, int columns, bool other_order, bool has_weight, double (*outcome)(int))
{
    for (int i = 0; i < ROWS; i++) {
        r->y[other_order ? (i + ROWS / 2) % ROWS : i] = outcome(i);
        for (int k = 0; k < columns; k++)
            r->x[i * columns + k] = k == 0 ? 2010 + 0.1 * i + 0.05 * any_number(i, 3) : 7 * any_number(i, 4);
        r->weight[i] = i % 3 == 0 ? 1.7 : i % 3 == 1 ? 0.3 : 1;
    }
    r->as = (arrays){
        .rows = ROWS, .columns = columns, .x = r->x, .y = r->y, .weight = has_weight ? r->weight : NULL};
    moments(ROWS, r->y, 1, r->as.weight, &r->mean_of_y, &r->sd_of_y);
    for (int k = 0; k < columns; k++)
        moments(ROWS, r->x + k, columns, r->as.weight, &r->mean[k], &r->sd[k]);
}

static double a_curve(int i)
{
    return 300 + 20 * sin(0.4 * i) + 5 * any_number(i, 5);
}

static double a_count(int i)
{
    return floor(8 * any_number(i, 6));
}

static double a_bit(int i)
{
    return any_number(i, 7) < 0.4;
}

/* ---- by hand, from what is shown ---- */

/* The covariance of two places, in units of y². */
static double kernel(const rows *r, const whole *w, double unit, const double *a, const double *b)
{
    const double *const smooth = seen(w, "amplitude"), *const wave = seen(w, "amplitude.periodic"),
                        *const period = seen(w, "period");
    double sum = 2.5 * 2.5 * unit * unit;
    if (smooth) {
        double squares = 0;
        for (int k = 0; k < r->as.columns; k++) {
            char name[32];
            snprintf(name, sizeof name, "length[x[%d]]", k);
            squares += pow((a[k] - b[k]) / seen_number(w, name), 2);
        }
        sum += *smooth * *smooth * exp(-squares / 2);
    }
    if (wave) {
        const double turn = sin(TWO_PI / 2 * (a[0] - b[0]) / (period ? *period : 1.3));
        sum += *wave * *wave * exp(-2 * turn * turn / pow(seen_number(w, "length.periodic"), 2));
    }
    return sum;
}

/* w copies of a row with noise σ² are one with noise σ² / w, but for a constant. */
static double log_evidence(const rows *r, const whole *w)
{
    static double covariance[ROWS * ROWS];
    double off[ROWS], sum = 0;
    int row[ROWS], n = 0;
    const double sigma = seen_number(w, "sigma");
    for (int i = 0; i < ROWS; i++)
        if (!r->as.weight || r->weight[i] > 0)
            row[n++] = i;
    for (int i = 0; i < n; i++) {
        const double weight = r->as.weight ? r->weight[row[i]] : 1;
        off[i] = r->y[row[i]] - r->mean_of_y;
        for (int j = 0; j < n; j++)
            covariance[i * n + j] =
                kernel(r, w, r->sd_of_y, r->x + row[i] * r->as.columns, r->x + row[j] * r->as.columns) +
                (i == j ? sigma * sigma / weight : 0);
        sum -= 0.5 * (weight - 1) * log(TWO_PI * sigma * sigma) + 0.5 * log(weight);
    }
    return sum + log_multivariate_normal(n, covariance, off);
}

typedef struct process_case {
    const char *name;
    int columns;
    bool has_weight;
} process_case;

static const process_case exact[] = {
    {"gaussian_process", 1, false},
    {"gaussian_process:length_scale=0.5:amplitude_scale=2", 2, true},
    {"gaussian_process:kernel=periodic:period=1.3", 1, false},
    {"gaussian_process:kernel=sum:period=1.3:period_spread=0.2", 2, true},
};

TEST_EACH(the_evidence_is_that_of_a_normal_vector, exact)
{
    const process_case *const c = row;
    rows r[2];
    for (int number = 1; number <= 3; number++) {
        double log_p[2], by_hand[2];
        for (int i = 0; i < 2; i++) {
            make_rows(&r[i], c->columns, i, c->has_weight, a_curve);
            whole w = whole_of(c->name, &r[i].as);
            log_p[i] = whole_at(&w, number);
            by_hand[i] = log_evidence(&r[i], &w);
        }
        assert_true(fabs(log_p[1] - log_p[0]) > 1e-3);
        assert_near(log_p[1] - log_p[0], by_hand[1] - by_hand[0], 1e-9 * fabs(by_hand[0]));
    }
}

TEST(without_data_log_p_is_the_prior)
{
    rows r;
    make_rows(&r, 2, false, true, a_curve);
    memset(r.weight, 0, sizeof r.weight);
    whole w = whole_of("gaussian_process:kernel=sum:period=1.3:period_spread=0.2:length_scale=0.5", &r.as);
    for (int number = 1; number <= 3; number++) {
        const double log_p = whole_at(&w, number), *const z = w.z;
        /* Amplitude, two lengths, those of the wave, period, sigma; a lognormal number is normal in z. */
        const double prior = log_half_normal_free(z[0], 1) + log_normal(z[1], log(0.5), 1) +
                             log_normal(z[2], log(0.5), 1) + log_half_normal_free(z[3], 1) +
                             log_normal(z[4], 0, 1) + log_normal(z[5], 0, 0.2) + log_sd_free(z[6], 1, 0.01);
        assert_near(log_p, prior, 1e-11 * fabs(prior));
    }
}

/* ---- predictions ---- */

static gb_prediction *at_a_point(gb_tape *t, const char *text, const rows *r,
                                 gb_batches *(*feed)(gb_analysis *))
{
    gb_model model;
    assert_true(gb_model_parse(text, &model, NULL, 0));
    gb_analysis *const a = gb_analysis_new(
        t, model, .rows = ROWS, .columns = r->as.columns, .x = gb_doubles(r->x), .y = gb_doubles(r->y),
        .weight = r->as.weight ? gb_doubles(r->weight) : (gb_numbers){0}, .posterior = gb_point(gb_shape()));
    gb_prediction *const p =
        gb_predictive(gb_analysis_elbo(a), gb_analysis_outcome(a), .data = feed(a), .only_moments = true);
    assert_fine(t);
    return p;
}

enum { NEW_ROWS = 5 };
static const double new_x[NEW_ROWS * 2] = {2010.5, 1, 2013, 6, 2011.2, 3.3, 2020, 0, 2009, 7};

static gb_batches *new_rows(gb_analysis *a)
{
    static const double y[NEW_ROWS] = {310, 300, 290, (double)NAN, 305};
    return gb_analysis_new_rows(a, .rows = NEW_ROWS, .x = gb_doubles(new_x), .y = gb_doubles(y));
}

/* A point starts where all standardised numbers are 1. */
TEST(new_rows_have_the_law_of_the_process_given_the_rows)
{
    rows r;
    make_rows(&r, 2, false, true, a_curve);
    gb_prediction *const p = at_a_point(t, "gaussian_process", &r, new_rows);
    double factor[ROWS * ROWS], residue[ROWS];
    const double unit = r.sd_of_y;
    for (int i = 0; i < ROWS; i++) {
        residue[i] = r.y[i] - r.mean_of_y;
        for (int j = 0; j < ROWS; j++) {
            double squares = 0;
            for (int k = 0; k < 2; k++)
                squares += pow((r.x[2 * i + k] - r.x[2 * j + k]) / r.sd[k], 2);
            factor[i * ROWS + j] = unit * unit * (6.25 + exp(-squares / 2) + (i == j ? 1 / r.weight[i] : 0));
        }
    }
    factorise(ROWS, factor);
    solve_lower(ROWS, factor, residue);
    for (int i = 0; i < NEW_ROWS; i++) {
        double known[ROWS], mean = r.mean_of_y, variance = unit * unit * (6.25 + 1 + 1);
        for (int j = 0; j < ROWS; j++) {
            double squares = 0;
            for (int k = 0; k < 2; k++)
                squares += pow((new_x[2 * i + k] - r.x[2 * j + k]) / r.sd[k], 2);
            known[j] = unit * unit * (6.25 + exp(-squares / 2));
        }
        solve_lower(ROWS, factor, known);
        for (int j = 0; j < ROWS; j++) {
            mean += known[j] * residue[j];
            variance -= known[j] * known[j];
        }
        assert_near(p->mean[i], mean, 1e-9 * fabs(mean));
        assert_near(p->sd[i], sqrt(variance), 1e-9 * sqrt(variance));
        assert_int_equal(isfinite(p->log_density[i]) != 0, i != 3);
    }
    assert_near(p->log_density[0], log_normal(310, p->mean[0], p->sd[0]), 1e-9);
    gb_prediction_free(p);
}

/* ---- the sparse bound ---- */

/* log ∫ exp(log p(z)) over the last `count` numbers of z, in which log p is quadratic: from one Newton
 * step. */
static double integrated(whole *w, int number, int count)
{
    double gradient[MOST_FREE], hessian[MOST_FREE * MOST_FREE], minus[MOST_FREE * MOST_FREE];
    const int n = (int)gb_density_count(w->density), first = n - count;
    double log_p = whole_at(w, number);
    assert_int_equal(gb_density_evaluate(w->density, 1, w->z, NULL, gradient, NULL), GB_OK);
    assert_int_equal(gb_density_hessian(w->density, w->z, hessian), GB_OK);
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            minus[i * count + j] = -hessian[(first + i) * n + first + j];
    factorise(count, minus);
    solve_lower(count, minus, gradient + first);
    for (int i = 0; i < count; i++)
        log_p +=
            0.5 * gradient[first + i] * gradient[first + i] + 0.5 * log(TWO_PI) - log(minus[i * count + i]);
    return log_p;
}

static int places_of(const whole *w)
{
    size_t count;
    const gb_density_part *const parts = gb_density_parts(w->density, &count);
    assert_non_null(strstr(parts[count - 1].name, "inducing"));
    return (int)parts[count - 1].count;
}

/* What the priors of the numbers that both models have add to log p. */
static double log_prior(const double *z, int columns)
{
    double sum = log_half_normal_free(z[0], 1) + log_sd_free(z[1 + columns], 1, 0.01);
    for (int k = 0; k < columns; k++)
        sum += log_normal(z[1 + k], 0, 1);
    return sum;
}

/* The bound of Titsias (2009): the evidence of the part of f that the places know, less what they do not. */
static double bound_by_hand(const rows *r, const whole *w, const double *place)
{
    double at[PLACES][2], of_places[PLACES * PLACES], known[ROWS][PLACES], covariance[ROWS * ROWS], off[ROWS];
    const double unit = r->sd_of_y, sigma = seen_number(w, "sigma");
    double sum = 0;
    for (int i = 0; i < 2 * PLACES; i++)
        at[i / 2][i % 2] = r->mean[i % 2] + r->sd[i % 2] * place[i];
    for (int i = 0; i < PLACES * PLACES; i++)
        of_places[i] = kernel(r, w, unit, at[i / PLACES], at[i % PLACES]);
    factorise(PLACES, of_places);
    for (int i = 0; i < ROWS; i++) {
        double left = kernel(r, w, unit, r->x + 2 * i, r->x + 2 * i);
        for (int k = 0; k < PLACES; k++)
            known[i][k] = kernel(r, w, unit, r->x + 2 * i, at[k]);
        solve_lower(PLACES, of_places, known[i]);
        for (int k = 0; k < PLACES; k++)
            left -= known[i][k] * known[i][k];
        off[i] = r->y[i] - r->mean_of_y;
        sum -= 0.5 * (r->weight[i] * left / (sigma * sigma) + log(r->weight[i]) +
                      (r->weight[i] - 1) * log(TWO_PI * sigma * sigma));
    }
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < ROWS; j++) {
            covariance[i * ROWS + j] = i == j ? sigma * sigma / r->weight[i] : 0;
            for (int k = 0; k < PLACES; k++)
                covariance[i * ROWS + j] += known[i][k] * known[j][k];
        }
    return sum + log_multivariate_normal(ROWS, covariance, off);
}

TEST(the_bound_of_few_places_is_below_the_evidence)
{
    rows r;
    make_rows(&r, 2, false, true, a_curve);
    whole few = whole_of("sparse_gaussian_process:inducing=7", &r.as),
          more = whole_of("sparse_gaussian_process:inducing=15", &r.as);
    assert_int_equal(places_of(&few), PLACES);
    const double *const place = gb_tape_noted(gb_density_tape(few.density), "analysis.places", NULL);
    for (int number = 1; number <= 4; number++) {
        const double of_few = integrated(&few, number, PLACES), of_more = integrated(&more, number, 15),
                     evidence = log_evidence(&r, &few) + log_prior(few.z, 2);
        assert_true(of_few < evidence - 1e-3);
        assert_true(of_more < evidence - 1e-6);
        assert_true(of_few < of_more);
        assert_near(of_few, bound_by_hand(&r, &few, place) + log_prior(few.z, 2), 1e-4);
    }
}

TEST(the_bound_is_the_evidence_where_each_row_has_a_place)
{
    rows r;
    make_rows(&r, 2, false, true, a_curve);
    memcpy(r.x, r.x + 2, 2 * sizeof *r.x); /* two rows at one place */
    whole w = whole_of("sparse_gaussian_process:inducing=40", &r.as);
    assert_int_equal(places_of(&w), ROWS - 1);
    for (int number = 1; number <= 4; number++) {
        const double bound = integrated(&w, number, ROWS - 1),
                     evidence = log_evidence(&r, &w) + log_prior(w.z, 2);
        assert_true(bound < evidence);
        assert_near(bound, evidence, 1e-5);
    }
}

/* ---- other outcomes: E log p(y | f) by the trapezium rule ---- */

/* The mean and the sd of f in row i, given the latents, with an inducing place at each row. */
static double term_by_hand(double y, double mean, double sd, double (*log_p)(double y, double f))
{
    double sum = 0, weights = 0;
    for (int k = -400; k <= 400; k++) {
        const double u = k / 40., weight = exp(-u * u / 2);
        sum += weight * log_p(y, mean + sd * u);
        weights += weight;
    }
    return sum / weights;
}

static double log_bernoulli(double y, double f)
{
    return y * f - (f > 0 ? f + log1p(exp(-f)) : log1p(exp(f)));
}

static double log_poisson(double y, double f)
{
    return y * f - exp(f) - lgamma(y + 1);
}

typedef struct outcome_case {
    const char *name;
    double (*outcome)(int i);
    double (*log_p)(double y, double f);
    double allowed;
} outcome_case;

static const outcome_case outcome_cases[] = {
    {"sparse_gaussian_process:inducing=1:outcome=bernoulli", a_bit, log_bernoulli, 1e-4},
    {"sparse_gaussian_process:inducing=1:outcome=poisson", a_count, log_poisson, 1e-9},
};

/* One place, at the mean of all rows. */
TEST_EACH(terms_are_means_over_the_value_of_the_process, outcome_cases)
{
    const outcome_case *const c = row;
    rows r;
    make_rows(&r, 1, false, true, c->outcome);
    whole w = whole_of(c->name, &r.as);
    for (int number = 1; number <= 3; number++) {
        const double log_p = whole_at(&w, number), *const z = w.z,
                     variance = kernel(&r, &w, 1, r.mean, r.mean);
        double by_hand = log_half_normal_free(z[0], 1) + log_normal(z[1], 0, 1) + log_normal(z[2], 0, 1);
        for (int k = 0; k < ROWS; k++) {
            const double a = kernel(&r, &w, 1, r.x + k, r.mean) / sqrt(variance * (1 + 1e-9)),
                         sd = sqrt(fmax(variance - a * a, 1e-9 * variance));
            by_hand += r.weight[k] * term_by_hand(r.y[k], a * z[2], sd, c->log_p);
        }
        assert_near(log_p, by_hand, c->allowed * fabs(by_hand));
    }
}

static gb_batches *three_rows(gb_analysis *a)
{
    static const double x[] = {2010.5, 2013, 2050}, y[] = {1, 0, 1};
    return gb_analysis_new_rows(a, .rows = 3, .x = gb_doubles(x), .y = gb_doubles(y));
}

/* E[exp f] and E[1 / (1 + exp(−f))] of f ~ N(0, s²) far from all rows, where s² is 1 and that of the mean. */
TEST(far_from_all_rows_counts_and_bits_are_predicted_by_the_prior)
{
    rows r;
    make_rows(&r, 1, false, false, a_count);
    gb_prediction *p =
        at_a_point(t, "sparse_gaussian_process:outcome=poisson:mean_scale=0.01", &r, three_rows);
    assert_near(p->mean[2], exp(0.5), 0.02);
    assert_true(p->is_discrete);
    gb_prediction_free(p);
    make_rows(&r, 1, false, false, a_bit);
    gb_tape *const other = test_tape();
    p = at_a_point(other, "sparse_gaussian_process:outcome=bernoulli:mean_scale=0.01", &r, three_rows);
    assert_near(p->mean[2], 0.5, 0.02);
    assert_int_equal(p->classes, 2);
    gb_prediction_free(p);
}

/* ---- words ---- */

typedef struct misuse {
    const char *name, *model, *words;
    int columns;
} misuse;

static const misuse misuses[] = {
    {"no_columns", "gaussian_process", "gaussian_process: a Gaussian process needs columns: \"y ~ x\"", 0},
    {"no_period", "gaussian_process:kernel=sum", "a periodic kernel needs .period, a number in the units", 1},
    {"two_columns", "gaussian_process:kernel=periodic:period=2",
     "a periodic kernel is one of the first column, so others need .kernel = GB_KERNEL_SUM", 2},
    {"sparse_without_columns", "sparse_gaussian_process", "a Gaussian process needs columns", 0},
    {"no_bit", "sparse_gaussian_process:outcome=bernoulli",
     "analysis: y is 300.281 in row 0, and must be 0 or 1", 1},
    {"no_count", "sparse_gaussian_process:outcome=poisson",
     "in row 0, and must be a whole number, not negative", 1},
};

TEST_EACH(what_cannot_be_fitted_is_rejected_in_words, misuses)
{
    const misuse *const m = row;
    rows r;
    make_rows(&r, m->columns, false, false, a_curve);
    r.as.x = m->columns ? r.x : NULL;
    assert_null(analysis_of_arrays(t, m->model, &r.as));
    assert_rejected(t, GB_EARGUMENT, m->words);
}

TEST(places_are_those_of_the_note_or_none)
{
    rows r;
    gb_tape *const other = test_tape();
    make_rows(&r, 2, false, false, a_curve);
    assert_non_null(analysis_of_arrays(t, "sparse_gaussian_process:inducing=7", &r.as));
    size_t bytes, bytes_again;
    const double *const place = gb_tape_noted(t, "analysis.places", &bytes);
    assert_int_equal(bytes, PLACES * 2 * sizeof(double));
    assert_non_null(analysis_of_arrays(other, "sparse_gaussian_process:inducing=7", &r.as));
    assert_memory_equal(gb_tape_noted(other, "analysis.places", &bytes_again), place, bytes);
    /* Each row is nearer to a place than to the mean of all. */
    for (int i = 0; i < ROWS; i++) {
        double least = INFINITY, of_mean = 0;
        for (int j = 0; j < PLACES; j++) {
            double squares = 0;
            for (int k = 0; k < 2; k++)
                squares += pow((r.x[2 * i + k] - r.mean[k]) / r.sd[k] - place[2 * j + k], 2);
            least = fmin(least, squares);
        }
        for (int k = 0; k < 2; k++)
            of_mean += pow((r.x[2 * i + k] - r.mean[k]) / r.sd[k], 2);
        assert_true(least < fmax(of_mean, 0.5));
    }
}
