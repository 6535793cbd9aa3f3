/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kit of problems: all built-in ones hold. What it must find is in tests/faults/kits/problems.c. */
#include "support/test.h"

#include <string.h>

#include "kit/check_problem.h"

static void assert_holds(const gb_problem *problem, const gb_problem_data *data, uint64_t seed)
{
    gb_report report = {.size = sizeof report};
    if (!gb_check_problem(problem, .report = &report, .data = data, .seed = seed))
        fail_msg("%s", report.failure[0]);
    assert_true(report.checks >= 3 && report.failures == 0);
}

TEST(every_problem_holds)
{
    size_t count;
    const gb_problem *const *const all = gb_problems(&count);
    for (size_t i = 0; i < count; i++)
        assert_holds(all[i], NULL, 0);
}

TEST(a_problem_with_data_is_checked_with_them)
{
    static const double x[] = {0.5, -1, 1.5, 0.3, -0.7}, y[] = {1, 1, 0, 0, 1};
    const gb_problem_data data = {.rows = 5, .columns = 1, .x = x, .y = y};
    gb_report with = {.size = sizeof with}, without = {.size = sizeof without};
    assert_true(gb_check_problem(gb_problem_find("logistic"), .report = &with, .data = &data));
    assert_true(gb_check_problem(gb_problem_find("logistic"), .report = &without));
    assert_true(with.checks > without.checks);
    assert_int_equal(with.unchecked, 1); /* it has no closed form */
}

TEST(no_problem_and_no_options_are_rejected)
{
    gb_report report = {.size = sizeof report};
    assert_false(gb_check_problem(NULL, .report = &report));
    assert_non_null(strstr(report.failure[0], "there is none"));
    const gb_check_problem_options none = {0};
    assert_false(gb_check_problem_with(gb_problem_find("rows"), &none));
    assert_true(gb_check_problem_with(gb_problem_find("gauss-cos"), NULL));
}
