/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every estimator of grebe, with the options that it has by itself and some others, passes its kit, and every baseline
 * its own. With GB_THOROUGH=1 biases of 1 % are looked for, from another seed in each run. */
#include "support/close.h"

#include <stdio.h>
#include <time.h>

#include "estimators/list.h"
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

/* A minute or two each, with 25 times the draws; their formulas are tested draw by draw besides (test_identities.c,
 * test_baselines.c). */
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
    if (report.checks < 5)
        fail_msg("%s: %zu checks only", estimator.type->name, (size_t)report.checks);
}

TEST(every_estimator_conforms)
{
    size_t count;
    const gb_estimator_type *const *const types = gb_estimators(&count);
    for (size_t i = 0; i < count; i++)
        if (!takes_too_long(types[i], NULL))
            passes(gb_estimator_of(types[i], NULL));
}

/* A learned one needs a node: a level of its own for each draw. */
static gb_baseline learned(gb_tape *tape, void *user)
{
    char name[32] = "level";
    (void)user;
    for (unsigned i = 2; gb_tape_has_variable(tape, name); i++)
        snprintf(name, sizeof name, "level %u", i);
    return gb_learned_baseline(gb_variable(tape, name, gb_shape(), gb_fill(0)));
}

/* Its kit tries the score estimator with it. */
TEST(every_baseline_conforms)
{
    size_t count;
    const gb_baseline_type *const *const baselines = gb_baselines(&count);
    for (size_t i = 0; i < count; i++) {
        gb_report report = {.size = sizeof report};
        const uint64_t from = seed();
        if (!takes_too_long(NULL, baselines[i]) &&
            !gb_check_baseline((gb_baseline){.type = baselines[i]}, .report = &report, .seed = from,
                               .thorough = is_thorough(),
                               .make = baselines[i] == &gb_learned_baseline_type ? learned : NULL))
            fail_msg("seed %llu: %s", (unsigned long long)from, report.failure[0]);
    }
}

TEST(what_learns_conforms)
{
    if (!takes_too_long(&gb_rebar_estimator_type, NULL))
        passes(gb_rebar(.learn = true));
}
