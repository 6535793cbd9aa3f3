/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the noise goes to 0 the density of a model falls as its derivation says, and data for which it has no
 * integral there are rejected in words. */
#include "support/close.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fitting/density.h"
#include "ready/analysis.h"
#include "ready/equations.h"
#include "ready/models.h"
#include "support/counted_memory.h"

enum { MOST_ROWS = 16, MOST_VALUES = 64, MOST_SETTINGS = 6 };

/* The value `at` + `by` s^power of a latent; `at` is an outcome if it has units. Others are where their free
 * numbers are 0. Of a simplex the last value is the rest. */
typedef struct setting {
    const char *name;
    double at, by, power;
    bool has_units;
} setting;

/* Outcomes y, a column x, weights w and groups g, in the rows of a table. */
typedef struct path {
    const char *name, *model, *formula;
    int rows;
    double y[MOST_ROWS], x[MOST_ROWS], w[MOST_ROWS], g[MOST_ROWS];
    setting is[MOST_SETTINGS];
    double width; /* numbers that lie within s^width, in all, of where they are */
    double power; /* with which the density goes at last; of log s: above 0 there is an integral */
    const char *words;
} path;

static gb_table *table_of(gb_tape *t, const path *p, double nudge)
{
    double y[MOST_ROWS], a[MOST_ROWS];
    gb_table *const d = gb_table_new(t, "d", p->rows);
    for (int i = 0; i < p->rows; i++) {
        y[i] = p->y[i] + nudge * cos(1 + 7 * i);
        a[i] = p->y[i];
    }
    gb_table_add(d, "y", gb_numbers_of(GB_NUMBER_DOUBLE, y, (size_t)p->rows));
    gb_table_add(d, "again", gb_numbers_of(GB_NUMBER_DOUBLE, a, (size_t)p->rows));
    gb_table_add(d, "x", gb_numbers_of(GB_NUMBER_DOUBLE, p->x, (size_t)p->rows));
    gb_table_add(d, "w", gb_numbers_of(GB_NUMBER_DOUBLE, p->w, (size_t)p->rows));
    gb_table_add(d, "g", gb_numbers_of(GB_NUMBER_DOUBLE, p->g, (size_t)p->rows));
    return d;
}

static gb_analysis *analysis_of(gb_tape *t, const path *p, double nudge)
{
    char error[256];
    gb_model model;
    if (!gb_model_parse(p->model, &model, error, sizeof error))
        fail_msg("%s", error);
    gb_table *const d = table_of(t, p, nudge);
    const bool has_outcome = p->formula[0] != '~', has_group = has_outcome && p->g[1] > 0;
    gb_analysis *const a = gb_analysis_new(
        t, model, .formula = p->formula, .table = d, .group = has_group ? "g" : NULL,
        .weight = !has_outcome && p->w[0] > 0 ? gb_numbers_of(GB_NUMBER_DOUBLE, p->w, (size_t)p->rows)
                                              : (gb_numbers){0});
    gb_table_free(d);
    return a;
}

static double standard(const gb_analysis *a, double y)
{
    const gb_model_site *const s = gb_analysis_site(a);
    const bool is_outcome = gb_node_ok(s->y);
    return (y - (is_outcome ? s->outcome_mean : s->mean[0])) / (is_outcome ? s->outcome_sd : s->sd[0]);
}

static void set_values(const gb_analysis *a, const gb_density *d, const path *p, double s, double *value)
{
    char text[GB_DENSITY_TEXT];
    const size_t count = gb_density_value_count(d);
    for (const setting *is = p->is; is < p->is + MOST_SETTINGS && is->name; is++) {
        size_t found = 0;
        for (size_t i = 0; i < count; i++)
            if (strstr(gb_density_value_name(d, i, text), is->name)) {
                value[i] = (is->has_units ? standard(a, is->at) : is->at) + is->by * pow(s, is->power);
                found++;
            }
        if (found == 0)
            fail_msg("no latent %s", is->name);
    }
    for (size_t i = 2; i < count; i++)
        if (strstr(gb_density_value_name(d, i, text), "shares[2]"))
            value[i] = 1 - value[i - 1] - value[i - 2];
}

static double log_density(const gb_analysis *a, gb_density *d, const path *p, double s)
{
    double z[MOST_VALUES] = {0}, value[MOST_VALUES], log_p = 0;
    assert_true(gb_density_value_count(d) <= MOST_VALUES);
    assert_int_equal(gb_density_values(d, 1, z, value), GB_OK);
    set_values(a, d, p, s, value);
    assert_int_equal(gb_density_free_numbers(d, 1, value, z), GB_OK);
    assert_int_equal(gb_density_evaluate(d, 1, z, &log_p, NULL, NULL), GB_OK);
    assert_fine(gb_density_tape(d));
    return log_p;
}

/* The power of s at s. */
static double power_at(const path *p, double s, double nudge)
{
    gb_tape *const own = test_tape();
    gb_analysis *const a = analysis_of(own, p, nudge);
    assert_fine(own);
    gb_density *const d = gb_density_new(gb_analysis_elbo(a), .data = gb_analysis_data(a));
    assert_fine(own);
    const double low = log_density(a, d, p, s), high = log_density(a, d, p, 2 * s);
    assert_true(isfinite(low) && isfinite(high));
    return (high - low) / log(2) + p->width;
}

