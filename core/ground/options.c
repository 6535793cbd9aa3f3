/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/options.h"

#include <string.h>

/* No options struct is as large; a larger size is a mistake, and what follows the struct is not read. */
enum { MOST_BYTES = 4096 };

/* Whether the struct of `given` bytes sets a member that a struct of `bytes` does not have. */
static bool sets_more(const unsigned char *theirs, size_t given, size_t bytes)
{
    if (given > MOST_BYTES)
        return true;
    for (size_t i = bytes; i < given; i++)
        if (theirs[i] != 0)
            return true;
    return false;
}

gb_options_fault gb_options_look(const void *theirs, size_t bytes)
{
    size_t given;
    if (!theirs)
        return GB_OPTIONS_GOOD;
    memcpy(&given, theirs, sizeof given);
    if (given == GB_OPTIONS_UNKNOWN)
        return GB_OPTIONS_UNKNOWN; /* the mark of gb_options_copy */
    if (given < sizeof given)
        return GB_OPTIONS_NO_SIZE;
    return sets_more(theirs, given, bytes) ? GB_OPTIONS_UNKNOWN : GB_OPTIONS_GOOD;
}

bool gb_options_copy(void *own, size_t bytes, const void *theirs)
{
    size_t given = 0, size = bytes;
    const gb_options_fault fault = gb_options_look(theirs, bytes);
    memset(own, 0, bytes);
    if (fault == GB_OPTIONS_GOOD && theirs) {
        memcpy(&given, theirs, sizeof given);
        memcpy(own, theirs, given < bytes ? given : bytes);
    }
    if (fault != GB_OPTIONS_GOOD)
        size = fault == GB_OPTIONS_UNKNOWN ? (size_t)GB_OPTIONS_UNKNOWN : 0;
    memcpy(own, &size, sizeof size);
    return fault == GB_OPTIONS_GOOD;
}

const char *gb_options_fault_words(gb_options_fault fault)
{
    return fault == GB_OPTIONS_NO_SIZE   ? "has no size; set .size = sizeof(it)"
           : fault == GB_OPTIONS_UNKNOWN ? "sets members that this version of the library does not know"
                                         : "can be used";
}
