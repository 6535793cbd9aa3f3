/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Series: log p is that of plain loops, missing outcomes and weights are what they say, and what cannot be
 * fitted is rejected in words. */
#include "support/close.h"

#include <string.h>

#include "prediction/predict.h"
#include "ready/whole.h"

enum { ROWS = 40, HOLE = 20 };

/* A series, as it is or with the same numbers in another order, at places of the same weights. So its mean
 * and sd are the same. */
typedef struct series {
    double y[ROWS], x[ROWS], weight[ROWS];
    arrays as;
} series;

static void make_series(series *s, bool other_order, bool has_x, bool has_weight, int missing)
{
    for (int i = 0; i < ROWS; i++) {
        s->y[i] = 50 + 4 * any_number(i, 1) + 5 * sin(0.3 * i);
        s->x[i] = 100 * any_number(i, 2);
        s->weight[i] = i % 4 == 0 ? 1.7 : i % 4 == 1 ? 0.3 : 1;
    }
    for (int i = 3; i < 10 && other_order; i++) {
        const double kept = s->y[i];
        s->y[i] = s->y[i + 24];
        s->y[i + 24] = kept;
    }
    if (missing >= 0)
        s->y[missing] = (double)NAN;
    s->as = (arrays){.rows = ROWS,
                     .columns = has_x,
                     .y = s->y,
                     .x = has_x ? s->x : NULL,
                     .weight = has_weight ? s->weight : NULL};
}

/* ---- likelihoods by hand, from what is shown ---- */

typedef struct series_case {
    const char *name; /* the model */
    bool has_x, has_weight;
    int missing; /* −1: none */
    double (*log_p)(const series *s, const whole *w);
} series_case;

static double weight_at(const series *s, int i)
{
    return s->as.weight ? s->as.weight[i] : 1;
}

static double of_columns(const series *s, const whole *w, int i)
{
    return s->as.x ? seen_number(w, "x[0]") * s->x[i] : 0;
}

/* The outcome, or the latent in its place. */
static double outcome_at(const series *s, const whole *w, int i)
{
    return isnan(s->y[i]) ? seen_number(w, "missing") : s->y[i];
}

static double of_autoregressive(const series *s, const whole *w)
{
    const double intercept = seen_number(w, "intercept"), sigma = seen_number(w, "sigma");
    double sum = 0;
    for (int i = 3; i < ROWS; i++) {
        double mean = intercept + of_columns(s, w, i);
        for (int k = 1; k <= 3; k++) {
            char name[32];
            snprintf(name, sizeof name, "lag[%d]", k);
            mean += seen_number(w, name) * outcome_at(s, w, i - k);
        }
        sum += weight_at(s, i) * log_normal(outcome_at(s, w, i), mean, sigma);
    }
    return sum;
}

/* Moments of the outcomes that are there, each as often as it counts. */
static double weights_of(const series *s)
{
    double sum = 0;
    for (int i = 0; i < ROWS; i++)
        sum += isnan(s->y[i]) ? 0 : weight_at(s, i);
    return sum;
}

static double mean_of(const series *s)
{
    double sum = 0;
    for (int i = 0; i < ROWS; i++)
        sum += isnan(s->y[i]) ? 0 : weight_at(s, i) * s->y[i];
    return sum / weights_of(s);
}

static double variance_of(const series *s)
{
    double square = 0;
    for (int i = 0; i < ROWS; i++)
        square += isnan(s->y[i]) ? 0 : weight_at(s, i) * pow(s->y[i] - mean_of(s), 2);
    return square / (weights_of(s) - 1);
}

