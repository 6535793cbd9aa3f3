/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The numbers of a design. */
#include <math.h>
#include <string.h>

#include "core/ground/text_impl.h"
#include "data/design/code_impl.h"
#include "data/design/contrasts_impl.h"
#include "data/design/fill_impl.h"

/* ---- variables ---- */

static bool fill_offset(gb_filling *g)
{
    double *sum = NULL;
    for (size_t i = 0; i < g->f->offsets.count; i++) {
        double *const offset = gb_fill_numbers(g, (int32_t)g->f->offsets.at[i]);
        if (!offset)
            return false;
        for (size_t j = 0; sum && j < g->all.rows; j++)
            offset[j] += sum[j];
        sum = offset;
    }
    g->d->offset = sum;
    return true;
}

static bool fill_variables(gb_filling *g, gb_row_values *values)
{
    for (size_t i = 0; i < g->f->terms.count; i++)
        for (uint32_t j = 0; j < g->f->terms.at[i].count; j++) {
            const uint32_t v = g->f->terms.at[i].variable[j];
            const bool is_there = values[v].number || values[v].level;
            if (!is_there && !gb_fill_partial(g, (int32_t)v, &values[v]))
                return false;
        }
    return true;
}

/* ---- which rows count ---- */

/* A row without outcome, or of weight 0, is predicted, so that nothing is learned from it. */
static bool find_counts(gb_filling *g)
{
    const gb_numbers given = g->source->weight;
    const double *const weights = g->d->weights;
    double *const counts = gb_evaluation_take(&g->all, (size_t)g->d->table_rows, sizeof *counts),
                  *const own = gb_arena_take(&g->d->arena, (g->all.rows + 1) * sizeof *own);
    if (!counts || !own)
        return gb_formula_out_of_memory(g->f);
    memset(own, 0, g->all.rows * sizeof *own);
    for (size_t i = 0; i < g->with_outcome.rows; i++) {
        const size_t place = g->outcome_place[i], row = (size_t)g->with_outcome.row[i];
        own[place] = weights ? weights[place] : given.at ? gb_numbers_at(given, row) : 1;
    }
    for (size_t i = 0; i < g->all.rows; i++)
        counts[g->all.row[i]] = own[i];
    g->d->counts = own;
    g->all.counts = g->with_outcome.counts = counts;
    return true;
}

static bool weights_are_known(gb_filling *g)
{
    const bool all_count =
        g->f->weights == GB_NO_VARIABLE && !g->source->weight.at && g->with_outcome.rows == g->all.rows;
    return gb_fill_weights(g) && (!g->source->learns || all_count || find_counts(g));
}

/* ---- the matrix ---- */

static double value_in(const gb_formula_variable *v, const gb_row_values *values, bool is_full, size_t row,
                       size_t column)
{
    if (!v->is_factor)
        return values->number[row * v->width + column];
    if (values->level[row] == GB_NO_LEVEL)
        return NAN;
    return is_full ? values->level[row] == column : gb_contrast(&v->levels, values->level[row], column);
}

/* Writes the columns of a term in one row, and returns how many. Those of the first variable change fastest,
 * so each variable repeats what is there already. It goes from its last column to its first, since the first
 * takes the place of what it multiplies. */
static size_t fill_term(const gb_formula *f, const gb_row_values *values, const gb_term *term, size_t row,
                        double *to)
{
    size_t width = 1;
    to[0] = 1;
    for (uint32_t j = 0; j < term->count; j++) {
        const gb_formula_variable *const v = &f->variables.at[term->variable[j]];
        const bool is_full = term->full >> j & 1;
        const size_t more = gb_coded_width(v, is_full);
        for (size_t k = more; k-- > 0;) {
            const double x = value_in(v, &values[term->variable[j]], is_full, row, k);
            for (size_t i = 0; i < width; i++)
                to[k * width + i] = to[i] * x;
        }
        width *= more;
    }
    return width;
}

