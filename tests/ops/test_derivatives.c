/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every operation in the list passes the conformance kit: one test for each, made from the list. */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kit/check_op.h"
#include "ops/list.h"

/* Operations whose value is random (what ends in _noise, and its parts) or whose gradient is not that of
 * their value: see test_control.c, test_draws.c, test_noise_*.c. */
static const char *const tested_elsewhere[] = {"stop",  "inject",      "inject_score",  "gradient_only",
                                               "draw",  "expected",    "draw_category", "draw_permutation",
                                               "sobol", "mirror_pairs"};

static bool is_tested_elsewhere(const gb_op *op)
{
    for (size_t i = 0; i < sizeof tested_elsewhere / sizeof *tested_elsewhere; i++)
        if (strcmp(op->name, tested_elsewhere[i]) == 0)
            return true;
    const size_t length = strlen(op->name), end = strlen("_noise");
    return length > end && strcmp(op->name + length - end, "_noise") == 0;
}

static void passes_the_kit(gb_tape *t, const void *row)
{
    (void)t;
    gb_report report = {.size = sizeof report, .file = stderr};
    if (is_tested_elsewhere(row))
        skip();
    const char *const cases = getenv("GB_CASES");
    assert_true(gb_check_op(row, .report = &report, .cases = cases ? (unsigned)strtoul(cases, NULL, 10) : 0));
    assert_true(report.checks > 2);
}

void test_begin(int argc, char **argv)
{
    (void)argc, (void)argv;
    size_t count;
    const gb_op *const *const all = gb_ops(&count);
    for (size_t i = 0; i < count; i++)
        test_add(all[i]->name, passes_the_kit, all[i], __LINE__, (gb_tape_options){0});
}
