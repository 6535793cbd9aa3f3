/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A training step of Bayes by Backprop (Blundell et al. 2015): a perceptron whose weights are independent
 * normals, with one draw in each step, KL in closed form, and Adam. Recorded here from plain operations, and
 * as a user writes it. */
#include <grebe/grebe.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hand.h"
#include "race.h"

enum { LAYERS = GB_HAND_LAYERS, TENSORS = GB_HAND_TENSORS, STATES = 6, CHECKED_STEPS = 3 };

typedef struct sizes {
    size_t width[LAYERS + 1], batch;
} sizes;
static const sizes small = {{784, 50, 50, 10}, 32}, large = {{784, 400, 400, 10}, 128},
                   huge = {{784, 1200, 1200, 10}, 128};

static const double data_size = 60000, prior = 0.1, rate = 1e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
static const char *const stream_names[TENSORS] = {"w1", "b1", "w2", "b2", "w3", "b3"};
static const double rho_start = -3;

/* The node of a variational parameter, with Adam's moments. */
typedef struct parameter {
    gb_node now, m, v;
} parameter;

typedef struct network {
    gb_tape *tape;
    parameter mu[TENSORS], rho[TENSORS];
    gb_node draw[TENSORS];
    gb_node x, y, loss;
    gb_program *program;
} network;

static gb_shape tensor_shape(const sizes *s, int i)
{
    const int64_t in = (int64_t)s->width[i / 2], out = (int64_t)s->width[i / 2 + 1];
    return i % 2 ? gb_shape(out) : gb_shape(in, out);
}

static parameter parameter_new(gb_tape *tape, const char *kind, int i, gb_shape shape, gb_values start)
{
    char name[32];
    parameter p;
    snprintf(name, sizeof name, "%s %s", kind, stream_names[i]);
    p.now = gb_variable(tape, name, shape, start);
    snprintf(name, sizeof name, "%s %s m", kind, stream_names[i]);
    p.m = gb_variable(tape, name, shape, gb_fill(0));
    snprintf(name, sizeof name, "%s %s v", kind, stream_names[i]);
    p.v = gb_variable(tape, name, shape, gb_fill(0));
    return p;
}

static double *start_mu(const sizes *s, int i)
{
    const double scale = 1 / sqrt((double)s->width[i / 2]);
    return gb_bench_randoms(gb_shape_count(tensor_shape(s, i)), -scale, scale);
}

/* ---- grebe ---- */

/* Draws a tensor; returns its KL divergence from the prior. */
static gb_node draw_tensor(network *n, int i, gb_axes axes)
{
    const gb_node mu = n->mu[i].now, sigma = gb_softplus(n->rho[i].now);
    const gb_shape shape = gb_node_shape(mu);
    const gb_node noise = gb_normal_noise(gb_stream(n->tape, stream_names[i]), shape, axes);
    n->draw[i] = gb_add(mu, gb_mul(sigma, noise));
    const gb_node squares = gb_scale(gb_add(gb_square(sigma), gb_square(mu)), 0.5 / (prior * prior));
    return gb_sum(gb_shift(gb_sub(squares, gb_log(sigma)), log(prior) - 0.5));
}

static gb_updates adam(parameter p, gb_node gradient, gb_node correct_m, gb_node correct_v)
{
    const gb_node m = gb_add(gb_scale(p.m, beta1), gb_scale(gradient, 1 - beta1));
    const gb_node v = gb_add(gb_scale(p.v, beta2), gb_scale(gb_square(gradient), 1 - beta2));
    const gb_node by = gb_shift(gb_sqrt(gb_mul(correct_v, v)), epsilon);
    const gb_node now = gb_sub(p.now, gb_div(gb_mul(correct_m, m), by));
    return gb_updates_join(gb_updates_join(gb_assign(p.m, m), gb_assign(p.v, v)), gb_assign(p.now, now));
}