/* ---- models whose sds have a floor: for all data ---- */

static const path floors[] = {
    {"equal_rows_of_a_component",
     "mixture",
     "~ y",
     8,
     {1, 1, 1, 4, 5, 7, 1, 9},
     {0},
     {0},
     {0},
     {{"ordered means[0]", 1, 0, 0, true}, {"sds[0,0]", 0, 1, 1, false}},
     1,
     0,
     NULL},
    {"a_heavy_row_of_a_component",
     "mixture",
     "~ y",
     5,
     {1, 3, 5, 7, 9},
     {0},
     {5, 1, 0.5, 0, 1},
     {0},
     {{"ordered means[0]", 1, 0, 0, true}, {"sds[0,0]", 0, 1, 1, false}},
     1,
     0,
     NULL},
    {"equal_rows_of_a_state",
     "hidden_markov",
     "y ~ 1",
     8,
     {1, 1, 1, 4, 5, 7, 1, 9},
     {0},
     {0},
     {0},
     {{"mean[0]", 1, 0, 0, true}, {"sigma[0]", 0, 1, 1, false}, {"mean[1]", 5, 0, 0, true}},
     1,
     0,
     NULL},
    {"a_heavy_row_of_a_state",
     "hidden_markov:raw",
     "y | weights(w) ~ 1",
     5,
     {1, 3, 5, 7, 9},
     {0},
     {5, 1, 0.5, 0, 1},
     {0},
     {{"mean[0]", 1, 0, 0, false}, {"sigma[0]", 0, 1, 1, false}, {"mean[1]", 5, 0, 0, false}},
     1,
     0,
     NULL},
    {"as_many_values_as_states",
     "hidden_markov:same_sigma",
     "y ~ 1",
     8,
     {1, 2, 1, 2, 2, 2, 1, 1},
     {0},
     {0},
     {0},
     {{"mean[0]", 1, 0, 0, true}, {"mean[1]", 2, 0, 0, true}, {"sigma", 0, 1, 1, false}},
     2,
     0,
     NULL},
    {"a_column_twice",
     "factor",
     "~ y + again + x - 1",
     8,
     {1, 3, 4, 2, 7, 5, 8, 6},
     {3, 1, 2, 5, 3, 0, 1, 4},
     {0},
     {0},
     {{"positive loadings", 1, 0, 0, false},
      {"loadings[0]", 1, 0, 0, false},
      {"sds[0]", 0, 1, 1, false},
      {"sds[1]", 0, 1, 1, false}},
     3,
     0,
     NULL},
    {"a_network_of_a_constant",
     "network:units=2",
     "y ~ x",
     8,
     {3, 3, 3, 3, 3, 3, 3, 3},
     {3, 1, 2, 5, 3, 0, 1, 4},
     {0},
     {0},
     {{"sigma", 0, 1, 1, false}},
     3,
     0,
     NULL},
    {"a_row_twice",
     "gaussian_process",
     "y ~ x",
     5,
     {1, 3, 2, 5, 3},
     {1, 2, 3, 4, 2},
     {0},
     {0},
     {{"sigma", 0, 1, 1, false}},
     0,
     0,
     NULL},
    {"weights_above_1",
     "gaussian_process",
     "y | weights(w) ~ x",
     4,
     {1, 3, 2, 5},
     {1, 2, 3, 4},
     {2, 2, 1, 2},
     {0},
     {{"sigma", 0, 1, 1, false}},
     0,
     0,
     NULL},
    {"a_row_again_after_a_period",
     "gaussian_process:kernel=periodic:period=2.5",
     "y ~ x",
     6,
     {1, 3, 2, 5, 3, 1},
     {1, 2, 3, 4, 4.5, 11},
     {0},
     {0},
     {{"sigma", 0, 1, 1, false}},
     0,
     0,
     NULL},
    {"a_period_that_is_learned",
     "gaussian_process:kernel=periodic:period=4:period_spread=0.3",
     "y ~ x",
     9,
     {1, 3, 2, 1, 3, 2, 1, 3, 2},
     {1, 2, 3, 4, 5, 6, 7, 8, 9},
     {0},
     {0},
     {{"period", 0.75, 0, 0, false}, {"sigma", 0, 1, 1, false}},
     1,
     0,
     NULL},
    {"a_constant_of_a_process",
     "gaussian_process",
     "y ~ x",
     5,
     {3, 3, 3, 3, 3},
     {1, 2, 3, 4, 5},
     {0},
     {0},
     {{"amplitude", 0, 1, 1, false}, {"sigma", 0, 1, 1, false}},
     0,
     0,
     NULL},
};

/* A power of s that the data give becomes small beside exp(−(floor / s)² / 2). */
TEST_EACH(an_sd_with_a_floor_has_no_density_at_0, floors)
{
    const path *const p = row;
    const double floor = strstr(p->model, "gaussian") || strstr(p->model, "network") ? 0.01 : 0.1;
    gb_analysis *const a = analysis_of(t, p, 0);
    assert_fine(t);
    assert_null(strstr(gb_analysis_warnings(a), "posterior"));
    const double of_raw = strstr(p->model, "raw") ? gb_analysis_site(a)->outcome_sd : 1,
                 power = power_at(p, 0.1 * floor * of_raw, 0);
    if (!(power > 20))
        fail_msg("the density goes as s^%g", power);
}

