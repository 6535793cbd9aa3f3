/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Eight schools (Rubin 1981), non-centred: a log density in 10 dimensions with its gradient, where nearly all
 * time is overhead. */
#include <grebe/core/gradient.h>
#include <grebe/ops/array.h>
#include <grebe/ops/elementwise.h>
#include <grebe/ops/reduce.h>
#include <math.h>
#include <string.h>

#include "hand.h"
#include "race.h"

enum { DIMENSIONS = 10, SCHOOLS = 8, PARTICLES = 100 };
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

/* One input that is cut up. */
static grebe record_fed(gb_native_use use, const gb_hand_schools *hand)
{
    gb_tape *const tape = gb_tape_new(.threads = 1, .native = use);
    grebe g = {.q = gb_input(tape, "q", gb_shape(DIMENSIONS))};
    memcpy(g.at, hand->q, sizeof g.at);
    g.value = log_density(tape, gb_slice(g.q, 0, 0, SCHOOLS), gb_at(g.q, 8), gb_at(g.q, 9));
    g.gradient = gb_grad(g.value, g.q);
    g.program = gb_compile(tape, gb_roots(g.value, g.gradient), gb_no_update);
    feed_run_read(&g);
    gb_bench_need(gb_error(tape) == GB_OK, tape, "schools");
    gb_bench_agree("schools, value", 1, g.result, &hand->value, 1e-13);
    gb_bench_agree("schools, gradient", DIMENSIONS, g.result + 1, hand->gradient, 1e-13);
    return g;
}

/* Three variables, of one particle or with a hidden axis of many. */
static gb_program *record_variables(gb_tape *tape, const void *context)
{
    const gb_hand_particles *const hand = context;
    const int64_t count = (int64_t)hand->count;
    const bool several = count > 1;
    double q[3][PARTICLES * SCHOOLS];
    for (size_t i = 0; i < hand->count; i++) {
        memcpy(q[0] + SCHOOLS * i, hand->at[i].q, SCHOOLS * sizeof(double));
        q[1][i] = hand->at[i].q[8];
        q[2][i] = hand->at[i].q[9];
    }
    const gb_shape one = several ? gb_shape(count) : gb_shape(),
                   eight = several ? gb_shape(count, SCHOOLS) : gb_shape(SCHOOLS);
    const gb_node variable[3] = {
        gb_variable(tape, "z", eight, gb_values_of(q[0], hand->count * SCHOOLS)),
        gb_variable(tape, "mu", one, gb_values_of(q[1], hand->count)),
        gb_variable(tape, "log tau", one, gb_values_of(q[2], hand->count)),
    };
    gb_node seen[3], roots[4];
    for (int i = 0; i < 3; i++)
        seen[i] = several ? gb_hide(variable[i], GB_SAMPLES) : variable[i];
    roots[0] = log_density(tape, seen[0], seen[1], seen[2]);
    gb_grads(several ? gb_sum_over(roots[0], GB_SAMPLES) : roots[0], variable, 3, roots + 1);
    gb_program *const program = gb_compile(tape, (gb_node_list){.count = 4, .node = roots}, gb_no_update);
    gb_program_set_samples(program, count);
    return program;
}

static void compare(gb_program *program, const gb_hand_particles *hand)
{
    double value[PARTICLES], z[PARTICLES * SCHOOLS], mu[PARTICLES], log_tau[PARTICLES];
    double *const ours[4] = {value, z, mu, log_tau};
    gb_bench_run_program(program);
    for (size_t i = 0; i < 4; i++)
        gb_bench_need(gb_read_root(program, i, ours[i]) == GB_OK, gb_program_tape(program), "schools");
    for (size_t i = 0; i < hand->count; i++) {
        double gradient[DIMENSIONS] = {[8] = mu[i], log_tau[i]};
        memcpy(gradient, z + SCHOOLS * i, SCHOOLS * sizeof *z);
        gb_bench_agree("schools of variables, value", 1, &value[i], &hand->at[i].value, 1e-13);
        gb_bench_agree("schools of variables, gradient", DIMENSIONS, gradient, hand->at[i].gradient, 1e-13);
    }
}

static void race(const char *what, gb_hand_particles *hand, const double seconds[GB_RACE_USES])
{
    gb_program *program[GB_RACE_USES];
    gb_hand_particles_run(hand);
    for (int i = 0; i < GB_RACE_USES; i++) {
        program[i] = record_variables(gb_tape_new(.threads = 1, .native = gb_race_use[i]), hand);
        compare(program[i], hand);
    }
    gb_race_run((gb_race){.what = what,
                          .ours = GB_RACE_PROGRAMS(program[0], program[1]),
                          .hand = {gb_hand_particles_run, hand},
                          .each = (double)hand->count,
                          .seconds = {seconds[0], seconds[1]}});
    for (int i = 0; i < GB_RACE_USES; i++)
        gb_tape_free(gb_program_tape(program[i]));
}

int main(void)
{
    static const gb_hand_schools start = {.q = {0.3, -0.5, 0.8, 0.1, -1.2, 0.4, 0.9, -0.2, 4.4, 1.1}};
    gb_hand_schools particle[PARTICLES];
    for (int i = 0; i < PARTICLES; i++) {
        particle[i] = start;
        for (int k = 0; i > 0 && k < DIMENSIONS; k++)
            particle[i].q[k] += gb_bench_random(-1, 1);
    }
    gb_hand_particles one = {1, particle}, all = {PARTICLES, particle};
    gb_race_begin(
        "Eight schools, non-centred: log density and gradient, 10 dimensions (double; Stan Math 0.48 µs)",
        "");
    race("a run", &one, (const double[]){0.3e-6, 0.06e-6});
    race("each of 100 particles", &all, (const double[]){0, 0.03e-6});
    grebe fed[GB_RACE_USES];
    for (int i = 0; i < GB_RACE_USES; i++)
        fed[i] = record_fed(gb_race_use[i], particle);
    gb_race_run((gb_race){.what = "fed and cut up, run, and read",
                          .ours = {{feed_run_read, &fed[0]}, {feed_run_read, &fed[1]}},
                          .hand = {gb_hand_particles_run, &one}});
    for (int i = 0; i < GB_RACE_USES; i++)
        gb_tape_free(gb_program_tape(fed[i].program));
    gb_race_compile("to compile", 1, 1e-3, (gb_tape_options){.threads = 1}, record_variables, &one);
}
