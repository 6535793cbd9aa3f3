/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the conformance kits (gb_check_op …) put what they find. A report belongs to its user and allocates nothing:
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

/* How many failures are kept, the first ones, and the bytes of each; what is longer is cut. */
enum { GB_REPORT_KEPT = 8, GB_REPORT_TEXT = 640 };

/* Its length is fixed within a soname: the kits write to it. */
typedef struct gb_report {
    size_t size;  /* REQUIRED: sizeof(gb_report) */
    FILE *file;   /* OPTIONAL: each failure is written to it at once, one line */
    bool verbose; /* … and each check that passed, too */
    /* OPTIONAL. Is told each check, whether it passed, as the line that `file` would get (without its end). */
    void (*tell)(void *user, bool passed, const char *text);
    void *user;
    /* out; begin with zeros, or go on from an earlier kit */
    size_t checks;
    size_t failures;
    char failure[GB_REPORT_KEPT][GB_REPORT_TEXT];
} gb_report;

/* One check: `subject` is what was looked at ("softplus"), `statement` what should hold of it ("its gradient is that
 * of differences"), the rest, as for printf, the details: is, should, allowed ("%s", "" for none). Returns `passed`.
 * A NULL report is fine. */
GB_API bool gb_report_add(gb_report *report, bool passed, const char *subject, const char *statement,
                          const char *format, ...) GB_PRINTF(5, 6);

/* The numbers and the failures that were kept, as text. NULLs are fine. */
GB_API void gb_report_print(const gb_report *report, FILE *file);

GB_END_DECLS
#endif
