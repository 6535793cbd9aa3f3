/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The evidence lower bound of Bayesian logistic regression, 569 data in 30 dimensions, under independent
 * normals, and its gradient. As a user writes it, against hand-written C and PyTorch, on one thread. */
#include <grebe/grebe.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "hand.h"
#include "peer.h"
#include "race.h"

enum { ROWS = 569, COLUMNS = 30, MOST_SAMPLES = 1000, SPARE = 64, RESULTS = 3 };

static const double start_location = 0, start_scale = 0.1;

typedef struct data {
    double *x, *y, *mu, *rho;
} data;

static data data_new(void)
{
    data d = {.x = gb_bench_randoms(ROWS * COLUMNS, -1.7, 1.7),
              .y = gb_bench_randoms(ROWS, 0, 1),
              .mu = gb_bench_zeros(COLUMNS * sizeof(double)),
              .rho = gb_bench_zeros(COLUMNS * sizeof(double))};
    for (int i = 0; i < ROWS; i++)
        d.y[i] = d.y[i] < 0.6;
    for (int j = 0; j < COLUMNS; j++) {
        d.mu[j] = start_location;
        d.rho[j] = log(expm1(start_scale));
    }
    return d;
}

/* ---- grebe ---- */

typedef struct grebe {
    gb_tape *tape;
    gb_node result[RESULTS]; /* the loss, its gradient in the locations and in the raw scales */
    gb_node w;               /* the draws, which PyTorch receives */
    gb_program *program;
} grebe;

static grebe record(const data *d, gb_real real, int64_t samples, gb_native_use use)
{
    gb_tape *const t = gb_tape_new(.seed = 7, .threads = 1, .real = real, .native = use);
    const gb_node x = gb_input_rows(t, "x", gb_shape(COLUMNS)), y = gb_input_rows(t, "y", gb_shape());
    gb_elbo *const e = gb_elbo_new(t, .data_size = ROWS, .samples = samples);
    const gb_family family =
        gb_mean_field(gb_shape(COLUMNS), .location = start_location, .scale = start_scale);
    const gb_node w = gb_latent(e, "w", family, gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_pathwise());
    gb_observe(e, "y", gb_bernoulli_logits(gb_dot(x, w)), y);
    grebe g = {.tape = t, .w = w, .result = {gb_elbo_loss(e)}};
    const gb_node parameters[] = {gb_variable_named(t, "w.location"), gb_variable_named(t, "w.raw_scale")};
    gb_grads(g.result[0], parameters, 2, g.result + 1);
    g.program = gb_compile(t, gb_roots(g.result[0], g.result[1], g.result[2], g.w), gb_no_update);
    gb_feed(x, d->x, ROWS);
    gb_feed(y, d->y, ROWS);
    gb_bench_need(g.program && gb_prepare(g.program) == GB_OK, t, "the lower bound");
    return g;
}

/* ---- by hand ---- */

static void *reals(gb_real real, size_t count, const double *values)
{
    const size_t width = real == GB_FLOAT ? sizeof(float) : sizeof(double);
    void *const array = gb_bench_zeros(count * width);
    for (size_t i = 0; values && i < count; i++)
        if (real == GB_FLOAT)
            ((float *)array)[i] = (float)values[i];
        else
            ((double *)array)[i] = values[i];
    return array;
}

static gb_hand_elbo hand_new(const data *d, gb_real real, size_t samples)
{
    const size_t draws = samples * COLUMNS;
    gb_hand_elbo hand = {.key = 7,
                         .model = {.rows = ROWS,
                                   .columns = COLUMNS,
                                   .samples = samples,
                                   .x = reals(real, ROWS * COLUMNS, d->x),
                                   .y = reals(real, ROWS, d->y),
                                   .value = gb_bench_zeros(samples * sizeof(double)),
                                   .gradient = reals(real, draws, NULL),
                                   .work = reals(real, samples * ROWS, NULL)},
                         .mu = reals(real, COLUMNS, d->mu),
                         .rho = reals(real, COLUMNS, d->rho),
                         .noise = reals(real, draws + SPARE, NULL),
                         .w = reals(real, draws, NULL),
                         .in_mu = reals(real, COLUMNS, NULL),
                         .in_rho = reals(real, COLUMNS, NULL)};
    return hand;
}

static void hand_free(gb_hand_elbo *hand)
{
    const void *const arrays[] = {hand->model.x,    hand->model.y, hand->model.value, hand->model.gradient,
                                  hand->model.work, hand->mu,      hand->rho,         hand->noise,
                                  hand->w,          hand->in_mu,   hand->in_rho};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free((void *)(uintptr_t)arrays[i]);
}

/* ---- agreement ---- */

static const size_t result_count[RESULTS] = {1, COLUMNS, COLUMNS};

