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
