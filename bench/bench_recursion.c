/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recursions over time: a scan, the same steps recorded one by one, and for GARCH with its terms stacked; by
 * hand, and Stan Math if it was found. */
#include <grebe/core/gradient.h>
#include <grebe/ops/arrange.h>
#include <grebe/ops/array.h>
#include <grebe/ops/elementwise.h>
#include <grebe/ops/recursion.h>
#include <grebe/ops/reduce.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "hand.h"
#include "race.h"
#include "stan_recursion.h"

enum { GARCH = 4, ARMA = 4, AR = 6, MOST_PARAMETERS = 25 };

/* The parameters, cut up once. */
typedef struct pieces {
    gb_node number[MOST_PARAMETERS];
    gb_node step, level; /* of a hidden Markov model: log probabilities (K×K), means (K) */
} pieces;

static pieces cut(gb_node p, int64_t parameters, int64_t k)
{
    pieces all;
    for (int64_t i = 0; i < parameters; i++)
        all.number[i] = gb_at(p, i);
    if (k > 0) {
        all.step = gb_log_softmax(gb_reshape(gb_slice(p, 0, 0, k * k), gb_shape(k, k)), 1);
        all.level = gb_slice(p, 0, k * k, k * k + k);
    }
    return all;
}

/* Omega, alpha, beta, mu. The output is the log density of one datum. */
static void garch(gb_scan_step *s)
{
    const gb_node *const p = ((const pieces *)s->user)->number, h = s->state[0];
    const gb_node squared = gb_square(gb_sub(s->input[0], p[3]));
    s->output[0] = gb_scale(gb_add(gb_log(h), gb_div(squared, h)), -0.5);
    s->next[0] = gb_add(gb_add(p[0], gb_mul(p[1], squared)), gb_mul(p[2], h));
}

/* Mu, phi, theta, log sigma. The states are the last datum and the last error. */
static void arma(gb_scan_step *s)
{
    const gb_node *const p = ((const pieces *)s->user)->number;
    const gb_node mean = gb_add(p[0], gb_add(gb_mul(p[1], s->state[0]), gb_mul(p[2], s->state[1])));
    const gb_node e = gb_sub(s->input[0], mean);
    s->next[0] = s->input[0];
    s->next[1] = e;
    s->output[0] = gb_sub(gb_scale(gb_square(gb_mul(e, gb_exp(gb_neg(p[3])))), -0.5), p[3]);
}

/* Five coefficients, then log sigma. The states are the last five data. */
static void ar(gb_scan_step *s)
{
    const gb_node *const p = ((const pieces *)s->user)->number;
    gb_node mean = gb_mul(p[0], s->state[0]);
    for (int64_t i = 1; i < AR - 1; i++)
        mean = gb_add(mean, gb_mul(p[i], s->state[i]));
    const gb_node z = gb_mul(gb_sub(s->input[0], mean), gb_exp(gb_neg(p[5])));
    s->output[0] = gb_sub(gb_scale(gb_square(z), -0.5), p[5]);
    s->next[0] = s->input[0];
    for (size_t i = 1; i < s->states; i++)
        s->next[i] = s->state[i - 1];
}

/* The forward pass of a hidden Markov model whose K states have normal data: K² logits of steps, then K
 * means. */
static void markov(gb_scan_step *s)
{
    const pieces *const p = s->user;
    const gb_node seen = gb_scale(gb_square(gb_sub(s->input[0], p->level)), -0.5);
    s->next[0] = gb_add(gb_logsumexp_along(gb_add(gb_expand(s->state[0], 1), p->step), gb_axis(0)), seen);
    s->output[0] = gb_num(s->tape, 0);
}

typedef struct model {
    const char *name;
    gb_scan_function *function;
    size_t states, parameters;
    int64_t size; /* of a state; 0: a scalar */
    bool ends;    /* the value is the log-sum-exp of the last state, not the sum of the outputs */
    gb_stan_function *stan;
} model;

typedef enum way { BY_SCAN, ONE_BY_ONE, STACKED, WAYS } way;

typedef struct recorded {
    gb_tape *tape;
    gb_node parameter, value, gradient;
    gb_program *program;
    double prepared; /* seconds */
} recorded;