static gb_updates adam_of_all(const network *n, const gb_node gradient[2 * TENSORS])
{
    const gb_node power1 = gb_variable(n->tape, "beta1^t", gb_shape(), GB_VALUES(beta1));
    const gb_node power2 = gb_variable(n->tape, "beta2^t", gb_shape(), GB_VALUES(beta2));
    const gb_node one = gb_num(n->tape, 1);
    const gb_node correct_m = gb_div(gb_num(n->tape, rate), gb_sub(one, power1));
    const gb_node correct_v = gb_reciprocal(gb_sub(one, power2));
    gb_updates updates = gb_updates_join(gb_assign(power1, gb_scale(power1, beta1)),
                                         gb_assign(power2, gb_scale(power2, beta2)));
    for (int i = 0; i < TENSORS; i++) {
        updates = gb_updates_join(updates, adam(n->mu[i], gradient[2 * i], correct_m, correct_v));
        updates = gb_updates_join(updates, adam(n->rho[i], gradient[2 * i + 1], correct_m, correct_v));
    }
    return updates;
}

/* With `axes` GB_SAMPLES the draws carry the samples' axis, as in any model that may use several samples. */
static void record(network *n, const sizes *s, gb_axes axes, double *const mu[TENSORS])
{
    gb_node kl = gb_num(n->tape, 0), wanted[2 * TENSORS], gradient[2 * TENSORS];
    for (int i = 0; i < TENSORS; i++) {
        const gb_shape shape = tensor_shape(s, i);
        n->mu[i] = parameter_new(n->tape, "mu", i, shape, gb_values_of(mu[i], gb_shape_count(shape)));
        n->rho[i] = parameter_new(n->tape, "rho", i, shape, gb_fill(rho_start));
        wanted[2 * i] = n->mu[i].now;
        wanted[2 * i + 1] = n->rho[i].now;
        kl = gb_add(kl, draw_tensor(n, i, axes));
    }
    n->x = gb_input_rows(n->tape, "x", gb_shape((int64_t)s->width[0]));
    n->y = gb_input_rows(n->tape, "y", gb_shape((int64_t)s->width[LAYERS]));
    gb_node h = n->x;
    for (int layer = 0; layer < LAYERS; layer++) {
        h = gb_affine(h, n->draw[2 * layer], n->draw[2 * layer + 1]);
        h = layer + 1 < LAYERS ? gb_relu(h) : h;
    }
    gb_node cost = gb_neg(gb_sum(gb_mul(n->y, gb_log_softmax(h, -1))));
    cost = gb_mean_over(cost, GB_ROWS);
    cost = axes ? gb_mean_over(cost, GB_SAMPLES) : cost;
    n->loss = gb_add(cost, gb_scale(kl, 1 / data_size));
    gb_grads(n->loss, wanted, 2 * TENSORS, gradient);
    n->program = gb_compile(n->tape, gb_roots(n->loss), adam_of_all(n, gradient));
    gb_bench_need(n->program != NULL, n->tape, "Bayes by Backprop");
}

/* The same as an ELBO: as a user writes it. */
static void record_elbo(network *n, const sizes *s, double *const mu[TENSORS])
{
    gb_tape *const t = n->tape;
    gb_elbo *const e = gb_elbo_new(t, .data_size = data_size, .unit = GB_PER_DATUM);
    const gb_dist from_prior = gb_normal(gb_num(t, 0), gb_num(t, prior));
    char location[32];
    for (int i = 0; i < TENSORS; i++) {
        const gb_shape shape = tensor_shape(s, i);
        const gb_family family = gb_mean_field(shape, .scale = log1p(exp(rho_start)));
        n->draw[i] = gb_latent(e, stream_names[i], family, from_prior, gb_pathwise());
        snprintf(location, sizeof location, "%s.location", stream_names[i]);
        gb_set(gb_variable_named(t, location), gb_values_of(mu[i], gb_shape_count(shape)));
    }
    n->x = gb_input_rows(t, "x", gb_shape((int64_t)s->width[0]));
    n->y = gb_input_rows(t, "y", gb_shape((int64_t)s->width[LAYERS]));
    gb_node h = n->x;
    for (int layer = 0; layer < LAYERS; layer++) {
        h = gb_affine(h, n->draw[2 * layer], n->draw[2 * layer + 1]);
        h = layer + 1 < LAYERS ? gb_relu(h) : h;
    }
    gb_observe(e, "y", gb_one_hot_categorical_logits(h), n->y);
    n->loss = gb_elbo_loss(e);
    n->program = gb_compile(t, gb_roots(n->loss), gb_minimise(n->loss, gb_adam(.lr = rate)));
    gb_bench_need(n->program != NULL, t, "Bayes by Backprop as an ELBO");
}

