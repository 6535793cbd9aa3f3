/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Designs: made, applied to other rows, noted; what they have. */
#include <math.h>
#include <string.h>

#include "data/design/bytes_impl.h"
#include "data/design/fill_impl.h"

static const char *const default_name = "design";

/* ---- life ---- */

static void release(void *user)
{
    gb_design *const d = user;
    const gb_memory memory = d->memory;
    if (d->owns_formula && d->formula) {
        gb_formula_free(d->formula);
        gb_memory_release(&memory, d->formula);
    }
    gb_arena_free(&d->arena);
    gb_memory_release(&memory, d);
}

/* A design without rows, which the tape owns. With `formula` NULL, it gets one of its own. */
static gb_design *make(gb_tape *tape, gb_formula *formula)
{
    const gb_memory memory = gb_tape_memory(tape);
    gb_design *const d = gb_memory_resize(&memory, NULL, sizeof *d);
    gb_formula *const own = d && !formula ? gb_memory_resize(&memory, NULL, sizeof *own) : NULL;
    if (!d || (!own && !formula)) {
        gb_memory_release(&memory, d);
        gb_fail(tape, GB_ENOMEM, "design: out of memory");
        return NULL;
    }
    *d = (gb_design){.tape = tape, .memory = memory, .formula = own ? own : formula, .owns_formula = own};
    d->arena.memory = &d->memory;
    if (own)
        *own = (gb_formula){.memory = memory, .arena = {.memory = &own->memory}, .text = {.tape = tape}};
    return gb_tape_own(tape, release, d) ? d : NULL;
}

static bool is_usable(gb_tape *tape, const char *who, const gb_table *table)
{
    if (!tape || gb_error(tape) != GB_OK)
        return false;
    if (!table)
        gb_fail(tape, GB_EARGUMENT, "%s: the table is NULL: reading it failed, on another tape", who);
    return table != NULL;
}

static bool read_formula(gb_formula *f, const char *text, const gb_row_source *source)
{
    const gb_table *const table = source->table;
    const size_t count = gb_table_columns(table);
    const char **const names = gb_memory_resize(&f->memory, NULL, (count + 1) * sizeof *names);
    for (size_t i = 0; names && i < count; i++)
        names[i] = gb_table_column_at(table, i)->name;
    const bool is_fine =
        names ? gb_formula_read(f, text, names, count, source->beside) : gb_formula_out_of_memory(f);
    gb_memory_release(&f->memory, names);
    return is_fine;
}

static bool note(const gb_design *d, const char *name)
{
    size_t count;
    char *const bytes = gb_formula_bytes(d->formula, &count);
    if (!bytes)
        return gb_formula_out_of_memory(d->formula);
    const gb_status status = gb_tape_note(d->tape, name, bytes, count);
    gb_memory_release(&d->memory, bytes);
    return status == GB_OK;
}

static bool weight_fits(gb_design *d, const gb_row_source *source, gb_numbers weight)
{
    const size_t rows = (size_t)gb_table_rows(source->table);
    if (weight.at && weight.count > 0 && weight.count < rows)
        return gb_fail(d->tape, GB_ESHAPE, "design: .weight has %zu numbers, and the table %zu rows",
                       weight.count, rows) == GB_OK;
    for (size_t i = 0; weight.at && i < rows; i++) {
        const double w = gb_numbers_at(weight, i);
        if (!(w >= 0) || isinf(w))
            return gb_fail(d->tape, GB_EARGUMENT,
                           "design: .weight is %g in row %zu, and must be finite and not negative", w,
                           i) == GB_OK;
    }
    return true;
}

gb_design *gb_design_new_with(gb_tape *tape, const char *formula, const gb_table *table,
                              const gb_design_options *options)
{
    gb_design_options o;
    if (!gb_options_take(tape, "design", &o, sizeof o, options) || !is_usable(tape, "design", table))
        return NULL;
    const char *const name = o.name ? o.name : default_name;
    if (!formula || (unsigned)o.contrasts > GB_CONTRASTS_POLY || (o.factors.count > 0 && !o.factors.factor)) {
        gb_fail(tape, GB_EARGUMENT, "design: %s",
                !formula                                   ? "the formula is NULL"
                : o.factors.count > 0 && !o.factors.factor ? ".factors is a list without members"
                                                           : ".contrasts is none of the contrasts");
        return NULL;
    }
    gb_design *const d = make(tape, NULL);
    const gb_row_source source = {.table = table,
                                  .beside = {o.beside[0], o.beside[1]},
                                  .learns = true,
                                  .drop_missing = o.drop_missing,
                                  .keep_missing_outcome = o.keep_missing_outcome,
                                  .keep_missing = o.keep_missing,
                                  .contrasts = o.contrasts,
                                  .factors = o.factors,
                                  .weight = o.weight};
    if (d && !weight_fits(d, &source, o.weight))
        return NULL;
    return d && read_formula(d->formula, formula, &source) && gb_design_fill(d, &source) && note(d, name)
               ? d
               : NULL;
}

