/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The numbers of what stands left of ~. */
#include <math.h>
#include <string.h>

#include "data/design/filling_impl.h"

static bool reject_number(const gb_filling *g, int32_t variable, size_t i, double x, const char *words)
{
    char place[GB_TABLE_PLACE], number[GB_R_NUMBER_TEXT];
    const gb_formula_variable *const v = &g->f->variables.at[variable];
    return gb_formula_fail(&g->f->text, v->expression->at, GB_EARGUMENT, "%.60s is %s in %s, and %s", v->text,
                           gb_r_number(x, number), gb_table_place(g->source->table, g->all.row[i], place),
                           words);
}

static bool is_count(double x)
{
    return isnan(x) || (x >= 0 && floor(x) >= x); /* NaN: a missing outcome */
}

/* Returns the outcome in each row, NaN where it is missing. NULL on error. */
static double *outcome_numbers(const gb_filling *g, int32_t variable)
{
    gb_row_values values = {0};
    double *const own = gb_arena_take(&g->d->arena, (g->all.rows + 1) * sizeof *own);
    if (!own)
        gb_formula_out_of_memory(g->f);
    if (!own || !gb_fill_variable(g, &g->with_outcome, variable, &values))
        return NULL;
    for (size_t i = 0; i < g->all.rows; i++)
        own[i] = NAN;
    for (size_t i = 0; i < g->with_outcome.rows; i++)
        own[g->outcome_place[i]] = values.number ? values.number[i] : (double)values.level[i];
    return own;
}

static bool need_numbers(const gb_filling *g, int32_t variable)
{
    const gb_formula_variable *const v = &g->f->variables.at[variable];
    return !v->is_factor || gb_formula_fail(&g->f->text, v->expression->at, GB_ETYPE,
                                            "numbers are needed here, and this is a factor");
}

/* Of successes and failures. */
static bool fill_pair(gb_filling *g)
{
    const gb_formula *const f = g->f;
    if (!need_numbers(g, f->outcome) || !need_numbers(g, f->failures))
        return false;
    const double *const successes = outcome_numbers(g, f->outcome);
    double *const trials = successes ? outcome_numbers(g, f->failures) : NULL;
    for (size_t i = 0; trials && i < g->all.rows; i++) {
        if (!is_count(successes[i]))
            return reject_number(g, f->outcome, i, successes[i], "successes are whole numbers from 0");
        if (!is_count(trials[i]))
            return reject_number(g, f->failures, i, trials[i], "failures are whole numbers from 0");
        trials[i] += successes[i];
    }
    g->d->outcome = successes;
    g->d->trials = trials;
    return trials != NULL;
}

static bool fill_trials(gb_filling *g)
{
    const gb_formula *const f = g->f;
    const double *const outcome = g->d->outcome, *const trials = gb_fill_numbers(g, f->trials);
    for (size_t i = 0; trials && i < g->all.rows; i++) {
        if (!is_count(trials[i]))
            return reject_number(g, f->trials, i, trials[i], "trials are whole numbers from 0");
        if (outcome && !is_count(outcome[i]))
            return reject_number(g, f->outcome, i, outcome[i], "successes are whole numbers from 0");
        if (outcome && outcome[i] > trials[i])
            return reject_number(g, f->outcome, i, outcome[i], "there are fewer trials");
    }
    g->d->trials = trials;
    return trials != NULL;
}

bool gb_fill_weights(gb_filling *g)
{
    if (!gb_is_wanted(g, g->f->weights))
        return true;
    const double *const weights = gb_fill_numbers(g, g->f->weights);
    for (size_t i = 0; weights && i < g->all.rows; i++)
        if (weights[i] < 0)
            return reject_number(g, g->f->weights, i, weights[i], "weights are not negative");
    g->d->weights = weights;
    return weights != NULL;
}

bool gb_fill_left(gb_filling *g)
{
    const gb_formula *const f = g->f;
    if (gb_is_wanted(g, f->outcome)) {
        if (f->failures != GB_NO_VARIABLE)
            return fill_pair(g);
        g->d->outcome = outcome_numbers(g, f->outcome);
        if (!g->d->outcome)
            return false;
    }
    return !gb_is_wanted(g, f->trials) || fill_trials(g);
}
