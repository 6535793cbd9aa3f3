/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kit/shell/tally_impl.h"

bool gb_tally_count(gb_tally *tally, bool passed, const char *label, const char *format, va_list details)
{
    tally->tried++;
    if (passed || tally->failed++ > 0)
        return passed;
    const size_t room = sizeof tally->first;
    const int begun = label ? snprintf(tally->first, room, "%.200s: ", label) : 0;
    vsnprintf(tally->first + begun, room - (size_t)begun, format, details);
    return false;
}

void gb_tally_skip(gb_tally *tally, const char *why)
{
    if (tally->skipped++ == 0)
        snprintf(tally->why, sizeof tally->why, "%s", why);
}

static bool tell(gb_report *report, const char *subject, const gb_tally *tally, const char *statement)
{
    if (tally->failed)
        return gb_report_add(report, false, subject, statement, "%zu of %zu times; %s", tally->failed,
                             tally->tried, tally->first);
    if (tally->tried && tally->skipped)
        return gb_report_add(report, true, subject, statement, "%zu times; %zu skipped: %s", tally->tried,
                             tally->skipped, tally->why);
    if (tally->tried)
        return gb_report_add(report, true, subject, statement, "%zu times", tally->tried);
    if (tally->skipped)
        return gb_report_add(report, true, subject, statement, "skipped: %s", tally->why);
    return true;
}

bool gb_tally_tell(gb_report *report, const char *subject, size_t count, const gb_tally *tally,
                   const char *const *statements)
{
    bool passed = true;
    for (size_t i = 0; i < count; i++)
        passed &= tell(report, subject, &tally[i], statements[i]);
    return passed;
}
