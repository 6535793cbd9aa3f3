/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gradients of choices of two as a function of all noise that they are made of, and their means by quadrature
 * over it. Include support/close.h first. */
#ifndef GREBE_TESTS_FED_NOISE_H
#define GREBE_TESTS_FED_NOISE_H

#include <stdio.h>

#include "core/gradient.h"
#include "core/graph/replace_impl.h"
#include "core/op.h"
#include "estimators/visit.h"
#include "ops/array.h"
#include "ops/elementwise.h"

enum { MOST_NOISES = 8, MOST_GRADIENTS = 4 };

typedef struct fed_noise {
    gb_program *program;
    size_t noises, gradients;
    gb_node of[MOST_NOISES], noise[MOST_NOISES], gradient[MOST_GRADIENTS];
} fed_noise;

static inline bool find_noise(void *context, gb_node node)
{
    fed_noise *const fed = context;
    size_t place = fed->noises;
    if (gb_node_op(node)->form != GB_FORM_NOISE)
        return true;
    for (size_t i = 0; i < fed->noises; i++)
        if (gb_node_same(fed->of[i], node))
            return true;
    assert_true(fed->noises++ < MOST_NOISES);
    for (; place > 0 && fed->of[place - 1].id > node.id; place--)
        fed->of[place] = fed->of[place - 1];
    fed->of[place] = node;
    return true;
}

/* The gradients again, with inputs in the place of all noise, in the order of recording. Noise that is common
 * along evaluations is one input. */
static inline fed_noise feed_noise(size_t count, const gb_node *gradient)
{
    gb_node to[MOST_NOISES];
    fed_noise fed = {.gradients = count};
    for (size_t i = 0; i < count; i++)
        assert_int_equal(gb_visit(gradient[i], find_noise, &fed), GB_OK);
    for (size_t i = 0; i < fed.noises; i++) {
        char name[32];
        snprintf(name, sizeof name, "noise %zu", i);
        fed.noise[i] = gb_input(gradient[0].tape, name, gb_node_shape(fed.of[i]));
        to[i] = gb_widen(fed.noise[i], gb_node_axes(fed.of[i]));
    }
    assert_int_equal(gb_replaced_with_draws(fed.noises, fed.of, to, count, gradient, fed.gradient), GB_OK);
    fed.program =
        gb_compile(gradient[0].tape, (gb_node_list){.count = count, .node = fed.gradient}, gb_no_update);
    assert_int_equal(gb_error(gradient[0].tape), GB_OK);
    return fed;
}

/* ---- quadrature ---- */

static inline double logistic_cdf(double x)
{
    return 1 / (1 + exp(-x));
}

/* The uniform that makes z of a choice with this logit: that of the logistic noise z − logit. `x`, itself
 * logistic noise, makes z given b, as it makes z̃. */
static inline double uniform_given(double b, double logit, double x)
{
    const double above = log1p(exp(x + log1p(exp(logit)))), below = -log1p(exp(x + log1p(exp(-logit))));
    return logistic_cdf((b == 1 ? above : below) - logit);
}

/* The trapezoidal rule for the logistic law: what is integrated is analytic in a strip, so it is right to
 * rounding. */
enum { LOGISTIC_POINTS = 113 };
static inline double logistic_point(int i)
{
    return ((double)i - (LOGISTIC_POINTS - 1) / 2) * 0.5;
}

static inline double logistic_weight(int i)
{
    const double u = logistic_cdf(logistic_point(i));
    return 0.5 * u * logistic_cdf(-logistic_point(i));
}

/* ---- two bits ---- */

static inline double cost_of(double x, double y)
{
    const double sum = x + 2 * y - 0.7 + 0.8 * x * y;
    return sum * sum + cos(1.3 * sum);
}

static inline gb_node cost_of_nodes(gb_node x, gb_node y)
{
    const gb_node sum = gb_add(gb_shift(gb_add(x, gb_scale(y, 2)), -0.7), gb_scale(gb_mul(x, y), 0.8));
    return gb_add(gb_square(sum), gb_cos(gb_scale(sum, 1.3)));
}

/* The noise of two bits, as logistic numbers: of z given b, and of z̃, of each. */
enum { Z_0, GIVEN_0, Z_1, GIVEN_1, NOISES };

/* Two bits of one draw, or one that sets the logit of the other. */
typedef struct two_bits {
    bool in_layers;
    fed_noise fed;
} two_bits;

static const double LOGIT[] = {0.4, -0.9}, PULL = 1.7;
enum { PARAMETERS = 3 }; /* the two logits, and the pull */

static inline double logit_of(const two_bits *two, int bit, const double b[2])
{
    return LOGIT[bit] + (two->in_layers && bit == 1 ? PULL * b[0] : 0);
}