/* ---- models without: there the density has an integral, or the data are rejected ---- */

/* The power is 1 for each scale that goes to 0, plus the width, minus weights of rows that are exact. */
static const path paths[] = {
    {"line",
     "linear:raw",
     "y ~ x",
     4,
     {1, 3, 5, 7},
     {1, 2, 3, 4},
     {0},
     {0},
     {{"sigma", 0, 1, 1, false}, {"intercept", -1, 0, 0, false}, {"slopes", 2, 0, 0, false}},
     2,
     -1,
     "model: 2 coefficients give each y exactly"},
    {"line_of_two_rows",
     "linear:raw",
     "y ~ x",
     2,
     {1, 3},
     {1, 2},
     {0},
     {0},
     {{"sigma", 0, 1, 1, false}, {"intercept", -1, 0, 0, false}, {"slopes", 2, 0, 0, false}},
     2,
     1,
     NULL},
    {"line_of_shares",
     "linear:raw",
     "y | weights(w) ~ x",
     3,
     {1, 3, 5},
     {1, 2, 3},
     {1, 1, 0.9},
     {0},
     {{"sigma", 0, 1, 1, false}, {"intercept", -1, 0, 0, false}, {"slopes", 2, 0, 0, false}},
     2,
     0.1,
     NULL},
    {"constant_of_many_columns",
     "linear:raw",
     "y ~ x * w",
     4,
     {3, 3, 3, 3},
     {1, 2, 3, 4},
     {2, 1, 3, 2},
     {0},
     {{"sigma", 0, 1, 1, false}, {"intercept", 3, 0, 0, false}},
     4,
     1,
     NULL},
    {"constant_by_ridge",
     "linear:raw:prior=ridge",
     "y ~ x * w",
     4,
     {3, 3, 3, 3},
     {1, 2, 3, 4},
     {2, 1, 3, 2},
     {0},
     {{"sigma", 0, 1, 1, false}, {"intercept", 3, 0, 0, false}, {"slopes.scale", 0, 1, 1, false}},
     1,
     -1,
     "model: 1 coefficients without slopes give each y exactly"},
    {"constant_by_the_horseshoe",
     "linear:raw:prior=horseshoe",
     "y ~ x * w",
     4,
     {3, 3, 3, 3},
     {1, 2, 3, 4},
     {2, 1, 3, 2},
     {0},
     {{"sigma", 0, 1, 1, false}, {"intercept", 3, 0, 0, false}, {"slopes.global", 0, 1, 1, false}},
     1,
     -1,
     "model: 1 coefficients without slopes give each y exactly"},
    {"constant_of_groups",
     "linear:raw",
     "y ~ 1",
     4,
     {3, 3, 3, 3},
     {0},
     {0},
     {1, 2, 3, 4},
     {{"sigma", 0, 1, 1, false}, {"intercept", 3, 0, 0, false}, {"group.tau", 0, 1, 1, false}},
     1,
     -1,
     "model: 1 coefficients without effects of groups give each y exactly"},
    {"constant_of_two_groups",
     "linear:raw",
     "y ~ 1",
     2,
     {3, 3},
     {0},
     {0},
     {1, 2},
     {{"sigma", 0, 1, 1, false}, {"intercept", 3, 0, 0, false}, {"group.tau", 0, 1, 1, false}},
     1,
     1,
     NULL},
    {"level_that_stands_still",
     "local_level:raw",
     "y ~ 1",
     3,
     {3, 3, 3},
     {0},
     {0},
     {0},
     {{"sigma", 0, 1, 1, false}, {"sigma.level", 0, 1, 1, false}},
     0,
     0,
     "model: 1 coefficients give each y exactly"},
    {"level_of_two_rows",
     "local_level:raw",
     "y ~ 1",
     2,
     {3, 3},
     {0},
     {0},
     {0},
     {{"sigma", 0, 1, 1, false}, {"sigma.level", 0, 1, 1, false}},
     0,
     1,
     NULL},
    {"level_with_a_line",
     "local_level:raw",
     "y ~ x",
     4,
     {1, 3, 5, 7},
     {1, 2, 3, 4},
     {0},
     {0},
     {{"sigma", 0, 1, 1, false}, {"sigma.level", 0, 1, 1, false}, {"slopes", 2, 0, 0, false}},
     1,
     0,
     "model: 2 coefficients give each y exactly"},
    {"level_with_a_line_of_three",
     "local_level:raw",
     "y ~ x",
     3,
     {1, 3, 5},
     {1, 2, 3},
     {0},
     {0},
     {{"sigma", 0, 1, 1, false}, {"sigma.level", 0, 1, 1, false}, {"slopes", 2, 0, 0, false}},
     1,
     1,
     NULL},
    {"levels_of_weights_by_their_mean",
     "local_level:raw",
     "y | weights(w) ~ 1",
     4,
     {1, 3, 2, 5},
     {0},
     {1.6, 0.8, 0.8, 0.8},
     {0},
     {{"sigma", 0, 1, 1, false}, {"sigma.level", 1, 0, 0, false}},
     0,
     1,
     NULL},
    {"constant_series",
     "autoregressive:raw",
     "y ~ 1",
     3,
     {3, 3, 3},
     {0},
     {0},
     {0},
     {{"sigma", 0, 1, 1, false}, {"intercept", 3, 0, 0, false}},
     1,
     0,
     "autoregressive: 1 numbers give y exactly from its 1 lags"},
    {"constant_series_of_two",
     "autoregressive:raw",
     "y ~ 1",
     2,
     {3, 3},
     {0},
     {0},
     {0},
     {{"sigma", 0, 1, 1, false}, {"intercept", 3, 0, 0, false}},
     1,
     1,
     NULL},
    {"doubling",
     "autoregressive:raw",
     "y ~ 1",
     5,
     {1, 2, 4, 8, 16},
     {0},
     {0},
     {0},
     {{"sigma", 0, 1, 1, false}, {"intercept", 0, 0, 0, false}, {"lags", 2, 0, 0, false}},
     2,
     -1,
     "autoregressive: 2 numbers give y exactly from its 1 lags"},
    {"doubling_with_a_gap",
     "autoregressive:raw",
     "y ~ 1",
     5,
     {1, 2, (double)NAN, 8, 16},
     {0},
     {0},
     {0},
     {{"sigma", 0, 1, 1, false},
      {"intercept", 0, 0, 0, false},
      {"lags", 2, 0, 0, false},
      {"missing", 4, 0, 0, true}},
     3,
     0,
     "autoregressive: 2 numbers give y exactly"},
    {"doubling_with_a_gap_and_fewer_rows",
     "autoregressive:raw",
     "y ~ 1",
     4,
     {1, 2, (double)NAN, 8},
     {0},
     {0},
     {0},
     {{"sigma", 0, 1, 1, false},
      {"intercept", 0, 0, 0, false},
      {"lags", 2, 0, 0, false},
      {"missing", 4, 0, 0, true}},
     3,
     1,
     NULL},
    {"returns_that_end",
     "garch:raw",
     "y ~ 1",
     7,
     {5, 1, 1, 1, 1, 1, 1},
     {0},
     {0},
     {0},
     {{"omega", 0, 1, 1, false},
      {"shares[0]", 0.4, 0, 0, false},
      {"shares[1]", 0, 1, 0.5, false},
      {"intercept", 1, 0, 0, false}},
     0.5,
     -0.25,
     "garch: the last 6 outcomes of y are given exactly by 1 numbers"},
    {"returns_that_have_just_ended",
     "garch:raw",
     "y ~ 1",
     6,
     {5, 1, 1, 1, 1, 1},
     {0},
     {0},
     {0},
     {{"omega", 0, 1, 1, false},
      {"shares[0]", 0.4, 0, 0, false},
      {"shares[1]", 0, 1, 0.5, false},
      {"intercept", 1, 0, 0, false}},
     0.5,
     0.25,
     NULL},
    {"five_of_seven_under_a_t",
     "robust:raw:freedom=1",
     "y ~ 1",
     7,
     {1, 1, 1, 1, 1, 4, 9},
     {0},
     {0},
     {0},
     {{"sigma", 0, 1, 1, false}, {"intercept", 1, 0, 0, false}},
     1,
     -1,
     "model: 1 coefficients give y exactly in rows whose weights have the sum 5, of 7"},
    {"three_of_seven_under_a_t",
     "robust:raw:freedom=1",
     "y ~ 1",
     7,
     {1, 1, 1, 4, 5, 4, 9},
     {0},
     {0},
     {0},
     {{"sigma", 0, 1, 1, false}, {"intercept", 1, 0, 0, false}},
     1,
     3,
     NULL},
    {"four_of_six_under_a_t",
     "robust:raw:freedom=1",
     "y ~ 1",
     6,
     {1, 1, 1, 1, 4, 9},
     {0},
     {0},
     {0},
     {{"sigma", 0, 1, 1, false}, {"intercept", 1, 0, 0, false}},
     1,
     0,
     "model: 1 coefficients give y exactly in rows whose weights have the sum 4, of 6"},
    {"line_with_outliers",
     "robust:raw:freedom=1",
     "y ~ x",
     9,
     {1, 3, 5, 20, 9, 11, 13, -4, 17},
     {1, 2, 3, 4, 5, 6, 7, 8, 9},
     {0},
     {0},
     {{"sigma", 0, 1, 1, false}, {"intercept", -1, 0, 0, false}, {"slopes", 2, 0, 0, false}},
     2,
     -2,
     "model: 2 coefficients give y exactly in rows whose weights have the sum 7, of 9"},
    {"line_with_heavy_outliers",
     "robust:raw:freedom=1",
     "y | weights(w) ~ x",
     9,
     {1, 3, 5, 20, 9, 11, 13, -4, 17},
     {1, 2, 3, 4, 5, 6, 7, 8, 9},
     {1, 1, 1, 4, 1, 1, 1, 4, 1},
     {0},
     {{"sigma", 0, 1, 1, false}, {"intercept", -1, 0, 0, false}, {"slopes", 2, 0, 0, false}},
     2,
     4,
     NULL},
    {"line_of_a_large_freedom",
     "robust:raw:freedom=4",
     "y ~ x",
     9,
     {1, 3, 5, 20, 9, 11, 13, -4, 17},
     {1, 2, 3, 4, 5, 6, 7, 8, 9},
     {0},
     {0},
     {{"sigma", 0, 1, 1, false}, {"intercept", -1, 0, 0, false}, {"slopes", 2, 0, 0, false}},
     2,
     4,
     NULL},
};