static void feed(const network *n, const float *x, const float *y, size_t rows)
{
    gb_feed_borrowed(n->x, x, (int64_t)rows);
    gb_feed_borrowed(n->y, y, (int64_t)rows);
    gb_bench_need(gb_prepare(n->program) == GB_OK, n->tape, "Bayes by Backprop");
}

/* ---- a batch, and the start of the peer ---- */

static float *inputs(const sizes *s)
{
    double *x =
        gb_bench_randoms(s->batch * s->width[0], -1, 1); /* four in five are 0, as in images of digits */
    for (size_t i = 0; i < s->batch * s->width[0]; i++)
        x[i] = gb_bench_random(0, 1) < 0.8 ? 0 : fabs(x[i]);
    float *floats = gb_bench_floats(s->batch * s->width[0], x);
    free(x);
    return floats;
}

static float *labels(const sizes *s)
{
    const size_t classes = s->width[LAYERS];
    float *y = gb_bench_zeros(s->batch * classes * sizeof *y);
    for (size_t row = 0; row < s->batch; row++)
        y[row * classes + (size_t)gb_bench_random(0, (double)classes)] = 1;
    return y;
}

/* Finds the keys of the streams that `record` makes. */
static void find_keys(gb_hand_bayes *hand)
{
    gb_tape *tape = gb_tape_new(.seed = 7);
    for (int i = 0; i < TENSORS; i++)
        gb_bench_need(gb_noise_key(gb_stream(tape, stream_names[i]), &hand->tensor[i].key), tape, "a stream");
    gb_tape_free(tape);
}

static gb_hand_bayes hand_new(const sizes *s, const float *x, const float *y, double *const mu[TENSORS])
{
    gb_hand_bayes hand = {.batch = s->batch,
                          .x = x,
                          .y = y,
                          .data_size = data_size,
                          .prior = prior,
                          .rate = rate,
                          .beta1 = beta1,
                          .beta2 = beta2,
                          .epsilon = epsilon};
    memcpy(hand.width, s->width, sizeof hand.width);
    find_keys(&hand);
    gb_bench_need(gb_hand_bayes_begin(&hand), NULL, "the hand-written step");
    for (int i = 0; i < TENSORS; i++)
        for (size_t j = 0; j < hand.tensor[i].count; j++) {
            hand.tensor[i].mu[j] = (float)mu[i][j];
            hand.tensor[i].rho[j] = (float)rho_start;
        }
    return hand;
}

/* ---- agreement ---- */

/* Returns the distance of two vectors, relative to the length of the second minus `start`, where both
 * began. */
static double distance(gb_node node, const float *theirs, const double *start, double fill)
{
    const size_t count = gb_value_count(node);
    double *ours = gb_bench_read(node), apart = 0, length = 0;
    for (size_t i = 0; i < count; i++) {
        const double from = start ? (double)(float)start[i] : fill;
        apart += (ours[i] - (double)theirs[i]) * (ours[i] - (double)theirs[i]);
        length += ((double)theirs[i] - from) * ((double)theirs[i] - from);
    }
    free(ours);
    return sqrt(apart / length);
}

