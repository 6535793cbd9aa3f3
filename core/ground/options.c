/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/options.h"

#include <string.h>

bool gb_options_copy(void *own, size_t bytes, const void *theirs)
{
    size_t given = 0;
    if (theirs)
        memcpy(&given, theirs, sizeof given);
    const bool has_size = !theirs || given >= sizeof given;
    if (!has_size)
        given = 0;
    if (given > bytes)
        given = bytes;
    memset(own, 0, bytes);
    if (given > 0)
        memcpy(own, theirs, given);
    memcpy(own, has_size ? &bytes : &given, sizeof bytes);
    return has_size;
}
