/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every distribution in the list passes the conformance kit: one test for each, made from the list. ctest
 * deals them to several runs (test_conformance 2/6); test_conformance beta runs one.
 *
 * GB_VERBOSE=1 shows all statements; GB_SEED, GB_DRAWS and GB_INSTANCES look longer and elsewhere. */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "distributions/list.h"
#include "distributions/transforms.h"
#include "kit/check_distribution.h"
#include "ops/elementwise.h"
#include "support/files.h"

/* ---- instances that cannot be made from a type alone ---- */

static gb_node variable(gb_tape *tape, const char *what, size_t which, gb_shape shape, gb_values values)
{
    char name[48];
    snprintf(name, sizeof name, "%s %zu", what, which);
    return gb_variable(tape, name, shape, values);
}

static gb_dist some_normal(gb_tape *tape, size_t which)
{
    const gb_node loc = variable(tape, "loc", which, gb_shape(), gb_fill(which % 2 ? -0.4 : 0.7));
    const gb_node scale = variable(tape, "scale", which, gb_shape(), gb_fill(which % 2 ? 0.3 : 1.1));
    return gb_normal(loc, scale);
}

static gb_dist make_transformed(gb_tape *tape, size_t which, void *user)
{
    (void)user;
    const gb_dist base = some_normal(tape, which);
    switch (which / 2) {
    case 0: return gb_transformed(base, gb_exponential_transform(tape));
    case 1: return gb_transformed(base, gb_sigmoid_transform(tape));
    case 2: return gb_transformed(base, gb_affine_transform(gb_num(tape, 3), gb_num(tape, -2)));
    case 3: return gb_transformed(base, gb_interval_transform(gb_num(tape, -1), gb_num(tape, 3)));
    case 4:
        return gb_transformed(base,
                              gb_composed_transform(gb_affine_transform(gb_num(tape, 0.5), gb_num(tape, -2)),
                                                    gb_exponential_transform(tape)));
    case 5: {
        const gb_node rate = variable(tape, "rate", which, gb_shape(), gb_fill(which % 2 ? 0.4 : 2));
        return gb_transformed(gb_exponential(rate), gb_affine_transform(gb_num(tape, 0), gb_num(tape, -1)));
    }
    default:
        return gb_transformed(base,
                              gb_composed_transform(gb_interval_transform(gb_num(tape, -1), gb_num(tape, 4)),
                                                    gb_tanh_transform(tape)));
    }
}

/* Transforms of which there are two side by side, of one normal. */
static gb_transform two_affine(gb_tape *tape, size_t which)
{
    return gb_affine_transform(variable(tape, "shift", which, gb_shape(2), GB_VALUES(-0.3, 0.4)),
                               gb_constant(tape, gb_shape(2), GB_VALUES(-0.8, 1.7)));
}

static gb_transform two_intervals(gb_tape *tape, size_t which)
{
    const gb_node high = variable(tape, "high", which, gb_shape(2), GB_VALUES(0.5, 4));
    return gb_composed_transform(gb_interval_transform(gb_num(tape, -1), high), two_affine(tape, which));
}

static gb_dist make_independent(gb_tape *tape, size_t which, void *user)
{
    (void)user;
    if (which >= 4)
        return gb_independent(gb_transformed(some_normal(tape, which), two_intervals(tape, which)), 1);
    if (which >= 2)
        return gb_independent(gb_transformed(some_normal(tape, which), two_affine(tape, which)), 1);
    const gb_node loc = variable(tape, "loc", which, gb_shape(2), GB_VALUES(0.5, which ? 2 : -1));
    return gb_independent(gb_normal(loc, gb_num(tape, which ? 0.2 : 1.5)), 1);
}

static gb_dist make_mixture(gb_tape *tape, size_t which, void *user)
{
    (void)user;
    const gb_node logits = variable(tape, "logits", which, gb_shape(3), GB_VALUES(0, 1, -0.5));
    const gb_node loc = variable(tape, "loc", which, gb_shape(3), GB_VALUES(-3, 0.2, which ? 30 : 1));
    return gb_mixture(logits, gb_normal(loc, gb_constant(tape, gb_shape(3), GB_VALUES(0.3, 1, 2))));
}

