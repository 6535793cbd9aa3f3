/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A kit counts what it asks of one statement, keeps the first failure, and reports each statement once. */
#include "support/close.h"

#include "kit/shell/verdicts_impl.h"

#define BOX_STATEMENTS(do_) do_(HOLDS, "it holds") do_(WHOLE, "it is whole")
GB_STATEMENT_CODES(BOX_STATEMENTS);

static const char *const statements[] = GB_STATEMENT_TEXTS(BOX_STATEMENTS);

static gb_kit box(void)
{
    return (gb_kit){.subject = "box", .statements = statements};
}

static gb_report concluded(gb_kit *kit, char text[GB_REPORT_TEXT])
{
    FILE *const file = fmemopen(text, GB_REPORT_TEXT, "w");
    gb_report report = {.size = sizeof report, .file = file, .verbose = true};
    kit->report = &report;
    const bool passed = gb_kit_conclude(kit);
    fclose(file);
    assert_true(passed == (report.failures == 0));
    return report;
}

TEST(the_first_failure_is_kept_with_its_case)
{
    char text[GB_REPORT_TEXT];
    gb_kit kit = box();
    gb_kit_label(&kit, "case %s", "one");
    assert_true(gb_kit_verdict(&kit, GB_ON_HOLDS, true, "%d", 1));
    gb_kit_label(&kit, "case %s", "two");
    assert_false(gb_kit_verdict(&kit, GB_ON_HOLDS, false, "%d is odd", 3));
    gb_kit_label(&kit, "case %s", "three");
    assert_false(gb_kit_verdict(&kit, GB_ON_HOLDS, false, "%d is odd", 5));
    gb_kit_label(&kit, "%s", "");
    assert_false(gb_kit_verdict(&kit, GB_ON_WHOLE, false, "%s", "a hole"));
    assert_int_equal(concluded(&kit, text).failures, 2);
    assert_string_equal(text, "box: FAILED: it holds: 2 of 3 times; case two: 3 is odd\n"
                              "box: FAILED: it is whole: 1 of 1 times; a hole\n");
}

TEST(what_was_left_out_is_reported_with_the_first_reason)
{
    char text[GB_REPORT_TEXT];
    gb_kit kit = box();
    gb_kit_verdict(&kit, GB_ON_HOLDS, true, "%d", 1);
    gb_kit_skip(&kit, GB_ON_HOLDS, "no lid");
    gb_kit_skip(&kit, GB_ON_HOLDS, "no floor");
    gb_kit_skip(&kit, GB_ON_WHOLE, "no walls");
    assert_int_equal(concluded(&kit, text).checks, 2);
    assert_string_equal(text,
                        "box: it holds: 1 times; 2 skipped: no lid\nbox: it is whole: skipped: no walls\n");
}

TEST(what_was_never_tried_is_not_reported)
{
    char text[GB_REPORT_TEXT];
    gb_kit kit = box();
    gb_kit_verdict(&kit, GB_ON_WHOLE, true, "%d", 1);
    assert_int_equal(concluded(&kit, text).checks, 1);
    assert_string_equal(text, "box: it is whole: 1 times\n");
}

/* ---- what all structs of plug-ins have ---- */

typedef struct lid {
    size_t size;
    const char *name, *formula;
} lid;

TEST(a_struct_that_is_not_sound_is_reported_at_once)
{
    static const struct {
        lid lid;
        const char *failure;
    } lids[] = {{{.size = sizeof(lid), .name = "lid", .formula = "flat"}, NULL},
                {{.size = 1}, "box: FAILED: it holds: its size is not sizeof(lid)"},
                {{.size = sizeof(lid), .name = ""}, "box: FAILED: it holds: it has no name"},
                {{.size = sizeof(lid), .name = "lid"}, "box: FAILED: it holds: it has no formula"}};
    gb_report report = {.size = sizeof report};
    gb_kit kit = box();
    kit.report = &report;
    for (size_t i = 0; i < sizeof lids / sizeof *lids; i++) {
        const bool is_sound = gb_kit_admit(&kit, GB_ON_HOLDS, GB_KIT_FAULT(&lids[i].lid, lid));
        assert_true(is_sound == !lids[i].failure);
        if (!is_sound)
            assert_string_equal(report.failure[report.failures - 1], lids[i].failure);
    }
    assert_int_equal(report.failures, 3);
    assert_true(gb_kit_conclude(&kit));
}
