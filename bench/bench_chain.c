/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A long chain of scalar additions and multiplications: the cost of executing one node. */
#include <grebe/core/gradient.h>
#include <grebe/ops/elementwise.h>
#include <stdlib.h>

#include "bench.h"
#include "hand.h"

enum { LENGTH = 10000 };

int main(void)
{
    gb_hand_chain hand = {.length = LENGTH, .x = 0.7, .w = 0.9997, .b = 0.0002};
    hand.kept = gb_bench_zeros((LENGTH + 1) * sizeof(double));
    gb_tape *tape = gb_tape_new(.threads = 1);
    const gb_node x = gb_variable(tape, "x", gb_shape(), GB_VALUES(hand.x));
    const gb_node w = gb_variable(tape, "w", gb_shape(), GB_VALUES(hand.w));
    const gb_node b = gb_variable(tape, "b", gb_shape(), GB_VALUES(hand.b));
    gb_node y = x, gradient[3];
    for (int i = 0; i < LENGTH; i += 2)
        y = gb_add(gb_mul(y, w), b);
    gb_grads(y, (gb_node[]){x, w, b}, 3, gradient);
    gb_program *program = gb_compile(tape, gb_roots(y, gradient[0], gradient[1], gradient[2]), gb_no_update);
    gb_plan_facts facts = {0};
    gb_bench_need(gb_program_plan(program, &facts) == GB_OK && gb_run(program) == GB_OK, tape, "chain");

    gb_hand_chain_run(&hand);
    const double ours[] = {gb_value(y), gb_value(gradient[0]), gb_value(gradient[1]), gb_value(gradient[2])};
    const double theirs[] = {hand.value, hand.gradient[0], hand.gradient[1], hand.gradient[2]};
    for (int i = 0; i < 4; i++)
        gb_bench_agree("chain", 1, &ours[i], &theirs[i], 1e-10);

    gb_bench_begin("A chain of 10,000 scalar additions and multiplications, value and gradient (double)");
    gb_bench_time time[2];
    gb_bench_measure(2, (gb_bench_job[]){{gb_hand_chain_run, &hand}, {gb_bench_run_program, program}}, time);
    const double each = time[1].seconds / (double)facts.nodes;
    gb_bench_row("each executed node", "≤ 5 ns", gb_bench_passes(each <= 5e-9),
                 "%.2f ns, %zu nodes in %.1f µs", 1e9 * each, facts.nodes, 1e6 * time[1].seconds);
    gb_bench_row("by hand", "", GB_BENCH_NOTE, "%.1f µs; %.2f times", 1e6 * time[0].seconds, time[1].ratio);
    gb_tape_free(tape);
    free(hand.kept);
}