/* Copies the noise of grebe's draws, for the first run by hand. */
static void take_noise(const grebe *g, gb_hand_elbo *hand, const data *d, gb_real real)
{
    double *const draws = gb_bench_read(g->w);
    for (size_t i = 0; i < hand->model.samples * COLUMNS; i++) {
        const double noise = (draws[i] - d->mu[i % COLUMNS]) / start_scale;
        if (real == GB_FLOAT)
            ((float *)hand->noise)[i] = (float)noise;
        else
            ((double *)hand->noise)[i] = noise;
    }
    free(draws);
}

static void compare_with_hand(const grebe *g, const gb_hand_elbo *hand, gb_real real)
{
    const void *const theirs[RESULTS] = {&hand->loss, hand->in_mu, hand->in_rho};
    for (int i = 0; i < RESULTS; i++) {
        double *const ours = gb_bench_read(g->result[i]), wide[COLUMNS];
        for (size_t j = 0; j < result_count[i]; j++)
            wide[j] = i > 0 && real == GB_FLOAT ? (double)((const float *)theirs[i])[j]
                                                : ((const double *)theirs[i])[j];
        gb_bench_agree("the lower bound, by hand", result_count[i], ours, wide,
                       real == GB_FLOAT ? 1e-4 : 1e-11);
        free(ours);
    }
}

static void compare_with_peer(const grebe *g, gb_bench_peer *peer, const data *d, gb_real real,
                              size_t samples)
{
    double *const draws = gb_bench_read(g->w);
    gb_bench_peer_say(peer, "elbo %s %zu %d %d\n", real == GB_FLOAT ? "float" : "double", samples, ROWS,
                      COLUMNS);
    gb_bench_peer_send(peer, d->x, ROWS * COLUMNS);
    gb_bench_peer_send(peer, d->y, ROWS);
    gb_bench_peer_send(peer, d->mu, COLUMNS);
    gb_bench_peer_send(peer, d->rho, COLUMNS);
    gb_bench_peer_send(peer, draws, samples * COLUMNS);
    for (int i = 0; i < RESULTS; i++) {
        double *const ours = gb_bench_read(g->result[i]), theirs[COLUMNS];
        gb_bench_peer_receive(peer, theirs, result_count[i]);
        gb_bench_agree("the lower bound, by PyTorch", result_count[i], ours, theirs,
                       real == GB_FLOAT ? 1e-4 : 1e-11);
        free(ours);
    }
    free(draws);
}

/* ---- measuring ---- */

static void measure(const data *d, gb_bench_peer *peer, gb_real real, size_t samples)
{
    char what[80];
    gb_hand_elbo hand = hand_new(d, real, samples);
    const gb_hand_logistics *const by_hand =
        real == GB_FLOAT ? &gb_hand_logistic_float : &gb_hand_logistic_double;
    grebe g[GB_RACE_USES];
    for (int i = 0; i < GB_RACE_USES; i++) {
        g[i] = record(d, real, (int64_t)samples, gb_race_use[i]);
        gb_bench_run_program(g[i].program);
        take_noise(&g[i], &hand, d, real);
        by_hand->elbo_of_noise(&hand);
        compare_with_hand(&g[i], &hand, real);
        if (peer)
            compare_with_peer(&g[i], peer, d, real, samples);
    }
    if (getenv("GB_BENCH_DUMP"))
        gb_program_dump(g[0].program, GB_DUMP_TEXT, stdout);
    gb_bench_watch watch = {gb_bench_peer_seconds, peer};
    snprintf(what, sizeof what, "%s, %zu sample%s", real == GB_FLOAT ? "float" : "double", samples,
             samples > 1 ? "s" : "");
    gb_race_run((gb_race){.what = what,
                          .ours = GB_RACE_PROGRAMS(g[0].program, g[1].program),
                          .hand = {by_hand->elbo, &hand},
                          .peer = {NULL, peer ? &watch : NULL},
                          .times = {1.3, samples > 1 ? 1.3 : 1.15}});
    hand_free(&hand);
    for (int i = 0; i < GB_RACE_USES; i++)
        gb_tape_free(g[i].tape);
}

int main(void)
{
    data d = data_new();
    gb_bench_peer torch;
    gb_bench_peer *const peer = gb_bench_peer_start(&torch, "peer_torch.py") ? &torch : NULL;
    gb_race_begin("Lower bound of logistic regression, 569 x 30, and its gradient, one thread",
                  peer ? peer->name : "");
    for (int real = 0; real < 2; real++)
        for (size_t samples = 1; samples <= MOST_SAMPLES; samples *= 10)
            measure(&d, peer, real ? GB_FLOAT : GB_DOUBLE, samples);
    if (peer)
        gb_bench_peer_end(peer);
    else
        printf("  PyTorch is not installed (bench/run --peers installs it).\n");
    double *const arrays[] = {d.x, d.y, d.mu, d.rho};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
}
