/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Eight schools (Rubin 1981), non-centred: a log density in 10 dimensions with its gradient, where nearly all
 * time is overhead. */
#include <grebe/core/gradient.h>
#include <grebe/ops/array.h>
#include <grebe/ops/elementwise.h>
#include <grebe/ops/reduce.h>
#include <math.h>
#include <string.h>

#include "bench.h"
#include "hand.h"

enum { DIMENSIONS = 10 };
static const double log_two_pi = 1.8378770664093453;
static const double pi = 3.14159265358979323846;

/* log N(x; mean, scale) */
static gb_node normal(gb_node x, gb_node mean, gb_node scale)
{
    const gb_node z = gb_div(gb_sub(x, mean), scale);
    return gb_sub(gb_scale(gb_square(z), -0.5), gb_shift(gb_log(scale), 0.5 * log_two_pi));
}

static gb_node log_density(gb_tape *tape, gb_node z, gb_node mu, gb_node log_tau)
{
    const gb_node effect = gb_constant(tape, gb_shape(8), GB_VALUES(28, 8, -3, 7, -1, 1, 18, 12));
    const gb_node scale = gb_constant(tape, gb_shape(8), GB_VALUES(15, 10, 16, 11, 9, 11, 10, 18));
    const gb_node tau = gb_exp(log_tau), zero = gb_num(tape, 0), one = gb_num(tape, 1),
                  five = gb_num(tape, 5);
    const gb_node cauchy = gb_shift(gb_neg(gb_log1p(gb_square(gb_div(tau, five)))), log(2 / (5 * pi)));
    const gb_node data = gb_sum(normal(effect, gb_add(mu, gb_mul(tau, z)), scale));
    const gb_node prior = gb_add(gb_sum(normal(z, zero, one)), normal(mu, zero, five));
    return gb_add(gb_add(data, prior), gb_add(cauchy, log_tau));
}

typedef struct grebe {
    gb_program *program;
    gb_node q, value, gradient;
    double at[DIMENSIONS], result[1 + DIMENSIONS];
} grebe;

/* The calls of a sampler. */
static void feed_run_read(void *context)
{
    grebe *g = context;
    gb_feed(g->q, g->at, 1);
    gb_bench_run_program(g->program);
    gb_read(g->value, g->result, 1);
    gb_read(g->gradient, g->result + 1, DIMENSIONS);
}

/* Records it with three variables, or with one input that is cut up. */
static grebe record(gb_tape *tape, const double *q)
{
    grebe g = {.q = gb_input(tape, "q", gb_shape(DIMENSIONS))};
    const gb_node z = gb_slice(g.q, 0, 0, 8);
    const gb_node mu = gb_at(g.q, 8);
    const gb_node log_tau = gb_at(g.q, 9);
    memcpy(g.at, q, sizeof g.at);
    g.value = log_density(tape, z, mu, log_tau);
    g.gradient = gb_grad(g.value, g.q);
    g.program = gb_compile(tape, gb_roots(g.value, g.gradient), gb_no_update);
    return g;
}

static gb_program *record_variables(gb_tape *tape, const double *q, gb_node roots[4])
{
    const gb_node z = gb_variable(tape, "z", gb_shape(8), gb_values_of(q, 8));
    const gb_node mu = gb_variable(tape, "mu", gb_shape(), GB_VALUES(q[8]));
    const gb_node log_tau = gb_variable(tape, "log tau", gb_shape(), GB_VALUES(q[9]));
    roots[0] = log_density(tape, z, mu, log_tau);
    gb_grads(roots[0], (gb_node[]){z, mu, log_tau}, 3, roots + 1);
    return gb_compile(tape, (gb_node_list){.count = 4, .node = roots}, gb_no_update);
}

int main(void)
{
    gb_hand_schools hand = {.q = {0.3, -0.5, 0.8, 0.1, -1.2, 0.4, 0.9, -0.2, 4.4, 1.1}};
    gb_tape *tape = gb_tape_new(.threads = 1);
    gb_node roots[4];
    grebe g = record(tape, hand.q);
    gb_program *variables = record_variables(tape, hand.q, roots);
    gb_plan_facts facts = {0};
    gb_bench_need(gb_program_plan(variables, &facts) == GB_OK && gb_run(variables) == GB_OK, tape, "schools");

    gb_hand_schools_run(&hand);
    feed_run_read(&g);
    gb_bench_need(gb_error(tape) == GB_OK, tape, "schools");
    double ours[DIMENSIONS] = {[8] = gb_value(roots[2]), gb_value(roots[3])};
    const double value = gb_value(roots[0]);
    gb_read(roots[1], ours, 8);
    gb_bench_agree("schools, value", 1, g.result, &hand.value, 1e-13);
    gb_bench_agree("schools, gradient", DIMENSIONS, g.result + 1, hand.gradient, 1e-13);
    gb_bench_agree("schools of variables, value", 1, &value, &hand.value, 1e-13);
    gb_bench_agree("schools of variables, gradient", DIMENSIONS, ours, hand.gradient, 1e-13);

    gb_bench_begin(
        "Eight schools, non-centred: log density and gradient, 10 dimensions (double; Stan Math 0.48 µs)");
    gb_bench_time time[3];
    gb_bench_measure(3,
                     (gb_bench_job[]){{gb_hand_schools_run, &hand},
                                      {gb_bench_run_program, variables},
                                      {feed_run_read, &g}},
                     time);
    gb_bench_row("a run", "≤ 0.3 µs", gb_bench_passes(time[1].seconds <= 0.3e-6),
                 "%.3f µs, %zu nodes, %zu calls", 1e6 * time[1].seconds, facts.nodes, facts.instructions);
    gb_program_plan(g.program, &facts);
    gb_bench_row("cut from one fed vector, run, and read", "", GB_BENCH_NOTE, "%.3f µs, %zu nodes, %zu calls",
                 1e6 * time[2].seconds, facts.nodes, facts.instructions);
    gb_bench_row("by hand", "", GB_BENCH_NOTE, "%.3f µs; %.1f times", 1e6 * time[0].seconds, time[1].ratio);
    gb_tape_free(tape);
}
