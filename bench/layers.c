/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Training steps with noise of its own in each row, as a user writes them, against the same by hand: local
 * reparameterisation on the network of bench_bayes.c, and dropout on that of a UCI set. Both draw the same
 * noise as the program by hand, so losses and weights are compared step by step. */
#include "layers.h"

#include <grebe/grebe.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "hand.h"

enum { CHECKED_STEPS = 3 };
static const double rate = 1e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;

static uint64_t key_of(const char *stream)
{
    gb_tape *const tape = gb_tape_new(.seed = 7);
    uint64_t key = 0;
    gb_bench_need(gb_noise_key(gb_stream(tape, stream), &key), tape, stream);
    gb_tape_free(tape);
    return key;
}

/* Stores the start of a variable in floats. */
static void copy_start(gb_tape *tape, const char *variable, float *to)
{
    const gb_node node = gb_variable_named(tape, variable);
    double *const values = gb_bench_read(node);
    for (size_t i = 0; i < gb_shape_count(gb_node_shape(node)); i++)
        to[i] = (float)values[i];
    free(values);
}

/* Adam divides by the size of the gradient, so roundings of gradients near 0 change the step of a weight;
 * hence the losses of some steps are compared, and not the weights. */
static void compare(const char *what, gb_program *train, gb_node loss, gb_bench_job by_hand,
                    const double *theirs)
{
    for (int step = 0; step < CHECKED_STEPS; step++) {
        gb_bench_run_program(train);
        by_hand.run(by_hand.context);
        const double ours = gb_value(loss);
        gb_bench_agree(what, 1, &ours, theirs, 2e-5);
    }
}

static void report(const char *what, gb_program *train, gb_bench_job by_hand, gb_bench_peer *peer,
                   double times)
{
    gb_bench_time time[3];
    gb_bench_watch watch = {gb_bench_peer_seconds, peer};
    gb_bench_measure(peer ? 3 : 2, (gb_bench_job[]){by_hand, {gb_bench_run_program, train}, {NULL, &watch}},
                     time);
    gb_bench_row(what, "≤ 1.3 times", gb_bench_passes(time[1].ratio <= 1.3),
                 "%.2f times (%.3f ms, by hand %.3f)", time[1].ratio, 1e3 * time[1].seconds,
                 1e3 * time[0].seconds);
    if (!peer)
        return;
    char target[32] = "";
    if (times > 0)
        snprintf(target, sizeof target, "≥ %g times", times);
    const double ratio = time[2].ratio / time[1].ratio;
    gb_bench_row("    against PyTorch", target, times > 0 ? gb_bench_passes(ratio >= times) : GB_BENCH_NOTE,
                 "%.2f times (PyTorch %.3f ms)", ratio, 1e3 * time[2].seconds);
}

/* ---- local reparameterisation ---- */

enum { LAYERS = GB_HAND_LAYERS };
static const int64_t width[LAYERS + 1] = {784, 400, 400, 10}, batch = 128;
static const double images = 60000, prior = 0.1;

typedef struct model {
    gb_tape *tape;
    gb_node x, y, loss, misfit;
    gb_program *train;
} model;

static model record_local(void)
{
    model m = {.tape = gb_tape_new(.seed = 7, .real = GB_FLOAT, .threads = 1)};
    m.x = gb_input_rows(m.tape, "x", gb_shape(width[0]));
    m.y = gb_input_rows(m.tape, "y", gb_shape(width[LAYERS]));
    gb_elbo *const e = gb_elbo_new(m.tape, .data_size = images, .unit = GB_PER_DATUM);
    const gb_node f =
        gb_mlp(e, "net", m.x, gb_widths(400, 400, 10), .activation = "relu", .noise = GB_NOISE_LOCAL,
               .posterior = gb_mean_field(gb_shape(), .scale = 0.0485873515737),
               .prior = gb_normal(gb_num(m.tape, 0), gb_num(m.tape, prior)));
    gb_observe(e, "y", gb_one_hot_categorical_logits(f), m.y);
    m.loss = gb_elbo_loss(e);
    m.misfit = gb_scale(gb_elbo_term_named(e, "y").value, -1 / images);
    m.train = gb_compile(m.tape, gb_roots(m.loss), gb_minimise(m.loss, gb_adam(.lr = rate)));
    gb_bench_need(m.train != NULL, m.tape, "local reparameterisation");
    return m;
}

