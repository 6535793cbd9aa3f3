/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kit/shell/verdicts_impl.h"

#include <stdarg.h>

/* Where no tape can be made at all, as with an unknown word in GREBE_ISA, no plug-in is at fault: writes why,
 * and returns true. */
static bool lacks_tapes(char *why, size_t bytes)
{
    gb_tape *const tape = gb_tape_new(.threads = 1);
    const bool lacks = gb_error(tape) != GB_OK;
    snprintf(why, bytes, "%s", gb_error_text(tape));
    gb_tape_free(tape);
    return lacks;
}

static bool report_surroundings(const gb_kit *kit, const char *why)
{
    return gb_report_add(kit->report, false, kit->subject, "a tape can be made, to check it on",
                         "it was not judged: %s", why);
}

bool gb_kit_admit(gb_kit *kit, size_t statement, const char *fault)
{
    char why[256];
    if (fault && lacks_tapes(why, sizeof why))
        return report_surroundings(kit, why);
    return gb_report_add(kit->report, !fault, kit->subject, kit->statements[statement], "%s",
                         fault ? fault : "");
}

void gb_kit_label(gb_kit *kit, const char *format, ...)
{
    va_list words;
    va_start(words, format);
    vsnprintf(kit->label, sizeof kit->label, format, words);
    va_end(words);
}

bool gb_kit_verdict(gb_kit *kit, size_t statement, bool passed, const char *format, ...)
{
    gb_tally *const tally = &kit->tally[statement];
    tally->tried++;
    if (passed || tally->failed++ > 0)
        return passed;
    const size_t room = sizeof tally->first;
    const int begun = *kit->label ? snprintf(tally->first, room, "%s: ", kit->label) : 0;
    va_list details;
    va_start(details, format);
    vsnprintf(tally->first + begun, room - (size_t)begun, format, details);
    va_end(details);
    return false;
}

bool gb_kit_recorded(gb_kit *kit, size_t statement, const gb_tape *tape)
{
    const gb_status code = gb_error(tape);
    return gb_kit_verdict(kit, statement, code == GB_OK, "%s: %s", gb_status_text(code), gb_error_text(tape));
}

void gb_kit_skip(gb_kit *kit, size_t statement, const char *why)
{
    gb_tally *const tally = &kit->tally[statement];
    if (tally->skipped++ == 0)
        snprintf(tally->why, sizeof tally->why, "%s", why);
}

void gb_kit_unchecked(gb_kit *kit, size_t statement, const char *why)
{
    gb_kit_skip(kit, statement, why);
    kit->tally[statement].is_unchecked = true;
}

static bool report_unchecked(gb_report *report, const char *subject, const char *statement, const char *why)
{
    const bool verbose = report && report->verbose;
    if (report) {
        report->unchecked++;
        report->verbose = true;
    }
    gb_report_add(report, true, subject, statement, "not checked: %s", why);
    if (report)
        report->verbose = verbose;
    return true;
}

static bool report_one(const gb_kit *kit, const gb_tally *tally, const char *statement)
{
    if (tally->failed)
        return gb_report_add(kit->report, false, kit->subject, statement, "%zu of %zu times; %s",
                             tally->failed, tally->tried, tally->first);
    if (tally->tried && tally->skipped)
        return gb_report_add(kit->report, true, kit->subject, statement, "%zu times; %zu skipped: %s",
                             tally->tried, tally->skipped, tally->why);
    if (tally->tried)
        return gb_report_add(kit->report, true, kit->subject, statement, "%zu times", tally->tried);
    if (tally->is_unchecked)
        return report_unchecked(kit->report, kit->subject, statement, tally->why);
    if (tally->skipped)
        return gb_report_add(kit->report, true, kit->subject, statement, "skipped: %s", tally->why);
    return true;
}

bool gb_kit_conclude(const gb_kit *kit)
{
    bool passed = true;
    char why[256];
    for (size_t i = 0; kit->statements[i]; i++)
        passed &= !kit->tally[i].failed;
    if (!passed && lacks_tapes(why, sizeof why))
        return report_surroundings(kit, why);
    for (size_t i = 0; kit->statements[i]; i++)
        passed &= report_one(kit, &kit->tally[i], kit->statements[i]);
    return passed;
}
