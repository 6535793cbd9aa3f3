/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as the note of an analysis: a model is made of them, and predicts rows, or they are rejected in
 * words. The first byte chooses the design, which the tape has too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/tape.h"
#include "data/formula.h"
#include "fuzz.h"
#include "prediction/predict.h"
#include "ready/analysis.h"
#include "ready/analysis/facts_impl.h"
#include "ready/models.h"

static const char *const formulas[] = {"y ~ x + f", "f ~ x + y", "k | trials(n) ~ x + offset(y)",
                                       "y | weights(n) ~ f", "~ x + y - 1"};
enum { FORMULAS = sizeof formulas / sizeof *formulas, MOST_CLASSES = 50, MOST_COLUMNS = 6 };

static void need(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_analysis_note: %s\n", what);
    abort();
}

static void need_words(gb_tape *t, bool is_fine)
{
    need(is_fine == (gb_error(t) == GB_OK), "the result is not that of the tape");
    need(is_fine || *gb_error_text(t), "rejected without a reason");
    gb_forgive(t);
}

/* What a program may have saved. A model of another text could be as large as the text says. */
static const char *const models[] = {
    "linear", "linear:prior=horseshoe", "robust", "logistic", "multinomial", "ordinal", "mixture", "factor",
    "network"};

/* The model of the note, as a program that knows what it has saved. */
static bool model_of(gb_tape *t, gb_model *model)
{
    char error[512];
    gb_facts f;
    const bool is_read = gb_facts_read(t, "analysis.facts", &f);
    need_words(t, is_read);
    for (size_t i = 0; is_read && i < sizeof models / sizeof *models; i++)
        if (strcmp(models[i], f.model) == 0)
            return gb_model_parse(f.model, model, error, sizeof error) && f.classes <= MOST_CLASSES;
    return false;
}

/* In the place of those of a checkpoint. */
static void set_variables(gb_tape *t)
{
    enum { MOST = 64 };
    gb_node variable[MOST];
    const size_t count = gb_tape_variables(t, variable, MOST);
    for (size_t i = 0; i < count && i < MOST; i++)
        gb_set(variable[i], gb_fill(0.1));
}

static void predict(gb_analysis *a, gb_tape *t, const gb_table *table)
{
    const double x[MOST_COLUMNS] = {1, 2, 3, 4, 5, 6};
    const gb_model_site *const site = gb_analysis_site(a);
    const bool has_intercept = site->has_intercept && !gb_analysis_design(a);
    const int64_t columns = site->columns - has_intercept;
    gb_batches *const rows =
        gb_analysis_design(a)
            ? gb_analysis_rows(a, table)
            : gb_analysis_new_rows(a, .rows = 1,
                                   .x = columns > 0 ? gb_numbers_of(GB_NUMBER_DOUBLE, x, (size_t)columns)
                                                    : (gb_numbers){0});
    const bool has_rows = rows;
    need_words(t, has_rows);
    if (!has_rows)
        return;
    gb_prediction *const p = gb_predictive(gb_analysis_elbo(a), gb_analysis_outcome(a), .data = rows,
                                           .draws = 2, .only_moments = true);
    need_words(t, p != NULL);
    gb_prediction_free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    gb_model model;
    gb_tape *const t = gb_tape_new(.threads = 1);
    gb_table *const table =
        gb_table_of_text(t, "small", "y,x,f,k,n\n1,2,a,0,3\n2,4,b,1,3\n3,5,a,2,3\n2.5,1,c,3,3\n");
    const char *const formula = formulas[length > 0 ? data[0] % FORMULAS : 0];
    need(gb_design_new(t, formula, table, .name = "analysis.design") &&
             gb_design_new(t, "`f` ~ 1", table, .name = "analysis.groups"),
         "no design");
    need(length == 0 || gb_tape_note(t, "analysis.facts", data + 1, length - 1) == GB_OK, "no note");
    if (model_of(t, &model)) {
        gb_analysis *const a = gb_analysis_new(t, model, .noted = true);
        need_words(t, a != NULL);
        if (a && gb_analysis_site(a)->columns <= MOST_COLUMNS) {
            set_variables(t);
            predict(a, t, table);
        }
    }
    gb_table_free(table);
    gb_tape_free(t);
    return 0;
}
