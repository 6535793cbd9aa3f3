/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints one small run, sample by sample. Parameters are widened along the samples, so that each has its own
 * gradient. No program is compiled: before its first run a tape evaluates the nodes that are read. */
#include <stdlib.h>
#include <string.h>

#include "compare/compare.h"
#include "core/gradient.h"
#include "core/ground/text_impl.h"
#include "core/op.h"
#include "core/program.h"
#include "estimators/list.h"
#include "estimators/visit.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

enum { MOST_COLUMNS = 32, MOST_DRAWS = 8, MOST_COSTS = 8, MOST_NUMBERS = 8, TITLE = 64, CELL = 256 };

typedef struct column {
    char title[TITLE];
    gb_node node;   /* varies over the samples */
    size_t numbers; /* for each sample: elements times the sizes of other hidden axes */
    double *value;  /* sample after sample, then the mean */
    int wide;       /* characters */
} column;

typedef struct tracing {
    gb_trial trial;
    gb_node cost;
    int64_t samples;
    size_t draws, injections, columns, left_out;
    gb_node draw[MOST_DRAWS], injected[MOST_DRAWS];
    column column[MOST_COLUMNS];
} tracing;

/* ---- names ---- */

/* Names from an estimator's formula, for its evaluations of the cost and its injected terms. */
typedef struct words {
    const gb_estimator_type *type;
    const char *cost[MOST_COSTS], *injected[MOST_DRAWS];
} words;

static const words *words_of(const gb_estimator_type *type)
{
    static const words all[] = {{.type = &gb_rebar_estimator_type,
                                 .cost = {"f(b)", "f(s(z))", "f(s(z'))"},
                                 .injected = {"log q(b)", "s(z)", "s(z')"}}};
    static const words none = {0};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].type == type)
            return &all[i];
    return &none;
}

/* ---- what is shown ---- */

static void add_column(tracing *t, const char *title, const char *subject, gb_node node)
{
    if (t->columns == MOST_COLUMNS) {
        t->left_out++;
        return;
    }
    column *const c = &t->column[t->columns++];
    snprintf(c->title, sizeof c->title, "%s%s", title, subject);
    c->node = gb_widen(node, GB_SAMPLES);
}

static bool find_draw(void *context, gb_node node)
{
    tracing *const t = context;
    if (!gb_node_op(node)->opens)
        return true;
    if (t->draws < MOST_DRAWS)
        t->draw[t->draws++] = node;
    else
        t->left_out++;
    return true;
}

static bool find_injection(void *context, gb_node node)
{
    tracing *const t = context;
    if (gb_node_same(node, t->cost))
        return false;
    const char *const name = gb_node_op_name(node);
    if (strncmp(name, "inject", strlen("inject")) != 0)
        return true;
    if (t->injections < MOST_DRAWS)
        t->injected[t->injections++] = node;
    else
        t->left_out += 2; /* and its weight */
    return true;
}

static gb_axes evaluation_axes(gb_node x)
{
    return gb_node_axes(x) & ~(GB_SAMPLES | GB_ROWS);
}

/* Selects one evaluation along the axes of sites. */
static gb_node evaluation(gb_node x, int64_t which)
{
    for (gb_axes rest = evaluation_axes(x); rest; rest &= rest - 1) {
        const gb_axes axis = rest & (~rest + 1);
        const int64_t size = gb_site_axis_size(x.tape, axis);
        x = gb_select(x, axis, which % size);
        which /= size;
    }
    return x;
}

static int64_t evaluations(gb_node x)
{
    int64_t count = 1;
    for (gb_axes rest = evaluation_axes(x); rest; rest &= rest - 1)
        count *= gb_site_axis_size(x.tape, rest & (~rest + 1));
    return count;
}

static void add_draws(tracing *t)
{
    gb_visit(t->cost, find_draw, t);
    for (size_t i = t->draws; i-- > 0;)
        add_column(t, "", gb_node_name(t->draw[i]), evaluation(t->draw[i], 0));
    const int64_t count = evaluations(t->cost);
    const char *const *const names = words_of(t->trial.estimator.type)->cost;
    for (int64_t i = 0; i < count && i < MOST_COSTS; i++) {
        char title[TITLE] = "cost";
        if (names[i])
            snprintf(title, sizeof title, "%s", names[i]);
        else if (count > 1)
            snprintf(title, sizeof title, "cost %lld", (long long)i);
        add_column(t, title, "", evaluation(t->cost, i));
    }
    t->left_out += (size_t)(count > MOST_COSTS ? count - MOST_COSTS : 0);
}

/* inject(x, l, a) adds the term l with the weight a. */
static void add_injections(tracing *t, gb_node loss)
{
    gb_visit(loss, find_injection, t);
    const char *const *const names = words_of(t->trial.estimator.type)->injected;
    for (size_t i = 0; i < t->injections; i++) {
        const gb_node node = t->injected[t->injections - 1 - i]; /* in the order of recording */
        char subject[TITLE - 16] = "", weighted[TITLE - 16] = "";
        if (names[i])
            snprintf(weighted, sizeof weighted, " of %s", names[i]);
        else if (t->injections > 1)
            snprintf(weighted, sizeof weighted, " %zu", i + 1);
        snprintf(subject, sizeof subject, "%s", names[i] ? names[i] : weighted);
        add_column(t, names[i] ? "" : "injected", subject, gb_node_argument(node, 1));
        add_column(t, "weight", weighted, gb_node_argument(node, 2));
    }
}

