/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which rows of the table a design has: all, or those where no cell in the columns of its formula is
 * missing. */
#include <math.h>
#include <string.h>

#include "data/design/filling_impl.h"

static bool is_outcome(const gb_formula *f, int32_t variable)
{
    return variable == f->outcome || variable == f->failures;
}

/* Whether a table has all columns of the part. Stores the name of one that it lacks. */
static bool has_columns(const gb_table *table, const gb_syntax *part, const char **lacking)
{
    if (part->kind == GB_SYNTAX_NAME && !gb_table_find(table, part->text)) {
        *lacking = part->text;
        return false;
    }
    for (const gb_syntax *a = part->first; a; a = a->next)
        if (!has_columns(table, a, lacking))
            return false;
    return true;
}

bool gb_is_wanted(const gb_filling *g, int32_t variable)
{
    const char *lacking;
    const gb_formula *const f = g->f;
    if (variable == GB_NO_VARIABLE || !f->variables.at[variable].is_used)
        return false;
    if (is_outcome(f, variable))
        return !g->d->lacking;
    const bool may_lack = variable == f->trials || variable == f->weights;
    return g->source->learns || !may_lack ||
           has_columns(g->source->table, f->variables.at[variable].expression, &lacking);
}

static void find_lacking(const gb_filling *g)
{
    const int32_t outcome[] = {g->f->outcome, g->f->failures};
    for (int i = 0; i < 2 && !g->source->learns; i++)
        if (outcome[i] != GB_NO_VARIABLE)
            has_columns(g->source->table, g->f->variables.at[outcome[i]].expression, &g->d->lacking);
}

static bool reject_missing(const gb_filling *g, const gb_syntax *name, int64_t row, bool of_outcome)
{
    char place[GB_TABLE_PLACE];
    return gb_formula_fail(&g->f->text, name->at, GB_EARGUMENT, "%.60s is missing in %s; %s out such rows%s",
                           name->text, gb_table_place(g->source->table, row, place),
                           g->source->learns ? ".drop_missing = true leaves" : "gb_table_complete leaves",
                           of_outcome ? ", .keep_missing_outcome = true keeps them" : "");
}

/* A column of a term; what weights rows whose outcome may be missing, too. */
static bool may_be_missing(const gb_filling *g, int32_t variable)
{
    const gb_formula *const f = g->f;
    if (variable == f->weights)
        return g->source->keep_missing_outcome && !g->source->learns;
    return g->source->keep_missing && !is_outcome(f, variable) && variable != f->trials;
}

static bool is_cell_missing(const gb_table_column *column, int64_t row)
{
    return column->number ? isnan(column->number[row]) : column->level[row] < 0;
}

/* Marks the rows where a column beside the formula is missing. */
static void mark_beside(const gb_filling *g, bool *missing)
{
    for (int k = 0; k < GB_DESIGN_BESIDE; k++) {
        const char *const name = g->source->beside[k];
        const gb_table_column *const column = name ? gb_table_find(g->source->table, name) : NULL;
        for (int64_t i = 0; column && column->missing > 0 && i < g->d->table_rows; i++)
            missing[i] |= is_cell_missing(column, i);
    }
}

/* Marks the rows where a column of the part is missing. */
static bool mark_missing(const gb_filling *g, const gb_syntax *part, bool of_outcome, bool may_be,
                         bool *missing)
{
    if (part->kind != GB_SYNTAX_NAME) {
        for (const gb_syntax *a = part->first; a; a = a->next)
            if (!mark_missing(g, a, of_outcome, may_be, missing))
                return false;
        return true;
    }
    const gb_table_column *const column = gb_column_for(g->f, g->source->table, part);
    for (int64_t i = 0; column && column->missing > 0 && i < g->d->table_rows; i++) {
        const bool is_missing = is_cell_missing(column, i);
        if (is_missing && !may_be)
            return reject_missing(g, part, i, of_outcome);
        missing[i] |= is_missing;
    }
    return column != NULL;
}

