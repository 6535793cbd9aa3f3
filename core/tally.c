/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/tally_impl.h"

bool gb_tally_count(gb_tally *tally, bool passed, const char *format, va_list details)
{
    tally->tried++;
    if (!passed && tally->failed++ == 0)
        vsnprintf(tally->first, sizeof tally->first, format, details);
    return passed;
}

bool gb_tally_tell(gb_report *report, const char *subject, size_t count, const gb_tally *tally,
                   const char *const *statements)
{
    bool passed = true;
    for (size_t i = 0; i < count; i++) {
        char details[GB_REPORT_TEXT];
        if (tally[i].tried == 0)
            continue;
        if (tally[i].failed > 0)
            snprintf(details, sizeof details, "%zu of %zu; %.500s", tally[i].failed, tally[i].tried,
                     tally[i].first);
        else
            snprintf(details, sizeof details, "%zu", tally[i].tried);
        passed &= gb_report_add(report, tally[i].failed == 0, subject, statements[i], "%s", details);
    }
    return passed;
}
