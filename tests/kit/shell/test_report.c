/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports count, keep, write and pass on what they are given. */
#include "support/close.h"

#include "kit/report.h"

TEST(passed_checks_are_counted_and_written_only_where_asked)
{
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    gb_report report = {.size = sizeof report, .file = file};
    assert_true(gb_report_add(&report, true, "sky", "it is blue", "%d nm", 450));
    report.verbose = true;
    assert_true(gb_report_add(&report, true, "sky", "it is blue", "%d nm", 460));
    assert_true(gb_report_add(&report, true, "sky", "it is up", "%s", ""));
    fclose(file);
    assert_string_equal(text, "sky: it is blue: 460 nm\nsky: it is up\n");
    assert_int_equal(report.checks, 3);
    assert_int_equal(report.failures, 0);
    free(text);
}

TEST(the_first_failures_are_kept_and_all_are_counted)
{
    char *text = NULL;
    size_t length;
    gb_report report = {.size = sizeof report};
    for (int i = 0; i < GB_REPORT_KEPT + 3; i++)
        assert_false(gb_report_add(&report, false, "sky", "it is green", "try %d", i));
    assert_int_equal(report.failures, GB_REPORT_KEPT + 3);
    assert_string_equal(report.failure[0], "sky: FAILED: it is green: try 0");
    assert_string_equal(report.failure[GB_REPORT_KEPT - 1], "sky: FAILED: it is green: try 7");
    FILE *file = open_memstream(&text, &length);
    gb_report_print(&report, file);
    fclose(file);
    assert_non_null(strstr(text, "11 checks, 11 failed\n  sky: FAILED: it is green: try 0\n"));
    assert_non_null(strstr(text, "  and 3 more\n"));
    free(text);
}

TEST(what_is_too_long_is_cut)
{
    char longer[2 * GB_REPORT_TEXT];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    gb_report report = {.size = sizeof report};
    gb_report_add(&report, false, "sky", "it is long", "%s", longer);
    gb_report_add(&report, false, longer, longer, "%s", longer);
    gb_report_add(&report, false, longer, longer, "%s", "");
    for (int i = 0; i < 3; i++)
        assert_int_equal(strlen(report.failure[i]), GB_REPORT_TEXT - 1);
}

static void count_letters(void *user, bool passed, const char *text)
{
    size_t *letters = user;
    letters[passed] += strlen(text);
}

TEST(each_check_calls_the_function)
{
    size_t letters[2] = {0};
    gb_report report = {.size = sizeof report, .each = count_letters, .user = letters};
    gb_report_add(&report, true, "a", "b", "%s", "");
    gb_report_add(&report, false, "a", "b", "%s", "c");
    assert_int_equal(letters[1], strlen("a: b"));
    assert_int_equal(letters[0], strlen("a: FAILED: b: c"));
}

TEST(no_report_is_fine)
{
    assert_true(gb_report_add(NULL, true, "a", "b", "%s", ""));
    assert_false(gb_report_add(NULL, false, "a", "b", "%s", ""));
    gb_report_print(NULL, stderr);
    gb_report_print(&(gb_report){.size = sizeof(gb_report)}, NULL);
}
