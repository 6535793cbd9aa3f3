/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table that fits a model. */
#include "kit/models/case_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

/* Numbers between 0 and 1 without order. */
static double unit(int row, int k)
{
    const double x = (row + 1) * (sqrt(2) + 0.1 * k) * PI;
    return x - floor(x);
}

static double outcome_of(const gb_model_check *c, int row)
{
    const gb_model_type *const type = c->model.type;
    const gb_domain *const domain = c->outcome;
    const int classes = type->most_classes > 0 && type->most_classes < 3 ? (int)type->most_classes : 3;
    if (type->is_of_classes)
        return row < classes ? row : floor(classes * unit(row, 4));
    if (domain && domain->whole)
        return isinf(domain->high) ? floor(6 * unit(row, 2)) : unit(row, 3) < 0.4;
    const double y = 3 + 0.05 * row + 2 * unit(row, 1);
    return domain && !isinf(domain->high) ? domain->low + unit(row, 1) * (domain->high - domain->low) : y;
}

static gb_table *table_of(const gb_model_check *c, gb_tape *t, gb_model_twist how)
{
    enum { ROWS = GB_MODEL_ROWS, COLUMNS = 8 };
    static const char *const names[COLUMNS] = {"y", "a", "b", "w", "n", "e", "g", "z"}, *const levels[] = {
                                                                                            "north", "south",
                                                                                            "west"};
    const double of_y = how.of_y > 0 ? how.of_y : 1, of_x = how.of_x > 0 ? how.of_x : 1;
    double value[COLUMNS][ROWS];
    const char *f[ROWS];
    for (int i = 0; i < ROWS; i++) {
        const double row[COLUMNS] = {of_y * outcome_of(c, i),
                                     of_x * (5 + unit(i, 5)),
                                     unit(i, 6) - 0.3,
                                     1 + (i % 3 == 0),
                                     6 + i % 2,
                                     of_y * (0.5 + unit(i, 7)),
                                     10 * (i % 4),
                                     unit(i, 3) < 0.4};
        for (int k = 0; k < COLUMNS; k++)
            value[k][i] = row[k];
        f[i] = levels[i % 3];
    }
    if (how.weight != 0)
        value[3][GB_MODEL_CHANGED] = how.weight > 0 ? how.weight : 0;
    if (how.is_missing)
        value[0][GB_MODEL_CHANGED] = (double)NAN;
    gb_table *const d = gb_table_new(t, "data", ROWS);
    for (int k = 0; k < COLUMNS; k++)
        gb_table_add(d, names[k], gb_numbers_of(GB_NUMBER_DOUBLE, value[k], ROWS));
    gb_table_add_texts(d, "f", f);
    return d;
}

/* Weights of a model without outcome cannot stand in its formula. */
static gb_numbers weights_of(const gb_model_check *c, gb_tape *t, const gb_table *d)
{
    const gb_table_column *const w = gb_table_find(d, "w");
    double *const copy = gb_tape_keep(t, GB_MODEL_ROWS * sizeof *copy);
    if (c->model.type->outcome || !w || !copy)
        return (gb_numbers){0};
    memcpy(copy, w->number, GB_MODEL_ROWS * sizeof *copy);
    return gb_numbers_of(GB_NUMBER_DOUBLE, copy, GB_MODEL_ROWS);
}

gb_analysis *gb_model_case(const gb_model_check *c, gb_tape *t, gb_model_twist how, gb_table **table)
{
    char formula[256];
    const gb_model_type *const type = c->model.type;
    gb_table *const d = table_of(c, t, how);
    const char *const left = !type->outcome   ? ""
                             : c->with_trials ? "y | trials(n) + weights(w)"
                                              : "y | weights(w)";
    snprintf(formula, sizeof formula, "%s ~ %s", left,
             c->columns                   ? c->columns
             : type->no_columns           ? "1"
             : type->outcome              ? "a + b"
             : type->columns == GB_BINARY ? "f"
                                          : "a + b - 1");
    gb_analysis *const a =
        how.noted
            ? gb_analysis_new(t, c->model, .noted = true, .posterior = how.posterior)
            : gb_analysis_new(t, c->model, .formula = formula, .table = d, .weight = weights_of(c, t, d),
                              .group = c->with_group || type->needs_group ? "g" : NULL,
                              .error = c->with_error ? "e" : NULL, .batch = how.batch,
                              .posterior = how.posterior);
    if (table)
        *table = d;
    else
        gb_table_free(d);
    return a;
}

gb_tape *gb_model_tape(const gb_model_check *c)
{
    return gb_tape_new(.seed = 3, .threads = 1, .memory = c->kit.memory);
}