static gb_scan_result one_by_one(gb_tape *t, const model *m, const gb_node *first, int64_t steps,
                                 const double *data, pieces *p)
{
    gb_scan_result r = {0};
    gb_node now[GB_SCAN_MOST], next[GB_SCAN_MOST], output, sum = gb_num(t, 0);
    gb_node *const terms = malloc((size_t)steps * sizeof *terms);
    for (size_t i = 0; i < m->states; i++)
        now[i] = first[i];
    for (int64_t i = 0; i < steps; i++) {
        const gb_node input = gb_num(t, data[i]);
        gb_scan_step s = {.tape = t,
                          .user = p,
                          .states = m->states,
                          .inputs = 1,
                          .outputs = 1,
                          .state = now,
                          .input = &input,
                          .next = next,
                          .output = &output};
        m->function(&s);
        for (size_t k = 0; k < m->states; k++)
            now[k] = next[k];
        terms[i] = output;
    }
    sum = gb_total(t, (size_t)steps, terms);
    free(terms);
    for (size_t i = 0; i < m->states; i++)
        r.last[i] = now[i];
    r.output[0] = sum;
    return r;
}

/* GARCH(1,1): a multiplication and an addition for each step; all else of all steps together. */
static gb_node stacked_garch(gb_node y, gb_node h, int64_t steps, const pieces *p)
{
    const gb_node squared = gb_square(gb_sub(y, p->number[3]));
    const gb_node drive = gb_add(p->number[0], gb_mul(p->number[1], squared));
    gb_node *const all = malloc((size_t)steps * sizeof *all);
    for (int64_t i = 0; i < steps; i++) {
        all[i] = h;
        h = gb_add(gb_at(drive, i), gb_mul(p->number[2], h));
    }
    const gb_node stacked = gb_stack((size_t)steps, all, 0);
    free(all);
    return gb_scale(gb_add(gb_log(stacked), gb_div(squared, stacked)), -0.5);
}

static recorded record(const model *m, int64_t steps, const double *data, const double *at, int64_t samples,
                       way by, gb_native_use use)
{
    const double began = gb_bench_now();
    recorded r = {.tape = gb_tape_new(.threads = 1, .samples = samples, .native = use)};
    gb_tape *const t = r.tape;
    const gb_node y = gb_constant(t, gb_shape(steps), gb_values_of(data, (size_t)steps));
    r.parameter = gb_variable(t, "p", gb_shape((int64_t)m->parameters), gb_values_of(at, m->parameters));
    gb_node p = r.parameter, first[GB_SCAN_MOST];
    if (samples > 1)
        p = gb_add(p, gb_scale(gb_axis_index(t, GB_SAMPLES), 1e-3));
    for (size_t i = 0; i < m->states; i++)
        first[i] = gb_constant(t, m->size ? gb_shape(m->size) : gb_shape(), gb_fill(m->size ? 0 : 0.7));
    pieces all = cut(p, (int64_t)m->parameters, m->size);
    gb_scan_result s = {0};
    if (by == BY_SCAN)
        s = gb_scan(t, m->function, gb_roots_of(m->states, first), .inputs = gb_roots(y), .outputs = 1,
                    .user = &all);
    else if (by == ONE_BY_ONE)
        s = one_by_one(t, m, first, steps, data, &all);
    else
        s.output[0] = stacked_garch(y, first[0], steps, &all);
    r.value = m->ends ? gb_logsumexp(s.last[0]) : gb_sum(s.output[0]);
    if (samples > 1)
        r.value = gb_sum_over(r.value, GB_SAMPLES);
    r.gradient = gb_grad(r.value, r.parameter);
    r.program = gb_compile(t, gb_roots(r.value, r.gradient), gb_no_update);
    gb_bench_need(r.program && gb_run(r.program) == GB_OK, t, m->name);
    r.prepared = gb_bench_now() - began;
    return r;
}

static void run_stan(void *context)
{
    gb_stan_job *const job = context;
    job->run(job);
}

static void agree(const char *what, const recorded *a, size_t parameters, double value,
                  const double *gradient)
{
    double ours[1 + MOST_PARAMETERS], theirs[1 + MOST_PARAMETERS];
    ours[0] = gb_value(a->value);
    gb_read(a->gradient, ours + 1, parameters);
    theirs[0] = value;
    for (size_t i = 0; i < parameters; i++)
        theirs[1 + i] = gradient[i];
    gb_bench_agree(what, 1 + parameters, ours, theirs, 1e-9);
}

/* A scan and what else there is of a model, in all their ways. */
typedef struct setting {
    const model *model;
    int64_t steps, samples;
    double seconds[WAYS]; /* goals of native code */
} setting;