TEST_EACH(a_density_without_an_integral_is_rejected, paths)
{
    const path *const p = row;
    const double power = power_at(p, strstr(p->model, "garch") ? 1e-8 : 1e-4, 1e-7);
    if (!(fabs(power - p->power) < 0.05))
        fail_msg("the density goes as s^%g, not s^%g", power, p->power);
    assert_true((p->power > 1e-3) == !p->words);
    analysis_of(t, p, 0);
    if (p->words)
        assert_rejected(t, GB_EARGUMENT, p->words);
    else
        assert_fine(t);
}

/* ---- without a path ---- */

typedef struct rejection {
    const char *name, *model, *text, *formula, *words;
} rejection;

#define MOSTLY_1 "y,x,z\n1,1,3\n1,2,1\n1,4,4\n1,3,1\n1,7,5\n1,0,7\n4,6,9\n9,5,2\n"

static const rejection rejections[] = {
    {"learned_freedom_is_above_1", "robust", "y\n1\n1\n1\n1\n4\n9\n", "y ~ 1", NULL},
    {"more_than_half_are_equal", "robust", "y\n1\n1\n1\n1\n1\n4\n9\n", "y ~ 1",
     "have the sum 5, of 7 in all, so sigma has no posterior"},
    {"rounded_outcomes", "robust", "y\n1\n1\n1\n2\n2\n2\n3\n3\n", "y ~ 1", NULL},
    {"a_constant_under_a_t", "robust", "y\n1\n1\n1\n", "y ~ 1", "model: 1 coefficients give each y exactly"},
    {"more_than_half_by_ridge", "robust:prior=ridge", MOSTLY_1, "y ~ x * z",
     "model: 1 coefficients without slopes give y exactly in rows whose weights have the sum 6, of 8"},
    {"the_same_without_ridge", "robust", MOSTLY_1, "y ~ x * z", NULL},
    {"copies_of_a_level", "local_level", "y,w\n1,2\n3,1\n2,1\n5,1\n", "y | weights(w) ~ 1",
     "model: the 4 rows that count have weights whose sum is 5, and each has a level of its own"},
    {"a_line_is_a_random_walk_with_a_drift", "autoregressive", "y\n1\n2\n3\n4\n5\n", "y ~ 1",
     "autoregressive: 2 numbers give y exactly from its 1 lags"},
    {"a_parabola_has_two_lags", "autoregressive:order=2", "y\n1\n4\n9\n16\n25\n36\n49\n", "y ~ 1",
     "autoregressive: 3 numbers give y exactly from its 2 lags"},
    {"a_parabola_has_not_one", "autoregressive", "y\n1\n4\n9\n16\n25\n36\n49\n", "y ~ 1", NULL},
    {"lags_and_columns", "autoregressive", "y,x\n1,5\n4,2\n3,-1\n7,4\n8,1\n17,9\n16,-1\n", "y ~ x", NULL},
    {"as_many_rows_as_numbers", "autoregressive", "y\n1\n2\n4\n", "y ~ 1", NULL},
    {"a_forecast_of_an_exact_series", "autoregressive", "y\n1\n2\n4\n8\n16\n\"\"\n\"\"\n", "y ~ 1",
     "in rows whose weights have the sum 4"},
    {"a_first_outcome_that_is_missing", "autoregressive", "y\n\"\"\n2\n4\n8\n16\n32\n", "y ~ 1", NULL},
    {"a_gap_that_does_not_fit", "autoregressive", "y\n1\n2\n4\n\"\"\n17\n34\n68\n136\n", "y ~ 1", NULL},
    {"constant_returns", "garch", "y\n1\n1\n1\n1\n1\n1\n", "y ~ 1", "garch: the last 6 outcomes"},
    {"few_constant_returns", "garch", "y\n1\n1\n1\n1\n1\n", "y ~ 1", NULL},
    {"a_calm_day_before", "garch", "y\n5\n1\n4\n1\n1\n1\n1\n1\n1\n1\n", "y ~ 1", NULL},
    {"a_calm_day_that_is_missing", "garch", "y\n5\n\"\"\n4\n1\n1\n1\n1\n1\n1\n1\n", "y ~ 1",
     "garch: the last 7 outcomes"},
    {"calm_days_in_the_middle", "garch", "y\n5\n1\n1\n1\n1\n1\n1\n1\n1\n2\n", "y ~ 1", NULL},
    {"a_few_calm_days_and_a_forecast", "garch", "y\n5\n2\n1\n1\n1\n1\n1\n\"\"\n\"\"\n", "y ~ 1", NULL},
    {"calm_days_by_columns", "garch", "y,x\n5,1\n2,3\n3,3\n4,4\n2,2\n7,7\n1,1\n8,8\n9,9\n4,4\n", "y ~ x",
     "garch: the last 8 outcomes of y are given exactly by 2 numbers"},
};

