/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The values of variables, as numbers or as levels. */
#include <math.h>
#include <string.h>

#include "data/design/filling_impl.h"
#include "data/formula/functions_impl.h"

static const gb_factor_column *asked_factor(const gb_row_source *s, const gb_formula_variable *v)
{
    gb_syntax *const name = gb_expression_column(v->expression);
    for (size_t i = 0; name && i < s->factors.count; i++)
        if (strcmp(s->factors.factor[i].column, name->text) == 0)
            return &s->factors.factor[i];
    return NULL;
}

void gb_decide_kind(const gb_filling *g, gb_formula_variable *v)
{
    gb_syntax *const name = gb_expression_column(v->expression);
    const gb_factor_column *const asked = asked_factor(g->source, v);
    const gb_table_column *const column = name ? gb_table_find(g->source->table, name->text) : NULL;
    const gb_contrasts contrasts = asked && asked->contrasts ? asked->contrasts : g->source->contrasts;
    v->is_factor = name ? gb_expression_makes_factor(v->expression) || asked || (column && column->level)
                        : gb_expression_is_logical(v->expression);
    v->levels.contrasts = contrasts ? contrasts : GB_CONTRASTS_TREATMENT;
}

bool gb_fill_variable(const gb_filling *g, const gb_evaluation *e, int32_t variable, gb_row_values *values)
{
    gb_formula_variable *const v = &g->f->variables.at[variable];
    if (v->is_factor)
        values->level = gb_evaluate_levels(e, v, asked_factor(g->source, v));
    else
        values->number = gb_evaluate(e, v);
    return values->level || values->number;
}

/* Values of the rows that have them, at their places among all. */
static bool spread(const gb_filling *g, size_t width, const size_t *place, size_t count,
                   gb_row_values *values)
{
    const size_t all = g->all.rows;
    double *const number = values->number ? gb_evaluation_take(&g->all, all * width, sizeof *number) : NULL;
    uint32_t *const level = values->level ? gb_evaluation_take(&g->all, all, sizeof *level) : NULL;
    if (!number && !level)
        return false;
    for (size_t i = 0; i < all * (number ? width : 1); i++)
        if (number)
            number[i] = NAN;
        else
            level[i] = GB_NO_LEVEL;
    for (size_t i = 0; i < count; i++)
        if (number)
            memcpy(number + place[i] * width, values->number + i * width, width * sizeof *number);
        else
            level[place[i]] = values->level[i];
    *values = (gb_row_values){.number = number, .level = level};
    return true;
}

bool gb_fill_partial(gb_filling *g, int32_t variable, gb_row_values *values)
{
    gb_evaluation there;
    const size_t *place;
    return gb_rows_with(g, variable, &there, &place) && gb_fill_variable(g, &there, variable, values) &&
           (!place || spread(g, g->f->variables.at[variable].width, place, there.rows, values));
}

double *gb_fill_numbers(gb_filling *g, int32_t variable)
{
    const gb_formula_variable *const v = &g->f->variables.at[variable];
    gb_row_values values = {0};
    if (v->is_factor) {
        gb_formula_fail(&g->f->text, v->expression->at, GB_ETYPE,
                        "numbers are needed here, and this is a factor");
        return NULL;
    }
    if (!gb_fill_partial(g, variable, &values))
        return NULL;
    double *const own = gb_arena_take(&g->d->arena, (g->all.rows + 1) * sizeof *own);
    if (!own)
        gb_formula_out_of_memory(g->f);
    else
        memcpy(own, values.number, g->all.rows * sizeof *own);
    return own;
}
