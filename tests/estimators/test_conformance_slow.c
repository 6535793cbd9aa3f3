/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every estimator of grebe, with the options that it has by itself and some others, passes its kit, and every
 * baseline its own. With GB_THOROUGH=1 biases of 1 % are looked for, from another seed in each run. */
#include "support/close.h"

#include <time.h>

#include "estimators/list.h"
#include "estimators/trial.h"
#include "kit/check_baseline.h"
#include "kit/check_estimator.h"

static bool is_thorough(void)
{
    const char *const thorough = getenv("GB_THOROUGH");
    return thorough && strcmp(thorough, "1") == 0;
}

static uint64_t seed(void)
{
    return is_thorough() ? (uint64_t)time(NULL) : 7;
}

/* A minute or two each, with 25 times the draws; their formulas are tested draw by draw besides
 * (test_identities.c, test_baselines.c). */
static bool takes_too_long(const gb_estimator_type *type, const gb_baseline_type *baseline)
{
    return is_thorough() && (type == &gb_measure_estimator_type || type == &gb_vargrad_estimator_type ||
                             type == &gb_rebar_estimator_type || baseline == &gb_constant_baseline_type ||
                             baseline == &gb_delta_baseline_type);
}

static void passes(gb_estimator estimator)
{
    gb_report report = {.size = sizeof report};
    const uint64_t from = seed();
    if (!gb_check_estimator(estimator, .report = &report, .seed = from, .thorough = is_thorough()))
        fail_msg("seed %llu: %s", (unsigned long long)from, report.failure[0]);
    const bool has_no_model =
        (estimator.type->needs & GB_NEEDS_MODEL) != 0; /* tests/models/elbo/test_bound.c */
    if (report.checks < (has_no_model ? 4 : 5))
        fail_msg("%s: %zu checks only", estimator.type->name, (size_t)report.checks);
}

static void an_estimator_conforms(gb_tape *t, const void *row)
{
    (void)t;
    if (takes_too_long(row, NULL))
        skip();
    passes(gb_estimator_of(row, NULL));
}

TEST(rebar_that_learns)
{
    if (takes_too_long(&gb_rebar_estimator_type, NULL))
        skip();
    passes(gb_rebar(.learn = true, .learn_temperature = true, .each_element = true, .relax_later = true));
}

TEST(relax_by_a_network)
{
    passes(gb_relax(.hidden = 3));
}

TEST(double_cv_that_learns)
{
    passes(gb_double_cv(.learn = true));
}

TEST(rodeo_that_learns)
{
    passes(gb_rodeo(.learn = true));
}

/* A learned one needs a node: a level of its own for each draw. */
static gb_baseline learned(gb_tape *tape, void *user)
{
    (void)user;
    return gb_learned_baseline(new_level(tape));
}

static gb_baseline learned_and_others(gb_tape *tape, void *user)
{
    return gb_sum_baseline(learned(tape, user), gb_leave_one_out());
}

TEST(antithetic_score_with_other_pairs)
{
    passes(gb_score(.baseline = gb_leave_one_out(), .draws = GB_ANTITHETIC));
}

/* Its kit tries the score estimator with it. */
static void a_baseline_conforms(gb_tape *t, const void *row)
{
    (void)t;
    if (takes_too_long(NULL, row))
        skip();
    gb_report report = {.size = sizeof report};
    const uint64_t from = seed();
    if (!gb_check_baseline((gb_baseline){.type = row}, .report = &report, .seed = from,
                           .thorough = is_thorough(),
                           .make = row == &gb_learned_baseline_type ? learned
                                   : row == &gb_sum_baseline_type   ? learned_and_others
                                                                    : NULL))
        fail_msg("seed %llu: %s", (unsigned long long)from, report.failure[0]);
}

void test_begin(int argc, char **argv)
{
    (void)argc, (void)argv;
    size_t count;
    const gb_estimator_type *const *const estimators = gb_estimators(&count);
    for (size_t i = 0; i < count; i++)
        test_add(estimators[i]->name, an_estimator_conforms, estimators[i], __LINE__, (gb_tape_options){0});
    const gb_baseline_type *const *const baselines = gb_baselines(&count);
    for (size_t i = 0; i < count; i++)
        test_add(baselines[i]->name, a_baseline_conforms, baselines[i], __LINE__, (gb_tape_options){0});
}