static inline void at(const two_bits *two, const double b[2], const double x[NOISES],
                      double gradient[PARAMETERS])
{
    double u[NOISES];
    for (int i = 0; i < NOISES; i++)
        u[i] = i % 2 ? logistic_cdf(x[i]) : uniform_given(b[i / 2], logit_of(two, i / 2, b), x[i]);
    const double pairs[2][2] = {{u[Z_0], u[Z_1]}, {u[GIVEN_0], u[GIVEN_1]}};
    for (size_t i = 0; i < two->fed.noises; i++)
        gb_feed(two->fed.noise[i], two->in_layers ? &u[i] : pairs[i], 1);
    assert_int_equal(gb_run(two->fed.program), GB_OK);
    if (two->in_layers)
        for (size_t k = 0; k < PARAMETERS; k++)
            gradient[k] = gb_value(two->fed.gradient[k]);
    else
        gb_read(two->fed.gradient[0], gradient, 2);
}

/* A gradient is a sum of functions of some of the noise, the one where others stay at 0: Σ factor · g. */
typedef struct part {
    double factor;
    int over[2]; /* NOISES: no more */
} part;

static const part of_one_draw[] = {
    {1, {Z_0, Z_1}}, {1, {GIVEN_0, GIVEN_1}}, {-1, {NOISES, NOISES}}, {0, {NOISES, NOISES}}};
static const part of_layers[] = {{1, {Z_0, Z_1}},     {1, {GIVEN_0, Z_1}},    {1, {GIVEN_1, NOISES}},
                                 {-1, {Z_1, NOISES}}, {-1, {NOISES, NOISES}}, {0, {NOISES, NOISES}}};

/* Adds `weight` times the mean of a part over its noise. */
static inline void add_mean(const two_bits *two, const double b[2], const part *p, double weight,
                            double sum[PARAMETERS])
{
    double x[NOISES] = {0}, gradient[PARAMETERS] = {0};
    const int first = p->over[0], second = p->over[1];
    for (int i = 0; i < (first < NOISES ? LOGISTIC_POINTS : 1); i++)
        for (int j = 0; j < (second < NOISES ? LOGISTIC_POINTS : 1); j++) {
            double now = weight * p->factor;
            if (first < NOISES)
                x[first] = logistic_point(i), now *= logistic_weight(i);
            if (second < NOISES)
                x[second] = logistic_point(j), now *= logistic_weight(j);
            at(two, b, x, gradient);
            for (int k = 0; k < PARAMETERS; k++)
                sum[k] += now * gradient[k];
        }
}

/* That it is such a sum, at points here and there. */
static inline void is_sum_of(const two_bits *two, const double b[2], const part *parts)
{
    for (int run = 0; run < 20; run++) {
        double x[NOISES], is[PARAMETERS] = {0}, sum[PARAMETERS] = {0}, one[PARAMETERS] = {0};
        for (int i = 0; i < NOISES; i++)
            x[i] = 4 * sin(1 + 2.3 * i + 0.7 * run);
        at(two, b, x, is);
        for (const part *p = parts; p->factor != 0; p++) {
            double some[NOISES] = {0};
            for (int k = 0; k < 2; k++)
                if (p->over[k] < NOISES)
                    some[p->over[k]] = x[p->over[k]];
            at(two, b, some, one);
            for (int k = 0; k < PARAMETERS; k++)
                sum[k] += p->factor * one[k];
        }
        for (int k = 0; k < PARAMETERS; k++)
            assert_near(is[k], sum[k], 1e-11 * (1 + fabs(sum[k])));
    }
}

static inline void has_mean(const two_bits *two, const part *parts, const double exact[PARAMETERS])
{
    double mean[PARAMETERS] = {0};
    for (int which = 0; which < 4; which++) {
        const double b[] = {which & 1, which >> 1};
        const double p = logistic_cdf((2 * b[0] - 1) * logit_of(two, 0, b)) *
                         logistic_cdf((2 * b[1] - 1) * logit_of(two, 1, b));
        is_sum_of(two, b, parts);
        for (const part *one = parts; one->factor != 0; one++)
            add_mean(two, b, one, p, mean);
    }
    for (int k = 0; k < PARAMETERS; k++)
        assert_near(mean[k], exact[k], 1e-10);
}

/* Of two bits of one draw. */
static inline void is_unbiased(const two_bits *two)
{
    double exact[PARAMETERS] = {0};
    const double p = logistic_cdf(LOGIT[0]), q = logistic_cdf(LOGIT[1]);
    exact[0] =
        p * (1 - p) * (q * (cost_of(1, 1) - cost_of(0, 1)) + (1 - q) * (cost_of(1, 0) - cost_of(0, 0)));
    exact[1] =
        q * (1 - q) * (p * (cost_of(1, 1) - cost_of(1, 0)) + (1 - p) * (cost_of(0, 1) - cost_of(0, 0)));
    has_mean(two, of_one_draw, exact);
}

#endif
