/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Training steps of networks as a user writes them, against PyTorch on one thread, in floats; those of
 * layers.c also against programs by hand. Here are two more.
 *
 * One is Bayes by Backprop with the scale mixture prior (Blundell et al. 2015), whose KL is sampled. The
 * other is MC-dropout (Gal and Ghahramani 2016) with 50 hidden units, a mask for each row, and L2 penalties
 * in place of KL. Draws differ, so the programs are first compared by the mean of their misfits at the same
 * weights.
 *
 * A measurement of the second takes 100,000 steps, in which weights of dead units decay. Both programs flush
 * subnormal numbers to 0 there, since otherwise the longer measurement would be the slower one. */
#include <grebe/grebe.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "layers.h"
#include "peer.h"

enum { LAYERS = 3, LOOKS = 200 };

typedef struct net {
    const char *what, *job; /* `job` is the peer's name for it */
    bool dropout;
    int layers;
    int64_t width[LAYERS + 1], batch;
    double target; /* speed relative to PyTorch */
} net;

static const double data_size = 60000, keep = 0.9, rate = 1e-3, scale = 0.0485873515737; /* softplus(−3) */

typedef struct model {
    gb_tape *tape;
    gb_node x, y, loss, misfit;
    gb_program *program;
    double *start[2 * LAYERS];
    size_t count[2 * LAYERS];
} model;

static size_t outputs(const net *n)
{
    return (size_t)(n->batch * n->width[n->layers]);
}

/* Weights in the even places and biases in the odd ones, all from one distribution. */
static gb_node latent(model *m, gb_elbo *e, const net *n, int i)
{
    char name[16], location[32];
    const int64_t in = n->width[i / 2], out = n->width[i / 2 + 1];
    const gb_shape shape = i % 2 ? gb_shape(out) : gb_shape(in, out);
    const bool masked = n->dropout && i % 2 == 0;
    const gb_node zero = gb_num(m->tape, 0), one = gb_num(m->tape, 1);
    const gb_dist prior = n->dropout ? gb_normal(zero, one)
                                     : gb_scale_mixture(gb_num(m->tape, 0.5), one, gb_num(m->tape, exp(-6)));
    const gb_family family =
        masked       ? gb_dropout_posterior(shape, .keep = keep, .by_unit = true, .rescaled = true)
        : n->dropout ? gb_point(shape)
                     : gb_mean_field(shape, .scale = scale);
    snprintf(name, sizeof name, "%c%d", i % 2 ? 'b' : 'w', i / 2 + 1);
    snprintf(location, sizeof location, "%s%s", name, masked ? ".weight" : n->dropout ? "" : ".location");
    const gb_node w =
        gb_latent(e, name, family, prior, masked ? gb_dropout_draws(.per_row = true) : gb_pathwise());
    m->count[i] = gb_shape_count(shape);
    m->start[i] = gb_bench_randoms(m->count[i], -1 / sqrt((double)in), 1 / sqrt((double)in));
    gb_set(gb_variable_named(m->tape, location), gb_values_of(m->start[i], m->count[i]));
    return w;
}

static model record(const net *n)
{
    model m = {.tape =
                   gb_tape_new(.seed = 3, .real = GB_FLOAT, .threads = 1, .flush_subnormals = n->dropout)};
    m.x = gb_input_rows(m.tape, "x", gb_shape(n->width[0]));
    m.y = gb_input_rows(m.tape, "y", gb_shape(n->width[n->layers]));
    gb_elbo *const e = gb_elbo_new(m.tape, .data_size = data_size, .unit = GB_PER_DATUM);
    gb_node h = m.x;
    for (int layer = 0; layer < n->layers; layer++) {
        const gb_node w = latent(&m, e, n, 2 * layer), b = latent(&m, e, n, 2 * layer + 1);
        h = gb_affine(h, w, b);
        h = layer + 1 < n->layers ? gb_relu(h) : h;
    }
    gb_observe(e, "y", n->dropout ? gb_normal(h, gb_num(m.tape, 1)) : gb_one_hot_categorical_logits(h), m.y);
    size_t count = 0;
    m.loss = gb_elbo_loss(e);
    const gb_elbo_term *const terms = gb_elbo_terms(e, &count);
    gb_bench_need(terms != NULL, m.tape, n->what);
    m.misfit = gb_scale(terms[count - 2].value, -1 / data_size);
    m.program = gb_compile(m.tape, gb_roots(m.loss), gb_minimise(m.loss, gb_adam(.lr = rate)));
    gb_bench_need(m.program != NULL, m.tape, n->what);
    return m;
}