/* All outcomes together: the covariance of rows i and j is that of the level of the earlier one. */
static double of_local_level(const series *s, const whole *w)
{
    static double covariance[ROWS * ROWS];
    double r[ROWS], sum = 0, centre_of_x = 0;
    int row[ROWS], n = 0, count = 0;
    const double sigma = seen_number(w, "sigma"), step = seen_number(w, "sigma.level"),
                 first = 2.5 * 2.5 * variance_of(s), mean = mean_of(s);
    for (int i = 0; i < ROWS; i++)
        if (!isnan(s->y[i]))
            row[n++] = i, centre_of_x += weight_at(s, i) * of_columns(s, w, i) / weights_of(s);
    for (int i = 0; i < n; i++, count++) {
        const double weight = weight_at(s, row[i]);
        r[i] = s->y[row[i]] - mean - of_columns(s, w, row[i]) + centre_of_x;
        for (int j = 0; j < n; j++)
            covariance[i * n + j] = first + step * step * (row[i] < row[j] ? row[i] : row[j]) +
                                    (i == j ? sigma * sigma / weight : 0);
        sum -= 0.5 * (weight - 1) * log(TWO_PI * sigma * sigma) + 0.5 * log(weight);
    }
    return sum + log_multivariate_normal(n, covariance, r);
}

static double of_garch(const series *s, const whole *w)
{
    double h = variance_of(s), sum = 0;
    for (int i = 0; i < ROWS; i++) {
        const double off = outcome_at(s, w, i) - seen_number(w, "intercept") - of_columns(s, w, i);
        sum += weight_at(s, i) * log_normal(off, 0, sqrt(h));
        h = seen_number(w, "omega") + seen_number(w, "alpha") * off * off + seen_number(w, "beta") * h;
    }
    return sum;
}

static double of_hidden_markov(const series *s, const whole *w)
{
    const bool is_same =
        strstr(gb_analysis_outcome(w->a), "y") && seen(w, "sigma") + 1 == seen(w, "transition");
    const double *const mean = seen(w, "mean"), *const sigma = seen(w, "sigma"),
                        *const move = seen(w, "transition");
    const int states = (int)(sigma - mean);
    double p[8], sum = 0;
    for (int k = 0; k < states; k++)
        p[k] = 1. / states;
    for (int i = 0; i < ROWS; i++) {
        double total = 0, next[8] = {0};
        for (int k = 0; k < states && !isnan(s->y[i]); k++)
            p[k] *= exp(weight_at(s, i) * log_normal(s->y[i], mean[k], sigma[is_same ? 0 : k]));
        for (int k = 0; k < states; k++)
            total += p[k];
        for (int k = 0; k < states; k++)
            for (int j = 0; j < states; j++)
                next[j] += p[k] / total * move[k * states + j];
        memcpy(p, next, sizeof p);
        sum += log(total);
    }
    return sum;
}

static const series_case cases[] = {
    {"autoregressive:order=3", false, false, -1, of_autoregressive},
    {"autoregressive:order=3:raw", true, true, HOLE, of_autoregressive},
    {"autoregressive:order=3:prior=ridge", true, false, HOLE, of_autoregressive},
    {"local_level", false, false, -1, of_local_level},
    {"local_level:prior=laplace", true, true, HOLE, of_local_level},
    {"garch", false, false, -1, of_garch},
    {"garch:raw", true, true, HOLE, of_garch},
    {"hidden_markov", false, false, -1, of_hidden_markov},
    {"hidden_markov:states=3:stay=4", false, true, HOLE, of_hidden_markov},
    {"hidden_markov:states=3:same_sigma", false, true, -1, of_hidden_markov},
};

TEST_EACH(log_p_changes_with_the_order_of_the_outcomes_as_by_hand, cases)
{
    const series_case *const c = row;
    series s[2];
    for (int number = 1; number <= 3; number++) {
        double log_p[2], by_hand[2];
        for (int i = 0; i < 2; i++) {
            make_series(&s[i], i, c->has_x, c->has_weight, c->missing);
            whole w = whole_of(c->name, &s[i].as);
            log_p[i] = whole_at(&w, number);
            by_hand[i] = c->log_p(&s[i], &w);
        }
        assert_true(fabs(log_p[1] - log_p[0]) > 1e-4);
        assert_near(log_p[1] - log_p[0], by_hand[1] - by_hand[0], 1e-10 * fabs(by_hand[0]));
    }
}

