/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/options.h"

#include <string.h>

void gb_options_copy(void *own, size_t bytes, const void *theirs)
{
    size_t given = 0;
    if (theirs)
        memcpy(&given, theirs, sizeof given);
    if (given > bytes)
        given = bytes;
    memset(own, 0, bytes);
    if (given > 0)
        memcpy(own, theirs, given);
    memcpy(own, &bytes, sizeof bytes);
}
