/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A tally counts what is asked of one statement, keeps the first failure, and is told once. */
#include "support/close.h"

#include "kit/shell/tally_impl.h"

static const char *const statements[] = {"it holds", "it is whole"};

static bool count(gb_tally *tally, bool passed, const char *label, const char *format, ...) GB_PRINTF(4, 5);
static bool count(gb_tally *tally, bool passed, const char *label, const char *format, ...)
{
    va_list details;
    va_start(details, format);
    gb_tally_count(tally, passed, label, format, details);
    va_end(details);
    return passed;
}

static gb_report told(const gb_tally *tally, char text[GB_REPORT_TEXT])
{
    FILE *const file = fmemopen(text, GB_REPORT_TEXT, "w");
    gb_report report = {.size = sizeof report, .file = file, .verbose = true};
    const bool passed = gb_tally_tell(&report, "box", 2, tally, statements);
    fclose(file);
    assert_true(passed == (report.failures == 0));
    return report;
}

static void the_first_failure_is_kept_with_its_case(void **state)
{
    (void)state;
    char text[GB_REPORT_TEXT];
    gb_tally tally[2] = {{0}};
    assert_true(count(&tally[0], true, "one", "%d", 1));
    assert_false(count(&tally[0], false, "two", "%d is odd", 3));
    assert_false(count(&tally[0], false, "three", "%d is odd", 5));
    assert_false(count(&tally[1], false, NULL, "%s", "a hole"));
    assert_int_equal(told(tally, text).failures, 2);
    assert_string_equal(text, "box: FAILED: it holds: 2 of 3 times; two: 3 is odd\n"
                              "box: FAILED: it is whole: 1 of 1 times; a hole\n");
}

static void what_was_left_out_is_told_with_the_first_reason(void **state)
{
    (void)state;
    char text[GB_REPORT_TEXT];
    gb_tally tally[2] = {{0}};
    count(&tally[0], true, "one", "%d", 1);
    gb_tally_skip(&tally[0], "no lid");
    gb_tally_skip(&tally[0], "no floor");
    gb_tally_skip(&tally[1], "no walls");
    assert_int_equal(told(tally, text).checks, 2);
    assert_string_equal(text,
                        "box: it holds: 1 times; 2 skipped: no lid\nbox: it is whole: skipped: no walls\n");
}

static void what_was_never_tried_is_not_told(void **state)
{
    (void)state;
    char text[GB_REPORT_TEXT];
    gb_tally tally[2] = {{0}};
    count(&tally[1], true, "one", "%d", 1);
    assert_int_equal(told(tally, text).checks, 1);
    assert_string_equal(text, "box: it is whole: 1 times\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_failure_is_kept_with_its_case),
        cmocka_unit_test(what_was_left_out_is_told_with_the_first_reason),
        cmocka_unit_test(what_was_never_tried_is_not_told),
    };
    return cmocka_run_group_tests_name("tallies", tests, NULL, NULL);
}
