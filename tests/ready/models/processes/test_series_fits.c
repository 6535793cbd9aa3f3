/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fits of simulated series find what they were made with, and a series without a model's structure has
 * none. */
#include "support/close.h"

#include <string.h>

#include "fitting/analysis.h"
#include "fitting/fit.h"
#include "ready/whole.h"
#include "support/files.h"
#include "support/json.h"

enum { MOST_ROWS = 500 };

static double gauss(int i, int stream)
{
    return sqrt(-2 * log(1 - any_number(i, 2 * stream + 10))) * cos(TWO_PI * any_number(i, 2 * stream + 11));
}

/* ---- made with ---- */

static void make_autoregressive(double *y, const double *x, int rows)
{
    y[0] = y[1] = 100;
    for (int i = 2; i < rows; i++)
        y[i] = 20 + 0.5 * x[i] + 1.1 * y[i - 1] - 0.3 * y[i - 2] + 3 * gauss(i, 1);
}

static void make_local_level(double *y, const double *x, int rows)
{
    double level = -7;
    for (int i = 0; i < rows; i++) {
        level += 0.3 * gauss(i, 2);
        y[i] = level + 2 * x[i] + 0.8 * gauss(i, 3);
    }
}

static void make_garch(double *y, const double *x, int rows)
{
    double h = 1, off = 0;
    (void)x;
    for (int i = 0; i < rows; i++) {
        h = 0.2 + 0.3 * off * off + 0.5 * h;
        off = sqrt(h) * gauss(i, 4);
        y[i] = 0.5 + off;
    }
}

static void make_hidden_markov(double *y, const double *x, int rows)
{
    (void)x;
    for (int i = 0, state = 0; i < rows; i++) {
        state ^= any_number(i, 3) < (state ? 0.1 : 0.2);
        y[i] = state ? 180 + 20 * gauss(i, 5) : 100 + 10 * gauss(i, 5);
    }
}

typedef struct truth {
    const char *name; /* of what is shown */
    double value;
    size_t element;
} truth;

typedef struct fit_case {
    const char *name; /* the model */
    int rows;
    bool has_x;
    void (*make)(double *y, const double *x, int rows);
    truth is[8];
} fit_case;

static const fit_case cases[] = {
    {"autoregressive:order=2",
     300,
     true,
     make_autoregressive,
     {{"intercept", 20, 0}, {"x[0]", 0.5, 0}, {"lag[1]", 1.1, 0}, {"lag[2]", -0.3, 0}, {"sigma", 3, 0}}},
    {"local_level",
     250,
     true,
     make_local_level,
     {{"x[0]", 2, 0}, {"sigma", 0.8, 0}, {"sigma.level", 0.3, 0}}},
    {"garch",
     500,
     false,
     make_garch,
     {{"intercept", 0.5, 0}, {"omega", 0.2, 0}, {"alpha", 0.3, 0}, {"beta", 0.5, 0}}},
    {"hidden_markov",
     250,
     false,
     make_hidden_markov,
     {{"mean", 100, 0},
      {"mean", 180, 1},
      {"sigma", 10, 0},
      {"sigma", 20, 1},
      {"transition", 0.2, 1},
      {"transition", 0.1, 2}}},
};

TEST_EACH(what_a_series_was_made_with_is_found, cases, .seed = 3)
{
    const fit_case *const c = row;
    static double y[MOST_ROWS], x[MOST_ROWS];
    for (int i = 0; i < c->rows; i++)
        x[i] = 10 * any_number(i, 2);
    c->make(y, x, c->rows);
    const arrays d = {.rows = c->rows, .columns = c->has_x, .x = c->has_x ? x : NULL, .y = y};
    gb_analysis *const a = analysis_of_arrays(t, c->name, &d);
    const gb_fit_result r = gb_fit(gb_analysis_elbo(a), .data = gb_analysis_data(a), .unjudged = true);
    assert_fine(t);
    assert_int_equal(r.end, GB_FIT_CONVERGED);
    gb_summary_table *const s = gb_analysis_summary(a, &r);
    assert_fine(t);
    for (const truth *is = c->is; is->name; is++) {
        const gb_summary_row *at = gb_summary_find(s, is->name);
        char name[64];
        if (!at) {
            snprintf(name, sizeof name, strcmp(is->name, "transition") ? "%s[%zu]" : "%s[%zu,%zu]", is->name,
                     strcmp(is->name, "transition") ? is->element : is->element / 2, is->element % 2);
            at = gb_summary_find(s, name);
        }
        assert_non_null(at);
        if (!(fabs(at->mean - is->value) < 3 * at->sd))
            fail_msg("%s is %g ± %g, not %g", at->name, at->mean, at->sd, is->value);
        /* The sd is one of much data: the test could not fail else. */
        assert_true(at->sd < 0.5 * fabs(is->value));
    }
    gb_summary_free(s);
}

/* ---- a posterior that others have drawn from ---- */

#define ARK GB_TESTS "/../../shared/data/posteriors/arK-arK/"

/* Its priors: N(0, 10) of the intercept and of each lag; that of sigma is half-Cauchy(2.5), and sigma is
 * 0.15. */
TEST(an_autoregression_has_the_posterior_of_its_reference)
{
    static const char *const shown[] = {"intercept", "lag[1]", "lag[2]", "lag[3]",
                                        "lag[4]",    "lag[5]", "sigma"};
    size_t length;
    double y[200], mean, sd;
    FILE *const there = fopen(ARK "reference.csv", "r");
    if (!there)
        skip();
    fclose(there);
    char *const data = (char *)file_get(ARK "data.json", &length), *const reference = (char *)file_get(
                                                                       ARK "reference.csv", &length);
    for (int i = 0; i < 200; i++) {
        char path[16];
        snprintf(path, sizeof path, "y.%d", i);
        y[i] = json_number(data, path);
    }
    const arrays d = {.rows = 200, .y = y};
    gb_analysis *const a = analysis_of_arrays(
        t, "autoregressive:order=5:raw:intercept_scale=10:lag_scale=10:sigma_scale=2.5", &d);
    const gb_fit_result r = gb_fit(gb_analysis_elbo(a));
    gb_summary_table *const s = gb_analysis_summary(a, &r);
    assert_fine(t);
    assert_int_equal(r.verdict, GB_VERDICT_GOOD);
    const char *line = reference;
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        line = strchr(line, '\n') + 1;
        assert_int_equal(sscanf(strchr(line, ',') + 1, "%lf,%lf", &mean, &sd), 2);
        const gb_summary_row *const is = gb_summary_find(s, shown[i]);
        assert_near(is->mean, mean, 0.07 * sd);
        assert_near(is->sd, sd, 0.05 * sd);
    }
    gb_summary_free(s);
    free(data);
    free(reference);
}