TEST_EACH(what_has_no_posterior_is_rejected, rejections)
{
    const rejection *const r = row;
    gb_model model;
    gb_table *const d = gb_table_of_text(t, "d", r->text);
    assert_true(gb_model_parse(r->model, &model, NULL, 0));
    gb_analysis *const a = gb_analysis_new(t, model, .formula = r->formula, .table = d);
    if (r->words)
        assert_rejected(t, GB_EARGUMENT, r->words);
    else {
        assert_fine(t);
        assert_non_null(a);
    }
    gb_table_free(d);
}

/* Of forty outcomes more than 27 are equal: 2 · 28 − 40 is above 13 coefficients and 1. With so many columns
 * no drawing of rows would find it. */
TEST(equal_outcomes_are_found_among_many_columns)
{
    enum { FEW = 40, MANY = 12 };
    for (int equal = 27; equal <= 28; equal++) {
        gb_tape *const own = test_tape();
        gb_table *const d = gb_table_new(own, "d", FEW);
        double column[FEW];
        char name[8];
        for (int k = 0; k <= MANY; k++) {
            for (int i = 0; i < FEW; i++)
                column[i] = k == 0 && i < equal ? 2 : sin(1.7 * (i + 3) * (i + 5 * k));
            snprintf(name, sizeof name, k == 0 ? "y" : "x%d", k);
            gb_table_add(d, name, gb_numbers_of(GB_NUMBER_DOUBLE, column, FEW));
        }
        gb_analysis_new(own, gb_robust_model(), .formula = "y ~ .", .table = d);
        if (equal == 27)
            assert_fine(own);
        else
            assert_rejected(own, GB_EARGUMENT,
                            "without slopes give y exactly in rows whose weights have the");
        gb_table_free(d);
    }
}

