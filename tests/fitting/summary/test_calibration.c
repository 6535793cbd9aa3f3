/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calibration finds what is wrong with a q, and nothing where it is the posterior. */
#include "support/close.h"

#include <stdio.h>

#include "distributions/list.h"
#include "estimators/list.h"
#include "fitting/calibration.h"
#include "models/elbo.h"
#include "ops/elementwise.h"
#include "support/counted_memory.h"

typedef struct method {
    double off, factor; /* of q's mean, in its sd; of its sd */
    size_t fails_at;    /* a simulation without ELBO, counted from 1 */
    bool writes_nothing;
    bool changes; /* 1 free number of 2 values, then 2 */
} method;

/* Two values: of a simplex first, which has one free number, then free ones. */
static gb_elbo *make_changing(gb_tape *t, size_t number, double *truth)
{
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    const gb_node two = gb_constant(t, gb_shape(2), gb_fill(1));
    truth[0] = truth[1] = 0.5;
    gb_latent(e, "w", gb_mean_field(gb_shape(2)), number == 0 ? gb_dirichlet(two) : gb_normal(two, two),
              gb_pathwise());
    return e;
}

/* mu ~ N(0, 1), y ~ N(mu, 1): the posterior is N(y/2, 1/2). */
static gb_elbo *make(void *user, gb_tape *t, size_t number, double *truth)
{
    const method *const m = user;
    if (m->changes)
        return make_changing(t, number, truth);
    const gb_dist prior = gb_normal(gb_num(t, 0), gb_num(t, 1));
    const gb_node drawn = gb_sample(prior, gb_stream(t, "truth"), 0),
                  data = gb_sample(gb_normal(drawn, gb_num(t, 1)), gb_stream(t, "data"), 0);
    const double y = gb_value(data), sd = sqrt(0.5);
    if (!m->writes_nothing)
        truth[0] = gb_value(drawn);
    if (number + 1 == m->fails_at)
        return NULL;
    gb_elbo *const e = gb_elbo_new(t, .data_size = 1);
    const gb_node mu = gb_latent(
        e, "mu", gb_mean_field(gb_shape(), .location = y / 2 + m->off * sd, .scale = m->factor * sd), prior,
        gb_pathwise());
    gb_observe(e, "y", gb_normal(mu, gb_num(t, 1)), gb_num(t, y));
    return e;
}

/* Fixed seeds; with others each of the four p-values below 0.01 comes once in a hundred. */
TEST(ranks_in_the_posterior_are_uniform)
{
    method right = {.factor = 1};
    gb_calibration *c = gb_calibrate(.make = make, .user = &right, .parameters = 1);
    const gb_calibrated *const p = c->parameter;
    assert_int_equal(c->status, GB_OK);
    assert_string_equal(c->words, "");
    assert_string_equal(p->name, "mu");
    assert_true(p->p > 0.01 && p->asymmetry_p > 0.01);
    assert_near(p->mean, 0.5, 4 / sqrt(12.0 * 200));
    assert_near(p->dispersion, 1, 0.3);
    for (size_t i = 0; i < 200; i++)
        assert_true(p->ranks[i] <= 199);
    /* χ² by hand. */
    double chi2 = 0;
    for (size_t b = 0; b < 20; b++) {
        double count = 0;
        for (size_t i = 0; i < 200; i++)
            count += p->ranks[i] / 10 == b;
        chi2 += (count - 10) * (count - 10) / 10;
    }
    assert_near(p->chi2, chi2, 1e-9);
    assert_int_equal(gb_calibration_print(c, stderr), GB_OK);
    gb_calibration_free(c);
}

TEST(a_biased_q_is_asymmetric)
{
    method low = {.off = -0.5, .factor = 1};
    gb_calibration *c = gb_calibrate(.make = make, .user = &low, .parameters = 1);
    assert_true(c->parameter->asymmetry_p <= 0.002);
    assert_true(c->parameter->mean > 0.55);
    assert_non_null(strstr(c->words, "and 1 are biased"));
    gb_calibration_free(c);
}

TEST(a_narrow_q_is_overconfident_but_symmetric)
{
    method narrow = {.factor = 0.5};
    gb_calibration *c = gb_calibrate(.make = make, .user = &narrow, .parameters = 1);
    assert_true(c->parameter->p < 1e-4);
    assert_true(c->parameter->dispersion > 1.3);
    assert_true(c->parameter->asymmetry_p > 0.01);
    assert_non_null(strstr(c->words, "ranks of 1 of 1 parameters are not uniform, and 0 are biased"));
    gb_calibration_free(c);
}

