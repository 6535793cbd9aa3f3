/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The findings of a conformance kit (gb_check_op …). A report belongs to the caller and allocates nothing:
 *
 *     gb_report report = {.size = sizeof report, .file = stderr};
 *     gb_check_op(&my_op, .report = &report);
 *     return report.failures > 0; */
#ifndef GREBE_KIT_REPORT_H
#define GREBE_KIT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "../core/export.h"

GB_BEGIN_DECLS

/* The number of failures that are kept, the first ones, and the bytes of each; longer texts are cut. */
enum { GB_REPORT_KEPT = 8, GB_REPORT_TEXT = 640 };

/* Its length is fixed within a soname: the kits write to it. */
typedef struct gb_report {
    size_t size;  /* REQUIRED: sizeof(gb_report) */
    FILE *file;   /* OPTIONAL: receives each failure at once, as one line */
    bool verbose; /* OPTIONAL: it also receives each check that passes */
    /* Result: statements that were not checked because the kit was not given what it needs (a formula to
     * compare with). They count as checks that passed; `file` receives them, whether verbose or not. */
    unsigned unchecked;
    /* OPTIONAL: called for each check, with the line that `file` would receive, but without its end. */
    void (*each)(void *user, bool passed, const char *text);
    void *user;
    /* Results; start with zeros, or continue an earlier report. */
    size_t checks;
    size_t failures;
    char failure[GB_REPORT_KEPT][GB_REPORT_TEXT];
} gb_report;

/* Adds one check and returns `passed`. `subject` names what was checked ("softplus"), `statement` what should
 * hold ("its gradient is that of differences"). The rest, as for printf, are the details: actual, expected
 * and allowed values ("%s", "" for none). A NULL report does nothing. */
GB_API bool gb_report_add(gb_report *report, bool passed, const char *subject, const char *statement,
                          const char *format, ...) GB_PRINTF(5, 6);

/* Prints the numbers of checks, of failures, and of statements that were not checked, if there are any, and
 * the failures that were kept. A NULL argument does nothing. */
GB_API void gb_report_print(const gb_report *report, FILE *file);

GB_END_DECLS
#endif