static bool find_missing(const gb_filling *g, bool *missing, bool *without_outcome)
{
    if (g->source->drop_missing)
        mark_beside(g, missing);
    for (size_t i = 0; i < g->f->variables.count; i++) {
        const bool of_outcome = is_outcome(g->f, (int32_t)i);
        const bool may_be = g->source->drop_missing || (of_outcome && g->source->keep_missing_outcome);
        bool *const marks = of_outcome && g->source->keep_missing_outcome ? without_outcome : missing;
        if (gb_is_wanted(g, (int32_t)i) && !may_be_missing(g, (int32_t)i) &&
            !mark_missing(g, g->f->variables.at[i].expression, of_outcome, may_be, marks))
            return false;
    }
    return true;
}

static gb_evaluation evaluation_of(gb_filling *g, const int64_t *row, size_t rows)
{
    return (gb_evaluation){.formula = g->f,
                           .table = g->source->table,
                           .row = row,
                           .rows = rows,
                           .has_all_rows = rows == (size_t)g->d->table_rows,
                           .learns = g->source->learns,
                           .counts = g->all.counts,
                           .scratch = &g->scratch};
}

bool gb_fill_rows(gb_filling *g)
{
    const size_t most = (size_t)g->d->table_rows, bytes = (most + 1) * sizeof(int64_t);
    bool *const missing = gb_arena_take(&g->scratch, most + 1);
    bool *const without_outcome = gb_arena_take(&g->scratch, most + 1);
    int64_t *const row = gb_arena_take(&g->d->arena, bytes), *const with = gb_arena_take(&g->scratch, bytes);
    size_t *const place = gb_arena_take(&g->scratch, bytes), rows = 0, present = 0;
    if (!missing || !without_outcome || !row || !with || !place)
        return gb_formula_out_of_memory(g->f);
    find_lacking(g);
    if (!find_missing(g, missing, without_outcome))
        return false;
    for (int64_t i = 0; i < g->d->table_rows; i++) {
        if (missing[i])
            continue;
        if (!without_outcome[i]) {
            with[present] = i;
            place[present++] = rows;
        }
        row[rows++] = i;
    }
    g->d->rows = (int64_t)rows;
    g->d->row = row;
    g->all = evaluation_of(g, row, rows);
    g->with_outcome = evaluation_of(g, with, present);
    g->outcome_place = place;
    if (present > 0 || !g->source->learns)
        return true;
    gb_fail(g->d->tape, GB_EARGUMENT, "design: no row of %.60s has all cells that %.100s needs", g->d->table,
            g->f->text.text);
    return false;
}

bool gb_rows_with(gb_filling *g, int32_t variable, gb_evaluation *there, const size_t **placed)
{
    const gb_formula_variable *const v = &g->f->variables.at[variable];
    *there = g->all;
    *placed = NULL;
    if (!may_be_missing(g, variable))
        return true;
    bool *const missing = gb_evaluation_take(&g->all, (size_t)g->d->table_rows, sizeof *missing);
    int64_t *const row = gb_evaluation_take(&g->all, g->all.rows, sizeof *row);
    size_t *const place = gb_evaluation_take(&g->all, g->all.rows, sizeof *place), count = 0;
    if (!missing || !row || !place || !mark_missing(g, v->expression, false, true, missing))
        return false;
    for (size_t i = 0; i < g->all.rows; i++)
        if (!missing[g->all.row[i]]) {
            row[count] = g->all.row[i];
            place[count++] = i;
        }
    if (count == 0 && g->source->learns)
        return gb_formula_fail(&g->f->text, v->expression->at, GB_EARGUMENT, "%.60s is missing in all rows",
                               v->text);
    if (count == g->all.rows)
        return true;
    *there = evaluation_of(g, row, count);
    *placed = place;
    return true;
}
