/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One small run, sample by sample. Parameters are widened along the samples, so that each has its own gradient; before
 * its first run a tape evaluates whatever is read of it. */
#include <stdlib.h>
#include <string.h>

#include "core/gradient.h"
#include "core/op.h"
#include "core/program.h"
#include "estimators/compare.h"
#include "estimators/visit.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

enum { MOST_COLUMNS = 24, CELL = 13, TITLE = 64, NUMBER = 24 };

typedef struct column {
    char title[TITLE];
    gb_node node; /* what varies over the samples, and nothing else hidden */
} column;

typedef struct tracing {
    gb_trial trial;
    gb_node cost;
    size_t draws, injections, columns;
    gb_node draw[GB_PROBLEM_PARAMETERS], injected[GB_PROBLEM_PARAMETERS];
    column column[MOST_COLUMNS];
} tracing;

/* ---- what is told ---- */

static void add_column(tracing *t, const char *title, const char *subject, gb_node node)
{
    if (t->columns == MOST_COLUMNS || (gb_node_axes(node) & ~GB_SAMPLES))
        return;
    column *const c = &t->column[t->columns++];
    snprintf(c->title, sizeof c->title, "%s%s", title, subject);
    c->node = gb_widen(node, GB_SAMPLES);
}

static bool find_draw(void *context, gb_node node)
{
    tracing *const t = context;
    if (gb_node_operation(node)->opens && t->draws < GB_PROBLEM_PARAMETERS)
        t->draw[t->draws++] = node;
    return true;
}

static bool find_injection(void *context, gb_node node)
{
    tracing *const t = context;
    if (gb_node_same(node, t->cost))
        return false;
    const char *const name = gb_node_op(node);
    if (strncmp(name, "inject", strlen("inject")) == 0 && t->injections < GB_PROBLEM_PARAMETERS)
        t->injected[t->injections++] = node;
    return true;
}

/* One evaluation of what varies over those of a site. */
static gb_node evaluation(gb_node x, int64_t which)
{
    gb_axes rest = gb_node_axes(x) & ~(GB_SAMPLES | GB_ROWS);
    for (; rest; rest &= rest - 1)
        x = gb_select(x, rest & (~rest + 1), which);
    return x;
}

static int64_t evaluations(const tracing *t, gb_node x)
{
    const gb_axes hidden = gb_node_axes(x) & ~(GB_SAMPLES | GB_ROWS);
    return hidden && (hidden & (hidden - 1)) == 0 ? gb_site_axis_size(t->trial.tape, hidden) : 1;
}

static void add_draws(tracing *t)
{
    gb_visit(t->cost, find_draw, t);
    for (size_t i = t->draws; i-- > 0;)
        add_column(t, "", gb_node_name(t->draw[i]), evaluation(t->draw[i], 0));
    const int64_t count = evaluations(t, t->cost);
    for (int64_t i = 0; i < count && i < 8; i++) {
        char title[NUMBER] = "cost";
        if (count > 1)
            snprintf(title, sizeof title, "cost %lld", (long long)i);
        add_column(t, title, "", evaluation(t->cost, i));
    }
}

/* inject(x, l, a): l with the weight a. */
static void add_injections(tracing *t, gb_node loss)
{
    gb_visit(loss, find_injection, t);
    for (size_t i = 0; i < t->injections; i++) {
        char number[NUMBER];
        snprintf(number, sizeof number, " %zu", i + 1);
        add_column(t, "injected", t->injections > 1 ? number : "", gb_node_argument(t->injected[i], 1));
        add_column(t, "weight", t->injections > 1 ? number : "", gb_node_argument(t->injected[i], 2));
    }
}

