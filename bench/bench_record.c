/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The work before the first run: recording, the gradient, and the plan. */
#include <grebe/core/gradient.h>
#include <grebe/ops/array.h>
#include <grebe/ops/elementwise.h>
#include <grebe/ops/reduce.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { NODES = 10000, ROUNDS = 11 };

typedef enum phase { RECORD, GRADIENT, COMPILE, RUN, PHASES } phase;

/* The result of a recording: y, and the variable of its gradient. */
typedef struct recorded {
    gb_node x, y;
} recorded;

/* A chain of scalars, of many different operations. */
static recorded record_scalars(gb_tape *tape, int nodes)
{
    const gb_node x = gb_variable(tape, "x", gb_shape(), GB_VALUES(0.7));
    const gb_node b = gb_variable(tape, "b", gb_shape(), GB_VALUES(0.01));
    gb_node y = x;
    for (int i = 0; i < nodes; i += 4)
        y = gb_add(gb_mul(gb_tanh(gb_sub(y, b)), x), b);
    return (recorded){x, y};
}

/* Layers of arrays of two shapes, with broadcasts and sums, as in models. */
static recorded record_arrays(gb_tape *tape, int nodes)
{
    const gb_node x = gb_variable(tape, "x", gb_shape(20, 30), gb_fill(0.1));
    const gb_node row = gb_variable(tape, "row", gb_shape(30), gb_fill(0.2));
    gb_node y = x;
    for (int i = 0; i < nodes; i += 5) {
        const gb_node column = gb_sum_along(gb_mul(y, row), gb_axis(0));
        y = gb_add(gb_tanh(gb_mul(y, column)), x);
    }
    return (recorded){x, gb_sum(y)};
}

/* Many slices of one vector, squared and summed. */
static recorded record_slices(gb_tape *tape, int slices)
{
    const gb_node x = gb_variable(tape, "x", gb_shape(slices), gb_fill(0.5));
    gb_node y = gb_num(tape, 0);
    for (int i = 0; i < slices; i++)
        y = gb_add(y, gb_square(gb_slice(x, 0, i, i + 1)));
    return (recorded){x, gb_sum(y)};
}

typedef recorded recorder(gb_tape *tape, int size);

/* Measures the seconds of each phase, on a new tape. */
static void once(recorder *record, int size, bool differentiate, double seconds[PHASES], gb_plan_facts *facts)
{
    gb_tape *tape = gb_tape_new(.threads = 1);
    double at[PHASES + 1] = {gb_bench_now()};
    const recorded r = record(tape, size);
    at[GRADIENT] = gb_bench_now();
    const gb_node gradient = differentiate ? gb_grad(r.y, r.x) : r.y;
    at[COMPILE] = gb_bench_now();
    gb_program *program = gb_compile(tape, gb_roots(r.y, gradient), gb_no_update);
    gb_bench_need(gb_prepare(program) == GB_OK, tape, "preparing");
    at[RUN] = gb_bench_now();
    gb_bench_need(gb_run(program) == GB_OK, tape, "running");
    at[PHASES] = gb_bench_now();
    gb_program_plan(program, facts);
    if (record == record_slices) {
        const double sum = gb_value(r.y), expected = 0.25 * size;
        double *slopes = gb_bench_read(gradient), *ones = gb_bench_zeros((size_t)size * sizeof *ones);
        for (int i = 0; i < size; i++)
            ones[i] = 1;
        gb_bench_agree("slices", 1, &sum, &expected, 1e-12);
        gb_bench_agree("slices, gradient", (size_t)size, slopes, ones, 1e-12);
        free(slopes);
        free(ones);
    }
    gb_tape_free(tape);
    for (int i = 0; i < PHASES; i++)
        seconds[i] = at[i + 1] - at[i];
}

typedef struct costs {
    double phase[PHASES], all; /* medians; all: without the run */
    gb_plan_facts facts;
} costs;

static costs cost_of(recorder *record, int size, bool differentiate)
{
    double seconds[PHASES], each[PHASES][ROUNDS], all[ROUNDS];
    costs c = {.all = 0};
    for (int round = -1; round < ROUNDS; round++) { /* the first one warms up */
        once(record, size, differentiate, seconds, &c.facts);
        if (round < 0)
            continue;
        for (int i = 0; i < PHASES; i++)
            each[i][round] = seconds[i];
        all[round] = seconds[RECORD] + seconds[GRADIENT] + seconds[COMPILE];
    }
    for (int i = 0; i < PHASES; i++)
        c.phase[i] = gb_bench_median(ROUNDS, each[i]);
    c.all = gb_bench_median(ROUNDS, all);
    return c;
}

static void row_of(const char *what, const char *target, gb_bench_verdict verdict, const costs *c)
{
    gb_bench_row(what, target, verdict, "%.2f ms (%.2f + %.2f + %.2f, run %.2f)", 1e3 * c->all,
                 1e3 * c->phase[RECORD], 1e3 * c->phase[GRADIENT], 1e3 * c->phase[COMPILE],
                 1e3 * c->phase[RUN]);
}

int main(void)
{
    static const int slices[] = {5000, 10000, 20000};
    char what[64];
    gb_bench_begin("Before the first run: recording + gradient + compiling, and the first run (double)");
    const struct {
        const char *name;
        recorder *record;
    } kinds[] = {{"scalars", record_scalars}, {"arrays", record_arrays}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const costs plain = cost_of(kinds[i].record, NODES, false),
                    with = cost_of(kinds[i].record, NODES, true);
        snprintf(what, sizeof what, "10,000 nodes, %s", kinds[i].name);
        row_of(what, "≤ 10 ms", gb_bench_passes(plain.all <= 10e-3), &plain);
        snprintf(what, sizeof what, "    with a gradient: %zu nodes run", with.facts.nodes);
        row_of(what, "", GB_BENCH_NOTE, &with);
    }
    double each[3];
    for (int i = 0; i < 3; i++) {
        const costs c = cost_of(record_slices, slices[i], true);
        each[i] = (c.all + c.phase[RUN]) / slices[i];
        snprintf(what, sizeof what, "%d slices of one vector, with gradient", slices[i]);
        row_of(what, "", GB_BENCH_NOTE, &c);
    }
    gb_bench_row("    a slice of 20,000 to one of 5,000", "≤ 1.5 times",
                 gb_bench_passes(each[2] <= 1.5 * each[0]), "%.2f times (%.0f ns, %.0f ns)",
                 each[2] / each[0], 1e9 * each[2], 1e9 * each[0]);
}
