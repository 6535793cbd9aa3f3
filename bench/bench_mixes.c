/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mixes of elementwise operations, broadcasts and sums over a million numbers, against fused loops. */
#include <grebe/ops/elementwise.h>
#include <grebe/ops/reduce.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "hand.h"
#include "race.h"

enum { COUNT = 1000000, COLUMNS = 1000, MIXES = 6, MOST_RESULTS = 3 };

/* The nodes of one tape that a mix may use. */
typedef struct arrays {
    gb_tape *tape;
    gb_node x, y, by_row, row, a, b, m, v, p;
} arrays;

static gb_node mix_line(const arrays *n)
{
    return gb_add(gb_mul(n->a, n->x), gb_mul(n->b, n->y));
}

static gb_node mix_gate(const arrays *n)
{
    return gb_mul(gb_softplus(n->x), gb_tanh(n->y));
}

static gb_node mix_gelu(const arrays *n)
{
    const gb_node cube = gb_mul(gb_mul(n->x, n->x), n->x);
    const gb_node inner = gb_scale(gb_add(n->x, gb_scale(cube, 0.044715)), 0.7978845608);
    return gb_mul(gb_scale(n->x, 0.5), gb_shift(gb_tanh(inner), 1));
}

static gb_node mix_bell(const arrays *n)
{
    return gb_sum(gb_mul(gb_exp(gb_scale(gb_mul(n->x, n->x), -0.5)), n->y));
}

static gb_node mix_rows(const arrays *n)
{
    return gb_sum_along(gb_square(gb_add(n->by_row, n->row)), gb_axis(1));
}

static gb_program *compile_adam(const arrays *n)
{
    const gb_node m = gb_add(gb_scale(n->m, 0.9), gb_scale(n->x, 0.1));
    const gb_node v = gb_add(gb_scale(n->v, 0.999), gb_scale(gb_mul(n->x, n->x), 0.001));
    const gb_node p = gb_sub(n->p, gb_div(gb_mul(n->a, m), gb_shift(gb_sqrt(v), 1e-8)));
    const gb_updates moments = gb_updates_join(gb_assign(n->m, m), gb_assign(n->v, v));
    return gb_compile(n->tape, (gb_node_list){0}, gb_updates_join(moments, gb_assign(n->p, p)));
}

/* A mix on one tape: a program and the nodes to compare. */
typedef struct mix {
    gb_program *program;
    gb_node result[MOST_RESULTS];
} mix;

static mix mix_of(const arrays *n, gb_node node)
{
    return (mix){.program = gb_compile(n->tape, gb_roots(node), gb_no_update), .result = {node}};
}

static const double *start_x, *start_y, *start_v;

static void record(gb_real real, int threads, gb_native_use use, arrays *n, mix mixes[MIXES])
{
    gb_tape *tape = gb_tape_new(.real = real, .threads = threads, .native = use);
    const gb_values x = gb_values_of(start_x, COUNT), y = gb_values_of(start_y, COUNT);
    *n = (arrays){.tape = tape,
                  .x = gb_variable(tape, "x", gb_shape(COUNT), x),
                  .y = gb_variable(tape, "y", gb_shape(COUNT), y),
                  .by_row = gb_variable(tape, "by row", gb_shape(COUNT / COLUMNS, COLUMNS), x),
                  .row = gb_variable(tape, "row", gb_shape(COLUMNS), gb_values_of(start_y, COLUMNS)),
                  .a = gb_variable(tape, "a", gb_shape(), GB_VALUES(1e-3)),
                  .b = gb_variable(tape, "b", gb_shape(), GB_VALUES(0.3)),
                  .m = gb_variable(tape, "m", gb_shape(COUNT), y),
                  .v = gb_variable(tape, "v", gb_shape(COUNT), gb_values_of(start_v, COUNT)),
                  .p = gb_variable(tape, "p", gb_shape(COUNT), y)};
    gb_node (*const pure[])(const arrays *) = {mix_line, mix_gate, mix_gelu, mix_bell, mix_rows};
    for (int i = 0; i < MIXES - 1; i++)
        mixes[i] = mix_of(n, pure[i](n));
    mixes[MIXES - 1] = (mix){.program = compile_adam(n), .result = {n->m, n->v, n->p}};
    gb_bench_need(gb_error(tape) == GB_OK, tape, "recording the mixes");
}

/* Copies of the same start for the hand-written loops. */
static void *numbers(gb_real real, const double *from)
{
    if (real == GB_FLOAT)
        return gb_bench_floats(COUNT, from);
    double *copy = gb_bench_zeros(COUNT * sizeof *copy);
    for (size_t i = 0; i < COUNT; i++)
        copy[i] = from[i];
    return copy;
}

