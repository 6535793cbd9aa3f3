/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A problem, checked and recorded. */
#include "compare/problem.h"
#include "core/op.h"

static bool data_fit(gb_trial *trial, const gb_problem *problem)
{
    const gb_problem_data *const data = trial->data;
    if (problem->needs_data && (!data || data->rows == 0 || data->columns == 0))
        gb_fail(trial->tape, GB_EARGUMENT, "problem %s: it needs data, and none were given", problem->name);
    else if (problem->needs_data && (!data->x || !data->y))
        gb_fail(trial->tape, GB_EARGUMENT,
                "problem %s: the data have %zu rows and %zu columns, but %s is NULL", problem->name,
                data->rows, data->columns, data->x ? "y" : "x");
    else
        return true;
    return false;
}

static bool problem_fits(gb_trial *trial, const gb_problem *problem, bool expected)
{
    char fault[256];
    if (!gb_plugin_fits(&gb_problem_kind, problem, fault, sizeof fault))
        gb_fail(trial->tape, GB_EARGUMENT, "problem %s", fault);
    else if (expected && !problem->expected)
        gb_fail(trial->tape, GB_EARGUMENT, "problem %s: it has no closed form", problem->name);
    else
        return data_fit(trial, problem);
    return false;
}

gb_node gb_trial_record(gb_trial *trial, const gb_problem *problem, bool expected)
{
    if (!problem_fits(trial, problem, expected))
        return (gb_node){0};
    trial->user = problem->user;
    if (expected)
        return problem->expected(trial);
    const gb_node cost = problem->cost(trial);
    if (trial->batch > 0 && trial->rows == 0)
        gb_fail(trial->tape, GB_EARGUMENT,
                "problem %s: it has no rows to take batches of (its cost records none by gb_trial_rows)",
                problem->name);
    if (trial->sites == 0 || trial->fitting > 0)
        return gb_error(trial->tape) == GB_OK ? cost : (gb_node){0};
    return gb_draw(trial->expect, trial->unfit_name, trial->unfit, trial->estimator);
}
