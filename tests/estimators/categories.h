/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Estimates of the gradient of E f over some choices of K, to be compared with sums over all values. Include
 * support/close.h first. */
#ifndef GREBE_TESTS_CATEGORIES_H
#define GREBE_TESTS_CATEGORIES_H

#include "core/gradient.h"
#include "distributions/list.h"
#include "estimators/expect.h"
#include "estimators/list.h"
#include "estimators/trial.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "ops/take.h"

enum { MOST_K = 12, MOST_CHOICES = 2, MOST_LOGITS = MOST_K * MOST_CHOICES };

/* `n` choices of `k` categories, and the weight of log q in the cost. */
typedef struct setting {
    int n, k;
    double own;
} setting;

static inline double logit_of(int choice, int category)
{
    return 1.1 * sin(0.4 + 2.3 * category + 1.7 * choice);
}

/* The cost is (s − 0.7)² + 0.3 s³, where s is the sum of this over the choices. */
static inline double part_of(int choice, int category)
{
    return cos(0.9 + 1.9 * category + 2.6 * choice);
}

static inline double chance_of_category(const setting *at, int choice, int category)
{
    double sum = 0;
    for (int k = 0; k < at->k; k++)
        sum += exp(logit_of(choice, k));
    return exp(logit_of(choice, category)) / sum;
}

static inline double log_q_of(const setting *at, const double *z)
{
    double sum = 0;
    for (int i = 0; i < at->n; i++)
        sum += log(chance_of_category(at, i, (int)z[i]));
    return sum;
}

/* Without log q. */
static inline double cost_of_choices(const setting *at, const double *z)
{
    double s = 0;
    for (int i = 0; i < at->n; i++)
        s += part_of(i, (int)z[i]);
    return (s - 0.7) * (s - 0.7) + 0.3 * s * s * s;
}

static inline int count_of_values(const setting *at)
{
    return at->n == 1 ? at->k : at->k * at->k;
}

static inline void value_number(const setting *at, int number, double *z)
{
    for (int i = 0; i < at->n; i++, number /= at->k)
        z[i] = number % at->k;
}

static inline int number_of_value(const setting *at, const double *z)
{
    return (int)z[0] + (at->n == 1 ? 0 : at->k * (int)z[1]);
}

/* E f and its gradient in the logits, and the variance of f. */
typedef struct exact_choices {
    double value, gradient[MOST_LOGITS];
} exact_choices;

static inline exact_choices exact_of(const setting *at)
{
    exact_choices e = {0};
    for (int number = 0; number < count_of_values(at); number++) {
        double z[MOST_CHOICES];
        value_number(at, number, z);
        const double q = exp(log_q_of(at, z)), f = cost_of_choices(at, z) + at->own * log(q);
        e.value += q * f;
        for (int i = 0; i < at->n; i++)
            for (int k = 0; k < at->k; k++)
                e.gradient[i * at->k + k] += q * f * ((z[i] == k) - chance_of_category(at, i, k));
    }
    return e;
}

/* ---- recorded ---- */

static inline gb_node table_of(gb_tape *t, const setting *at, double (*of)(int, int))
{
    double all[MOST_LOGITS];
    for (int i = 0; i < at->n; i++)
        for (int k = 0; k < at->k; k++)
            all[i * at->k + k] = of(i, k);
    return gb_constant(t, gb_shape(at->n, at->k), gb_values_of(all, (size_t)(at->n * at->k)));
}

/* Of draws as numbers, or as vectors. */
static inline gb_node cost_of_draw(gb_node z, const setting *at)
{
    const gb_node parts = table_of(z.tape, at, part_of);
    const bool is_number = gb_node_shape(z).rank == 1;
    const gb_node s =
        gb_sum(is_number ? gb_take_along(parts, gb_to_int(gb_reshape(z, gb_shape(at->n, 1))), -1)
                         : gb_mul(parts, z));
    return gb_add(gb_square(gb_shift(s, -0.7)), gb_scale(gb_mul(s, gb_square(s)), 0.3));
}

typedef struct choices_trial {
    setting at;
    gb_tape *t;
    gb_expect *e;
    gb_node logits, draw, loss, gradient;
    gb_program *program;
} choices_trial;

