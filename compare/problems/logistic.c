/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bayesian logistic regression under a mean-field normal: the negative evidence lower bound. */
#include <string.h>

#include "compare/problems/list_impl.h"
#include "distributions/kl.h"
#include "distributions/list.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/reduce.h"

enum { ANALYTIC, BIAS };

/* The data, preceded by a column of ones if there is a bias. */
static gb_node inputs(gb_trial *trial)
{
    const gb_problem_data *const data = trial->data;
    const size_t bias = trial->setting[BIAS] != 0, wide = data->columns + bias;
    double *const values = gb_tape_keep(trial->tape, data->rows * wide * sizeof *values);
    if (!values)
        return (gb_node){0};
    for (size_t r = 0; r < data->rows; r++) {
        values[r * wide] = 1;
        memcpy(values + r * wide + bias, data->x + r * data->columns, data->columns * sizeof *values);
    }
    return gb_trial_rows(trial, "x", gb_shape((int64_t)wide), data->rows, values);
}

/* Without this check, a target that is not 0 or 1 would appear much later, as a value that is not finite. */
static bool targets_fit(gb_trial *trial)
{
    const double *const y = trial->data->y;
    for (size_t r = 0; r < trial->data->rows; r++)
        if (y[r] != 0 && y[r] != 1) {
            gb_fail(trial->tape, GB_EFEED,
                    "problem logistic: the target of row %zu is %g, and must be 0 or 1", r + 1, y[r]);
            return false;
        }
    return true;
}

static gb_node cost(gb_trial *trial)
{
    if (!targets_fit(trial))
        return (gb_node){0};
    const gb_node x = inputs(trial),
                  y = gb_trial_rows(trial, "y", gb_shape(), trial->data->rows, trial->data->y);
    const gb_shape shape = gb_node_shape(x);
    const gb_node mu = gb_trial_parameter(trial, "mu", shape, gb_fill(0));
    const gb_node rho = gb_trial_parameter(trial, "rho", shape, gb_fill(0));
    const gb_dist q = gb_normal(mu, gb_exp(rho)),
                  prior = gb_normal(gb_num(trial->tape, 0), gb_num(trial->tape, 1));
    const gb_node w = gb_trial_draw(trial, "w", q);
    const gb_node likelihood = gb_trial_row_sum(trial, gb_log_prob(gb_bernoulli_logits(gb_dot(x, w)), y));
    const gb_node divergence = trial->setting[ANALYTIC] != 0
                                   ? gb_sum(gb_kl(q, prior))
                                   : gb_sub(gb_draw_log_prob(trial->expect, w, gb_num(trial->tape, 1)),
                                            gb_sum(gb_log_prob(prior, w)));
    return gb_sub(divergence, likelihood);
}

const gb_problem gb_logistic_problem = {
    .size = sizeof(gb_problem),
    .name = "logistic",
    .formula = "-ELBO: KL(N(mu, exp rho) | N(0, 1)) - E sum_n log Bernoulli(y_n; sigmoid w.x_n)",
    .settings = {{"analytic", 1, 0, 1, "1: the divergence in closed form; 0: as a part of the cost"},
                 {"bias", 1, 0, 1, "1: a column of ones besides the data"}},
    .needs_data = true,
    .cost = cost,
};
