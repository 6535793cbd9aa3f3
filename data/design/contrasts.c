/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a factor of n levels becomes n − 1 columns. */
#include <stdio.h>
#include <string.h>

#include "core/ground/names_impl.h"
#include "data/design/contrasts_impl.h"
#include "data/design/polynomial_impl.h"

enum { MOST_POLYNOMIAL_LEVELS = 100 };

double gb_contrast(const gb_factor_levels *f, size_t level, size_t column)
{
    switch (f->contrasts) {
    case GB_CONTRASTS_SUM: return level == column ? 1 : level + 1 == f->count ? -1 : 0;
    case GB_CONTRASTS_HELMERT: return level <= column ? -1 : level == column + 1 ? (double)level : 0;
    case GB_CONTRASTS_POLY: return f->polynomial[level * (f->count - 1) + column];
    default: return level == column + 1;
    }
}

const char *gb_contrast_name(const gb_factor_levels *f, size_t column, char text[GB_CONTRAST_NAME])
{
    static const char *const powers[] = {".L", ".Q", ".C"};
    if (f->contrasts == GB_CONTRASTS_POLY && column < 3)
        return powers[column];
    if (f->contrasts == GB_CONTRASTS_TREATMENT)
        return f->level[column + 1];
    snprintf(text, GB_CONTRAST_NAME, f->contrasts == GB_CONTRASTS_POLY ? "^%zu" : "%zu", column + 1);
    return text;
}

static bool prepare_polynomials(gb_formula *f, gb_factor_levels *levels)
{
    const size_t count = levels->count, degree = count - 1;
    double x[MOST_POLYNOMIAL_LEVELS], learned[3 + 2 * MOST_POLYNOMIAL_LEVELS];
    double *const values = gb_formula_keep(f, count * count, sizeof *values);
    double *const matrix = gb_formula_keep(f, count * degree, sizeof *matrix);
    if (!values || !matrix)
        return false;
    for (size_t i = 0; i < count; i++)
        x[i] = (double)i;
    gb_polynomials_learn(x, NULL, count, degree, learned, values);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < degree; k++)
            matrix[i * degree + k] = values[(k + 1) * count + i];
    levels->polynomial = matrix;
    return true;
}

static bool all_differ(gb_formula *f, const gb_formula_variable *v)
{
    gb_names names = {0};
    uint32_t before;
    bool is_fine = true;
    for (uint32_t i = 0; is_fine && i < v->levels.count; i++) {
        if (gb_names_find(&names, v->levels.level[i], &before))
            is_fine = gb_formula_fail(&f->text, v->expression->at, GB_ENAME,
                                      "the level \"%.60s\" of %.60s stands twice in the list of them",
                                      v->levels.level[i], v->text);
        else if (!gb_names_add(&f->memory, &names, v->levels.level[i], i))
            is_fine = gb_formula_out_of_memory(f);
    }
    gb_memory_release(&f->memory, names.at);
    return is_fine;
}

bool gb_contrasts_prepare(gb_formula *f, gb_formula_variable *v)
{
    gb_factor_levels *const levels = &v->levels;
    if (!all_differ(f, v))
        return false;
    if (levels->contrasts != GB_CONTRASTS_POLY || levels->count < 2)
        return true;
    if (levels->count > MOST_POLYNOMIAL_LEVELS)
        return gb_formula_fail(&f->text, v->expression->at, GB_ELIMIT,
                               "%.60s has %zu levels, and polynomial contrasts are for %d at most", v->text,
                               levels->count, MOST_POLYNOMIAL_LEVELS);
    return prepare_polynomials(f, levels);
}