static bool add_gradients(tracing *t, gb_node loss)
{
    const size_t count = t->trial.parameters;
    gb_node *const each = gb_tape_keep(t->trial.tape, (2 * count + 1) * sizeof *each);
    if (!each)
        return false;
    gb_node *const gradient = each + count;
    for (size_t i = 0; i < count; i++)
        each[i] = t->trial.parameter[i].each;
    if (gb_grads(loss, each, count, gradient) != GB_OK)
        return false;
    const gb_node samples = gb_axis_size(t->trial.tape, GB_SAMPLES);
    for (size_t i = 0; i < count; i++)
        add_column(t, "d/d ", t->trial.parameter[i].name, gb_mul(gradient[i], samples));
    return true;
}

/* ---- the table ---- */

/* Prints a number, or several in brackets, of which the first few. Returns the number of characters. */
static int cell(const double *x, size_t count, char text[CELL])
{
    if (count == 1)
        return snprintf(text, CELL, "%.6g", x[0]);
    int used = snprintf(text, CELL, "[");
    for (size_t i = 0; i < count && i < MOST_NUMBERS; i++)
        used += snprintf(text + used, CELL - (size_t)used, "%s%.4g", i ? " " : "", x[i]);
    return used + snprintf(text + used, CELL - (size_t)used, count > MOST_NUMBERS ? " ...]" : "]");
}

static bool read_column(const tracing *t, column *c)
{
    char text[CELL];
    const size_t samples = (size_t)t->samples, count = gb_value_count(c->node);
    c->numbers = count / samples;
    c->value = gb_tape_keep(t->trial.tape, (count + c->numbers + 1) * sizeof *c->value);
    if (!c->value || gb_read(c->node, c->value, count) != GB_OK)
        return false;
    double *const mean = c->value + count;
    memset(mean, 0, c->numbers * sizeof *mean);
    for (size_t i = 0; i < count; i++)
        mean[i % c->numbers] += c->value[i] / (double)samples;
    c->wide = (int)strlen(c->title);
    for (size_t s = 0; s <= samples; s++) {
        const int wide = cell(c->value + s * c->numbers, c->numbers, text);
        c->wide = wide > c->wide ? wide : c->wide;
    }
    return true;
}

/* The row after the last sample is the mean. */
static void print_row(const tracing *t, size_t sample, FILE *file)
{
    char text[CELL];
    for (size_t i = 0; i < t->columns; i++) {
        const column *const c = &t->column[i];
        cell(c->value + sample * c->numbers, c->numbers, text);
        fprintf(file, "  %*s", c->wide, text);
    }
    fputc('\n', file);
}

static void print_table(const tracing *t, FILE *file)
{
    fprintf(file, "%6s", "sample");
    for (size_t i = 0; i < t->columns; i++)
        fprintf(file, "  %*s", t->column[i].wide, t->column[i].title);
    fputc('\n', file);
    for (size_t s = 0; s < (size_t)t->samples; s++) {
        fprintf(file, "%6zu", s + 1);
        print_row(t, s, file);
    }
    fprintf(file, "%6s", "mean");
    print_row(t, (size_t)t->samples, file);
    if (t->left_out > 0)
        fprintf(file, "%zu more columns are left out\n", t->left_out);
}

/* Prints nothing until all values are known. */
static bool trace(tracing *t, const gb_problem *problem, FILE *file)
{
    t->trial.expect = gb_expect_new(t->trial.tape);
    t->cost = gb_trial_record(&t->trial, problem, false);
    const gb_node loss = gb_expected(t->trial.expect, t->cost);
    if (!gb_node_ok(loss))
        return false;
    add_draws(t);
    add_injections(t, loss);
    if (!add_gradients(t, loss))
        return false;
    for (size_t i = 0; i < t->columns; i++)
        if (!read_column(t, &t->column[i]))
            return false;
    fprintf(file, "%s by %s: %s\n", problem->name, t->trial.estimator.type->name,
            t->trial.estimator.type->formula);
    print_table(t, file);
    return true;
}

static bool settings_fit(tracing *t, const gb_problem *problem, size_t settings,
                         const gb_compare_setting *setting)
{
    gb_problem_defaults(problem, t->trial.setting);
    for (size_t i = 0; i < settings && setting; i++)
        if (!gb_problem_set(problem, t->trial.setting, setting[i].name, setting[i].value))
            gb_fail(t->trial.tape, GB_EARGUMENT, "problem %s: it has no setting %s that may be %g",
                    problem->name, setting[i].name ? setting[i].name : "(NULL)", setting[i].value);
    if (settings > 0 && !setting)
        gb_fail(t->trial.tape, GB_EARGUMENT, "trace: %zu settings, but no list of them", settings);
    return gb_error(t->trial.tape) == GB_OK;
}

gb_status gb_trace_estimate(const gb_problem *problem, size_t settings, const gb_compare_setting *setting,
                            gb_estimator estimator, int64_t samples, uint64_t seed, FILE *file)
{
    tracing t = {.trial = {.estimator = estimator, .replicates = GB_SAMPLES}, .samples = samples};
    if (!file)
        return GB_EARGUMENT;
    t.trial.tape = gb_tape_new(.seed = seed, .threads = 1, .samples = samples > 0 ? samples : 1);
    if (!t.trial.tape)
        return GB_ENOMEM;
    if (!problem || !estimator.type || samples < 1)
        gb_fail(t.trial.tape, GB_EARGUMENT, "trace: a problem, an estimator and a sample are required");
    else if (settings_fit(&t, problem, settings, setting))
        trace(&t, problem, file);
    const gb_status status = gb_complain(t.trial.tape, file);
    gb_tape_free(t.trial.tape);
    return gb_flushed(file) || status != GB_OK ? status : GB_ESYSTEM;
}
