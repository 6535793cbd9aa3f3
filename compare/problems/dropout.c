/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dropout on the hidden units of a small network: the squared error at a few points. The parameters are the
 * weights of the units and the probability to keep a unit. */
#include <math.h>

#include "compare/problems/list_impl.h"
#include "compare/problems/problem_impl.h"
#include "core/op.h"
#include "distributions/list.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

enum { KEEP, LOGITS, POINTS = 5, UNITS = 4 };

static const double WEIGHT[UNITS] = {0.8, -0.5, 0.3, 0.6};
static const double HIDDEN[POINTS * UNITS] = {
    0.9, -0.2, 0.4, 0.1, 0.7, 0.3, -0.5, 0.2, 0.1, 0.8, 0.6, -0.3, -0.4, 0.9, 0.2, 0.5, -0.8, 0.6, -0.1, 0.7,
};
static const double POINT[POINTS] = {1.4, 0.2, -0.3, -0.6, -1};

typedef struct network {
    gb_node weight, logit, keep, hidden, target;
} network;

static network network_of(gb_trial *trial)
{
    const double keep = trial->setting[KEEP];
    network n = {.hidden = gb_constant(trial->tape, gb_shape(POINTS, UNITS),
                                       gb_values_of(HIDDEN, (size_t)POINTS * UNITS)),
                 .target = gb_constant(trial->tape, gb_shape(POINTS), gb_values_of(POINT, POINTS))};
    n.weight = gb_trial_parameter(trial, "w", gb_shape(UNITS), gb_values_of(WEIGHT, UNITS));
    if (trial->setting[LOGITS] == 0) {
        n.keep = gb_trial_number(trial, "keep", keep);
        return n;
    }
    n.logit = gb_trial_number(trial, "logit", log(keep / (1 - keep)));
    n.keep = gb_sigmoid(n.logit);
    return n;
}

static gb_node cost(gb_trial *trial)
{
    const network n = network_of(trial);
    const gb_shape units = gb_shape(UNITS);
    const gb_dist q = trial->setting[LOGITS] == 0 ? gb_bernoulli(gb_broadcast_to(n.keep, units))
                                                  : gb_bernoulli_logits(gb_broadcast_to(n.logit, units));
    const gb_node kept = gb_div(gb_mul(n.weight, gb_trial_draw(trial, "mask", q)), n.keep);
    const gb_node output = gb_sum_along(gb_mul(n.hidden, kept), gb_axis(1));
    return gb_sum(gb_square(gb_sub(output, n.target)));
}

/* A mask scaled by 1/p has the mean 1 and the variance (1 - p) / p. */
static gb_node expected(gb_trial *trial)
{
    const network n = network_of(trial);
    const gb_node terms = gb_mul(n.hidden, n.weight);
    const gb_node bias = gb_square(gb_sub(gb_sum_along(terms, gb_axis(1)), n.target));
    const gb_node variance = gb_div(gb_sub(gb_num(trial->tape, 1), n.keep), n.keep);
    return gb_add(gb_sum(bias), gb_mul(gb_sum(gb_square(terms)), variance));
}

const gb_problem gb_dropout_layer_problem = {
    .size = sizeof(gb_problem),
    .name = "dropout-layer",
    .formula = "E sum_n (sum_j h_nj w_j b_j / p - t_n)^2, b_j ~ Bernoulli(p)",
    .settings = {{"keep", 0.8, 0.001, 0.999, "the probability to keep a unit"},
                 {"logits", 0, 0, 1, "1: the parameter is its logit"}},
    .cost = cost,
    .expected = expected,
    .exact = "enumerate",
};
