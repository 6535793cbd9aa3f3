/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Costs of discrete draws. */
#include <math.h>

#include "compare/problems/list_impl.h"
#include "compare/problems/problem_impl.h"
#include "core/op.h"
#include "distributions/list.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

/* ---- one Bernoulli (Tucker et al. 2017) ---- */

static gb_node toy_cost(gb_trial *trial)
{
    const gb_node phi = gb_trial_number(trial, "phi", trial->setting[0]);
    return gb_square(gb_shift(gb_trial_draw(trial, "b", gb_bernoulli_logits(phi)), -trial->setting[1]));
}

static gb_node expected_toy(gb_trial *trial)
{
    const gb_node theta = gb_sigmoid(gb_trial_number(trial, "phi", trial->setting[0]));
    const double t = trial->setting[1];
    return gb_shift(gb_scale(theta, (1 - t) * (1 - t) - t * t), t * t);
}

static const double TOY_CHECK_SETTINGS[] = {0, 0.2};

const gb_problem gb_bernoulli_toy_problem = {
    .size = sizeof(gb_problem),
    .name = "bernoulli-toy",
    .formula = "E (b - t)^2, b ~ Bernoulli(sigmoid phi)",
    .settings = {{"phi", 0, -30, 30, "the logit"}, {"t", 0.45, -100, 100, "where the cost is 0"}},
    .cost = toy_cost,
    .expected = expected_toy,
    .exact = "enumerate",
    .check_settings = TOY_CHECK_SETTINGS,
};

/* ---- three Bernoullis with an interaction ---- */

static const double TARGET = 0.45;

static void three(gb_trial *trial, gb_node p[3])
{
    static const char *const names[] = {"p1", "p2", "p3"};
    for (size_t i = 0; i < 3; i++)
        p[i] = gb_trial_number(trial, names[i], trial->setting[i]);
}

static gb_node three_cost(gb_trial *trial)
{
    gb_node p[3];
    three(trial, p);
    const gb_node b = gb_trial_draw(trial, "b", gb_bernoulli(gb_stack(3, p, 0)));
    const gb_node all = gb_mul(gb_mul(gb_at(b, 0), gb_at(b, 1)), gb_at(b, 2));
    return gb_add(gb_sum(gb_square(gb_shift(b, -TARGET))), gb_scale(all, trial->setting[3]));
}

static gb_node expected_three(gb_trial *trial)
{
    gb_node p[3];
    three(trial, p);
    const double slope = (1 - TARGET) * (1 - TARGET) - TARGET * TARGET;
    const gb_node squares = gb_shift(gb_scale(gb_add(gb_add(p[0], p[1]), p[2]), slope), 3 * TARGET * TARGET);
    return gb_add(squares, gb_scale(gb_mul(gb_mul(p[0], p[1]), p[2]), trial->setting[3]));
}

const gb_problem gb_bernoulli_3_problem = {
    .size = sizeof(gb_problem),
    .name = "bernoulli-3",
    .formula = "E [sum (b_i - 0.45)^2 + eta b_1 b_2 b_3], b_i ~ Bernoulli(p_i)",
    .settings = {{"p1", 0.3, 1e-6, 1 - 1e-6, "a probability"},
                 {"p2", 0.5, 1e-6, 1 - 1e-6, "a probability"},
                 {"p3", 0.7, 1e-6, 1 - 1e-6, "a probability"},
                 {"eta", 1, -1000, 1000, "the interaction"}},
    .cost = three_cost,
    .expected = expected_three,
    .exact = "enumerate",
};

/* ---- a choice of three ---- */

enum { T, ONE_HOT };
static const double LOGITS[] = {0.5, -0.3, 0.1};

/* The cost is (z - t)^2 of the number drawn. */
static gb_node categorical_cost(gb_trial *trial)
{
    const gb_node logits = gb_trial_parameter(trial, "logits", gb_shape(3), gb_values_of(LOGITS, 3));
    gb_node z;
    if (trial->setting[ONE_HOT] != 0)
        z = gb_sum(gb_mul(gb_trial_draw(trial, "z", gb_one_hot_categorical_logits(logits)),
                          gb_arange(trial->tape, 3)));
    else
        z = gb_trial_draw(trial, "z", gb_categorical_logits(logits));
    return gb_square(gb_shift(z, -trial->setting[T]));
}

static gb_node expected_categorical(gb_trial *trial)
{
    const gb_node logits = gb_trial_parameter(trial, "logits", gb_shape(3), gb_values_of(LOGITS, 3));
    const gb_node costs = gb_square(gb_shift(gb_arange(trial->tape, 3), -trial->setting[T]));
    return gb_sum(gb_mul(gb_softmax(logits, 0), costs));
}