/* ---- priors: data that count 0 times leave nothing else ---- */

static double prior_of_autoregressive(const double *z)
{
    double sum = log_normal(z[0], 0, 2.5);
    for (int k = 1; k <= 3; k++)
        sum += log_normal(z[k], 0, 1);
    return sum + log_half_normal_free(z[4], 2.5);
}

static double prior_of_local_level(const double *z)
{
    return log_half_normal_free(z[0], 2.5) + log_half_normal_free(z[1], 1);
}

/* Two shares of a stick of length 1: the whole triangle is equally likely. */
static double prior_of_garch(const double *z)
{
    const double first = 1 / (1 + exp(-(z[2] - log(2)))), second = (1 - first) / (1 + exp(-z[3]));
    return log_normal(z[0], 0, 2.5) + log_half_normal_free(z[1], 1) + log(2) + log(first * (1 - first)) +
           log(second * (1 - first - second) / (1 - first));
}

static double prior_of_hidden_markov(const double *z)
{
    double sum = log(2) + log_normal(z[0], 0, 2.5) + log_normal(z[0] + exp(z[1]), 0, 2.5) + z[1];
    for (int k = 0; k < 2; k++) {
        const double first = 1 / (1 + exp(-z[4 + k])), to_itself = k == 0 ? first : 1 - first;
        sum += log_sd_free(z[2 + k], 2.5, 0.1);
        /* Dirichlet(4, 1) and Dirichlet(1, 4): Γ(5) / Γ(4). */
        sum += log(4) + 3 * log(to_itself) + log(first * (1 - first));
    }
    return sum;
}

typedef struct prior_case {
    const char *name;
    double (*log_p)(const double *z);
} prior_case;

static const prior_case priors[] = {{"autoregressive:order=3", prior_of_autoregressive},
                                    {"local_level", prior_of_local_level},
                                    {"garch", prior_of_garch},
                                    {"hidden_markov:stay=3", prior_of_hidden_markov}};

TEST_EACH(without_data_log_p_is_the_prior, priors)
{
    const prior_case *const c = row;
    series s;
    make_series(&s, false, false, true, -1);
    memset(s.weight, 0, sizeof s.weight);
    whole w = whole_of(c->name, &s.as);
    for (int number = 1; number <= 3; number++) {
        const double log_p = whole_at(&w, number);
        assert_near(log_p, c->log_p(w.z), 1e-11 * (1 + fabs(log_p)));
    }
}

/* ---- missing outcomes ---- */

TEST(a_missing_outcome_among_the_first_has_the_prior_of_the_series)
{
    series s;
    make_series(&s, false, false, false, 1);
    whole w = whole_of("autoregressive:order=3", &s.as);
    const double log_p = whole_at(&w, 2), y = seen_number(&w, "missing"), sd = sqrt(variance_of(&s));
    double mean = 0;
    for (int i = 0; i < ROWS; i++)
        mean += i == 1 ? 0 : s.y[i] / (ROWS - 1);
    assert_near(log_p,
                prior_of_autoregressive(w.z) + of_autoregressive(&s, &w) + log_normal(y, mean, sd) + log(sd),
                1e-9);
}

static const series_case forecasts[] = {{"autoregressive:order=2", false, false, 0, NULL},
                                        {"local_level", false, false, 0, NULL},
                                        {"garch", false, false, 0, NULL},
                                        {"hidden_markov", false, false, 0, NULL}};