enum { MOST_COMPILED = 1000 }; /* steps, one by one */

static void race(const setting *s, way by, gb_stan_job *stan, gb_hand_garch *hand)
{
    static const char *const names[WAYS] = {"by scan", "one by one", "terms stacked"};
    const model *const m = s->model;
    const size_t uses = by == BY_SCAN || s->steps <= MOST_COMPILED ? GB_RACE_USES : 1;
    recorded r[GB_RACE_USES] = {{0}};
    char what[80];
    for (size_t i = 0; i < uses; i++)
        r[i] = record(m, s->steps, stan->data, stan->at, s->samples, by, gb_race_use[i]);
    for (size_t i = 0; i < uses; i++)
        if (hand)
            agree(m->name, &r[i], m->parameters, hand->value, hand->gradient);
        else if (stan->run)
            agree(m->name, &r[i], m->parameters, stan->value, stan->gradient);
    const int length = snprintf(what, sizeof what, "%s, %lld, ", m->name, (long long)s->steps);
    if (s->samples > 1)
        snprintf(what + length, sizeof what - (size_t)length, "%lld draws, %s", (long long)s->samples,
                 names[by]);
    else
        snprintf(what + length, sizeof what - (size_t)length, "%s", names[by]);
    gb_race_run((gb_race){.what = what,
                          .ours = {{gb_bench_run_program, r[0].program},
                                   {uses > 1 ? gb_bench_run_program : NULL, r[1].program}},
                          .hand = {hand ? gb_hand_garch_run : NULL, hand},
                          .peer = {stan->run ? run_stan : NULL, stan->run ? stan : NULL},
                          .seconds = {0, s->seconds[by]}});
    gb_bench_row("    prepared in", "", GB_BENCH_NOTE, "%.2f ms, interpreted", 1e3 * r[0].prepared);
    for (size_t i = 0; i < uses; i++)
        gb_tape_free(r[i].tape);
}

static void compare(const setting *s)
{
    const model *const m = s->model;
    const size_t steps = (size_t)s->steps;
    double at[MOST_PARAMETERS], gradient[MOST_PARAMETERS];
    double *const data = gb_bench_randoms(steps, -1, 1);
    for (size_t i = 0; i < m->parameters; i++)
        at[i] = 0.1 + 0.4 / (2. + (double)i);
    gb_stan_job stan = {
        s->samples == 1 ? m->stan : NULL, steps, (size_t)m->size, data, at, m->parameters, 0, gradient};
    gb_hand_garch hand = {.steps = steps,
                          .y = data,
                          .at = at,
                          .square = gb_bench_zeros(steps * sizeof(double)),
                          .variance = gb_bench_zeros(steps * sizeof(double)),
                          .slope = gb_bench_zeros(steps * sizeof(double))};
    const bool by_hand = m->function == garch && s->samples == 1;
    if (by_hand)
        gb_hand_garch_run(&hand);
    if (stan.run)
        run_stan(&stan);
    for (way by = 0; by < (by_hand ? WAYS : STACKED); by++)
        race(s, by, &stan, by_hand ? &hand : NULL);
    double *const arrays[] = {data, hand.square, hand.variance, hand.slope};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
}

int main(void)
{
    static const model garch_model = {"GARCH(1,1)", garch, 1, GARCH, 0, false, gb_stan_garch},
                       arma_model = {"ARMA(1,1)", arma, 2, ARMA, 0, false, gb_stan_arma},
                       ar_model = {"AR(5)", ar, 5, AR, 0, false, gb_stan_ar};
    static const setting settings[] = {
        {&garch_model, 200, 1, {8e-6, 6e-6, 8e-6}},
        {&garch_model, 1000, 1, {40e-6, 35e-6, 40e-6}},
        {&garch_model, 10000, 1, {0}},
        {&garch_model, 1000, 8, {0}},
        {&garch_model, 1000, 64, {0}},
        {&arma_model, 1000, 1, {0}},
        {&ar_model, 1000, 1, {0}},
    };
    gb_race_begin("Recursions, so many steps, value and gradient (double)", gb_stan_garch ? "Stan Math" : "");
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        compare(&settings[i]);
    for (int64_t k = 2; k <= 4; k++) {
        char name[40];
        snprintf(name, sizeof name, "HMM(%lld)", (long long)k);
        const model m = {name, markov, 1, (size_t)(k * k + k), k, true, gb_stan_markov};
        compare(&(setting){&m, 1000, 1, {0}});
    }
}
