/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Estimators for discrete draws against PyTorch on one thread: a training step of a sigmoid belief network of
 * 200 bits on images of 784 pixels, by DisARM and by VIMCO, in floats; and 100,000 gradients of the toy of
 * RELAX, E (b − 0.499)² for one bit, in doubles, where PyTorch computes all draws at once.
 *
 * Draws differ, so both are compared by means: the losses of the network at the same weights, and the
 * moments of the gradients. Both take the OpenBLAS of the system; OPENBLAS_CORETYPE chooses kernels for
 * both. */
#include <grebe/grebe.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "belief_net.h"
#include "bench.h"
#include "peer.h"

static const double target = 2;

static void report(const char *what, gb_bench_job ours, gb_bench_peer *peer)
{
    char text[32];
    gb_bench_time time[2];
    gb_bench_watch watch = {gb_bench_peer_seconds, peer};
    gb_bench_measure(2, (gb_bench_job[]){ours, {NULL, &watch}}, time);
    snprintf(text, sizeof text, "≥ %g times", target);
    gb_bench_row(what, text, gb_bench_passes(time[1].ratio >= target), "%.2f times (%.3f ms, PyTorch %.3f)",
                 time[1].ratio, 1e3 * time[0].seconds, 1e3 * time[1].seconds);
}

/* ---- a network ---- */

enum { PIXELS = 784, BITS = 200, BATCH = 100, LOOKS = 200 };

typedef struct network {
    const char *what, *estimator;
    int64_t particles, samples;
} network;

static void send(gb_bench_peer *peer, gb_node node)
{
    double *const values = gb_bench_read(node);
    gb_bench_peer_send(peer, values, gb_shape_count(gb_node_shape(node)));
    free(values);
}

static void compare(gb_tape *t, const network *w, const belief_net *n, const double *x, gb_node loss,
                    gb_bench_peer *peer)
{
    double ours = 0, theirs;
    gb_program *const look = gb_compile(t, gb_roots(loss), gb_no_update);
    for (int i = 0; i < LOOKS; i++) {
        gb_bench_run_program(look);
        ours += gb_value(loss) / LOOKS;
    }
    gb_bench_peer_say(peer, "%s %d %d %d %lld\n", w->estimator, BATCH, PIXELS, BITS, (long long)w->particles);
    gb_bench_peer_send(peer, x, BATCH * PIXELS);
    send(peer, n->w[0]);
    send(peer, n->c[0]);
    send(peer, n->v[0]);
    send(peer, n->d[0]);
    gb_bench_peer_receive(peer, &theirs, 1);
    gb_bench_agree(w->what, 1, &ours, &theirs, 1e-3);
}

static void measure_network(const network *w, gb_bench_peer *peer)
{
    double *const x = gb_bench_randoms(BATCH * PIXELS, 0, 1);
    for (int i = 0; i < BATCH * PIXELS; i++)
        x[i] = x[i] < 0.13;
    gb_tape *const t = gb_tape_new(.seed = 3, .real = GB_FLOAT, .threads = 1);
    const belief_sizes sizes = {.pixels = PIXELS, .bits = BITS, .layers = 1, .rows = BATCH};
    const belief_net n = belief_begin(t, &sizes, NULL);
    gb_estimator estimator;
    gb_bench_need(gb_estimator_parse(w->estimator, &estimator, NULL, 0), t, w->what);
    const gb_node loss =
        gb_elbo_loss(belief_record(&n, "z", estimator, w->samples,
                                   w->particles > 1 ? gb_iwae(.draws = w->particles) : gb_evidence_bound()));
    gb_program *const train = gb_compile(t, gb_roots(loss), gb_minimise(loss, gb_adam(.lr = 1e-3)));
    gb_feed(n.x, x, BATCH);
    compare(t, w, &n, x, loss, peer);
    report(w->what, (gb_bench_job){gb_bench_run_program, train}, peer);
    gb_tape_free(t);
    free(x);
}

/* ---- one bit ---- */

enum { ESTIMATES = 100000 };

static gb_comparison *compared(const gb_estimator *estimator)
{
    gb_comparison *const c =
        gb_compare(.problem = gb_problem_find("bernoulli-toy"), .estimators = 1, .estimator = estimator,
                   .settings = 2, .setting = (gb_compare_setting[]){{"phi", 1}, {"t", 0.499}},
                   .draws = ESTIMATES, .threads = 1);
    gb_bench_need(c && c->status == GB_OK, NULL, c ? c->error : "memory");
    return c;
}

static void run_bit(void *estimator)
{
    gb_comparison_free(compared(estimator));
}

/* A difference of 6 standard errors of both is none that is due to the draws. */
static void measure_bit(const char *what, const char *text, gb_bench_peer *peer)
{
    enum { MEAN, ERROR, VARIANCE, VARIANCE_ERROR, NUMBERS };
    double theirs[NUMBERS];
    gb_estimator estimator;
    gb_bench_need(gb_estimator_parse(text, &estimator, NULL, 0), NULL, text);
    gb_comparison *const c = compared(&estimator);
    const gb_measured ours = c->estimator[0].parameter[0];
    gb_bench_peer_say(peer, "bit %s %d\n", text, ESTIMATES);
    gb_bench_peer_receive(peer, theirs, NUMBERS);
    gb_bench_need(fabs(ours.mean - theirs[MEAN]) < 6 * (ours.stderr_ + theirs[ERROR]), NULL, what);
    gb_bench_need(fabs(ours.variance - theirs[VARIANCE]) <
                      6 * (ours.variance_stderr + theirs[VARIANCE_ERROR]),
                  NULL, what);
    gb_comparison_free(c);
    report(what, (gb_bench_job){run_bit, &estimator}, peer);
}

int main(void)
{
    static const network networks[] = {{"DisARM, 784-200, batch 100", "disarm", 1, 1},
                                       {"VIMCO of 10 particles, 784-200, batch 100", "vimco", 10, 1}};
    gb_bench_peer peer;
    if (!gb_bench_peer_start(&peer, "peer_torch.py")) {
        printf("\nDiscrete draws are not measured: there is no PyTorch (bench/run --peers installs it).\n");
        return 0;
    }
    gb_bench_begin("A training step of a sigmoid belief network, against PyTorch (float, one thread)");
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++)
        measure_network(&networks[i], &peer);
    gb_bench_begin(
        "1e5 gradients of E (b - 0.499)^2, with their moments, against PyTorch (double, one thread)");
    measure_bit("score", "score", &peer);
    measure_bit("REBAR", "rebar", &peer);
    measure_bit("ARM", "arm", &peer);
    measure_bit("DisARM", "disarm", &peer);
    gb_bench_peer_end(&peer);
}