static void near_enough(const char *what, int tensor, double apart, double tolerance)
{
    if (apart <= tolerance)
        return;
    fprintf(stderr,
            "Bayes by Backprop: %s of %s differs from that of the hand-written program by %g of its length\n",
            what, stream_names[tensor], apart);
    exit(1);
}

/* Large networks are compared after one step: later a few of their many hidden units have inputs within
 * rounding of 0, and may be on here and off there. */
static void compare(const network *n, gb_hand_bayes *hand, double *const mu[TENSORS])
{
    const int steps = hand->width[1] == small.width[1] ? CHECKED_STEPS : 1;
    for (int step = 0; step < steps; step++) {
        gb_bench_run_program(n->program);
        gb_hand_bayes_run(hand);
        const double loss = gb_value(n->loss);
        gb_bench_agree("Bayes by Backprop, loss", 1, &loss, &hand->loss, 1e-5);
    }
    /* Adam divides by the size of the gradient, so a different rounding of a gradient near 0 changes the step
     * of a weight. */
    for (int i = 0; i < TENSORS; i++) {
        const gb_hand_tensor *t = &hand->tensor[i];
        near_enough("m in mu", i, distance(n->mu[i].m, t->mu_m, NULL, 0), 1e-4);
        near_enough("v in mu", i, distance(n->mu[i].v, t->mu_v, NULL, 0), 1e-4);
        near_enough("m in rho", i, distance(n->rho[i].m, t->rho_m, NULL, 0), 1e-4);
        near_enough("v in rho", i, distance(n->rho[i].v, t->rho_v, NULL, 0), 1e-4);
        near_enough("the move of mu", i, distance(n->mu[i].now, t->mu, mu[i], 0), 1e-2);
        near_enough("the move of rho", i, distance(n->rho[i].now, t->rho, NULL, rho_start), 1e-2);
    }
}

/* The noise differs, so only the loss after equally many steps is compared. */
static void compare_loss(const network *n, gb_hand_bayes *hand)
{
    for (int step = 0; step < CHECKED_STEPS; step++) {
        gb_bench_run_program(n->program);
        gb_hand_bayes_run(hand);
    }
    const double loss = gb_value(n->loss);
    gb_bench_agree("Bayes by Backprop as an ELBO, loss", 1, &loss, &hand->loss, 0.05);
}

/* ---- measuring ---- */

static void take_steps(void *context)
{
    const sizes *s = context;
    network n;
    double *mu[TENSORS];
    for (int i = 0; i < TENSORS; i++)
        mu[i] = start_mu(s, i);
    n.tape = gb_tape_new(.seed = 7, .real = GB_FLOAT, .threads = 1);
    record(&n, s, 0, mu);
    for (int i = 0; i < TENSORS; i++)
        free(mu[i]);
    feed(&n, inputs(s), labels(s), s->batch);
    for (int step = 0; step < 10; step++)
        gb_bench_run_program(n.program);
}

static void take_hand_steps(void *context)
{
    const sizes *s = context;
    double *mu[TENSORS];
    for (int i = 0; i < TENSORS; i++)
        mu[i] = start_mu(s, i);
    gb_hand_bayes hand = hand_new(s, inputs(s), labels(s), mu);
    for (int i = 0; i < TENSORS; i++)
        free(mu[i]);
    for (int step = 0; step < 10; step++)
        gb_hand_bayes_run(&hand);
}

typedef struct variant {
    const char *what;
    const sizes *sizes;
    int threads;
    bool is_elbo;
    gb_axes axes;
    double times[GB_RACE_USES]; /* goals */
} variant;

