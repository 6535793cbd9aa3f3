/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bayesian logistic regression, 569 data in 30 dimensions: one log density and its gradient, and those of a
 * hundred samples at once. */
#include <grebe/core/gradient.h>
#include <grebe/ops/array.h>
#include <grebe/ops/elementwise.h>
#include <grebe/ops/matmul.h>
#include <grebe/ops/reduce.h>
#include <stdlib.h>

#include "hand.h"
#include "race.h"

enum { ROWS = 569, COLUMNS = 30, SAMPLES = 100 };

typedef struct grebe {
    gb_program *program;
    gb_node value, gradient;
} grebe;

/* `w` may have the samples' axis; the value has the same axes. */
static gb_node log_density(gb_node x, gb_node y, gb_node w)
{
    const gb_node eta = gb_dot(x, w);
    const gb_node each = gb_sub(gb_mul(y, eta), gb_softplus(eta));
    return gb_sub(gb_sum_over(each, GB_ROWS), gb_scale(gb_sum(gb_square(w)), 0.5));
}

static gb_node fed(gb_tape *tape, const char *name, gb_shape shape, const double *values)
{
    const gb_node input = gb_input_rows(tape, name, shape);
    gb_feed(input, values, ROWS);
    return input;
}

static grebe record(gb_tape *tape, const gb_hand_logistic *hand)
{
    const gb_node x = fed(tape, "x", gb_shape(COLUMNS), hand->x), y = fed(tape, "y", gb_shape(), hand->y);
    const bool several = hand->samples > 1;
    const gb_shape shape = several ? gb_shape(SAMPLES, COLUMNS) : gb_shape(COLUMNS);
    const gb_node w = gb_variable(tape, "w", shape, gb_values_of(hand->w, gb_shape_count(shape)));
    grebe g = {.value = log_density(x, y, several ? gb_hide(w, GB_SAMPLES) : w)};
    g.gradient = gb_grad(several ? gb_sum_over(g.value, GB_SAMPLES) : g.value, w);
    g.program = gb_compile(tape, gb_roots(g.value, g.gradient), gb_no_update);
    gb_program_set_samples(g.program, (int64_t)hand->samples);
    return g;
}

static gb_program *record_program(gb_tape *tape, const void *hand)
{
    return record(tape, hand).program;
}

static void compare(const char *what, const grebe *g, const gb_hand_logistic *hand)
{
    gb_bench_run_program(g->program);
    double *value = gb_bench_read(g->value), *gradient = gb_bench_read(g->gradient);
    gb_bench_agree(what, hand->samples, value, hand->value, 1e-12);
    gb_bench_agree(what, hand->samples * hand->columns, gradient, hand->gradient, 1e-12);
    free(value);
    free(gradient);
}

static void race(const char *what, gb_hand_logistic *hand, void (*by_hand)(void *), double native)
{
    grebe g[GB_RACE_USES];
    for (int i = 0; i < GB_RACE_USES; i++) {
        g[i] = record(gb_tape_new(.threads = 1, .native = gb_race_use[i]), hand);
        by_hand(hand);
        compare(what, &g[i], hand);
    }
    gb_race_run((gb_race){.what = what,
                          .ours = GB_RACE_PROGRAMS(g[0].program, g[1].program),
                          .hand = {by_hand, hand},
                          .each = (double)hand->samples,
                          .times = {native > 0 ? 1.3 : 0, native}});
    for (int i = 0; i < GB_RACE_USES; i++)
        gb_tape_free(gb_program_tape(g[i].program));
}

int main(void)
{
    gb_hand_logistic hand = {.rows = ROWS, .columns = COLUMNS, .samples = 1, .precision = 1};
    double *x = gb_bench_randoms(ROWS * COLUMNS, -1.7, 1.7), *y = gb_bench_randoms(ROWS, 0, 1);
    for (int i = 0; i < ROWS; i++)
        y[i] = y[i] < 0.6;
    double *w = gb_bench_randoms(SAMPLES * COLUMNS, -1, 1);
    hand.x = x;
    hand.y = y;
    hand.w = w;
    hand.value = gb_bench_zeros(SAMPLES * sizeof(double));
    hand.gradient = gb_bench_zeros(SAMPLES * COLUMNS * sizeof(double));
    hand.work = gb_bench_zeros((size_t)SAMPLES * ROWS * sizeof(double));
    gb_hand_logistic many = hand;
    many.samples = SAMPLES;
    gb_race_begin(
        "Logistic regression, 569 x 30: log density and gradient (double; Stan Math's fused GLM 16 µs)", "");
    race("alone", &hand, gb_hand_logistic_double.one_pass, 1.15);
    race("    by hand: plain loops, libm", &hand, gb_hand_logistic_double.plain, 0);
    race("each of 100 samples", &many, gb_hand_logistic_double.by_products, 1.3);
    gb_race_compile("to compile", 1, 1e-3, (gb_tape_options){.threads = 1}, record_program, &hand);
    void *const buffers[] = {x, y, w, hand.value, hand.gradient, hand.work};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        free(buffers[i]);
}
