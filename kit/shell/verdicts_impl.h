/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The shell of all conformance kits. A kit has a table of statements, in the order of its report. One call of
 * the kit judges each statement in many cases and reports it once.
 *
 *     #define GB_THING_STATEMENTS(do_)                  in a header of the kit's own folder
 *         do_(FORM,  "its struct is complete")
 *         do_(LOWER, "it lowers a loss")
 *     GB_STATEMENT_CODES(GB_THING_STATEMENTS);          the codes: GB_ON_FORM, GB_ON_LOWER
 *
 *     static const char *const statements[] = GB_STATEMENT_TEXTS(GB_THING_STATEMENTS);
 *
 *     bool gb_check_thing_with(const gb_thing_type *type, const gb_check_thing_options *options)
 *     {
 *         gb_check_thing_options own;
 *         if (!gb_options_copy(&own, sizeof own, options))
 *             return false;
 *         gb_kit kit = {.subject = …, .report = own.report, .seed = own.seed, .statements = statements};
 *         if (!gb_kit_admit(&kit, GB_ON_FORM, GB_KIT_FAULT(type, gb_thing_type)))
 *             return false;
 *         for (each case) {
 *             gb_kit_label(&kit, "…", …);
 *             gb_kit_verdict(&kit, GB_ON_LOWER, loss < start, "it goes from %g to %g", start, loss);
 *         }
 *         return gb_kit_conclude(&kit);
 *     }
 *
 * The file check_thing.c defines the public function and is the top of its folder: it alone includes
 * kit/check_thing.h. It passes the options to the files below in a struct of the kit's own, which holds the
 * gb_kit. Statistical bounds are in kit/shell/chance_impl.h, values of nodes in kit/shell/values_impl.h. */
#ifndef GREBE_KIT_SHELL_VERDICTS_IMPL_H
#define GREBE_KIT_SHELL_VERDICTS_IMPL_H

#include "core/tape.h"
#include "kit/report.h"
#include "plugins/plugin.h"

enum { GB_KIT_STATEMENTS = 48, GB_KIT_LABEL = 200 };

#define GB_STATEMENT_CODE(code, text) GB_ON_##code,
#define GB_STATEMENT_TEXT(code, text) text,
#define GB_STATEMENT_CODES(table)                                                                            \
    typedef enum gb_statement { table(GB_STATEMENT_CODE) GB_STATEMENT_COUNT } gb_statement;                  \
    _Static_assert((int)GB_STATEMENT_COUNT <= (int)GB_KIT_STATEMENTS, "too many statements")
#define GB_STATEMENT_TEXTS(table)                                                                            \
    {                                                                                                        \
        table(GB_STATEMENT_TEXT) NULL                                                                        \
    }

/* The results of one statement, over all cases in which it was judged. */
typedef struct gb_tally {
    size_t tried, failed, skipped;
    bool is_unchecked;          /* for want of something that the caller could give */
    char first[GB_REPORT_TEXT]; /* the first failure */
    char why[96];               /* the reason of the first skip */
} gb_tally;

/* One call of a kit. */
typedef struct gb_kit {
    const char *subject; /* REQUIRED: the name that begins each line of the report */
    gb_report *report;   /* OPTIONAL */
    uint64_t seed;
    gb_memory memory;              /* {0}: malloc */
    const char *const *statements; /* REQUIRED: by GB_STATEMENT_TEXTS */
    char label[GB_KIT_LABEL];      /* names the current case in its failures; "": no name */
    gb_tally tally[GB_KIT_STATEMENTS];
} gb_kit;

/* Returns the fault in size, name or formula of a plug-in's struct; NULL if there is none. */
#define GB_KIT_FAULT(type, kind)                                                                             \
    (!(type)                                 ? "there is none"                                               \
     : (type)->size != sizeof(kind)          ? "its size is not sizeof(" #kind ")"                           \
     : !(type)->name || !*(type)->name       ? "it has no name"                                              \
     : !(type)->formula || !*(type)->formula ? "it has no formula"                                           \
                                             : NULL)

/* Returns the fault in a type's table of options, for any kind of plug-in; NULL if there is none. Each option
 * must have a unique name and a description, and lie inside the struct of options. Its domain must contain
 * its default, unless that is 0. */
const char *gb_kit_table_fault(const void *type);

/* Calls `rejected` with the options and one of their numbers outside its domain, for each number and several
 * values: negative, large, NaN, infinite. Stops when `rejected` returns false. */
typedef bool gb_kit_wrong_number(void *context, const gb_packed *options, const char *name, double value);
void gb_kit_wrong_numbers(const void *type, const gb_packed *options, gb_kit_wrong_number *rejected,
                          void *context);

/* Reports at once a statement that must hold before anything else is tried. `fault` says what is wrong; NULL:
 * nothing. */
bool gb_kit_admit(gb_kit *kit, size_t statement, const char *fault);

/* Names the current case; no name by "%s", "". */
void gb_kit_label(gb_kit *kit, const char *format, ...) GB_PRINTF(2, 3);

/* Counts one case of a statement. `format` and the rest describe a failure. Returns `passed`. */
bool gb_kit_verdict(gb_kit *kit, size_t statement, bool passed, const char *format, ...) GB_PRINTF(4, 5);
/* The same for a tape that should have no error. */
bool gb_kit_recorded(gb_kit *kit, size_t statement, const gb_tape *tape);

/* Counts a case in which the statement cannot be judged; `why` gives the reason. */
void gb_kit_skip(gb_kit *kit, size_t statement, const char *why);

/* The same for a statement that the caller could have checked: the report says so even if it is not
 * verbose. */
void gb_kit_unchecked(gb_kit *kit, size_t statement, const char *why);

/* Reports each statement that was judged or skipped. Returns true if none failed. */
bool gb_kit_conclude(const gb_kit *kit);

#endif