static void compare(gb_real real, const char *what, gb_node node, const void *theirs)
{
    const size_t count = gb_value_count(node);
    double *ours = gb_bench_read(node), *wide = gb_bench_zeros(count * sizeof *wide);
    for (size_t i = 0; i < count; i++)
        wide[i] = real == GB_FLOAT ? (double)((const float *)theirs)[i] : ((const double *)theirs)[i];
    gb_bench_agree(what, count, ours, wide, real == GB_FLOAT ? 1e-5 : 1e-12);
    free(ours);
    free(wide);
}

enum { TAPES = GB_RACE_USES + 1, TWO_THREADS = GB_RACE_USES };

static void measure(gb_real real, int index, mix of[TAPES][MIXES], gb_bench_job hand)
{
    static const char *const names[MIXES] = {
        "a x + b y",           "softplus(x) tanh(y)",  "gelu(x)",
        "sum of exp(-x²/2) y", "row sums of (X + b)²", "Adam: new m, v, p of 4 arrays"};
    const gb_hand_mix *peer = hand.context;
    char what[80];
    snprintf(what, sizeof what, "%s, %s", real == GB_FLOAT ? "float" : "double", names[index]);
    hand.run(hand.context);
    const bool pure = index < MIXES - 1;
    for (int t = 0; t < TAPES; t++) {
        gb_bench_run_program(of[t][index].program);
        for (int i = 0; i < (pure ? 1 : MOST_RESULTS); i++)
            compare(real, what, of[t][index].result[i],
                    pure ? peer->out : (void *const[]){peer->m, peer->v, peer->p}[i]);
    }
    gb_program *const one = of[0][index].program, *const two = of[TWO_THREADS][index].program;
    gb_race_run((gb_race){.what = what,
                          .ours = GB_RACE_PROGRAMS(one, of[GB_RACE_NATIVE][index].program),
                          .hand = hand,
                          .times = {1 / 0.7, 1 / 0.95}});
    gb_bench_time time[2];
    gb_bench_measure(2, (gb_bench_job[]){{gb_bench_run_program, one}, {gb_bench_run_program, two}}, time);
    gb_bench_row("    on two threads, interpreted", "≥ 1.7 times", gb_bench_passes(1 / time[1].ratio >= 1.7),
                 "%.2f times as fast (%.0f µs)", 1 / time[1].ratio, 1e6 * time[1].seconds);
}

static void measure_type(gb_real real)
{
    arrays nodes[TAPES];
    mix of[TAPES][MIXES];
    for (int t = 0; t < TAPES; t++)
        record(real, t == TWO_THREADS ? 2 : 1, gb_race_use[t % GB_RACE_USES], &nodes[t], of[t]);
    void *x = numbers(real, start_x), *y = numbers(real, start_y);
    gb_hand_mix hand = {.count = COUNT,
                        .columns = COLUMNS,
                        .x = x,
                        .y = y,
                        .a = 1e-3,
                        .b = 0.3,
                        .out = gb_bench_zeros(COUNT * sizeof(double)),
                        .m = numbers(real, start_y),
                        .v = numbers(real, start_v),
                        .p = numbers(real, start_y),
                        .new_m = numbers(real, start_y),
                        .new_v = numbers(real, start_v),
                        .new_p = numbers(real, start_y)};
    const gb_hand_mixes *mixes = real == GB_FLOAT ? &gb_hand_mixes_float : &gb_hand_mixes_double;
    void (*const run[MIXES])(void *) = {mixes->line, mixes->gate, mixes->gelu,
                                        mixes->bell, mixes->rows, mixes->adam};
    for (int i = 0; i < MIXES; i++)
        measure(real, i, of, (gb_bench_job){run[i], &hand});
    void *const buffers[] = {x, y, hand.out, hand.m, hand.v, hand.p, hand.new_m, hand.new_v, hand.new_p};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        free(buffers[i]);
    for (int t = 0; t < TAPES; t++)
        gb_tape_free(nodes[t].tape);
}

int main(void)
{
    double *x = gb_bench_randoms(COUNT, -3, 3), *y = gb_bench_randoms(COUNT, -2, 2);
    double *v = gb_bench_randoms(COUNT, 0.1, 2);
    start_x = x;
    start_y = y;
    start_v = v;
    gb_race_begin("Fused mixes over 1,000,000 numbers", "");
    measure_type(GB_FLOAT);
    measure_type(GB_DOUBLE);
    free(x);
    free(y);
    free(v);
}
