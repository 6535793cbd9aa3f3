/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Factor analysis: its density by hand, from the covariance of the numbers that are there, and a fit. */
#include "support/close.h"

#include "fitting/analysis.h"
#include "ready/by_hand.h"

enum {
    ROWS = 8,
    COLUMNS = 4,
    FACTORS = 2,
    BELOW = COLUMNS * FACTORS - FACTORS * (FACTORS + 1) / 2,
    NUMBERS = COLUMNS + BELOW + FACTORS + COLUMNS
};

typedef struct data {
    double x[ROWS * COLUMNS], weight[ROWS];
} data;

static data some_data(bool has_missing)
{
    data d;
    for (size_t i = 0; i < ROWS * COLUMNS; i++)
        d.x[i] = 10 * (double)(i % COLUMNS) + (1 + (double)(i % COLUMNS)) * pseudo(i);
    for (size_t i = 0; i < ROWS; i++)
        d.weight[i] = i == 2 ? 0 : 1 + 0.5 * (double)(i % 3);
    if (has_missing) {
        d.x[0] = d.x[5] = d.x[6] = (double)NAN;
        for (size_t c = 0; c < COLUMNS; c++)
            d.x[7 * COLUMNS + c] = (double)NAN;
    }
    return d;
}

static gb_analysis *analysis(gb_tape *t, gb_model model, const data *d, gb_kl_mode kl)
{
    return gb_analysis_new(t, model, .x = gb_doubles(d->x), .columns = COLUMNS, .rows = ROWS,
                           .weight = gb_doubles(d->weight), .kl = kl);
}

/* log N(off; 0, s) of `n` numbers, by the Cholesky factor, which replaces s. */
static double log_multivariate(size_t n, double *s, const double *off)
{
    double log_p = 0, white[COLUMNS];
    for (size_t i = 0; i < n; i++) {
        white[i] = off[i];
        for (size_t j = 0; j <= i; j++) {
            double sum = s[i * COLUMNS + j];
            for (size_t k = 0; k < j; k++)
                sum -= s[i * COLUMNS + k] * s[j * COLUMNS + k];
            s[i * COLUMNS + j] = i == j ? sqrt(sum) : sum / s[j * COLUMNS + j];
            if (j < i)
                white[i] -= s[i * COLUMNS + j] * white[j];
        }
        white[i] /= s[i * COLUMNS + i];
        log_p += log_normal(white[i], 0, 1) - log(s[i * COLUMNS + i]);
    }
    return log_p;
}

/* z: means; loadings below the diagonal, row by row; logs of those on it; free numbers of sds. */
static double by_hand(const data *d, const double *z)
{
    double mean[COLUMNS], sd[COLUMNS], w[COLUMNS][FACTORS] = {{0}};
    const double *const below = z + COLUMNS, *const diagonal = below + BELOW,
                        *const free_sd = diagonal + FACTORS;
    column_scales(ROWS, COLUMNS, d->x, d->weight, mean, sd);
    double log_p = 0;
    size_t next = 0;
    for (size_t c = 0; c < COLUMNS; c++) {
        log_p += log_normal(z[c], 0, 2.5) + log_sd_free(free_sd[c], 1, 0.1);
        for (size_t k = 0; k < FACTORS && k <= c; k++) {
            w[c][k] = c == k ? exp(diagonal[k]) : below[next++];
            log_p += c == k ? log_half_normal(w[c][k], 1) + diagonal[k] : log_normal(w[c][k], 0, 1);
        }
    }
    for (size_t i = 0; i < ROWS; i++) {
        double s[COLUMNS * COLUMNS], off[COLUMNS];
        size_t at[COLUMNS], n = 0;
        for (size_t c = 0; c < COLUMNS; c++)
            if (!isnan(d->x[i * COLUMNS + c]))
                at[n++] = c;
        for (size_t a = 0; a < n; a++) {
            off[a] = d->x[i * COLUMNS + at[a]] - mean[at[a]] - sd[at[a]] * z[at[a]];
            for (size_t b = 0; b < n; b++) {
                double sum = a == b ? exp(-free_sd[at[a]]) : 0;
                for (size_t k = 0; k < FACTORS; k++)
                    sum += w[at[a]][k] * w[at[b]][k];
                s[a * COLUMNS + b] = sd[at[a]] * sd[at[b]] * sum;
            }
        }
        log_p += d->weight[i] * log_multivariate(n, s, off);
    }
    return log_p;
}