gb_design *gb_design_apply_with(const gb_design *design, const gb_table *table,
                                const gb_design_apply_options *options)
{
    gb_design_apply_options o;
    gb_tape *const tape = design ? design->tape : NULL;
    if (!gb_options_take(tape, "design_apply", &o, sizeof o, options) ||
        !is_usable(tape, "design_apply", table))
        return NULL;
    gb_design *const d = make(tape, design->formula);
    const gb_row_source source = {.table = table,
                                  .beside = {o.beside[0], o.beside[1]},
                                  .drop_missing = o.drop_missing,
                                  .keep_missing_outcome = o.keep_missing_outcome,
                                  .keep_missing = o.keep_missing};
    return d && gb_design_fill(d, &source) ? d : NULL;
}

gb_design *gb_design_noted(gb_tape *tape, const char *name)
{
    size_t count;
    if (!tape || gb_error(tape) != GB_OK)
        return NULL;
    const void *const bytes = gb_tape_noted(tape, name, &count);
    if (!bytes) {
        gb_fail(tape, GB_ENAME, "design_noted: the tape has no note %.60s; load the checkpoint first",
                name ? name : "of no name");
        return NULL;
    }
    gb_design *const d = make(tape, NULL);
    return d && gb_formula_read_bytes(d->formula, name, bytes, count) ? d : NULL;
}

gb_factor_column_list gb_factors_of(size_t count, const gb_factor_column *factors)
{
    return (gb_factor_column_list){.factor = factors, .count = count};
}

/* ---- what it has ---- */

int64_t gb_design_columns(const gb_design *d)
{
    return d ? (int64_t)d->formula->columns : 0;
}

static bool has_column(const gb_design *d, int64_t column)
{
    return d && column >= 0 && column < (int64_t)d->formula->columns;
}

const char *gb_design_column_name(const gb_design *d, int64_t column)
{
    return has_column(d, column) ? d->formula->column_name[column] : NULL;
}

const char *gb_design_column_term(const gb_design *d, int64_t column)
{
    if (!has_column(d, column))
        return NULL;
    const uint32_t term = d->formula->column_term[column];
    return term == 0 ? d->formula->column_name[column] : d->formula->terms.at[term - 1].text;
}

bool gb_design_has_intercept(const gb_design *d)
{
    return d && d->formula->has_intercept;
}

gb_tape *gb_design_tape(const gb_design *d)
{
    return d ? d->tape : NULL;
}

const char *gb_design_formula(const gb_design *d)
{
    return d ? d->formula->text.text : NULL;
}

int64_t gb_design_rows(const gb_design *d)
{
    return d ? d->rows : 0;
}

gb_rows gb_design_rows_kept(const gb_design *d)
{
    return d ? gb_rows_of((size_t)d->rows, d->row) : (gb_rows){0};
}

static gb_numbers numbers(const gb_design *d, const double *values, int64_t in_row)
{
    if (!values)
        return (gb_numbers){0};
    return gb_numbers_of(GB_NUMBER_DOUBLE, values, (size_t)(d->rows * in_row));
}

gb_numbers gb_design_values(const gb_design *d)
{
    return numbers(d, d ? d->values : NULL, gb_design_columns(d));
}

gb_numbers gb_design_outcome(const gb_design *d)
{
    if (d && !d->outcome) {
        if (d->lacking)
            gb_fail(d->tape, GB_ENAME, "design_outcome: %.60s has no column %.60s, so it has no outcome",
                    d->table, d->lacking);
        else
            gb_fail(d->tape, GB_EARGUMENT, "design_outcome: %s",
                    d->formula->outcome == GB_NO_VARIABLE ? "the formula has no outcome left of ~"
                                                          : "the design has no rows");
    }
    return numbers(d, d ? d->outcome : NULL, 1);
}

gb_numbers gb_design_trials(const gb_design *d)
{
    return numbers(d, d ? d->trials : NULL, 1);
}

gb_numbers gb_design_weights(const gb_design *d)
{
    return numbers(d, d ? d->weights : NULL, 1);
}

gb_numbers gb_design_offset(const gb_design *d)
{
    return numbers(d, d ? d->offset : NULL, 1);
}

static const gb_formula_variable *outcome_of(const gb_design *d)
{
    const int32_t outcome = d ? d->formula->outcome : GB_NO_VARIABLE;
    return outcome == GB_NO_VARIABLE ? NULL : &d->formula->variables.at[outcome];
}

const char *gb_design_outcome_name(const gb_design *d)
{
    const gb_formula_variable *const outcome = outcome_of(d);
    if (!outcome)
        return "";
    return outcome->expression->kind == GB_SYNTAX_NAME ? outcome->expression->text : outcome->text;
}

bool gb_design_outcome_has_order(const gb_design *d)
{
    const gb_formula_variable *const outcome = outcome_of(d);
    return outcome && outcome->is_factor && outcome->levels.has_order;
}

const char *const *gb_design_outcome_levels(const gb_design *d, size_t *count)
{
    const gb_formula_variable *const outcome = outcome_of(d);
    const bool has_levels = outcome && outcome->is_factor;
    if (count)
        *count = has_levels ? outcome->levels.count : 0;
    return has_levels ? outcome->levels.level : NULL;
}