static inline choices_trial choices_by(gb_estimator by, setting at, bool one_hot, int samples, gb_real real)
{
    choices_trial c = {.at = at, .t = test_tape(.seed = 17, .samples = samples, .real = real)};
    double logit[MOST_LOGITS];
    for (int i = 0; i < at.n; i++)
        for (int k = 0; k < at.k; k++)
            logit[i * at.k + k] = logit_of(i, k);
    c.e = gb_expect_new(c.t);
    c.logits = gb_variable(c.t, "logits", gb_shape(at.n, at.k), gb_values_of(logit, (size_t)(at.n * at.k)));
    c.draw = gb_draw(c.e, "z",
                     one_hot ? gb_one_hot_categorical_logits(c.logits) : gb_categorical_logits(c.logits), by);
    gb_node cost = cost_of_draw(c.draw, &at);
    if (at.own != 0)
        cost = gb_add(cost, gb_draw_log_prob(c.e, c.draw, gb_num(c.t, at.own)));
    c.loss = gb_expected(c.e, cost);
    c.gradient = gb_grad(c.loss, c.logits);
    c.program = gb_compile(c.t, gb_roots(c.draw, c.loss, c.gradient), gb_no_update);
    assert_fine(c.t);
    return c;
}

/* One run: returns the loss. `value` receives the draws of all evaluations, as numbers: each has n of
 * them. */
static inline double run_choices(const choices_trial *c, int evaluations, double *value, double *gradient)
{
    assert_int_equal(gb_run(c->program), GB_OK);
    assert_int_equal(gb_value_count(c->draw), evaluations * c->at.n);
    gb_read(c->draw, value, (size_t)(evaluations * c->at.n));
    gb_read(c->gradient, gradient, (size_t)(c->at.n * c->at.k));
    return gb_value(c->loss);
}

/* The derivative of log q in a logit. */
static inline double score_of(const setting *at, const double *z, int choice, int category)
{
    return (z[choice] == category) - chance_of_category(at, choice, category);
}

/* ---- over all outcomes ---- */

typedef double outcome_chance(const setting *at, const double *value, int evaluations);

/* Sums of chance · estimate over outcomes, each of which is a code of its draws. */
typedef struct summed_outcomes {
    double chance, value, mean[MOST_LOGITS], square[MOST_LOGITS];
    int runs, outcomes;
} summed_outcomes;

enum { MOST_OUTCOMES = 1 << 14 };

/* Runs until outcomes of all chances together have come; an estimate must be a function of its outcome. If
 * `is_set`, the order of the draws does not matter. */
static inline summed_outcomes over_all_outcomes(const choices_trial *c, int evaluations, bool is_set,
                                                outcome_chance *chance)
{
    enum { MOST_RUNS = 1000000, MOST_VALUES = 64 };
    static double known[MOST_OUTCOMES][2];
    static bool seen[MOST_OUTCOMES];
    const int numbers = c->at.n * c->at.k, values = count_of_values(&c->at);
    summed_outcomes s = {0};
    memset(seen, 0, sizeof seen);
    for (; s.runs < MOST_RUNS && s.chance < 1 - 1e-10; s.runs++) {
        double value[MOST_VALUES], g[MOST_LOGITS];
        const double loss = run_choices(c, evaluations, value, g);
        int code = 0;
        for (int k = 0; k < evaluations; k++) {
            const int number = number_of_value(&c->at, value + k * c->at.n);
            code = is_set ? code | 1 << number : code * values + number;
        }
        assert_true(code < MOST_OUTCOMES);
        if (seen[code]) {
            assert_true(near(loss, known[code][0]) && fabs(g[0] - known[code][1]) < 1e-10);
            continue;
        }
        seen[code] = true;
        known[code][0] = loss;
        known[code][1] = g[0];
        const double p = chance(&c->at, value, evaluations);
        s.outcomes++;
        s.chance += p;
        s.value += p * loss;
        for (int i = 0; i < numbers; i++) {
            s.mean[i] += p * g[i];
            s.square[i] += p * g[i] * g[i];
        }
    }
    if (!(fabs(s.chance - 1) < 1e-10))
        fail_msg("outcomes of chance %.12g came in %d runs", s.chance, s.runs);
    return s;
}

static inline void assert_exact_at(const setting *at, double value, const double *gradient, double allowed,
                                   int line)
{
    const exact_choices exact = exact_of(at);
    if (!(fabs(value - exact.value) < allowed))
        fail_msg("line %d: %d of %d: the mean of the value is %.15g, not %.15g", line, at->n, at->k, value,
                 exact.value);
    for (int i = 0; i < at->n * at->k; i++)
        if (!(fabs(gradient[i] - exact.gradient[i]) < allowed))
            fail_msg("line %d: %d of %d: the mean of gradient %d is %.15g, not %.15g", line, at->n, at->k, i,
                     gradient[i], exact.gradient[i]);
}
#define assert_exact(at, value, gradient, allowed)                                                           \
    assert_exact_at((at), (value), (gradient), (allowed), __LINE__)

#endif
