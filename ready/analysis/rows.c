/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ready/analysis/rows_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct reading {
    gb_tape *tape;
    const gb_row_source *from;
    gb_row_arrays *to;
} reading;

/* ---- arrays on the tape ---- */

static double *new_array(const reading *r, int64_t count)
{
    return gb_tape_keep(r->tape, (size_t)count * sizeof(double) + 1);
}

static const double *doubles_of(const reading *r, gb_numbers numbers, int64_t count)
{
    double *const array = new_array(r, count);
    for (int64_t i = 0; array && i < count; i++)
        array[i] = gb_numbers_at(numbers, (size_t)i);
    return array;
}

static const char *place_of(const reading *r, int64_t row, char text[GB_TABLE_PLACE])
{
    if (!r->from->table) {
        snprintf(text, GB_TABLE_PLACE, "row %lld", (long long)row);
        return text;
    }
    return gb_table_place(r->from->table, row, text);
}

/* ---- the columns ---- */

/* Leaves out the intercept, where the model has none. */
static bool read_design(const reading *r)
{
    gb_design *const d = r->from->design;
    const gb_numbers all = gb_design_values(d);
    const int64_t columns = gb_design_columns(d);
    gb_row_arrays *const to = r->to;
    to->rows = gb_design_rows(d);
    to->columns = columns;
    to->x = all;
    if (!r->from->type->no_intercept || !gb_design_has_intercept(d))
        return gb_error(r->tape) == GB_OK;
    to->columns = columns - 1;
    double *const x = new_array(r, to->rows * to->columns);
    for (int64_t i = 0; x && i < to->rows * to->columns; i++)
        x[i] = gb_numbers_at(all, (size_t)(i / to->columns * columns + 1 + i % to->columns));
    to->x = gb_numbers_of(GB_NUMBER_DOUBLE, x, (size_t)(to->rows * to->columns));
    return x;
}

static int64_t rows_of(const gb_row_source *s)
{
    const int64_t columns = s->columns > 0 ? s->columns : 1;
    return s->rows > 0 ? s->rows : s->y.count > 0 ? (int64_t)s->y.count : (int64_t)s->x.count / columns;
}

static bool counts_fit(const reading *r, gb_numbers numbers, int64_t count, const char *what)
{
    if (!numbers.at || numbers.count == 0 || numbers.count == (size_t)count)
        return true;
    return gb_fail(r->tape, GB_ESHAPE, "analysis: .%s has %zu numbers, and %lld are needed (%lld rows)", what,
                   numbers.count, (long long)count, (long long)r->to->rows) == GB_OK;
}

/* Missing numbers of a model whose data are the columns. */
static bool read_present(const reading *r)
{
    gb_row_arrays *const to = r->to;
    const int64_t count = to->rows * to->columns;
    int64_t missing = -1;
    for (int64_t i = 0; i < count && missing < 0; i++) {
        const double x = gb_numbers_at(to->x, (size_t)i);
        if (isinf(x) || (isnan(x) && r->from->type->outcome))
            return gb_fail(r->tape, GB_EARGUMENT,
                           "analysis: column %lld of row %lld of .x is %g, and must be a finite number",
                           (long long)(i % to->columns), (long long)(i / to->columns), x) == GB_OK;
        missing = isnan(x) ? i : missing;
    }
    if (missing < 0)
        return true;
    double *const x = new_array(r, count), *const present = new_array(r, count);
    if (!x || !present)
        return false;
    for (int64_t i = 0; i < count; i++) {
        const double value = gb_numbers_at(to->x, (size_t)i);
        present[i] = isnan(value) ? 0 : 1;
        x[i] = isnan(value) ? 0 : value;
    }
    to->x = gb_numbers_of(GB_NUMBER_DOUBLE, x, (size_t)count);
    to->present = present;
    return true;
}

static bool read_arrays(const reading *r)
{
    const gb_row_source *const from = r->from;
    gb_row_arrays *const to = r->to;
    to->columns = from->x.at ? (from->columns > 0 ? from->columns : 1) : 0;
    to->rows = rows_of(from);
    to->x = from->x;
    if (to->rows < 1)
        return gb_fail(r->tape, GB_EARGUMENT,
                       "analysis: the number of rows is not known; give .rows, or arrays with a count "
                       "(gb_numbers_of)") == GB_OK;
    return counts_fit(r, from->x, to->rows * to->columns, "x") && counts_fit(r, from->y, to->rows, "y") &&
           counts_fit(r, from->weight, to->rows, "weight");
}

/* As a formula does, so the numbers are copied. */
static bool add_intercept(const reading *r)
{
    gb_row_arrays *const to = r->to;
    const int64_t before = to->columns, columns = before + 1;
    double *const x = new_array(r, to->rows * columns);
    for (int64_t i = 0; x && i < to->rows * columns; i++)
        x[i] = i % columns == 0 ? 1 : gb_numbers_at(to->x, (size_t)(i / columns * before + i % columns - 1));
    to->x = gb_numbers_of(GB_NUMBER_DOUBLE, x, (size_t)(to->rows * columns));
    to->columns = columns;
    to->has_intercept = true;
    return x;
}