static void measure(const variant *v)
{
    const sizes *const s = v->sizes;
    float *x = inputs(s), *y = labels(s);
    double *mu[TENSORS];
    for (int i = 0; i < TENSORS; i++)
        mu[i] = start_mu(s, i);
    network n[GB_RACE_USES];
    gb_hand_bayes hand;
    for (int i = 0; i < GB_RACE_USES; i++) {
        n[i].tape = gb_tape_new(.seed = 7, .real = GB_FLOAT, .threads = v->threads, .native = gb_race_use[i]);
        if (v->is_elbo)
            record_elbo(&n[i], s, mu);
        else
            record(&n[i], s, v->axes, mu);
        feed(&n[i], x, y, s->batch);
        if (i > 0)
            gb_hand_bayes_end(&hand);
        hand = hand_new(s, x, y, mu);
        if (v->is_elbo)
            compare_loss(&n[i], &hand);
        else
            compare(&n[i], &hand, mu);
    }
    gb_race_run((gb_race){.what = v->what,
                          .ours = GB_RACE_PROGRAMS(n[0].program, n[1].program),
                          .hand = {gb_hand_bayes_run, &hand},
                          .times = {v->times[0], v->times[1]}});
    gb_hand_bayes_end(&hand);
    for (int i = 0; i < GB_RACE_USES; i++)
        gb_tape_free(n[i].tape);
    for (int i = 0; i < TENSORS; i++)
        free(mu[i]);
    free(x);
    free(y);
}

typedef struct batch {
    const sizes *sizes;
    const float *x, *y;
    double *const *mu;
} batch;

static gb_program *record_program(gb_tape *tape, const void *context)
{
    const batch *const b = context;
    network n = {.tape = tape};
    record(&n, b->sizes, 0, b->mu);
    feed(&n, b->x, b->y, b->sizes->batch);
    return n.program;
}

static void measure_compiling(const sizes *s)
{
    double *mu[TENSORS];
    for (int i = 0; i < TENSORS; i++)
        mu[i] = start_mu(s, i);
    float *const x = inputs(s), *const y = labels(s);
    gb_race_compile("784-400-400-10: to compile", 1, 1e-3,
                    (gb_tape_options){.seed = 7, .real = GB_FLOAT, .threads = 1}, record_program,
                    &(batch){s, x, y, mu});
    for (int i = 0; i < TENSORS; i++)
        free(mu[i]);
    free(x);
    free(y);
}

int main(void)
{
    static const variant variants[] = {
        {"784-50-50-10, batch 32", &small, 1, false, 0, {1.3, 1.15}},
        {"    as an ELBO", &small, 1, true, 0, {1.3, 1.15}},
        {"    with an axis of samples", &small, 1, false, GB_SAMPLES, {0}},
        {"    on two threads", &small, 2, false, 0, {0}},
        {"784-400-400-10, batch 128", &large, 1, false, 0, {1.3, 1.15}},
        {"    as an ELBO", &large, 1, true, 0, {1.3, 1.15}},
        {"    with an axis of samples", &large, 1, false, GB_SAMPLES, {0}},
        {"    on two threads", &large, 2, false, 0, {0}},
        {"784-1200-1200-10, batch 128", &huge, 1, false, 0, {1.3, 1.15}},
    };
    sizes s = large;
    const double memory = gb_bench_memory((gb_bench_job){take_steps, &s});
    const double hand_memory = gb_bench_memory((gb_bench_job){take_hand_steps, &s});
    gb_race_begin("A step of Bayes by Backprop, closed-form KL, Adam (float); by hand on one thread", "");
    measure_compiling(&large);
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
        measure(&variants[i]);
    gb_bench_row("784-400-400-10, batch 128: peak memory", "≤ 80 MB",
                 gb_bench_passes(memory > 0 && memory <= 80e6), "%.1f MB (by hand %.1f)", 1e-6 * memory,
                 1e-6 * hand_memory);
    gb_bench_row("PyTorch 1.13, measured before, not here", "", GB_BENCH_NOTE, "14 to 17 ms, 288 MB; 2.3 ms");
}
