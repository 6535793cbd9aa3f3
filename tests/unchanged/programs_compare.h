/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparisons of estimators on the built-in problems: all numbers but times. */
#ifndef GREBE_TESTS_PROGRAMS_COMPARE_H
#define GREBE_TESTS_PROGRAMS_COMPARE_H

#include "probe.h"

static void hash_measured(probe *p, const gb_measured *m)
{
    double number[] = {m->mean,  m->stderr_, m->variance, m->variance_stderr, m->kurtosis,
                       m->exact, m->z,       m->snr,      (double)m->unseen};
    hash_numbers(p, "measured", number, sizeof number / sizeof *number);
}

static void hash_comparison(probe *p, const gb_comparison *c)
{
    assert_non_null(c);
    if (c->status != GB_OK)
        fail_msg("%s: %s", p->program, c->error);
    for (size_t i = 0; i < c->estimators; i++) {
        const gb_compared *const e = &c->estimator[i];
        double number[] = {e->evaluations,
                           (double)e->samples,
                           (double)e->least,
                           e->total_variance,
                           e->total_variance_stderr,
                           e->variance_times_cost,
                           e->ratio,
                           e->ratio_low,
                           e->ratio_high};
        hash_numbers(p, e->name, number, sizeof number / sizeof *number);
        for (size_t k = 0; k < c->parameters; k++)
            hash_measured(p, &e->parameter[k]);
    }
}

static void compare(probe *p, const char *problem, size_t count, const gb_estimator *estimator,
                    gb_compare_options options)
{
    options.size = sizeof options;
    options.problem = gb_problem_find(problem);
    options.estimators = count;
    options.estimator = estimator;
    options.real = p->real;
    options.threads = p->threads;
    options.seed = 3;
    gb_comparison *const c = gb_compare_with(&options);
    hash_comparison(p, c);
    gb_comparison_free(c);
}
#define COMPARE(p, problem, draws, ...)                                                                      \
    compare((p), (problem), sizeof((gb_estimator[]){__VA_ARGS__}) / sizeof(gb_estimator),                    \
            (gb_estimator[]){__VA_ARGS__}, (gb_compare_options)draws)
#define OPTIONS(...)                                                                                         \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }

static void compare_gauss_square(probe *p)
{
    COMPARE(p, "gauss-square", OPTIONS(.draws = 400), gb_pathwise(), gb_score(), gb_measure_valued(),
            gb_quadrature(), gb_score(.baseline = gb_moving_average()));
}
static void compare_gauss_exp_fitted(probe *p)
{
    COMPARE(p, "gauss-exp", OPTIONS(.draws = 200, .at = GB_AT_FITTED, .steps = 50, .samples = 2),
            gb_pathwise(), gb_score(.baseline = gb_leave_one_out()), gb_vargrad());
}
static void compare_gauss_cos_along_a_path(probe *p)
{
    const gb_estimator three[] = {gb_measure_valued(), gb_pathwise(.draws = GB_ANTITHETIC), gb_score()};
    gb_sweep *const s = gb_compare_path(.problem = gb_problem_find("gauss-cos"), .estimators = 3,
                                        .estimator = three, .draws = 20, .steps = 40, .equal_cost = true,
                                        .real = p->real, .threads = p->threads, .seed = 3);
    assert_int_equal(s->status, GB_OK);
    for (size_t i = 0; i < s->points; i++)
        hash_comparison(p, s->point[i]);
    gb_sweep_free(s);
}
static void compare_bernoulli(probe *p)
{
    COMPARE(p, "bernoulli-3", OPTIONS(.draws = 200), gb_disarm(), gb_arm(), gb_rebar(), gb_relax(),
            gb_enumerated(), gb_relaxed_draws(), gb_straight_through(), gb_measure_valued());
}
static void compare_categorical(probe *p)
{
    COMPARE(p, "categorical", OPTIONS(.draws = 200), gb_score(), gb_enumerated(), gb_measure_valued());
}
static void compare_toy(probe *p)
{
    COMPARE(p, "bernoulli-toy", OPTIONS(.draws = 200), gb_disarm(), gb_score(), gb_enumerated());
}

