/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A straight program of 100,000 irregular operations on single numbers: the time and memory to compile it,
 * and what it then takes. */
#include <grebe/ops/elementwise.h>
#include <grebe/ops/reduce.h>
#include <stdio.h>

#include "race.h"

enum { RECORDED = 62500, LIVE = 64 }; /* some record two operations: 100,000 in all */

/* Each operation replaces a number that it reads, so that none is left out. All stay between -1 and 1. */
static gb_program *record(gb_tape *tape, const void *context)
{
    gb_node live[LIVE];
    uint32_t random = 1;
    (void)context;
    for (int i = 0; i < LIVE; i++) {
        char name[8];
        snprintf(name, sizeof name, "x%d", i);
        live[i] = gb_variable(tape, name, gb_shape(), GB_VALUES(0.9 - 0.02 * i));
    }
    for (int i = 0; i < RECORDED; i++) {
        random = random * UINT32_C(1664525) + UINT32_C(1013904223); /* Knuth */
        gb_node *const to = &live[random >> 26];
        const gb_node x = *to, y = live[random >> 20 & 63];
        switch (random >> 16 & 7) {
        case 0: *to = gb_sin(gb_add(x, y)); break;
        case 1: *to = gb_neg(gb_mul(x, y)); break;
        case 2: *to = gb_tanh(x); break;
        case 3: *to = gb_sub(gb_square(x), gb_square(y)); break;
        case 4: *to = gb_cos(gb_sub(x, y)); break;
        default: *to = gb_scale(gb_add(x, y), 0.5); break;
        }
    }
    return gb_compile(tape, gb_roots(gb_total(tape, LIVE, live)), gb_no_update);
}

int main(void)
{
    gb_program *program[GB_RACE_USES];
    gb_plan_facts facts = {0};
    gb_race_begin("A straight program of irregular operations on single numbers (double)", "");
    gb_race_compile("to compile", 60, 1, (gb_tape_options){.threads = 1}, record, NULL);
    for (int i = 0; i < GB_RACE_USES; i++) {
        program[i] = record(gb_tape_new(.threads = 1, .native = gb_race_use[i]), NULL);
        gb_bench_need(program[i] && gb_run(program[i]) == GB_OK, NULL, "a straight program");
    }
    gb_program_plan(program[0], &facts);
    gb_race_run((gb_race){.what = "a run", .ours = GB_RACE_PROGRAMS(program[0], program[1])});
    gb_bench_row("    its size", "", GB_BENCH_NOTE, "%zu nodes, %zu calls", facts.nodes, facts.instructions);
    for (int i = 0; i < GB_RACE_USES; i++)
        gb_tape_free(gb_program_tape(program[i]));
}
