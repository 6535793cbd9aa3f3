/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sigmoid belief network with one layer of hidden bits, on the library's own digits, trained by each
 * estimator for discrete draws: the bound, and the variance of the gradient, along the way. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "belief_net.h"
#include "results.h"

enum { PIXELS = GB_DIGIT_PIXELS, BITS = 30, TRAIN = 10000, TEST = 1000, BATCH = 100, SAMPLES = 2 };
enum { STEPS = 6000, REPEATS = 100, LOOK_SAMPLES = 20 };
enum { BOUND, TEST_BOUND, VARIANCE, COLUMNS };

typedef struct network {
    belief_net net;
    gb_tape *t;
    gb_batches *train, *seen, *test, *few;
    gb_elbo *bound; /* with hard draws, to look at */
    gb_node value, gradient;
    gb_program *look, *slope;
} network;

static gb_elbo *record(const network *n, const char *name, gb_estimator estimator)
{
    return belief_record(&n->net, name, estimator, SAMPLES, gb_evidence_bound());
}

static void begin(network *n, const uint8_t *train, const uint8_t *test)
{
    gb_tape *const t = n->t = gb_tape_new(.seed = 1, .real = GB_FLOAT, .threads = 1);
    n->net =
        belief_begin(t, &(belief_sizes){.pixels = PIXELS, .bits = BITS, .layers = 1, .rows = TRAIN}, NULL);
    const gb_node x = n->net.x;
    n->train = gb_batches_new(t, .rows = TRAIN, .batch = BATCH, .columns = GB_COLUMNS({x, gb_bytes(train)}));
    n->seen = gb_batches_new(t, .rows = TEST, .name = "seen", .columns = GB_COLUMNS({x, gb_bytes(train)}));
    n->few = gb_batches_new(t, .rows = BATCH, .name = "few", .columns = GB_COLUMNS({x, gb_bytes(train)}));
    n->test = gb_batches_new(t, .rows = TEST, .name = "test", .columns = GB_COLUMNS({x, gb_bytes(test)}));
    n->bound = record(n, "look", gb_score());
    n->value = gb_elbo_term_named(n->bound, "ELBO").value;
    n->look = gb_compile(t, gb_roots(n->value), gb_no_update);
    gb_program_set_samples(n->look, LOOK_SAMPLES);
}

/* The ELBO of a row in nats, over 1000 rows. */
static double bound_of(network *n, gb_batches *rows)
{
    if (gb_batches_go(rows, (gb_batches_place){0}) != GB_OK || !gb_next_batch(rows) ||
        gb_run(n->look) != GB_OK)
        return NAN;
    return gb_value(n->value) / TRAIN;
}

/* The variance of the gradient in v for one batch, over draws alone: the sum over all elements. */
static double variance_of(network *n)
{
    enum { COUNT = PIXELS * BITS };
    static double mean[COUNT], squares[COUNT], g[COUNT];
    double sum = 0;
    memset(mean, 0, sizeof mean);
    memset(squares, 0, sizeof squares);
    if (gb_batches_go(n->few, (gb_batches_place){0}) != GB_OK || !gb_next_batch(n->few))
        return NAN;
    for (int k = 0; k < REPEATS; k++) {
        if (gb_run(n->slope) != GB_OK || gb_read(n->gradient, g, COUNT) != GB_OK)
            return NAN;
        for (int i = 0; i < COUNT; i++) {
            const double off = g[i] - mean[i];
            mean[i] += off / (k + 1);
            squares[i] += off * (g[i] - mean[i]);
        }
    }
    for (int i = 0; i < COUNT; i++)
        sum += squares[i] / (REPEATS - 1);
    return sum;
}

static bool train(const results *r, const uint8_t *digits, const uint8_t *others, const char *text,
                  double began)
{
    network n;
    char error[200] = "";
    gb_estimator estimator;
    begin(&n, digits, others);
    if (!gb_estimator_parse(text, &estimator, error, sizeof error)) {
        fprintf(stderr, "%s: %s\n", text, error);
        gb_tape_free(n.t);
        return false;
    }
    const gb_node loss = gb_elbo_loss(record(&n, "z", estimator));
    gb_program *const step = gb_compile(n.t, gb_roots(loss), gb_minimise(loss, gb_adam(.lr = 1e-3)));
    n.gradient = gb_grad(loss, n.net.v[0]);
    n.slope = gb_compile(n.t, gb_roots(n.gradient), gb_no_update);
    bool good = gb_error(n.t) == GB_OK;
    for (int k = 0; good && k <= STEPS; k++) {
        if (k == 0 || k == 500 || k == 1500 || k % 3000 == 0) {
            char key[200];
            snprintf(key, sizeof key, "%s\t%d\t", text, k);
            const double numbers[COLUMNS] = {bound_of(&n, n.seen), bound_of(&n, n.test), variance_of(&n)};
            good = gb_error(n.t) == GB_OK && results_add(r, "belief", key, COLUMNS, numbers, began);
        }
        while (good && !gb_next_batch(n.train))
            good = gb_error(n.t) == GB_OK; /* the next epoch begins */
        good = good && gb_run(step) == GB_OK;
    }
    return results_end(n.t, text) && good;
}

/* Pixels as 0 or 1. */
static void draw_bits(size_t first, size_t count, uint8_t *to)
{
    gb_digits_draw(first, count, to, NULL);
    for (size_t i = 0; i < count * PIXELS; i++)
        to[i] = to[i] > 0;
}

bool results_belief(const results *r)
{
    static const char *const estimators[] = {"score",
                                             "score:baseline=leave_one_out",
                                             "score:baseline=moving_average",
                                             "vargrad",
                                             "arm",
                                             "disarm",
                                             "rebar",
                                             "relax",
                                             "relaxed_draws",
                                             "straight_through",
                                             "measure_valued"};
    static uint8_t digits[TRAIN * PIXELS], others[TEST * PIXELS];
    bool good = true;
    draw_bits(0, TRAIN, digits);
    draw_bits(TRAIN, TEST, others);
    for (size_t i = 0; good && i < sizeof estimators / sizeof *estimators; i++) {
        char key[200];
        snprintf(key, sizeof key, "%s\t%d\t", estimators[i], STEPS);
        good = !results_wants(r, estimators[i]) || results_has(r, "belief", key) ||
               train(r, digits, others, estimators[i], results_begin());
    }
    return good;
}
