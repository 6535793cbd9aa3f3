/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exact moments of estimates that are functions of draws of 0 and 1: the sum over all outcomes of the chance
 * of an outcome times its estimate. Include support/close.h first. */
#ifndef GREBE_TESTS_OUTCOMES_H
#define GREBE_TESTS_OUTCOMES_H

#include "core/gradient.h"
#include "distributions/list.h"
#include "estimators/expect.h"
#include "estimators/list.h"
#include "estimators/trial.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

enum { BITS = 3, MOST_BITS = 12, MOST_CODES = 1 << MOST_BITS };

/* The cost is (s − 0.7)² + 0.3 s³, where s is a weighted sum of the bits. */
static const double BIT_WEIGHT[BITS] = {0.8, -0.5, 1.1};

static inline double sum_of_bits(const double *b, int bits)
{
    double s = 0;
    for (int i = 0; i < bits; i++)
        s += BIT_WEIGHT[i] * b[i];
    return s;
}

static inline double cost_of_bits(const double *b, int bits)
{
    const double s = sum_of_bits(b, bits);
    return (s - 0.7) * (s - 0.7) + 0.3 * s * s * s;
}

/* The derivative of the cost by s. */
static inline double slope_of_bits(const double *b, int bits)
{
    const double s = sum_of_bits(b, bits);
    return 2 * (s - 0.7) + 0.9 * s * s;
}

static inline gb_node cost_node(gb_node b, int bits)
{
    const gb_node w = gb_constant(b.tape, gb_shape(bits), gb_values_of(BIT_WEIGHT, (size_t)bits));
    const gb_node s = gb_sum(gb_mul(w, b));
    return gb_add(gb_square(gb_shift(s, -0.7)), gb_scale(gb_mul(s, gb_square(s)), 0.3));
}

/* E cost, with its gradient in the logits. */
typedef struct bits_trial {
    gb_tape *t;
    int bits;
    size_t values; /* numbers of a run: bits of all evaluations or samples */
    gb_node logits, draw, loss, gradient;
    gb_program *program;
} bits_trial;

static inline bits_trial bits_by(gb_estimator by, int bits, size_t values, int samples, const double *p)
{
    double logit[BITS] = {0};
    for (int i = 0; i < bits; i++)
        logit[i] = log(p[i] / (1 - p[i]));
    bits_trial c = {.t = test_tape(.seed = 31, .samples = samples), .bits = bits, .values = values};
    gb_expect *const e = gb_expect_new(c.t);
    c.logits = gb_variable(c.t, "logits", gb_shape(bits), gb_values_of(logit, (size_t)bits));
    c.draw = gb_draw(e, "b", gb_bernoulli_logits(c.logits), by);
    c.loss = gb_expected(e, cost_node(c.draw, bits));
    c.gradient = gb_grad(c.loss, c.logits);
    c.program = gb_compile(c.t, gb_roots(c.draw, c.loss, c.gradient), gb_no_update);
    assert_fine(c.t);
    return c;
}

/* One run. */
static inline double run_bits(const bits_trial *c, double *value, double *gradient)
{
    assert_int_equal(gb_run(c->program), GB_OK);
    assert_int_equal(gb_value_count(c->draw), c->values);
    gb_read(c->draw, value, c->values);
    gb_read(c->gradient, gradient, (size_t)c->bits);
    return gb_value(c->loss);
}

/* Moments of the gradient and the mean of the value; and how often each outcome came, of all `runs`. */
typedef struct bits_moments {
    double mean[BITS], variance[BITS], value;
    int runs, seen[MOST_CODES];
    double chance[MOST_CODES];
} bits_moments;

typedef double chance_function(const double *value, const double *p, int bits);

static inline void add_outcome(bits_moments *m, double chance, double loss, const double *g, int bits)
{
    m->value += chance * loss;
    for (int i = 0; i < bits; i++) {
        m->mean[i] += chance * g[i];
        m->variance[i] += chance * g[i] * g[i];
    }
}

/* Runs until outcomes of all chances together have come. An estimate must be a function of its outcome. */
static inline bits_moments *over_outcomes(const bits_trial *c, const double *p, chance_function *chance)
{
    enum { MOST_RUNS = 1000000 };
    static double known[MOST_CODES];
    bits_moments *const m = calloc(1, sizeof *m);
    double all = 0, value[MOST_BITS], g[BITS];
    for (; m->runs < MOST_RUNS && all < 1 - 1e-9; m->runs++) {
        const double loss = run_bits(c, value, g);
        size_t code = 0;
        for (size_t i = 0; i < c->values; i++)
            code = 2 * code + (value[i] == 1);
        if (m->seen[code]++ > 0) {
            assert_true(near(g[0], known[code]));
            continue;
        }
        known[code] = g[0];
        m->chance[code] = chance(value, p, c->bits);
        all += m->chance[code];
        add_outcome(m, m->chance[code], loss, g, c->bits);
    }
    if (!(fabs(all - 1) < 1e-9))
        fail_msg("outcomes of chance %.12g came in %d runs", all, m->runs);
    for (int i = 0; i < c->bits; i++)
        m->variance[i] -= m->mean[i] * m->mean[i];
    return m;
}

/* p(1 − p) (f at b_i = 1 minus f at b_i = 0), summed over the values of the other bits; and E f. */
static inline void exact_bits(int bits, const double *p, double *gradient, double *value)
{
    *value = 0;
    memset(gradient, 0, (size_t)bits * sizeof *gradient);
    for (int code = 0; code < 1 << bits; code++) {
        double b[BITS], q = 1;
        for (int i = 0; i < bits; i++) {
            b[i] = code >> i & 1;
            q *= b[i] == 1 ? p[i] : 1 - p[i];
        }
        *value += q * cost_of_bits(b, bits);
        for (int i = 0; i < bits; i++)
            gradient[i] += q * (b[i] - p[i]) * cost_of_bits(b, bits);
    }
}

static inline void assert_unbiased_at(const bits_moments *m, int bits, const double *p, int line)
{
    double gradient[BITS], value;
    exact_bits(bits, p, gradient, &value);
    if (!(fabs(m->value - value) < 1e-11))
        fail_msg("line %d: the mean of the value is %.15g, not %.15g", line, m->value, value);
    for (int i = 0; i < bits; i++)
        if (!(fabs(m->mean[i] - gradient[i]) < 1e-11))
            fail_msg("line %d: the mean of gradient %d is %.15g, not %.15g", line, i, m->mean[i],
                     gradient[i]);
}
#define assert_unbiased(m, bits, p) assert_unbiased_at((m), (bits), (p), __LINE__)

#endif