/* ---- outcomes ---- */

static bool reject(const reading *r, int64_t row, double y, const char *must_be)
{
    char place[GB_TABLE_PLACE];
    gb_fail(r->tape, GB_EARGUMENT, "analysis: %s is %g in %s, and must be %s", r->from->name, y,
            place_of(r, row, place), must_be);
    return false;
}

static bool outcome_fits(const reading *r, int64_t row, double y, int64_t classes)
{
    char words[64];
    if (!gb_domain_holds(r->from->domain, y))
        return reject(r, row, y, r->from->domain->must_be);
    if (r->to->trials && y > r->to->trials[row]) {
        snprintf(words, sizeof words, "at most the %g trials", r->to->trials[row]);
        return reject(r, row, y, words);
    }
    if (classes > 0 && !r->to->trials && y >= (double)classes) {
        snprintf(words, sizeof words, "below %lld, the number of classes", (long long)classes);
        return reject(r, row, y, words);
    }
    return true;
}

/* New rows may lack all outcomes: they get a number that can be one. Returns false if none is known. */
static bool take_some_outcome(const reading *r, double *y)
{
    static const double some[] = {0, 1, 0.5};
    const gb_model_type *const type = r->from->type;
    for (size_t i = 0; !type->draws_missing && i < sizeof some / sizeof *some; i++)
        if (gb_domain_holds(type->outcome, some[i])) {
            *y = some[i];
            return true;
        }
    return false;
}

/* A missing outcome gets the first value that is there, and weight 0. */
static bool fill_missing(const reading *r, double *y)
{
    gb_row_arrays *const to = r->to;
    int64_t first = 0;
    while (first < to->rows && isnan(y[first]))
        first++;
    double some = first < to->rows ? y[first] : (double)NAN;
    if (first == to->rows && r->from->are_new && !take_some_outcome(r, &some)) {
        to->y = NULL; /* as without the column */
        return true;
    }
    if (isnan(some))
        return gb_fail(r->tape, GB_EARGUMENT, "analysis: all outcomes of %s are missing", r->from->name) ==
               GB_OK;
    double *const weight = new_array(r, to->rows);
    int64_t *const rows = gb_tape_keep(r->tape, (size_t)to->rows * sizeof *rows);
    if (!weight || !rows)
        return false;
    const bool are_latents = r->from->type->draws_missing;
    for (int64_t i = 0; i < to->rows; i++) {
        const bool is_missing = isnan(y[i]);
        weight[i] = is_missing && !are_latents ? 0 : to->weight ? to->weight[i] : 1;
        if (is_missing)
            rows[to->missing++] = i;
        y[i] = is_missing ? some : y[i];
    }
    to->missing_row = rows;
    to->weight = are_latents ? to->weight : weight;
    return true;
}

static bool read_outcome(const reading *r, gb_numbers outcome, int64_t classes)
{
    gb_row_arrays *const to = r->to;
    double *const y = new_array(r, to->rows);
    bool is_complete = true;
    if (!y)
        return false;
    for (int64_t i = 0; i < to->rows; i++) {
        y[i] = gb_numbers_at(outcome, (size_t)i);
        is_complete &= !isnan(y[i]);
        if (!isnan(y[i]) && !outcome_fits(r, i, y[i], classes))
            return false;
    }
    to->y = y;
    return is_complete || fill_missing(r, y);
}

/* A new row whose weight is missing is predicted, and not scored. */
static const double *weights_of_design(const reading *r)
{
    const gb_numbers given = gb_design_weights(r->from->design);
    double *const weight = given.at ? new_array(r, r->to->rows) : NULL;
    for (int64_t i = 0; weight && i < r->to->rows; i++) {
        weight[i] = gb_numbers_at(given, (size_t)i);
        weight[i] = r->from->are_new && isnan(weight[i]) ? 0 : weight[i];
    }
    return weight;
}

static bool weights_fit(const reading *r)
{
    char place[GB_TABLE_PLACE];
    for (int64_t i = 0; r->to->weight && i < r->to->rows; i++)
        if (!(r->to->weight[i] >= 0) || isinf(r->to->weight[i]))
            return gb_fail(r->tape, GB_EARGUMENT,
                           "analysis: the weight is %g in %s, and must be finite and not negative",
                           r->to->weight[i], place_of(r, i, place)) == GB_OK;
    return true;
}

/* ---- columns of the table beside the formula ---- */

static bool read_group(const reading *r)
{
    const gb_numbers index = gb_design_outcome(r->from->groups);
    int64_t *const group = gb_tape_keep(r->tape, (size_t)r->to->rows * sizeof *group);
    for (int64_t i = 0; group && i < r->to->rows; i++)
        group[i] = (int64_t)gb_numbers_at(index, (size_t)i);
    r->to->group = group;
    return group && gb_error(r->tape) == GB_OK;
}