static gb_hand_local local_by_hand(const model *m, const float *x, const float *y)
{
    gb_hand_local l = {.net = {.batch = (size_t)batch,
                               .x = x,
                               .y = y,
                               .data_size = images,
                               .prior = prior,
                               .rate = rate,
                               .beta1 = beta1,
                               .beta2 = beta2,
                               .epsilon = epsilon}};
    char name[64];
    for (int i = 0; i <= LAYERS; i++)
        l.net.width[i] = (size_t)width[i];
    gb_bench_need(gb_hand_local_begin(&l), NULL, "local reparameterisation by hand");
    for (int i = 0; i < LAYERS; i++) {
        snprintf(name, sizeof name, "net.%d.weight.local", i + 1);
        l.key[i] = key_of(name);
        for (int k = 0; k < 2; k++) {
            gb_hand_tensor *const tensor = &l.net.tensor[2 * i + k];
            snprintf(name, sizeof name, "net.%d.%s.location", i + 1, k ? "bias" : "weight");
            copy_start(m->tape, name, tensor->mu);
            snprintf(name, sizeof name, "net.%d.%s.raw_scale", i + 1, k ? "bias" : "weight");
            copy_start(m->tape, name, tensor->rho);
        }
    }
    return l;
}

/* The peer has the same starts; its draws differ, so the means of misfits are compared. */
static void tell_peer(gb_bench_peer *peer, const model *m, const double *x, const double *y)
{
    enum { LOOKS = 200 };
    char name[64];
    double ours = 0, theirs;
    gb_program *const look = gb_compile(m->tape, gb_roots(m->misfit), gb_no_update);
    for (int i = 0; i < LOOKS; i++) {
        gb_bench_run_program(look);
        ours += gb_value(m->misfit) / LOOKS;
    }
    gb_bench_peer_say(peer, "local %lld 784 400 400 10\n", (long long)batch);
    gb_bench_peer_send(peer, x, (size_t)(batch * width[0]));
    gb_bench_peer_send(peer, y, (size_t)(batch * width[LAYERS]));
    for (int i = 0; i < 2 * LAYERS; i++) {
        snprintf(name, sizeof name, "net.%d.%s.location", i / 2 + 1, i % 2 ? "bias" : "weight");
        const gb_node variable = gb_variable_named(m->tape, name);
        double *const values = gb_bench_read(variable);
        gb_bench_peer_send(peer, values, gb_shape_count(gb_node_shape(variable)));
        free(values);
    }
    gb_bench_peer_receive(peer, &theirs, 1);
    gb_bench_agree("local reparameterisation, PyTorch", 1, &ours, &theirs, 0.02);
}

/* Four in five inputs are 0, as in images of digits. */
static void measure_local(gb_bench_peer *peer)
{
    const size_t inputs = (size_t)(batch * width[0]), outputs = (size_t)(batch * width[LAYERS]);
    double *const x = gb_bench_randoms(inputs, 0, 1), *const y = gb_bench_zeros(outputs * sizeof *y);
    for (size_t i = 0; i < inputs; i++)
        x[i] = gb_bench_random(0, 1) < 0.8 ? 0 : x[i];
    for (int64_t row = 0; row < batch; row++)
        y[row * width[LAYERS] + (int64_t)gb_bench_random(0, (double)width[LAYERS])] = 1;
    float *const x_floats = gb_bench_floats(inputs, x), *const y_floats = gb_bench_floats(outputs, y);
    model m = record_local();
    gb_feed_borrowed(m.x, x_floats, batch);
    gb_feed_borrowed(m.y, y_floats, batch);
    if (peer)
        tell_peer(peer, &m, x, y);
    gb_hand_local l = local_by_hand(&m, x_floats, y_floats);
    const gb_bench_job by_hand = {gb_hand_local_run, &l};
    compare("local reparameterisation", m.train, m.loss, by_hand, &l.net.loss);
    report("Local reparameterisation, 784-400-400-10, batch 128", m.train, by_hand, peer, 5);
    gb_tape_free(m.tape);
    gb_hand_local_end(&l);
    free(x_floats);
    free(y_floats);
    free(x);
    free(y);
}