TEST(the_density_is_the_formula)
{
    for (int missing = 0; missing < 2; missing++) {
        const data d = some_data(missing);
        gb_tape *const own = test_tape();
        gb_analysis *const a = analysis(own, gb_factor_model(.factors = FACTORS), &d, GB_KL_AUTO);
        assert_fine(own);
        for (size_t number = 0; number < 3; number++) {
            double z[NUMBERS];
            for (size_t i = 0; i < NUMBERS; i++)
                z[i] = 0.7 * pseudo(i + 31 * number);
            const double should = by_hand(&d, z);
            assert_near(density_at(a, NUMBERS, z), should, 1e-11 * fabs(should));
        }
    }
}

/* q of the factors is their posterior given all else: then log p(x, z) − log q(z) is log p(x) for every z. */
TEST(factors_that_are_drawn_have_the_bound_of_those_that_are_integrated_out)
{
    for (int missing = 0; missing < 2; missing++) {
        const data d = some_data(missing);
        gb_tape *const own = test_tape(.seed = 4), *const another = test_tape(.seed = 4);
        gb_analysis *const integrated = analysis(own, gb_factor_model(.factors = FACTORS), &d, GB_KL_SAMPLED),
                           *const drawn =
                               analysis(another, gb_factor_model(.factors = FACTORS, .scores = gb_pathwise()),
                                        &d, GB_KL_SAMPLED);
        assert_fine(another);
        assert_near(elbo_of(drawn), elbo_of(integrated), 1e-9);
    }
}

/* ---- a fit ---- */

enum { MANY = 300, WIDE = 6 };
static const double truth[WIDE][FACTORS] = {{2, 0}, {0.5, 1.5}, {1, 1}, {-1, 2}, {1, 0}, {0, 1}};
static const double noise = 0.5;

static void simulate(double x[MANY * WIDE], double score[MANY * FACTORS])
{
    uint64_t state = 11;
    for (size_t i = 0; i < MANY; i++) {
        for (size_t k = 0; k < FACTORS; k++)
            score[i * FACTORS + k] = normal_draw(&state);
        for (size_t c = 0; c < WIDE; c++) {
            x[i * WIDE + c] = 10 * (double)c + noise * normal_draw(&state);
            for (size_t k = 0; k < FACTORS; k++)
                x[i * WIDE + c] += truth[c][k] * score[i * FACTORS + k];
        }
    }
}

static double correlation(size_t count, const double *a, const double *b, size_t stride)
{
    double aa = 0, bb = 0, ab = 0;
    for (size_t i = 0; i < count; i++) {
        aa += a[i * stride] * a[i * stride];
        bb += b[i * stride] * b[i * stride];
        ab += a[i * stride] * b[i * stride];
    }
    return ab / sqrt(aa * bb);
}

TEST(a_fit_finds_the_loadings_and_the_scores, .seed = 1)
{
    static double x[MANY * WIDE], score[MANY * FACTORS];
    simulate(x, score);
    gb_analysis *const a = gb_analysis_new(t, gb_factor_model(.factors = FACTORS), .x = gb_doubles(x),
                                           .rows = MANY, .columns = WIDE);
    gb_elbo *const e = gb_analysis_elbo(a);
    const gb_fit_result r = gb_fit(e, .data = gb_analysis_data(a));
    assert_fine(t);
    assert_true(r.verdict >= GB_VERDICT_GOOD_HERE);
    gb_summary_table *const s = gb_analysis_summary(a, &r);
    for (size_t c = 0; c < WIDE; c++) {
        char name[40];
        for (size_t k = 0; k < FACTORS; k++) {
            snprintf(name, sizeof name, "loadings of factor %zu[%zu]", k, c);
            const gb_summary_row *const row = gb_summary_find(s, name);
            assert_near(row->mean, truth[c][k], 3.5 * row->sd);
        }
        snprintf(name, sizeof name, "sd[%zu]", c);
        const gb_summary_row *const row = gb_summary_find(s, name);
        assert_near(row->mean, noise, 3.5 * row->sd);
    }
    gb_summary_free(s);
    gb_prediction *const p =
        gb_predictive_node(e, gb_analysis_node_named(a, "scores"), .data = gb_analysis_data(a));
    for (size_t k = 0; k < FACTORS; k++)
        assert_true(correlation(MANY, p->mean + k, score + k, FACTORS) > 0.9);
    gb_prediction_free(p);
}

