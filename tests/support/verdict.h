/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What tests of the kits ask of a report: that all passed, or that a planted
 * fault was found by the right statement. */
#ifndef GREBE_TESTS_VERDICT_H
#define GREBE_TESTS_VERDICT_H

#include <string.h>

#include "kit/report.h"
#include "support/test.h"

static inline bool has_failure(const gb_report *report, const char *statement)
{
    for (size_t i = 0; i < report->failures && i < GB_REPORT_KEPT; i++)
        if (strstr(report->failure[i], statement))
            return true;
    return false;
}

static inline void assert_passed(bool passed, const gb_report *report, const char *name, size_t least_checks)
{
    if (!passed || report->failures > 0 || report->checks < least_checks)
        fail_msg("%s: %zu of %zu: %s", name, report->failures, report->checks, report->failure[0]);
}

static inline void assert_caught(bool passed, const gb_report *report, const char *statement)
{
    assert_false(passed);
    if (!has_failure(report, statement))
        fail_msg("not caught by \"%s\", but: %s", statement, report->failure[0]);
}

#endif