TEST_EACH(rows_to_come_are_predicted_and_not_scored, forecasts)
{
    const series_case *const c = row;
    series s;
    make_series(&s, false, false, false, -1);
    for (int i = ROWS - 4; i < ROWS; i++)
        s.y[i] = (double)NAN;
    gb_analysis *const a = analysis_of_arrays(t, c->name, &s.as);
    gb_prediction *const p = gb_predictive(gb_analysis_elbo(a), "y", .draws = 200);
    assert_fine(t);
    assert_int_equal(p->elements, ROWS);
    for (int i = 4; i < ROWS; i++) {
        assert_true(isfinite(p->mean[i]) && p->sd[i] > 0);
        assert_int_equal(isfinite(p->log_density[i]) != 0, i < ROWS - 4);
    }
    gb_prediction_free(p);
}

TEST(a_level_is_as_uncertain_as_the_rows_that_are_missing_are_many)
{
    series s;
    make_series(&s, false, false, false, -1);
    for (int i = ROWS - 4; i < ROWS; i++)
        s.y[i] = (double)NAN;
    gb_model model;
    assert_true(gb_model_parse("local_level", &model, NULL, 0));
    gb_analysis *const a = gb_analysis_new(t, model, .y = gb_numbers_of(GB_NUMBER_DOUBLE, s.y, ROWS),
                                           .posterior = gb_point(gb_shape()));
    gb_prediction *const p = gb_predictive(gb_analysis_elbo(a), "y");
    assert_fine(t);
    for (int i = ROWS - 3; i < ROWS; i++) {
        assert_near(p->mean[i], p->mean[i - 1], 1e-9);
        /* A point starts at 1 in the units of the series. */
        assert_near(p->sd[i] * p->sd[i] - p->sd[i - 1] * p->sd[i - 1], variance_of(&s),
                    1e-9 * variance_of(&s));
    }
    gb_prediction_free(p);
}

/* ---- what is known of each row ---- */

enum { FEW = 8, STATES = 3, PATHS = 6561 };

/* The numbers of a node that is kept, at point `number`. */
static void kept_at(whole *w, int number, const char *name, size_t count, double *value)
{
    const gb_node node = gb_analysis_node_named(w->a, name);
    assert_fine(node.tape);
    gb_program *const program = gb_density_program(w->density, gb_roots(node));
    whole_at(w, number);
    assert_int_equal(gb_density_run(w->density, program, 1, w->z), GB_OK);
    assert_int_equal(gb_program_root_count(program, 0), count);
    gb_read_root(program, 0, value);
}

TEST(states_have_the_probabilities_of_all_paths_through_them)
{
    series s;
    make_series(&s, false, false, true, 3);
    s.as.rows = FEW;
    whole w = whole_of("hidden_markov:states=3", &s.as);
    double states[FEW * STATES], by_hand[FEW * STATES] = {0}, total = 0;
    kept_at(&w, 2, "states", FEW * STATES, states);
    const double *const mean = seen(&w, "mean"), *const sigma = seen(&w, "sigma"),
                        *const move = seen(&w, "transition");
    for (int path = 0; path < PATHS; path++) {
        double p = 1;
        for (int i = 0, rest = path, last = 0; i < FEW; i++, rest /= STATES) {
            const int k = rest % STATES;
            p *= i ? move[last * STATES + k] : 1;
            p *= isnan(s.y[i]) ? 1 : exp(s.weight[i] * log_normal(s.y[i], mean[k], sigma[k]));
            last = k;
        }
        total += p;
        for (int i = 0, rest = path; i < FEW; i++, rest /= STATES)
            by_hand[i * STATES + rest % STATES] += p;
    }
    for (int i = 0; i < FEW * STATES; i++)
        assert_near(states[i], by_hand[i] / total, 1e-10);
}

