/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compare/problem.h"

#include <string.h>

#include "compare/problems/problem_impl.h"
#include "core/op.h"
#include "estimators/list.h"

/* ---- settings ---- */

void gb_problem_defaults(const gb_problem *problem, double setting[GB_PROBLEM_SETTINGS])
{
    for (size_t i = 0; problem && setting && i < GB_PROBLEM_SETTINGS; i++)
        setting[i] = problem->settings[i].name ? problem->settings[i].value : 0;
}

bool gb_problem_set(const gb_problem *problem, double setting[GB_PROBLEM_SETTINGS], const char *name,
                    double value)
{
    for (size_t i = 0; i < GB_PROBLEM_SETTINGS && problem->settings[i].name; i++) {
        const gb_setting *const own = &problem->settings[i];
        if (!name || strcmp(own->name, name) != 0)
            continue;
        if (!(value >= own->low && value <= own->high))
            return false;
        setting[i] = value;
        return true;
    }
    return false;
}

/* ---- trials ---- */

/* The array grows at each power of two. What it grew out of stays with the tape. */
static bool make_room(gb_trial *trial)
{
    const size_t count = trial->parameters, room = count ? 2 * count : 1;
    if (count & (count - 1))
        return true;
    gb_problem_parameter *const larger = gb_tape_keep(trial->tape, room * sizeof *larger);
    if (larger && count > 0)
        memcpy(larger, trial->parameter, count * sizeof *larger);
    if (larger)
        trial->parameter = larger;
    return larger;
}

gb_node gb_trial_parameter(gb_trial *trial, const char *name, gb_shape shape, gb_values start)
{
    const gb_node variable = gb_variable(trial->tape, name, shape, start);
    if (!gb_node_ok(variable) || !make_room(trial))
        return (gb_node){0};
    const gb_node each = trial->replicates ? gb_widen(variable, trial->replicates) : variable;
    trial->parameter[trial->parameters++] = (gb_problem_parameter){
        .name = gb_tape_keep_text(trial->tape, name), .variable = variable, .each = each};
    return each;
}

gb_node gb_trial_number(gb_trial *trial, const char *name, double start)
{
    return gb_trial_parameter(trial, name, gb_shape(), gb_fill(start));
}

static bool fits(const gb_estimator_type *type, gb_dist q)
{
    return type && !gb_estimator_type_lacks(type, q);
}

static gb_estimator instead(const gb_estimator_type *of, gb_dist q)
{
    const gb_estimator_type *const quadrature = gb_estimator_find("quadrature");
    if (of == quadrature && fits(&gb_enumerate_estimator_type, q))
        return gb_enumerated();
    if (of == &gb_enumerate_estimator_type && fits(quadrature, q))
        return gb_estimator_of(quadrature, NULL);
    return fits(&gb_pathwise_estimator_type, q) ? gb_pathwise() : gb_score();
}

gb_node gb_trial_draw(gb_trial *trial, const char *name, gb_dist q)
{
    if (!gb_dist_ok(q) || !trial->estimator.type)
        return gb_draw(trial->expect, name, q, trial->estimator);
    trial->sites++;
    if (!gb_estimator_lacks(trial->estimator, q)) {
        trial->fitting++;
        return gb_draw(trial->expect, name, q, trial->estimator);
    }
    if (!trial->unfit_name) {
        trial->unfit_name = name;
        trial->unfit = q;
    }
    return gb_draw(trial->expect, name, q, instead(trial->estimator.type, q));
}

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
