/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sigmoid belief network of 200 bits, or of two such layers, on binarised MNIST, as in Tucker et al. (2017)
 * and Dong, Mnih and Tucker (2020), but trained for fewer steps: variances of gradients along one training,
 * bounds after trainings by several estimators, and VIMCO (Mnih and Rezende 2016) with more and more
 * particles. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "belief_net.h"
#include "results.h"

enum { PIXELS = 784, BITS = 200, TRAIN = 60000, TEST = 2000, TEST_STRIDE = 5, BATCH = 100, SAMPLES = 2 };
enum { STEPS = 4000, WATCH_EVERY = 1000, GRADIENTS = 40, WATCH_BATCHES = 10, PARTICLES = 1000 };

typedef struct images {
    size_t rows, tests;
    uint8_t *train, *test;
    double logit[PIXELS]; /* of each pixel's mean */
} images;

/* ---- data ---- */

/* Returns a number from 0 to 1 without a pattern (splitmix64, Steele, Lea and Flood 2014). */
static double mixed(uint64_t place)
{
    uint64_t x = (place + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return (double)((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

/* Draws each pixel once, 1 with the probability of its brightness, and stores every `stride`-th image. */
static bool draw_bits(const char *path, size_t rows, size_t stride, uint8_t *to)
{
    gb_tape *const t = gb_tape_new();
    gb_array *const a = gb_array_read(t, path);
    const gb_numbers brightness = gb_array_numbers(a);
    const bool good = gb_array_rows(a) >= (int64_t)(rows * stride);
    for (size_t i = 0; good && i < rows * PIXELS; i++) {
        const size_t at = i / PIXELS * stride * PIXELS + i % PIXELS;
        to[i] = 255 * mixed(at + (stride << 32)) < gb_numbers_at(brightness, at);
    }
    gb_array_free(a);
    return results_end(t, path) && good;
}

static bool read_images(const results *r, images *of)
{
    char train[RESULTS_PATH], test[RESULTS_PATH];
    const bool is_look = r->splits > 0;
    *of = (images){.rows = is_look ? 1000 * (size_t)r->splits : TRAIN, .tests = is_look ? BATCH : TEST};
    of->train = calloc(of->rows, PIXELS);
    of->test = calloc(of->tests, PIXELS);
    if (!of->train || !of->test || !results_data(r, "mnist/train-images-idx3-ubyte", train) ||
        !results_data(r, "mnist/t10k-images-idx3-ubyte", test) || !draw_bits(train, of->rows, 1, of->train) ||
        !draw_bits(test, of->tests, TEST_STRIDE, of->test))
        return false;
    for (size_t pixel = 0; pixel < PIXELS; pixel++) {
        double ones = 0.5;
        for (size_t row = 0; row < of->rows; row++)
            ones += of->train[row * PIXELS + pixel];
        of->logit[pixel] = log(ones / ((double)of->rows + 1 - ones));
    }
    return true;
}

/* ---- networks ---- */

typedef struct network {
    belief_net net;
    gb_tape *t;
    gb_batches *train;
    const images *of;
} network;

static network begin(const images *of, int64_t layers)
{
    const belief_sizes sizes = {.pixels = PIXELS, .bits = BITS, .layers = layers, .rows = (int64_t)of->rows};
    network n = {.t = gb_tape_new(.seed = 1, .real = GB_FLOAT, .threads = 1), .of = of};
    n.net = belief_begin(n.t, &sizes, of->logit);
    n.train = gb_batches_new(n.t, .rows = sizes.rows, .batch = BATCH,
                             .columns = GB_COLUMNS({n.net.x, gb_bytes(of->train)}));
    return n;
}

static gb_program *training(const network *n, gb_elbo *e)
{
    const gb_node loss = gb_elbo_loss(e);
    return gb_compile(n->t, gb_roots(loss), gb_minimise(loss, gb_adam(.lr = 1e-3)));
}

static bool step(const network *n, gb_program *train)
{
    while (!gb_next_batch(n->train))
        if (gb_error(n->t) != GB_OK) /* else the next epoch begins */
            return false;
    return gb_run(train) == GB_OK;
}

/* The bound of a test row with so many particles, in nats. */
static double bound_of(const network *n, int64_t particles)
{
    enum { AT_ONCE = 10000 };
    char name[32];
    const int64_t samples = particles == 1 ? 10 : 1;
    snprintf(name, sizeof name, "look%lld", (long long)particles);
    gb_elbo *const e = belief_record(&n->net, name, gb_score(), samples,
                                     particles == 1 ? gb_evidence_bound() : gb_iwae(.draws = particles));
    const gb_node loss = gb_elbo_loss(e); /* of a row; the term "ELBO" is the mean of single weights */
    gb_program *const look = gb_compile(n->t, gb_roots(loss), gb_no_update);
    gb_program_set_samples(look, samples);
    gb_batches *const rows = gb_batches_new(
        n->t, .rows = (int64_t)n->of->tests, .in_order = true, .name = name,
        .batch = (int64_t)fmin((double)n->of->tests, (double)(AT_ONCE / (particles * samples))),
        .columns = GB_COLUMNS({n->net.x, gb_bytes(n->of->test)}));
    double sum = 0;
    while (gb_next_batch(rows) && gb_run(look) == GB_OK)
        sum -= gb_value(loss);
    return sum / (double)gb_batches_count(rows);
}

/* ---- variances along a training ---- */

static bool add_watched(const results *r, const char *objective, const gb_watching *w, double began)
{
    bool good = true;
    for (size_t p = 0; p < w->points; p++)
        for (size_t i = 0; good && i < w->estimators; i++) {
            char key[200];
            const gb_watched_estimator *const one = &w->point[p].estimator[i];
            if (!one->parameter)
                continue;
            size_t v = 0; /* weights of the first layer of q */
            while (v < w->parameters && strcmp(w->parameter[v], "v") != 0)
                v++;
            const gb_figure variance = one->parameter[v].of_draws;
            const double numbers[] = {variance.value, variance.low, variance.high, one->evaluations,
                                      1e3 * one->seconds.value};
            snprintf(key, sizeof key, "%s\t%s\t%llu\t", objective, w->name[i],
                     (unsigned long long)w->point[p].step);
            good = results_add(r, "belief200", key, 5, numbers, began);
        }
    for (size_t i = 0; i < w->estimators; i++)
        if (w->why[i][0])
            fprintf(stderr, "belief200, %s, %s: %s\n", objective, w->name[i], w->why[i]);
    return good;
}

typedef struct watched {
    const char *name, *estimator; /* `estimator` trains */
    int64_t layers, particles, samples;
    const char *texts[10];
} watched;

static bool watch(const results *r, const images *of, const watched *plan)
{
    const double began = results_begin();
    const int64_t steps = r->epochs > 0 ? r->epochs : STEPS;
    const network n = begin(of, plan->layers);
    gb_estimator own, others[10];
    size_t count = 0;
    gb_estimator_parse(plan->estimator, &own, NULL, 0);
    for (; plan->texts[count]; count++)
        gb_estimator_parse(plan->texts[count], &others[count], NULL, 0);
    gb_elbo *const e =
        belief_record(&n.net, "z", own, plan->samples,
                      plan->particles > 1 ? gb_iwae(.draws = plan->particles) : gb_evidence_bound());
    gb_watching *const w = gb_watch(e, .every = r->epochs > 0 ? steps : WATCH_EVERY, .draws = GRADIENTS,
                                    .batches = WATCH_BATCHES, .share = HUGE_VAL, .data = n.train,
                                    .estimators = gb_estimators_of(count, others));
    gb_program *const train = training(&n, e);
    bool good = gb_error(n.t) == GB_OK;
    for (int64_t k = 0; good && k <= steps; k++)
        good = gb_watching_look(w, (uint64_t)k) == GB_OK && step(&n, train);
    good = good && add_watched(r, plan->name, w, began);
    return results_end(n.t, plan->name) && good;
}

/* ---- bounds after trainings ---- */

typedef struct trained {
    const char *estimator;
    int64_t layers, particles, samples;
} trained;

static bool train(const results *r, const images *of, const trained *plan, const char *key)
{
    const double began = results_begin();
    const int64_t steps = r->epochs > 0 ? r->epochs : STEPS;
    const network n = begin(of, plan->layers);
    gb_estimator estimator;
    gb_estimator_parse(plan->estimator, &estimator, NULL, 0);
    gb_program *const train = training(
        &n, belief_record(&n.net, "z", estimator, plan->samples,
                          plan->particles > 1 ? gb_iwae(.draws = plan->particles) : gb_evidence_bound()));
    bool good = gb_error(n.t) == GB_OK;
    const clock_t first = clock();
    for (int64_t k = 0; good && k < steps; k++)
        good = step(&n, train);
    const double seconds = (double)(clock() - first) / CLOCKS_PER_SEC;
    const double elbo = bound_of(&n, 1), own = plan->particles > 1 ? bound_of(&n, plan->particles) : elbo;
    const double numbers[] = {elbo, own, bound_of(&n, r->draws > 0 ? r->draws : PARTICLES),
                              1e3 * seconds / (double)steps};
    good = good && gb_error(n.t) == GB_OK && results_add(r, "belief200_bound", key, 4, numbers, began);
    return results_end(n.t, plan->estimator) && good;
}

bool results_belief200(const results *r)
{
    static const watched watches[] = {
        {"ELBO",
         "disarm",
         1,
         1,
         2,
         {"score", "score:baseline=moving_average", "score:baseline=leave_one_out", "arm", "disarm", "rebar",
          "relax", "muprop:baseline=moving_average", "double_cv"}},
        {"IWAE, K = 10",
         "vimco",
         1,
         10,
         1,
         {"score", "vimco", "vimco:mean=arithmetic", "ovis_asymptotic:one_weight=1"}},
    };
    static const trained trainings[] = {
        {"score:baseline=leave_one_out", 1, 1, 2},
        {"arm", 1, 1, 1},
        {"disarm", 1, 1, 1},
        {"rebar", 1, 1, 1},
        {"relax", 1, 1, 1},
        {"vimco", 1, 2, 1},
        {"vimco", 1, 5, 1},
        {"vimco", 1, 10, 1},
        {"vimco", 1, 50, 1},
        {"disarm", 2, 1, 1},
        {"vimco", 2, 10, 1},
    };
    images of;
    bool good = true;
    const bool there = read_images(r, &of);
    for (size_t i = 0; there && good && i < sizeof watches / sizeof *watches; i++) {
        char key[200];
        snprintf(key, sizeof key, "%s\t%s\t%d\t", watches[i].name, watches[i].texts[1], STEPS);
        good = !results_wants(r, watches[i].name) || results_has(r, "belief200", key) ||
               watch(r, &of, &watches[i]);
    }
    for (size_t i = 0; there && good && i < sizeof trainings / sizeof *trainings; i++) {
        char key[200];
        const trained *const plan = &trainings[i];
        snprintf(key, sizeof key, "%d\t%s\t%d\t%d\t", (int)plan->layers, plan->estimator,
                 (int)plan->particles, STEPS);
        good = !results_wants(r, plan->estimator) || results_has(r, "belief200_bound", key) ||
               train(r, &of, plan, key);
    }
    free(of.train);
    free(of.test);
    return good;
}