/* Weights of 0 leave the prior: of nu − 1, gamma(2, 0.1). */
TEST(nu_is_above_1)
{
    const double z[] = {0.3, -0.4, 0.8}, sigma = exp(z[1]), more = exp(z[2]),
                 two_pi = 6.283185307179586476925;
    double log_p, nu;
    gb_table *const d = gb_table_of_text(t, "d", "y,w\n1,0\n3,0\n2,0\n7,0\n");
    gb_analysis *const a = gb_analysis_new(t, gb_robust_model(), .formula = "y | weights(w) ~ 1", .table = d);
    gb_density *const p = gb_density_new(gb_analysis_elbo(a), .data = gb_analysis_data(a));
    gb_program *const shown = gb_density_program(p, gb_roots(gb_analysis_node_named(a, "nu")));
    assert_fine(t);
    assert_int_equal(gb_density_evaluate(p, 1, z, &log_p, NULL, NULL), GB_OK);
    const double scales = -0.5 * (z[0] * z[0] + sigma * sigma) / 6.25 - 2 * log(2.5) - log(two_pi) + log(2);
    assert_near(log_p, scales + z[1] + 2 * log(0.1) + 2 * z[2] - 0.1 * more, 1e-12);
    assert_int_equal(gb_density_run(p, shown, 1, z), GB_OK);
    gb_read_root(shown, 0, &nu);
    assert_near(nu, 1 + more, 1e-14);
    gb_table_free(d);
}

/* ---- slopes with a flat prior ---- */

#define IS_A_SUM "is a sum of other columns, or constant, in rows that count, and its prior is flat"
#define SEPARATES "separates the outcomes"

