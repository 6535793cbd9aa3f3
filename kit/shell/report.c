/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kit/report.h"

#include <stdarg.h>

/* Writes "subject: statement" and, if there are any, ": details". */
static GB_PRINTF(5, 0) void line_of(char line[GB_REPORT_TEXT], bool passed, const char *subject,
                                    const char *statement, const char *format, va_list details)
{
    const int begun =
        snprintf(line, GB_REPORT_TEXT, "%s: %s%s: ", subject, passed ? "" : "FAILED: ", statement);
    const size_t used = begun < 0 ? 0 : (size_t)begun < GB_REPORT_TEXT ? (size_t)begun : GB_REPORT_TEXT - 1;
    if (vsnprintf(line + used, GB_REPORT_TEXT - used, format, details) <= 0 && used == (size_t)begun)
        line[used - 2] = '\0';
}

bool gb_report_add(gb_report *report, bool passed, const char *subject, const char *statement,
                   const char *format, ...)
{
    char line[GB_REPORT_TEXT];
    if (!report)
        return passed;
    va_list details;
    va_start(details, format);
    line_of(line, passed, subject, statement, format, details);
    va_end(details);
    report->checks++;
    if (!passed && report->failures++ < GB_REPORT_KEPT)
        snprintf(report->failure[report->failures - 1], GB_REPORT_TEXT, "%s", line);
    if (report->file && (!passed || report->verbose))
        fprintf(report->file, "%s\n", line);
    if (report->each)
        report->each(report->user, passed, line);
    return passed;
}

void gb_report_print(const gb_report *report, FILE *file)
{
    if (!report || !file)
        return;
    fprintf(file, "%zu checks, %zu failed", report->checks, report->failures);
    if (report->unchecked > 0)
        fprintf(file, ", %u not checked: no formula was given to compare with", report->unchecked);
    fputc('\n', file);
    for (size_t i = 0; i < report->failures && i < GB_REPORT_KEPT; i++)
        fprintf(file, "  %s\n", report->failure[i]);
    if (report->failures > GB_REPORT_KEPT)
        fprintf(file, "  and %zu more\n", report->failures - GB_REPORT_KEPT);
}
