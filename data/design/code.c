/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which columns a design has. A factor of a term is coded by contrasts if the term without it is contained in
 * a term before, or is the intercept; else by all of its levels. So says R. */
#include <stdio.h>
#include <string.h>

#include "data/design/code_impl.h"
#include "data/design/contrasts_impl.h"

enum { MOST_COLUMNS = 1 << 20 };

size_t gb_coded_width(const gb_formula_variable *v, bool is_full)
{
    return v->is_factor ? v->levels.count - !is_full : v->width;
}

/* Whether `term` without its variable `left_out` has only variables of `other`. */
static bool is_contained(const gb_term *term, uint32_t left_out, const gb_term *other)
{
    for (uint32_t i = 0, j = 0; i < term->count; i++) {
        if (i == left_out)
            continue;
        while (j < other->count && other->variable[j] < term->variable[i])
            j++;
        if (j == other->count || other->variable[j] != term->variable[i])
            return false;
    }
    return true;
}

static bool needs_all_levels(const gb_formula *f, size_t term, uint32_t place)
{
    const gb_term *const t = &f->terms.at[term];
    for (size_t i = 0; i < term && t->count > 1; i++)
        if (is_contained(t, place, &f->terms.at[i]))
            return false;
    return t->count > 1;
}

static bool is_factor_at(const gb_formula *f, const gb_term *term, uint32_t place)
{
    return f->variables.at[term->variable[place]].is_factor;
}

/* Without an intercept, the first factor of all has all levels. */
static void code_first_factor(gb_formula *f)
{
    for (size_t i = 0; i < f->terms.count; i++)
        for (uint32_t j = 0; j < f->terms.at[i].count; j++)
            if (is_factor_at(f, &f->terms.at[i], j)) {
                f->terms.at[i].full |= 1u << j;
                return;
            }
}

static bool check_levels(const gb_formula *f, const gb_term *term, uint32_t place)
{
    const gb_formula_variable *const v = &f->variables.at[term->variable[place]];
    if (v->levels.count > 1 || (term->full >> place & 1))
        return true;
    return gb_formula_fail(&f->text, v->expression->at, GB_EARGUMENT,
                           "%.60s has one level, \"%.60s\", in all rows: it explains nothing", v->text,
                           v->levels.count > 0 ? v->levels.level[0] : "");
}

static bool code_terms(gb_formula *f)
{
    for (size_t i = 0; i < f->terms.count; i++) {
        gb_term *const term = &f->terms.at[i];
        term->full = 0;
        for (uint32_t j = 0; j < term->count; j++)
            if (is_factor_at(f, term, j) && needs_all_levels(f, i, j))
                term->full |= 1u << j;
    }
    if (!f->has_intercept)
        code_first_factor(f);
    for (size_t i = 0; i < f->terms.count; i++)
        for (uint32_t j = 0; j < f->terms.at[i].count; j++)
            if (is_factor_at(f, &f->terms.at[i], j) && !check_levels(f, &f->terms.at[i], j))
                return false;
    return true;
}

/* ---- names ---- */

static bool count_columns(gb_formula *f)
{
    f->columns = f->has_intercept;
    for (size_t i = 0; i < f->terms.count; i++) {
        const gb_term *const term = &f->terms.at[i];
        size_t width = 1;
        for (uint32_t j = 0; j < term->count && width <= MOST_COLUMNS; j++)
            width *= gb_coded_width(&f->variables.at[term->variable[j]], term->full >> j & 1);
        f->columns += width;
        if (f->columns > MOST_COLUMNS)
            return gb_formula_fail(&f->text, term->at, GB_ELIMIT, "the design has more than %d columns",
                                   MOST_COLUMNS);
    }
    return f->columns > 0 || gb_formula_fail(&f->text, f->tree->at, GB_EARGUMENT,
                                             "the design has no columns: neither an intercept nor a term");
}

/* Adds the name of column `column` of a variable in a term. */
static void add_name(const gb_formula_variable *v, bool is_full, size_t column, gb_packing *text)
{
    char number[GB_CONTRAST_NAME];
    gb_text_add(text, v->text);
    if (v->is_factor)
        gb_text_add(text, is_full ? v->levels.level[column] : gb_contrast_name(&v->levels, column, number));
    else if (v->width > 1) {
        snprintf(number, sizeof number, "%zu", column + 1);
        gb_text_add(text, number);
    }
}

/* The columns of the first variable change fastest. */
static const char *name_of(gb_formula *f, const gb_term *term, size_t column)
{
    gb_packing text = {.memory = &f->memory};
    for (uint32_t j = 0; j < term->count; j++) {
        const gb_formula_variable *const v = &f->variables.at[term->variable[j]];
        const bool is_full = term->full >> j & 1;
        const size_t width = gb_coded_width(v, is_full);
        gb_text_add(&text, j > 0 ? ":" : "");
        add_name(v, is_full, column % width, &text);
        column /= width;
    }
    return gb_text_moved(&text, &f->arena);
}

static const char *text_of(gb_formula *f, const gb_term *term)
{
    gb_packing text = {.memory = &f->memory};
    for (uint32_t j = 0; j < term->count; j++) {
        gb_text_add(&text, j > 0 ? ":" : "");
        gb_text_add(&text, f->variables.at[term->variable[j]].text);
    }
    return gb_text_moved(&text, &f->arena);
}

static bool name_columns(gb_formula *f)
{
    const char **const name = gb_formula_keep(f, f->columns, sizeof *name);
    uint32_t *const of_term = gb_formula_keep(f, f->columns, sizeof *of_term);
    if (!name || !of_term)
        return false;
    size_t column = f->has_intercept;
    if (f->has_intercept)
        name[0] = "(Intercept)";
    for (size_t i = 0; i < f->terms.count; i++) {
        gb_term *const term = &f->terms.at[i];
        size_t width = 1;
        term->text = text_of(f, term);
        if (!term->text)
            return gb_formula_out_of_memory(f);
        for (uint32_t j = 0; j < term->count; j++)
            width *= gb_coded_width(&f->variables.at[term->variable[j]], term->full >> j & 1);
        for (size_t j = 0; j < width; j++, column++) {
            name[column] = name_of(f, term, j);
            of_term[column] = (uint32_t)i + 1;
            if (!name[column])
                return gb_formula_out_of_memory(f);
        }
    }
    f->column_name = name;
    f->column_term = of_term;
    return true;
}

bool gb_formula_code(gb_formula *f)
{
    return code_terms(f) && count_columns(f) && name_columns(f);
}
