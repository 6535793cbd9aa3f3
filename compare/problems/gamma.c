/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A cost with known derivatives, of a draw whose derivative is implicit. */
#include "compare/problems/list_impl.h"
#include "compare/problems/problem_impl.h"
#include "distributions/list.h"
#include "ops/elementwise.h"

static gb_node cost(gb_trial *trial)
{
    const gb_node concentration = gb_trial_number(trial, "concentration", trial->setting[0]);
    const gb_node rate = gb_trial_number(trial, "rate", trial->setting[1]);
    return gb_log(gb_trial_draw(trial, "x", gb_gamma(concentration, rate)));
}

static gb_node expected(gb_trial *trial)
{
    const gb_node concentration = gb_trial_number(trial, "concentration", trial->setting[0]);
    const gb_node rate = gb_trial_number(trial, "rate", trial->setting[1]);
    return gb_sub(gb_digamma(concentration), gb_log(rate));
}

const gb_problem gb_gamma_log_problem = {
    .size = sizeof(gb_problem),
    .name = "gamma-log",
    .formula = "E log x, x ~ Gamma(concentration, rate)",
    .settings = {{"concentration", 2, 0.01, 1e6, "the shape"}, {"rate", 1.5, 1e-6, 1e6, "1 / the scale"}},
    .cost = cost,
    .expected = expected,
};