TEST(a_wide_q_is_underconfident)
{
    method wide = {.factor = 2};
    gb_calibration *c = gb_calibrate(.make = make, .user = &wide, .parameters = 1);
    assert_true(c->parameter->p < 1e-4 && c->parameter->dispersion < 0.7);
    gb_calibration_free(c);
}

static void assert_fails(gb_calibration *c, gb_status status, const char *words)
{
    assert_non_null(c);
    assert_int_equal(c->status, status);
    if (!strstr(c->words, words))
        fail_msg("\"%s\" is not in \"%s\"", words, c->words);
    assert_int_equal(gb_calibration_print(c, stderr), GB_OK);
    gb_calibration_free(c);
}

static gb_elbo *make_infinite(void *user, gb_tape *t, size_t number, double *truth)
{
    gb_elbo *const e = make(user, t, number, truth);
    truth[0] = INFINITY;
    return e;
}

static gb_elbo *make_elsewhere(void *user, gb_tape *t, size_t number, double *truth)
{
    static method right = {.factor = 1};
    (void)t;
    return make(&right, user, number, truth);
}

TEST(models_that_cannot_be_calibrated_are_rejected)
{
    method right = {.factor = 1};
    assert_fails(gb_calibrate(.make = make_infinite, .user = &right, .parameters = 1), GB_EARGUMENT,
                 "simulation 0: make wrote inf as parameter 0, and it must be finite");
    assert_fails(gb_calibrate(.make = make_elsewhere, .user = t, .parameters = 1), GB_EARGUMENT,
                 "simulation 0: make returned an ELBO of another tape");
    assert_fails(gb_calibrate(.make = make, .user = &right, .parameters = 1, .tape = &(gb_tape_options){0}),
                 GB_EARGUMENT, ".tape has no size: set .size = sizeof(gb_tape_options)");
}

TEST(what_cannot_be_calibrated_is_said)
{
    method right = {.factor = 1}, late = {.factor = 1, .fails_at = 3},
           silent = {.factor = 1, .writes_nothing = true};
    assert_fails(gb_calibrate(.user = &right, .parameters = 1), GB_EARGUMENT,
                 ".make and .parameters are required");
    assert_fails(gb_calibrate(.make = make, .user = &right), GB_EARGUMENT,
                 ".make and .parameters are required");
    assert_fails(gb_calibrate(.make = make, .user = &right, .parameters = 2), GB_EARGUMENT,
                 "the latents have 1 values, and .parameters is 2");
    assert_fails(gb_calibrate(.make = make, .user = &right, .parameters = 1, .draws = 100), GB_EARGUMENT,
                 "100 draws have 101 ranks, which 20 bins do not share");
    assert_fails(gb_calibrate(.make = make, .user = &right, .parameters = 1, .simulations = 3), GB_EARGUMENT,
                 "3 simulations of 199 draws");
    assert_fails(gb_calibrate(.make = make, .user = &late, .parameters = 1), GB_EARGUMENT,
                 "simulation 2: make returned no ELBO");
    assert_fails(gb_calibrate(.make = make, .user = &silent, .parameters = 1), GB_EARGUMENT,
                 "simulation 0: make did not write parameter 0");
    method changing = {.factor = 1, .changes = true};
    assert_fails(gb_calibrate(.make = make, .user = &changing, .parameters = 2), GB_EARGUMENT,
                 "the latents have 2 free numbers, and those of the first simulation had 1");
    assert_null(gb_calibrate_with(&(gb_calibrate_options){.parameters = 1}));
    gb_calibration_free(NULL);
    assert_int_equal(gb_calibration_print(NULL, stdout), GB_EARGUMENT);
}

TEST(calibration_outlives_lack_of_memory)
{
    method right = {.factor = 1};
    counted_memory enough = {0};
    gb_calibration_free(gb_calibrate(.make = make, .user = &right, .parameters = 1, .simulations = 10,
                                     .memory = counted(&enough)));
    assert_int_equal(enough.outstanding, 0);
    for (size_t i = 1; i <= enough.asked; i++) {
        counted_memory memory = {.fail_at = i};
        gb_calibration *const c = gb_calibrate(.make = make, .user = &right, .parameters = 1,
                                               .simulations = 10, .memory = counted(&memory));
        assert_true(!c || c->status == GB_ENOMEM);
        gb_calibration_free(c);
        assert_int_equal(memory.outstanding, 0);
    }
}
