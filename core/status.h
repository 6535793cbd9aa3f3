/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Errors, and how they are reported.
 *
 * grebe never aborts, exits, prints or jumps. A call that fails is rejected: it returns an inert node
 * (or NULL), and its tape keeps the *first* error. An error is a code, and a message that names the
 * operation, the shapes and what to do. An *inert* node has no value; calls that take one return an inert
 * node again. So a program may check once, at the end. */
#ifndef GREBE_CORE_STATUS_H
#define GREBE_CORE_STATUS_H

#include <stdio.h>

#include "export.h"

GB_BEGIN_DECLS

/* The codes and their texts. */
#define GB_STATUS_LIST(do_)                                                                                  \
    do_(GB_OK, "no error") do_(GB_ENOMEM, "out of memory") do_(GB_EARGUMENT, "invalid argument")             \
        do_(GB_ENODE, "not a usable node") do_(GB_ESHAPE, "shapes do not fit")                               \
            do_(GB_ETYPE, "wrong type of values") do_(GB_ENAME, "missing or duplicate name")                 \
                do_(GB_ELIMIT, "too large") do_(GB_EGRADIENT, "no such gradient")                            \
                    do_(GB_EPROGRAM, "not a usable program") do_(GB_EFEED, "input not fed, or fed wrongly")  \
                        do_(GB_EREAD, "value not available") do_(GB_ENONFINITE, "a value is not finite")     \
                            do_(GB_ESYSTEM, "the system could not do it")                                    \
                                do_(GB_ESTOPPED, "stopped on request") do_(GB_EFILE, "not a usable file")

/* The code of an error; GB_OK if there is none. */
typedef enum gb_status {
#define GB_STATUS_CODE(code, text) code,
    GB_STATUS_LIST(GB_STATUS_CODE)
#undef GB_STATUS_CODE
} gb_status;

typedef struct gb_tape gb_tape;

/* Returns the text of a code; "unknown status" for any other number. */
GB_API const char *gb_status_text(gb_status code);

/* Returns the code of the tape's first error; GB_OK if there is none. Returns GB_ENOMEM for a NULL tape,
 * since gb_tape_new returns NULL if memory runs out. */
GB_API gb_status gb_error(const gb_tape *tape);

/* Returns the message of the tape's first error; "" if there is none. The tape owns the text; it is valid
 * until gb_forgive. */
GB_API const char *gb_error_text(const gb_tape *tape);

/* Writes the first error to `file` as one line; nothing if there is none. Control characters in names are
 * shown, as "\n" or "\x1b". An error that shows a place in a text has two more lines, which begin with four
 * spaces: the text, and a caret under the place. Returns its code. */
GB_API gb_status gb_complain(const gb_tape *tape, FILE *file);

/* Clears the error. After a value that was not finite, for example, a program can then run again with other
 * data. Inert nodes stay inert. */
GB_API void gb_forgive(gb_tape *tape);

/* For authors of operations and distributions: records an error, unless the tape already has one. Always
 * returns `code`. */
GB_API gb_status gb_fail(gb_tape *tape, gb_status code, const char *format, ...) GB_PRINTF(3, 4);

GB_END_DECLS
#endif
