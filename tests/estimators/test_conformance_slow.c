/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every estimator of grebe, with the options that it has by itself and some others, passes the kit. */
#include "support/close.h"

#include "estimators/check.h"
#include "estimators/list.h"

static void passes(gb_estimator estimator)
{
    gb_report report = {.size = sizeof report};
    if (!gb_check_estimator(estimator, .report = &report, .seed = 7))
        fail_msg("%s", report.failure[0]);
    if (report.checks < 5)
        fail_msg("%s: %zu checks only", estimator.type->name, (size_t)report.checks);
}

static void every_estimator_conforms(void **state)
{
    (void)state;
    size_t count;
    const gb_estimator_type *const *const types = gb_estimators(&count);
    for (size_t i = 0; i < count; i++)
        passes(gb_estimator_of(types[i], NULL, 0));
}

/* One needs a node: test_baselines.c has it. */
static bool is_tested_elsewhere(const gb_baseline_type *type)
{
    return type == &gb_none_baseline_type || type == &gb_learned_baseline_type;
}

static void every_baseline_conforms(void **state)
{
    (void)state;
    size_t count;
    const gb_baseline_type *const *const baselines = gb_baselines(&count);
    for (size_t i = 0; i < count; i++)
        if (!is_tested_elsewhere(baselines[i]))
            passes(gb_score(.baseline = {.type = baselines[i]}));
}

static void what_learns_conforms(void **state)
{
    (void)state;
    passes(gb_rebar(.learn = true));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_estimator_conforms),
        cmocka_unit_test(every_baseline_conforms),
        cmocka_unit_test(what_learns_conforms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