static bool read_error(const reading *r)
{
    const gb_table_column *const c = gb_table_column_named(r->from->table, r->from->error);
    double *const error = c ? new_array(r, r->to->rows) : NULL;
    char place[GB_TABLE_PLACE];
    for (int64_t i = 0; error && i < r->to->rows; i++) {
        error[i] = c->number ? c->number[i] : (double)NAN;
        if (isnan(error[i]) && c->number)
            return gb_fail(r->tape, GB_EARGUMENT,
                           "analysis: the standard error %s is missing in %s; a row without outcome needs "
                           "it, too, to be predicted",
                           r->from->error, place_of(r, i, place)) == GB_OK;
        if (!(error[i] > 0) || isinf(error[i]))
            return gb_fail(r->tape, GB_EARGUMENT,
                           "analysis: the standard error %s is %g in %s, and must be positive and finite",
                           r->from->error, error[i], place_of(r, i, place)) == GB_OK;
    }
    r->to->error = error;
    return error;
}

static const double *optional(const reading *r, gb_numbers numbers)
{
    return numbers.at ? doubles_of(r, numbers, r->to->rows) : NULL;
}

static gb_numbers outcome_of(const reading *r)
{
    const gb_row_source *const from = r->from;
    if (!from->type->outcome || gb_error(r->tape) != GB_OK)
        return (gb_numbers){0};
    const gb_numbers y = from->design ? gb_design_outcome(from->design) : from->y;
    if (from->are_new && !y.at)
        gb_forgive(r->tape);
    else if (!y.at && gb_error(r->tape) == GB_OK)
        gb_fail(r->tape, GB_EARGUMENT, "analysis: the model needs an outcome, as .y or left of ~");
    return y;
}

/* Trials of cbind are missing where the outcome is. */
static bool trials_fit(const reading *r)
{
    char place[GB_TABLE_PLACE];
    for (int64_t i = 0; r->to->trials && i < r->to->rows; i++)
        if (isnan(r->to->trials[i]))
            return gb_fail(r->tape, GB_EARGUMENT,
                           "analysis: the number of trials is missing in %s, and successes are predicted of "
                           "so many; leave out the row (gb_table_complete), or give it by \"successes | "
                           "trials(n)\"",
                           place_of(r, i, place)) == GB_OK;
    return true;
}

/* Missing numbers are 0 here, and are not looked at. */
static bool columns_fit(const reading *r)
{
    const gb_domain *const domain = r->from->type->outcome ? NULL : r->from->domain;
    const gb_row_arrays *const to = r->to;
    char place[GB_TABLE_PLACE];
    for (int64_t i = 0; domain && i < to->rows * to->columns; i++) {
        const double x = gb_numbers_at(to->x, (size_t)i);
        if (!gb_domain_holds(domain, x) && !(to->present && to->present[i] == 0))
            return gb_fail(r->tape, GB_EARGUMENT, "analysis: column %lld is %g in %s, and columns must be %s",
                           (long long)(i % to->columns), x, place_of(r, i / to->columns, place),
                           domain->must_be) == GB_OK;
    }
    return true;
}

/* Weights of arrays, or, of a design without outcome, those of the rows of its table. */
static const double *given_weights(const reading *r)
{
    const gb_row_source *const from = r->from;
    const size_t count = from->weight.count;
    if (!from->design)
        return optional(r, from->weight);
    const gb_rows kept = gb_design_rows_kept(from->design);
    double *const weight = new_array(r, r->to->rows);
    size_t row = 0;
    for (int64_t i = 0; weight && i < r->to->rows; i++) {
        row = kept.row ? (size_t)kept.row[i] : (size_t)i;
        weight[i] = count == 0 || row < count ? gb_numbers_at(from->weight, row) : 0;
    }
    if (count > 0 && row >= count)
        gb_fail(r->tape, GB_ESHAPE, "analysis: .weight has %zu numbers, and the table more rows", count);
    return weight;
}

bool gb_row_arrays_read(gb_tape *tape, const gb_row_source *source, int64_t classes, gb_row_arrays *rows)
{
    const reading r = {.tape = tape, .from = source, .to = rows};
    gb_design *const d = source->design;
    *rows = (gb_row_arrays){.rows = 0};
    if (!(d ? read_design(&r) : read_arrays(&r)) || !read_present(&r) || !columns_fit(&r) ||
        (source->adds_intercept && !add_intercept(&r)))
        return false;
    rows->weight = source->weight.at ? given_weights(&r) : d ? weights_of_design(&r) : NULL;
    rows->trials = d ? optional(&r, gb_design_trials(d)) : NULL;
    rows->offset = d ? optional(&r, gb_design_offset(d)) : NULL;
    const gb_numbers y = outcome_of(&r);
    return gb_error(tape) == GB_OK && trials_fit(&r) && weights_fit(&r) &&
           (!y.at || read_outcome(&r, y, classes)) && (!source->groups || read_group(&r)) &&
           (!source->error || read_error(&r));
}
