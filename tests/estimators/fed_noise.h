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

#endif