TEST(a_missing_number_is_imputed_by_the_regression_on_the_others)
{
    const data d = some_data(true);
    gb_analysis *const a = analysis(t, gb_factor_model(.factors = FACTORS), &d, GB_KL_AUTO);
    double imputed[ROWS * COLUMNS], mean[COLUMNS];
    read_node(a, "imputed", imputed, ROWS * COLUMNS);
    for (size_t i = 0; i < ROWS * COLUMNS; i++)
        if (!isnan(d.x[i]))
            assert_close(imputed[i], d.x[i], 4);
    /* A row without any number has the mean. */
    assert_int_equal(gb_read(gb_analysis_node_named(a, "mean"), mean, COLUMNS), GB_OK);
    for (size_t c = 0; c < COLUMNS; c++)
        assert_near(imputed[7 * COLUMNS + c], mean[c], 1e-9);
}

/* Of number c, given the others of its row, by elimination in their covariance s. */
static void by_others(double s[COLUMNS][COLUMNS], const double *mean, const double *x, size_t c, double *is,
                      double *sd)
{
    double m[COLUMNS + 1][COLUMNS + 2];
    size_t at[COLUMNS], n = 0;
    for (size_t i = 0; i < COLUMNS; i++)
        if (i != c && !isnan(x[i]))
            at[n++] = i;
    /* [S_oo | x_o − mean_o | s_oc], and below it s_co, whose elimination leaves both results. */
    for (size_t i = 0; i <= n; i++) {
        const size_t row = i < n ? at[i] : c;
        for (size_t j = 0; j < n; j++)
            m[i][j] = s[row][at[j]];
        m[i][n] = i < n ? x[row] - mean[row] : 0;
        m[i][n + 1] = s[row][c];
    }
    for (size_t k = 0; k < n; k++)
        for (size_t i = k + 1; i <= n; i++) {
            const double by = m[i][k] / m[k][k];
            for (size_t j = k; j < n + 2; j++)
                m[i][j] -= by * m[k][j];
        }
    *is = mean[c] - m[n][n];
    *sd = sqrt(m[n][n + 1]);
}

TEST(a_number_is_predicted_from_the_others_of_its_row)
{
    const data d = some_data(true);
    gb_analysis *const a =
        gb_analysis_new(t, gb_factor_model(.factors = FACTORS), .x = gb_doubles(d.x), .columns = COLUMNS,
                        .rows = ROWS, .weight = gb_doubles(d.weight), .posterior = gb_point(gb_shape()));
    double w[FACTORS][COLUMNS], mean[COLUMNS], spread[COLUMNS], s[COLUMNS][COLUMNS];
    char name[40];
    move_variables(t);
    for (size_t k = 0; k < FACTORS; k++) {
        snprintf(name, sizeof name, "loadings of factor %zu", k);
        assert_int_equal(gb_read(gb_analysis_node_named(a, name), w[k], COLUMNS), GB_OK);
    }
    gb_read(gb_analysis_node_named(a, "mean"), mean, COLUMNS);
    assert_int_equal(gb_read(gb_analysis_node_named(a, "sd"), spread, COLUMNS), GB_OK);
    for (size_t i = 0; i < COLUMNS; i++)
        for (size_t j = 0; j < COLUMNS; j++)
            s[i][j] = w[0][i] * w[0][j] + w[1][i] * w[1][j] + (i == j ? spread[i] * spread[i] : 0);
    gb_prediction *const p = gb_predictive(gb_analysis_elbo(a), "x", .data = gb_analysis_data(a), .draws = 4);
    assert_fine(t);
    for (size_t i = 0; i < ROWS * COLUMNS; i++) {
        double is, sd;
        by_others(s, mean, &d.x[i / COLUMNS * COLUMNS], i % COLUMNS, &is, &sd);
        assert_near(p->mean[i], is, 1e-9 * (1 + fabs(is)));
        assert_near(p->sd[i], sd, 1e-9 * sd);
        if (isnan(d.x[i]) || d.weight[i / COLUMNS] == 0)
            assert_true(isnan(p->log_density[i]));
        else
            assert_near(p->log_density[i], log_normal(d.x[i], is, sd), 1e-8);
    }
    gb_prediction_free(p);
}

TEST(there_are_fewer_factors_than_columns)
{
    const data d = some_data(false);
    gb_tape *const own = test_tape();
    analysis(t, gb_factor_model(.factors = COLUMNS), &d, GB_KL_AUTO);
    assert_rejected(t, GB_EARGUMENT, "factor: .factors is 4, and must be from 1 to below the 4 columns");
    analysis(own, gb_factor_model(.factors = -1), &d, GB_KL_AUTO);
    assert_rejected(own, GB_EARGUMENT, "factor: factors is -1, and must be a whole number, not negative");
}
