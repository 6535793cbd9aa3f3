/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Problems with one slot spoilt. */
#include <string.h>

#include "distributions/list.h"
#include "kit/check_problem.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "tests/faults/kits/kits_impl.h"

static const gb_problem *good;
static gb_problem bad;

static bool judge(const kit_fault *fault, gb_report *report)
{
    good = fault->good;
    bad = *good;
    fault->spoil(&bad);
    return gb_check_problem(&bad, .report = report);
}

/* ---- a problem with rows ---- */

enum { ROWS = 6 };
static const double X[ROWS] = {0.5, 1.2, -0.7, 0.9, -1.4, 0.3};

static gb_node squares(gb_trial *trial)
{
    const gb_node mu = gb_trial_parameter(trial, "mu", gb_shape(2), GB_VALUES(0.4, -0.8)),
                  x = gb_trial_rows(trial, "x", gb_shape(), ROWS, X);
    const gb_node z = gb_trial_draw(trial, "z", gb_normal(mu, gb_num(trial->tape, 1)));
    return gb_square(gb_sub(gb_sum(z), x));
}

static gb_node line_cost(gb_trial *trial)
{
    return gb_trial_row_sum(trial, squares(trial));
}

static gb_node line_expected(gb_trial *trial)
{
    const gb_node mu = gb_trial_parameter(trial, "mu", gb_shape(2), GB_VALUES(0.4, -0.8)),
                  x = gb_trial_rows(trial, "x", gb_shape(), ROWS, X);
    return gb_trial_row_sum(trial, gb_shift(gb_square(gb_sub(gb_sum(mu), x)), 2));
}

static const gb_problem line = {.size = sizeof(gb_problem),
                                .name = "line",
                                .formula = "E sum_n (z_1 + z_2 - x_n)^2, z ~ N(mu, 1)",
                                .settings = {{"unused", 1, 0, 2, "a number"}, {"other", 1, 0, 2, "another"}},
                                .cost = line_cost,
                                .expected = line_expected};