static const rejection flat[] = {
    {"two_columns_that_are_one", "linear", "y,x,z\n1,1,2\n3,2,4\n2,4,8\n5,5,10\n", "y ~ x + z",
     "x " IS_A_SUM},
    {"two_columns", "linear", "y,x,z\n1,1,2\n3,2,4\n2,4,8\n5,5,10.1\n", "y ~ x + z", NULL},
    {"two_columns_that_are_one_in_rows_that_count", "linear",
     "y,x,z,w\n1,1,2,1\n3,2,4,1\n2,4,8,1\n5,5,1,0\n4,6,12,1\n", "y | weights(w) ~ x + z", IS_A_SUM},
    {"fewer_rows_than_columns", "linear", "y,x,z,v\n1,1,2,4\n3,2,1,7\n2,4,5,9\n", "y ~ x + z + v", IS_A_SUM},
    {"columns_whose_sum_is_1", "local_level", "y,x,z\n1,1,0\n3,0,1\n2,0,1\n5,1,0\n", "y ~ x + z", IS_A_SUM},
    {"a_column_of_the_given_outcome", "autoregressive", "y,x\n1,1\n3,0\n2,0\n5,0\n4,0\n", "y ~ x", NULL},
    {"a_column_of_it_as_it_is", "autoregressive:raw", "y,x\n1,1\n3,0\n2,0\n5,0\n4,0\n", "y ~ x",
     "x " IS_A_SUM},
    {"a_column_of_a_missing_outcome", "garch:raw", "y,x\n1,0\n\"\",1\n3,0\n2,0\n5,0\n4,0\n", "y ~ x",
     "x " IS_A_SUM},
    {"separated", "logistic", "y,x\n0,1\n0,2\n0,3\n1,10\n1,11\n1,12\n", "y ~ x", "x " SEPARATES},
    {"separated_but_at_the_mean", "logistic", "y,x\n0,1\n0,2\n1,3\n1,4\n1,5\n1,12\n", "y ~ x", NULL},
    {"separated_but_for_a_tie", "logistic", "y,x\n0,1\n0,2\n0,4\n1,4\n1,6\n1,7\n", "y ~ x", "x " SEPARATES},
    {"not_separated", "logistic", "y,x\n0,1\n0,2\n0,8\n1,4\n1,6\n1,7\n", "y ~ x", NULL},
    {"separated_by_two", "logistic", "y,x,z\n0,1,0\n0,2,2\n0,3,1\n1,0,4\n1,2,5\n1,1,6\n0,6,7\n1,-3,-1\n",
     "y ~ x + z", SEPARATES},
    {"not_separated_by_two", "logistic",
     "y,x,z\n0,1,0\n0,2,2\n0,3,1\n1,0,4\n1,2,5\n1,1,6\n0,6,7\n1,-3,-1\n0,1.5,5\n1,5,4\n", "y ~ x + z", NULL},
    {"separated_in_rows_that_count", "logistic",
     "y,x,w\n0,1,1\n0,2,1\n0,3,1\n1,10,1\n1,11,1\n1,12,1\n0,12,0\n", "y | weights(w) ~ x", SEPARATES},
    {"trials", "logistic", "y,n,x\n0,3,1\n1,3,2.5\n3,3,3\n", "y | trials(n) ~ x", NULL},
    {"trials_of_the_mean", "logistic", "y,n,x\n0,3,1\n1,3,2\n3,3,3\n4,4,2\n0,0,2\n", "y | trials(n) ~ x",
     "x " SEPARATES},
    {"no_trials", "logistic", "y,n,x\n0,0,1\n1,3,2\n0,0,3\n", "y | trials(n) ~ x", IS_A_SUM},
    {"counts_of_0_in_a_group", "poisson", "y,x\n0,1\n0,1\n3,0\n2,0\n", "y ~ x", NULL},
    {"counts_of_0_in_a_group_as_it_is", "poisson:raw", "y,x\n0,1\n0,1\n3,0\n2,0\n", "y ~ x", "x " SEPARATES},
    {"counts", "negative_binomial:raw", "y,x\n0,1\n1,1\n3,0\n2,0\n", "y ~ x", NULL},
    {"no_counts", "negative_binomial:raw", "y,x\n0,1\n0,1\n3,0\n2,0\n", "y ~ x", "x " SEPARATES},
    {"classes_in_order", "ordinal", "y,x\n0,1\n0,2\n1,2.9\n2,4\n2,5\n", "y ~ x", NULL},
    {"classes_without_the_middle", "ordinal", "y,x\n0,1\n0,2\n2,4\n2,5\n", "y ~ x", "x " SEPARATES},
    {"classes", "multinomial", "y,x\n0,1\n1,2\n2,3\n0,4\n1,1\n2,2\n0,2\n1,5\n2,5\n", "y ~ x", NULL},
    {"a_class_apart", "multinomial:raw", "y,x\n0,-1\n1,-2\n2,3\n0,-4\n1,-1\n2,2\n0,-2\n1,-5\n2,5\n", "y ~ x",
     "x " SEPARATES},
};

TEST_EACH(a_flat_prior_needs_data_that_hold_the_slopes, flat)
{
    const rejection *const r = row;
    char text[64];
    gb_model model;
    gb_table *const d = gb_table_of_text(t, "d", r->text);
    for (int is_flat = 0; is_flat < 2; is_flat++) {
        snprintf(text, sizeof text, "%s%s", r->model, is_flat ? ":prior=none" : "");
        assert_true(gb_model_parse(text, &model, NULL, 0));
        gb_analysis_new(t, model, .formula = r->formula, .table = d, .name = is_flat ? "flat" : "other");
        if (is_flat && r->words)
            assert_rejected(t, GB_EARGUMENT, r->words);
        else
            assert_fine(t);
    }
    gb_table_free(d);
}

/* In two dimensions a direction that keeps all rows turns until it is across one. */
static bool can_be_separated(int rows, const double *x, const double *y)
{
    for (int i = 0; i < 2 * rows; i++) {
        const double sign = i < rows ? 1 : -1, b[] = {-sign * x[i % rows * 2 + 1], sign * x[i % rows * 2]};
        int kept = 0;
        for (int k = 0; k < rows; k++)
            kept += (2 * y[k] - 1) * (x[2 * k] * b[0] + x[2 * k + 1] * b[1]) >= 0;
        if (kept == rows && (b[0] < 0 || b[0] > 0 || b[1] < 0 || b[1] > 0))
            return true;
    }
    return false;
}

