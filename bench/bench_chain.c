/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A long chain of scalar additions and multiplications: the cost of executing one node. */
#include <grebe/core/gradient.h>
#include <grebe/ops/elementwise.h>
#include <stdlib.h>

#include "hand.h"
#include "race.h"

enum { LENGTH = 10000 };

static gb_program *record(gb_native_use use, const gb_hand_chain *hand)
{
    gb_tape *const tape = gb_tape_new(.threads = 1, .native = use);
    const gb_node x = gb_variable(tape, "x", gb_shape(), GB_VALUES(hand->x));
    const gb_node w = gb_variable(tape, "w", gb_shape(), GB_VALUES(hand->w));
    const gb_node b = gb_variable(tape, "b", gb_shape(), GB_VALUES(hand->b));
    gb_node y = x, gradient[3];
    for (int i = 0; i < LENGTH; i += 2)
        y = gb_add(gb_mul(y, w), b);
    gb_grads(y, (gb_node[]){x, w, b}, 3, gradient);
    gb_program *const program =
        gb_compile(tape, gb_roots(y, gradient[0], gradient[1], gradient[2]), gb_no_update);
    gb_bench_need(program && gb_run(program) == GB_OK, tape, "chain");
    const double ours[] = {gb_value(y), gb_value(gradient[0]), gb_value(gradient[1]), gb_value(gradient[2])};
    const double theirs[] = {hand->value, hand->gradient[0], hand->gradient[1], hand->gradient[2]};
    for (int i = 0; i < 4; i++)
        gb_bench_agree("chain", 1, &ours[i], &theirs[i], 1e-10);
    return program;
}

int main(void)
{
    gb_hand_chain hand = {.length = LENGTH, .x = 0.7, .w = 0.9997, .b = 0.0002};
    hand.kept = gb_bench_zeros((LENGTH + 1) * sizeof(double));
    gb_hand_chain_run(&hand);
    gb_program *program[GB_RACE_USES];
    for (int i = 0; i < GB_RACE_USES; i++)
        program[i] = record(gb_race_use[i], &hand);
    gb_plan_facts facts = {0};
    gb_program_plan(program[0], &facts);

    gb_race_begin("A chain of 10,000 scalar additions and multiplications, value and gradient (double)", "");
    gb_race_run((gb_race){.what = "each executed node",
                          .ours = GB_RACE_PROGRAMS(program[0], program[1]),
                          .hand = {gb_hand_chain_run, &hand},
                          .each = (double)facts.nodes,
                          .seconds = {5e-9, 2.5e-9}});
    for (int i = 0; i < GB_RACE_USES; i++)
        gb_tape_free(gb_program_tape(program[i]));
    free(hand.kept);
}
