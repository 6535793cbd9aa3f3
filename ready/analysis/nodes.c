/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrays as nodes: inputs that vary over rows, or constants. */
#include "ready/analysis/made_impl.h"

#include <string.h>

#include "core/tape.h"

/* A column of numbers. */
static gb_node of_rows(gb_analysis *a, const char *name, const double *array)
{
    gb_tape *const t = a->site.tape;
    if (!array)
        return (gb_node){0};
    return a->type->is_whole
               ? gb_constant(t, gb_shape(a->rows.rows), gb_values_of(array, (size_t)a->rows.rows))
               : gb_input_rows(t, gb_model_name(&a->site, name), gb_shape());
}

static gb_node of_groups(gb_analysis *a)
{
    gb_tape *const t = a->site.tape;
    if (!a->rows.group)
        return (gb_node){0};
    return a->type->is_whole ? gb_ints(t, gb_shape(a->rows.rows), a->rows.group)
                             : gb_input_rows_ints(t, gb_model_name(&a->site, "group"), gb_shape());
}

static gb_node of_columns(gb_analysis *a, const char *name, gb_numbers x)
{
    gb_tape *const t = a->site.tape;
    const int64_t rows = a->rows.rows, columns = a->rows.columns;
    if (!x.at || columns == 0)
        return (gb_node){0};
    if (!a->type->is_whole)
        return gb_input_rows(t, gb_model_name(&a->site, name), gb_shape(columns));
    double *const values = gb_tape_keep(t, (size_t)(rows * columns) * sizeof *values);
    for (int64_t i = 0; values && i < rows * columns; i++)
        values[i] = gb_numbers_at(x, (size_t)i);
    return values ? gb_constant(t, gb_shape(rows, columns), gb_values_of(values, (size_t)(rows * columns)))
                  : (gb_node){0};
}

bool gb_analysis_make_nodes(gb_analysis *a)
{
    gb_model_site *const s = &a->site;
    const gb_row_arrays *const r = &a->rows;
    s->x = of_columns(a, "x", r->x);
    if (r->present)
        s->present = of_columns(a, "present", gb_doubles(r->present));
    s->y = of_rows(a, "y", r->y);
    s->weight = of_rows(a, "weight", r->weight);
    s->trials = of_rows(a, "trials", r->trials);
    s->offset = of_rows(a, "offset", r->offset);
    s->error = of_rows(a, "error", r->error);
    s->group = of_groups(a);
    if (a->type->has_new_rows && r->columns > 0)
        s->new_x = gb_input_rows(s->tape, gb_model_name(s, "new x"), gb_shape(r->columns));
    return gb_error(s->tape) == GB_OK;
}

/* Rows count once, unless they say. */
static const double *weights_of(const gb_analysis *a, const gb_row_arrays *r)
{
    if (r->weight)
        return r->weight;
    double *const ones = gb_tape_keep(a->site.tape, (size_t)r->rows * sizeof *ones + 1);
    for (int64_t i = 0; ones && i < r->rows; i++)
        ones[i] = 1;
    return ones;
}

/* Numbers that are there, if some were missing in the training. Returns false on error. */
static bool present_of(const gb_analysis *a, const gb_row_arrays *r, const double **present)
{
    *present = r->present;
    if (r->present && !gb_node_ok(a->site.present))
        return gb_fail(a->site.tape, GB_EARGUMENT,
                       "analysis: numbers are missing in the new rows, and none was in the training; the "
                       "model has no place for them") == GB_OK;
    if (r->present || !gb_node_ok(a->site.present))
        return true;
    const int64_t count = r->rows * r->columns;
    double *const ones = gb_tape_keep(a->site.tape, (size_t)count * sizeof *ones + 1);
    for (int64_t i = 0; ones && i < count; i++)
        ones[i] = 1;
    *present = ones;
    return ones;
}

enum { MOST_COLUMNS = 8 };

static size_t columns_of_rows(const gb_analysis *a, const gb_row_arrays *r, gb_column *column)
{
    const gb_model_site *const s = &a->site;
    const gb_node weight = gb_node_ok(s->weight) ? s->weight : s->parts->new_weight;
    const double *present;
    if (!present_of(a, r, &present))
        return 0;
    const struct {
        gb_node input;
        const double *array;
    } of_rows[] = {{s->y, r->y},           {weight, r->y || !a->type->outcome ? weights_of(a, r) : NULL},
                   {s->trials, r->trials}, {s->offset, r->offset},
                   {s->error, r->error},   {s->present, present}};
    size_t count = 0;
    if (gb_node_ok(s->x))
        column[count++] = (gb_column){s->x, r->x};
    for (size_t i = 0; i < sizeof of_rows / sizeof *of_rows; i++)
        if (gb_node_ok(of_rows[i].input) && of_rows[i].array)
            column[count++] = (gb_column){of_rows[i].input, gb_doubles(of_rows[i].array)};
    if (gb_node_ok(s->group))
        column[count++] = (gb_column){s->group, gb_int64s(r->group)};
    return count;
}

/* Of new rows of a whole. */
static size_t columns_foreseen(const gb_analysis *a, const gb_row_arrays *r, gb_column *column)
{
    const gb_model_site *const s = &a->site;
    size_t count = 0;
    if (gb_node_ok(s->new_x))
        column[count++] = (gb_column){s->new_x, r->x};
    if (gb_node_ok(s->parts->new_y) && r->y) {
        column[count++] = (gb_column){s->parts->new_y, gb_doubles(r->y)};
        column[count++] = (gb_column){s->parts->new_weight, gb_doubles(weights_of(a, r))};
    }
    return count;
}

/* Values of the rows that were kept, at their places in the table. */
static bool spread(gb_tape *t, const gb_row_arrays *r, gb_column *column)
{
    const size_t width = gb_shape_count(gb_node_shape(column->input)),
                 bytes = (size_t)r->table_rows * width * sizeof(double);
    double *const wide = gb_tape_keep(t, bytes + 1);
    if (!wide)
        return false;
    memset(wide, 0, bytes);
    for (size_t i = 0; i < r->kept.count * width; i++)
        wide[(size_t)r->kept.row[i / width] * width + i % width] = gb_numbers_at(column->values, i);
    column->values = gb_doubles(wide);
    return true;
}

gb_batches *gb_analysis_feed(const gb_analysis *a, const gb_row_arrays *r, bool are_new, const char *name)
{
    gb_tape *const t = a->site.tape;
    gb_column column[MOST_COLUMNS];
    const size_t count = (a->type->is_whole ? columns_foreseen : columns_of_rows)(a, r, column);
    const bool has_gaps = r->kept.row;
    /* A prediction says which rows of the table it is of. */
    for (size_t i = 0; has_gaps && i < count; i++)
        if (!spread(t, r, &column[i]))
            return NULL;
    return gb_batches_new(t, .rows = has_gaps ? r->table_rows : r->rows, .only = r->kept,
                          .batch = are_new ? 0 : a->options.batch, .in_order = are_new,
                          .columns = gb_columns_of(count, column), .name = name);
}