/* ---- dropout ---- */

enum { IN = 13, UNITS = 50, ROWS = 128 };
static const double rows = 455, keep = 0.95, precision = 0.4;

static model record_dropout(void)
{
    model m = {.tape = gb_tape_new(.seed = 7, .real = GB_FLOAT, .threads = 1, .flush_subnormals = true)};
    m.x = gb_input_rows(m.tape, "x", gb_shape(IN));
    m.y = gb_input_rows(m.tape, "y", gb_shape(1));
    gb_elbo *const e = gb_elbo_new(m.tape, .data_size = rows, .unit = GB_PER_DATUM);
    const gb_node f =
        gb_mlp(e, "net", m.x, gb_widths(UNITS, 1), .activation = "relu", .posterior = gb_point(gb_shape()),
               .dropout = 1 - keep, .input_dropout = 1 - keep);
    gb_observe(e, "y", gb_normal(f, gb_num(m.tape, 1 / sqrt(precision))), m.y);
    m.loss = gb_elbo_loss(e);
    m.train = gb_compile(m.tape, gb_roots(m.loss), gb_minimise(m.loss, gb_adam(.lr = rate)));
    gb_bench_need(m.train != NULL, m.tape, "dropout");
    return m;
}

static gb_hand_dropout dropout_by_hand(const model *m, const float *x, const float *y)
{
    static const char *const variables[] = {"net.1.weight", "net.1.bias", "net.2.weight", "net.2.bias"};
    gb_hand_dropout d = {.width = {IN, UNITS},
                         .batch = ROWS,
                         .key = {key_of("net.1.mask"), key_of("net.2.mask")},
                         .x = x,
                         .y = y,
                         .keep = keep,
                         .precision = precision,
                         .prior = 1,
                         .data_size = rows,
                         .rate = rate,
                         .beta1 = beta1,
                         .beta2 = beta2,
                         .epsilon = epsilon};
    gb_bench_need(gb_hand_dropout_begin(&d), NULL, "dropout by hand");
    for (int i = 0; i < 4; i++)
        copy_start(m->tape, variables[i], d.tensor[i].value);
    return d;
}

static void measure_dropout(void)
{
    double *const x = gb_bench_randoms(ROWS * IN, -1, 1), *const y = gb_bench_randoms(ROWS, -1, 1);
    float *const x_floats = gb_bench_floats(ROWS * IN, x), *const y_floats = gb_bench_floats(ROWS, y);
    model m = record_dropout();
    gb_feed_borrowed(m.x, x_floats, ROWS);
    gb_feed_borrowed(m.y, y_floats, ROWS);
    gb_hand_dropout d = dropout_by_hand(&m, x_floats, y_floats);
    const gb_bench_job by_hand = {gb_hand_dropout_run, &d};
    compare("dropout", m.train, m.loss, by_hand, &d.loss);
    report("Dropout for each datum, 13-50-1, batch 128", m.train, by_hand, NULL, 0);
    gb_tape_free(m.tape);
    gb_hand_dropout_end(&d);
    free(x_floats);
    free(y_floats);
    free(x);
    free(y);
}

void gb_bench_layers(gb_bench_peer *peer)
{
    gb_bench_begin("A training step with noise of its own in each row (float, one thread)");
    measure_local(peer);
    measure_dropout();
}
