/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What can go wrong, and how it is told.
 *
 * grebe never aborts, exits, prints or jumps. A call that cannot be carried out returns an inert node (or NULL),
 * and its tape keeps the *first* error: a code, and a sentence that names the operation, the shapes and what to
 * do. Everything recorded after it is inert too, so a program may check once, at the end. */
#ifndef GREBE_CORE_STATUS_H
#define GREBE_CORE_STATUS_H

#include <stdio.h>

#include "export.h"

GB_BEGIN_DECLS

/* code, its text */
#define GB_STATUS_LIST(do_)                                                                                  \
    do_(GB_OK, "no error") do_(GB_ENOMEM, "out of memory") do_(GB_EARGUMENT, "invalid argument")             \
        do_(GB_ENODE, "not a usable node") do_(GB_ESHAPE, "shapes do not fit")                               \
            do_(GB_ETYPE, "wrong type of values") do_(GB_ENAME, "missing or duplicate name")                 \
                do_(GB_ELIMIT, "too large") do_(GB_EGRADIENT, "no such gradient")                            \
                    do_(GB_EPROGRAM, "not a usable program") do_(GB_EFEED, "input not fed, or fed wrongly")  \
                        do_(GB_EREAD, "value not available") do_(GB_ENONFINITE, "a value is not finite")     \
                            do_(GB_ESYSTEM, "the system could not do it")                                    \
                                do_(GB_ESTOPPED, "stopped on request") do_(GB_EFILE, "not a usable file")

typedef enum gb_status {
#define GB_STATUS_CODE(code, text) code,
    GB_STATUS_LIST(GB_STATUS_CODE)
#undef GB_STATUS_CODE
} gb_status;

typedef struct gb_tape gb_tape;

/* The text of a code; "unknown status" for a number that is none. */
GB_API const char *gb_status_text(gb_status code);

/* The code of the tape's first error, GB_OK if there was none. GB_ENOMEM for a NULL tape, which is what
 * gb_tape_new returns where there is no memory. */
GB_API gb_status gb_error(const gb_tape *tape);

/* The sentence of the tape's first error, "" if there was none. The tape owns it; gb_forgive ends it. */
GB_API const char *gb_error_text(const gb_tape *tape);

/* Writes the first error to `file`, one line; writes nothing if there was none. Returns its code. */
GB_API gb_status gb_complain(const gb_tape *tape, FILE *file);

/* Forgets the error, so that a program can be run again (with other data after a non-finite value, say). Nodes
 * that were returned inert stay inert. */
GB_API void gb_forgive(gb_tape *tape);

/* For authors of operations and distributions: keeps the error if it is the first; always returns `code`. */
GB_API gb_status gb_fail(gb_tape *tape, gb_status code, const char *format, ...) GB_PRINTF(3, 4);

GB_END_DECLS
#endif
