/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws into an array, on one thread, against those of GSL with its Mersenne Twister. */
#include <grebe/core/gradient.h>
#include <grebe/ops/draws.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"

enum { COUNT = 100000 };

/* A law with up to two parameters, each one number or an array of them. */
typedef struct drawn_law {
    const char *what;
    gb_node (*ours)(gb_noise noise, gb_node a, gb_node b);
    double (*theirs)(const gsl_rng *random, double a, double b);
    double a, b;
    bool array;       /* the first parameter is an array: numbers within a third of it */
    double target[2]; /* speed relative to GSL, in double and in float; 0: no target */
} drawn_law;

typedef struct peer {
    const drawn_law *law;
    gsl_rng *random;
    const double *a;
    double *out;
} peer;

static void run_peer(void *context)
{
    const peer *p = context;
    for (size_t i = 0; i < COUNT; i++)
        p->out[i] = p->law->theirs(p->random, p->a[i], p->law->b);
}

/* The means must agree within their statistical error. */
static void compare(const char *what, gb_node node, const double *theirs)
{
    double *ours = gb_bench_read(node), mean = 0, their_mean = 0, square = 0;
    for (size_t i = 0; i < COUNT; i++) {
        mean += ours[i] / COUNT;
        their_mean += theirs[i] / COUNT;
        square += theirs[i] * theirs[i] / COUNT;
    }
    const double deviation = sqrt(square - their_mean * their_mean), bound = 9 * deviation / sqrt(COUNT);
    gb_bench_need(fabs(mean - their_mean) < bound, node.tape, what);
    free(ours);
}

static void measure(const drawn_law *law, const double *a, gsl_rng *random, gb_real real)
{
    char what[80], target[32] = "";
    gb_tape *tape = gb_tape_new(.seed = 1, .threads = 1, .real = real);
    const gb_node x = law->array ? gb_variable(tape, "a", gb_shape(COUNT), gb_values_of(a, COUNT))
                                 : gb_variable(tape, "a", gb_shape(), GB_VALUES(law->a));
    const gb_node draws = law->ours(gb_stream(tape, "draws"), x, gb_num(tape, law->b));
    gb_program *program = gb_compile(tape, gb_roots(draws), gb_no_update);
    peer p = {.law = law, .random = random, .a = a, .out = gb_bench_zeros(COUNT * sizeof(double))};
    gb_bench_need(program && gb_run(program) == GB_OK, tape, law->what);
    run_peer(&p);
    snprintf(what, sizeof what, "%s, %s", real == GB_FLOAT ? "float" : "double", law->what);
    compare(what, draws, p.out);
    gb_bench_time time[2];
    gb_bench_measure(2, (gb_bench_job[]){{gb_bench_run_program, program}, {run_peer, &p}}, time);
    const double wanted = law->target[real == GB_FLOAT];
    if (wanted > 0)
        snprintf(target, sizeof target, "≥ %.1f times", wanted);
    gb_bench_row(what, target, wanted > 0 ? gb_bench_passes(time[1].ratio >= wanted) : GB_BENCH_NOTE,
                 "%.2f times (%.1f ns, GSL %.1f)", time[1].ratio, 1e9 * time[0].seconds / COUNT,
                 1e9 * time[1].seconds / COUNT);
    free(p.out);
    gb_tape_free(tape);
}

/* ---- the laws ---- */

static gb_node our_normal(gb_noise noise, gb_node a, gb_node b)
{
    (void)a, (void)b;
    return gb_normal_noise(noise, gb_shape(COUNT), 0);
}

static double their_normal(const gsl_rng *random, double a, double b)
{
    (void)a;
    return gsl_ran_gaussian_ziggurat(random, b);
}

static gb_node our_gamma(gb_noise noise, gb_node a, gb_node b)
{
    (void)b;
    return gb_gamma_noise(noise, gb_shape(COUNT), 0, a);
}

static gb_node our_poisson(gb_noise noise, gb_node a, gb_node b)
{
    (void)b;
    return gb_poisson_noise(noise, gb_shape(COUNT), 0, a);
}

static double their_poisson(const gsl_rng *random, double a, double b)
{
    (void)b;
    return gsl_ran_poisson(random, a);
}

static gb_node our_binomial(gb_noise noise, gb_node a, gb_node b)
{
    return gb_binomial_noise(noise, gb_shape(COUNT), 0, a, b);
}

static double their_binomial(const gsl_rng *random, double a, double b)
{
    return gsl_ran_binomial(random, b, (unsigned)a);
}

int main(void)
{
    static const drawn_law laws[] = {
        {"normal (their ziggurat)", our_normal, their_normal, 0, 1, false, {2.5, 5}},
        {"gamma, shape 0.5", our_gamma, gsl_ran_gamma, 0.5, 1, false, {1.5}},
        {"gamma, shape 2.5", our_gamma, gsl_ran_gamma, 2.5, 1, false, {1.5}},
        {"gamma, shape 30", our_gamma, gsl_ran_gamma, 30, 1, false, {1.5}},
        {"gamma, shapes around 0.5", our_gamma, gsl_ran_gamma, 0.5, 1, true, {1.5}},
        {"gamma, shapes around 2.5", our_gamma, gsl_ran_gamma, 2.5, 1, true, {1.5}},
        {"gamma, shapes around 30", our_gamma, gsl_ran_gamma, 30, 1, true, {1.5}},
        {"Poisson, rate 3", our_poisson, their_poisson, 3, 1, false, {0}},
        {"Poisson, rate 100", our_poisson, their_poisson, 100, 1, false, {0}},
        {"binomial, 1000 trials of 0.3", our_binomial, their_binomial, 1000, 0.3, false, {0}},
    };
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    gb_bench_begin("100,000 draws, one thread: how many times as fast as GSL");
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        const double spread = laws[i].array ? laws[i].a / 3 : 0;
        double *a = gb_bench_randoms(COUNT, laws[i].a - spread, laws[i].a + spread);
        measure(&laws[i], a, random, GB_DOUBLE);
        measure(&laws[i], a, random, GB_FLOAT);
        free(a);
    }
    gsl_rng_free(random);
}