TEST(bits_are_separated_where_a_search_of_all_directions_says_so)
{
    enum { CASES = 150, BITS = 7 };
    uint64_t state = 3;
    int separated = 0;
    for (int i = 0; i < CASES; i++) {
        double x[2 * BITS], y[BITS];
        for (int k = 0; k < 3 * BITS; k++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            if (k < 2 * BITS)
                x[k] = (double)(state >> 33) / 0x1p31 < 0.1 ? 0 : (double)(int64_t)(state >> 60) - 7.0;
            else
                y[k - 2 * BITS] = (double)(state >> 63);
        }
        x[0] = x[3] = 1; /* two columns, as they are: of rank 2 */
        x[1] = x[2] = 0;
        gb_tape *const own = test_tape();
        gb_analysis_new(own, gb_logistic_model(.prior = gb_no_shrinkage(), .raw = true), .columns = 2,
                        .rows = BITS, .x = gb_doubles(x), .y = gb_doubles(y));
        const bool is_rejected = gb_error(own) != GB_OK, should = can_be_separated(BITS, x, y);
        separated += should;
        if (is_rejected != should)
            fail_msg("case %d: %s", i, gb_error_text(own));
        if (is_rejected)
            assert_rejected(own, GB_EARGUMENT, SEPARATES);
    }
    assert_true(separated > CASES / 10 && separated < CASES - CASES / 10);
}

/* ---- the equations ---- */

TEST(rows_are_equations_of_columns_level_lags_and_groups)
{
    gb_table *const d = gb_table_of_text(t, "d", "y,x,g\n1,1,1\n3,2,2\n5,3,1\n8,4,1\n9,5,1\n9,6,2\n17,7,2\n");
    const gb_model_site *const s =
        gb_analysis_site(gb_analysis_new(t, gb_linear_model(), .formula = "y ~ x", .table = d, .group = "g"));
    gb_equations *const line = gb_equations_new(s, .no_groups = true), *const groups = gb_equations_new(s),
                        *const lags = gb_equations_new(s, .no_groups = true, .no_slopes = true, .lags = 1);
    assert_fine(t);
    assert_int_equal(gb_equations_look(line, 0), GB_EQUATION_INDEPENDENT);
    assert_int_equal(gb_equations_rank(line), 0);
    assert_int_equal(gb_equations_add(line, 0), GB_EQUATION_INDEPENDENT);
    assert_int_equal(gb_equations_add(line, 1), GB_EQUATION_INDEPENDENT);
    assert_int_equal(gb_equations_add(line, 2), GB_EQUATION_FULFILLED);
    assert_int_equal(gb_equations_add(line, 3), GB_EQUATION_VIOLATED);
    assert_int_equal(gb_equations_rank(line), 2);
    assert_near(gb_equations_value(line, 3), 7, 1e-12);
    assert_near(gb_equations_value(line, 6), 13, 1e-12);
    gb_equations_clear(line);
    assert_int_equal(gb_equations_rank(line), 0);
    assert_int_equal(gb_equations_look(line, 3), GB_EQUATION_INDEPENDENT);
    /* Rows 0, 2 and 4 of the first group lie on a line, rows 1, 6 … of the second are off it by their own. */
    static const gb_equation is[] = {
        GB_EQUATION_INDEPENDENT, GB_EQUATION_INDEPENDENT, GB_EQUATION_INDEPENDENT, GB_EQUATION_VIOLATED,
        GB_EQUATION_FULFILLED,   GB_EQUATION_VIOLATED,    GB_EQUATION_VIOLATED};
    for (int64_t i = 0; i < 7; i++)
        assert_int_equal(gb_equations_add(groups, i), is[i]);
    assert_int_equal(gb_equations_rank(groups), 3); /* a slope and two effects */
    /* 3 = a + b, 5 = a + 3 b: 2 and 1. */
    gb_equations_add(lags, 1);
    gb_equations_add(lags, 2);
    assert_int_equal(gb_equations_rank(lags), 2);
    assert_near(gb_equations_value(lags, 3), 7, 1e-12);
    gb_equations_free(line);
    gb_equations_free(groups);
    gb_equations_free(lags);
    gb_equations_free(NULL);
    gb_equations_clear(NULL);
    assert_int_equal(gb_equations_look(NULL, 0), GB_EQUATION_VIOLATED);
    assert_int_equal(gb_equations_rank(NULL), 0);
    assert_null(gb_equations_new(NULL));
    gb_table_free(d);
}

/* ---- without memory ---- */

static const char *const searches[] = {
    "linear:prior=ridge",     "robust",         "robust:prior=none", "logistic:prior=none",
    "multinomial:prior=none", "autoregressive", "local_level",       "garch"};

static gb_status search(gb_tape *t, const void *what)
{
    static const double y[] = {1, 0, 1, 1, 0, 1, 0, 1, 1, 0}, x[] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3};
    gb_model model;
    assert_true(gb_model_parse(what, &model, NULL, 0));
    gb_analysis_new(t, model, .x = gb_numbers_of(GB_NUMBER_DOUBLE, x, 10),
                    .y = gb_numbers_of(GB_NUMBER_DOUBLE, y, 10));
    return t ? gb_error(t) : GB_ENOMEM;
}

TEST(without_memory_a_search_fails_in_words)
{
    for (size_t i = 0; i < sizeof searches / sizeof *searches; i++)
        assert_outlives_lack_of_memory(search, searches[i], searches[i], 60, (gb_tape_options){0});
}
