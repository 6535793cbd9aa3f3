/* SPDX-License-Identifier: GPL-3.0-or-later */
/* E f(z) under N(mu, sigma), with its gradients, to be compared with
 * formulas. Include support/close.h first. */
#ifndef GREBE_TESTS_TRIAL_H
#define GREBE_TESTS_TRIAL_H

#include <stdio.h>

#include "core/gradient.h"
#include "distributions/list.h"
#include "estimators/expect.h"
#include "estimators/learn.h"

typedef gb_node cost_function(gb_node z);

typedef struct trial {
    gb_tape *t;
    gb_expect *e;
    gb_node mu, sigma, z, each, loss, of_mu, of_sigma;
    gb_program *program;
} trial;

static inline trial start(gb_estimator estimator, int samples, double mu, double sigma, cost_function *cost)
{
    trial c = {.t = test_tape(.seed = 5, .samples = samples)};
    c.e = gb_expect_new(c.t);
    c.mu = gb_variable(c.t, "mu", gb_shape(), gb_fill(mu));
    c.sigma = gb_variable(c.t, "sigma", gb_shape(), gb_fill(sigma));
    c.z = gb_draw(c.e, "z", gb_normal(c.mu, c.sigma), estimator);
    c.each = cost(c.z);
    c.loss = gb_expected(c.e, c.each);
    c.of_mu = gb_grad(c.loss, c.mu);
    c.of_sigma = gb_grad(c.loss, c.sigma);
    c.program = gb_compile(c.t, gb_roots(c.z, c.loss, c.of_mu, c.of_sigma), gb_no_update);
    return c;
}

/* A variable that is not there yet, for a baseline that learns. */
static inline gb_node new_level(gb_tape *tape)
{
    char name[32] = "level";
    for (unsigned i = 2; gb_tape_has_variable(tape, name); i++)
        snprintf(name, sizeof name, "level %u", i);
    return gb_variable(tape, name, gb_shape(), gb_fill(0));
}

/* The one objective among the rules that a loss carries. */
static inline gb_learned lowered_in(gb_node loss)
{
    gb_learned all[GB_LEARNED_MOST], found = {0};
    const size_t count = gb_node_learned(loss, all, GB_LEARNED_MOST);
    size_t objectives = 0;
    assert_true(count <= GB_LEARNED_MOST);
    for (size_t i = 0; i < count; i++)
        if (!all[i].is_assigned && ++objectives == 1)
            found = all[i];
    assert_int_equal(objectives, 1);
    return found;
}

/* Gives the running moments of the cost of a site, if it keeps them, a mean and the variance 1. */
static inline void settle_costs(gb_tape *tape, const char *site, double mean)
{
    char name[64];
    snprintf(name, sizeof name, "%s.cost", site);
    if (gb_tape_has_variable(tape, name))
        assert_int_equal(gb_set(gb_variable_named(tape, name), GB_VALUES(mean, 1, 1)), GB_OK);
}

/* As near as a sum of some terms comes to its formula. */
static inline bool near(double is, double should)
{
    return fabs(is - should) <= 1e-12 * (1 + fabs(should));
}

static inline double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

#endif
