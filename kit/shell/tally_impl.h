/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a conformance kit counts of one statement, over all cases in which it asks for it. */
#ifndef GREBE_KIT_SHELL_TALLY_IMPL_H
#define GREBE_KIT_SHELL_TALLY_IMPL_H

#include <stdarg.h>

#include "kit/report.h"

typedef struct gb_tally {
    size_t tried, failed, skipped;
    char first[GB_REPORT_TEXT]; /* of the failures */
    char why[96];               /* it was skipped, the first time */
} gb_tally;

/* One more case; `format` says of a failure what was found, `label` in which case (NULL: not said). Returns `passed`. */
bool gb_tally_count(gb_tally *tally, bool passed, const char *label, const char *format, va_list details)
    GB_PRINTF(4, 0);

/* A case of which it cannot be asked. */
void gb_tally_skip(gb_tally *tally, const char *why);

/* Tells each statement that was tried or skipped, once. Returns whether all of them hold. */
bool gb_tally_tell(gb_report *report, const char *subject, size_t count, const gb_tally *tally,
                   const char *const *statements);

#endif