TEST(levels_are_those_of_a_normal_vector_given_the_outcomes)
{
    static double factor[ROWS * ROWS];
    series s;
    make_series(&s, false, false, true, HOLE);
    whole w = whole_of("local_level", &s.as);
    const double mean = mean_of(&s);
    double level[ROWS], sd[ROWS], off[ROWS];
    int n = 0, at[ROWS];
    kept_at(&w, 2, "level", ROWS, level);
    kept_at(&w, 2, "level.sd", ROWS, sd);
    const double noise = pow(seen_number(&w, "sigma"), 2), drift = pow(seen_number(&w, "sigma.level"), 2),
                 first = 6.25 * variance_of(&s);
    for (int i = 0; i < ROWS; i++)
        if (!isnan(s.y[i]))
            at[n++] = i;
    for (int i = 0; i < n; i++) {
        off[i] = s.y[at[i]] - mean;
        for (int j = 0; j < n; j++)
            factor[i * n + j] =
                first + drift * (i < j ? at[i] : at[j]) + (i == j ? noise / s.weight[at[i]] : 0);
    }
    factorise(n, factor);
    solve_lower(n, factor, off);
    for (int i = 0; i < ROWS; i++) {
        double known[ROWS], of_mean = mean, of_variance = first + drift * i;
        for (int j = 0; j < n; j++)
            known[j] = first + drift * (i < at[j] ? i : at[j]);
        solve_lower(n, factor, known);
        for (int j = 0; j < n; j++) {
            of_mean += known[j] * off[j];
            of_variance -= known[j] * known[j];
        }
        assert_near(level[i], of_mean, 1e-9 * fabs(mean));
        assert_near(sd[i], sqrt(of_variance), 1e-9 * sqrt(first));
    }
}

TEST(the_sd_of_each_row_is_that_of_the_recursion)
{
    series s;
    make_series(&s, false, true, false, HOLE);
    whole w = whole_of("garch", &s.as);
    double sd[ROWS], h = variance_of(&s);
    kept_at(&w, 2, "sd", ROWS, sd);
    for (int i = 0; i < ROWS; i++) {
        const double off = outcome_at(&s, &w, i) - seen_number(&w, "intercept") - of_columns(&s, &w, i);
        assert_near(sd[i], sqrt(h), 1e-10 * sd[i]);
        h = seen_number(&w, "omega") + seen_number(&w, "alpha") * off * off + seen_number(&w, "beta") * h;
    }
}

/* ---- words ---- */

typedef struct misuse {
    const char *name, *model, *words;
    int rows;
    bool has_x;
} misuse;

static const misuse misuses[] = {
    {"few_rows", "autoregressive:order=8", "model: series y has 8 outcomes, and the model needs at least 9",
     8, false},
    {"many_lags", "autoregressive:order=65", "autoregressive: .order is 65, and must be at most 64", ROWS,
     false},
    {"one_row", "garch", "model: series y has 1 outcomes, and the model needs at least 2", 1, false},
    {"one_level", "local_level", "series y has 1 outcomes", 1, false},
    {"one_state", "hidden_markov:states=1", "hidden_markov: .states is 1, and must be at least 2", ROWS,
     false},
    {"more_states_than_rows", "hidden_markov:states=9", "series y has 8 outcomes", 8, false},
    {"columns_of_states", "hidden_markov", "hidden_markov: the model takes no columns: \"y ~ 1\"", ROWS,
     true},
};

TEST_EACH(what_cannot_be_fitted_is_rejected_in_words, misuses)
{
    const misuse *const m = row;
    series s;
    make_series(&s, false, m->has_x, false, -1);
    s.as.rows = m->rows;
    assert_null(analysis_of_arrays(t, m->model, &s.as));
    assert_rejected(t, GB_EARGUMENT, m->words);
}

TEST(a_series_has_no_new_rows)
{
    static const double x[] = {1};
    series s;
    make_series(&s, false, true, false, -1);
    gb_analysis *const a = analysis_of_arrays(t, "garch", &s.as);
    assert_null(gb_analysis_new_rows(a, .rows = 1, .x = gb_doubles(x)));
    assert_rejected(t, GB_EARGUMENT,
                    "a model of a series or of a whole has no new rows; to predict the future, append rows");
}
