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
    /* Whatever the groups, no sum of columns: then there would be no noise. */
    const double y = 3 + 0.05 * row + 2 * unit(row, 1) + 0.3 * sin(row * row);
    return domain && !isinf(domain->high) ? domain->low + unit(row, 1) * (domain->high - domain->low) : y;
}

enum { ROOM = GB_MODEL_ROWS + 1, Y = 0, A, B, W, N, E, G, Z, O, COLUMNS };

/* A row by the numbers of its columns: y, a, b, w, n, e, g, z, o. */
static void write_row(const gb_model_check *c, const gb_model_twist *how, int i, double *to)
{
    const double of_y = how->of_y > 0 ? how->of_y : 1, of_x = how->of_x > 0 ? how->of_x : 1,
                 of_error = how->of_error > 0 ? how->of_error : 1;
    const bool is_changed = i == GB_MODEL_CHANGED;
    const double row[COLUMNS] = {is_changed && how->is_missing ? (double)NAN : of_y * outcome_of(c, i),
                                 of_x * (5 + unit(i, 5)) + how->more_a,
                                 unit(i, 6) - 0.3,
                                 is_changed && how->weight != 0 ? fmax(how->weight, 0)
                                                                : 1 - 0.5 * (i % 3 == 0),
                                 (6 + i % 2) * (how->of_trials > 0 ? how->of_trials : 1),
                                 of_y * of_error * (0.5 + unit(i, 7)),
                                 10 * ((i + how->other_groups) % 4),
                                 unit(i, 3) < 0.4,
                                 unit(i, 8) + how->more_offset};
    memcpy(to, row, sizeof row);
    for (int k = 0; k < COLUMNS && is_changed && how->gaps > 0; k++)
        if (k == A || k == Z || (how->gaps > 1 && (k == B || k == E)))
            to[k] = NAN;
}

gb_table *gb_model_table(const gb_model_check *c, gb_tape *t, gb_model_twist how)
{
    static const char *const names[COLUMNS] = {"y", "a", "b", "w", "n", "e", "g", "z", "o"},
                             *const levels[] = {"north", "south", "west"};
    double row[COLUMNS], value[COLUMNS][ROOM];
    const char *f[ROOM];
    int rows = 0;
    for (int i = 0; i < GB_MODEL_ROWS + how.is_twice; i++) {
        const int source = i < GB_MODEL_ROWS ? i : GB_MODEL_CHANGED;
        if (how.is_absent && source == GB_MODEL_CHANGED)
            continue;
        write_row(c, &how, source, row);
        for (int k = 0; k < COLUMNS; k++)
            value[k][rows] = row[k];
        f[rows++] = how.gaps > 0 && source == GB_MODEL_CHANGED ? NULL : levels[source % 3];
    }
    gb_table *const d = gb_table_new(t, "data", rows);
    for (int k = 0; k < COLUMNS; k++)
        gb_table_add(d, names[k], gb_numbers_of(GB_NUMBER_DOUBLE, value[k], (size_t)rows));
    gb_table_add_texts(d, "f", f);
    return d;
}

/* Weights of a model without outcome cannot stand in its formula. */
static gb_numbers weights_of(const gb_model_check *c, gb_tape *t, const gb_table *d)
{
    const gb_table_column *const w = gb_table_find(d, "w");
    const size_t rows = d ? (size_t)gb_table_rows(d) : 0;
    double *const copy = gb_tape_keep(t, ROOM * sizeof *copy);
    if (c->model.type->outcome || !w || !copy)
        return (gb_numbers){0};
    memcpy(copy, w->number, rows * sizeof *copy);
    return gb_numbers_of(GB_NUMBER_DOUBLE, copy, rows);
}

gb_analysis *gb_model_case(const gb_model_check *c, gb_tape *t, gb_model_twist how, gb_table **table)
{
    char formula[256];
    const gb_model_type *const type = c->model.type;
    gb_table *const d = gb_model_table(c, t, how);
    const char *const left = !type->outcome                      ? ""
                             : how.no_weights && !c->with_trials ? "y"
                             : how.no_weights                    ? "y | trials(n)"
                             : c->with_trials                    ? "y | trials(n) + weights(w)"
                                                                 : "y | weights(w)";
    snprintf(formula, sizeof formula, "%s ~ %s", left,
             how.columns        ? how.columns
             : c->columns       ? c->columns
             : type->no_columns ? "1"
             : type->outcome    ? "a + b"
             : c->has_bits      ? "z + f"
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