static const double CATEGORICAL_CHECK_SETTINGS[] = {[T] = 0.2, [ONE_HOT] = 0};

const gb_problem gb_categorical_problem = {
    .size = sizeof(gb_problem),
    .name = "categorical",
    .formula = "E (z - t)^2, z ~ Categorical(softmax logits) of 0, 1, 2",
    .settings = {{"t", 0.4, -100, 100, "where the cost is 0"},
                 {"onehot", 0, 0, 1, "1: drawn as a vector with a 1 among zeros"}},
    .cost = categorical_cost,
    .expected = expected_categorical,
    .exact = "enumerate",
    .check_settings = CATEGORICAL_CHECK_SETTINGS,
};

/* ---- several choices of K ---- */

enum { CATEGORIES, CHOICES, SPREAD, LEVEL, MOST_CATEGORIES = 16, MOST_CHOICES = 4 };

/* Numbers from −1 to 1 without a pattern that matters. */
static gb_node mixed(gb_tape *tape, int64_t choices, int64_t categories, double from, double size)
{
    double all[MOST_CHOICES * MOST_CATEGORIES];
    const size_t count = (size_t)(choices * categories);
    for (size_t i = 0; i < count; i++)
        all[i] = size * sin(from + 2.4 * (double)i);
    return gb_constant(tape, gb_shape(choices, categories), gb_values_of(all, count));
}

static bool are_whole(const gb_trial *trial)
{
    const double k = trial->setting[CATEGORIES], n = trial->setting[CHOICES];
    if (k != floor(k) || n != floor(n))
        gb_fail(trial->tape, GB_EARGUMENT, "choices: categories (%g) and choices (%g) must be whole numbers",
                k, n);
    return k == floor(k) && n == floor(n);
}

/* The elements of z sum to the number of choices: the level is a constant that draws reach. */
static gb_node choices_cost(gb_trial *trial)
{
    gb_tape *const tape = trial->tape;
    const int64_t categories = (int64_t)trial->setting[CATEGORIES],
                  choices = (int64_t)trial->setting[CHOICES];
    if (!are_whole(trial))
        return (gb_node){0};
    const gb_node by = gb_trial_parameter(trial, "by", gb_shape(choices, categories), gb_fill(0));
    const gb_node logits = gb_add(mixed(tape, choices, categories, 0.3, trial->setting[SPREAD]), by);
    const gb_node z = gb_trial_draw(trial, "z", gb_one_hot_categorical_logits(logits));
    const gb_node s = gb_sum(gb_mul(z, mixed(tape, choices, categories, 1, 1)));
    const gb_node f = gb_add(gb_square(gb_shift(s, -0.7)), gb_scale(gb_mul(s, gb_square(s)), 0.3));
    return gb_add(f, gb_scale(gb_sum(z), trial->setting[LEVEL] / (double)choices));
}

static const double CHOICES_CHECK_SETTINGS[] = {[CATEGORIES] = 2, [CHOICES] = 1, [SPREAD] = 0.5, [LEVEL] = 0};

const gb_problem gb_choices_problem = {
    .size = sizeof(gb_problem),
    .name = "choices",
    .formula = "E [(s - 0.7)^2 + 0.3 s^3 + level], s = sum of x_iz, z_i one of K by logits",
    .settings = {{"categories", 8, 2, MOST_CATEGORIES, "K, a whole number"},
                 {"choices", 1, 1, MOST_CHOICES, "how many, a whole number"},
                 {"spread", 1, 0, 20, "of the logits"},
                 {"level", 0, -1e6, 1e6, "a constant in the cost, for every draw"}},
    .cost = choices_cost,
    .exact = "enumerate",
    .check_settings = CHOICES_CHECK_SETTINGS,
};

/* ---- counts ---- */

static gb_node poisson_cost(gb_trial *trial)
{
    const gb_node rate = gb_trial_number(trial, "rate", trial->setting[0]);
    return gb_square(gb_trial_draw(trial, "x", gb_poisson(rate)));
}

static gb_node expected_poisson(gb_trial *trial)
{
    const gb_node rate = gb_trial_number(trial, "rate", trial->setting[0]);
    return gb_add(rate, gb_square(rate));
}

const gb_problem gb_poisson_square_problem = {
    .size = sizeof(gb_problem),
    .name = "poisson-square",
    .formula = "E x^2, x ~ Poisson(rate)",
    .settings = {{"rate", 3, 1e-6, 1e6, "the mean"}},
    .cost = poisson_cost,
    .expected = expected_poisson,
};