static double *matrix_room(const gb_filling *g)
{
    const size_t rows = g->all.rows, columns = g->f->columns;
    if (rows > PTRDIFF_MAX / sizeof(double) / (columns + 1)) {
        gb_fail(g->d->tape, GB_ELIMIT, "design: %zu rows of %zu columns are too many numbers", rows, columns);
        return NULL;
    }
    double *const values = gb_arena_take(&g->d->arena, (rows * columns + 1) * sizeof *values);
    if (!values)
        gb_fail(g->d->tape, GB_ENOMEM, "design: out of memory for %zu rows of %zu columns", rows, columns);
    return values;
}

static bool fill_matrix(gb_filling *g, const gb_row_values *variables)
{
    const size_t columns = g->f->columns;
    double *const values = matrix_room(g);
    for (size_t i = 0; values && i < g->all.rows; i++) {
        double *to = values + i * columns;
        if (g->f->has_intercept)
            *to++ = 1;
        for (size_t j = 0; j < g->f->terms.count; j++)
            to += fill_term(g->f, variables, &g->f->terms.at[j], i, to);
    }
    g->d->values = values;
    return values != NULL;
}

static bool is_missing(const gb_formula *f, const gb_row_values *values, size_t row, size_t column)
{
    const size_t of_term = f->column_term[column];
    const gb_term *const term = of_term > 0 ? &f->terms.at[of_term - 1] : NULL;
    for (uint32_t j = 0; term && j < term->count; j++) {
        const uint32_t v = term->variable[j];
        if (f->variables.at[v].is_factor ? values[v].level[row] == GB_NO_LEVEL
                                         : isnan(values[v].number[row * f->variables.at[v].width]))
            return true;
    }
    return false;
}

/* A product of finite numbers may be infinite. */
static bool check_matrix(const gb_filling *g, const gb_row_values *values)
{
    char place[GB_TABLE_PLACE];
    const size_t columns = g->f->columns;
    for (size_t i = 0; i < g->all.rows * columns; i++)
        if (!isfinite(g->d->values[i]) && !is_missing(g->f, values, i / columns, i % columns)) {
            gb_fail(g->d->tape, GB_ENONFINITE, "design: column %.100s is not finite in %s",
                    g->f->column_name[i % columns],
                    gb_table_place(g->source->table, g->all.row[i / columns], place));
            return false;
        }
    return true;
}

/* ---- all of it ---- */

static bool check_asked(const gb_filling *g)
{
    const gb_row_source *const s = g->source;
    for (size_t i = 0; i < s->factors.count; i++) {
        const char *const name = s->factors.factor[i].column;
        if (!name || (unsigned)s->factors.factor[i].contrasts > GB_CONTRASTS_POLY)
            return gb_fail(g->d->tape, GB_EARGUMENT, "design: factor %zu of .factors has no %s", i + 1,
                           name ? "known contrasts" : "column") == GB_OK;
        if (gb_table_find(s->table, name))
            continue;
        const char *const nearest = gb_nearest_column(g->f, s->table, name);
        return gb_fail(g->d->tape, GB_ENAME,
                       "design: .factors names column %.60s, which %.60s lacks%s%.60s%s", name, g->d->table,
                       nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "") == GB_OK;
    }
    return true;
}

static bool fill(gb_filling *g)
{
    if (!check_asked(g) || !gb_fill_rows(g))
        return false;
    for (size_t i = 0; g->source->learns && i < g->f->variables.count; i++)
        gb_decide_kind(g, &g->f->variables.at[i]);
    gb_row_values *const values = gb_arena_take(&g->scratch, (g->f->variables.count + 1) * sizeof *values);
    if (!values)
        return gb_formula_out_of_memory(g->f);
    if (!weights_are_known(g) || !fill_variables(g, values) || !gb_fill_left(g) || !fill_offset(g))
        return false;
    return (!g->source->learns || gb_formula_code(g->f)) && fill_matrix(g, values) && check_matrix(g, values);
}

bool gb_design_fill(gb_design *d, const gb_row_source *source)
{
    gb_filling g = {.d = d, .f = d->formula, .source = source, .scratch = {.memory = &d->memory}};
    d->table_rows = gb_table_rows(source->table);
    d->table = gb_arena_text(&d->arena, gb_table_name(source->table));
    const bool is_fine = d->table ? fill(&g) : gb_formula_out_of_memory(g.f);
    gb_arena_free(&g.scratch);
    return is_fine;
}