static gb_dist make_zero_inflated(gb_tape *tape, size_t which, void *user)
{
    (void)user;
    static const double probs[] = {0.3, 0.01, 0.95};
    const gb_node by = gb_num(tape, 0.6), ten = gb_num(tape, 10);
    const gb_node rate = variable(tape, "rate", which, gb_shape(), gb_fill(which % 2 ? 0.4 : 7));
    const gb_node prob = variable(tape, "prob", which, gb_shape(), gb_fill(probs[which % 3]));
    const gb_node logits = variable(tape, "logits", which, gb_shape(), gb_fill(which % 2 ? -1.5 : 2));
    const gb_node loc = variable(tape, "two rates", which, gb_shape(2), GB_VALUES(0.5, 9));
    switch (which / 2) {
    case 0: return gb_zero_inflated(prob, gb_poisson(rate));
    case 1: return gb_zero_inflated(prob, gb_negative_binomial(rate, by));
    case 2: return gb_zero_inflated_logits(logits, gb_binomial(ten, by));
    case 3: return gb_zero_inflated(prob, gb_geometric(by));
    case 4: return gb_zero_inflated_logits(logits, gb_poisson_log(gb_log(rate)));
    default: return gb_zero_inflated(prob, gb_mixture(gb_zeros(tape, gb_shape(2)), gb_poisson(loc)));
    }
}

static gb_dist make_lkj_cholesky(gb_tape *tape, size_t which, void *user)
{
    (void)user;
    const gb_node concentration =
        variable(tape, "concentration", which, gb_shape(), gb_fill(which % 2 ? 0.8 : 2.5));
    return gb_lkj_cholesky((int64_t)which / 2 + 2, concentration);
}

/* Its draws are differentiable in the weight alone. */
static gb_dist make_bernoulli_dropout(gb_tape *tape, size_t which, void *user)
{
    (void)user;
    const gb_node weight = variable(tape, "weight", which, gb_shape(), gb_fill(which ? -0.7 : 1.3));
    return gb_bernoulli_dropout(weight, gb_num(tape, which ? 0.3 : 0.85));
}

static gb_dist make_unit_dropout(gb_tape *tape, size_t which, void *user)
{
    (void)user;
    const gb_node weight = variable(tape, "weight", which, gb_shape(3), GB_VALUES(1.3, -0.7, which ? 0 : 2));
    return gb_unit_dropout(weight, gb_num(tape, which ? 0.3 : 0.85));
}

static const struct {
    const char *name;
    gb_dist (*make)(gb_tape *tape, size_t which, void *user);
    size_t count;
} makers[] = {{"transformed", make_transformed, 14},  {"independent", make_independent, 6},
              {"mixture", make_mixture, 2},           {"zero_inflated", make_zero_inflated, 12},
              {"lkj_cholesky", make_lkj_cholesky, 4}, {"bernoulli_dropout", make_bernoulli_dropout, 2},
              {"unit_dropout", make_unit_dropout, 2}};

static void find_maker(const gb_dist_type *type, gb_check_dist_options *options)
{
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
        if (strcmp(makers[i].name, type->name) == 0) {
            options->make = makers[i].make;
            options->count = makers[i].count;
        }
}

/* ---- references ---- */

/* NULL if there are none. */
static char *references_of(const gb_dist_type *type)
{
    size_t length;
    char path[512];
    snprintf(path, sizeof path, "%s/distributions/references/%s.txt", GB_TESTS, type->name);
    return access(path, F_OK) == 0 ? (char *)file_get(path, &length) : NULL;
}

/* ---- the tests ---- */

/* A number from the environment, for a longer look than that of every day; 0: there is none. */
static size_t number_of(const char *name)
{
    const char *const text = getenv(name);
    return text ? strtoul(text, NULL, 10) : 0;
}

static void passes_the_kit(gb_tape *t, const void *row)
{
    (void)t;
    gb_report report = {.size = sizeof report, .file = stderr, .verbose = getenv("GB_VERBOSE") != NULL};
    const gb_dist_type *const type = row;
    gb_check_dist_options options = {.size = sizeof options, .report = &report};
    char *const references = references_of(type);
    options.references = references;
    options.seed = number_of("GB_SEED");
    options.draws = number_of("GB_DRAWS");
    options.cases = number_of("GB_INSTANCES");
    find_maker(type, &options);
    const bool passed = gb_check_dist_with(type, &options);
    free(references);
    assert_true(passed);
    assert_true(report.checks > 10);
}

void test_begin(int argc, char **argv)
{
    (void)argc, (void)argv;
    size_t count;
    const gb_dist_type *const *const all = gb_dists(&count);
    for (size_t i = 0; i < count; i++)
        test_add(all[i]->name, passes_the_kit, all[i], __LINE__, (gb_tape_options){0});
}
