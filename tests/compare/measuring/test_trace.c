/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A trace has each sample's draws, costs, weights and gradients, or says why there is none. */
#include "support/close.h"

#include "compare/compare.h"
#include "estimators/list.h"

enum { TEXT = 1 << 15 };

TEST(a_trace_shows_each_sample)
{
    static char text[TEXT];
    FILE *file = fmemopen(text, sizeof text - 1, "w");
    assert_int_equal(gb_trace_estimate(gb_problem_find("gauss-square"), 1, (gb_compare_setting[]){{"k", 3}},
                                       gb_score(), 4, 1, file),
                     GB_OK);
    fclose(file);
    assert_non_null(strstr(text, "gauss-square by score: (f - b) d log q(z)"));
    assert_non_null(strstr(text, "weight"));
    assert_non_null(strstr(text, "\n     4 "));
    const char *const first = strstr(text, "\n     1 ");
    double x, cost, log_q, weight, of_mu, of_sigma;
    assert_int_equal(
        sscanf(first, "%*d %lf %lf %lf %lf %lf %lf", &x, &cost, &log_q, &weight, &of_mu, &of_sigma), 6);
    assert_true(fabs(cost - (x - 3) * (x - 3)) < 1e-4 * cost);
    assert_true(fabs(weight - cost) < 1e-4 * cost);
    assert_true(fabs(of_mu - cost * (x - 1)) < 1e-3 * cost);
    assert_true(fabs(of_sigma - cost * ((x - 1) * (x - 1) - 1)) < 1e-3 * cost);
    assert_int_equal(gb_trace_estimate(NULL, 0, NULL, gb_score(), 4, 1, stdout), GB_EARGUMENT);
}

static const char *traced(const char *problem, size_t settings, const gb_compare_setting *setting,
                          gb_estimator estimator, gb_status should)
{
    static char text[TEXT];
    memset(text, 0, sizeof text);
    FILE *const file = fmemopen(text, sizeof text - 1, "w");
    assert_int_equal(gb_trace_estimate(gb_problem_find(problem), settings, setting, estimator, 3, 1, file),
                     should);
    fclose(file);
    return text;
}

static void has(const char *text, const char *words)
{
    if (!strstr(text, words))
        fail_msg("there is no \"%s\" in\n%s", words, text);
}

/* Values along other axes stand in brackets. All lines have the same length. */
TEST(a_trace_shows_draws_and_weights_of_all_kinds)
{
    has(traced("rows", 0, NULL, gb_score(), GB_OK), " z ");
    has(traced("rows", 0, NULL, gb_score(), GB_OK), " weight ");
    has(traced("two-sites", 0, NULL, gb_measure_valued(), GB_OK), "weight 2");
    has(traced("bernoulli-3", 0, NULL, gb_rebar(), GB_OK), "weight of s(z')");
    has(traced("bernoulli-3", 0, NULL, gb_rebar(), GB_OK), "f(s(z))");
    has(traced("gauss-square", 0, NULL, gb_quadrature(), GB_OK), "56 more columns are left out");
    const char *line = strchr(traced("bernoulli-3", 0, NULL, gb_rebar(), GB_OK), '\n') + 1;
    const size_t length = strcspn(line, "\n");
    for (int i = 0; i < 5; i++, line += length + 1)
        assert_int_equal(strcspn(line, "\n"), length);
    assert_int_equal(*line, '\0');
}

TEST(a_trace_that_cannot_be_made_says_why_and_nothing_else)
{
    has(traced("logistic", 0, NULL, gb_pathwise(), GB_EARGUMENT), "it needs data");
    has(traced("gauss-square", 1, (gb_compare_setting[]){{"tau", 1}}, gb_pathwise(), GB_EARGUMENT),
        "no setting tau");
    has(traced("gauss-square", 1, NULL, gb_pathwise(), GB_EARGUMENT), "no list");
    has(traced("none", 0, NULL, gb_pathwise(), GB_EARGUMENT), "a problem");
    const char *const text = traced("poisson-square", 0, NULL, gb_pathwise(), GB_EARGUMENT);
    has(text, "reparameterised");
    assert_ptr_equal(strchr(text, '\n'), strrchr(text, '\n'));
    assert_int_equal(gb_trace_estimate(gb_problem_find("rows"), 0, NULL, gb_score(), 3, 1, NULL),
                     GB_EARGUMENT);
}