static void compare(const model *m, const net *n, gb_bench_peer *peer, const double *x, const double *y)
{
    double ours = 0, theirs;
    gb_program *const look = gb_compile(m->tape, gb_roots(m->misfit), gb_no_update);
    for (int i = 0; i < LOOKS; i++) {
        gb_bench_run_program(look);
        ours += gb_value(m->misfit) / LOOKS;
    }
    gb_bench_peer_say(peer, "%s %lld", n->job, (long long)n->batch);
    for (int i = 0; i <= n->layers; i++)
        gb_bench_peer_say(peer, " %lld", (long long)n->width[i]);
    gb_bench_peer_say(peer, "\n");
    gb_bench_peer_send(peer, x, (size_t)(n->batch * n->width[0]));
    gb_bench_peer_send(peer, y, outputs(n));
    for (int i = 0; i < 2 * n->layers; i++)
        gb_bench_peer_send(peer, m->start[i], m->count[i]);
    gb_bench_peer_receive(peer, &theirs, 1);
    gb_bench_agree(n->what, 1, &ours, &theirs, 0.02);
}

static void measure(const net *n, gb_bench_peer *peer)
{
    double *const x = gb_bench_randoms((size_t)(n->batch * n->width[0]), 0, 1), *const y = gb_bench_zeros(
                                                                                    outputs(n) * 8);
    for (int64_t row = 0; row < n->batch; row++)
        y[row * n->width[n->layers] + (int64_t)gb_bench_random(0, (double)n->width[n->layers])] = 1;
    model m = record(n);
    gb_feed(m.x, x, n->batch);
    gb_feed(m.y, y, n->batch);
    compare(&m, n, peer, x, y);
    gb_bench_time time[2];
    gb_bench_watch watch = {gb_bench_peer_seconds, peer};
    gb_bench_measure(2, (gb_bench_job[]){{gb_bench_run_program, m.program}, {NULL, &watch}}, time);
    char target[32];
    snprintf(target, sizeof target, "≥ %g times", n->target);
    gb_bench_row(n->what, target, gb_bench_passes(time[1].ratio >= n->target),
                 "%.2f times (%.3f ms, PyTorch %.3f)", time[1].ratio, 1e3 * time[0].seconds,
                 1e3 * time[1].seconds);
    for (int i = 0; i < 2 * n->layers; i++)
        free(m.start[i]);
    free(x);
    free(y);
    gb_tape_free(m.tape);
}

int main(void)
{
    static const net nets[] = {
        {"Bayes by Backprop, scale mixture, 784-400-400-10, batch 128",
         "mixture",
         false,
         3,
         {784, 400, 400, 10},
         128,
         3},
        {"the same, 784-50-50-10, batch 32", "mixture", false, 3, {784, 50, 50, 10}, 32, 3},
        {"MC-dropout, 8-50-1, batch 32", "dropout", true, 2, {8, 50, 1}, 32, 8},
    };
    gb_bench_peer peer;
    const bool has_peer = gb_bench_peer_start(&peer, "peer_torch.py");
    gb_bench_layers(has_peer ? &peer : NULL);
    if (!has_peer) {
        printf("\nOther networks are not measured: there is no PyTorch (bench/run --peers installs it).\n");
        return 0;
    }
    gb_bench_begin("A training step as an ELBO, against PyTorch (float, one thread)");
    for (size_t i = 0; i < sizeof nets / sizeof *nets; i++)
        measure(&nets[i], &peer);
    gb_bench_peer_end(&peer);
}
