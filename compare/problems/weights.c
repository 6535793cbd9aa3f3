/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dropout of the weights of a line, ω = b ⊙ w / p: the squared error at one point. The parameters are the
 * weights. Dropout adds a penalty Σ w² x² (1 − p) / p to the error. */
#include "compare/problems/list_impl.h"
#include "core/op.h"
#include "distributions/list.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

enum { KEEP, TARGET, WEIGHTS = 3 };

static const double WEIGHT[WEIGHTS] = {0.8, -0.5, 0.3}, X[WEIGHTS] = {1, 0.5, -2};

static gb_node weights(gb_trial *trial)
{
    return gb_trial_parameter(trial, "w", gb_shape(WEIGHTS), gb_values_of(WEIGHT, WEIGHTS));
}

static gb_node inputs(gb_trial *trial)
{
    return gb_constant(trial->tape, gb_shape(WEIGHTS), gb_values_of(X, WEIGHTS));
}

static gb_node cost(gb_trial *trial)
{
    const double keep = trial->setting[KEEP];
    const gb_dist q = gb_bernoulli_dropout(gb_scale(weights(trial), 1 / keep), gb_num(trial->tape, keep));
    const gb_node output = gb_sum(gb_mul(inputs(trial), gb_trial_draw(trial, "weights", q)));
    return gb_square(gb_shift(output, -trial->setting[TARGET]));
}

static gb_node expected(gb_trial *trial)
{
    const double keep = trial->setting[KEEP];
    const gb_node terms = gb_mul(inputs(trial), weights(trial));
    const gb_node bias = gb_square(gb_shift(gb_sum(terms), -trial->setting[TARGET]));
    return gb_add(bias, gb_scale(gb_sum(gb_square(terms)), (1 - keep) / keep));
}

const gb_problem gb_dropout_weights_problem = {
    .size = sizeof(gb_problem),
    .name = "dropout-weights",
    .formula = "E (sum_j x_j b_j w_j / p - t)^2, b_j ~ Bernoulli(p), in w",
    .settings = {{"keep", 0.8, 0.001, 1, "the probability to keep a weight"},
                 {"t", 0.4, -1e6, 1e6, "the target"}},
    .cost = cost,
    .expected = expected,
};
