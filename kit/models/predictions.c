/* SPDX-License-Identifier: GPL-3.0-or-later */
/* New rows, in the process of the training and in another one. */
#include "kit/models/predictions_impl.h"

#include <math.h>
#include <stdio.h>

static const gb_model_twist lacking = {.is_missing = true};

gb_prediction *gb_model_predict(gb_analysis *a, const gb_table *d)
{
    return gb_predictive(gb_analysis_elbo(a), gb_analysis_outcome(a), .data = gb_analysis_rows(a, d),
                         .draws = 5);
}

static void check_rows(gb_model_check *c, const gb_prediction *p)
{
    gb_kit_verdict(&c->kit, GB_ON_ROWS, p && p->rows == GB_MODEL_ROWS, "%zu of %d rows are predicted",
                   p ? p->rows : 0, (int)GB_MODEL_ROWS);
    for (size_t i = 0; p && i < p->rows; i++) {
        const bool is_there = i != GB_MODEL_CHANGED || !c->model.type->outcome,
                   is_scored = p->log_density && isfinite(p->log_density[i * p->data]);
        const double median = p->quantile[3 * i * p->elements + 1];
        gb_kit_verdict(&c->kit, GB_ON_ROWS, isfinite(median), "the median of row %zu is %g", i, median);
        gb_kit_verdict(&c->kit, GB_ON_ROWS, is_there == is_scored, "row %zu is %sscored", i,
                       is_scored ? "" : "not ");
    }
}

enum { MOST_VARIABLES = 64, MOST_NUMBERS = 4096 };

/* Other values than those of the start. */
void gb_model_move(gb_tape *t)
{
    gb_node variable[MOST_VARIABLES];
    double value[MOST_NUMBERS];
    const size_t count = gb_tape_variables(t, variable, MOST_VARIABLES);
    for (size_t i = 0; i < count && i < MOST_VARIABLES; i++) {
        const size_t numbers = gb_shape_count(gb_node_shape(variable[i]));
        if (numbers > MOST_NUMBERS || gb_read(variable[i], value, numbers) != GB_OK)
            continue;
        for (size_t k = 0; k < numbers; k++)
            value[k] += 0.1 * sin(1.3 * (double)k + (double)i + 1);
        gb_set(variable[i], gb_values_of(value, numbers));
    }
}

/* As a checkpoint would have them. */
static void take_variables(gb_tape *from, gb_tape *to)
{
    gb_node variable[MOST_VARIABLES];
    double value[MOST_NUMBERS];
    const size_t count = gb_tape_variables(to, variable, MOST_VARIABLES);
    for (size_t i = 0; i < count && i < MOST_VARIABLES; i++) {
        const gb_node source = gb_variable_named(from, gb_variable_name(variable[i]));
        const size_t numbers = gb_shape_count(gb_node_shape(variable[i]));
        if (numbers <= MOST_NUMBERS && gb_read(source, value, numbers) == GB_OK)
            gb_set(variable[i], gb_values_of(value, numbers));
    }
}

static void take_notes(gb_tape *from, gb_tape *to)
{
    const char *name[16];
    const size_t count = gb_tape_notes(from, name, sizeof name / sizeof *name);
    for (size_t i = 0; i < count; i++) {
        size_t bytes;
        const void *const note = gb_tape_noted(from, name[i], &bytes);
        gb_tape_note(to, name[i], note, bytes);
    }
}

static void check_notes(gb_model_check *c, gb_tape *t, const gb_prediction *p)
{
    gb_tape *const other = gb_model_tape(c);
    gb_table *d = NULL;
    take_notes(t, other);
    gb_analysis *const a = gb_model_case(c, other, (gb_model_twist){.noted = true, .is_missing = true}, &d);
    take_variables(t, other);
    gb_prediction *const q = a ? gb_model_predict(a, d) : NULL;
    gb_kit_recorded(&c->kit, GB_ON_RECORDED, other);
    for (size_t i = 0; p && q && i < p->rows; i++)
        gb_kit_verdict(&c->kit, GB_ON_NOTES, q->quantile[3 * i + 1] == p->quantile[3 * i + 1],
                       "the median of row %zu is %.12g, and was %.12g", i, q->quantile[3 * i + 1],
                       p->quantile[3 * i + 1]);
    gb_prediction_free(q);
    gb_table_free(d);
    gb_tape_free(other);
}

/* New rows may lack an outcome, also if the training has all of them, and no weights. */
static void check_lacking(gb_model_check *c)
{
    gb_tape *const t = gb_model_tape(c);
    gb_analysis *const a = gb_model_case(c, t, (gb_model_twist){.no_weights = true}, NULL);
    gb_table *const d = gb_model_table(c, t, lacking);
    gb_prediction *const p = a ? gb_model_predict(a, d) : NULL;
    check_rows(c, p);
    gb_kit_recorded(&c->kit, GB_ON_RECORDED, t);
    gb_prediction_free(p);
    gb_table_free(d);
    gb_tape_free(t);
}

void gb_model_check_predictions(gb_model_check *c)
{
    const gb_model_type *const type = c->model.type;
    if (type->is_whole && !type->has_new_rows) {
        gb_kit_skip(&c->kit, GB_ON_ROWS, "it has no new rows");
        gb_kit_skip(&c->kit, GB_ON_NOTES, "it has no new rows");
        return;
    }
    gb_tape *const t = gb_model_tape(c);
    gb_table *d = NULL;
    gb_analysis *const a = gb_model_case(c, t, lacking, &d);
    gb_model_move(t);
    gb_prediction *const p = a ? gb_model_predict(a, d) : NULL;
    check_rows(c, p);
    gb_kit_recorded(&c->kit, GB_ON_RECORDED, t);
    if (type->is_whole)
        gb_kit_skip(&c->kit, GB_ON_NOTES, "its data are constants of the recording");
    else
        check_notes(c, t, p);
    gb_prediction_free(p);
    gb_table_free(d);
    gb_tape_free(t);
    if (type->outcome)
        check_lacking(c);
}