static bool add_gradients(tracing *t, gb_node loss)
{
    gb_node each[GB_PROBLEM_PARAMETERS], gradient[GB_PROBLEM_PARAMETERS];
    for (size_t i = 0; i < t->trial.parameters; i++)
        each[i] = t->trial.parameter[i].each;
    if (gb_grads(loss, each, t->trial.parameters, gradient) != GB_OK)
        return false;
    const gb_node samples = gb_axis_size(t->trial.tape, GB_SAMPLES);
    for (size_t i = 0; i < t->trial.parameters; i++)
        add_column(t, "d/d ", t->trial.parameter[i].name, gb_mul(gradient[i], samples));
    return true;
}

/* ---- the table ---- */

/* A number, or several in brackets. */
static void print_cell(FILE *file, const double *x, size_t count)
{
    char text[256];
    int used = snprintf(text, sizeof text, "%s%.6g", count > 1 ? "[" : "", count ? x[0] : 0);
    for (size_t i = 1; i < count && used >= 0 && (size_t)used < sizeof text; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, " %.4g%s", x[i], i + 1 == count ? "]" : "");
    fprintf(file, " %*s", CELL, text);
}

static size_t width_of(const column *c)
{
    return gb_shape_count(gb_node_shape(c->node));
}

static gb_status print_table(tracing *t, int64_t samples, FILE *file)
{
    double *values[MOST_COLUMNS] = {NULL};
    fprintf(file, "%6s", "sample");
    for (size_t i = 0; i < t->columns; i++) {
        const size_t count = (size_t)samples * width_of(&t->column[i]);
        values[i] = gb_tape_keep(t->trial.tape, count * sizeof **values + 1);
        if (!values[i] || gb_read(t->column[i].node, values[i], count) != GB_OK)
            return gb_error(t->trial.tape);
        fprintf(file, " %*s", CELL, t->column[i].title);
    }
    for (int64_t s = 0; s < samples; s++) {
        fprintf(file, "\n%6lld", (long long)s + 1);
        for (size_t i = 0; i < t->columns; i++)
            print_cell(file, values[i] + (size_t)s * width_of(&t->column[i]), width_of(&t->column[i]));
    }
    fprintf(file, "\n%6s", "mean");
    for (size_t i = 0; i < t->columns; i++) {
        double mean[16] = {0};
        const size_t width = width_of(&t->column[i]);
        for (size_t j = 0; width <= 16 && j < (size_t)samples * width; j++)
            mean[j % width] += values[i][j] / (double)samples;
        print_cell(file, mean, width <= 16 ? width : 0);
    }
    fputc('\n', file);
    return GB_OK;
}

static gb_status trace(tracing *t, const gb_problem *problem, int64_t samples, FILE *file)
{
    t->trial.expect = gb_expect_new(t->trial.tape);
    t->cost = gb_trial_record(&t->trial, problem, false);
    const gb_node loss = gb_expected(t->trial.expect, t->cost);
    add_draws(t);
    add_injections(t, loss);
    if (!add_gradients(t, loss) || gb_error(t->trial.tape) != GB_OK)
        return gb_error(t->trial.tape);
    fprintf(file, "%s by %s: %s\n", problem->name, t->trial.estimator.type->name,
            t->trial.estimator.type->formula);
    return print_table(t, samples, file);
}

gb_status gb_trace_estimate(const gb_problem *problem, size_t settings, const gb_compare_setting *setting,
                            gb_estimator estimator, int64_t samples, uint64_t seed, FILE *file)
{
    tracing t = {.trial = {.estimator = estimator, .replicates = GB_SAMPLES}};
    if (!problem || !estimator.type || samples < 1 || !file)
        return GB_EARGUMENT;
    gb_problem_defaults(problem, t.trial.setting);
    for (size_t i = 0; i < settings; i++)
        if (!gb_problem_set(problem, t.trial.setting, setting[i].name, setting[i].value))
            return GB_EARGUMENT;
    t.trial.tape = gb_tape_new(.seed = seed, .threads = 1, .samples = samples);
    if (!t.trial.tape)
        return GB_ENOMEM;
    const gb_status status = trace(&t, problem, samples, file);
    gb_complain(t.trial.tape, file);
    gb_tape_free(t.trial.tape);
    return status;
}