#define COST(name, ...)                                                                                      \
    static gb_node name##_cost(gb_trial *trial)                                                              \
    {                                                                                                        \
        return __VA_ARGS__;                                                                                  \
    }                                                                                                        \
    SPOIL(name, gb_problem, it->cost = name##_cost)
#define EXPECTED(name, ...)                                                                                  \
    static gb_node name##_expected(gb_trial *trial)                                                          \
    {                                                                                                        \
        return __VA_ARGS__;                                                                                  \
    }                                                                                                        \
    SPOIL(name, gb_problem, it->expected = name##_expected)

COST(rows_not_scaled, gb_sum_over(squares(trial), GB_ROWS))
COST(rows_scaled_twice, gb_scale(line_cost(trial), trial->batch > 0 ? 2 : 1))
COST(not_finite, gb_log(gb_neg(gb_square(line_cost(trial)))))
COST(nothing_recorded, gb_squeeze(line_cost(trial), 5))
EXPECTED(slope_off, gb_scale(good->expected(trial), 1.1))
EXPECTED(value_off, gb_shift(good->expected(trial), 1))
EXPECTED(without_the_variance, gb_shift(line_expected(trial), -2 * ROWS))
EXPECTED(right_by_default, gb_scale(good->expected(trial), trial->setting[0]))
EXPECTED(wrong_shape, gb_mul(good->expected(trial), gb_ones(trial->tape, gb_shape(2))))

/* Noise of its own has the axis of the samples, and is the same in all replicates. */
static gb_node shared_noise(gb_trial *trial)
{
    const gb_noise own = gb_stream(trial->tape, "own");
    const gb_node e = gb_normal_noise(own, gb_shape(), GB_SAMPLES);
    return gb_mul(line_cost(trial), gb_shift(e, 1));
}
COST(draws_shared, shared_noise(trial))

static gb_node refused(gb_trial *trial)
{
    const gb_node cost = line_cost(trial);
    if (trial->estimator.type)
        gb_fail(trial->tape, GB_EARGUMENT, "not by this one");
    return cost;
}
COST(none_fits, refused(trial))

SPOIL(no_log_weight, gb_problem, it->is_log_weight = true)

/* ---- a log weight ---- */

static gb_node evidence(gb_trial *trial, double weight)
{
    gb_tape *const t = trial->tape;
    const gb_node mu = gb_trial_parameter(trial, "mu", gb_shape(), GB_VALUES(0.4)), one = gb_num(t, 1);
    const gb_node z = gb_trial_draw(trial, "z", gb_normal(mu, one));
    const gb_node log_p =
        gb_add(gb_log_prob(gb_normal(gb_num(t, 0), one), z), gb_log_prob(gb_normal(z, one), gb_num(t, 1.5)));
    return weight == 0 ? log_p : gb_add(log_p, gb_draw_log_prob(trial->expect, z, gb_num(t, weight)));
}

static gb_node evidence_cost(gb_trial *trial)
{
    return evidence(trial, -1);
}

static const gb_problem weight = {.size = sizeof(gb_problem),
                                  .name = "weight",
                                  .formula = "log N(z; 0, 1) N(1.5; z, 1) / q(z), z ~ q = N(mu, 1)",
                                  .cost = evidence_cost,
                                  .exact = "quadrature",
                                  .is_log_weight = true};
COST(log_q_is_forgotten, evidence(trial, 0))
COST(log_q_is_added, evidence(trial, 1))
COST(log_q_is_taken_off_twice, evidence(trial, -2))

SPOIL(no_cost, gb_problem, it->cost = NULL)
SPOIL(no_formula, gb_problem, it->formula = "")
SPOIL(exact_by_none, gb_problem, it->exact = "enumerates")
SPOIL(default_outside, gb_problem, it->settings[0].value = 3)
SPOIL(no_words, gb_problem, it->settings[1].words = "")
SPOIL(name_twice, gb_problem, it->settings[1].name = "unused")
static const double outside[] = {1, 9};
SPOIL(checked_outside, gb_problem, it->check_settings = outside)

#define LOG_Q "log q of each draw is taken off, once"

static const kit_fault faults[] = {
    {"line: good", NULL, &line, nothing},
    {"a batch is not scaled to all rows", "batches of its rows", &line, rows_not_scaled},
    {"a batch is scaled twice", "batches of its rows", &line, rows_scaled_twice},
    {"its cost is not finite", LATER "recorded and run", &line, not_finite},
    {"its cost is nothing", LATER "recorded and run", &line, nothing_recorded},
    {"its closed form is 1.1 times as large", LATER "is the mean of estimates", &line, slope_off},
    {"its closed form has another value", LATER "is the mean of estimates", &line, value_off},
    {"its closed form forgets the variance", LATER "is the mean of estimates", &line, without_the_variance},
    {"its closed form is right by default alone", LATER "is right at other settings", &line,
     right_by_default},
    {"its noise is shared by replicates", LATER "distributed as those one by one", &line, draws_shared},
    {"no estimator fits", "an estimator fits", &line, none_fits},
    {"it has no cost", "its struct is complete", &line, no_cost},
    {"it has no formula", "its struct is complete", &line, no_formula},
    {"its exact estimator is none", "its struct is complete", &line, exact_by_none},
    {"a default is out of range", "its settings have names", &line, default_outside},
    {"a setting has no words", "its settings have names", &line, no_words},
    {"two settings have one name", "its settings have names", &line, name_twice},
    {"a setting is checked out of range", "its settings have names", &line, checked_outside},
    {"a log weight lacks log q", LOG_Q, &weight, log_q_is_forgotten},
    {"to a log weight log q is added", LOG_Q, &weight, log_q_is_added},
    {"of a log weight log q is taken off twice", LOG_Q, &weight, log_q_is_taken_off_twice},
    {"a cost is declared a log weight", LOG_Q, &line, no_log_weight},
    {"its closed form is a vector", "recorded and run", &line, wrong_shape},
};
KIT_FAULTS(problems, faults);