/* Every single estimate, as it is written. */
static void compare_raw(probe *p)
{
    char *text = NULL;
    size_t length = 0;
    FILE *const file = open_memstream(&text, &length);
    COMPARE(p, "gauss-square", OPTIONS(.draws = 50, .raw = file), gb_pathwise(), gb_vargrad());
    fclose(file);
    hash_numbers_in(p, "estimates", text);
    free(text);
}
static void compare_poisson(probe *p)
{
    COMPARE(p, "poisson-square", OPTIONS(.draws = 200), gb_score(), gb_measure_valued());
}
static void compare_gamma(probe *p)
{
    COMPARE(p, "gamma-log", OPTIONS(.draws = 200), gb_pathwise(), gb_score());
}
static void compare_sites(probe *p)
{
    COMPARE(p, "two-sites", OPTIONS(.draws = 200), gb_score(), gb_measure_valued(), gb_enumerated(),
            gb_quadrature(), gb_pathwise(), gb_arm());
}
static void compare_rows(probe *p)
{
    COMPARE(p, "rows", OPTIONS(.draws = 200), gb_pathwise(), gb_score(.baseline = gb_leave_one_row_out()));
}
static void compare_dropout(probe *p)
{
    COMPARE(p, "dropout-layer", OPTIONS(.draws = 200), gb_arm(), gb_score());
    COMPARE(p, "dropout-weights", OPTIONS(.draws = 200), gb_dropout_draws(.mask = gb_disarm()));
}

static void compare_logistic(probe *p)
{
    enum { DATA = 8, WIDE = 2 };
    double x[DATA * WIDE], y[DATA];
    fill("x", -1, 1, DATA * WIDE, x);
    for (int i = 0; i < DATA; i++)
        y[i] = x[WIDE * i] > 0.5 * x[WIDE * i + 1];
    const gb_problem_data data = {.rows = DATA, .columns = WIDE, .x = x, .y = y};
    const gb_compare_setting sampled = {"analytic", 0};
    COMPARE(p, "logistic", OPTIONS(.draws = 200, .data = &data), gb_pathwise(), gb_score(),
            gb_measure_valued());
    COMPARE(p, "logistic", OPTIONS(.draws = 200, .data = &data, .settings = 1, .setting = &sampled),
            gb_pathwise(), gb_sticking_the_landing());
}

/* The numbers that gb_trace_estimate prints; its tapes are always of doubles. */
static void compare_traces(probe *p)
{
    char *text = NULL;
    size_t length = 0;
    FILE *const file = open_memstream(&text, &length);
    gb_trace_estimate(gb_problem_find("gauss-square"), 0, NULL, gb_score(), 4, 5, file);
    gb_trace_estimate(gb_problem_find("bernoulli-3"), 0, NULL, gb_disarm(), 4, 5, file);
    fclose(file);
    hash_numbers_in(p, "traces", text);
    free(text);
}

/* clang-format off */
#define COMPARE_PROGRAMS                                                                                     \
    PROGRAM("compare/gauss-square", compare_gauss_square),                                                   \
    PROGRAM("compare/gauss-exp-fitted", compare_gauss_exp_fitted),                                           \
    PROGRAM("compare/gauss-cos-along-a-path", compare_gauss_cos_along_a_path),                               \
    PROGRAM("compare/bernoulli", compare_bernoulli),                                                         \
    PROGRAM("compare/toy", compare_toy),                                                                     \
    PROGRAM("compare/raw", compare_raw),                                                                     \
    PROGRAM("compare/categorical", compare_categorical),                                                     \
    PROGRAM("compare/poisson", compare_poisson),                                                             \
    PROGRAM("compare/gamma", compare_gamma),                                                                 \
    PROGRAM("compare/sites", compare_sites),                                                                 \
    PROGRAM("compare/rows", compare_rows),                                                                   \
    PROGRAM("compare/dropout", compare_dropout),                                                             \
    MULTIPLIED("compare/logistic", compare_logistic),                                                        \
    PROGRAM("compare/traces", compare_traces)
/* clang-format on */

#endif
