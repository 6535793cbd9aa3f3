/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The shell of all conformance kits. A kit has a table of statements, in the order of its report; one call of it asks for
 * each of them in many cases, and reports each once.
 *
 *     #define GB_THING_STATEMENTS(do_)                  in a header of the kit's own folder
 *         do_(FORM,  "its struct is complete")
 *         do_(LOWER, "it lowers what it is given")
 *     GB_STATEMENT_CODES(GB_THING_STATEMENTS);          the codes: GB_ON_FORM, GB_ON_LOWER
 *
 *     static const char *const statements[] = GB_STATEMENT_TEXTS(GB_THING_STATEMENTS);
 *
 *     bool gb_check_thing_with(gb_check_thing_settings settings)
 *     {
 *         gb_kit kit = {.subject = …, .report = settings.report, .seed = settings.seed, .statements = statements};
 *         if (gb_kit_admit(&kit, GB_ON_FORM, GB_KIT_FAULT(settings.type, gb_thing_type)))
 *             for (each case) {
 *                 gb_kit_label(&kit, "…", …);
 *                 gb_kit_verdict(&kit, GB_ON_LOWER, loss < start, "it goes from %g to %g", start, loss);
 *             }
 *         return gb_kit_conclude(&kit);
 *     }
 *
 * The file that defines the public function is the top of its folder and the only one that knows its settings: what cases need
 * of them stands in a struct of the kit's own, which holds the gb_kit. */
#ifndef GREBE_KIT_SHELL_VERDICTS_IMPL_H
#define GREBE_KIT_SHELL_VERDICTS_IMPL_H

#include "core/tape.h"
#include "kit/report.h"

enum { GB_KIT_STATEMENTS = 32, GB_KIT_LABEL = 200 };

#define GB_STATEMENT_CODE(code, text) GB_ON_##code,
#define GB_STATEMENT_TEXT(code, text) text,
#define GB_STATEMENT_CODES(table)                                                                            \
    typedef enum gb_statement { table(GB_STATEMENT_CODE) GB_STATEMENT_COUNT } gb_statement;                  \
    _Static_assert((int)GB_STATEMENT_COUNT <= (int)GB_KIT_STATEMENTS, "too many statements")
#define GB_STATEMENT_TEXTS(table)                                                                            \
    {                                                                                                        \
        table(GB_STATEMENT_TEXT) NULL                                                                        \
    }

/* What became of one statement, over all cases in which the kit asked for it. */
typedef struct gb_tally {
    size_t tried, failed, skipped;
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
    char label[GB_KIT_LABEL];      /* of the case at hand, for its failures; "": none */
    gb_tally tally[GB_KIT_STATEMENTS];
} gb_kit;

/* What is wrong with the struct of a plug-in, as far as all kinds of them have it; NULL: nothing. */
#define GB_KIT_FAULT(type, kind)                                                                             \
    (!(type)                                 ? "there is none"                                               \
     : (type)->size != sizeof(kind)          ? "its size is not sizeof(" #kind ")"                           \
     : !(type)->name || !*(type)->name       ? "it has no name"                                              \
     : !(type)->formula || !*(type)->formula ? "it has no formula"                                           \
                                             : NULL)

/* Reports at once whether the plug-in is sound; `fault` NULL: it is. For what must hold before anything else is tried. */
bool gb_kit_admit(gb_kit *kit, size_t statement, const char *fault);

/* Names the case at hand. */
void gb_kit_label(gb_kit *kit, const char *format, ...) GB_PRINTF(2, 3);

/* One more case of a statement; `format` says of a failure what was found ("%s", "" where that is plain). Returns `passed`. */
bool gb_kit_verdict(gb_kit *kit, size_t statement, bool passed, const char *format, ...) GB_PRINTF(4, 5);
/* The same, of a tape that should have no error. */
bool gb_kit_recorded(gb_kit *kit, size_t statement, const gb_tape *tape);

/* A case of which it cannot be asked, and why. */
void gb_kit_skip(gb_kit *kit, size_t statement, const char *why);

/* Reports each statement that was tried or skipped. Returns whether all of them hold. */
bool gb_kit_conclude(const gb_kit *kit);

#endif
